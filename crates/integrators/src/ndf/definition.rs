//! The method under its name in experiment files.

use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable};

use super::formula::{Formula, MAX_ORDER};
use super::newton::MAX_ITERATIONS;
use super::run::Steps;
use crate::drive;
use crate::newton::keeping;
use crate::sizes::Tolerances;
use crate::suite;

method! {
    /// Numerical differentiation formulas of variable order 1 to 5 with the step-size control of MATLAB's ode15s (L. F.
    /// Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22, section 2), for `M y' = f(t, y)` with a constant
    /// `M`. If `M` is singular, the equations have to be of index one and the initial state consistent. For
    /// coefficients and stability see [`Formula`].
    ///
    /// Step size and order are kept for at least `k + 2` steps. Then the orders `k − 1`, `k`, `k + 1` offer the steps
    /// `h/(1.3 e_{k−1}^(1/k))`, `h/(1.2 e_k^(1/(k+1)))`, `h/(1.4 e_{k+1}^(1/(k+2)))`, at most `10 h`, and the largest
    /// one is taken if it exceeds `h`. `e` is the largest component of `∇^{k+1} y` times the error constant, divided by
    /// `max(rel |y_n|, rel |y⁽⁰⁾|, abs)`. A failed step is repeated with `h max(0.1, 1/(1.2 e_k^(1/(k+1))))`, or with
    /// order `k − 1` and its factor `1.3` if that allows a larger step; if it fails again, with half its size. If
    /// iterations converge slowly, the Jacobian (exact, or by forward differences) is recomputed; if it is up to date,
    /// the step shrinks to `0.3 h`. Each failed attempt counts as a rejected step.
    ///
    /// The first step is `0.8 √(2/e)`, with `e` the largest component of `y''` divided by its tolerance; the largest
    /// step is a tenth of the span. The task may prescribe other values. The last step is stretched by up to a tenth.
    /// Constant steps are not supported, because the order would remain one. States inside a step come from the
    /// polynomial through the last `k + 1` states.
    pub struct Ode15s {
        /// Highest order, 1 to 5.
        pub max_order: usize [from 1, to MAX_ORDER as f64] = MAX_ORDER,
        /// True to use backward differentiation formulas (`κ = 0`).
        pub bdf: bool = false,
    }
    "ode15s", "ndf",
    "Numerical differentiation formulas of variable order 1 to 5, as in MATLAB's ode15s",
    "L. F. Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22; gil2013",
    |settings| *settings
}

impl Method for Ode15s {
    /// The highest order.
    fn order(&self) -> u32 {
        self.max_order as u32
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, counts_flops: true, full_matrices: 3, ..MethodProperties::default() }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        keeping(
            "estimated error ≤ 0.5 of the tolerance (0.05 with a rate from an earlier step)".to_owned(),
            MAX_ITERATIONS.to_string(),
        )
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        Unsuitable::unless_lasting(problem, "a solution that stays smooth over several steps")?;
        Unsuitable::above_index_one(problem)?;
        Unsuitable::without_rhs(problem)
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        let task = &suite::with_largest_step(task);
        drive::run(self, problem, task, observer, |problem| {
            let formula = if self.bdf { Formula::bdf() } else { Formula::ndf() };
            Ok(Steps::new(formula, self.max_order, Tolerances::of(task)?, problem, task))
        })
    }
}
