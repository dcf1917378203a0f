//! CVODE and IDA of SUNDIALS as methods. No model is known here.
//!
//! ```text
//! CvodeBdf, CvodeAdams, Ida ──▶ drive ──▶ Solver ──▶ ffi (C)
//!  (parameters)          (steps, roots,     (safe, owns its memory)
//!                         counters)
//! ```
//!
//! The library is the system's (A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363–396), of version 6.2 to 7;
//! the build script looks for it. Where it is not, everything builds, and each solve ends before its first step with
//! [`Failure::Unavailable`](mbsbench_problem::Failure::Unavailable).
//!
//! Unsafe code is in the modules that call C and in no other. Every object of the library is freed by the value that
//! owns it, in any order; a right-hand side that panics does so on this side of the border; what the library would print
//! is in the failure that it leads to.

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

/// The package that has the library, as Debian names it.
pub const PACKAGE: &str = "libsundials-dev";

/// Version of the library that this was built with; none where there was none.
pub fn version() -> Option<&'static str> {
    option_env!("MBSBENCH_SUNDIALS_VERSION")
}
