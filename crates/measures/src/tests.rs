//! Tests of measures on steps that are made up.

use mbsbench_problem::model::Class;
use mbsbench_problem::{Counted, Failure, Further, Method, MethodProperties, Observer, Solution, Statistics, Task};

use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed, ReferenceTrajectory};

/// A measurement that has seen the steps from each of the times (s) to the next. Observables are called `q`, `v` and
/// so on, as many as there are.
pub fn through<D: MeasureDefinition>(
    measure: &D,
    times: &[f64],
    observables: impl Fn(f64) -> Vec<f64>,
) -> Box<dyn Measure> {
    against(measure, times, observables, None)
}

/// Like [`through`], with a reference.
pub fn against<D: MeasureDefinition>(
    measure: &D,
    times: &[f64],
    observables: impl Fn(f64) -> Vec<f64>,
    reference: Option<&ReferenceTrajectory>,
) -> Box<dyn Measure> {
    let names: Vec<String> = ["q", "v"].iter().take(observables(times[0]).len()).map(|&name| name.to_owned()).collect();
    let span = [times[0], times[times.len() - 1]];
    let mut measurement = measure.start(&context(&names, span, reference));
    measurement.begin(times[0], &observables(times[0]));
    for pair in times.windows(2) {
        let (start, end) = (observables(pair[0]), observables(pair[1]));
        measurement.step(&mut Observed {
            t_start: pair[0],
            t_end: pair[1],
            start: &start,
            end: &end,
            state: &[],
            further: Further::default(),
            within: &mut |t: f64, values: &mut [f64]| {
                values.copy_from_slice(&observables(t));
                Ok(())
            },
        });
    }
    measurement
}

/// The context of a run of an explicit method that chooses its own steps.
pub fn context<'c>(
    observables: &'c [String],
    span: [f64; 2],
    reference: Option<&'c ReferenceTrajectory>,
) -> MeasureContext<'c> {
    const METHOD: &Unused = &Unused;
    const CLASSES: [Option<Class>; 2] = [Some(Class::Position), Some(Class::Velocity)];
    let classes = &const { CLASSES }[..observables.len()];
    MeasureContext { observables, classes, span, method: METHOD, step: None, reference }
}

/// A method that is never used to solve.
struct Unused;

impl Method for Unused {
    fn order(&self) -> u32 {
        1
    }
    fn properties(&self) -> MethodProperties {
        MethodProperties { adapts: true, ..MethodProperties::default() }
    }

    fn solve(&self, _: Counted<'_>, _: &Task<'_>, _: &mut dyn Observer) -> Solution {
        unreachable!("nothing is solved")
    }
}

/// The values at the end of a run, which failed if `failed`.
pub fn ended(measurement: Box<dyn Measure>, failed: bool) -> Vec<Option<f64>> {
    let failure = failed.then_some(Failure::NonFinite { time: 0.0 });
    measurement.finish(&Ending {
        t_reached: 0.0,
        statistics: &Statistics::default(),
        observables: &[],
        failure: failure.as_ref(),
        states: 0,
        functions: 0,
    })
}
