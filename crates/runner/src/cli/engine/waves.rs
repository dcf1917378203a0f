//! What is made first: of the runs that need a reference one for each reference, so that it is made once; with these, all that need none.

use std::collections::BTreeMap;
use std::time::Duration;

use mbsbench_experiment::plan::RunSpec;
use mbsbench_runs::costs::Estimate;
use mbsbench_runs::pipeline::Missing;

/// Runs that can be made at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wave {
    /// Those whose references are there, and the cheapest one of each reference that is not.
    First,
    /// All.
    Second,
}

/// A run to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Work {
    /// The full key.
    pub key: String,
    /// What it takes, with a reference that has to be made for it.
    pub cost: Duration,
}

/// The missing runs of a wave, each once.
pub(super) fn works(missing: &Missing<'_>, estimate: &Estimate<'_>, wave: Wave) -> Vec<Work> {
    let mut works: BTreeMap<&str, Duration> = BTreeMap::new();
    let mut leaders: BTreeMap<&str, (Duration, &str)> = BTreeMap::new();
    for &(plan, run) in &missing.runs {
        let (key, cost) = (run.key().full(), estimate.of_run(plan, run));
        match absent(missing, run).filter(|_| wave == Wave::First) {
            None => drop(works.insert(key, cost)),
            Some(reference) => {
                let leader = leaders.entry(reference).or_insert((cost, key));
                *leader = (*leader).min((cost, key));
            }
        }
    }
    let made: BTreeMap<&str, Duration> =
        missing.references.iter().map(|key| (key.full(), estimate.of_reference(key))).collect();
    for (reference, (cost, key)) in leaders {
        works.insert(key, cost.saturating_add(made[reference]));
    }
    works.into_iter().map(|(key, cost)| Work { key: key.to_owned(), cost }).collect()
}

/// The reference of a run that is not there.
fn absent<'r>(missing: &Missing<'_>, run: &'r RunSpec) -> Option<&'r str> {
    let key = &run.reference.as_ref()?.key;
    missing.references.contains(key).then(|| key.full())
}
