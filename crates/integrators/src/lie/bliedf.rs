//! BDF on Lie groups under its name in experiment files.

use super::{OnGroup, Rule};

method! {
    /// BLieDF with two steps: BDF of order two on the index-3 equations of mechanics whose positions need not form a
    /// vector space (V. Wieloch, M. Arnold, J. Comput. Appl. Math. 387 (2021) 112517), with constant steps. The
    /// equations were derived from the properties that its summary states.
    ///
    /// ```text
    /// M(q₁) a₁ = D(t₁, q₁, v₁) + J₁ᵀ λ₁,   0 = Φ(t₁, q₁),   q₁ = q₀ ∘ exp(h Δ₁)
    /// (3 Δ₁ − Δ₀)/2 = v₁,   (3 v₁ − 4 v₀ + v₋₁)/2 = h a₁
    /// ```
    ///
    /// The increments `h Δ` replace differences of positions. Commutators of increments, which formulas of three and
    /// more steps need, are of order h² in the first equation and are left out. The first step is made by the
    /// trapezoidal rule, `lie-generalized-alpha` with `rho-inf: 1`, of order two. If positions form a vector space, the
    /// method is `nstiff` after another first step.
    ///
    /// Order of q and v: 2; of λ: 2 from the fourth step on and 1 before, because initial velocities satisfy their
    /// constraints and later ones violate them by O(h²). Nonholonomic constraints are refused. The span must be a whole
    /// number of steps.
    ///
    /// Counters: one evaluation, Jacobian, factorization and linear solve for each iteration, and one evaluation,
    /// factorization and solve at the start.
    pub struct Bliedf {
        /// The iteration ends when the correction of accelerations is below this, relative to one plus the largest
        /// acceleration, or when corrections no longer decrease and move positions by rounding only.
        pub newton_tolerance: f64 [above 0.0, to 1.0] = 1e-10,
        /// Maximum number of iterations in a step; beyond it the run fails with `newton-diverged`.
        pub max_iterations: u32 [from 1] = 20,
    }
    "bliedf", "lie-group",
    "Second-order BDF on Lie groups for mechanics with rotations, on the index-3 equations (BLieDF)",
    "V. Wieloch, M. Arnold, J. Comput. Appl. Math. 387 (2021) 112517; equations derived, start our choice",
    |settings| OnGroup { rule: Rule::Bdf, newton: (settings.newton_tolerance, settings.max_iterations) }
}
