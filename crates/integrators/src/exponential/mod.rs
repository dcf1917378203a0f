//! Exponential methods: the linearised equations are solved exactly over a step.

mod action;
mod definition;
mod integral;
mod pair;
mod stepper;

pub use definition::{Llm, LlmController, LlmNorm};
pub use stepper::LlmStepper;
