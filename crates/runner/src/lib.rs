//! The runner: experiment files, runs, measures, tables and plots behind the program `mbsbench`.

pub mod experiment;
pub mod input;
pub mod measures;
pub mod plan;
pub mod registry;
