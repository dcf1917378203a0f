//! Runs: execution, cache and timing.
//!
//! ```text
//! Plan ──pipeline──▶ execute ──▶ Record ──store──▶ ResultSet ──▶ runs.csv, timings.csv
//! ```
//!
//! Everything that can change a number of a result is in this crate or below it, and therefore in the keys of the
//! cache; see [`fingerprint`](mod@fingerprint).
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod cache;
pub mod costs;
pub mod execute;
pub mod fingerprint;
pub mod memory;
pub mod pairs;
pub mod pipeline;
pub mod progress;
pub mod provenance;
mod references;
mod resources;
pub mod results;
pub mod scrutiny;
pub mod seal;
pub mod stop;
pub mod timings;
mod titles;

pub use cache::Cache;
pub use fingerprint::fingerprint;
pub use memory::Memory;
pub use pipeline::{Outcome, Resources};
pub use progress::Progress;
pub use results::{ResultSet, Row};
pub use seal::FileError;
