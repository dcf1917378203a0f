//! A flexible shaft with an unbalanced disk that is run up through its first critical speed (zhang2022, section 5.4; after
//! Bauchau et al. 2016).
//!
//! ```text
//!                 ┃          R: hinge about the shaft, driven; T: hinge that slides along the shaft.
//!   R ━━━━━━━━━━━━┃━━━━━━━━━━━━ T     Neither lets the shaft's ends bend: it is clamped in bending.
//!                 ┃          x from R to T, z up
//! ```
//!
//! The run of the paper begins one second before the drive: gravity is switched on, and a damper at mid-span brings the shaft to
//! rest in its sag before it is taken away.

mod assembly;
mod motion;
mod parameters;

pub(super) use motion::Shaft;

pub use parameters::{Disk, RotatingShaft};
