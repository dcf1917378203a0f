//! Formulas with constraints on positions only.

use mbsbench_problem::Method;

use super::{Constraints, LowOrder};
use crate::low_order::predictor::{Discretisation, GeneralizedAlphaWeights};
use crate::low_order::settings::{MassAt, NewtonSettings};

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
