//! Executes planned runs: single runs, the parallel lane, the timing lane, references.

pub mod caught;
pub mod collect;
pub mod lane;
pub mod queue;
pub mod reference;
pub mod run;
pub mod timing;
