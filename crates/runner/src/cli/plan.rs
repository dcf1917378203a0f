//! `mbsbench plan`: the runs of experiment files as a table.

use std::path::PathBuf;

use tabled::builder::Builder;
use tabled::settings::Style;

use super::{CommandError, load};
use crate::output::Output;
use crate::registry::Registry;

pub(super) fn plan(
    registry: &Registry,
    files: &[PathBuf],
    quick: bool,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    for plan in load(registry, files, quick)? {
        output.line(format!("{}: {} runs", plan.experiment.id, plan.runs.len()))?;
        let mut table = Builder::default();
        table.push_record(plan.axes.iter().map(String::as_str).chain(["run"]));
        for run in &plan.runs {
            let cells = run.cells.iter().map(|cell| cell.as_ref().map_or(String::new(), ToString::to_string));
            table.push_record(cells.chain([run.key.to_string()]));
        }
        output.line(table.build().with(Style::psql()).to_string())?;
    }
    Ok(())
}
