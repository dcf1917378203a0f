//! A-stable implicit formulas for `r(y, y′, t) = 0` whose damping at high frequencies is set by one parameter.
//!
//! Three families, compared in zhang2022 (H. Zhang, R. Zhang, A. Zanoni, P. Masarati, Performance of implicit
//! A-stable time integration methods for multibody system dynamics, Multibody Syst. Dyn. 54 (2022) 263–301):
//!
//! | family | type | one step |
//! |---|---|---|
//! | linear multistep LMS2, LMS3, LMS4 | [`LinearMultistep`] | one implicit stage on `r` past steps |
//! | their equivalents SS2, SS3, SS4 | [`SingleStep`] | one implicit stage and `r − 1` auxiliary derivatives |
//! | Runge–Kutta: Bathe, MSSTC, MSSTH, ESDIRK, SDIRK | [`Tableau`](crate::Tableau) | `n` implicit stages |
//!
//! The parameter `ρ_∞ ∈ [0, 1]` is the spectral radius at infinite frequency: 0 annihilates, 1 does not damp at all.
//! [`mbsbench_problem::linear`] analyses coefficients on the undamped oscillator.
//!
//! All share one engine: a formula gives `y = ŷ + c y'` at the next point, a predictor gives the first guess of `y'`,
//! and Newton's method solves for the point.
//!
//! ```text
//! Scheme  (PastSteps, Auxiliaries, Stages)     ŷ, c, prediction from the History of points
//!     └─▶ Solver  (one point: r(t, y, y', λ) = 0 of a CountedDae)
//! drive   (a step for the loop of `problem`: start, charts, output for observers)
//! ```
//!
//! [`Method::order`](mbsbench_problem::Method::order) is the order on ordinary differential equations. It is reduced
//! on constrained mechanics with constraints on positions only (index 3): tests measure order two in positions and
//! velocities for all formulas but SDIRK4. The order-two term of the position error is small in MSSTH(3) and
//! ESDIRK3(2)4L\[2\]SA: with large steps their third-order term dominates and positions seem to have order three.
//! Multipliers are of order two in formulas with one implicit stage and of order one in formulas with several. In
//! SDIRK4, whose several stages have order one, positions and velocities have order one and multipliers do not
//! converge. Without any damping (Bathe with `ρ_∞ = 1`, the trapezoidal rule) they alternate about their values and do
//! not converge.

mod auxiliaries;
pub mod definitions;
mod details;
mod dirk;
mod drive;
pub mod history;
mod method;
pub mod multistep;
pub mod newton;
pub mod past_steps;
pub mod predictor;
pub mod scheme;
mod settings;
pub mod single_step;
pub mod stages;
mod tables;

pub use definitions::*;
pub use drive::solve;
pub use method::{Implicit, Rule};
pub use multistep::{LinearMultistep, Multistep};
pub(crate) use settings::with_settings;
pub use settings::{Charts, InitialDerivatives, Options, Prediction, Start};
pub use single_step::SingleStep;
