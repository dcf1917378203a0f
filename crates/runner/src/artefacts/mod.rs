//! The contents of `results/<id>/`: `runs.csv`, tables, figures with the data they show, animations, certificates,
//! timings.

mod animations;
mod bars;
mod drawings;
mod figures;
pub mod shares;

mod contender_figure;
mod slopes;
mod tables;
mod times;
pub mod witness;
mod write;

pub use animations::animation;
pub use contender_figure::work_precision;
pub use drawings::drawing;
pub(crate) use figures::style_of;
pub use tables::table;
pub use times::{recorded_times, time};
pub use write::{Artefacts, WriteError, Written};
