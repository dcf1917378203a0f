//! The methods as experiment files name them.

use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Scalar, Solution, Task, Unsuitable};

use super::descriptor::{DescriptorStepper, Parts};
use super::{HEDOP5, HEM4, HalfExplicitStepper, Table};
use crate::control::ControllerSettings;
use crate::drive;
use crate::newton::{STRUCTURED, options};

method! {
    /// HEM4 of V. Brasey and E. Hairer: the half-explicit Runge–Kutta formula of order four with five stages, for
    /// constraints on velocities. Order 4 in positions and velocities, 2 in the multipliers, which are those of the
    /// last stage. Constant steps.
    ///
    /// The velocities satisfy their constraints to rounding; positions drift from their constraints by the error of
    /// the method and are not projected. Positions may live on a manifold, whose coordinates are then integrated
    /// directly; nonholonomic constraints are refused.
    ///
    /// The method also integrates equations `M y' = f(t, y)` of index 2 or 1 with a Jacobian: the multipliers of a
    /// stage are then found by Newton's method, to rounding, and error estimate and step size depend only on the
    /// differential components.
    ///
    /// Counters, for mechanics: five evaluations, factorizations and linear solves per step.
    pub struct Hem4 {}
    "hem4", "half-explicit",
    "Half-explicit Runge–Kutta method of order 4 for constrained mechanics of index 2",
    "V. Brasey, E. Hairer, SIAM J. Numer. Anal. 30 (1993) 538–552",
    |_| HalfExplicit { table: &HEM4, control: ControllerSettings::elementary() }, precise
}

method! {
    /// HEDOP5 of M. Arnold: the Dormand–Prince formula of order 5(4) as a half-explicit method with an explicit first
    /// stage, for constraints on velocities. Order 5 in positions and velocities, 4 in the multipliers, which are
    /// passed on from step to step. The embedded formula of order 4 estimates the error in positions and velocities;
    /// the controller is the same as in `dopri5`. Without constraints the method is `dopri5`, to rounding.
    ///
    /// The velocities satisfy their constraints to rounding; positions drift from their constraints by the error of
    /// the method and are not projected. Positions may live on a manifold, whose coordinates are then integrated
    /// directly; nonholonomic constraints are refused.
    ///
    /// The method also integrates equations `M y' = f(t, y)` of index 2 or 1 with a Jacobian: the multipliers of a
    /// stage are then found by Newton's method, to rounding, and error estimate and step size depend only on the
    /// differential components.
    ///
    /// Counters, for mechanics: six evaluations, factorizations and linear solves per step, and one of each at the
    /// start.
    pub struct Hedop5 {}
    "hedop5", "half-explicit",
    "Half-explicit Dormand–Prince pair of orders 5(4) for constrained mechanics of index 2",
    "M. Arnold, BIT 38 (1998) 415–438",
    |_| HalfExplicit { table: &HEDOP5, control: ControllerSettings::dopri5() }, precise
}

/// A half-explicit formula with its step-size control.
struct HalfExplicit {
    table: &'static Table,
    control: ControllerSettings,
}

impl<S: Scalar> Method<S> for HalfExplicit {
    fn order(&self) -> u32 {
        self.table.order
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties {
            adapts: self.table.embedded.is_some(),
            counts_flops: true,
            full_matrices: 4,
            ..MethodProperties::default()
        }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        options([("linear-algebra", STRUCTURED.to_owned())])
    }

    fn suits(&self, problem: &mut dyn Ode<S>) -> Result<(), Unsuitable> {
        if problem.properties().mass.is_some() {
            let is_missing = !problem.properties().has_jacobian;
            Unsuitable::when(is_missing, "the Jacobian of f in M y' = f(t, y)", "does not provide it")?;
            Parts::new(problem.properties().mass, problem.properties().indices)?;
        } else {
            Unsuitable::with_nonholonomic(problem.form().mechanics()?)?;
        }
        Unsuitable::unless_plain(problem)?;
        Unsuitable::without_rhs(problem)
    }

    fn details(&self) -> Vec<String> {
        let Table { order, multiplier_order, embedded, .. } = self.table;
        let points = self.table.rows.len();
        let of_start = ", the first explicit with the multipliers of the previous step";
        let start = if self.table.explicit_start { of_start } else { "" };
        let mut lines = vec![
            format!("stages          {points}{start}"),
            format!("order           {order} by the order conditions of index 2"),
            format!("multipliers     order {multiplier_order}, of the last stage"),
        ];
        lines.extend(embedded.as_ref().map(|own| format!("embedded        order {}", own.order)));
        lines
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let Self { table, control } = *self;
        if problem.properties().mass.is_some() {
            return drive::solve(self, problem, task, observer, control, |problem| {
                DescriptorStepper::new(table, problem, task.t_start, task.initial)
            });
        }
        drive::solve(self, problem, task, observer, control, |problem| {
            Ok(HalfExplicitStepper::new(table, &mut problem.mechanics()?))
        })
    }
}
