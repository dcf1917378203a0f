//! The method as experiment files name it.

use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable, parameters};

use super::details::details;
use super::formula::MAX_ORDER;
use super::run::Steps;
use super::stage::MAX_ITERATIONS;
use crate::drive;
use crate::equations::{self, Eigenvalues};
use crate::newton::keeping;
use crate::sizes::Tolerances;

parameters! {
    /// What stands for the rate at the first guess of a stage.
    #[derive(Copy, Default, Eq)]
    pub enum Rates {
        /// What the formula of the stage that the guess is from has for it, where there is one: a step that goes well costs one evaluation, as MEBDFDAE has it.
        #[default]
        Taken,
        /// An evaluation, as MEBDFI has it.
        Evaluated,
    }
}

method! {
    /// Modified extended backward differentiation formulas of variable order 2 to 8, with the choice of sizes and orders of MEBDFDAE
    /// and MEBDFI (J. R. Cash), for `M y' = f(t, y)` with a constant `M`, which may be singular (index 1 to 3), and for constrained
    /// mechanics in index-3 form, as which a mechanical system is solved where the problem has one. For coefficients see
    /// [`Formula`](super::formula::Formula).
    ///
    /// A step solves for three stages with one matrix: two steps of the backward differentiation formula of order `k`, and the
    /// extended formula of order `k + 1`, which makes use of the rate one step ahead. States inside a step come from
    /// the polynomial through the last `k + 2` states. Nothing is evaluated beyond the end of the span, unlike in the
    /// codes: what is left of it when two steps no longer fit is made in two steps of half its size, the second one by
    /// the backward differentiation formula alone, whose error is tested as that of all steps.
    ///
    /// Iterations of a stage, at most five, end where the sum of squares of an increment over the weights `abs + rel |y|` times `min(1, 2 ρ)` is
    /// below `n s²/(2 k)`, `s = E_k/(2 k)`, `E_k = (k + 1) H_k`, `ρ` being the ratio of two such sums that is followed from step to
    /// step (of the third stage: without the `k`). The error of a step is `∇^{k+1}` of the first stage over `E_k`; the step is also repeated, with half its
    /// size, where the third stage is more than two tolerances from the first one. Sizes and orders change after `k + 2` equal steps
    /// where one of the orders `k − 1`, `k`, `k + 1` allows a size 1.1 times as large (with safety factors 1.6, 1.5 and 1.7), or, later than twenty steps after a failure, a smaller one is
    /// asked for; at most tenfold. Jacobian and factors are formed together, where `h/H_k` has changed by a fifth, where the size changes and they are older than five steps,
    /// and where iterations fail. Errors of unknowns of index 2 count `h` times and those of index 3 `h²` times.
    ///
    /// First step: `rel` s (or `abs`, where `rel` is zero) where the task names none; it is the smallest step, too, until one of that
    /// size fails. There are no constant steps: the order would remain two. Sizes are those of the equations with the size of the
    /// step itself, as in MEBDFDAE; MEBDFI takes that for which the matrix was factorized, where the two differ by less than a fifth.
    pub struct Mebdf {
        /// Highest order `k` of the backward differentiation formulas, 1 to 7; that of the method is larger by one.
        pub max_order: usize [from 1, to MAX_ORDER as f64] = MAX_ORDER,
        /// What stands for the rate at the first guess of a stage.
        pub rates: Rates = Rates::Taken,
    }
    "mebdf", "extended-bdf",
    "Modified extended backward differentiation formulas of variable order 2 to 8 (MEBDFDAE)",
    "J. R. Cash, S. Considine, ACM Trans. Math. Softw. 18 (1992) 142–155; codes MEBDFDAE and MEBDFI",
    |settings| *settings
}

impl Method for Mebdf {
    /// The highest one.
    fn order(&self) -> u32 {
        self.max_order as u32 + 1
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, full_matrices: 3, ..MethodProperties::default() }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        keeping(
            "estimated error ≤ a part of the tolerance that falls with the order".to_owned(),
            MAX_ITERATIONS.to_string(),
        )
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        equations::suit(problem)
    }

    fn details(&self) -> Vec<String> {
        details(self.max_order)
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::run(self, problem, task, observer, |problem| {
            let tolerances = Tolerances::of(task)?;
            Ok(Steps::new(self, tolerances, equations::of(problem, Eigenvalues::Real), task))
        })
    }
}
