//! The generalized-α method with constraints on velocities.

use super::{Constraints, LowOrder};
use crate::low_order::predictor::GeneralizedAlphaWeights;
use crate::low_order::settings::{LinearAlgebra, NewtonSettings};

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
