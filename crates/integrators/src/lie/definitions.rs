//! The generalized-α method under its name in experiment files, and the interface of all methods on Lie groups.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::steps::Steps;
use crate::drive;
use crate::low_order::{Discretisation, GeneralizedAlphaWeights};
use crate::newton::{EXACT, JacobianUse, STRUCTURED, of_accelerations, options};
use crate::sizes::check_equal_steps;

method! {
    /// The generalized-α method on the index-3 equations of mechanics whose positions need not form a vector space (O.
    /// Brüls, A. Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002). Rotations are displaced by exponentials, so that
    /// unit Euler parameters keep length one to rounding without a constraint. Weights and start are the same as in
    /// `generalized-alpha`; if positions form a vector space, the method is identical to `generalized-alpha` with
    /// constant steps.
    ///
    /// Order of q and v: 2; of λ: 2, after an error O(h) that decays like `ρⁿ` (M. Arnold, O. Brüls, A. Cardona, Numer.
    /// Math. 129 (2015) 149–179). Velocity constraints are violated by O(h²). Nonholonomic constraints are refused.
    ///
    /// Counters: one evaluation, Jacobian, factorization and linear solve for each iteration, and two evaluations,
    /// factorizations and solves at the start.
    pub struct LieGeneralizedAlpha {
        /// Spectral radius ρ at infinite frequency, from 0 (most damping of high frequencies) to 1.
        pub rho_inf: f64 [from 0.0, to 1.0] = 0.8,
        /// The iteration ends when the correction of accelerations is below this, relative to one plus the largest
        /// acceleration, or when corrections no longer decrease and move positions by rounding only.
        pub newton_tolerance: f64 [above 0.0, to 1.0] = 1e-10,
        /// Maximum number of iterations in a step; beyond it the run fails with `newton-diverged`.
        pub max_iterations: u32 [from 1] = 20,
    }
    "lie-generalized-alpha", "low-order",
    "Lie-group generalized-α method for mechanics with rotations, on the index-3 equations",
    "O. Brüls, A. Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002; M. Arnold, O. Brüls, A. Cardona, Numer. Math. \
     129 (2015) 149–179",
    |settings| OnGroup {
        rule: Rule::GeneralizedAlpha(GeneralizedAlphaWeights::with_spectral_radius(settings.rho_inf)),
        newton: (settings.newton_tolerance, settings.max_iterations),
    }
}

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

method! {
    /// The linearly implicit Euler method of constrained mechanics for real-time simulation, with constant steps, after
    /// M. Arnold, B. Burgermeister, A. Eichberger, Multibody Syst. Dyn. 17 (2007) 99–117: one matrix is formed and
    /// factorized in each step, and nothing is iterated.
    ///
    /// ```text
    /// (M − h ∂D/∂v − h² ∂D/∂q) a₁ = D(t₁, q*, v₀) + Jᵀ λ₁,   J v₁ + Φ_t = 0,   v₁ = v₀ + h a₁,   q₁ = q₀ + h v₁ + δ
    /// (M − h ∂D/∂v − h² ∂D/∂q) δ = Jᵀ μ,   J δ = −Φ(t₁, q₀ + h v₁)
    /// ```
    ///
    /// M, J and the derivatives are those at `q* = q₀ + h v₀`. The constraints are imposed on velocities; the
    /// correction δ of the positions, a second solve with the same factors, keeps them from drifting. On Lie groups `+`
    /// is the retraction. The equations are written from the properties that the paper describes.
    ///
    /// Order of q, v and λ: 1. Constraints are violated by O(h³) in positions and O(h²) in velocities. Without
    /// constraints, linear problems are solved as by the implicit Euler method. Nonholonomic constraints are refused.
    ///
    ///
    /// Counters: one evaluation, Jacobian and factorization and two linear solves per step.
    pub struct HalfImplicitEuler {}
    "half-implicit-euler", "linearly-implicit",
    "Linearly implicit Euler method for constrained mechanics in real time, without iterations",
    "M. Arnold, B. Burgermeister, A. Eichberger, Multibody Syst. Dyn. 17 (2007) 99–117",
    |_| OnGroup { rule: Rule::LinearlyImplicit, newton: (0.0, 0) }
}

/// The formula of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// The generalized-α formulas.
    GeneralizedAlpha(GeneralizedAlphaWeights),
    /// BDF of order two, after a first step by the trapezoidal rule.
    Bdf,
    /// The linearly implicit Euler method with constraints on velocities and corrected positions.
    LinearlyImplicit,
}

impl Rule {
    /// The weights of the generalized-α formulas; those of the trapezoidal rule for the other rules.
    pub fn weights(self) -> GeneralizedAlphaWeights {
        if let Self::GeneralizedAlpha(weights) = self {
            weights
        } else {
            GeneralizedAlphaWeights::with_spectral_radius(1.0)
        }
    }
}

/// A method on Lie groups: its formula, and tolerance and maximum number of iterations of Newton's method.
pub struct OnGroup {
    pub rule: Rule,
    pub newton: (f64, u32),
}

impl Method for OnGroup {
    fn order(&self) -> u32 {
        if self.rule == Rule::LinearlyImplicit { 1 } else { self.rule.weights().order() }
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { counts_flops: true, ..MethodProperties::default() }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        let (tolerance, max_iterations) = self.newton;
        let mut named = options([
            ("charts", "step".to_owned()),
            ("linear-algebra", STRUCTURED.to_owned()),
            ("jacobians", EXACT.to_owned()),
            ("newton-matrix", spelling(&JacobianUse::Full)),
            ("newton-stop", of_accelerations(tolerance)),
            ("max-iterations", max_iterations.to_string()),
        ]);
        named.truncate(if self.rule == Rule::LinearlyImplicit { 3 } else { named.len() });
        named
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        Unsuitable::unless_plain(problem)?;
        Unsuitable::with_nonholonomic(problem.form().mechanics()?)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(match self.rule {
            Rule::GeneralizedAlpha(weights) => Discretisation::GeneralizedAlpha(weights).amplification(0.0, omega_h),
            Rule::Bdf => Discretisation::Bdf.amplification(0.0, omega_h),
            Rule::LinearlyImplicit => DMatrix::from_element(1, 1, Complex::new(1.0, -omega_h).inv()),
        })
    }

    fn details(&self) -> Vec<String> {
        if let Rule::GeneralizedAlpha(weights) = self.rule { weights.details() } else { Vec::new() }
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::run(self, problem, task, observer, |problem| {
            if self.rule == Rule::Bdf {
                check_equal_steps(task)?;
            }
            Ok(Steps::new(self.rule, self.newton, &mut problem.mechanics()?, task.initial))
        })
    }
}
