//! The timing lane: alone, after everything else, interleaved, every sample kept.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::run::Job;
use mbsbench_problem::{Counted, Formulated, Silent, Task};

/// What was timed of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Seconds, in the order taken.
    pub samples: Vec<f64>,
    /// Accepted steps of the run.
    pub steps: u64,
}

/// Seconds beside which cold caches are nothing.
const LONG: f64 = 0.1;

/// Solves every job `repeat` times, interleaved (A B C A B C …), on this thread, without measures.
///
/// One round goes first that counts for long jobs only: the others would pay for cold caches.
pub fn time_all(jobs: &[Job<'_>], repeat: usize) -> Vec<Timed> {
    let mut timed = vec![Timed::default(); jobs.len()];
    for round in 0..=repeat {
        for (job, timed) in jobs.iter().zip(&mut timed).filter(|(_, timed)| timed.samples.len() < repeat) {
            let initial = Formulated::<f64>::initial_state(job.model);
            let mut ode = Formulated::<f64>::ode(job.model);
            let task = Task { t_start: job.span[0], t_end: job.span[1], initial: &initial, settings: job.settings };
            let begin = Instant::now();
            let solution = job.method.solve(Counted::new(ode.as_mut()), &task, &mut Silent);
            let seconds = begin.elapsed().as_secs_f64();
            timed.steps = std::hint::black_box(solution).statistics.steps_accepted;
            if round > 0 || seconds > LONG {
                timed.samples.push(seconds);
            }
        }
    }
    timed
}

/// Median and half the distance of the quartiles (nearest rank).
#[must_use]
pub fn median_and_spread(samples: &[f64]) -> (f64, f64) {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |p: f64| sorted.get(((sorted.len() - 1) as f64 * p).round() as usize).copied().unwrap_or(f64::NAN);
    if sorted.is_empty() { (f64::NAN, f64::NAN) } else { (rank(0.5), 0.5 * (rank(0.75) - rank(0.25))) }
}

/// The machine that timings were taken on, in one line: processor, cores, operating system.
#[must_use]
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
    fn median_and_quartiles_by_nearest_rank() {
        let (median, spread) = median_and_spread(&[5.0, 1.0, 2.0, 4.0, 3.0]);
        assert_eq!((median, spread), (3.0, 1.0));
        assert!(median_and_spread(&[]).0.is_nan());
    }
}
