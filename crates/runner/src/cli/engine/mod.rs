//! Runs made by many machines: split into parts by what they cost, submitted, followed, and submitted again where parts are lost.
//!
//! The store is all that is known of what is done: parts write into it as every program does, and after each round what it does not have
//! is looked up again. So a program that is killed, here or on any machine, loses nothing but the runs under way.

mod balance;
mod round;
mod simulate;
mod submit;
mod waves;

use std::num::NonZero;
use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::Registry;
use mbsbench_runs::costs::{Costs, Estimate};
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::missing;
use mbsbench_runs::store::Store;

use super::CommandError;
use super::run::RunOptions;
use crate::output::Output;
use round::Round;
use waves::{Wave, Work};

pub(super) use simulate::simulate;
pub use submit::Engine;

/// How often parts that fail or are lost are submitted, the first time included.
const ATTEMPTS: usize = 3;

/// Where runs are made.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct EngineOptions {
    /// Workers: `local`, `hyperqueue`, `slurm` or `snakemake`.
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Local)]
    pub engine: Engine,
    /// Tasks into which an engine splits the runs.
    #[arg(long, value_name = "N", default_value = "64")]
    pub parts: NonZero<usize>,
}

/// What an engine's parts are told: what they have to plan and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planned<'p> {
    /// All plans, so that references have all times.
    pub plans: &'p [Plan],
    /// The folder with the experiments.
    pub experiments: &'p Path,
    /// The results that have what runs took where the store does not know it.
    pub recorded: &'p Path,
    /// Store, and whether runs are shortened.
    pub options: &'p RunOptions,
}

impl Planned<'_> {
    /// The files of the plans.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.plans.iter().map(|plan| plan.experiment.document.source.path())
    }
}

/// Has an engine make the runs that the store does not have. What it could not make, after all attempts, is said and left to the caller.
pub(super) fn distribute(
    registry: &Registry,
    planned: Planned<'_>,
    options: EngineOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let Some(scheduler) = options.engine.scheduler() else { return Ok(()) };
    let Planned { options: runs, .. } = planned;
    if runs.fresh {
        return Err(CommandError::FreshParts);
    }
    let store = Store::new(&runs.cache, fingerprint(registry));
    let kept = |error| CommandError::Store { path: runs.cache.clone(), error };
    store.prepare().map_err(kept)?;
    round::tidy(&runs.cache);
    for wave in [Wave::First, Wave::Second] {
        let mut works = works(&store, planned, wave);
        for _ in 0..ATTEMPTS {
            if works.is_empty() {
                break;
            }
            let lost = Round::new(planned, works, options.parts).map_err(kept)?.made(scheduler, output)?;
            works = self::works(&store, planned, wave);
            works.retain(|work| lost.contains(&work.key));
        }
        if !works.is_empty() && wave == Wave::Second {
            output.beside(format!("{} left to this machine", counted(works.len(), "run")));
        }
    }
    Ok(())
}

/// What the store does not have yet and can be made in a wave.
fn works(store: &Store, planned: Planned<'_>, wave: Wave) -> Vec<Work> {
    let costs = Costs::known(&planned.options.cache, planned.recorded);
    let estimate = Estimate::new(&costs, planned.plans);
    waves::works(&missing(planned.plans, store), &estimate, wave)
}

/// `1 run`, `2 runs`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The folder beside the entries of a store where parts are told what to do.
fn parts_folder(cache: &Path) -> PathBuf {
    cache.join(".parts")
}
