//! The methods as experiment files name them.

use crate::control::ControllerSettings;
use crate::explicit::{Advance, ExplicitRungeKutta, Norm};
use crate::tableaux;

/// Defines a method from a pair with continuous output.
macro_rules! continuous_pair {
    ($(#[$doc:meta])* $type:ident, $name:literal, $tableau:ident, $control:expr, $summary:literal, $source:literal) => {
        method! {
            $(#[$doc])*
            pub struct $type {
                /// Compute states inside a step with the continuous output of the pair instead of an extra, uncounted
                /// step.
                pub dense_output: bool = false,
            }
            $name, "explicit-runge-kutta", $summary, $source,
            |pair| ExplicitRungeKutta {
                dense_output: pair.dense_output,
                ..ExplicitRungeKutta::new(&tableaux::$tableau, $control)
            }, precise
        }
    };
}

/// Defines a method from a pair, with a parameter for the formula that advances the solution.
macro_rules! pair {
    ($(#[$doc:meta])* $type:ident, $name:literal, $tableau:ident, $control:expr, $summary:literal, $source:literal) => {
        method! {
            $(#[$doc])*
            pub struct $type {
                /// The formula of the pair that advances the solution: `higher` (local extrapolation) or `lower`.
                pub advance: Advance = Advance::default(),
            }
            $name, "explicit-runge-kutta", $summary, $source,
            |pair| ExplicitRungeKutta::new(&tableaux::$tableau, $control).advancing(pair.advance), precise
        }
    };
}

method! {
    /// Kutta's third-order rule: three stages, constant step.
    pub struct Rk3 {}
    "rk3", "explicit-runge-kutta",
    "Kutta's method of order 3, three stages",
    "W. Kutta, Z. Math. Phys. 46 (1901) 435–453; RK-3 of compere2001",
    |_| ExplicitRungeKutta::new(&tableaux::RK3, ControllerSettings::elementary()), precise
}

pair!(
    /// Bogacki–Shampine 3(2): three stages per step, first same as last; elementary controller.
    Bs32, "bs32", BS32, ControllerSettings::elementary(),
    "Bogacki–Shampine pair of orders 3(2), three stages",
    "P. Bogacki, L. F. Shampine, Appl. Math. Lett. 2 (1989) 321–325"
);

method! {
    /// The classical fourth-order rule: four stages, constant step.
    pub struct Rk4 {}
    "rk4", "explicit-runge-kutta",
    "Classical Runge–Kutta method of order 4, four stages",
    "W. Kutta, Z. Math. Phys. 46 (1901) 435–453; Hairer, Nørsett, Wanner, Solving ODEs I, table II.1.2",
    |_| ExplicitRungeKutta::new(&tableaux::RK4, ControllerSettings::elementary()), precise
}

pair!(
    /// Fehlberg 4(5): six stages (five with a constant step and `advance: lower`); elementary controller.
    Rk5, "rk5", RK5, ControllerSettings::elementary(),
    "Fehlberg pair of orders 4(5), six stages, advancing with order 5",
    "E. Fehlberg, NASA TR R-315 (1969), table III; RK-5 of compere2001"
);

continuous_pair!(
    /// Dormand–Prince 5(4): six stages per step, first same as last; PI controller of the code DOPRI5.
    Dopri5, "dopri5", DOPRI5, ControllerSettings::dopri5(),
    "Dormand–Prince pair of orders 5(4), six stages",
    "J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19–26; code DOPRI5 of Hairer and Wanner"
);

pair!(
    /// Fehlberg 7(8): thirteen stages (eleven with a constant step and `advance: lower`); elementary controller.
    Rk8, "rk8", RK8, ControllerSettings::elementary(),
    "Fehlberg pair of orders 7(8), thirteen stages, advancing with order 8",
    "E. Fehlberg, NASA TR R-287 (1968), table X; RK-8 of compere2001"
);

continuous_pair!(
    /// Dormand–Prince 8(5,3): twelve stages; error estimate and controller of the code DOP853.
    Dop853, "dop853", DOP853, ControllerSettings::dop853(),
    "Dormand–Prince formula of order 8 with error estimates of orders 5 and 3, twelve stages",
    "Hairer, Nørsett, Wanner, Solving ODEs I, section II.5; code DOP853 of Hairer and Wanner"
);

method! {
    /// The pair Dormand–Prince 5(4) under the control of MATLAB's ode45 (L. F. Shampine, M. W. Reichelt, SIAM J. Sci.
    /// Comput. 18 (1997) 1–22), of order 5; six evaluations per step.
    ///
    /// The error is the largest component of `|e_i| / max(rel |y_i|, rel |ynew_i|, abs)`. After acceptance
    /// `h_new = h · min(5, 0.8 err^(−1/5))`, unchanged if the step had been rejected. The first rejection multiplies
    /// the step by `max(0.1, 0.8 err^(−1/5))`, further rejections halve it. The first step is
    /// `0.8 rel^(1/5) / ‖f/max(|y|, abs/rel)‖_∞`, at most the largest step; the largest step is a tenth of the span.
    /// A first or largest step of the task takes precedence. The last step is stretched by up to a tenth. States
    /// inside a step come from a further step, not from ode45's interpolant.
    pub struct Ode45 {}
    "ode45", "explicit-runge-kutta",
    "Dormand–Prince pair of orders 5(4) with the step-size control of MATLAB's ode45",
    "L. F. Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22; gil2013",
    |_| ExplicitRungeKutta {
        norm: Norm::Suite,
        ..ExplicitRungeKutta::new(&tableaux::DOPRI5, ControllerSettings::ode45())
    }, precise
}

method! {
    /// DOP853 with projection: the Dormand–Prince formula of order 8(5,3) on the accelerations of a constrained
    /// mechanical system (index 1). After each accepted step the state is projected onto `Φ(t, q) = 0` and then onto
    /// `Γ = 0`, `J v + ∂Φ/∂t = 0`, by the smallest displacements in the metric of the mass (Hairer, Wanner, Solving
    /// Ordinary Differential Equations II, section VII.2).
    ///
    /// Order 8 in positions, velocities and, at the states, multipliers. Error estimate and controller are the same as
    /// in `dop853` and use the state before the projection. The initial state is not projected. Positions may live on a
    /// manifold, and constraints may be nonholonomic; a problem with a projection, controls or events of its own is
    /// refused.
    ///
    /// Counters: one projection for each accepted step. A projection includes two factorizations (of `M` and of
    /// `J M⁻¹ Jᵀ`; with sparse matrices one, of both together), and one iteration and one linear solve for each
    /// correction of positions or velocities. Its evaluations of the constraints are not counted separately.
    pub struct Dop853Projected {
        /// The projection iterates until a correction is below this bound, relative to the larger of one and the
        /// largest position or velocity.
        pub projection_tolerance: f64 [above 0.0, to 1.0] = 1e-12,
    }
    "dop853-projected", "explicit-runge-kutta",
    "DOP853 for constrained mechanics, projected onto position and velocity constraints",
    "Hairer, Wanner, Solving ODEs II (1996), section VII.2; formula and control as in dop853",
    |settings| ExplicitRungeKutta {
        projection_tolerance: Some(settings.projection_tolerance),
        ..ExplicitRungeKutta::new(&tableaux::DOP853, ControllerSettings::dop853())
    }, precise
}
