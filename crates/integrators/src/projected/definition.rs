//! The method as experiment files name it.

use mbsbench_problem::{Counted, Method, Observer, Ode, Scalar, Solution, Task, Unsuitable, parameters};
use nalgebra::{Complex, DMatrix};

use super::{ProjectedStepper, Projection};
use crate::control::ControllerSettings;
use crate::{ExplicitRungeKutta, drive, tableaux};

parameters! {
    /// DOP853 with projection: the Dormand–Prince formula of order 8(5,3) on the accelerations of a constrained
    /// mechanical system (index 1), whose state is moved onto `Φ(t, q) = 0` and then onto `Γ = 0`, `J v + ∂Φ/∂t = 0`
    /// after each accepted step, by the smallest displacements in the metric of the mass (Hairer, Wanner, Solving
    /// Ordinary Differential Equations II, section VII.2).
    ///
    /// Order 8 in positions, velocities and, at the states, multipliers. Error estimate and controller are those of
    /// `dop853`, and look at the state before the projection. The initial state is not moved. Positions may live on a
    /// manifold, and constraints may be nonholonomic; a problem with a projection, controls or events of its own is
    /// refused.
    ///
    /// Counted: a projection for each accepted step, and for it two factorizations (of `M` and of `J M⁻¹ Jᵀ`) and an
    /// iteration and a linear solve for each correction of positions or of velocities; what they evaluate of the
    /// constraints is part of them.
    #[derive(Copy)]
    pub struct Dop853Projected {
        /// Corrections end with one below this, relative to one and the largest position or velocity.
        pub projection_tolerance: f64 [above 0.0, to 1.0] = 1e-12,
    }
}

definition!(
    Dop853Projected,
    "dop853-projected",
    "explicit-runge-kutta",
    "DOP853 on constrained mechanics, projected onto positions and velocities",
    "Hairer, Wanner, Solving ODEs II (1996), section VII.2; formula and control as in dop853",
    |settings| Projected {
        formula: ExplicitRungeKutta::new(&tableaux::DOP853, ControllerSettings::dop853()),
        tolerance: settings.projection_tolerance,
    },
    precise
);

/// An explicit formula with projection.
struct Projected {
    formula: ExplicitRungeKutta,
    tolerance: f64,
}

impl<S: Scalar> Method<S> for Projected {
    fn order(&self) -> u32 {
        Method::<S>::order(&self.formula)
    }

    fn adapts(&self) -> bool {
        Method::<S>::adapts(&self.formula)
    }

    fn full_matrices(&self) -> u32 {
        2
    }

    fn keeps_patterns(&self) -> bool {
        false
    }

    fn suits(&self, problem: &mut dyn Ode<S>) -> Result<(), Unsuitable> {
        problem.form().mechanics()?;
        Unsuitable::unless_plain(problem)?;
        Unsuitable::without_rhs(problem)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Method::<S>::amplification(&self.formula, omega_h)
    }

    fn solve(&self, mut problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let suits = problem.suits(self);
        let projection = suits.and_then(|()| Ok(Projection::new(&problem.mechanics()?, self.tolerance)));
        let projection = match projection {
            Ok(projection) => projection,
            Err(unsuitable) => return Solution::refused(&problem, task, unsuitable.into()),
        };
        let formula = self.formula.stepper(problem.dimension(), drive::is_adaptive(task));
        let stepper = ProjectedStepper::new(formula, projection);
        drive::solve(stepper, self.formula.control(), problem, task, observer)
    }
}
