//! Experiments, runs, measures, tables and plots: the library behind the program `mbsbench`.

pub mod measures;
