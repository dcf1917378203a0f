//! A flexible four-bar mechanism with an axis that is not in line (zhang2022, section 5.2; after Bauchau et al. 2016).
//!
//! ```text
//! B ─────────── C      A-B turns at a given speed about A, clockwise; hinges in A, B, C and D along z,
//! │             │      but in C, where the axis is tilted about y: rigid bars would lock.
//! A             D      x from A to D, y from A to B, z towards the reader
//! ```

mod assembly;
mod motion;
mod parameters;

pub(super) use motion::FourBar;

pub use parameters::{FlexibleFourBar, Lumps};
