//! What a person sees while the program works: a bar on a terminal, plain lines elsewhere.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mbsbench_experiment::RunKey;
use mbsbench_problem::Status;

use crate::costs::Costs;
use crate::execute::run::Record;
use crate::stop::Stop;

/// Progress over a known number of runs. All output goes to standard error.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Whether failures are told as they happen.
    tells_failures: bool,
    state: Mutex<State>,
    stop: Stop,
}

#[derive(Debug, Default)]
struct State {
    total: usize,
    done: usize,
    kept: usize,
    failed: usize,
    /// How many failures were told, or would have been if they were fewer.
    told: usize,
    /// What program or machine ended, and how.
    lost: Vec<(Status, String)>,
    /// Seconds that each run and reference took, by its key.
    costs: BTreeMap<String, f64>,
    left: Left,
    /// When a plain line was said last, or this began.
    said: Option<Instant>,
}

impl State {
    /// Whether it is time for another plain line, which is said then.
    fn is_due(&mut self) -> bool {
        let is_due = self.said.is_none_or(|said| said.elapsed() >= PLAIN_INTERVAL);
        if is_due {
            self.said = Some(Instant::now());
        }
        is_due
    }
}

/// Runs that this process was to make, and those that are in a store by now: what an interrupted program can still say.
static PLANNED: AtomicUsize = AtomicUsize::new(0);
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// How many runs are in a store by now, and how many this process was to make or to find there.
pub fn kept_of_all() -> (usize, usize) {
    (KEPT.load(Ordering::Relaxed), PLANNED.load(Ordering::Relaxed))
}

/// What is left to do.
#[derive(Debug, Default)]
struct Left {
    /// Seconds of work on one core that are expected, and how many work on it.
    expected: f64,
    cores: usize,
    /// Seconds that were expected of what is over by now, and what they came to.
    over: [f64; 2],
}

impl Left {
    /// The time that is left, as `3:20`, by what this machine needed so far; none where nothing is known of it.
    fn said(&self) -> Option<String> {
        // Few seconds say little of a machine.
        const SOME: f64 = 2.0;
        if self.cores == 0 {
            return None;
        }
        let [guessed, took] = self.over.map(|seconds| seconds + SOME);
        let seconds = (self.expected / self.cores as f64 * took / guessed).round();
        (seconds >= 1.0).then(|| format!("{}:{:02}", (seconds / 60.0).floor(), seconds % 60.0))
    }
}

/// Distance between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

impl Progress {
    /// Progress over `total` runs; zero if nobody knows how many there will be.
    pub fn new(total: usize) -> Self {
        PLANNED.fetch_add(total, Ordering::Relaxed);
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} runs{prefix}  {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            tells_failures: true,
            state: Mutex::new(State { total, said: Some(Instant::now()), ..State::default() }),
            stop: Stop::now(),
        }
    }

    /// Says nothing; for tests and for callers who show their own.
    pub fn silent() -> Self {
        Self { bar: Some(ProgressBar::hidden()), ..Self::new(0) }
    }

    /// The same without a line for each run that fails: where failures are expected and counted.
    #[must_use]
    pub fn counting_failures(self) -> Self {
        Self { tells_failures: false, ..self }
    }

    /// Whether somebody has [asked](crate::stop::ask) since that no further run be begun.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }

    /// How many runs are done by now, made or taken from the store, and how many of these failed.
    pub fn done(&self) -> (usize, usize) {
        let state = self.lock();
        (state.done, state.failed)
    }

    /// A run was taken from the store; how it failed is said again.
    pub fn kept(&self, title: &str, record: &Record) {
        self.tell_failure(title, record);
        self.count(record.status, true, true);
    }

    /// Makes a run or reference and notes what it took.
    pub(crate) fn timed<T>(&self, key: &RunKey, expected: Duration, make: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let made = make();
        let (expected, took) = (expected.as_secs_f64(), begin.elapsed().as_secs_f64());
        let mut state = self.lock();
        state.costs.insert(key.to_string(), took);
        state.left.expected -= expected;
        state.left.over[0] += expected;
        state.left.over[1] += took;
        self.say(state);
        made
    }

    /// What is left to do from now on, in time on one core, goes to the threads of the pool.
    pub(crate) fn expect(&self, work: Duration) {
        let mut state = self.lock();
        if !work.is_zero() || state.left.expected > 0.0 {
            (state.left.expected, state.left.cores) = (work.as_secs_f64(), rayon::current_num_threads());
        }
    }

    /// Seconds that each run and reference took that was made, by its key as it is shown.
    pub fn costs(&self) -> Costs {
        Costs(self.lock().costs.clone())
    }

    /// A run begins.
    pub fn started(&self, title: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(title.to_owned());
        }
    }

    /// A run is over, and in a store by now or not.
    pub fn finished(&self, title: &str, record: &Record, is_kept: bool) {
        match &record.message {
            Some(message) if record.status.is_lost() => self.lost(record.status, title, message),
            _ => self.tell_failure(title, record),
        }
        self.count(record.status, false, is_kept);
    }

    /// Says why a run failed. Of many runs that fail the first ones stand for all: their rows say why, too.
    fn tell_failure(&self, title: &str, record: &Record) {
        const MOST: usize = 5;
        let Some(message) = record.message.as_ref().filter(|_| self.tells_failures && record.status != Status::Ok)
        else {
            return;
        };
        let told = {
            let mut state = self.lock();
            state.told += 1;
            state.told
        };
        match told {
            ..=MOST => self.line(&format!("{title}: {message}")),
            _ if told == MOST + 1 => self.line("more runs fail; the column `message` of `runs.csv` says why"),
            _ => {}
        }
    }

    /// Program or machine ended a run or a reference, as `said`.
    pub fn lost(&self, status: Status, title: &str, said: &str) {
        self.line(&format!("{title}: {said}"));
        self.lock().lost.push((status, title.to_owned()));
    }

    /// The runs and references that ended so, in the order of their titles.
    pub fn all_lost(&self, status: Status) -> Vec<String> {
        let lost = self.lock();
        let mut titles: Vec<String> =
            lost.lost.iter().filter(|(how, _)| *how == status).map(|(_, title)| title.clone()).collect();
        titles.sort();
        titles
    }

    /// How many runs were made, taken from the store, and failed.
    pub fn summary(&self) -> String {
        let state = self.lock();
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let mut text = format!("{} run{}, {} from the cache", state.done, plural(state.done), state.kept);
        if state.failed > 0 {
            text.push_str(&format!(", {} failed", state.failed));
        }
        text
    }

    /// Shows how far a search is.
    pub fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
            return;
        }
        if self.lock().is_due() {
            self.line(text);
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Counts a run that was in a store before, or is by now.
    fn count(&self, status: Status, was_kept: bool, is_kept: bool) {
        let mut state = self.lock();
        state.done += 1;
        state.kept += usize::from(was_kept);
        state.failed += usize::from(status != Status::Ok);
        KEPT.fetch_add(usize::from(is_kept), Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        self.say(state);
    }

    /// Says how far it is, if it is time to say it again.
    fn say(&self, mut state: MutexGuard<'_, State>) {
        let left = state.left.said().map_or_else(String::new, |time| format!(", {time} left"));
        if let Some(bar) = &self.bar {
            bar.set_prefix(left);
        } else if state.total > 0 && state.is_due() {
            let text = format!("{} of {} runs, {} failed{left}", state.done, state.total, state.failed);
            drop(state);
            self.line(&text);
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| write_line(text)),
            None => write_line(text),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while counting leaves counts that are still counts.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_line(text: &str) {
    // Nobody to tell where standard error is gone.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_goes_by_what_this_machine_needed_so_far() {
        let left = |expected, cores, over| Left { expected, cores, over }.said();
        assert_eq!(left(100.0, 2, [0.0, 0.0]).as_deref(), Some("0:50"));
        // Twice as long as expected for most of a minute.
        assert_eq!(left(100.0, 2, [58.0, 118.0]).as_deref(), Some("1:40"));
        // Nothing is known, and nothing is left.
        assert_eq!([left(0.0, 0, [0.0, 5.0]), left(0.5, 2, [9.0, 9.0])], [None, None]);
    }
}
