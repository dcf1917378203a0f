//! Exponential methods: the linearised equations are solved exactly over a step.

mod blocks;
mod definition;
mod pair;
mod stepper;

pub use definition::{Llm, LlmController, LlmNorm};
pub use stepper::LlmStepper;
