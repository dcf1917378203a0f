//! `mbsbench runs`: lists the runs of experiments, computes one or some of them on any machine, and merges caches.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use mbsbench_experiment::plan::Shard;
use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_input::nearest;
use mbsbench_runs::pipeline::{Computed, Titles, compute};
use mbsbench_runs::{Cache, Progress, fingerprint};
use serde_json::{Map, Value, json};

use super::Command;
use crate::cli::{CACHE, CommandError, Exit, Format, Need, Result, RunOptions, Session, Wanted, none_lost, table};
use crate::output::Output;

/// List runs, compute one or some of them on any machine, merge run caches.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench runs plan gil2013\n  mbsbench runs shard 1/8 gil2013 --cache part1")]
pub(super) struct Runs {
    /// The task.
    #[command(subcommand)]
    what: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// List the runs of experiments.
    #[command(after_help = "Examples:\n  mbsbench runs plan gil2013/linear-exactness")]
    Plan {
        /// Experiments.
        #[command(flatten)]
        wanted: Wanted,
        /// Use the shorter settings under `quick:`.
        #[arg(long)]
        quick: bool,
        /// Output format: tables, or JSON with one run per line.
        #[arg(long, value_enum, value_name = "text|json", default_value_t)]
        format: Format,
    },
    /// Compute one run into the cache.
    #[command(after_help = "Examples:\n  \
                      mbsbench runs one KEY gil2013/linear-exactness    # KEY is shown by `mbsbench runs plan`")]
    One {
        /// Key of the run, shown by `plan` and in `runs.csv`.
        key: String,
        /// Experiments that have the run.
        #[command(flatten)]
        wanted: Wanted,
        /// Computation of the run.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Compute one part of the runs into the cache.
    #[command(after_help = "Examples:\n  mbsbench runs shard 1/8 gil2013 --cache part1")]
    Shard {
        /// Part I of N, `1/8` to `8/8`.
        #[arg(value_name = "I/N")]
        part: Shard,
        /// Experiments.
        #[command(flatten)]
        wanted: Wanted,
        /// Computation of the runs.
        #[command(flatten)]
        options: RunOptions,
    },
    /// Merge run caches from other machines.
    #[command(after_help = "Examples:\n  mbsbench runs merge part1 part2 --cache all")]
    Merge {
        /// Run caches to merge.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Run cache that receives the runs.
        #[arg(long, value_name = "DIR", default_value = CACHE)]
        cache: PathBuf,
    },
}

impl Command for Runs {
    fn need(&self) -> Need {
        match &self.what {
            Task::Plan { wanted, .. } | Task::One { wanted, .. } | Task::Shard { wanted, .. } => wanted.need(),
            Task::Merge { .. } => Need::Nothing,
        }
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        match &self.what {
            Task::Plan { wanted, quick, format } => {
                for plan in wanted.plans(session.library, *quick)? {
                    match format {
                        Format::Text => print_table(&plan, &mut session.output)?,
                        Format::Json => {
                            for run in &plan.runs {
                                session.output.println(line(&plan, run).to_string())?;
                            }
                        }
                    }
                }
                Ok(Exit::Done)
            }
            Task::One { key, wanted, options } => {
                one(key, &wanted.plans(session.library, options.quick)?, options, session)
            }
            Task::Shard { part, wanted, options } => {
                let plans = wanted.plans(session.library, options.quick)?;
                let (_, progress) = keep(&plans, &|_, run| part.has(run.key()), options, session)?;
                session.output.println(progress.summary())?;
                none_lost(&progress)?;
                Ok(Exit::Done)
            }
            Task::Merge { folders, cache } => merge(folders, cache, session),
        }
    }
}

fn print_table(plan: &Plan, output: &mut Output<'_>) -> Result<()> {
    let timed = if plan.is_timed() { ", all timed" } else { "" };
    output.println(format!("{}: {} runs{timed}", plan.experiment.id, plan.runs.len()))?;
    let heads = plan.axes.iter().cloned().chain(["run".to_owned()]).collect::<Vec<_>>();
    let line = |run: &RunSpec| {
        let cells = run.cells.iter().map(|cell| cell.as_ref().map_or(String::new(), ToString::to_string));
        cells.chain([run.key().to_string()]).collect()
    };
    Ok(output.println(table([heads].into_iter().chain(plan.runs.iter().map(line))).to_string())?)
}

/// A run as JSON; axes are spelled as in `runs.csv`.
fn line(plan: &Plan, run: &RunSpec) -> Value {
    let cells = plan.axes.iter().zip(&run.cells);
    let axes: Map<String, Value> =
        cells.filter_map(|(axis, cell)| Some((axis.clone(), json!(cell.as_ref()?.text)))).collect();
    json!({ "key": run.key().to_string(), "experiment": plan.experiment.id, "axes": axes, "timing": plan.is_timed() })
}

/// Computes the run with a key. If several experiments contain it, the recordings for all of them are kept.
fn one(key: &str, plans: &[Plan], options: &RunOptions, session: &mut Session<'_>) -> Result<Exit> {
    let runs = || plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run)));
    let is_meant = |run: &RunSpec| key == run.key().full() || key == run.key().to_string();
    let meant: Vec<(&Plan, &RunSpec)> = runs().filter(|(_, run)| is_meant(run)).collect();
    if meant.is_empty() {
        let keys: Vec<String> = runs().map(|(_, run)| run.key().to_string()).collect();
        let nearest = nearest(key, keys.iter().map(String::as_str));
        let nearest = nearest.map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "));
        return Err(CommandError::refused(
            &format!("no run has the key `{key}`"),
            &format!("{nearest}`mbsbench runs plan` lists the runs of files, papers and experiments"),
        ));
    }
    let (made, progress) = keep(plans, &|_, run| is_meant(run), options, session)?;
    for ((plan, run), record) in meant.into_iter().zip(made.records) {
        let title = Titles::of(plan).of_run(run);
        session.output.println(format!("{} {} {title}: {}", run.key(), plan.experiment.id, record.status))?;
    }
    none_lost(&progress)?;
    Ok(Exit::Done)
}

/// Computes the selected runs and keeps them in the cache.
fn keep(
    plans: &[Plan],
    is_chosen: &(dyn Fn(&Plan, &RunSpec) -> bool + Sync),
    options: &RunOptions,
    session: &mut Session<'_>,
) -> Result<(Computed, Progress)> {
    let chosen = plans.iter().map(|plan| plan.runs.iter().filter(|run| is_chosen(plan, run)).count());
    let (workshop, made) = session.keep(Progress::new(chosen.sum()), options, |resources| {
        resources.cache.prepare()?;
        compute(plans, is_chosen, resources)
    })?;
    session.report_doubts(&made.certificates, |certificate| format!("reference {}", certificate.plan.key));
    Ok((made, workshop.progress))
}

/// Adds the entries of the caches in `folders`. If some entries are refused, the others are merged, and the exit code
/// reports it.
fn merge(folders: &[PathBuf], cache: &Path, session: &mut Session<'_>) -> Result<Exit> {
    let Session { library, output } = session;
    let opened = Cache::new(cache, fingerprint(library.registry));
    opened.tidy();
    let merged = opened.merge(folders)?;
    for (file, refusal) in &merged.refused {
        output.eprintln(format!("{}: {refusal}", file.display()));
    }
    let refused = if merged.refused.is_empty() { String::new() } else { format!(", {} refused", merged.refused.len()) };
    output.println(format!("{}: {} added, {} already present{refused}", cache.display(), merged.added, merged.same))?;
    Ok(if merged.refused.is_empty() { Exit::Done } else { Exit::Differs })
}
