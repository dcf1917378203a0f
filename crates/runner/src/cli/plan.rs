//! `mbsbench plan`: the runs of experiments as tables, or one line each for programs.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use mbsbench_experiment::plan::{Plan, RunSpec};
use serde_json::{Map, Value, json};
use tabled::builder::Builder;
use tabled::settings::Style;

use super::engine::simulate;
use super::files::Library;
use super::run::STORE;
use super::{CommandError, Format};
use crate::output::Output;

/// What is shown of plans.
#[derive(Debug, Clone, clap::Args)]
pub struct PlanOptions {
    /// Use the shorter settings under `quick:`.
    #[arg(long)]
    quick: bool,
    /// Tables, or one JSON object a line for each run.
    #[arg(long, value_enum, value_name = "text|json", default_value_t = Format::Text)]
    format: Format,
    /// Estimate the time on N workers instead, from earlier costs.
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "format")]
    workers: Vec<NonZero<usize>>,
    /// Run cache, with costs of earlier runs.
    #[arg(long, value_name = "DIR", default_value = STORE)]
    cache: PathBuf,
}

pub(super) fn plan(
    library: Library<'_>,
    wanted: &[PathBuf],
    options: &PlanOptions,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = library.selected(wanted, options.quick)?;
    if !options.workers.is_empty() {
        // As a part does before its first run.
        let begin = Instant::now();
        let files: Vec<PathBuf> = plans.iter().map(|plan| plan.experiment.document.source.path().to_owned()).collect();
        library.selected(&files, options.quick)?;
        return simulate(&plans, &options.cache, &options.workers, begin.elapsed(), output);
    }
    for plan in plans {
        match options.format {
            Format::Text => print_table(&plan, output)?,
            Format::Json => {
                for run in &plan.runs {
                    output.line(line(&plan, run).to_string())?;
                }
            }
        }
    }
    Ok(())
}

fn print_table(plan: &Plan, output: &mut Output<'_>) -> Result<(), CommandError> {
    let timed = if plan.is_timed() { ", all timed" } else { "" };
    output.line(format!("{}: {} runs{timed}", plan.experiment.id, plan.runs.len()))?;
    let mut table = Builder::default();
    table.push_record(plan.axes.iter().map(String::as_str).chain(["run"]));
    for run in &plan.runs {
        let cells = run.cells.iter().map(|cell| cell.as_ref().map_or(String::new(), ToString::to_string));
        table.push_record(cells.chain([run.key().to_string()]));
    }
    output.line(table.build().with(Style::psql()).to_string())?;
    Ok(())
}

/// A run for programs; axes are spelled as in `runs.csv`.
fn line(plan: &Plan, run: &RunSpec) -> Value {
    let cells = plan.axes.iter().zip(&run.cells);
    let axes: Map<String, Value> =
        cells.filter_map(|(axis, cell)| Some((axis.clone(), json!(cell.as_ref()?.text)))).collect();
    json!({ "key": run.key().to_string(), "experiment": plan.experiment.id, "axes": axes, "timing": plan.is_timed() })
}
