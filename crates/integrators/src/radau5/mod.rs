//! RADAU5: the Radau IIA formula of order 5 with variable steps (E. Hairer, G. Wanner, Solving Ordinary Differential
//! Equations II, section IV.8).
//!
//! ```text
//! tableau ─▶ Newton (stages, transformed) ─▶ Steps ◀── Controller (sizes)
//!                                             └─────── Collocation (first guesses, states inside a step)
//! ```
//!
//! The three stages form one system of `3 n` equations. A similarity transformation of `A⁻¹` splits it into a real and
//! a complex system of `n` equations each, which are solved by the linear algebra of `equations`.

mod collocation;
mod controller;
mod definition;
mod newton;
mod run;
pub mod tableau;
#[cfg(test)]
mod tests;

pub use definition::Radau5;
