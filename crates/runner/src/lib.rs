//! The runner: experiment files, runs, measures, tables and plots behind the program `mbsbench`.
//!
//! ```text
//! YAML ──input──▶ nodes ──experiment──▶ cases and axes ──plan──▶ runs
//! ```

pub mod cli;
pub mod experiment;
pub mod input;
pub mod measures;
pub mod output;
pub mod plan;
pub mod registry;

use std::process::ExitCode;

pub use registry::Registry;

/// The program `mbsbench` over a registry; a crate outside the workspace calls it with its own entries added.
#[must_use]
pub fn main_with(registry: Registry) -> ExitCode {
    cli::main_with(&registry)
}
