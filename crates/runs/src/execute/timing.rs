//! The timing lane: times runs one at a time, after all other work, in rounds of all runs, and keeps every sample.

use std::ops::ControlFlow;
use std::time::Instant;

use mbsbench_experiment::RunSpec;
use mbsbench_problem::{Failure, Formulated, Method, Model, Observer, Settings, Solution, Statistics, Step, Task};

use crate::pairs;

/// The samples of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timed {
    /// The seconds of all steps, one value for each round.
    pub samples: Vec<f64>,
    /// The seconds before the first step, one value for each round.
    pub set_ups: Vec<f64>,
    /// The number of accepted steps of the run.
    pub steps: u64,
}

/// The number of rounds, in each of which every run is timed once.
#[derive(Debug, Clone, Copy)]
pub struct Rounds<'r> {
    /// The smallest number of rounds.
    pub least: usize,
    /// The largest number of rounds.
    pub most: usize,
    /// The relative width required of the interval of each quotient; with `None`, `least` rounds are made.
    pub until: Option<f64>,
    /// The quotients, as the indices of their two runs.
    pub quotients: &'r [[usize; 2]],
}

/// Runs longer than this, in seconds, are not affected by cold caches.
const LONG: f64 = 0.1;

/// The seconds of work after which a search for narrow intervals begins no further round.
const BUDGET: f64 = 120.0;

/// The number of rounds between two inspections of the intervals. A search that stops at the first narrow interval
/// would stop too early if it looked more often.
const BETWEEN_LOOKS: usize = 10;

/// Solves every run once in each round, on this thread, without measures; `samples[k]` of all runs belong to the same
/// round. Every other round has a new random order, and the next one reverses it, so that no run is favoured.
///
/// In the first round, short runs are executed twice, and only the second time counts, because the first suffers from
/// cold caches.
pub fn time_all(runs: &[&RunSpec], rounds: &Rounds<'_>) -> Vec<Timed> {
    let made: Vec<_> = runs.iter().map(|run| (run.model.object.model(), run.method.object.method())).collect();
    let mut timed = vec![Timed::default(); runs.len()];
    let mut order = Order::new(runs.len());
    let mut work = 0.0;
    for round in 0..rounds.most.max(rounds.least) {
        if round >= rounds.least && is_enough(rounds, round, &timed, work) {
            break;
        }
        for &index in order.next() {
            let (model, method) = &made[index];
            let time = || time(&**model, &**method, (runs[index].span, &runs[index].breaks), runs[index].settings);
            let mut solve = time();
            work += solve.set_up + solve.seconds;
            if round == 0 && solve.seconds <= LONG {
                solve = time();
                work += solve.set_up + solve.seconds;
            }
            timed[index].steps = solve.statistics.steps_accepted;
            timed[index].samples.push(solve.seconds);
            timed[index].set_ups.push(solve.set_up);
        }
    }
    timed
}

/// True if no further round is needed, or there is no time for one.
fn is_enough(rounds: &Rounds<'_>, made: usize, timed: &[Timed], work: f64) -> bool {
    let Some(until) = rounds.until else { return true };
    if work + work / made as f64 > BUDGET {
        return true;
    }
    let is_narrow = |[of, to]: &[usize; 2]| {
        pairs::ratio(&timed[*of].samples, &timed[*to].samples).is_some_and(|ratio| ratio.relative_width() <= until)
    };
    (made - rounds.least).is_multiple_of(BETWEEN_LOOKS) && rounds.quotients.iter().all(is_narrow)
}

/// A timed solve.
#[derive(Debug, Clone)]
pub struct TimedSolve {
    /// The seconds before the first step.
    pub set_up: f64,
    /// The seconds from the first step on.
    pub seconds: f64,
    /// The counters.
    pub statistics: Statistics,
    /// The failure that ended the solve early, if any.
    pub failure: Option<Failure>,
}

/// Notes the time just before the first attempt of a step, and then stops observing.
#[derive(Default)]
struct Starter(Option<Instant>);

impl Observer for Starter {
    fn watches(&self) -> bool {
        false
    }

    fn ready(&mut self) {
        self.0 = Some(Instant::now());
    }

    fn step(&mut self, _step: &mut Step<'_>) -> ControlFlow<Failure> {
        ControlFlow::Continue(())
    }
}

/// Solves once over a span with break points, s, without measures, and times it.
pub fn time(
    model: &dyn Model,
    method: &dyn Method,
    (span, breaks): ([f64; 2], &[f64]),
    settings: Settings,
) -> TimedSolve {
    let initial = Formulated::<f64>::initial_state(model);
    let mut ode = Formulated::<f64>::ode(model);
    let task = Task { t_start: span[0], t_end: span[1], initial: &initial, settings };
    let mut starter = Starter::default();
    let begin = Instant::now();
    let solution = task.solve_with_breaks(breaks, method, ode.as_mut(), &mut starter);
    let end = Instant::now();
    let start = starter.0.unwrap_or(end);
    let Solution { statistics, failure, .. } = std::hint::black_box(solution);
    TimedSolve { set_up: (start - begin).as_secs_f64(), seconds: (end - start).as_secs_f64(), statistics, failure }
}

/// The random orders of the jobs, round by round; they are the same in every execution.
struct Order {
    indices: Vec<usize>,
    state: u64,
    is_turned: bool,
}

impl Order {
    fn new(jobs: usize) -> Self {
        Self { indices: (0..jobs).collect(), state: 1, is_turned: true }
    }

    fn next(&mut self) -> &[usize] {
        self.is_turned = !self.is_turned;
        if self.is_turned {
            self.indices.reverse();
            return &self.indices;
        }
        for last in (1..self.indices.len()).rev() {
            // The linear congruential generator MMIX of D. E. Knuth; only the upper bits are sufficiently random.
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.indices.swap(last, (self.state >> 33) as usize % (last + 1));
        }
        &self.indices
    }
}

/// Returns the median and half the interquartile range (nearest rank).
pub fn median_and_spread(samples: &[f64]) -> (f64, f64) {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |p: f64| sorted.get(((sorted.len() - 1) as f64 * p).round() as usize).copied().unwrap_or(f64::NAN);
    if sorted.is_empty() { (f64::NAN, f64::NAN) } else { (rank(0.5), 0.5 * (rank(0.75) - rank(0.25))) }
}

/// Describes the machine of the timings in one line: processor, cores, operating system.
pub fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    let processor = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{processor}, {cores} cores, {}", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_runs_all_jobs_in_varying_order() {
        let (mut order, mut places) = (Order::new(5), [[0; 5]; 5]);
        for _ in 0..200 {
            for (place, &job) in order.next().iter().enumerate() {
                places[job][place] += 1;
            }
        }
        assert!(places.iter().all(|places| places.iter().sum::<i32>() == 200));
        assert!(places.iter().flatten().all(|&times| (20..=60).contains(&times)), "{places:?}");
        // Each of two jobs comes first in exactly half of all rounds, due to the reversal.
        let (mut order, mut before) = (Order::new(2), 0);
        (0..100).for_each(|_| before += usize::from(order.next()[0] == 0));
        assert_eq!(before, 50);
    }

    #[test]
    fn rounds_end_at_a_narrow_interval_or_the_budget() {
        let timed = |spread: f64, rounds: usize| {
            let samples = |of: f64| (0..rounds).map(|k| of * (1.0 + spread * (k as f64 * of).sin())).collect();
            [1.3, 1.0].map(|of| Timed { samples: samples(of), set_ups: Vec::new(), steps: 1 })
        };
        let rounds = Rounds { least: 11, most: 101, until: Some(0.03), quotients: &[[0, 1]] };
        assert!(is_enough(&rounds, 11, &timed(0.005, 11), 1.0));
        assert!(!is_enough(&rounds, 11, &timed(0.3, 11), 1.0));
        assert!(!is_enough(&rounds, 12, &timed(0.005, 12), 1.0), "not looked at before the next ten");
        assert!(is_enough(&rounds, 21, &timed(0.005, 21), 1.0));
        assert!(is_enough(&rounds, 12, &timed(0.3, 12), BUDGET));
        assert!(is_enough(&Rounds { until: None, ..rounds }, 11, &timed(0.3, 11), 1.0));
    }

    #[test]
    fn median_and_quartiles_by_nearest_rank() {
        let (median, spread) = median_and_spread(&[5.0, 1.0, 2.0, 4.0, 3.0]);
        assert_eq!((median, spread), (3.0, 1.0));
        assert!(median_and_spread(&[]).0.is_nan());
    }
}
