//! RADAU5: the Radau IIA formula of order 5 with variable steps (E. Hairer, G. Wanner, Solving Ordinary Differential
//! Equations II, section IV.8).
//!
//! ```text
//! Equations ── FirstOrder      M y' = f(t, y), with M constant or the identity
//!     └─────── IndexThree      (q, v, w, λ) of constrained mechanics
//!                 ├─ Factors   of real and complex matrices, on Columns in blocks of rows
//!                 └─ SparseCondensed   of mechanisms with many bodies
//! tableau ─▶ Newton (stages, transformed) ─▶ Steps ◀── Controller (sizes)
//!                                             └─────── Collocation (first guesses, states inside a step)
//! ```
//!
//! The three stages are one system of `3 n` equations, which a similarity transformation of `A⁻¹` splits into a real and
//! a complex one of `n` equations each. Both are eliminated further where the structure of mechanics allows it.

mod blocks;
mod collocation;
mod condensed;
mod controller;
mod definition;
mod details;
mod equations;
mod factors;
mod first_order;
mod index3;
mod newton;
mod run;
pub mod tableau;
#[cfg(test)]
mod tests;

pub use definition::Radau5;
