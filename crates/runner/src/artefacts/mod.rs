//! What `results/<id>/` holds: `runs.csv`, tables, figures with the data they show, certificates, timings.

mod bars;
mod drawings;
mod figures;
mod slopes;
mod tables;
mod times;
pub mod units;
mod write;

pub use drawings::{drawing, views};
pub use figures::figure;
pub use tables::table;
pub use times::keep_times;
pub use write::{WriteError, Written, write};
