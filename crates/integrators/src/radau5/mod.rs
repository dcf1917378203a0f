//! RADAU5: the Radau IIA formula of order 5 with variable steps (E. Hairer, G. Wanner, Solving Ordinary Differential
//! Equations II, section IV.8).
//!
//! ```text
//! tableau ─▶ Newton (stages, transformed) ─▶ Steps ◀── Controller (sizes)
//!                                             └─────── Collocation (first guesses, states inside a step)
//! ```
//!
//! The three stages are one system of `3 n` equations, which a similarity transformation of `A⁻¹` splits into a real and
//! a complex one of `n` equations each, with the linear algebra of `equations`.

mod collocation;
mod controller;
mod definition;
mod details;
mod newton;
mod run;
pub mod tableau;
#[cfg(test)]
mod tests;

pub use definition::Radau5;
