//! The runner.

pub mod render;
