//! The method under its name in experiment files.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::controller::MAX_ITERATIONS;
use super::run::{MAX_ITERATIONS_FIXED, Steps};
use super::tableau::{self, COMPLEX, NODES, REAL, ROWS};
use crate::details::{property, tableau};
use crate::drive;
use crate::equations::{self, Eigenvalues};
use crate::newton::keeping;

method! {
    /// RADAU5: the Radau IIA formula of order 5 with three implicit stages and the step-size control of Hairer and
    /// Wanner (Solving Ordinary Differential Equations II, section IV.8). It solves `M y' = f(t, y)` with a constant,
    /// possibly singular `M` (index 1 to 3). Constrained mechanics is solved in index-3 form whenever the problem
    /// provides its mechanics.
    ///
    /// Order 5 and stage order 3; L-stable. On index-3 mechanics it has order 5 in positions, 3 in velocities and 2 in
    /// accelerations and multipliers (section VII.4), which are separate unknowns; with constraints on velocities
    /// (index 2) it has order 5 in positions and velocities and 3 in the others.
    ///
    /// Simplified Newton iterations for the stages start from the collocation polynomial of the previous step and end
    /// when the estimated remaining error is `min(0.03, √rel')` times the tolerance. There are at most seven; if their
    /// convergence rate shows that these will not suffice, the step shrinks. The Jacobian is kept if they converge at a
    /// rate of 1e-3 or better; size and factors are also kept if the step would grow by less than a fifth.
    ///
    /// The error of a step is measured against `abs' + rel' |y|` in the mean over the components, with
    /// `rel' = rel^(2/3)/10` and `abs'/rel' = abs/rel`. Its estimate has order 3, and step sizes follow from the
    /// classical law or Gustafsson's predictive law, whichever gives the smaller step. Errors of components of index 2
    /// (velocities, if constraints act on positions) are multiplied by `h` and those of index 3 (accelerations and
    /// multipliers) by `h²` (section VII.7), so that multipliers are hardly controlled. The first step is 1e-6 s unless
    /// the task gives one; the largest step is the span. Rejected steps are those whose iterations do not converge and
    /// those with too large an error.
    ///
    /// With a constant step, iterations end when the remaining error is `newton-tolerance` times `1 + |y|`, or at
    /// rounding level; if they do not converge with a Jacobian from the start of the step, the run fails.
    ///
    /// Counters follow the code RADAU5: a real and a complex factorization together count as one factorization, a
    /// solve with both as one linear solve, and each error estimate as a further (real) solve. States inside a step
    /// come from the collocation polynomial.
    pub struct Radau5 {
        /// With a constant step: remaining error at which iterations end, relative to `1 + |y|`.
        pub newton_tolerance: f64 [above 0.0, to 1.0] = 1e-14,
    }
    "radau5", "implicit-runge-kutta",
    "Radau IIA method of order 5 with the step-size control of RADAU5",
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
        let mut lines = vec![
            property("formula", "Radau IIA"),
            property("stages", "3, all implicit and solved together, the last at the end of the step"),
            property("order", "5 by the order conditions"),
            property("index 3", "order 5 in positions, 3 in velocities, 2 in accelerations and multipliers"),
            property("stage order", 3),
            property("error estimate", "order 3"),
            property("A-stable", "yes"),
            property("R(infinity)", 0),
            "tableau".to_owned(),
        ];
        lines.extend(tableau(&NODES, ROWS.iter().map(<[f64; 3]>::as_slice), None));
        lines.push("eigenvalues of the inverse".to_owned());
        lines.push(format!("  real    {REAL}"));
        lines.push(format!("  complex {} +- {}i", COMPLEX.re, COMPLEX.im));
        lines
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::run(self, problem, task, observer, |problem| {
            Ok(Steps::new(equations::of(problem, Eigenvalues::RealAndComplex), self.newton_tolerance, task))
        })
    }
}
