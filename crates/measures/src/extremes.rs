//! Running extremes of observables over accepted states.

use mbsbench_problem::parameters;

use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

/// Lowest and highest value seen so far; NaN counts as both, so that nothing hides behind it.
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

/// What is made of the extremes of one observable at the end.
#[derive(Debug, Clone, Copy)]
enum Summary {
    Variation,
    Largest,
    Both,
}

/// Follows one observable.
struct Follow {
    index: Option<usize>,
    extremes: Extremes,
    summary: Summary,
    /// Only states after all event functions that were going to be reached have been reached.
    after_events: bool,
}

impl Follow {
    fn boxed(context: &MeasureContext<'_>, observable: &str, summary: Summary) -> Box<dyn Measure> {
        Box::new(Self { index: context.index(observable), extremes: Extremes::NONE, summary, after_events: false })
    }
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
            // The step that ends with an event still belongs to the time before it.
            self.extremes = Extremes::NONE;
            return;
        }
        self.extremes.see(step.end[index]);
    }

    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        let seen = self.extremes.seen();
        match self.summary {
            Summary::Variation => vec![seen.map(|e| e.high - e.low)],
            Summary::Largest => vec![seen.map(|e| e.high)],
            Summary::Both => vec![seen.map(|e| e.low), seen.map(|e| e.high)],
        }
    }
}

macro_rules! largest {
    ($($(#[$doc:meta])* $name:ident $text:literal of $observable:literal as $summary:ident: $about:literal;)*) => {$(
        parameters! {
            $(#[$doc])*
            pub struct $name {}
        }

        impl MeasureDefinition for $name {
            const NAME: &'static str = $text;
            const SUMMARY: &'static str = $about;
            fn columns(&self) -> Vec<String> {
                vec![Self::NAME.to_owned()]
            }
            fn observables(&self) -> Vec<String> {
                vec![$observable.to_owned()]
            }
            fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
                Follow::boxed(context, $observable, Summary::$summary)
            }
        }
    )*};
}

largest! {
    /// `max E − min E` over accepted states, the initial one included (compere2001, tables 3.1–3.3).
    EnergyVariation "energy_variation" of "energy" as Variation:
        "max E − min E over accepted states, initial state included (J)";
    /// Largest magnitude among the constraints over accepted states.
    ConstraintMax "constraint_max" of "constraint" as Largest:
        "largest magnitude among the constraints over accepted states";
    /// Largest magnitude among the constraints at velocity level over accepted states.
    VelocityConstraintMax "velocity_constraint_max" of "velocity_constraint" as Largest:
        "largest magnitude among the constraints at velocity level over accepted states";
    /// Largest magnitude among the sliding surfaces over accepted states.
    SurfaceMax "surface_max" of "surface" as Largest:
        "largest magnitude among the sliding surfaces over accepted states";
}

parameters! {
    /// Lowest and highest value of an observable over accepted states.
    #[derive(Default)]
    pub struct Range in snake_case {
        /// Observable.
        of: String,
    }
}

impl MeasureDefinition for Range {
    const NAME: &'static str = "range";
    const SUMMARY: &'static str = "lowest and highest value of an observable over accepted states";

    fn columns(&self) -> Vec<String> {
        vec![format!("min({})", self.of), format!("max({})", self.of)]
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Follow::boxed(context, &self.of, Summary::Both)
    }
}

parameters! {
    /// Lowest and highest value of an observable over the states after the last event.
    #[derive(Default)]
    pub struct RangeAfterEvents in snake_case {
        /// Observable.
        of: String,
    }
}

impl MeasureDefinition for RangeAfterEvents {
    const NAME: &'static str = "range_after_events";
    const SUMMARY: &'static str = "lowest and highest value of an observable over the states after the last event";

    fn columns(&self) -> Vec<String> {
        vec![format!("min_after_events({})", self.of), format!("max_after_events({})", self.of)]
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Follow {
            index: context.index(&self.of),
            extremes: Extremes::NONE,
            summary: Summary::Both,
            after_events: true,
        })
    }
}

parameters! {
    /// Largest change that a projection made to a component of the state, over accepted steps (compere2001,
    /// section 3.4.1: the bound on it is `h^(p−1)`).
    pub struct AdjustmentMax {}
}

impl MeasureDefinition for AdjustmentMax {
    const NAME: &'static str = "adjustment_max";
    const SUMMARY: &'static str = "largest change that post-stabilisation made to a component of the state";

    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        struct Adjustment(f64);
        impl Measure for Adjustment {
            fn step(&mut self, step: &mut Observed<'_>) {
                for (before, after) in step.before_projection().iter().zip(step.state) {
                    self.0 = self.0.max((before - after).abs());
                }
            }
            fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
                vec![Some(self.0)]
            }
        }
        Box::new(Adjustment(0.0))
    }
}

parameters! {
    /// The largest magnitude that an event function has where its zero was located; before the jump's effects on
    /// other functions. Empty where no event was located.
    pub struct EventResidual {}
}

impl MeasureDefinition for EventResidual {
    const NAME: &'static str = "event_residual";
    const SUMMARY: &'static str = "largest magnitude of an event function where its zero was located";

    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        struct Residual(Option<f64>);
        impl Measure for Residual {
            fn step(&mut self, step: &mut Observed<'_>) {
                if let Some(residual) = step.further.event_residual {
                    self.0 = Some(self.0.map_or(residual, |largest| largest.max(residual)));
                }
            }
            fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
                vec![self.0]
            }
        }
        Box::new(Residual(None))
    }
}
