//! Small smooth equations with closed-form solutions, against which methods are measured.

mod linear_oscillator;
mod linear_test;
mod oscillation_in_time;

pub use linear_oscillator::LinearOscillator;
pub use linear_test::LinearTest;
pub use oscillation_in_time::OscillationInTime;
