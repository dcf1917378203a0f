//! The location phase: Newton's method with an integration step as function evaluation, and the try–catch model
//! (compere2001, sections 5.2.2 and 5.2.3, table 5.1).

use mbsbench_problem::{Counted, Failure, Scalar, Statistics};

use super::detect::{Candidate, Detector};
use super::pair::Pair;
use super::rules::Rules;
use crate::events::State;

/// The largest number of Newton iterations for a root without a known change of sides.
const MOST_UNPROVEN: u64 = 10;
/// The largest number of iterations for a bracketed root; bisection alone needs 53 to reach rounding.
const MOST_BRACKETED: u64 = 100;

/// Finds the first event in a step by trial steps from its start.
#[derive(Debug, Clone)]
pub struct Locator<S> {
    rules: Rules,
    /// The end of the step to the first estimate.
    middle: State<S>,
    /// The end of the last trial; finally the located state.
    pub trial: State<S>,
}

/// Step sizes between which an offset function rises through zero.
struct Bracket<S> {
    low: S,
    high: Option<S>,
}

impl<S: Scalar> Locator<S> {
    /// A locator for a solve with these rules and states of the size of `state`.
    pub fn new(rules: &Rules, state: &State<S>) -> Self {
        Self { rules: *rules, middle: state.clone(), trial: state.clone() }
    }

    /// Resizes the states for `count` functions.
    pub fn resize(&mut self, count: usize) {
        self.middle.resize(count);
        self.trial.resize(count);
    }

    /// Looks for the first event in the step from `start` to `end`. Returns the index of the located function, with
    /// the state at the event in `trial`, or `None` if there is no event.
    pub fn first_event<P: Pair<S>>(
        &mut self,
        (problem, pair): (&mut Counted<'_, S>, &mut P),
        detector: &mut Detector,
        (start, end): (&State<S>, &State<S>),
        statistics: &mut Statistics,
    ) -> Result<Option<usize>, Failure> {
        let Some(first) = detector.collect(start, end) else { return Ok(None) };
        statistics.steps_repeated += 1;
        // rounding must not lengthen the step
        let first = if first < end.h.value() { S::from(first) } else { end.h };
        step_to(problem, pair, start, first, &mut self.middle)?;
        detector.refine(start, &self.middle, end);
        let mut chosen = self.choose(detector);
        // size of the step to a located event that turned out not to be the first
        let mut caught = None;
        while let Some(&candidate) = detector.candidates.get(chosen) {
            let passed = |state: &State<S>| detector.offset_value(candidate.index, state) >= 0.0;
            let by_now = [&self.middle, end].into_iter().find(|state| passed(state)).map(|state| state.h);
            let bracket = Bracket { low: S::zero(), high: caught.or(by_now) };
            let found = self.newton((problem, pair), detector, (start, end.h), (candidate, bracket), statistics)?;
            if !found {
                // case III: the interpolant has a root, but the function has none
                statistics.failed_locations += 1;
                detector.candidates.remove(chosen);
                chosen = 0;
            } else if self.is_first(detector, start, candidate.index) {
                return Ok(Some(candidate.index));
            } else {
                // case II: other functions crossed earlier and are now the candidates
                statistics.catches += 1;
                caught = Some(self.trial.h);
                chosen = 0;
            }
        }
        Ok(None)
    }

    /// Post-analysis over all functions: true if none has passed its offset surface before the located time, except
    /// those in the region of concurrency. Functions that have passed become the candidates.
    fn is_first(&self, detector: &mut Detector, start: &State<S>, index: usize) -> bool {
        let tolerance = self.rules.settings.event_tolerance;
        let allowed = |detector: &Detector, other: usize| match self.rules.settings.region_of_concurrency {
            Some(region) if !detector.is_unilateral(index) && !detector.is_unilateral(other) => {
                region.amplitude.max(tolerance)
            }
            _ => tolerance,
        };
        !detector.collect_earlier(start, &self.trial, index, allowed)
    }

    /// Chooses the candidate to be located: the first one or, with a region of concurrency, the last one in it at
    /// whose time all earlier offset functions are small enough by linear estimates (figure 5.9).
    fn choose(&self, detector: &Detector) -> usize {
        let candidates = &detector.candidates;
        let (Some(region), Some(&first)) = (self.rules.settings.region_of_concurrency, candidates.first()) else {
            return 0;
        };
        let is_bilateral = |candidate: &Candidate| !detector.is_unilateral(candidate.index);
        let inside = |c: &&Candidate| is_bilateral(c) && c.after - first.after <= region.duration;
        let count = candidates.iter().take_while(inside).count();
        let offset = self.rules.settings.event_tolerance + 0.5 * f64::EPSILON;
        let speed = |c: &Candidate| self.middle.value_rates[c.index].value().abs();
        let fits = |&last: &usize| {
            let located = candidates[last].after + offset / speed(&candidates[last]);
            candidates[..last].iter().all(|c| (speed(c) * (located - c.after) - offset).abs() <= region.amplitude)
        };
        (1..count).rev().find(fits).unwrap_or(0)
    }

    /// Newton's method for the offset function of a candidate, starting at its estimate. If a change of sides is
    /// known, an iterate outside its bracket and every fourth iterate are replaced by the midpoint, which guarantees
    /// termination. Returns true if a root was found; the state is then in `trial`.
    fn newton<P: Pair<S>>(
        &mut self,
        (problem, pair): (&mut Counted<'_, S>, &mut P),
        detector: &Detector,
        (start, longest): (&State<S>, S),
        (candidate, mut bracket): (Candidate, Bracket<S>),
        statistics: &mut Statistics,
    ) -> Result<bool, Failure> {
        let index = candidate.index;
        let direction = detector.direction(index);
        let upper = bracket.high.unwrap_or(longest);
        let mut h = if candidate.after < upper.value() { S::from(candidate.after) } else { upper };
        let mut iterations = 0;
        while iterations < if bracket.high.is_some() { MOST_BRACKETED } else { MOST_UNPROVEN } {
            iterations += 1;
            statistics.location_iterations += 1;
            statistics.steps_repeated += 1;
            step_to(problem, pair, start, h, &mut self.trial)?;
            let value = detector.offset_value(index, &self.trial);
            if value.abs() <= self.rules.settings.event_tolerance {
                return Ok(true);
            }
            if value < 0.0 {
                bracket.low = if (h - bracket.low).value() > 0.0 { h } else { bracket.low };
            } else {
                bracket.high = Some(h);
            }
            let newton = h - S::from(value) / (self.trial.value_rates[index] * direction);
            let Some(high) = bracket.high else {
                // Without a bracket, an iterate outside the step is moved to its end; the second time, the search
                // ends without a root.
                let beyond = (newton - longest).value() > 0.0;
                if !newton.is_finite() || newton.value() <= 0.0 || (beyond && h == longest) {
                    return Ok(false);
                }
                h = if beyond { longest } else { newton };
                continue;
            };
            let (from, width) = (bracket.low, high - bracket.low);
            if width.value() <= 2.0 * f64::EPSILON * high.value() {
                // The tolerance is below rounding; the guarantee of (5.4) and (5.5) still holds on its side of the
                // bracket.
                let h = if detector.is_located_past(index) { high } else { from };
                if self.trial.h != h {
                    statistics.location_iterations += 1;
                    statistics.steps_repeated += 1;
                    step_to(problem, pair, start, h, &mut self.trial)?;
                }
                return Ok(true);
            }
            let is_inside = (newton - from).value() > 0.0 && (high - newton).value() > 0.0;
            h = if is_inside && iterations % 4 != 0 { newton } else { from + width * 0.5 };
        }
        match bracket.high {
            Some(_) => Err(Failure::EventNotLocated { time: start.t.value(), index, repeats: iterations }),
            None => Ok(false),
        }
    }
}

/// Makes a trial step and evaluates the event functions at its end.
fn step_to<S: Scalar, P: Pair<S>>(
    problem: &mut Counted<'_, S>,
    pair: &mut P,
    start: &State<S>,
    h: S,
    end: &mut State<S>,
) -> Result<(), Failure> {
    end.place(start, h);
    pair.step(problem, start, end)?;
    if !end.is_finite() {
        return Err(Failure::NonFinite { time: start.t.value() });
    }
    end.watch(problem)
}
