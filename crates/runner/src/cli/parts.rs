//! `mbsbench cell` and `mbsbench shard`: some of the runs, kept in the store, on any machine.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use mbsbench_experiment::plan::{NoShard, Plan, RunKey, RunSpec, Shard};
use mbsbench_input::{BadInput, LARGEST_DATA, Place, Problem, Source, nearest, read_text};
use mbsbench_runs::costs::Costs;
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::{Made, Means, Titles, make};
use mbsbench_runs::progress::Progress;
use mbsbench_runs::store::Store;

use super::CommandError;
use super::files::Library;
use super::run::{RunOptions, none_lost, tell_refused};
use crate::output::Output;

/// Makes the run of that key. Where several experiments have it, what each of them draws of it is kept.
pub(super) fn cell(
    library: Library<'_>,
    key: &str,
    wanted: &[PathBuf],
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = library.selected(wanted, options.quick)?;
    let is_meant = |run: &RunSpec| key == run.key().full() || key == run.key().to_string();
    let meant: Vec<(&Plan, &RunSpec)> = runs(&plans).filter(|(_, run)| is_meant(run)).collect();
    if meant.is_empty() {
        let keys: Vec<String> = runs(&plans).map(|(_, run)| run.key().to_string()).collect();
        let nearest = nearest(key, keys.iter().map(String::as_str)).map(str::to_owned);
        return Err(CommandError::UnknownRun { found: key.to_owned(), nearest });
    }
    let (made, progress) = keep(library, &plans, &|_, run| is_meant(run), options, output)?;
    for ((plan, run), record) in meant.into_iter().zip(made.records) {
        let line = format!("{} {} {}: {}", run.key(), plan.experiment.id, Titles::of(plan).of_run(run), record.status);
        output.line(line)?;
    }
    none_lost(&progress)
}

/// A part of the runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// One of several, by the keys of runs.
    Shard(Shard),
    /// The runs whose keys stand in a file.
    Keys(PathBuf),
}

/// A part that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{NoShard}; or @FILE, a file with the keys of runs, a line each")]
pub struct NoPart;

impl FromStr for Part {
    type Err = NoPart;

    fn from_str(text: &str) -> Result<Self, NoPart> {
        match text.strip_prefix('@') {
            Some(file) => Ok(Self::Keys(file.into())),
            None => text.parse().map(Self::Shard).map_err(|_| NoPart),
        }
    }
}

/// Makes a part of the runs.
pub(super) fn shard(
    library: Library<'_>,
    part: &Part,
    wanted: &[PathBuf],
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = library.selected(wanted, options.quick)?;
    let (_, progress) = match part {
        Part::Shard(shard) => keep(library, &plans, &|_, run| shard.has(run.key()), options, output)?,
        Part::Keys(file) => {
            let keys = keys(file, &plans)?;
            let made = keep(library, &plans, &|_, run| keys.contains(run.key()), options, output)?;
            Costs::from(made.1.costs())
                .write(&file.with_extension("costs"))
                .map_err(|error| CommandError::Store { path: file.clone(), error })?;
            made
        }
    };
    output.line(progress.summary())?;
    none_lost(&progress)
}

/// The keys in a file, a line each, whole or as they are shown.
fn keys<'p>(path: &Path, plans: &'p [Plan]) -> Result<BTreeSet<&'p RunKey>, CommandError> {
    let text =
        read_text(path, LARGEST_DATA).map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
    let spelled = |key: &'p RunKey| [(key.to_string(), key), (key.full().to_owned(), key)];
    let known: HashMap<String, &RunKey> = runs(plans).flat_map(|(_, run)| spelled(run.key())).collect();
    let (mut keys, mut problems, mut start) = (BTreeSet::new(), Vec::new(), 0);
    for line in text.split('\n') {
        let found = line.trim();
        let place = Place::new(start, start + line.trim_end().len());
        start += line.len() + 1;
        match known.get(found) {
            Some(key) => drop(keys.insert(*key)),
            None if found.is_empty() => {}
            None => {
                let help = "accepted: keys of runs as `mbsbench plan` shows them, a line each";
                problems.push(Problem::new(place, format!("no run has the key `{found}`")).help(help));
            }
        }
    }
    if problems.is_empty() {
        return Ok(keys);
    }
    Err(CommandError::BadInput(vec![BadInput::new(Arc::new(Source::new(path, text)), problems)]))
}

fn runs(plans: &[Plan]) -> impl Iterator<Item = (&Plan, &RunSpec)> {
    plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run)))
}

/// Makes the chosen runs and keeps them in the store.
fn keep(
    library: Library<'_>,
    plans: &[Plan],
    is_chosen: &(dyn Fn(&Plan, &RunSpec) -> bool + Sync),
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<(Made, Progress), CommandError> {
    let kept = |error| CommandError::Store { path: options.cache.clone(), error };
    let (pool, memory) = (options.jobs.pool(output)?, options.jobs.memory());
    let store = Store::new(&options.cache, fingerprint(library.registry));
    store.prepare().map_err(kept)?;
    store.tidy();
    let progress = Progress::new(runs(plans).filter(|(plan, run)| is_chosen(plan, run)).count());
    let costs = Costs::known(&options.cache, &library.recorded());
    let means =
        Means { store: &store, memory: &memory, progress: &progress, costs: Some(&costs), fresh: options.fresh };
    let made = pool.install(|| make(plans, is_chosen, means));
    progress.clear();
    tell_refused(&store, output);
    Costs::from(progress.costs()).learnt(&options.cache).map_err(kept)?;
    let made = made.map_err(kept)?;
    for certificate in &made.certificates {
        if let Err(failure) = &certificate.outcome {
            output.beside(format!("reference {}: {failure}", certificate.plan.key));
        }
    }
    Ok((made, progress))
}
