//! The formulas as experiment files name them.

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{Counted, Method, Observer, Ode, Solution, Task, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::drive::{self, Plan};
use super::formula::{Formula, Start};
use super::predictor::Discretisation;
use crate::newton::STRUCTURED;

pub use both_levels::{HhtAdd, HhtSi2, NstiffSi2};
pub use positions::{GeneralizedAlpha, HhtI3, Newmark, Nstiff, Weighted};

mod both_levels;
mod positions;

/// What a definition says of its formula.
trait Rule: Copy + Send + Sync + 'static {
    type Formula: Formula;
    /// Order of positions and velocities.
    fn order(&self) -> u32;
    fn plan(&self) -> Plan;
    fn discretisation(&self) -> Discretisation;
    /// α of Hilber, Hughes and Taylor.
    fn alpha(&self) -> f64 {
        0.0
    }
    /// Whether the formula has an estimate of its error.
    fn adapts(&self) -> bool {
        false
    }
    /// See [`Method::full_matrices`].
    fn full_matrices(&self) -> u32 {
        3
    }
    /// How linear systems are solved.
    fn linear_algebra(&self) -> String {
        STRUCTURED.to_owned()
    }
    /// See [`Method::details`].
    fn details(&self) -> Vec<String> {
        Vec::new()
    }
    fn start(&self, start: &Start<'_>) -> Result<Self::Formula, Singular>;
}

/// A definition as a method.
struct Solver<R>(R);

impl<R: Rule> Method for Solver<R> {
    fn order(&self) -> u32 {
        self.0.order()
    }

    fn counts_flops(&self) -> bool {
        true
    }

    fn adapts(&self) -> bool {
        self.0.adapts()
    }

    fn is_for_constant_steps(&self) -> bool {
        true
    }

    fn full_matrices(&self) -> u32 {
        self.0.full_matrices()
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        let algebra = ("linear-algebra".to_owned(), self.0.linear_algebra());
        [algebra].into_iter().chain(self.0.plan().newton.named()).collect()
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        drive::suits(problem)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(self.0.discretisation().amplification(self.0.alpha(), omega_h))
    }

    fn damped_radius(&self, omega_h: f64, damping_ratio: f64) -> Option<f64> {
        self.0.discretisation().damped_radius(self.0.alpha(), omega_h, damping_ratio)
    }

    fn details(&self) -> Vec<String> {
        self.0.details()
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::solve(self, &self.0.plan(), |start| self.0.start(start), problem, task, observer)
    }
}
