//! A state with its derivative and event functions.

use mbsbench_problem::{Counted, Failure, Scalar};

use crate::hermite::{Cubic, hermite};

/// A state, its derivative, and the event functions there.
#[derive(Debug, Clone)]
pub struct State<S> {
    /// Time, s.
    pub t: S,
    /// Size of the step that leads there, s; zero at the start of the step.
    pub h: S,
    /// The state.
    pub y: Vec<S>,
    /// Derivative of the state in the configuration of the step.
    pub rate: Vec<S>,
    /// The event functions g.
    pub values: Vec<S>,
    /// Rates of the event functions.
    pub value_rates: Vec<S>,
}

impl<S: Scalar> State<S> {
    /// The state `y` at `t`, without event functions.
    pub fn new(t: S, y: &[S]) -> Self {
        let rate = vec![S::zero(); y.len()];
        Self { t, h: S::zero(), y: y.to_vec(), rate, values: Vec::new(), value_rates: Vec::new() }
    }

    /// Sets time and size to those of a step of size `h` (s) from `start`.
    pub fn place(&mut self, start: &Self, h: S) {
        (self.t, self.h) = (start.t + h, h);
    }

    /// Resizes the lists of values and rates to `count` functions.
    pub fn resize(&mut self, count: usize) {
        self.values.resize(count, S::zero());
        self.value_rates.resize(count, S::zero());
    }

    /// Evaluates the functions and their rates; no right-hand side is evaluated.
    pub fn watch(&mut self, problem: &mut Counted<'_, S>) -> Result<(), Failure> {
        if self.values.is_empty() {
            return Ok(());
        }
        problem.events()?.values(self.t, &self.y, &mut self.values)?;
        self.watch_rates(problem)
    }

    /// Evaluates only the rates of the functions.
    pub fn watch_rates(&mut self, problem: &mut Counted<'_, S>) -> Result<(), Failure> {
        problem.events()?.rates(self.t, &self.y, &self.rate, &mut self.value_rates)
    }

    /// True if a function is on its upper side: `L` of (5.3).
    pub fn side(&self, index: usize) -> bool {
        self.values[index].value() >= 0.0
    }

    /// True if state and derivative are finite.
    pub fn is_finite(&self) -> bool {
        self.y.iter().chain(&self.rate).all(|x| x.is_finite())
    }

    /// Writes the state at `t` (s) between this state and `end`, by the cubic through states and derivatives (error
    /// `O(h⁴)`).
    pub fn between(&self, end: &Self, t: S, y: &mut [S]) {
        let h = end.t - self.t;
        let theta = (t - self.t) / h;
        for (i, y) in y.iter_mut().enumerate() {
            *y = hermite(theta, (self.y[i], self.rate[i] * h), (end.y[i], end.rate[i] * h));
        }
    }

    /// Writes the state at the fraction `s` of the step to `end`, and its derivative, by the same cubic.
    pub fn inside(&self, end: &Self, s: f64, inside: &mut Self) {
        let h = end.t - self.t;
        inside.t = self.t + h * s;
        self.between(end, inside.t, &mut inside.y);
        for (i, rate) in inside.rate.iter_mut().enumerate() {
            let rise = (end.y[i] - self.y[i]) / h;
            let (first, last) = (self.rate[i] - rise, rise - end.rate[i]);
            *rate = rise + (first * (1.0 - s) + last * s) * (1.0 - 2.0 * s) + (last - first) * (s * (1.0 - s));
        }
    }

    /// The interpolant of a function from this state to `end`.
    pub fn cubic(&self, end: &Self, index: usize) -> Cubic {
        let at = |state: &Self| (state.values[index].value(), state.value_rates[index].value());
        Cubic::new((end.h - self.h).value(), at(self), at(end))
    }
}
