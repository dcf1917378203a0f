//! The motion of a ball between its bounces.

use mbsbench_problem::parameters;

use super::landmarks::{numbered, padded, passage};
use super::simple::over_steps;
use super::{Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// The tops of a ball's path after each bounce, and the durations (s) of the first contact and of the flight
    /// after it. The ball is in contact while its height is below zero; both ends of a contact are located inside the
    /// steps. A top is the height to which the ball's energy would lift it, evaluated at the first accepted state of
    /// a flight. Only gravity acts in flight, so no state needs to lie at the top itself.
    pub struct Bounces {
        /// Observable with the height, m.
        of: String = "height".to_owned(),
        /// Observable with the height to which the energy would lift the ball, m.
        top: String = "top_height".to_owned(),
        /// Number of tops to report, counted from the first.
        count: usize [from 1, to 10_000] = 1,
    }
}

impl MeasureDefinition for Bounces {
    const NAME: &'static str = "bounces";
    const SUMMARY: &'static str =
        "peak height of a ball after each bounce (m), and durations of the first contact and the next flight (s)";

    fn columns(&self) -> Vec<String> {
        let durations = ["contact_time", "flight_time"].map(str::to_owned);
        numbered("top", self.count).chain(durations).collect()
    }
    fn observables(&self) -> Vec<String> {
        vec![self.of.clone(), self.top.clone()]
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let indices = context.index(&self.of).zip(context.index(&self.top));
        let (count, mut scratch) = (self.count, vec![0.0; context.observables.len()]);
        let look = move |Seen { tops, ends }: &mut Seen, step: &mut Observed<'_>| {
            let Some((height, top)) = indices else { return };
            let [was_down, is_down] = [&step.start, &step.end].map(|observables| observables[height] < 0.0);
            if was_down == is_down {
                return;
            }
            if ends.len() < ENDS {
                let at_start = (step.start[height] == 0.0).then_some(step.t_start);
                ends.extend(at_start.or_else(|| passage(step, height, 0.0, &mut scratch)));
            }
            if was_down && tops.len() < count {
                tops.push(step.end[top]);
            }
        };
        over_steps(Seen::default(), look, move |Seen { tops, ends }, _| {
            let duration = |k: usize| Some(ends.get(k + 1)? - ends[k]);
            padded(tops, count).into_iter().chain([duration(0), duration(1)]).collect()
        })
    }
}

/// Number of ends located: two of the first contact, and the end of the flight after it.
const ENDS: usize = 3;

#[derive(Default)]
struct Seen {
    tops: Vec<f64>,
    /// Times of the first touch, the first release and the second touch, s.
    ends: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ended, through};

    #[test]
    fn a_state_on_the_floor_begins_a_contact_and_ends_none() {
        let measure = Bounces { of: "q".to_owned(), top: "v".to_owned(), count: 1 };
        let heights = [1.0, 0.0, -1.0, 0.0, 0.0, -1.0];
        let times: Vec<f64> = (0..6).map(f64::from).collect();
        let values = ended(through(&measure, &times, |t| vec![heights[t as usize], t]), false);
        assert_eq!(values, [Some(3.0), Some(2.0), Some(1.0)]);
    }

    #[test]
    fn the_sign_of_the_height_separates_contacts_and_flights() {
        // cos πt has contacts of 1 s from 0.5 s on and flights of 1 s; tops are 2 + the number of half turns
        let observables = |t: f64| vec![(std::f64::consts::PI * t).cos(), 2.0 + (t + 0.5).floor()];
        let measure = Bounces { of: "q".to_owned(), top: "v".to_owned(), count: 3 };
        let times: Vec<f64> = (0..=46).map(|k| 0.1 * f64::from(k)).collect();
        let values = ended(through(&measure, &times, observables), false);
        assert_eq!(values[..3], [Some(4.0), Some(6.0), None]);
        for duration in &values[3..] {
            assert!((duration.unwrap() - 1.0).abs() < 1e-12, "{duration:?}");
        }
        assert_eq!(ended(through(&measure, &times[..5], observables), false), [None; 5]);
    }
}
