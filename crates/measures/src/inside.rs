//! Events inside steps that are visible at neither end.

use mbsbench_problem::{Failure, parameters};

use super::simple::over_steps;
use super::{Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// The number of accepted steps inside which an observable exceeds its values at both ends. For the observable
    /// `contacts`, these are steps that pass through a contact without noticing it. The solution is evaluated at
    /// points that divide the step evenly, at most `every` apart; shorter steps are not examined. The result is a
    /// lower bound: a rise and fall between two points is not found.
    pub struct ExcessInside {
        /// Observable.
        of: String = "contacts".to_owned(),
        /// Largest distance between the points, s.
        every: f64 [above 0.0] = 2.5e-4,
    }
}

impl MeasureDefinition for ExcessInside {
    const NAME: &'static str = "excess_inside";
    const SUMMARY: &'static str = "number of steps within which an observable exceeds its values at both ends";

    fn columns(&self) -> Vec<String> {
        vec![format!("excess_inside({})", self.of)]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let (every, mut scratch) = (self.every, vec![0.0; context.observables.len()]);
        let mut exceeds = move |step: &mut Observed<'_>, index: usize| {
            let length = step.t_end - step.t_start;
            let parts = (length / every).ceil();
            let most = step.start[index].max(step.end[index]);
            let mut part = 1.0;
            while part < parts {
                step.within.observables_at(step.t_start + length * part / parts, &mut scratch)?;
                if scratch[index] > most {
                    return Ok(true);
                }
                part += 1.0;
            }
            Ok::<_, Failure>(false)
        };
        // The number of steps with an excess; none once a state inside a step cannot be computed.
        let steps = context.index(&self.of).map(|index| (index, 0_u64));
        let look = move |steps: &mut Option<(usize, u64)>, step: &mut Observed<'_>| {
            *steps = steps.and_then(|(index, steps)| Some((index, steps + u64::from(exceeds(step, index).ok()?))));
        };
        over_steps(steps, look, |steps, ending| {
            vec![steps.filter(|_| ending.failure.is_none()).map(|(_, steps)| steps as f64)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ended, through};

    #[test]
    fn humps_between_the_ends_are_counted_and_rises_are_not() {
        let measure = ExcessInside { of: "q".to_owned(), every: 0.1 };
        let hump = |t: f64| vec![f64::from(u8::from((0.4..0.6).contains(&t))), 0.0];
        assert_eq!(ended(through(&measure, &[0.0, 1.0, 2.0], hump), false), [Some(1.0)]);
        // its ends are states
        assert_eq!(ended(through(&measure, &[0.0, 0.45, 1.0], hump), false), [Some(0.0)]);
        // too short to be examined
        let coarse = ExcessInside { of: "q".to_owned(), every: 2.0 };
        assert_eq!(ended(through(&coarse, &[0.0, 1.0], hump), false), [Some(0.0)]);
    }
}
