//! Small smooth equations with solutions in closed form, for methods to be measured against.

mod linear_oscillator;
mod linear_test;
mod oscillation_in_time;

pub use linear_oscillator::LinearOscillator;
pub use linear_test::LinearTest;
pub use oscillation_in_time::OscillationInTime;
