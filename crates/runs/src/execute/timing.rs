//! The timing lane: alone, after everything else, in rounds of all runs, every sample kept.

use std::ops::ControlFlow;
use std::time::Instant;

use mbsbench_experiment::RunSpec;
use mbsbench_problem::{Failure, Formulated, Method, Model, Observer, Settings, Solution, Statistics, Step, Task};

use crate::pairs;

/// What was timed of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timed {
    /// Seconds of the steps, one a round.
    pub samples: Vec<f64>,
    /// Seconds before the first step, one a round.
    pub set_ups: Vec<f64>,
    /// Accepted steps of the run.
    pub steps: u64,
}

/// How many rounds are made, in each of which every run is timed once.
#[derive(Debug, Clone, Copy)]
pub struct Rounds<'r> {
    /// As many at least.
    pub least: usize,
    /// As many at most.
    pub most: usize,
    /// Relative width that the interval of each asked quotient is to have; none where `least` rounds are made.
    pub until: Option<f64>,
    /// The quotients: indices of the two runs.
    pub quotients: &'r [[usize; 2]],
}

/// Seconds beside which cold caches are nothing.
const LONG: f64 = 0.1;

/// Seconds of work after which no further round is begun in search of a narrow interval.
const BUDGET: f64 = 120.0;

/// Rounds from one look at the intervals to the next. A search that stops at the first narrow interval would find one too
/// early, the more often it looks.
const BETWEEN_LOOKS: usize = 10;

/// Solves every run once a round, on this thread, without measures: `samples[k]` of all runs are of the same round. The order
/// within a round is drawn anew for every other round and turned around for the next, so that it favours nobody.
///
/// In the first round a short run is made twice and only the second time counts: it would pay for cold caches.
pub fn time_all(runs: &[&RunSpec], rounds: &Rounds<'_>) -> Vec<Timed> {
    let made: Vec<_> = runs.iter().map(|run| (run.model.object().model(), run.method.object().method())).collect();
    let mut timed = vec![Timed::default(); runs.len()];
    let mut order = Order::new(runs.len());
    let mut work = 0.0;
    for round in 0..rounds.most.max(rounds.least) {
        if round >= rounds.least && is_enough(rounds, round, &timed, work) {
            break;
        }
        for &index in order.next() {
            let (model, method) = &made[index];
            let time = || time(&**model, &**method, runs[index].span, runs[index].settings);
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

/// Whether no further round is needed, or there is no time for one.
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

/// A solve that was timed.
#[derive(Debug, Clone)]
pub struct TimedSolve {
    /// Before the first step, s.
    pub set_up: f64,
    /// From then on, s.
    pub seconds: f64,
    /// Its counters.
    pub statistics: Statistics,
    /// Why it stopped early, if it did.
    pub failure: Option<Failure>,
}

/// Notes when the first step is about to be attempted, and looks away then.
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

/// Solves once, without measures, and times it.
pub fn time(model: &dyn Model, method: &dyn Method, span: [f64; 2], settings: Settings) -> TimedSolve {
    let initial = Formulated::<f64>::initial_state(model);
    let mut ode = Formulated::<f64>::ode(model);
    let task = Task { t_start: span[0], t_end: span[1], initial: &initial, settings };
    let mut starter = Starter::default();
    let begin = Instant::now();
    let solution = task.solve(method, ode.as_mut(), &mut starter);
    let end = Instant::now();
    let start = starter.0.unwrap_or(end);
    let Solution { statistics, failure, .. } = std::hint::black_box(solution);
    TimedSolve { set_up: (start - begin).as_secs_f64(), seconds: (end - start).as_secs_f64(), statistics, failure }
}

/// Orders of the jobs, round by round; the same in every program.
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
            // D. E. Knuth's constants of a linear congruential generator (MMIX); the upper bits are the random ones.
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.indices.swap(last, (self.state >> 33) as usize % (last + 1));
        }
        &self.indices
    }
}

/// Median and half the distance of the quartiles (nearest rank).
pub fn median_and_spread(samples: &[f64]) -> (f64, f64) {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |p: f64| sorted.get(((sorted.len() - 1) as f64 * p).round() as usize).copied().unwrap_or(f64::NAN);
    if sorted.is_empty() { (f64::NAN, f64::NAN) } else { (rank(0.5), 0.5 * (rank(0.75) - rank(0.25))) }
}

/// The machine that timings were taken on, in one line: processor, cores, operating system.
pub fn machine() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            line.split_once(':').map(|(_, name)| name.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{processor}, {cores} cores, {}", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_every_job_and_no_job_has_a_place_of_its_own() {
        let (mut order, mut places) = (Order::new(5), [[0; 5]; 5]);
        for _ in 0..200 {
            for (place, &job) in order.next().iter().enumerate() {
                places[job][place] += 1;
            }
        }
        assert!(places.iter().all(|places| places.iter().sum::<i32>() == 200));
        assert!(places.iter().flatten().all(|&times| (20..=60).contains(&times)), "{places:?}");
        // A job that stands before another does so in half of all rounds: exactly, by turning around.
        let (mut order, mut before) = (Order::new(2), 0);
        (0..100).for_each(|_| before += usize::from(order.next()[0] == 0));
        assert_eq!(before, 50);
    }

    #[test]
    fn rounds_end_where_the_interval_is_narrow_or_a_budget_is_used_up() {
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
