//! Exponential methods: they solve the linearised equations exactly over a step.

mod action;
mod definition;
mod integral;
mod pair;
mod stepper;

pub use definition::{Llm, LlmController, LlmNorm, LlmRules};
pub use stepper::LlmStepper;
