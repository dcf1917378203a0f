//! SUNDIALS' CVODE and IDA as methods. This crate knows no model.
//!
//! ```text
//! CvodeBdf, CvodeAdams, Ida ──▶ drive ──▶ Solver ──▶ ffi (C)
//!  (parameters)          (steps, roots,     (safe, owns its memory)
//!                         counters)
//! ```
//!
//! The library is the system's own, version 6.2 to 7 (A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005)
//! 363–396); the build script looks for it. If it is missing, the crate still builds, and each solve ends before its
//! first step with [`Failure::Unavailable`](mbsbench_problem::Failure::Unavailable).
//!
//! Only the modules that call C contain unsafe code. Every object of the library is freed by the value that owns it, in
//! any order. A panic of a right-hand side does not cross into C. Messages that the library would print become part of
//! the resulting failure.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

#[cfg(sundials)]
mod callbacks;
#[cfg(sundials)]
mod constrained;
mod definitions;
#[cfg(sundials)]
mod drive;
#[cfg(sundials)]
mod equations;
#[cfg(sundials)]
mod ffi;
#[cfg(sundials)]
mod objects;
mod settings;
#[cfg(sundials)]
mod solver;
#[cfg(sundials)]
mod systems;

pub use definitions::{CvodeAdams, CvodeBdf, Ida};
pub use settings::{Form, Iteration, Jacobian, Kind, LinearSolver, Sizes};
#[cfg(sundials)]
pub use solver::{Equations, Options, Point, Solver};
#[cfg(sundials)]
pub use systems::Systems;

/// The Debian package that contains the library.
pub const PACKAGE: &str = "libsundials-dev";

/// Version of the library found at build time; none if it was not found.
pub fn version() -> Option<&'static str> {
    option_env!("MBSBENCH_SUNDIALS_VERSION")
}
