//! What runs cost: seconds that were measured, and an estimate where nothing was.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mbsbench_experiment::plan::{Plan, RunKey, RunSpec};
use mbsbench_input::{LARGEST_DATA, read_file, write_replaceable};
use mbsbench_problem::StepControl;

use crate::cli::CommandError;

/// Beside the entries of a store, which is left alone by what merges stores since its name begins with a dot.
const FILE: &str = ".costs.csv";

/// Seconds of a step of which nothing at all is known.
const STEP: f64 = 1e-6;

/// Seconds that runs and references took when they were made last, by their keys as they are shown. No result depends on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::cli) struct Costs(BTreeMap<String, f64>);

impl Costs {
    /// Those that are known of the runs in a store.
    pub fn of_store(cache: &Path) -> Self {
        Self::read(&cache.join(FILE))
    }

    /// Those in a file. What is not there or makes no sense is not known.
    pub fn read(path: &Path) -> Self {
        let bytes = read_file(path, LARGEST_DATA).unwrap_or_default();
        let rows = csv::Reader::from_reader(bytes.as_slice()).into_deserialize().flatten();
        Self(rows.filter(|(_, seconds): &(String, f64)| seconds.is_finite() && *seconds >= 0.0).collect())
    }

    /// Writes them into a file.
    pub fn write(&self, path: &Path) -> Result<(), CommandError> {
        let lines = self.0.iter().map(|(key, seconds)| format!("{key},{seconds:.6}\n"));
        let text: String = std::iter::once("key,seconds\n".to_owned()).chain(lines).collect();
        write_replaceable(path, text.as_bytes()).map_err(|error| CommandError::Store { path: path.to_owned(), error })
    }

    /// Adds what is known of the runs in a store, in favour of what is given here, and writes all there.
    pub fn learnt(self, cache: &Path) -> Result<(), CommandError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut all = Self::of_store(cache);
        all.0.extend(self.0);
        all.write(&cache.join(FILE))
    }

    /// Those of several files together.
    pub fn of_files(paths: impl Iterator<Item = PathBuf>) -> Self {
        Self(paths.flat_map(|path| Self::read(&path).0).collect())
    }

    fn of(&self, key: &RunKey) -> Option<f64> {
        self.0.get(&key.to_string()).copied()
    }
}

impl From<BTreeMap<String, f64>> for Costs {
    fn from(seconds: BTreeMap<String, f64>) -> Self {
        Self(seconds)
    }
}

/// What the runs of some plans cost: what was measured, else so many seconds for each of their steps as others of their kind took, for the
/// same method in the experiment, in the experiment, or anywhere.
#[derive(Debug, Default)]
pub(in crate::cli) struct Estimate {
    costs: Costs,
    /// Median seconds of a step by kinds.
    rates: HashMap<[String; 3], f64>,
}

impl Estimate {
    /// Learns from what is known of the runs of some plans.
    pub fn new(costs: Costs, plans: &[Plan]) -> Self {
        let mut samples: HashMap<[String; 3], Vec<f64>> = HashMap::new();
        for (plan, run) in plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run))) {
            let Some(seconds) = costs.of(run.key()) else { continue };
            for kind in kinds(plan, run) {
                samples.entry(kind).or_default().push(seconds / steps(run));
            }
        }
        Self { costs, rates: samples.into_iter().map(|(kind, samples)| (kind, median(samples))).collect() }
    }

    /// Whether the cost of a run was measured.
    pub fn is_measured(&self, run: &RunSpec) -> bool {
        self.costs.of(run.key()).is_some()
    }

    /// What a run costs.
    pub fn of_run(&self, plan: &Plan, run: &RunSpec) -> Duration {
        let rate = || kinds(plan, run).iter().find_map(|kind| self.rates.get(kind)).copied().unwrap_or(STEP);
        duration(self.costs.of(run.key()).unwrap_or_else(|| rate() * steps(run)))
    }

    /// What a reference costs; nothing where that is not known.
    pub fn of_reference(&self, key: &RunKey) -> Duration {
        duration(self.costs.of(key).unwrap_or(0.0))
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// What a run is one of, from the narrowest to the widest. Steps that a method chooses are no measure for constant ones.
fn kinds(plan: &Plan, run: &RunSpec) -> [[String; 3]; 3] {
    let control = match run.settings.control {
        StepControl::Fixed { .. } => "constant",
        StepControl::Tolerance { .. } => "chosen",
    };
    let kind = |experiment: &str, method: &str| [experiment, method, control].map(str::to_owned);
    let id = plan.experiment.id.as_str();
    [kind(id, run.method.name()), kind(id, ""), kind("", "")]
}

/// The steps of a run; to a tolerance those of a method of order five, but for a factor.
fn steps(run: &RunSpec) -> f64 {
    let [start, end] = run.span;
    let length = match run.settings.control {
        StepControl::Fixed { step } => step,
        StepControl::Tolerance { rel, .. } => rel.powf(0.2),
    };
    // A span of no length and a tolerance of zero are still some work.
    ((end - start) / length).clamp(1.0, 1e12)
}

/// The median of what is not empty.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
