//! The method under its name in experiment files.

use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable, parameters};

use super::formula::MAX_ORDER;
use super::run::Steps;
use super::stage::MAX_ITERATIONS;
use crate::details::property;
use crate::drive;
use crate::equations::{self, Eigenvalues};
use crate::newton::keeping;
use crate::sizes::Tolerances;

parameters! {
    /// The rate at the first guess of a stage.
    #[derive(Copy, Default, Eq)]
    pub enum Rates {
        /// The rate from the formula of the stage that supplied the guess, if available: a step without difficulties
        /// then costs one evaluation, as in MEBDFDAE.
        #[default]
        Taken,
        /// A new evaluation, as in MEBDFI.
        Evaluated,
    }
}

method! {
    /// Modified extended backward differentiation formulas of variable order 2 to 8, with the choice of step sizes and
    /// orders of MEBDFDAE and MEBDFI (J. R. Cash). They solve `M y' = f(t, y)` with a constant, possibly singular `M`
    /// (index 1 to 3). Constrained mechanics is solved in index-3 form whenever the problem provides its mechanics. For
    /// coefficients see [`Formula`](super::formula::Formula).
    ///
    /// A step solves three stages with one matrix: two steps of the backward differentiation formula of order `k`, and
    /// the extended formula of order `k + 1`, which uses the rate one step ahead. States inside a step come from the
    /// polynomial through the last `k + 2` states. Unlike in the codes, nothing is evaluated beyond the end of the
    /// span: when two more steps no longer fit, the rest is made in two steps of half its size. The second of them uses
    /// the backward differentiation formula alone, with the same error test as all steps.
    ///
    /// A stage takes at most five iterations. They end when the sum of squares of an increment divided by the weights
    /// `abs + rel |y|`, times `min(1, 2 ρ)`, is below `n s²/(2 k)`, with `s = E_k/(2 k)` and `E_k = (k + 1) H_k`. `ρ`
    /// is the ratio of two such sums and is tracked from step to step; for the third stage the bound is `n s²/2`. The
    /// error of a step is `∇^{k+1}` of the first stage divided by `E_k`. The step is also repeated with half its size
    /// if the third stage is more than two tolerances from the first one.
    ///
    /// Sizes and orders change after `k + 2` equal steps if one of the orders `k − 1`, `k`, `k + 1` allows a size 1.1
    /// times as large (with safety factors 1.6, 1.5 and 1.7), at most tenfold; or if a smaller size is required and the
    /// last failure is more than twenty steps ago. Jacobian and factors are recomputed together: if `h/H_k` has changed
    /// by a fifth, if the size changes and they are older than five steps, and if iterations fail. Errors of components
    /// of index 2 are multiplied by `h` and those of index 3 by `h²`.
    ///
    /// First step: `rel` s (or `abs`, if `rel` is zero) unless the task gives one; it is also the smallest step until
    /// one of that size fails. Constant steps are not supported, because the order would remain two. The equations use
    /// the current step size, as in MEBDFDAE; MEBDFI uses the size for which the matrix was factorized if the two
    /// differ by less than a fifth.
    pub struct Mebdf {
        /// Highest order `k` of the backward differentiation formulas, 1 to 7; the order of the method is one higher.
        pub max_order: usize [from 1, to MAX_ORDER as f64] = MAX_ORDER,
        /// Rate at the first guess of a stage: `taken` or `evaluated`.
        pub rates: Rates = Rates::Taken,
    }
    "mebdf", "extended-bdf",
    "Modified extended backward differentiation formulas of variable order 2 to 8 (MEBDFDAE)",
    "J. R. Cash, S. Considine, ACM Trans. Math. Softw. 18 (1992) 142–155; codes MEBDFDAE and MEBDFI",
    |settings| *settings
}

/// Order, angle of A(α)-stability and damping at infinity of each formula; a test computes them from the coefficients.
pub(super) const ORDERS: [&str; MAX_ORDER] = [
    "  2    90.00    0",
    "  3    90.00    0",
    "  4    90.00    0",
    "  5    88.35    0",
    "  6    83.07    0",
    "  7    74.47    0",
    "  8    61.98    0",
];

impl Method for Mebdf {
    /// The highest order of the method.
    fn order(&self) -> u32 {
        self.max_order as u32 + 1
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, full_matrices: 3, ..MethodProperties::default() }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        keeping(
            "estimated error ≤ a fraction of the tolerance that decreases with the order".to_owned(),
            MAX_ITERATIONS.to_string(),
        )
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        equations::suit(problem)
    }

    fn details(&self) -> Vec<String> {
        let mut lines = vec![
            property("formula", "modified extended backward differentiation, three stages with one matrix"),
            property("order", format!("2 to {}, chosen with the step size", self.max_order + 1)),
            property("index 2 and 3", "errors multiplied by h and h²"),
            "order, A(alpha) in degrees, R(infinity)".to_owned(),
        ];
        lines.extend(ORDERS[..self.max_order].iter().map(ToString::to_string));
        lines
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::run(self, problem, task, observer, |problem| {
            let tolerances = Tolerances::of(task)?;
            Ok(Steps::new(self, tolerances, equations::of(problem, Eigenvalues::Real), task))
        })
    }
}
