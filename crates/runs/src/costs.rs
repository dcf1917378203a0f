//! Costs of runs in seconds: measured, or estimated if there is no measurement.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use mbsbench_experiment::{Plan, RunKey, RunSpec};
use mbsbench_input::{LARGEST_DATA, read_file, write_atomically, write_replaceable};
use mbsbench_problem::StepControl;

use crate::pairs::median;

/// The file in the cache folder. Merging skips it because its name begins with a dot.
const FILE: &str = ".costs.csv";

/// The file below a folder of results with the costs that are used if the cache has none.
pub const RECORDED: &str = "times/costs.csv";

/// Runs shorter than this, in seconds, are not recorded, because their order does not matter.
const SHORT: f64 = 0.01;

/// The assumed time of a step, s, if nothing has been measured.
const STEP: f64 = 1e-6;

/// The seconds that runs and references took when they were last made, by their keys in short form. No result depends
/// on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Costs(pub(crate) BTreeMap<String, f64>);

impl Costs {
    /// Reads the costs in a file; missing or invalid entries are ignored.
    fn read(path: &Path) -> Self {
        let bytes = read_file(path, LARGEST_DATA).unwrap_or_default();
        let rows = csv::Reader::from_reader(bytes.as_slice()).into_deserialize().flatten();
        Self(rows.filter(|(_, seconds): &(String, f64)| seconds.is_finite() && *seconds >= 0.0).collect())
    }

    /// Returns the costs in a cache, supplemented by those recorded among results.
    pub fn known(cache: &Path, results: &Path) -> Self {
        Self::read(&results.join(RECORDED)).but(Self::read(&cache.join(FILE)))
    }

    /// Merges these costs into those of a cache, which they override, and writes the file.
    pub fn learnt(self, cache: &Path) -> io::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let path = cache.join(FILE);
        write_replaceable(&path, Self::read(&path).but(self).csv(|seconds| format!("{seconds:.6}")).as_bytes())
    }

    /// Records among results the costs of the longer runs and references of some plans, and the mean of each plan's
    /// short runs, with two digits.
    pub fn record(mut self, plans: &[Plan], results: &Path) -> io::Result<()> {
        let runs = || plans.iter().flat_map(|plan| &plan.runs);
        let references = runs().filter_map(|run| Some(&run.reference.as_ref()?.key));
        let meant: HashSet<String> = runs().map(RunSpec::key).chain(references).map(RunKey::to_string).collect();
        let others: Vec<_> = plans.iter().filter_map(|plan| Some((short(plan), self.mean_of_short(plan)?))).collect();
        self.0.retain(|key, seconds| *seconds >= SHORT && meant.contains(key));
        self.0.extend(others);
        write_atomically(&results.join(RECORDED), self.csv(|seconds| format!("{seconds:.1e}")).as_bytes())
    }

    /// Returns the mean cost of the short runs of a plan; `None` if there are none.
    fn mean_of_short(&self, plan: &Plan) -> Option<f64> {
        let known = plan.runs.iter().filter_map(|run| self.of(run.key()));
        let short: Vec<f64> = known.filter(|&seconds| seconds < SHORT).collect();
        (!short.is_empty()).then(|| short.iter().sum::<f64>() / short.len() as f64)
    }

    fn csv(&self, written: impl Fn(f64) -> String) -> String {
        let lines = self.0.iter().map(|(key, &seconds)| format!("{key},{}\n", written(seconds)));
        std::iter::once("key,seconds\n".to_owned()).chain(lines).collect()
    }

    /// Returns these costs, overridden by those in `others`.
    fn but(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Returns the seconds of a run or reference, if they are known.
    pub fn of(&self, key: &RunKey) -> Option<f64> {
        self.0.get(&key.to_string()).copied()
    }
}

/// Estimates the costs of the runs of some plans. The estimate is the measured time of the run or else the recorded
/// mean of its experiment's short runs. Failing these, it is the number of steps times the median time of a step: for
/// the same method in the experiment, in the experiment, or anywhere. If no run has a measured time, all costs are
/// zero, because numbers of steps alone are a poor estimate.
#[derive(Debug)]
pub struct Estimate<'c> {
    costs: Option<&'c Costs>,
    plans: &'c [Plan],
    /// The median seconds of a step for each kind of run, computed on first use.
    rates: OnceLock<HashMap<[String; 3], f64>>,
}

impl<'c> Estimate<'c> {
    /// Creates an estimate from the known costs of the runs of some plans.
    pub fn new(costs: Option<&'c Costs>, plans: &'c [Plan]) -> Self {
        Self { costs, plans, rates: OnceLock::new() }
    }

    /// Returns the costs and rates if any run has a measured time.
    fn measured(&self) -> Option<(&'c Costs, &HashMap<[String; 3], f64>)> {
        let costs = self.costs?;
        let rates = self.rates.get_or_init(|| {
            let mut samples: HashMap<[String; 3], Vec<f64>> = HashMap::new();
            for (plan, run) in self.plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run))) {
                let Some(seconds) = costs.of(run.key()) else { continue };
                for kind in kinds(plan, run) {
                    samples.entry(kind).or_default().push(seconds / steps(run));
                }
            }
            samples.into_iter().map(|(kind, samples)| (kind, median(&samples).value)).collect()
        });
        (!rates.is_empty()).then_some((costs, rates))
    }

    /// True if the estimate is based on any measurement.
    pub fn is_informed(&self) -> bool {
        self.measured().is_some()
    }

    /// Returns the cost of a run.
    pub fn of_run(&self, plan: &Plan, run: &RunSpec) -> Duration {
        let Some((costs, rates)) = self.measured() else { return Duration::ZERO };
        let rate = || kinds(plan, run).iter().find_map(|kind| rates.get(kind)).copied().unwrap_or(STEP);
        let short = || costs.0.get(&short(plan)).copied();
        duration(costs.of(run.key()).or_else(short).unwrap_or_else(|| rate() * steps(run)))
    }

    /// Returns the cost of a reference, or zero if it is not known.
    pub fn of_reference(&self, key: &RunKey) -> Duration {
        duration(self.measured().and_then(|(costs, _)| costs.of(key)).unwrap_or(0.0))
    }
}

/// The name of the entry with the mean cost of a plan's short runs.
fn short(plan: &Plan) -> String {
    format!("short {}", plan.experiment.id)
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Returns the kinds to which a run belongs, from the narrowest to the widest. Adaptive and constant steps are
/// separate, because their costs are not comparable.
fn kinds(plan: &Plan, run: &RunSpec) -> [[String; 3]; 3] {
    let control = match run.settings.control {
        StepControl::Fixed { .. } => "constant",
        StepControl::Tolerance { .. } => "chosen",
    };
    let kind = |experiment: &str, method: &str| [experiment, method, control].map(str::to_owned);
    let id = plan.experiment.id.as_str();
    [kind(id, run.method.name()), kind(id, ""), kind("", "")]
}

/// Estimates the number of steps of a run; with a tolerance, up to a factor, that of a method of order five.
fn steps(run: &RunSpec) -> f64 {
    let [start, end] = run.span;
    let length = match run.settings.control {
        StepControl::Fixed { step } => step,
        StepControl::Tolerance { rel, .. } => rel.powf(0.2),
    };
    // Even an empty span or a tolerance of zero requires some work.
    ((end - start) / length).clamp(1.0, 1e12)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(of: &[(&str, f64)]) -> Costs {
        Costs(of.iter().map(|&(key, seconds)| (key.to_owned(), seconds)).collect())
    }

    #[test]
    fn the_store_takes_precedence_over_recorded_costs() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, results) = (folder.path().join("store"), folder.path().join("results"));
        assert_eq!(Costs::known(&cache, &results), Costs::default());
        let recorded = costs(&[("a", 1.0), ("b", 2.0)]).csv(|seconds| seconds.to_string());
        write_atomically(&results.join(RECORDED), recorded.as_bytes()).unwrap();
        costs(&[("b", 3.0)]).learnt(&cache).unwrap();
        costs(&[("c", 0.25)]).learnt(&cache).unwrap();
        assert_eq!(Costs::known(&cache, &results), costs(&[("a", 1.0), ("b", 3.0), ("c", 0.25)]));
    }

    #[test]
    fn invalid_costs_are_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("costs.csv");
        std::fs::write(&file, "key,seconds\na,1.5\nb,-1\nc,long\nd,inf\ne,0.5,more\n").unwrap();
        assert_eq!(Costs::read(&file), costs(&[("a", 1.5)]));
    }

    #[test]
    fn only_long_requested_runs_are_recorded() {
        let folder = tempfile::tempdir().unwrap();
        costs(&[("of no plan", 5.0)]).record(&[], folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join(RECORDED)).unwrap(), "key,seconds\n");
    }
}
