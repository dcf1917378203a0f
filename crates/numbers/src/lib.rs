//! How the program presents numbers: formatting ([`decimal`], [`brief`], [`shortest`], [`rounded`], [`short`],
//! [`percent`]), thinning of curves to what an eye can see ([`Decimator`], [`thin_evenly`], [`simplify`],
//! [`simplify_path`]), and texts of others made harmless: in tables ([`guarded`], [`unguarded`], [`markdown`]) and
//! wherever they are shown ([`printable`]).
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

// Every program that links this crate has correctly rounded `f64::sin` and its like.
use mbsbench_elementary as _;

mod cells;
mod decimate;
mod printable;
mod simplify;
mod text;

pub use cells::{csv, guarded, markdown, unguarded};
pub use decimate::{Decimator, thin_evenly};
pub use printable::{in_place, is_active, printable};
pub use simplify::{simplify, simplify_path};
pub use text::{brief, decimal, percent, rounded, short, shortest};
