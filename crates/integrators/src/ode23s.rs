//! The Rosenbrock pair of MATLAB's ode23s.

use mbsbench_problem::{
    Counted, Failure, Method, MethodProperties, Observer, Ode, Solution, Statistics, Task, Unsuitable,
};

use crate::control::ControllerSettings;
use crate::linearisation::{IterationMatrix, Linearisation};
use crate::newton::{EXACT, STRUCTURED, options};
use crate::stepper::finite;
use crate::{Stepper, drive, suite};

/// `d = 1/(2 + √2)`.
const D: f64 = 1.0 / (2.0 + std::f64::consts::SQRT_2);
/// `e₃₂ = 6 + √2`.
const E32: f64 = 6.0 + std::f64::consts::SQRT_2;

method! {
    /// The modified Rosenbrock pair 2(3) of MATLAB's ode23s (L. F. Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18
    /// (1997) 1–22, section 3.1) for `M y' = f(t, y)` with a constant, regular `M`,
    ///
    /// ```text
    /// W = M − h d J,  T = f_t,  d = 1/(2 + √2),  e₃₂ = 6 + √2,  F₀ = f(t_n, y_n)
    /// W k₁ = F₀ + h d T
    /// W (k₂ − k₁) = F₁ − M k₁,                F₁ = f(t_n + h/2, y_n + h k₁/2)
    /// y_{n+1} = y_n + h k₂,                   F₂ = f(t_{n+1}, y_{n+1})
    /// W k₃ = F₂ − e₃₂ (M k₂ − F₁) − 2 (M k₁ − F₀) + h d T,   error = h (k₁ − 2 k₂ + k₃)/6
    /// ```
    ///
    /// It has order 2, even with an inexact Jacobian `J`, and is L-stable. A step computes `J` and `T` once (exact if
    /// the problem provides them, otherwise by forward differences), and each attempt factorizes `W`; `F₂` is the next
    /// `F₀`. With constant steps the error, `F₂` and `k₃` are not computed.
    ///
    /// The error is the largest component of `|e_i| / max(rel |y_i|, rel |ynew_i|, abs)`. After an accepted step
    /// `h_new = h · min(5, 0.8 err^(−1/3))`, or `h_new = h` if the step had been rejected before; after a rejection
    /// `h · max(0.1, 0.8 err^(−1/3))`. The first step is `0.8 rel^(1/3) / ‖y'/max(|y|, abs/rel)‖_∞`, at most the
    /// largest step; the largest step is a tenth of the span. The task may prescribe other values. The last step is
    /// stretched by up to a tenth. States inside a step come from a further step, not from its interpolant.
    pub struct Ode23s {}
    "ode23s", "rosenbrock",
    "Linearly implicit Rosenbrock pair of orders 2(3), as in MATLAB's ode23s",
    "L. F. Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22; gil2013",
    |_| Ode23s {}
}

impl Method for Ode23s {
    fn order(&self) -> u32 {
        2
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, counts_flops: true, full_matrices: 6, ..MethodProperties::default() }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        options([("linear-algebra", STRUCTURED.to_owned()), ("jacobians", EXACT.to_owned())])
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        let has_both = problem.properties().mass.is_some() && problem.form().functions_to_locate() > 0;
        let needs = "the identity as mass matrix, or no events to locate";
        Unsuitable::when(has_both, needs, "has both a mass matrix and events to locate")?;
        Unsuitable::above_index_one(problem)?;
        Unsuitable::without_rhs(problem)
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        let task = suite::with_largest_step(task);
        drive::solve(self, problem, &task, observer, ControllerSettings::ode23s(), |problem| {
            Ode23sStepper::new(problem, drive::is_adaptive(&task), task.t_start)
        })
    }
}

/// One step of [`Ode23s`].
#[derive(Debug, Clone)]
struct Ode23sStepper {
    estimates: bool,
    linearisation: Linearisation,
    /// True if `J` and `T` belong to the start of the step.
    is_linearised: bool,
    w: IterationMatrix,
    /// `F₀`, and whether it belongs to the start of the step.
    derivative: Vec<f64>,
    start_known: bool,
    /// `y'` at the initial state, for the first step.
    rate: Vec<f64>,
    /// `F₁` and `F₂`.
    middle: Vec<f64>,
    last: Vec<f64>,
    k: [Vec<f64>; 3],
    /// `y_n + h k₁/2`, `M k₁`, `M k₂`.
    state: Vec<f64>,
    product: [Vec<f64>; 2],
}

impl Ode23sStepper {
    /// # Errors
    /// Returns [`Failure::SingularMatrix`] if the mass matrix is singular.
    fn new(problem: &mut Counted<'_>, estimates: bool, t: f64) -> Result<Self, Failure> {
        let n = problem.dimension();
        let zeros = || vec![0.0; n];
        let linearisation = Linearisation::new(problem);
        let mut w = IterationMatrix::new(problem, &linearisation);
        if w.mass.is_some() {
            let singular = Failure::SingularMatrix { time: t, matrix: "mass matrix" };
            w.factorize(0.0, &linearisation).map_err(|_| singular)?;
        }
        Ok(Self {
            estimates,
            linearisation,
            is_linearised: false,
            w,
            derivative: zeros(),
            start_known: false,
            rate: zeros(),
            middle: zeros(),
            last: zeros(),
            k: [zeros(), zeros(), zeros()],
            state: zeros(),
            product: [zeros(), zeros()],
        })
    }

    /// Computes `F₀`, `J` and `T` at the start, unless they are known.
    fn linearise(&mut self, problem: &mut Counted<'_>, t: f64, start: &[f64]) -> Result<(), Failure> {
        if !self.start_known {
            problem.rhs(t, start, &mut self.derivative)?;
            self.start_known = true;
        }
        if !self.is_linearised {
            self.linearisation.take_jacobian(problem, t, start, &self.derivative)?;
            self.linearisation.take_time_derivative(problem, t, start, &self.derivative)?;
            self.is_linearised = true;
        }
        Ok(())
    }

    /// Computes `F₂` and `k₃`.
    fn estimate(&mut self, problem: &mut Counted<'_>, t: f64, h: f64, end: &[f64]) -> Result<(), Failure> {
        problem.rhs(t + h, end, &mut self.last)?;
        let [k1, k2, k3] = &mut self.k;
        let [mass_k1, mass_k2] = &mut self.product;
        self.w.multiply_mass(k1, mass_k1);
        self.w.multiply_mass(k2, mass_k2);
        for (i, k3) in k3.iter_mut().enumerate() {
            let second = mass_k2[i] - self.middle[i];
            let first = mass_k1[i] - self.derivative[i];
            *k3 = self.last[i] - E32 * second - 2.0 * first + h * D * self.linearisation.by_time[i];
        }
        self.w.solve(k3);
        Ok(())
    }
}

impl Stepper<f64> for Ode23sStepper {
    fn step(&mut self, ode: &mut Counted<'_>, t: f64, h: f64, start: &[f64], end: &mut [f64]) -> Result<(), Failure> {
        self.linearise(ode, t, start)?;
        // k₁ would be infinite; a smaller step makes W regular.
        self.w.factorize(h * D, &self.linearisation).map_err(|_| Failure::NonFinite { time: t })?;
        let [k1, k2, _] = &mut self.k;
        for (i, k1) in k1.iter_mut().enumerate() {
            *k1 = self.derivative[i] + h * D * self.linearisation.by_time[i];
        }
        self.w.solve(k1);
        for (i, state) in self.state.iter_mut().enumerate() {
            *state = start[i] + 0.5 * h * k1[i];
        }
        ode.rhs(t + 0.5 * h, &self.state, &mut self.middle)?;
        self.w.multiply_mass(k1, k2);
        for (k2, &middle) in k2.iter_mut().zip(&self.middle) {
            *k2 = middle - *k2;
        }
        self.w.solve(k2);
        for (i, end) in end.iter_mut().enumerate() {
            k2[i] += k1[i];
            *end = start[i] + h * k2[i];
        }
        if !self.estimates {
            return Ok(());
        }
        finite(t, end)?;
        self.estimate(ode, t, h, end)
    }

    /// The largest component, as described for [`Ode23s`].
    fn error(&mut self, h: f64, start: &[f64], end: &[f64], rel: f64, abs: f64) -> Option<f64> {
        let [k1, k2, k3] = &self.k;
        let shares = (0..start.len()).map(|i| {
            let error = h / 6.0 * (k1[i] - 2.0 * k2[i] + k3[i]);
            (error, start[i].abs().max(end[i].abs()))
        });
        self.estimates.then(|| suite::largest(shares, rel, abs))
    }

    fn error_order(&self) -> Option<u32> {
        self.estimates.then_some(3)
    }

    fn accepted(&mut self, same_end: bool) {
        self.is_linearised = false;
        self.start_known = same_end && self.estimates;
        if self.start_known {
            std::mem::swap(&mut self.derivative, &mut self.last);
        }
    }

    fn restart(&mut self) {
        (self.is_linearised, self.start_known) = (false, false);
    }

    fn start_derivative(&self) -> &[f64] {
        if self.w.mass.is_some() { &self.rate } else { &self.derivative }
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_>, t: f64, start: &[f64]) -> Result<(), Failure> {
        self.linearise(problem, t, start)?;
        if self.w.mass.is_some() {
            // The factors are still those of M.
            self.rate.copy_from_slice(&self.derivative);
            self.w.solve(&mut self.rate);
        }
        Ok(())
    }

    fn first_step(&self, start: &[f64], tolerances: (f64, f64), max_step: f64) -> Option<f64> {
        let rates = self.start_derivative().iter().copied().zip(start.iter().copied());
        suite::first_step(rates, tolerances, 3, max_step)
    }

    fn evaluations(&self) -> u64 {
        2 + u64::from(self.estimates) + self.linearisation.evaluations()
    }

    fn costs(&self) -> Statistics {
        self.w.costs
    }
}
