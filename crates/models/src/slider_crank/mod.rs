//! A rigid slider crank with a spring and damper on the slider (negrut2007, section 3b).

mod constrained;
mod minimal;
mod parameters;

pub use parameters::SliderCrank;
pub(crate) use parameters::longer_than_crank;
