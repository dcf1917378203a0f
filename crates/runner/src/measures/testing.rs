//! Measures by themselves, on made-up steps.

use mbsbench_problem::{Failure, Statistics};

use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed, ReferenceTrajectory, Within};

/// Observables in closed form.
struct Closed<F>(F);

impl<F: Fn(f64) -> Vec<f64>> Within for Closed<F> {
    fn observables_at(&mut self, t: f64, values: &mut [f64]) -> Result<(), Failure> {
        values.copy_from_slice(&(self.0)(t));
        Ok(())
    }
}

/// A measurement that has seen steps from each of the times (s) to the next, over the observables `q`, `v` and so on as far as there
/// are any.
pub fn through<D: MeasureDefinition>(
    measure: &D,
    times: &[f64],
    observables: impl Fn(f64) -> Vec<f64>,
) -> Box<dyn Measure> {
    against(measure, times, observables, None)
}

/// The same beside a reference.
pub fn against<D: MeasureDefinition>(
    measure: &D,
    times: &[f64],
    observables: impl Fn(f64) -> Vec<f64>,
    reference: Option<&ReferenceTrajectory>,
) -> Box<dyn Measure> {
    let names: Vec<String> = ["q", "v"].iter().take(observables(times[0]).len()).map(|&name| name.to_owned()).collect();
    let span = [times[0], times[times.len() - 1]];
    let context = MeasureContext { observables: &names, classes: &vec![None; names.len()], span, reference };
    let mut measurement = measure.start(&context);
    measurement.begin(times[0], &observables(times[0]));
    for pair in times.windows(2) {
        let (start, end) = (observables(pair[0]), observables(pair[1]));
        measurement.step(&mut Observed {
            t_start: pair[0],
            t_end: pair[1],
            start: &start,
            end: &end,
            before_projection: &[],
            state: &[],
            switched: &[],
            event_residual: None,
            error_estimate: &[],
            within: &mut Closed(&observables),
        });
    }
    measurement
}

/// Its values at the end of a run, which failed or not.
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
