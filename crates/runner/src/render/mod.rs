//! x
pub mod decimate;
