//! A chain of rods on pins in the plane: as many as one asks for, to see how costs grow with a mechanism.

mod constrained;
mod minimal;
mod model;
mod parameters;

pub use parameters::{ChainFormulation, RodChain};
