//! Steps from contact power: an explicit formula for second-order equations, with step sizes chosen from the power of
//! the contacts at both ends of the step (modin2005, Algorithm 1).
//!
//! ```text
//! ContactPower ──▶ Steps ── trials, failures
//!                   ├── Formula    q, v at the end of a step: Störmer–Verlet, Equation 16
//!                   ├── Objective  W from the contact powers, residual R of a step
//!                   ├── Search     u with |R(u)| ≤ η by bisection
//!                   └── Predictor  first trial of the search
//! StormerVerlet, SemiExplicit ──▶ FixedStepper ──▶ drive    the formulas with constant steps
//! ```

mod definition;
mod formula;
mod objective;
mod predictor;
mod run;
mod search;
mod stepper;

pub use definition::{ContactPower, Inner, SemiExplicit, StormerVerlet};
pub use formula::Formula;
pub use objective::Objective;
pub use predictor::Predictor;
pub use search::{Search, Verdict};
