//! The runner: experiment files, runs, measures, tables and plots behind the program `mbsbench`.

pub mod input;
pub mod measures;
pub mod registry;
