//! `mbsbench run`, `mbsbench reproduce` and `mbsbench render`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_input::remove_leftovers;
use mbsbench_problem::Status;
use mbsbench_runs::costs::Costs;
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::{Means, Outcome, results_of};
use mbsbench_runs::progress::Progress;
use mbsbench_runs::results::Row;
use mbsbench_runs::store::Store;
use rayon::prelude::*;

use super::check::{Strict, heed, tell_left_out};
use super::engine::{EngineOptions, Planned, distribute};
use super::files::{Library, papers};
use super::jobs::Jobs;
use super::report::{Judgements, manifest, rankings, report};
use super::summary::Summary;
use super::verify::judge_papers;
use super::{CommandError, Exit};
use crate::artefacts::{Written, recorded_times, time, write, write_pictures};
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
    /// Compute every run, even if it is in the cache.
    #[arg(long)]
    pub fresh: bool,
    /// Use the shorter settings under `quick:`.
    #[arg(long)]
    pub quick: bool,
    /// Run cache.
    #[arg(long, value_name = "DIR", default_value = STORE)]
    pub cache: PathBuf,
}

/// Options that `run` and `reproduce` have in common.
#[derive(Debug, Clone, clap::Args)]
pub struct MakeOptions {
    /// Print all tables, even if they do not fit on a screen.
    #[arg(long)]
    pub show: bool,
    /// Measure all times again and record them in `results/times/` [default: use the recorded ones].
    #[arg(long)]
    pub record_times: bool,
    /// Treatment of warnings.
    #[command(flatten)]
    pub strict: Strict,
    /// Computation of the runs.
    #[command(flatten)]
    pub options: RunOptions,
    /// Machines that compute the runs.
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { jobs: Jobs::default(), fresh: false, quick: false, cache: PathBuf::from(STORE) }
    }
}

/// Runs experiments and writes their results under `out`. An experiment of which no run reached its end is not
/// as expected.
pub(super) fn run(
    library: Library<'_>,
    wanted: &[PathBuf],
    out: &Path,
    make: &MakeOptions,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let plans = library.selected(wanted, make.options.quick)?;
    heed(&plans, make.strict, output)?;
    let accounts = tell_left_out(&plans, output);
    for plan in &plans {
        remove_leftovers(&out.join(&plan.experiment.id));
    }
    let made = run_plans(library, &plans, out, make, output)?;
    let mut summary = Summary { tables: made.tables(), ..Summary::default() };
    summary.done = accounts.into_iter().map(|line| (line, None)).chain(made.files()).collect();
    summary.done.extend(rankings(&plans, out)?.map(|line| (line, None)));
    summary.differences.extend(made.failed.iter().cloned());
    summary.end.push(made.progress.summary());
    summary.print(make.show, output)?;
    none_lost(&made.progress)?;
    Ok(made.exit())
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

/// Reproduces papers or experiments, all papers if none is wanted: runs them, judges whole papers on the results, and
/// writes the report.
pub(super) fn reproduce(
    library: Library<'_>,
    wanted: &[PathBuf],
    make: &MakeOptions,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let quick = make.options.quick;
    let is_all = wanted.is_empty() && !quick;
    let (plans, others) =
        if is_all { library.papers_and_others()? } else { (library.selected(wanted, quick)?, Vec::new()) };
    heed(&plans, make.strict, output)?;
    // What a shortened experiment gives is nobody's result.
    let out = if quick { PathBuf::from(QUICK) } else { library.results() };
    let out = out.as_path();
    // Ledgers are read before anything is run, so that a mistake in one is known at once.
    let is_whole = |paper: &String| wanted.is_empty() || wanted.iter().any(|name| name.as_os_str() == paper.as_str());
    let whole: Vec<String> = papers(&plans).into_iter().filter(|paper| !quick && is_whole(paper)).collect();
    let ledgers = library.ledgers(&whole, &plans)?;
    remove_leftovers(out);
    let made = run_plans(library, &plans, out, make, output)?;
    let verdicts = judge_papers(library, &ledgers, &plans, out, output)?;
    let mut summary = Summary { tables: made.tables(), ..Summary::default() };
    let mut exit = Exit::Done;
    if ledgers.is_empty() {
        summary.done = made.files();
        summary.differences.extend(made.failed.iter().cloned());
        exit = made.exit();
    }
    for paper in &verdicts {
        summary.done.push((paper.summary(), paper.claims.clone()));
        summary.differences.extend(paper.differences());
        exit = exit.worst(paper.exit());
    }
    if is_all {
        if make.record_times {
            Costs::known(&make.options.cache, out)
                .record(&plans, out)
                .map_err(|error| CommandError::Store { path: out.to_owned(), error })?;
        }
        manifest(library, &plans, out)?;
    }
    if !whole.is_empty() {
        let all = library.completed(plans.iter().cloned().chain(others).collect())?;
        let known: Judgements = verdicts.into_iter().map(|verdicts| (verdicts.paper, verdicts.judged)).collect();
        let page = report(library, &all, known, (out, &make.options), output)?;
        summary.end.push(format!("report: {}", page.display()));
    }
    summary.end.push(made.progress.summary());
    summary.print(make.show, output)?;
    none_lost(&made.progress)?;
    Ok(exit)
}

/// What is left of runs when their results are written.
struct Made<'p> {
    plans: &'p [Plan],
    /// How many there were, and which of them program or machine ended.
    progress: Progress,
    /// What was written of each plan.
    written: Vec<Written>,
    /// Experiments of which no run reached its end, a line each.
    failed: Vec<String>,
}

impl Made<'_> {
    fn tables(&self) -> Vec<String> {
        self.written.iter().flat_map(|written| written.tables.iter().cloned()).collect()
    }

    /// How many files were written and where: a line for the experiments of each paper.
    fn files(&self) -> Vec<(String, Option<String>)> {
        let each: Vec<(&Plan, &Written)> = self.plans.iter().zip(&self.written).collect();
        let of_paper = |each: &[(&Plan, &Written)]| {
            let files: usize = each.iter().map(|(_, written)| written.files.len()).sum();
            let (plan, Written { folder, .. }) = each[0];
            let line = match each.len() {
                1 => format!("{}: {files} files in {}", plan.experiment.id, folder.display()),
                count => {
                    let folder = folder.parent().unwrap_or(folder);
                    format!("{}: {files} files of {count} experiments in {}", plan.experiment.paper, folder.display())
                }
            };
            (line, None)
        };
        each.chunk_by(|(one, _), (other, _)| one.experiment.paper == other.experiment.paper).map(of_paper).collect()
    }

    fn exit(&self) -> Exit {
        if self.failed.is_empty() { Exit::Done } else { Exit::Differs }
    }
}

/// Makes the runs of plans and writes what comes of them.
fn run_plans<'p>(
    library: Library<'_>,
    plans: &'p [Plan],
    out: &Path,
    MakeOptions { options, engine, record_times, .. }: &MakeOptions,
    output: &mut Output<'_>,
) -> Result<Made<'p>, CommandError> {
    if out == library.results() {
        library.bring_recorded(plans)?;
    }
    let recorded = library.recorded();
    let planned = Planned { plans, experiments: library.experiments, recorded: &recorded, options };
    distribute(library.registry, planned, *engine, output)?;
    let (pool, store, progress, outcomes) = make(library, plans, options, output)?;
    let mut outcomes: Vec<(&Plan, Outcome)> = plans.iter().zip(outcomes).collect();
    for (plan, outcome) in &mut outcomes {
        // Alone, after all runs: nothing else of this program runs while it is timed.
        if time(out, plan, &mut outcome.results, *record_times)? {
            output.beside(format!(
                "{}: times of this machine are recorded in {}",
                plan.experiment.id,
                out.join("times").display()
            ));
        }
    }
    let write = |(plan, outcome): &(&Plan, Outcome)| Ok(write(out, plan, outcome, library.registry, &store)?);
    let written = pool.install(|| outcomes.par_iter().map(write).collect::<Result<_, CommandError>>())?;
    tell_refused(&store, output);
    let failed = outcomes.iter().filter_map(|(plan, outcome)| all_failed(plan, outcome)).collect();
    Ok(Made { plans, progress, written, failed })
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
        outcome.results.show(recorded_times(&library.results(), plan)?);
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
        output.beside(format!("{}: {refusal}; the entry is discarded and computed again", path.display()));
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
