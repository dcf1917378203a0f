//! The display of progress: a bar on a terminal, plain lines elsewhere.

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
    /// True if failures are reported as they happen.
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
    /// The number of failures reported, including those that exceed the limit.
    told: usize,
    /// The runs ended by the program or the machine: status and description.
    lost: Vec<(Status, String)>,
    /// The seconds that each run and reference took, by key.
    costs: BTreeMap<String, f64>,
    left: Left,
    /// The start of each run and reference under way, by its title.
    running: BTreeMap<String, Instant>,
    /// The time of the last plain line, or of the start.
    said: Option<Instant>,
}

impl State {
    /// Returns true, and notes the time, if another plain line is due.
    fn is_due(&mut self) -> bool {
        let is_due = self.said.is_none_or(|said| said.elapsed() >= PLAIN_INTERVAL);
        if is_due {
            self.said = Some(Instant::now());
        }
        is_due
    }

    /// Describes the run that has been under way for the longest time, if it takes seconds: `12 s so far: rk4, step 1`.
    fn slowest(&self) -> Option<String> {
        const SLOW: Duration = Duration::from_secs(2);
        let (title, begin) = self.running.iter().min_by_key(|(_, begin)| **begin)?;
        let seconds = begin.elapsed();
        (seconds >= SLOW).then(|| format!("{} s so far: {title}", seconds.as_secs()))
    }
}

/// The number of runs planned by this process and the number in the cache so far, for the last message of an
/// interrupted program.
static PLANNED: AtomicUsize = AtomicUsize::new(0);
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of runs in the cache so far, and the number that this process was to execute or find there.
pub fn kept_of_all() -> (usize, usize) {
    (KEPT.load(Ordering::Relaxed), PLANNED.load(Ordering::Relaxed))
}

/// The work that remains.
#[derive(Debug, Default)]
struct Left {
    /// The expected seconds of work on one core, and the number of cores that share it.
    expected: f64,
    cores: usize,
    /// The seconds expected for the finished work, and those that it took.
    over: [f64; 2],
}

impl Left {
    /// Returns the remaining time, as `3:20`, scaled by the speed of this machine so far; `None` if nothing is known of
    /// it.
    fn said(&self) -> Option<String> {
        // A few seconds are not representative of a machine.
        const SOME: f64 = 2.0;
        if self.cores == 0 {
            return None;
        }
        let [guessed, took] = self.over.map(|seconds| seconds + SOME);
        let seconds = (self.expected / self.cores as f64 * took / guessed).round();
        (seconds >= 1.0).then(|| format!("{}:{:02}", (seconds / 60.0).floor(), seconds % 60.0))
    }
}

/// The time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

impl Progress {
    /// Creates the progress of `total` runs; zero if the number is unknown.
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

    /// Creates silent progress, for tests and for callers with a display of their own.
    pub fn silent() -> Self {
        Self { bar: Some(ProgressBar::hidden()), ..Self::new(0) }
    }

    /// Returns the same progress without a line for each failed run, for callers that expect and count failures.
    #[must_use]
    pub fn counting_failures(self) -> Self {
        Self { tells_failures: false, ..self }
    }

    /// True if no further run may begin, because all work has been [asked](crate::stop::ask) to end since the start.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }

    /// Returns the number of runs finished so far, executed or from the cache, and how many of these failed.
    pub fn done(&self) -> (usize, usize) {
        let state = self.lock();
        (state.done, state.failed)
    }

    /// Reports a run from the cache, and its failure if it failed.
    pub fn kept(&self, title: impl FnOnce() -> String, record: &Record) {
        if record.message.is_some() {
            self.tell_failure(&title(), record);
        }
        self.count(record.status, true, true);
    }

    /// Executes a run or reference and notes the time.
    pub(crate) fn timed<T>(&self, title: &str, key: &RunKey, expected: Duration, make: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        self.lock().running.insert(title.to_owned(), begin);
        let made = make();
        let (expected, took) = (expected.as_secs_f64(), begin.elapsed().as_secs_f64());
        let mut state = self.lock();
        state.running.remove(title);
        state.costs.insert(key.to_string(), took);
        state.left.expected -= expected;
        state.left.over[0] += expected;
        state.left.over[1] += took;
        self.say(state);
        made
    }

    /// Sets the remaining work, in seconds on one core, which the threads of the pool share.
    pub(crate) fn expect(&self, work: Duration) {
        let mut state = self.lock();
        if !work.is_zero() || state.left.expected > 0.0 {
            (state.left.expected, state.left.cores) = (work.as_secs_f64(), rayon::current_num_threads());
        }
    }

    /// Returns the seconds that each executed run and reference took, by its key in short form.
    pub fn costs(&self) -> Costs {
        Costs(self.lock().costs.clone())
    }

    /// Reports the start of a run.
    pub fn started(&self, title: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(title.to_owned());
        }
    }

    /// Reports the end of a run; `is_kept` is true if it is in the cache.
    pub fn finished(&self, title: &str, record: &Record, is_kept: bool) {
        match &record.message {
            Some(message) if record.status.is_lost() && record.status != Status::Interrupted => {
                self.lost(record.status, title, message);
            }
            _ => self.tell_failure(title, record),
        }
        self.count(record.status, false, is_kept);
    }

    /// Reports a warning, or why a run failed. Only the first failures are reported; the rows of all failed runs have
    /// the reason.
    fn tell_failure(&self, title: &str, record: &Record) {
        const MOST: usize = 5;
        let Some(message) = record.message.as_ref().filter(|_| self.tells_failures) else { return };
        if record.status == Status::Ok {
            return self.line(&format!("warning: {title}: {message}"));
        }
        let told = {
            let mut state = self.lock();
            state.told += 1;
            state.told
        };
        match told {
            ..=MOST => self.line(&format!("{title}: {message}")),
            _ if told == MOST + 1 => self.line("more runs failed; `run` writes all messages to `runs.csv`"),
            _ => {}
        }
    }

    /// Reports that the program or the machine ended a run or reference, with the description `said`.
    pub fn lost(&self, status: Status, title: &str, said: &str) {
        self.line(&format!("{title}: {said}"));
        self.lock().lost.push((status, title.to_owned()));
    }

    /// Returns the runs and references that ended with this status, in the order of their titles.
    pub fn all_lost(&self, status: Status) -> Vec<String> {
        let lost = self.lock();
        let mut titles: Vec<String> =
            lost.lost.iter().filter(|(how, _)| *how == status).map(|(_, title)| title.clone()).collect();
        titles.sort();
        titles
    }

    /// Summarises how many runs were executed, were in the cache, and failed.
    pub fn summary(&self) -> String {
        let state = self.lock();
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let mut text = format!("{} run{}, {} from the cache", state.done, plural(state.done), state.kept);
        if state.failed > 0 {
            text.push_str(&format!(", {} failed", state.failed));
        }
        text
    }

    /// Shows the progress of a search.
    pub fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
            return;
        }
        if self.lock().is_due() {
            self.line(text);
        }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Counts a run; `was_kept` is true if the cache had it before, and `is_kept` if it has it now.
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

    /// Shows the progress if some time has passed since it was last shown, with the slowest run under way.
    pub fn tick(&self) {
        self.say(self.lock());
    }

    /// Prints the progress if a plain line is due.
    fn say(&self, mut state: MutexGuard<'_, State>) {
        let left = state.left.said().map_or_else(String::new, |time| format!(", {time} left"));
        let slowest = state.slowest();
        if let Some(bar) = &self.bar {
            bar.set_prefix(left);
            slowest.into_iter().for_each(|slowest| bar.set_message(slowest));
        } else if state.total > 0 && state.is_due() {
            let slowest = slowest.map_or_else(String::new, |slowest| format!("; {slowest}"));
            let text = format!("{} of {} runs, {} failed{left}{slowest}", state.done, state.total, state.failed);
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
        // The counts remain usable if a thread panics while counting.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_line(text: &str) {
    // If standard error is closed, the message is dropped.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_time_is_based_on_this_machine() {
        let left = |expected, cores, over| Left { expected, cores, over }.said();
        assert_eq!(left(100.0, 2, [0.0, 0.0]).as_deref(), Some("0:50"));
        // Work of almost a minute took twice as long as expected.
        assert_eq!(left(100.0, 2, [58.0, 118.0]).as_deref(), Some("1:40"));
        // In the first case nothing is known, in the second nothing is left.
        assert_eq!([left(0.0, 0, [0.0, 5.0]), left(0.5, 2, [9.0, 9.0])], [None, None]);
    }
}
