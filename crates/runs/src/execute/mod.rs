//! Executes planned runs: single runs, the parallel lane, the timing lane, references, audits.

pub mod audit;
pub mod collect;
pub mod panics;
pub mod parallel;
pub mod queue;
pub mod reference;
pub mod run;
pub mod timing;
