//! `mbsbench plan`: the runs of experiments as tables, or one line each for programs.

use std::path::PathBuf;

use mbsbench_experiment::plan::{Plan, RunSpec};
use serde_json::{Map, Value, json};
use tabled::builder::Builder;
use tabled::settings::Style;

use super::files::Library;
use super::{CommandError, Format};
use crate::output::Output;

pub(super) fn plan(
    library: Library<'_>,
    wanted: &[PathBuf],
    quick: bool,
    format: Format,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    for plan in library.selected(wanted, quick)? {
        match format {
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
