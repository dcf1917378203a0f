//! The contents of `results/<id>/`: `runs.csv`, tables, figures with the data they show, animations, certificates,
//! timings.

mod animations;
mod bars;
mod drawings;
mod figures;
pub mod shares;

mod slopes;
mod standing;
mod tables;
mod times;
pub mod witness;
mod write;

pub use animations::animation;
pub use drawings::drawing;
pub use figures::figure;
pub(crate) use figures::style_of;
pub use standing::work_precision;
pub use tables::table;
pub use times::{recorded_times, time};
pub use write::{WriteError, Written, write, write_pictures};
