//! A criterion for failed runs that also covers runs that reach their end.

use mbsbench_problem::{Failure, OutOfRange, parameters};

use super::error::grid;
use super::simple::not_empty;
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed, ReferenceTrajectory};

parameters! {
    /// 1 if a run has failed, otherwise 0. A run fails if it does not reach its end, or if an observable is NaN or
    /// exceeds its limit, a multiple of the largest magnitude of the reference.
    ///
    /// Further columns have the limits and the part of the run before it failed: the end of the last step within the
    /// limits (s), the largest step up to that time (s), and the largest magnitude of each observable. If the run
    /// does not fail, they cover all of it. Columns are empty without a reference, unless the run does not reach its
    /// end, and for a run that could not be computed.
    #[derive(Default)]
    pub struct Failed in snake_case where there_is_a_limit {
        /// Name of the rule, needed if an experiment has several; the column is called `failed(name)`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Limits; the run fails if it exceeds any of them.
        limits: Vec<Limit>,
        /// Distance between the times (s) at which the reference is evaluated.
        every: f64 [above 0.0],
    }
}

parameters! {
    /// A limit on the magnitude of an observable.
    pub struct Limit in snake_case {
        /// Observable.
        of: String,
        /// The limit as a multiple of the largest magnitude of the reference.
        times: f64 [above 0.0],
        /// Smallest limit, in the observable's unit.
        at_least: f64 = default,
    }
}

impl Failed {
    fn there_is_a_limit(&self) -> Result<(), OutOfRange> {
        not_empty("limits", &self.limits)
    }
}

impl MeasureDefinition for Failed {
    const NAME: &'static str = "failed";
    const SUMMARY: &'static str =
        "1 if a run does not reach its end or exceeds a multiple of the reference's largest observables, 0 otherwise";

    fn columns(&self) -> Vec<String> {
        let of = |what: &str| format!("{what}{}", self.rule.as_ref().map_or(String::new(), |rule| format!("({rule})")));
        if self.rule.is_some() {
            return vec![of(Self::NAME)];
        }
        let limits = self.limits.iter().map(|limit| format!("limit({})", limit.of));
        let steps = ["t_within_limits", "max_within_limits(step_size)"].map(str::to_owned);
        let extremes = self.limits.iter().map(|limit| format!("max_within_limits({})", limit.of));
        std::iter::once(of(Self::NAME)).chain(limits).chain(steps).chain(extremes).collect()
    }
    fn observables(&self) -> Vec<String> {
        self.limits.iter().map(|limit| limit.of.clone()).collect()
    }
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        grid(span, Some(self.every))
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let times = grid(context.span, Some(self.every));
        let limits = self.limits.iter().map(|limit| {
            let peak = peak(context.reference?, &limit.of, &times)?;
            Some((context.index(&limit.of)?, (limit.times * peak).max(limit.at_least)))
        });
        let limits: Vec<_> = limits.collect();
        let extremes = vec![0.0; limits.len()];
        Box::new(Judge { limits, is_exceeded: false, is_named: self.rule.is_some(), within: None, step: 0.0, extremes })
    }
}

/// The largest magnitude of an observable of the reference at these times; none if the reference cannot be used.
fn peak(reference: &ReferenceTrajectory, observable: &str, times: &[f64]) -> Option<f64> {
    let column = reference.column(observable)?;
    let values = times.iter().filter_map(|&time| reference.value(time, column));
    let peak = values.map(|(value, _)| value.abs()).reduce(f64::max)?;
    reference.is_certified().then_some(peak)
}

struct Judge {
    limits: Vec<Option<(usize, f64)>>,
    is_exceeded: bool,
    /// True if the rule has a name; it then has no other column than `failed(name)`.
    is_named: bool,
    /// End of the last step within the limits, s.
    within: Option<f64>,
    /// Largest step up to there, s.
    step: f64,
    /// Largest magnitude of each observable up to there.
    extremes: Vec<f64>,
}

impl Measure for Judge {
    fn step(&mut self, step: &mut Observed<'_>) {
        // A NaN is not above any limit, so it needs a test of its own.
        let exceeds = |&(index, limit): &(usize, f64)| step.end[index].is_nan() || step.end[index].abs() > limit;
        self.is_exceeded |= self.limits.iter().flatten().any(exceeds);
        if self.is_exceeded {
            return;
        }
        self.within = Some(step.t_end);
        self.step = self.step.max((step.t_end - step.t_start).abs());
        for (extreme, limit) in self.extremes.iter_mut().zip(&self.limits) {
            *extreme = limit.map_or(0.0, |(index, _)| extreme.max(step.end[index].abs()));
        }
    }

    fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
        let has_limits = self.limits.iter().all(Option::is_some);
        let failed = match ending.failure {
            Some(Failure::Unavailable { .. } | Failure::NotApplicable { .. }) => None,
            Some(_) => Some(1.0),
            None => has_limits.then(|| f64::from(u8::from(self.is_exceeded))),
        };
        if self.is_named {
            return vec![failed];
        }
        let of_limits = self.limits.iter().map(|limit| limit.map(|(_, limit)| limit));
        let known = |value: f64| (has_limits && self.within.is_some()).then_some(value);
        let before = [self.within.filter(|_| has_limits), known(self.step)].into_iter();
        std::iter::once(failed).chain(of_limits).chain(before).chain(self.extremes.iter().map(|&x| known(x))).collect()
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::Parameters;

    use super::*;
    use crate::tests::{against, ended};

    fn measure() -> Failed {
        let limit = |of: &str, times, at_least| Limit { of: of.to_owned(), times, at_least };
        let measure = Failed { rule: None, limits: vec![limit("q", 5.0, 0.0), limit("v", 10.0, 1000.0)], every: 1.0 };
        measure.check().unwrap();
        measure
    }

    /// Peaks of 4 and 20 at 1 and 2 s; the value between these times does not count.
    fn reference(digits: f64) -> ReferenceTrajectory {
        ReferenceTrajectory {
            observables: vec!["v".to_owned(), "q".to_owned()],
            times: vec![1.0, 1.5, 2.0],
            values: vec![vec![20.0, -4.0], vec![1e6, 1e6], vec![-1.0, 2.0]],
            bounds: vec![vec![0.0; 2]; 3],
            digits,
            digits_asked: 3.0,
        }
    }

    fn failed(q: f64, v: f64, failure: bool) -> Vec<Option<f64>> {
        let observables = |t: f64| if t == 1.0 { vec![q, v] } else { vec![0.0; 2] };
        ended(against(&measure(), &[0.0, 1.0, 2.0], observables, Some(&reference(4.0))), failure)
    }

    #[test]
    fn limits_are_multiples_of_the_peaks_of_the_reference() {
        let all = [0.0, 20.0, 1000.0, 2.0, 1.0, 20.0, 1000.0].map(Some);
        assert_eq!(failed(20.0, 1000.0, false), all);
        for (q, v) in [(20.1, 0.0), (-20.1, 0.0), (0.0, 1001.0), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
            assert_eq!(failed(q, v, false)[0], Some(1.0), "{q} and {v}");
        }
        assert_eq!(failed(0.0, 0.0, true)[0], Some(1.0));
    }

    #[test]
    fn measures_cover_the_time_before_a_failure() {
        let observables = |t: f64| vec![[1.0, -3.0, 50.0, 60.0][t as usize], 0.0];
        let values = ended(against(&measure(), &[0.0, 1.0, 2.0, 3.0], observables, Some(&reference(4.0))), false);
        assert_eq!(values, [1.0, 20.0, 1000.0, 1.0, 1.0, 3.0, 0.0].map(Some));
        let named = Failed { rule: Some("strict".to_owned()), ..measure() };
        assert_eq!(named.columns(), ["failed(strict)"]);
        assert_eq!(ended(against(&named, &[0.0, 1.0], |_| vec![0.0; 2], Some(&reference(4.0))), false), [Some(0.0)]);
    }

    #[test]
    fn an_uncertified_reference_has_no_limits() {
        let against = |reference: Option<&ReferenceTrajectory>, failure| {
            ended(against(&measure(), &[0.0, 1.0, 2.0], |_| vec![0.0; 2], reference), failure)
        };
        assert_eq!(against(Some(&reference(2.9)), false), [None; 7]);
        assert_eq!(against(None, false), [None; 7]);
        assert_eq!(against(None, true)[..2], [Some(1.0), None]);
    }

    #[test]
    fn a_missing_run_has_not_failed() {
        let failure = Failure::Unavailable { package: "a library" };
        let measurement = against(&measure(), &[0.0, 1.0], |_| vec![0.0; 2], Some(&reference(4.0)));
        let ending = Ending {
            t_reached: 0.0,
            statistics: &mbsbench_problem::Statistics::default(),
            observables: &[],
            failure: Some(&failure),
            states: 2,
            functions: 0,
        };
        assert_eq!(measurement.finish(&ending)[0], None);
    }
}
