//! What the rest of the program says with numbers: how they are written ([`decimal`], [`brief`], [`shortest`],
//! [`rounded`], [`short`], [`percent`]), and curves of them thinned to what an eye can see ([`Decimator`],
//! [`thin_evenly`], [`simplify`], [`simplify_path`]). Beside numbers tables have texts, which [`guarded`],
//! [`unguarded`] and [`markdown`] keep what they are.

// `f64::sin` and its like are correctly rounded in every program that links this crate.
use mbsbench_elementary as _;

mod cells;
mod decimate;
mod simplify;
mod text;

pub use cells::{csv, guarded, markdown, unguarded};
pub use decimate::{Decimator, thin_evenly};
pub use simplify::{simplify, simplify_path};
pub use text::{brief, decimal, percent, rounded, short, shortest};
