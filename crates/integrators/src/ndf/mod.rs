//! Numerical differentiation formulas: linear multistep methods of variable order for stiff and index-1 problems.
//!
//! ```text
//! Ode15s ──▶ Steps ── sizes and orders, failures
//!             ├── Formula      coefficients of orders 1…5
//!             ├── Differences  backward differences of the solution at the current step size
//!             ├── Newton       solver of the formula's equations, with a matrix kept over steps
//!             └── Initial      y' and y'' at the start, also of algebraic components
//! ```

mod definition;
mod differences;
mod formula;
mod initial;
mod newton;
mod run;
#[cfg(test)]
mod tests;

pub use definition::Ode15s;
