//! `mbsbench cell` and `mbsbench shard`: some of the runs, kept in the store, on any machine.

use std::path::PathBuf;

use mbsbench_experiment::plan::{Plan, RunSpec, Shard};
use mbsbench_experiment::registry::Registry;
use mbsbench_input::nearest;
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::{Made, Means, make, title};
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
    let Some((first, _)) = meant.first() else {
        let keys: Vec<String> = runs(&plans).map(|(_, run)| run.key().to_string()).collect();
        let nearest = nearest(key, keys.iter().map(String::as_str)).map(str::to_owned);
        return Err(CommandError::UnknownRun { found: key.to_owned(), nearest });
    };
    if meant.iter().all(|(plan, _)| plan.is_timed()) {
        return Err(CommandError::TimedRun { key: key.to_owned(), experiment: first.experiment.id.clone() });
    }
    let (made, progress) =
        keep(library.registry, &plans, &|plan, run| !plan.is_timed() && is_meant(run), options, output)?;
    for ((plan, run), record) in meant.into_iter().filter(|(plan, _)| !plan.is_timed()).zip(made.records) {
        let line = format!("{} {} {}: {}", run.key(), plan.experiment.id, title(plan, run), record.status);
        output.line(line)?;
    }
    none_lost(&progress)
}

/// Makes a part of the runs.
pub(super) fn shard(
    library: Library<'_>,
    shard: Shard,
    wanted: &[PathBuf],
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = library.selected(wanted, options.quick)?;
    for plan in plans.iter().filter(|plan| plan.is_timed()) {
        let Plan { experiment, runs, .. } = plan;
        output.line(format!(
            "{}: {} runs left out, since they are timed: `run` has to make them",
            experiment.id,
            runs.len()
        ))?;
    }
    let (_, progress) =
        keep(library.registry, &plans, &|plan, run| !plan.is_timed() && shard.has(run.key()), options, output)?;
    output.line(progress.summary())?;
    none_lost(&progress)
}

fn runs(plans: &[Plan]) -> impl Iterator<Item = (&Plan, &RunSpec)> {
    plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run)))
}

/// Makes the chosen runs and keeps them in the store.
fn keep(
    registry: &Registry,
    plans: &[Plan],
    is_chosen: &(dyn Fn(&Plan, &RunSpec) -> bool + Sync),
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<(Made, Progress), CommandError> {
    let kept = |error| CommandError::Store { path: options.cache.clone(), error };
    let (pool, memory) = (options.jobs.pool(output)?, options.jobs.memory());
    let store = Store::new(&options.cache, fingerprint(registry));
    store.prepare().map_err(kept)?;
    store.tidy();
    let progress = Progress::new(runs(plans).filter(|(plan, run)| is_chosen(plan, run)).count());
    let means = Means { store: &store, memory: &memory, progress: &progress, fresh: options.fresh };
    let made = pool.install(|| make(plans, is_chosen, means));
    progress.clear();
    tell_refused(&store, output);
    let made = made.map_err(kept)?;
    for certificate in &made.certificates {
        if let Err(failure) = &certificate.outcome {
            output.beside(format!("reference {}: {failure}", certificate.plan.key));
        }
    }
    Ok((made, progress))
}
