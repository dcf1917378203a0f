//! Dormand–Prince 5(4) with the step-size control of MATLAB's ode45.

use mbsbench_problem::{
    Counted, DoubleDouble, Failure, Method, Observer, Scalar, Solution, Statistics, Task, parameters,
};
use nalgebra::{Complex, DMatrix};

use crate::control::ControllerSettings;
use crate::{ExplicitStepper, Formula, Stepper, drive, suite, tableaux};

parameters! {
    /// The pair Dormand–Prince 5(4) under the control of MATLAB's ode45 (L. F. Shampine, M. W. Reichelt, SIAM J. Sci.
    /// Comput. 18 (1997) 1–22), of order 5; six evaluations a step.
    ///
    /// The error is the largest component of `|e_i| / max(rel |y_i|, rel |ynew_i|, abs)`. After acceptance `h_new = h ·
    /// min(5, 0.8 err^(−1/5))`, unchanged where the step had been rejected; at the first rejection `h · max(0.1, 0.8
    /// err^(−1/5))`, at further ones half. First step `0.8 rel^(1/5) / ‖f/max(|y|, abs/rel)‖_∞`, at most the largest
    /// step; largest step a tenth of the span; the last step is stretched by up to a tenth. Where the task names a
    /// first or largest step, that is taken. States inside a step come from a further step, not from its interpolant.
    #[derive(Copy)]
    pub struct Ode45 {}
}

definition!(
    Ode45,
    "ode45",
    "explicit-runge-kutta",
    "Dormand–Prince pair of orders 5(4) with the step-size control of MATLAB's ode45",
    "L. F. Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22; gil2013",
    |_| Solver(Formula::new(&tableaux::DOPRI5)),
    precise
);

/// The method: the pair in full precision.
struct Solver(Formula<DoubleDouble>);

impl<S: Scalar> Method<S> for Solver {
    fn order(&self) -> u32 {
        5
    }

    fn counts_flops(&self) -> bool {
        // There is none.
        true
    }

    fn adapts(&self) -> bool {
        true
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(DMatrix::from_element(1, 1, self.0.stability(Complex::new(0.0, omega_h))))
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let formula = self.0.rounded();
        let inner = ExplicitStepper::new(&formula, problem.dimension(), drive::is_adaptive(task));
        let stepper = Ode45Stepper { inner, difference: formula.estimates[0].difference.clone() };
        drive::solve(stepper, ControllerSettings::ode45(), problem, &suite::with_largest_step(task), observer)
    }
}

/// One step of [`Ode45`]: that of the pair, with another norm and another first step.
#[derive(Debug, Clone)]
struct Ode45Stepper<S> {
    inner: ExplicitStepper<S>,
    /// Weights of the error estimate.
    difference: Vec<S>,
}

impl<S: Scalar> Stepper<S> for Ode45Stepper<S> {
    fn order(&self) -> u32 {
        self.inner.order()
    }

    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure> {
        self.inner.step(problem, t, h, start, end)
    }

    fn error(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        let (n, stages) = (start.len(), self.inner.stages());
        let shares = (0..n).map(|i| {
            let stage = |k: usize| stages[k * n + i] * self.difference[k];
            let error = (0..self.difference.len()).fold(S::nought(), |sum, k| sum + stage(k)) * h;
            (error.value(), start[i].value().abs().max(end[i].value().abs()))
        });
        Some(suite::largest(shares, rel, abs))
    }

    fn error_order(&self) -> Option<u32> {
        self.inner.error_order()
    }

    fn first_step(&self, start: &[S], tolerances: (f64, f64), max_step: f64) -> Option<f64> {
        let rates = self.inner.start_derivative().iter().zip(start).map(|(f, y)| (f.value(), y.value()));
        suite::first_step(rates, tolerances, 5, max_step)
    }

    fn accepted(&mut self, same_end: bool) {
        self.inner.accepted(same_end);
    }

    fn restart(&mut self) {
        self.inner.restart();
    }

    fn start_derivative(&self) -> &[S] {
        self.inner.start_derivative()
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        self.inner.evaluate_start(problem, t, start)
    }

    fn evaluations(&self) -> u64 {
        self.inner.evaluations()
    }

    fn costs(&self) -> Statistics {
        self.inner.costs()
    }
}
