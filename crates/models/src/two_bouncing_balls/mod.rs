//! Two balls on a vertical line over the ground, with undamped springs in both contacts (gil2013, section 3).

mod equations;
pub mod exact;
mod parameters;

pub use parameters::TwoBouncingBalls;
