//! A slider crank with a rod that bends, in a floating frame of reference (negrut2007, section 3c).
//!
//! The frame is the chord through both pins; the deflection across it is a sum of sines, which vanish there.

mod constrained;
mod minimal;
mod parameters;
mod quasi_static;
mod rod;

pub use parameters::{Deflection, FlexibleSliderCrank};

/// More modes than anybody needs; their sums are kept in arrays of this size.
pub const MODES: usize = 8;
