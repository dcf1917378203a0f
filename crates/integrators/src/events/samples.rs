//! Samples of event functions inside a step, which show whether zeros can hide between its ends.

use mbsbench_problem::{Counted, Failure, Scalar};

use super::State;
use crate::hermite::Cubic;

/// Fractions of a step at which functions are sampled. There the derivative of `s² (1 − s)²`, the error of a cubic
/// Hermite interpolant, is largest, and no period of an oscillation reaches both from the ends.
const SAMPLES: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];
/// The largest error of an interpolant as a fraction of the magnitude of its function. With twice this error, a
/// function that leaves zero does not return to it before its interpolant does.
const RESOLVED: f64 = 0.05;
/// Largest ratio of a step to the previous one, as far as functions are concerned.
const GROWTH: f64 = 5.0;

/// The largest errors of the interpolants of the functions over a step, as far as samples show.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    errors: Vec<f64>,
}

impl Samples {
    /// Samples the functions over the step from `start` to `end`, and returns the size of a step that they allow, as a
    /// fraction of it. If it is below one, the step has to be repeated. States `inside` come from the cubic through the
    /// ends, unless `within` writes a state at its time, with its derivative. `sides` are the signs of the functions at
    /// the start, zero for those that do not matter; functions count as zero within `tolerance`.
    ///
    /// # Errors
    /// Returns an error if the problem fails.
    pub fn share<S: Scalar>(
        &mut self,
        problem: &mut Counted<'_, S>,
        ([start, end], inside): ([&State<S>; 2], &mut State<S>),
        (sides, tolerance): (impl Fn(usize) -> f64, f64),
        mut within: impl FnMut(&mut Counted<'_, S>, &mut State<S>) -> Result<(), Failure>,
    ) -> Result<f64, Failure> {
        self.errors.clear();
        self.errors.resize(end.values.len(), 0.0);
        for s in SAMPLES {
            start.inside(end, s, inside);
            within(problem, inside)?;
            inside.watch(problem)?;
            let bubble = s * s * (1.0 - s) * (1.0 - s);
            let slope = (2.0 * s * (1.0 - s) * (1.0 - 2.0 * s)).abs();
            for (index, error) in self.errors.iter_mut().enumerate() {
                let cubic = start.cubic(end, index);
                let off = (inside.values[index].value() - cubic.at(s)).abs() / bubble;
                let turned = (inside.value_rates[index].value() * end.h.value() - cubic.slope(s)).abs() / slope;
                // the error K s² (1 − s)² has the largest value K/16
                let largest = off.max(turned) / 16.0;
                *error = if largest.is_finite() { error.max(largest) } else { f64::INFINITY };
            }
        }
        let share = |(index, &error): (usize, &f64)| match sides(index) {
            0.0 => GROWTH,
            side => share_of(&start.cubic(end, index), error, side, tolerance),
        };
        Ok(self.errors.iter().enumerate().map(share).fold(GROWTH, f64::min))
    }
}

/// Samples the event functions of a problem over each step of a method.
#[derive(Debug, Clone)]
pub struct Sampler<S> {
    start: State<S>,
    inside: State<S>,
    end: State<S>,
    /// Signs at the start.
    sides: Vec<f64>,
    samples: Samples,
    order: u32,
}

impl<S: Scalar> Sampler<S> {
    /// A sampler of `count` functions of states like `initial`, for a method of order `order`.
    pub fn new(count: usize, initial: &[S], order: u32) -> Self {
        let mut state = State::new(S::zero(), if count == 0 { &[] } else { initial });
        state.resize(count);
        let (start, inside) = (state.clone(), state.clone());
        Self { start, inside, end: state, sides: vec![0.0; count], samples: Samples::default(), order }
    }

    /// True if there are functions to sample.
    pub fn has_functions(&self) -> bool {
        !self.sides.is_empty()
    }

    /// Like [`Samples::share`], for a step between two times and states. Evaluations at the ends are not counted,
    /// because steps make the same ones.
    ///
    /// # Errors
    /// Returns an error if the problem fails.
    pub fn share(
        &mut self,
        problem: &mut Counted<'_, S>,
        [start, end]: [(S, &[S]); 2],
        within: impl FnMut(&mut Counted<'_, S>, &mut State<S>) -> Result<(), Failure>,
    ) -> Result<f64, Failure> {
        if !self.has_functions() {
            return Ok(f64::INFINITY);
        }
        let h = end.0 - start.0;
        for (state, (t, y), h) in [(&mut self.start, start, S::zero()), (&mut self.end, end, h)] {
            (state.t, state.h) = (t, h);
            state.y.copy_from_slice(y);
            problem.uncounted(|problem| problem.rhs(t, y, &mut state.rate))?;
            state.watch(problem)?;
        }
        let functions = problem.events()?;
        let tolerance = functions.tolerance(h.value(), self.order);
        // A function that starts at zero is on the side to which it moves.
        for (index, (value, rate)) in self.start.values.iter().zip(&self.start.value_rates).enumerate() {
            let towards = if value.value().abs() > tolerance { value } else { rate };
            self.sides[index] = if functions.is_watched(index) { towards.value().signum() } else { 0.0 };
        }
        let states = ([&self.start, &self.end], &mut self.inside);
        self.samples.share(problem, states, (|index| self.sides[index], tolerance), within)
    }
}

fn share_of(cubic: &Cubic, error: f64, side: f64, tolerance: f64) -> f64 {
    let [one, other] = cubic.extrema();
    let sizes = [0.0, one, other, 1.0].map(|s| side * cubic.at(s));
    let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = sizes.iter().fold(0.0, |largest: f64, size| largest.max(size.abs()));
    let allowed = tolerance.max(RESOLVED * largest).max(0.5 * least);
    let share = 0.8 * (allowed / error).powf(0.25);
    if error > allowed {
        return share.max(0.1);
    }
    let may_hide_zeros = |&s: &f64| {
        let bubble = 16.0 * (s * (1.0 - s)).powi(2);
        s < 1.0 && side * cubic.at(s) + tolerance < 2.0 * error * bubble
    };
    let hidden = if sizes[3] >= 0.0 { [one, other].into_iter().find(may_hide_zeros) } else { None };
    hidden.unwrap_or(share.max(1.0))
}
