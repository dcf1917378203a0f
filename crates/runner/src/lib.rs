//! The program `mbsbench`: its commands, tables and figures of papers, and the report.
//!
//! ```text
//! YAML ──input──▶ nodes ──experiment──▶ plan ──runs──▶ results ──judge──▶ verdicts ──artefacts, report──▶ files
//! ```
//!
//! The items that a crate outside the workspace needs are re-exported here, in modules named after their crates.

pub mod artefacts;
mod assurances;
pub mod cli;
pub mod conformance;
mod description;
pub mod output;
pub mod processor;
mod ranks;
pub mod report;
mod sheet;

use std::process::ExitCode;

pub use mbsbench_experiment::{self as experiment, Registry, plan, registry};
pub use mbsbench_input as input;
pub use mbsbench_judge::{claims, comparison, publication, reconstruction, statistics};
pub use mbsbench_measures as measures;
pub use mbsbench_numbers as numbers;
pub use mbsbench_render as render;
pub use mbsbench_runs::{cache, execute, fingerprint, memory, pairs, pipeline, progress, provenance, results, timings};

/// Runs the program `mbsbench` with a registry. A crate outside the workspace calls it with its own entries added.
pub fn main_with(registry: Registry) -> ExitCode {
    main_of(|| registry)
}

/// Runs the program with a registry that is created only after the processor was checked, because the code that creates
/// it is compiled for newer processors, too.
pub fn main_of(registry: impl FnOnce() -> Registry) -> ExitCode {
    match processor::check() {
        Ok(()) => cli::main_with(&registry()),
        Err(lacking) => {
            // Written without `Output`, because that code is compiled for newer processors.
            eprintln!("error: {lacking}");
            cli::Exit::System.into()
        }
    }
}
