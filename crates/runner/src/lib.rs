//! Experiment files, runs, measures, tables and plots: the library behind the program `mbsbench`.
//!
//! ```text
//! YAML ──input──▶ nodes ──experiment──▶ cases and axes ──plan──▶ runs ──pipeline──▶ results ──artefacts──▶ files
//! ```

pub mod artefacts;
pub mod claims;
pub mod cli;
pub mod comparison;
pub mod execute;
pub mod experiment;
pub mod fit;
pub mod input;
pub mod measures;
pub mod output;
pub mod pairs;
pub mod pipeline;
pub mod plan;
pub mod progress;
pub mod provenance;
pub mod registry;
pub mod render;
pub mod report;
pub mod results;
pub mod robustness;
pub mod store;
pub mod timings;

use std::process::ExitCode;

pub use registry::Registry;

/// The program `mbsbench` over a registry; a crate outside the workspace calls it with its own entries added.
#[must_use]
pub fn main_with(registry: Registry) -> ExitCode {
    cli::main_with(&registry)
}
