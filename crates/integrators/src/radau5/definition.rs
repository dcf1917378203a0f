//! The method as experiment files name it.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::controller::MAX_ITERATIONS;
use super::details::details;
use super::run::{MAX_ITERATIONS_FIXED, Steps};
use super::tableau;
use crate::drive;
use crate::equations::{self, Eigenvalues};
use crate::newton::keeping;

method! {
    /// RADAU5: the Radau IIA formula of order 5 with three implicit stages and the step-size control of Hairer and
    /// Wanner (Solving Ordinary Differential Equations II, section IV.8), for `M y' = f(t, y)` with a constant `M`, which
    /// may be singular (index 1 to 3), and
    /// for constrained mechanics in index-3 form, as which a mechanical system is solved where the problem has one.
    ///
    /// Order 5 and stage order 3; L-stable. On index-3 mechanics order 5 in positions, 3 in velocities and 2 in
    /// accelerations and multipliers (section VII.4), which are unknowns of their own; with constraints on velocities (index 2) order 5
    /// in positions and velocities, 3 in the others.
    ///
    /// The stages are solved for by simplified Newton iterations that start from the collocation polynomial of the step
    /// before and end where the estimated remaining error is `min(0.03, √rel')` of the tolerance; at most seven, and
    /// where their rate says that these will not do, the step shrinks. The Jacobian is kept where they converge at a
    /// rate of 1e-3 or better, and size and factors too where the step would grow by less than a fifth. The error of
    /// the step is `abs' + rel' |y|` in the mean over the components, with `rel' = rel^(2/3)/10` and `abs'/rel' =
    /// abs/rel`; its estimate is of order 3, and sizes follow from the smaller one of the classical law and
    /// Gustafsson's predictive one. Errors of unknowns of index 2 (velocities, where constraints are those of positions) count `h`
    /// times and those of index 3 (accelerations and multipliers) `h²` times (section VII.7), so that multipliers are hardly controlled. First step 1e-6 s where the task names
    /// none; largest step the span. Rejected steps are those whose iterations did not converge and those with too large
    /// an error.
    ///
    /// With a constant step, iterations end where the remaining error is `newton-tolerance` of `1 + |y|`, or rounding;
    /// if they do not, with a Jacobian of the start of the step, the run does.
    ///
    /// Counted as in the code of that name: a pair of factors, real and complex, is one factorization, a solution with
    /// both is one linear solve, and there is a further (real) one for an estimate of the error. States inside a step
    /// come from the collocation polynomial.
    pub struct Radau5 {
        /// With a constant step: remaining error at which iterations end, relative to `1 + |y|`.
        pub newton_tolerance: f64 [above 0.0, to 1.0] = 1e-14,
    }
    "radau5", "implicit-runge-kutta",
    "Radau IIA formula of order 5 with the step-size control of RADAU5",
    "E. Hairer, G. Wanner, Solving ODEs II (1996), section IV.8; code RADAU5",
    |settings| *settings
}

impl Method for Radau5 {
    fn order(&self) -> u32 {
        5
    }

    fn implicit_stages(&self) -> u32 {
        3
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, full_matrices: 6, ..MethodProperties::default() }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        let tolerance = spelling(&self.newton_tolerance);
        keeping(
            format!("estimated error ≤ min(0.03, √rel′) of the tolerance (≤ {tolerance} (1 + size) at constant steps)"),
            format!("{MAX_ITERATIONS} ({MAX_ITERATIONS_FIXED} at constant steps)"),
        )
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        equations::suit(problem)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(DMatrix::from_element(1, 1, tableau::stability(Complex::new(0.0, omega_h))))
    }

    fn details(&self) -> Vec<String> {
        details()
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::run(self, problem, task, observer, |problem| {
            Ok(Steps::new(equations::of(problem, Eigenvalues::RealAndComplex), self.newton_tolerance, task))
        })
    }
}
