//! The formulas under their names in experiment files.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, OutOfRange, Solution, Task, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::additive::Additive;
use super::drive::{self, Requirements};
use super::formula::Start;
use super::index3::Index3;
use super::predictor::{Discretisation, GeneralizedAlphaWeights};
use super::settings::{LinearAlgebra, MassAt, NewtonSettings, PairAlgebra};
use super::stabilised::Stabilised;
use crate::newton::STRUCTURED;

method! {
    /// NEWMARK: Newmark's formulas with equations of motion and position constraints at the end of the step.
    ///
    /// Order of q, v and λ: 1, or 2 if `γ = 1/2`. Velocity constraints are violated by
    /// `h² (1/6 + (γ − 1/2)/2 − β) J q'''`.
    pub struct Newmark {
        /// γ, at least 1/2; above it, high frequencies are damped.
        pub gamma: f64 [from 0.5] = 0.7,
        /// β; `(γ + 1/2)²/4` if not given.
        pub beta: Option<f64> [above 0.0] = None,
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "newmark", "low-order",
    "Newmark method on the index-3 equations (NEWMARK)",
    "negrut2007, section 2, Eqs. 1 to 4; the defaults of γ and β are our choice",
    |formula| {
        let Newmark { gamma, beta, newton } = *formula;
        let beta = beta.unwrap_or(0.25 * (gamma + 0.5) * (gamma + 0.5));
        let order = if gamma == 0.5 { 2 } else { 1 };
        LowOrder { order, ..LowOrder::new(Discretisation::Newmark { beta, gamma }, newton) }
    }
}

method! {
    /// HHT-I3: Hilber, Hughes and Taylor's formulas (`γ = 1/2 − α`, `β = (1 − α)²/4`) on the index-3 equations.
    ///
    /// Order of q, v and λ: 2; 1 if the mass matrix depends on the configuration and is evaluated at the end of the
    /// step, as printed. Velocity constraints are violated by `h² (1/6 − α/2 − β) J q'''`.
    ///
    /// With a tolerance, the local error of the positions is estimated as `(β + α/2 − 1/6) h² (a₁ − a₀)`, projected
    /// onto the constraints, after D. Negrut, R. Rampalli, G. Ottarsson, A. Sajdak, J. Comput. Nonlinear Dyn. 2 (2007)
    /// 73–85. Constant and projection are ours; so is an O(h⁴) term for the displacement by reactions along their
    /// directions at the start of the step. Also ours: `a₀` is shifted by `α (h − h₋)` times its rate, because the
    /// previous step, of size h₋, left it at another time. With variable steps q and v have order 2 and λ has order 1;
    /// with `α = 0` the error that each change of step leaves in λ does not decay. Errors of velocities are not
    /// estimated. Use `mass: shifted` if the mass depends on the configuration.
    pub struct HhtI3 {
        /// α, from −1/3 (most damping of high frequencies) to 0.
        pub alpha: f64 [from -1.0 / 3.0, to 0.0] = -0.3,
        /// Configuration at which the mass matrix is evaluated: `end` or `shifted`.
        pub mass: MassAt = MassAt::default(),
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "hht-i3", "low-order",
    "Hilber–Hughes–Taylor method on the index-3 equations (HHT-I3)",
    "negrut2007, section 2, Eqs. 5 to 7",
    |formula| {
        let constraints = Constraints::Positions(formula.mass);
        LowOrder { adapts: true, ..LowOrder::hht(formula.alpha, constraints, formula.newton) }
    }
}

method! {
    /// NSTIFF: second-order BDF for positions and velocities on the index-3 equations; the first step has order one.
    ///
    /// Order of q, v and λ: 2. Velocity constraints are violated by `−h²/3 J q'''`. The span must be a whole number of
    /// steps.
    pub struct Nstiff {
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "nstiff", "low-order",
    "Second-order BDF on the index-3 equations (NSTIFF)",
    "negrut2007, section 2, Eqs. 8 and 9; the start with first-order BDF is our choice",
    |formula| LowOrder::new(Discretisation::Bdf, formula.newton)
}

method! {
    /// The generalized-α method on the index-3 equations (M. Arnold, O. Brüls, Multibody Syst. Dyn. 18 (2007) 185–202),
    /// with the equations of motion at the end of the step and Chung and Hulbert's parameters,
    ///
    /// ```text
    /// α_m = (2 ρ − 1)/(ρ + 1),   α_f = ρ/(ρ + 1),   γ = 1/2 − α_m + α_f,   β = (γ + 1/2)²/4
    /// (1 − α_m) ā₁ + α_m ā₀ = (1 − α_f) a₁ + α_f a₀
    /// ```
    ///
    /// and algorithmic accelerations `ā` in Newmark's formulas. The initial `ā₀` is the acceleration at the time
    /// `(α_m − α_f) h` after the start (which lies before it), to O(h²), and takes one further evaluation.
    ///
    /// Order of q, v and λ: 2. Initial velocities satisfy their constraints and later ones do not, so that λ begins
    /// with an error O(h), which decays like `ρⁿ` (M. Arnold, O. Brüls, A. Cardona, Numer. Math. 129 (2015) 149–179).
    /// Velocity constraints are violated by `h² (1/6 + (γ − 1/2)/2 − β) J q'''`.
    ///
    /// With a tolerance, the local error of the positions is estimated as `(β + (α_m − α_f)/2 − 1/6) h² (a₁ − a₀)`,
    /// projected onto the constraints, plus an O(h⁴) term for the displacement by reactions along their directions at
    /// the start of the step (ours). `ā₀` is shifted by `(α_m − α_f)(h − h₋)` times the rate of the accelerations,
    /// because the previous step, of size h₋, left it at another time. With variable steps q and v have order 2 and λ
    /// has order 1; with `ρ = 1` the error that each change of step leaves in λ does not decay.
    pub struct GeneralizedAlpha {
        /// Spectral radius ρ at infinite frequency, from 0 (most damping of high frequencies) to 1, at which errors of
        /// accelerations in the directions of constraint forces are not damped.
        pub rho_inf: f64 [from 0.0, to 1.0] = 0.8,
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "generalized-alpha", "low-order",
    "Generalized-α method on the index-3 equations",
    "M. Arnold, O. Brüls, Multibody Syst. Dyn. 18 (2007) 185–202; J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) \
     371–375",
    |settings| { generalized_alpha(GeneralizedAlphaWeights::with_spectral_radius(settings.rho_inf), settings.newton) }
}

/// The generalized-α method with any weights.
pub(crate) fn generalized_alpha(weights: GeneralizedAlphaWeights, newton: NewtonSettings) -> impl Method {
    let constraints = Constraints::Positions(MassAt::End);
    LowOrder { adapts: true, ..LowOrder::generalized_alpha(weights, constraints, newton) }
}

method! {
    /// HHT-ADD: HHT formulas with constraint forces added to the accelerations; positions and velocities satisfy their
    /// constraints.
    ///
    /// Order of q and v: 2, for every b. The reported multiplier is ψ₁, of order 1.
    pub struct HhtAdd where b_is_not_half {
        /// α, from −1/3 (most damping of high frequencies) to 0.
        pub alpha: f64 [from -1.0 / 3.0, to 0.0] = -0.3,
        /// b, fraction of the constraint force at the end of the step in the positions; not 1/2.
        pub b: f64 = 0.0,
        /// Solver of the linear systems: `shared`, `structured` or `dense`. For few coordinates (about 6), `structured`
        /// takes more time than `dense`; `shared` does not.
        pub linear_algebra: PairAlgebra = PairAlgebra::Dense,
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "hht-add", "low-order",
    "HHT method with additional constraint forces, for position and velocity constraints (HHT-ADD)",
    "negrut2007, section 2, Eqs. 10 to 13; the default of b is our choice",
    |formula| {
        let constraints = Constraints::Additive { b: formula.b, algebra: formula.linear_algebra };
        LowOrder::hht(formula.alpha, constraints, formula.newton)
    }
}

impl HhtAdd {
    fn b_is_not_half(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless(self.b != 0.5, "b", self.b, "a finite number other than 0.5")
    }
}

method! {
    /// HHT-SI2: HHT formulas with two accelerations per step, one for the position constraints and one for the velocity
    /// constraints.
    ///
    /// Order of q, v and λ: 2.
    pub struct HhtSi2 {
        /// α, from −1/3 (most damping of high frequencies) to 0.
        pub alpha: f64 [from -1.0 / 3.0, to 0.0] = -0.3,
        /// Solver of the linear systems: `shared`, `structured` or `dense`.
        pub linear_algebra: PairAlgebra = PairAlgebra::default(),
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "hht-si2", "low-order",
    "HHT method on the stabilised index-2 equations (HHT-SI2)",
    "negrut2007, section 2, Eqs. 14 to 18, corrected: f₀ restored, second acceleration in positions only",
    |formula| LowOrder::hht(formula.alpha, Constraints::Stabilised(formula.linear_algebra), formula.newton)
}

method! {
    /// NSTIFF-SI2: second-order BDF on the stabilised index-2 equations of Gear, Gupta and Leimkuhler; the first step
    /// has order one.
    ///
    /// Order of q, v and λ: 2. The span must be a whole number of steps.
    pub struct NstiffSi2 {
        /// Solver of the linear systems: `structured` or `dense`.
        pub linear_algebra: LinearAlgebra = LinearAlgebra::default(),
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "nstiff-si2", "low-order",
    "Second-order BDF on the stabilised index-2 equations (NSTIFF-SI2)",
    "negrut2007, section 2, Eqs. 8 and 9 with position and velocity constraints; the GGL form is our reading",
    |formula| LowOrder {
        constraints: Constraints::Stabilised(formula.linear_algebra.into()),
        ..LowOrder::new(Discretisation::Bdf, formula.newton)
    }
}

method! {
    /// The generalized-α method on the index-2 equations: constraints on velocities only, `J v₁ + Φ_t = 0`, with the
    /// formulas of `generalized-alpha` otherwise (C. Lunk, B. Simeon, ZAMM 86 (2006) 772–784; M. Arnold, O. Brüls, A.
    /// Cardona, Numer. Math. 129 (2015) 149–179).
    ///
    /// ```text
    /// M(q₁) a₁ = D₁ + J₁ᵀ λ₁,   0 = J₁ v₁ + Φ_t,   (1 − α_m) ā₁ + α_m ā₀ = (1 − α_f) a₁ + α_f a₀
    /// q₁ = q₀ + h v₀ + h² ((1/2 − β) ā₀ + β ā₁),   v₁ = v₀ + h ((1 − γ) ā₀ + γ ā₁)
    /// ```
    ///
    /// Order of q, v and λ: 2. The initial `ā₀` is the acceleration at the time `(α_m − α_f) h` after the start, to
    /// O(h²). All velocities satisfy their constraints, as the initial ones do, so that λ has order 2 from the first
    /// step on, unlike in `generalized-alpha`. Positions drift from their constraints by O(h²), the more the longer
    /// the run.
    pub struct GeneralizedAlphaI2 {
        /// Spectral radius ρ at infinite frequency, from 0 (most damping of high frequencies) to 1, at which errors of
        /// accelerations in the directions of constraint forces are not damped.
        pub rho_inf: f64 [from 0.0, to 1.0] = 0.8,
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "generalized-alpha-i2", "index-2",
    "Generalized-α method on the index-2 equations, with velocity constraints",
    "C. Lunk, B. Simeon, ZAMM 86 (2006) 772–784; M. Arnold, O. Brüls, A. Cardona, Numer. Math. 129 (2015) 149–179",
    |settings| {
        let weights = GeneralizedAlphaWeights::with_spectral_radius(settings.rho_inf);
        LowOrder::generalized_alpha(weights, Constraints::Velocities, settings.newton)
    }
}

method! {
    /// The generalized-α method on the stabilised index-2 equations of Gear, Gupta and Leimkuhler (M. Arnold, A.
    /// Cardona, O. Brüls, in: Structure-preserving Integrators in Nonlinear Structural Dynamics and Flexible Multibody
    /// Dynamics, CISM 565 (2016) 91–158): constraints on positions and on velocities, with a second multiplier η.
    ///
    /// ```text
    /// M(q₁) a₁ = D₁ + J₁ᵀ λ₁,   0 = Φ(t₁, q₁),   0 = J₁ v₁ + Φ_t
    /// q₁ = q₀ + h v₀ + h² ((1/2 − β) ā₀ + β ā₁) − J₁ᵀ η,   v₁ = v₀ + h ((1 − γ) ā₀ + γ ā₁)
    /// ```
    ///
    /// with `ā` as in `generalized-alpha`. Order of q, v and λ: 2, of λ from the first step on, because all velocities
    /// satisfy their constraints. The initial `ā₀` is the acceleration at the time `(α_m − α_f) h` after the start, to
    /// O(h²).
    pub struct GeneralizedAlphaSi2 {
        /// Spectral radius ρ at infinite frequency, from 0 (most damping of high frequencies) to 1, at which errors of
        /// accelerations in the directions of constraint forces are not damped.
        pub rho_inf: f64 [from 0.0, to 1.0] = 0.8,
        /// Solver of the linear systems: `structured` or `dense`.
        pub linear_algebra: LinearAlgebra = LinearAlgebra::default(),
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "generalized-alpha-si2", "index-2",
    "Generalized-α method on the stabilised index-2 equations, with position and velocity constraints",
    "M. Arnold, A. Cardona, O. Brüls, CISM Courses and Lectures 565 (2016) 91–158",
    |settings| {
        let weights = GeneralizedAlphaWeights::with_spectral_radius(settings.rho_inf);
        LowOrder::generalized_alpha(weights, Constraints::Stabilised(settings.linear_algebra.into()), settings.newton)
    }
}

/// A formula with its settings, as a method.
#[derive(Clone, Copy)]
struct LowOrder {
    /// Order of positions and velocities.
    order: u32,
    discretisation: Discretisation,
    /// α of Hilber, Hughes and Taylor.
    alpha: f64,
    constraints: Constraints,
    /// True if the formula has an estimate of its error.
    adapts: bool,
    newton: NewtonSettings,
}

/// The constraints that a formula imposes.
#[derive(Clone, Copy)]
enum Constraints {
    /// Constraints on positions.
    Positions(MassAt),
    /// Constraints on velocities.
    Velocities,
    /// Constraints on positions and velocities, with two accelerations.
    Stabilised(PairAlgebra),
    /// Constraints on positions and velocities, with two multipliers.
    Additive { b: f64, algebra: PairAlgebra },
}

impl LowOrder {
    /// A formula of order two with constraints on positions and constant steps.
    fn new(discretisation: Discretisation, newton: NewtonSettings) -> Self {
        let constraints = Constraints::Positions(MassAt::End);
        Self { order: 2, discretisation, alpha: 0.0, constraints, adapts: false, newton }
    }

    /// The generalized-α formulas with constant steps.
    fn generalized_alpha(weights: GeneralizedAlphaWeights, constraints: Constraints, newton: NewtonSettings) -> Self {
        let discretisation = Discretisation::GeneralizedAlpha(weights);
        Self { order: weights.order(), constraints, ..Self::new(discretisation, newton) }
    }

    /// The formulas of Hilber, Hughes and Taylor.
    fn hht(alpha: f64, constraints: Constraints, newton: NewtonSettings) -> Self {
        Self { alpha, constraints, ..Self::new(Discretisation::hht(alpha), newton) }
    }
}

impl Method for LowOrder {
    fn order(&self) -> u32 {
        self.order
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties {
            adapts: self.adapts,
            is_for_constant_steps: true,
            counts_flops: true,
            full_matrices: match self.constraints {
                Constraints::Positions(_) | Constraints::Velocities => 3,
                Constraints::Stabilised(_) => 4,
                Constraints::Additive { .. } => 10,
            },
            ..MethodProperties::default()
        }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        let algebra = match self.constraints {
            Constraints::Positions(_) | Constraints::Velocities => STRUCTURED.to_owned(),
            Constraints::Stabilised(algebra) | Constraints::Additive { algebra, .. } => spelling(&algebra),
        };
        [("linear-algebra".to_owned(), algebra)].into_iter().chain(self.newton.named()).collect()
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        drive::suits(problem)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(self.discretisation.amplification(self.alpha, omega_h))
    }

    fn damped_radius(&self, omega_h: f64, damping_ratio: f64) -> Option<f64> {
        self.discretisation.damped_radius(self.alpha, omega_h, damping_ratio)
    }

    fn details(&self) -> Vec<String> {
        match self.discretisation {
            Discretisation::GeneralizedAlpha(weights) => weights.details(),
            _ => Vec::new(),
        }
    }

    fn solve(&self, mut problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        let Self { discretisation, alpha, newton, mut constraints, .. } = *self;
        let multistep = discretisation == Discretisation::Bdf;
        let shift = match discretisation {
            Discretisation::GeneralizedAlpha(weights) => weights.shift(),
            _ => 0.0,
        };
        let is_hht = matches!(discretisation, Discretisation::Newmark { .. });
        let is_plain = newton.load_derivatives == 1.0 && !observer.watches_newton_matrices();
        let by_joints = is_plain && problem.mechanics().is_ok_and(|mut mechanics| mechanics.is_tree());
        // without constraints, most formulas differ in nothing
        if by_joints {
            constraints = match constraints {
                Constraints::Velocities => Constraints::Positions(MassAt::End),
                Constraints::Stabilised(_) if is_hht => Constraints::Positions(MassAt::Shifted),
                Constraints::Stabilised(_) => Constraints::Positions(MassAt::End),
                others => others,
            };
        }
        let plan = &Requirements { newton, multistep, shift, by_joints };
        match constraints {
            Constraints::Positions(mass) => {
                let make = |start: &Start<'_>| Ok(Index3::new(discretisation, alpha, mass, start));
                drive::solve(self, plan, make, problem, task, observer)
            }
            Constraints::Velocities => {
                let make =
                    |start: &Start<'_>| Ok(Index3::new(discretisation, alpha, MassAt::End, start).on_velocities(start));
                drive::solve(self, plan, make, problem, task, observer)
            }
            Constraints::Stabilised(algebra) => {
                let alpha = matches!(discretisation, Discretisation::Newmark { .. }).then_some(alpha);
                let make = |start: &Start<'_>| Ok(Stabilised::new(discretisation, alpha, algebra, start));
                drive::solve(self, plan, make, problem, task, observer)
            }
            Constraints::Additive { .. } if by_joints => {
                let make = |start: &Start<'_>| {
                    Ok(Index3::new(discretisation, alpha, MassAt::End, start).with_free_accelerations())
                };
                drive::solve(self, plan, make, problem, task, observer)
            }
            Constraints::Additive { b, algebra } => {
                let make = |start: &Start<'_>| Additive::new(alpha, b, algebra, start);
                drive::solve(self, plan, make, problem, task, observer)
            }
        }
    }
}
