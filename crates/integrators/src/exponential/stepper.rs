//! A step of the local linearisation method, and its error estimate.

use mbsbench_problem::{Counted, Failure, Statistics};
use nalgebra::DMatrix;

use super::Llm;
use super::integral::Integral;
use crate::Stepper;
use crate::stepper::finite;

/// One step of [`Llm`](super::Llm).
#[derive(Debug, Clone)]
pub struct LlmStepper {
    method: Llm,
    autonomous: bool,
    jacobian: DMatrix<f64>,
    /// `f(t_n, y_n)`.
    derivative: Vec<f64>,
    /// `f_t(t_n, y_n)`; zero for an autonomous problem.
    by_time: Vec<f64>,
    start_known: bool,
    solution: Integral,
    /// Present if errors are estimated.
    estimate: Option<Estimate>,
}

/// Memory of the error estimate.
#[derive(Debug, Clone)]
struct Estimate {
    /// `r(t_{n+1})`, the remainder of the linearised right-hand side at the end of the step.
    remainder: Vec<f64>,
    /// `l_{n+1}`, if it is known and finite.
    local_error: Vec<f64>,
    is_known: bool,
    block: Integral,
}

impl LlmStepper {
    /// A stepper for states of `n` components. With error estimates, a step also evaluates the right-hand side at its
    /// end. An `autonomous` right-hand side does not depend on time.
    pub fn new(method: Llm, estimates: bool, n: usize, autonomous: bool) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            method,
            autonomous,
            jacobian: DMatrix::zeros(n, n),
            derivative: zeros(),
            by_time: zeros(),
            start_known: false,
            solution: Integral::new(n, if autonomous { 1 } else { 2 }, method.balance),
            estimate: estimates.then(|| Estimate {
                remainder: zeros(),
                local_error: zeros(),
                is_known: false,
                block: Integral::new(n, 3, method.balance),
            }),
        }
    }

    /// Estimates the local error `l_{n+1}` of the step of size `h` from `start` to `end`,
    ///
    /// ```text
    /// l_{n+1} = ∫₀ʰ e^{J(h−s)} v_n s² ds,   v_n = r(t_{n+1})/h²
    /// ```
    ///
    /// by the block exponential of `2 v_n` (gil2013, Eqs. 30–34). `r(t) = f(t, y) − f_n − J (y − y_n) − f_t (t − t_n)`.
    fn estimate_error(
        &mut self,
        problem: &mut Counted<'_>,
        (t, h): (f64, f64),
        start: &[f64],
        end: &[f64],
    ) -> Result<(), Failure> {
        let Self { jacobian, derivative, by_time, estimate: Some(estimate), .. } = self else { return Ok(()) };
        let Estimate { remainder, local_error, block, is_known } = estimate;
        *is_known = false;
        finite(t, end)?;
        problem.rhs(t + h, end, remainder)?;
        let difference = local_error;
        for ((difference, &end), &start) in difference.iter_mut().zip(end).zip(start) {
            *difference = end - start;
        }
        for (i, remainder) in remainder.iter_mut().enumerate() {
            let linear = difference.iter().enumerate().map(|(j, x)| jacobian[(i, j)] * x).sum::<f64>();
            *remainder -= derivative[i] + linear + by_time[i] * h;
        }
        let local_error = difference;
        let column = |i: usize, k: usize| if k == 3 { 2.0 * remainder[i] / (h * h) } else { 0.0 };
        if let Ok(error) = block.evaluate(h, jacobian, column) {
            local_error.copy_from_slice(error);
            *is_known = local_error.iter().all(|x| x.is_finite());
        }
        Ok(())
    }
}

impl Stepper<f64> for LlmStepper {
    fn has_long_steps(&self) -> bool {
        true
    }

    fn step(&mut self, ode: &mut Counted<'_>, t: f64, h: f64, start: &[f64], end: &mut [f64]) -> Result<(), Failure> {
        self.evaluate_start(ode, t, start)?;
        let Self { solution, jacobian, derivative, by_time, .. } = self;
        let column = |i: usize, k: usize| if k == 1 { derivative[i] } else { by_time[i] };
        // The exponential fails only for a matrix that is not finite or close to overflow.
        let increment = solution.evaluate(h, jacobian, column).map_err(|_| Failure::NonFinite { time: t })?;
        for ((end, &start), &increment) in end.iter_mut().zip(start).zip(increment) {
            *end = start + increment;
        }
        self.estimate_error(ode, (t, h), start, end)
    }

    fn error_estimate(&self) -> &[f64] {
        match &self.estimate {
            Some(Estimate { local_error, is_known: true, .. }) => local_error,
            _ => &[],
        }
    }

    /// The ratio of the norm of the local error, divided by the step if errors are per unit step (gil2013, Eq. 39),
    /// to the given tolerance, or to `abs + rel · ‖y‖` with the larger of the states at both ends.
    fn error(&mut self, h: f64, start: &[f64], end: &[f64], rel: f64, abs: f64) -> Option<f64> {
        let Llm { norm, tol, per_unit_step, .. } = self.method;
        let tolerance = tol.unwrap_or_else(|| abs + rel * norm.of(start).max(norm.of(end)));
        let per = if per_unit_step { h } else { 1.0 };
        let error = self.error_estimate();
        (!error.is_empty()).then(|| norm.of(error) / (per * tolerance))
    }

    fn error_order(&self) -> Option<u32> {
        self.estimate.as_ref().map(|_| if self.method.per_unit_step { 2 } else { 3 })
    }

    fn restart(&mut self) {
        self.start_known = false;
    }

    fn start_derivative(&self) -> &[f64] {
        &self.derivative
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_>, t: f64, start: &[f64]) -> Result<(), Failure> {
        if self.start_known {
            return Ok(());
        }
        problem.rhs_and_jacobian(t, start, &mut self.derivative, &mut self.jacobian)?;
        if !self.autonomous {
            problem.time_derivative(t, start, &mut self.by_time)?;
        }
        self.start_known = true;
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        1 + u64::from(self.estimate.is_some())
    }

    fn costs(&self) -> Statistics {
        let costs = self.solution.costs();
        self.estimate.as_ref().map_or(costs, |estimate| costs.with(&estimate.block.costs()))
    }
}
