//! `mbsbench ledger lock`: records the definitions of checks, and whether they were written before their results were
//! known.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_judge::claims::{self, Book, BoundSet, Check};
use mbsbench_runs::pipeline::missing;
use mbsbench_runs::{Cache, fingerprint};

use crate::cli::{CACHE, CommandError, Exit, Result, RunsTable, Seen, Session, counted, read_unlocked, write};

/// Record every check in `bounds.lock`; list checks added after their results existed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench ledger lock gil2013")]
pub(super) struct Lock {
    /// Paper [default: all papers].
    paper: Option<String>,
    /// Record new checks as `stated`: bounds set before results existed.
    #[arg(long)]
    trust: bool,
    /// Run cache; its runs count as results.
    #[arg(long, value_name = "DIR", default_value = CACHE)]
    cache: PathBuf,
    /// Results.
    #[command(flatten)]
    seen: Seen,
}

impl Lock {
    /// Writes the lock of the ledger of a paper, or of all papers, and prints its changes.
    pub(super) fn write(&self, session: &mut Session<'_>) -> Result<Exit> {
        let Session { library, output } = session;
        let papers = self.paper.as_ref().map_or_else(|| library.own_papers(), |paper| Ok(vec![paper.clone()]))?;
        if papers.iter().any(|paper| library.is_beside(paper)) {
            return Err(CommandError::Unchangeable);
        }
        let results = self.seen.folder(library);
        let cache = Cache::new(&self.cache, fingerprint(library.registry));
        for name in &papers {
            let plans = library.plans_of(name)?;
            let Some(path) = library.ledger_file(name, Book::Claims)? else { continue };
            let ledger = read_unlocked(&path, &plans)?;
            let file = claims::Lock::beside(&path);
            let before = mbsbench_input::read_text(&file, mbsbench_input::LARGEST_TEXT);
            let before = before.ok().map(|text| claims::Lock::parse(&text));
            let keys = known(&plans, &results, &cache);
            let has_result = |check: &Check| {
                check.kind.selections().into_iter().any(|(experiment, filter)| {
                    let mut plans = plans.iter().zip(&keys);
                    let found = plans.find(|(plan, _)| plan.experiment.is_called(experiment, name));
                    let is_known = |keys: &HashSet<String>, run: &RunSpec| keys.contains(&run.key().to_string());
                    found.is_some_and(|(plan, keys)| plan.meant(filter).any(|(_, run)| is_known(keys, run)))
                })
            };
            let (lock, changes) = claims::Lock::renewed(before.as_ref(), ledger.checks(), has_result, self.trust);
            write(&file, lock.text())?;
            for change in &changes {
                let what = if change.is_new { "new" } else { "changed" };
                let when = match change.set {
                    BoundSet::Before => "before its result was known",
                    BoundSet::Stated => "and stated to be set before its result, which exists, was known",
                    BoundSet::After => "after its result was known",
                };
                output.println(format!("{name}: {} is {what}, {when}", change.id))?;
            }
            output.println(format!("{}: {}", file.display(), counted(ledger.checks().count(), "check")))?;
            let statements = ledger.statements.iter().chain(&ledger.findings);
            let unsaid = statements.filter(|statement| statement.checks.iter().any(|check| lock.is_unsaid(check)));
            let unsaid: Vec<&str> = unsaid.map(|statement| statement.id.as_str()).collect();
            if !unsaid.is_empty() {
                output.println(format!("next: add `bound_set: after` to {}", unsaid.join(", ")))?;
            }
        }
        Ok(Exit::Done)
    }
}

/// Returns the keys of the runs of each plan whose results exist, in `runs.csv` or in the cache. All runs are included
/// if `runs.csv` was written by an earlier version.
fn known(plans: &[Plan], results: &Path, cache: &Cache) -> Vec<HashSet<String>> {
    let missing: HashSet<_> = missing(plans, cache).into_iter().map(|(_, run)| run.key()).collect();
    let keys = |plan: &Plan| -> HashSet<String> {
        let own = || plan.runs.iter().map(|run| run.key().to_string());
        let table = RunsTable::read(&results.join(&plan.experiment.id).join("runs.csv")).unwrap_or_default();
        let recorded: HashSet<String> = table.rows.into_keys().collect();
        if !recorded.is_empty() && !own().any(|key| recorded.contains(&key)) {
            return own().collect();
        }
        let is_stored = |run: &&RunSpec| run.is_kept() && !missing.contains(run.key());
        let stored = plan.runs.iter().filter(is_stored).map(|run| run.key().to_string());
        recorded.into_iter().chain(stored).collect()
    };
    plans.iter().map(keys).collect()
}
