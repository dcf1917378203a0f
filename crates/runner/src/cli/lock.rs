//! `mbsbench lock`: records what checks test, and whether that was written before their results were known.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_input::write_atomically;
use mbsbench_judge::claims::BoundSet;
use mbsbench_judge::claims::{Book, Check, Lock};
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::missing;
use mbsbench_runs::store::Store;

use super::CommandError;
use super::files::{Library, read_unlocked};
use super::run::STORE;
use crate::output::Output;

/// What a new check is stamped with.
#[derive(Debug, Clone, clap::Args)]
pub struct LockOptions {
    /// Record new checks as `stated`: bounds set before results existed.
    #[arg(long)]
    trust: bool,
    /// Run cache; its runs count as results.
    #[arg(long, value_name = "DIR", default_value = STORE)]
    cache: PathBuf,
}

/// Writes the lock of the ledger of a paper, or of all papers, and prints what is new in it.
pub(super) fn lock(
    library: Library<'_>,
    paper: Option<&str>,
    options: &LockOptions,
    results: &Path,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let papers = paper.map_or_else(|| library.own_papers(), |paper| Ok(vec![paper.to_owned()]))?;
    if papers.iter().any(|paper| library.is_beside(paper)) {
        return Err(CommandError::Unchangeable);
    }
    let store = Store::new(&options.cache, fingerprint(library.registry));
    for name in &papers {
        let plans = library.plans_of(name)?;
        let Some(path) = library.ledger_file(name, Book::Claims)? else { continue };
        let ledger = read_unlocked(&path, &plans)?;
        let file = Lock::beside(&path);
        let before = mbsbench_input::read_text(&file, mbsbench_input::LARGEST_TEXT).ok().map(|text| Lock::parse(&text));
        let known = Known::new(&plans, results, &store);
        let has_result = |check: &Check| known.has_result(name, check);
        let (lock, changes) = Lock::renewed(before.as_ref(), ledger.checks(), has_result, options.trust);
        write_atomically(&file, lock.text().as_bytes())
            .map_err(|error| CommandError::Store { path: file.clone(), error })?;
        for change in &changes {
            let what = if change.is_new { "new" } else { "changed" };
            let when = match change.set {
                BoundSet::Before => "before its result was known",
                BoundSet::Stated => "and stated to be set before its result, which exists, was known",
                BoundSet::After => "when its result was known",
            };
            output.line(format!("{name}: {} is {what}, {when}", change.id))?;
        }
        output.line(format!("{}: {} checks", file.display(), ledger.checks().count()))?;
    }
    Ok(())
}

/// The runs of some plans whose results exist.
struct Known<'p> {
    plans: &'p [Plan],
    /// For each plan the keys of its runs in `runs.csv` or in the store; all of them if `runs.csv` is that of an
    /// earlier version.
    keys: Vec<HashSet<String>>,
}

impl<'p> Known<'p> {
    fn new(plans: &'p [Plan], results: &Path, store: &Store) -> Self {
        let missing: HashSet<_> = missing(plans, store).runs.into_iter().map(|(_, run)| run.key()).collect();
        let keys = plans.iter().map(|plan| {
            let own = || plan.runs.iter().map(|run| run.key().to_string());
            let recorded = recorded(&results.join(&plan.experiment.id).join("runs.csv"));
            if !recorded.is_empty() && !own().any(|key| recorded.contains(&key)) {
                return own().collect();
            }
            let is_stored = |run: &&RunSpec| run.is_kept() && !missing.contains(run.key());
            let stored = plan.runs.iter().filter(is_stored).map(|run| run.key().to_string());
            recorded.into_iter().chain(stored).collect()
        });
        Self { plans, keys: keys.collect() }
    }

    /// Whether the result of any run that a check selects exists.
    fn has_result(&self, paper: &str, check: &Check) -> bool {
        check.kind.selections().into_iter().any(|(experiment, filter)| {
            let mut plans = self.plans.iter().zip(&self.keys);
            let Some((plan, keys)) = plans.find(|(plan, _)| plan.experiment.is_called(experiment, paper)) else {
                return false;
            };
            plan.meant(filter).any(|(_, run)| keys.contains(&run.key().to_string()))
        })
    }
}

/// The keys of the runs in a `runs.csv`; none if there is no such file.
fn recorded(path: &Path) -> HashSet<String> {
    let Ok(bytes) = mbsbench_input::read_file(path, mbsbench_input::LARGEST_DATA) else { return HashSet::new() };
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let Some(column) = reader.headers().ok().and_then(|heads| heads.iter().position(|head| head == "run")) else {
        return HashSet::new();
    };
    reader.records().flatten().filter_map(|row| row.get(column).map(str::to_owned)).collect()
}
