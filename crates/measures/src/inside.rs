//! What happens inside steps and shows at neither end.

use mbsbench_problem::parameters;

use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// Number of accepted steps inside which an observable exceeds its values at both ends: of `contacts`, contacts
    /// that a step goes through without noticing. It is looked at in points that divide the step evenly, `every` apart
    /// at most; steps shorter than that are not looked into. A lower bound, therefore: what rises and falls again
    /// between two points is not seen.
    pub struct ExcessInside {
        /// Observable.
        of: String = "contacts".to_owned(),
        /// Largest distance of the points, s.
        every: f64 [above 0.0] = 2.5e-4,
    }
}

impl MeasureDefinition for ExcessInside {
    const NAME: &'static str = "excess_inside";
    const SUMMARY: &'static str = "number of steps inside which an observable exceeds its values at both ends";

    fn columns(&self) -> Vec<String> {
        vec![format!("excess_inside({})", self.of)]
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let scratch = vec![0.0; context.observables.len()];
        Box::new(Inside { index: context.index(&self.of), every: self.every, scratch, steps: Some(0) })
    }
}

struct Inside {
    index: Option<usize>,
    every: f64,
    scratch: Vec<f64>,
    /// Steps with an excess; none once a state inside could not be had.
    steps: Option<u64>,
}

impl Measure for Inside {
    fn step(&mut self, step: &mut Observed<'_>) {
        let (Some(index), Some(steps)) = (self.index, self.steps.as_mut()) else { return };
        let length = step.t_end - step.t_start;
        let parts = (length / self.every).ceil();
        let most = step.start[index].max(step.end[index]);
        let mut part = 1.0;
        while part < parts {
            if step.within.observables_at(step.t_start + length * part / parts, &mut self.scratch).is_err() {
                self.steps = None;
                return;
            }
            if self.scratch[index] > most {
                *steps += 1;
                return;
            }
            part += 1.0;
        }
    }

    fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
        let is_complete = self.index.is_some() && ending.failure.is_none();
        vec![self.steps.filter(|_| is_complete).map(|steps| steps as f64)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ended, through};

    #[test]
    fn humps_between_the_ends_are_counted_and_rises_are_not() {
        let measure = ExcessInside { of: "q".to_owned(), every: 0.1 };
        let hump = |t: f64| vec![f64::from(u8::from((0.4..0.6).contains(&t))), 0.0];
        assert_eq!(ended(through(&measure, &[0.0, 1.0, 2.0], hump), false), [Some(1.0)]);
        // its ends are states
        assert_eq!(ended(through(&measure, &[0.0, 0.45, 1.0], hump), false), [Some(0.0)]);
        // too short to be looked into
        let coarse = ExcessInside { of: "q".to_owned(), every: 2.0 };
        assert_eq!(ended(through(&coarse, &[0.0, 1.0], hump), false), [Some(0.0)]);
    }
}
