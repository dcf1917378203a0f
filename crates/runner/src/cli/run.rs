//! `mbsbench run`, `mbsbench reproduce` and `mbsbench render`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mbsbench_experiment::plan::Plan;
use mbsbench_input::remove_leftovers;
use mbsbench_problem::Status;
use mbsbench_runs::costs::Costs;
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::{Means, Outcome, results_of, timings_of};
use mbsbench_runs::progress::Progress;
use mbsbench_runs::results::Row;
use mbsbench_runs::store::Store;
use rayon::prelude::*;

use super::check::{Strict, heed, tell_left_out};
use super::engine::{EngineOptions, Planned, distribute};
use super::files::{Library, papers};
use super::here::{Timed, here};
use super::jobs::Jobs;
use super::report::{manifest, rankings, report};
use super::verify::{Shown, verify_papers};
use super::{CommandError, Exit, load};
use crate::artefacts::{Kept, Written, keep_times, recorded_times, write, write_pictures};
use crate::output::Output;

/// Where the store is, seen from the folder of the project.
pub(super) const STORE: &str = "target/mbsbench-store";

/// Where results of shortened experiments go.
pub(super) const QUICK: &str = "target/quick";
/// Folder for what is said of this machine and day, which no result depends on.
pub(super) const HERE: &str = "target";

/// How runs are made, the same for all commands that make them.
#[derive(Debug, Clone, clap::Args)]
pub struct RunOptions {
    /// Threads and memory.
    #[command(flatten)]
    pub jobs: Jobs,
    /// Make every run again, whatever the store has.
    #[arg(long)]
    pub fresh: bool,
    /// Use the axes under `quick:`.
    #[arg(long)]
    pub quick: bool,
    /// Folder of the store of finished runs.
    #[arg(long, value_name = "DIR", default_value = STORE)]
    pub cache: PathBuf,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { jobs: Jobs::default(), fresh: false, quick: false, cache: PathBuf::from(STORE) }
    }
}

/// Runs experiment files and writes their results under `out`. An experiment of which no run reached its end is not
/// as expected.
pub(super) fn run(
    library: Library<'_>,
    files: &[PathBuf],
    out: &Path,
    (options, engine): (&RunOptions, EngineOptions),
    record_times: bool,
    strict: Strict,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let plans = load(library.registry, files, options.quick)?;
    heed(&plans, strict, output)?;
    tell_left_out(&plans, output)?;
    for plan in &plans {
        remove_leftovers(&out.join(&plan.experiment.id));
    }
    let Made { progress, failed, .. } = run_plans(library, &plans, out, (options, engine), record_times, output)?;
    rankings(&plans, out, output)?;
    output.line(progress.summary())?;
    for line in &failed {
        output.beside(line);
    }
    none_lost(&progress)?;
    Ok(if failed.is_empty() { Exit::Done } else { Exit::Differs })
}

/// Says of an experiment that none of its runs reached its end, if that is so.
fn all_failed(plan: &Plan, outcome: &Outcome) -> Option<String> {
    let rows = &outcome.results.rows;
    if rows.is_empty() || rows.iter().any(Row::is_ok) {
        return None;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.status.to_string()).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    Some(format!("{}: no run reached its end, of {}: {}", plan.experiment.id, rows.len(), counts.join(", ")))
}

/// Reproduces the papers or experiments named, all papers where none is.
pub(super) fn reproduce(
    library: Library<'_>,
    wanted: &[String],
    (options, engine): (&RunOptions, EngineOptions),
    record_times: bool,
    strict: Strict,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let (plans, others) = library.named_and_others(wanted, options.quick)?;
    heed(&plans, strict, output)?;
    // What a shortened experiment gives is nobody's result.
    let out = if options.quick { PathBuf::from(QUICK) } else { library.results() };
    let out = out.as_path();
    // Ledgers are read before anything is run, so that a mistake in one is known at once.
    let whole: Vec<String> = papers(&plans)
        .into_iter()
        .filter(|paper| !options.quick && (wanted.is_empty() || wanted.contains(paper)))
        .collect();
    let ledgers = library.ledgers(&whole, &plans)?;
    remove_leftovers(out);
    if !options.quick {
        library.bring_studies(&plans)?;
    }
    let Made { progress, store, timed, .. } = run_plans(library, &plans, out, (options, engine), record_times, output)?;
    output.line(progress.summary())?;
    let (known, exit) = verify_papers(library, &ledgers, &plans, Shown::default(), out, output)?;
    if wanted.is_empty() && !options.quick {
        if record_times {
            Costs::known(&options.cache, out)
                .record(&plans, out)
                .map_err(|error| CommandError::Store { path: out.to_owned(), error })?;
        }
        manifest(library, &plans, out)?;
    }
    if !whole.is_empty() {
        let all = library.completed(plans.iter().cloned().chain(others).collect())?;
        report(library, &all, known.clone(), (out, options), output)?;
        here(library, &all, &timed, (&ledgers, &known), (out, &store, options), output)?;
    }
    none_lost(&progress)?;
    Ok(exit)
}

/// What is left of runs when their results are written.
struct Made<'p> {
    /// How many there were, and which of them program or machine ended.
    progress: Progress,
    store: Store,
    /// Timed experiments with times of this machine, where others are among the results.
    timed: Vec<Timed<'p>>,
    /// What is said of experiments of which no run reached its end.
    failed: Vec<String>,
}

/// Makes the runs of plans and writes what comes of them.
fn run_plans<'p>(
    library: Library<'_>,
    plans: &'p [Plan],
    out: &Path,
    (options, engine): (&RunOptions, EngineOptions),
    record_times: bool,
    output: &mut Output<'_>,
) -> Result<Made<'p>, CommandError> {
    let recorded = library.recorded();
    let planned = Planned { plans, experiments: library.experiments, recorded: &recorded, options };
    distribute(library.registry, planned, engine, output)?;
    let (pool, store, progress, outcomes) = make(library, plans, options, output)?;
    let kept = |error| CommandError::Store { path: options.cache.clone(), error };
    // Times that are committed stay, unless these are to be recorded; elsewhere those just taken are the ones.
    let keeps = !record_times && out == library.results();
    let mut outcomes: Vec<(&Plan, Outcome)> = plans.iter().zip(outcomes).collect();
    let writing = |outcomes: &[(&Plan, Outcome)], is_timed: bool| {
        let wanted = outcomes.par_iter().enumerate().filter(|(_, (plan, _))| plan.is_timed() == is_timed);
        let written =
            wanted.map(|(index, (plan, outcome))| Ok((index, write(out, plan, outcome, library.registry, &store)?)));
        pool.install(|| written.collect::<Result<Vec<(usize, Written)>, CommandError>>())
    };
    let mut written = writing(&outcomes, false)?;
    let mut timed = Vec::new();
    for (plan, outcome) in &mut outcomes {
        // Alone, after all other work: nothing else of this program runs while it is timed.
        // Those to be recorded are of now, and not what the store remembers.
        let begin = Instant::now();
        let timings = timings_of(plan, &outcome.results, &store, options.fresh || record_times).map_err(kept)?;
        Costs::of_times(plan, begin.elapsed()).learnt(&options.cache).map_err(kept)?;
        if let Some(timings) = timings {
            let Kept { told, apart } = keep_times(out, plan, &mut outcome.results, timings, keeps)?;
            for line in told {
                output.line(line)?;
            }
            if let Some(times) = apart {
                let mut outcome = outcome.clone();
                outcome.results.show(times);
                timed.push(Timed { plan, outcome });
            }
        }
    }
    written.extend(writing(&outcomes, true)?);
    written.sort_by_key(|&(index, _)| index);
    for (index, Written { folder, tables, files }) in written {
        for table in &tables {
            output.line(table)?;
        }
        output.line(format!("{}: {} files in {}", plans[index].experiment.id, files.len(), folder.display()))?;
    }
    tell_refused(&store, output);
    let failed = outcomes.iter().filter_map(|(plan, outcome)| all_failed(plan, outcome)).collect();
    Ok(Made { progress, store, timed, failed })
}

/// Draws the figures of experiments, from the store as far as it has their runs. Times are those recorded in `results/`.
pub(super) fn render(
    library: Library<'_>,
    wanted: &[PathBuf],
    as_png: bool,
    out: &Path,
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = library.selected(wanted, options.quick)?;
    let (pool, store, progress, outcomes) = make(library, &plans, options, output)?;
    for (plan, mut outcome) in plans.iter().zip(outcomes) {
        recorded_times(&library.results(), plan, &mut outcome.results)?;
        let paths = pool.install(|| write_pictures(out, plan, &outcome, library.registry, &store, as_png))?;
        for path in paths {
            output.line(path.display().to_string())?;
        }
    }
    tell_refused(&store, output);
    output.line(progress.summary())?;
    none_lost(&progress)
}

/// An error that names the runs that program or machine ended, if there are any.
pub(super) fn none_lost(progress: &Progress) -> Result<(), CommandError> {
    let [panicked, memory] = [Status::Panicked, Status::Memory].map(|status| progress.all_lost(status));
    match (panicked.is_empty(), memory.is_empty()) {
        (false, _) => Err(CommandError::Panicked(panicked)),
        (_, false) => Err(CommandError::Memory(memory)),
        _ => Ok(()),
    }
}

/// Says which entries of the store were not taken.
pub(super) fn tell_refused(store: &Store, output: &mut Output<'_>) {
    for (path, refusal) in store.refused() {
        output.beside(format!("{}: {refusal}; what it was of is made again", path.display()));
    }
}

/// The results of plans, made where the store has none.
pub(super) fn made(
    library: Library<'_>,
    plans: &[Plan],
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<Vec<Outcome>, CommandError> {
    let (_, _, progress, outcomes) = make(library, plans, options, output)?;
    none_lost(&progress)?;
    Ok(outcomes)
}

/// Threads, store and progress, and the results of plans, made where the store has none.
fn make(
    library: Library<'_>,
    plans: &[Plan],
    options: &RunOptions,
    output: &mut Output<'_>,
) -> Result<(rayon::ThreadPool, Store, Progress, Vec<Outcome>), CommandError> {
    let (pool, memory) = (options.jobs.pool(output)?, options.jobs.memory());
    let store = Store::new(&options.cache, fingerprint(library.registry));
    store.tidy();
    let costs = Costs::known(&options.cache, &library.recorded());
    let progress = Progress::new(plans.iter().map(|plan| plan.runs.len()).sum());
    progress.then(plans.iter().map(|plan| costs.timing(plan)).sum());
    let outcomes = pool.install(|| {
        let (store, memory, progress, costs) = (&store, &memory, &progress, Some(&costs));
        results_of(plans, Means { store, memory, progress, costs, fresh: options.fresh })
    });
    progress.clear();
    tell_refused(&store, output);
    let kept = |error| CommandError::Store { path: options.cache.clone(), error };
    Costs::from(progress.costs()).learnt(&options.cache).map_err(kept)?;
    let outcomes = outcomes.map_err(kept)?;
    for (plan, outcome) in plans.iter().zip(&outcomes) {
        for certificate in &outcome.certificates {
            if let Err(failure) = &certificate.outcome {
                output.beside(format!("{}: reference: {failure}", plan.experiment.id));
            }
        }
    }
    Ok((pool, store, progress, outcomes))
}
