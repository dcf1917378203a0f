//! Changes of the step size from one step to the next.

use mbsbench_problem::parameters;

use super::simple::over_steps;
use super::{Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// The ratio of the largest to the smallest step, the largest factor by which a step is smaller than the one
    /// before, and the number of steps that are smaller by at least the factor `strong`. The last step of a run is
    /// left out, since the end of the span cuts it.
    pub struct StepChanges {
        /// Steps that begin before this time (s) are left out, because the first steps of a method depend on how it
        /// starts.
        after: f64 = 0.0,
        /// Smallest factor that counts as a strong reduction.
        strong: f64 [above 1.0] = 3.0,
    }
}

impl MeasureDefinition for StepChanges {
    const NAME: &'static str = "step_changes";
    const SUMMARY: &'static str =
        "ratio of the largest to the smallest step, largest reduction between steps, and number of strong reductions";

    fn columns(&self) -> Vec<String> {
        ["ratio(step_size)", "largest_drop(step_size)", "drops(step_size)"].map(str::to_owned).to_vec()
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let (after, strong) = (self.after, self.strong);
        // The state has the result without the last step, and the size of that step, s.
        let look = move |(seen, last): &mut (Seen, Option<f64>), step: &mut Observed<'_>| {
            if step.t_start >= after
                && let Some(size) = last.replace((step.t_end - step.t_start).abs())
            {
                seen.see(size, strong);
            }
        };
        over_steps(Default::default(), look, move |(mut seen, last), ending| {
            // A run that failed was not cut.
            if let Some(size) = last.filter(|_| ending.failure.is_some()) {
                seen.see(size, strong);
            }
            let Seen { range, largest_drop, drops, .. } = seen;
            vec![range.map(|[low, high]| high / low), largest_drop, range.map(|_| drops as f64)]
        })
    }
}

/// The result for the steps so far.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Smallest and largest size, s.
    range: Option<[f64; 2]>,
    /// Size of the last step, s.
    last: Option<f64>,
    largest_drop: Option<f64>,
    drops: u64,
}

impl Seen {
    fn see(&mut self, size: f64, strong: f64) {
        let [low, high] = self.range.unwrap_or([size; 2]);
        self.range = Some([low.min(size), high.max(size)]);
        if let Some(last) = self.last.replace(size) {
            let drop = last / size;
            self.largest_drop = Some(self.largest_drop.map_or(drop, |largest| largest.max(drop)));
            self.drops += u64::from(drop >= strong);
        }
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::Parameters;

    use super::*;
    use crate::tests::{ended, through};

    fn changes(after: f64, failure: bool) -> Vec<Option<f64>> {
        let mut measure = StepChanges { after, ..StepChanges::default() };
        measure.check().unwrap();
        measure.strong = 3.0;
        let times = [0.0, 8.0, 12.0, 13.0, 14.0, 20.0, 22.0, 22.25];
        ended(through(&measure, &times, |_| Vec::new()), failure)
    }

    #[test]
    fn drops_compare_consecutive_steps() {
        // sizes 8, 4, 1, 1, 6, 2 and one that the end cuts
        assert_eq!(changes(0.0, false), [Some(8.0), Some(4.0), Some(2.0)]);
        assert_eq!(changes(0.0, true), [Some(32.0), Some(8.0), Some(3.0)]);
        assert_eq!(changes(13.0, false), [Some(6.0), Some(3.0), Some(1.0)]);
        assert_eq!(changes(21.0, false), [None; 3]);
    }

    #[test]
    fn drops_are_factors_above_one() {
        let check = |strong| StepChanges { strong, ..StepChanges::default() }.check().map_err(|error| error.field);
        assert_eq!((check(1.0), check(f64::NAN), check(1.5)), (Err("strong".into()), Err("strong".into()), Ok(())));
    }
}
