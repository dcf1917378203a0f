//! `mbsbench robustness`.

use std::path::{Path, PathBuf};

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};

use super::files::{EXPERIMENTS, experiment_files, ledger};
use super::{CommandError, load};
use crate::output::Output;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::registry::Registry;
use crate::robustness::{Share, Study};
use crate::store::{Store, write_atomically};

/// How a study is made.
#[derive(Debug, Clone, clap::Args)]
pub struct StudyOptions {
    /// Samples of the undetermined parameters.
    #[arg(long, default_value_t = 128)]
    pub samples: u32,
    /// Threads; all cores where not given.
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Folder of the store of finished runs.
    #[arg(long, default_value = "target/mbsbench-store")]
    pub cache: PathBuf,
    /// Folder for results; the study goes to `DIR/<id>/robustness.csv`.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
}

/// Samples the undetermined parameters of experiment files and judges the claims that rest on each.
pub(super) fn robustness(
    registry: &Registry,
    files: &[PathBuf],
    options: &StudyOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = load(registry, files, false)?;
    let all = load(registry, &experiment_files(Path::new(EXPERIMENTS))?, false)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs.unwrap_or(0)).build()?;
    let store = Store::new(&options.cache, registry.fingerprint());
    for plan in &plans {
        let id = &plan.experiment.id;
        if plan.experiment.undetermined.is_empty() {
            output.line(format!("{id}: nothing is undetermined"))?;
            continue;
        }
        let Some(ledger) = ledger(&plan.experiment.paper, &all)? else {
            output.line(format!("{id}: the paper has no ledger of claims"))?;
            continue;
        };
        let progress = Progress::new(plan.runs.len() * options.samples as usize);
        let study = pool.install(|| Study::new(plan, &ledger, options.samples, registry, &store, &progress));
        progress.clear();
        let study = study?;
        for (name, text) in [("robustness.csv", study.to_csv()), ("robustness-samples.csv", study.samples_to_csv())] {
            let path = options.out.join(id).join(name);
            let text = text.map_err(|error| CommandError::Store { path: path.clone(), error: error.into() })?;
            write_atomically(&path, &text).map_err(|error| CommandError::Store { path, error })?;
        }
        print(plan, &study, output)?;
    }
    Ok(())
}

fn print(plan: &Plan, study: &Study, output: &mut Output<'_>) -> Result<(), CommandError> {
    let id = &plan.experiment.id;
    output.line(format!("{id}: {} samples of {}", study.samples.len(), study.parameters.join(", ")))?;
    let mut table = Builder::default();
    table.push_record(["claim", "holds in", "95 % interval", "decided by"]);
    for (index, claim) in study.claims.iter().enumerate() {
        let Share { holds, samples, interval: [low, high], decides } = study.share(index);
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let decided = decides.map_or_else(String::new, |decision| {
            let side = if decision.holds_below { "below" } else { "above" };
            format!("{} {side} {:.3}", decision.parameter, decision.threshold)
        });
        let share = percent(holds as f64 / samples.max(1) as f64);
        table.push_record([claim.id.clone(), share, format!("{} to {}", percent(low), percent(high)), decided]);
    }
    let mut table = table.build();
    table.with(Style::psql()).with(Modify::new(Columns::new(1..3)).with(Alignment::right()));
    Ok(output.line(table.to_string())?)
}
