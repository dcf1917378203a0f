//! Running extremes of observables over accepted states.

use mbsbench_problem::parameters;

use super::simple::{of_one, over_steps, plain};
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

/// Lowest and highest value so far. A NaN counts as both, so that it cannot be overlooked.
#[derive(Debug, Clone, Copy)]
struct Extremes {
    low: f64,
    high: f64,
}

impl Extremes {
    const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn see(&mut self, value: f64) {
        if value.is_nan() {
            *self = Self { low: value, high: value };
        } else if !self.low.is_nan() {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
    }

    fn seen(self) -> Option<Self> {
        (self.low.is_nan() || self.low <= self.high).then_some(self)
    }
}

/// Follows one observable.
struct Follow {
    index: Option<usize>,
    extremes: Extremes,
    /// True if only states after the last event count.
    after_events: bool,
    /// Computes the values of the columns from the extremes at the end.
    values: fn(Option<Extremes>) -> Vec<Option<f64>>,
}

impl Measure for Follow {
    fn begin(&mut self, _t: f64, observables: &[f64]) {
        if let (Some(index), false) = (self.index, self.after_events) {
            self.extremes.see(observables[index]);
        }
    }

    fn step(&mut self, step: &mut Observed<'_>) {
        let Some(index) = self.index else { return };
        if self.after_events && !step.further.events.is_empty() {
            // The step that ends with an event still belongs to the time before the event.
            self.extremes = Extremes::NONE;
            return;
        }
        self.extremes.see(step.end[index]);
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        (self.values)(self.extremes.seen())
    }
}

macro_rules! largest {
    ($($(#[$doc:meta])* $name:ident $text:literal of $observable:literal as $value:expr, $about:literal;)*) => {$(
        parameters! {
            $(#[$doc])*
            pub struct $name {}
        }

        impl MeasureDefinition for $name {
            const NAME: &'static str = $text;
            const SUMMARY: &'static str = $about;
            fn observables(&self) -> Vec<String> {
                vec![$observable.to_owned()]
            }
            fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
                let index = context.index($observable);
                let values: fn(Option<Extremes>) -> _ = |seen| vec![seen.map($value)];
                Box::new(Follow { index, extremes: Extremes::NONE, after_events: false, values })
            }
        }
    )*};
}

largest! {
    /// `max E − min E` over accepted states, including the initial one (compere2001, tables 3.1–3.3).
    EnergyVariation "energy_variation" of "energy" as |seen| seen.high - seen.low,
        "energy variation max E − min E over accepted states, including the initial state (J)";
    /// Largest magnitude among the constraints over accepted states.
    ConstraintMax "constraint_max" of "constraint" as |seen| seen.high,
        "largest constraint violation over accepted states";
    /// Largest magnitude among the constraints at velocity level over accepted states.
    VelocityConstraintMax "velocity_constraint_max" of "velocity_constraint" as |seen| seen.high,
        "largest constraint violation at velocity level over accepted states";
    /// Largest magnitude among the sliding surfaces over accepted states.
    SurfaceMax "surface_max" of "surface" as |seen| seen.high,
        "largest magnitude of any sliding surface over accepted states";
}

fn range(index: Option<usize>, after_events: bool) -> Box<dyn Measure> {
    let values: fn(Option<Extremes>) -> _ = |seen| vec![seen.map(|seen| seen.low), seen.map(|seen| seen.high)];
    Box::new(Follow { index, extremes: Extremes::NONE, after_events, values })
}

of_one! {
    /// The lowest and highest value of an observable over accepted states.
    Range "range" ["min", "max"] "lowest and highest value of an observable over accepted states",
        |index| range(index, false);
    /// The lowest and highest value of an observable over the states after the last event.
    RangeAfterEvents "range_after_events" ["min_after_events", "max_after_events"]
        "lowest and highest value of an observable over the states after the last event",
        |index| range(index, true);
}

plain! {
    /// The largest change that a projection made to a component of the state, over accepted steps (compere2001,
    /// section 3.4.1, where its bound is `h^(p−1)`).
    AdjustmentMax "adjustment_max" "largest change of a component of the state by post-stabilisation",
        |_| over_steps(
            0.0_f64,
            |largest, step| {
                for (before, after) in step.before_projection().iter().zip(step.state) {
                    *largest = largest.max((before - after).abs());
                }
            },
            |largest, _| vec![Some(largest)],
        );
    /// The largest magnitude of an event function where its zero was located, before the jump changes other
    /// functions. Empty if no event was located.
    EventResidual "event_residual" "largest magnitude of an event function at its located zero",
        |_| over_steps(
            None,
            |largest: &mut Option<f64>, step| {
                *largest = largest.iter().copied().chain(step.further.event_residual).reduce(f64::max);
            },
            |largest, _| vec![largest],
        );
}
