//! Methods from implicit formulas.

use mbsbench_problem::{
    Counted, Failure, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable, pass_on,
};
use nalgebra::{Complex, DMatrix};

use super::auxiliaries::Auxiliaries;
use super::drive;
use super::multistep::Multistep;
use super::past_steps::PastSteps;
use super::scheme::Scheme;
use super::settings::{Options, Prediction};
use super::single_step::SingleStep;
use super::stages::Stages;
use crate::Tableau;

/// An implicit formula as data: [`Multistep`], [`SingleStep`], [`Tableau`] or any other type that has a [`Scheme`].
pub trait Rule: Send + Sync + 'static {
    /// The scheme that computes the steps.
    type Scheme: Scheme;
    /// Order of convergence on ordinary differential equations.
    fn order(&self) -> u32;
    /// Number of implicit stages of a step.
    fn stages(&self) -> u32 {
        1
    }
    /// The reason why the formula cannot be used to integrate, if there is one.
    fn refusal(&self) -> Option<String> {
        None
    }
    /// The amplification matrix for `y' = λ y` with `z = h λ`.
    fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>>;
    /// Coefficients and their properties; see [`Method::details`].
    fn details(&self) -> Vec<String>;
    /// The scheme at the start of a run; `prediction` selects its first guesses.
    fn scheme(&self, prediction: Prediction) -> Self::Scheme;
}

/// An implicit formula as a method: constant steps on `r(t, y, y', λ) = 0`, which includes ordinary differential
/// equations and constrained mechanics of index 3.
#[derive(Debug, Clone)]
pub struct Implicit<R> {
    /// The formula.
    pub rule: R,
    /// Options for solving its equations.
    pub options: Options,
}

impl<R: Rule> Method for Implicit<R> {
    pass_on! { self.rule =>
        fn order(&self) -> u32;
        fn details(&self) -> Vec<String>;
    }

    fn implicit_stages(&self) -> u32 {
        self.rule.stages()
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { full_matrices: 2, ..MethodProperties::default() }
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(self.rule.amplification(Complex::new(0.0, omega_h)))
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        self.options.named()
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        mbsbench_problem::dae::suits(problem)
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        if let Some(reason) = self.rule.refusal() {
            return Solution::refused(&problem, task, Failure::NotApplicable { reason });
        }
        drive::solve(self, &self.options, self.rule.scheme(self.options.prediction), problem, task, observer)
    }
}

impl Rule for Multistep {
    type Scheme = PastSteps;

    /// The order of the formula, from its conditions.
    fn order(&self) -> u32 {
        let highest = 2 * self.formula.steps() as i32;
        u32::try_from(self.formula.order(highest)).unwrap_or(0)
    }

    /// The reason why the formula cannot be used to integrate, if there is one.
    fn refusal(&self) -> Option<String> {
        let r = self.formula.steps();
        if r > 2 && self.rho_inf == 1.0 {
            let why = "has a multiple root -1 and is not zero-stable, so errors grow";
            return Some(format!("with `rho-inf` = 1 the formula of {r} steps {why}; choose a smaller `rho-inf`"));
        }
        let grows = self.formula.has_growing_root();
        grows.then(|| format!("the formula of {r} steps is not zero-stable: errors grow for every step size"))
    }

    pass_on! { self.formula =>
        fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>>;
        fn details(&self) -> Vec<String>;
    }

    fn scheme(&self, prediction: Prediction) -> PastSteps {
        PastSteps::new(self.clone(), prediction)
    }
}

impl Rule for SingleStep {
    type Scheme = Auxiliaries;

    fn order(&self) -> u32 {
        2
    }

    pass_on! { self =>
        fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>>;
        fn details(&self) -> Vec<String>;
    }

    fn scheme(&self, prediction: Prediction) -> Auxiliaries {
        Auxiliaries::new(self.clone(), prediction)
    }
}

impl Rule for Tableau {
    type Scheme = Stages;

    fn order(&self) -> u32 {
        self.formula.order
    }

    fn stages(&self) -> u32 {
        self.implicit_stages()
    }

    pass_on! { self =>
        fn amplification(&self, z: Complex<f64>) -> DMatrix<Complex<f64>>;
        fn details(&self) -> Vec<String>;
    }

    fn scheme(&self, prediction: Prediction) -> Stages {
        Stages::new(self, prediction)
    }
}
