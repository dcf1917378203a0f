//! Time integration methods, step-size control and events. This crate knows no model.
//!
//! ```text
//! Tableau ──Formula──▶ ExplicitStepper ─┐            Controller (error-controlled step)
//!  (from a file)       ExtrapolationStepper ┴▶ drive ◀── Grid      (constant step, two clocks)
//!                        (one step of a given size)   └── Locator   (zeros of event functions)
//! ```
//!
//! The loop of every method is [`Run`](mbsbench_problem::Run) of `problem`: it owns the budgets and the counters, and
//! shows each accepted step to the observer. A family implements [`Stepping`](mbsbench_problem::Stepping), which
//! attempts a step and handles its outcome:
//!
//! - [`drive`]: a [`Stepper`] makes one step of a given size and knows nothing else; step sizes, projection and events
//!   are decided around it. A new explicit tableau is a file in [`tableaux`] and a parameter struct in
//!   [`definitions`]. `exponential` methods are steppers that use Jacobians and matrix exponentials (`expm`); the
//!   Rosenbrock method `ode23s` is a stepper that solves linear systems instead. Results of explicit methods can be
//!   projected onto the constraints ([`projection`]); `half_explicit` methods compute multipliers in their stages.
//! - [`dode`]: equations with event functions, solved by the same formulas.
//! - [`low_order`]: constrained mechanics by implicit formulas for the index-3 equations.
//! - `lie`: constrained mechanics with rotations by generalized-α, BDF and Euler formulas on Lie groups.
//! - `rattle`: constrained mechanics by the Störmer–Verlet method.
//! - [`implicit`]: any problem `r(t, y, y', λ) = 0`.
//! - `ndf`: multistep formulas of variable order and step size, based on backward differences.
//! - `mebdf`: formulas of variable order that look one step ahead, with the linear algebra of RADAU5.
//! - `radau5`: an implicit Runge–Kutta method whose stages are solved together.
//! - [`from_file`]: methods whose coefficients come from a file, built from the same formulas.
//! - [`contact_power`]: step sizes from the power of contacts instead of an error estimate.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

#[macro_use]
mod definition;

mod attempt;
mod combine;
pub mod conditions;
pub mod conformance;
pub mod contact_power;
pub mod control;
pub mod definitions;
mod dense;
mod details;
pub mod dode;
pub mod drive;
mod equations;
pub mod events;
pub mod explicit;
mod expm;
pub mod exponential;
pub mod extrapolation;
pub mod formula;
pub mod from_file;
mod half_explicit;
pub mod hermite;
pub mod implicit;
mod lie;
mod linearisation;
pub mod low_order;
pub mod mebdf;
mod ndf;
pub mod newton;
mod ode23s;
pub mod projection;
mod radau5;
mod rattle;
mod saddle;
mod sizes;
pub mod stepper;
mod suite;
pub mod tableau;
pub mod tableaux;

pub use contact_power::{ContactPower, SemiExplicit, StormerVerlet};
pub use definitions::*;
pub use dense::DenseOutput;
pub use dode::Dode;
pub use explicit::{Advance, ExplicitRungeKutta, ExplicitStepper};
pub use exponential::{Llm, LlmStepper};
pub use extrapolation::Gbs;
pub use formula::Formula;
pub use from_file::MethodFromFile;
pub use half_explicit::{Hedop5, Hem4};
pub use implicit::definitions::*;
pub use lie::{Bliedf, HalfImplicitEuler, LieGeneralizedAlpha};
pub use low_order::{
    GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HhtAdd, HhtI3, HhtSi2, Newmark, Nstiff, NstiffSi2,
};
pub use mebdf::Mebdf;
pub use ndf::Ode15s;
pub use ode23s::Ode23s;
pub use radau5::Radau5;
pub use rattle::{Rattle, Shake};
pub use stepper::Stepper;
pub use tableau::Tableau;
