//! Tables of an experiment as data for the renderer.

use crate::experiment::Published;
use crate::experiment::spec::TableSpec;
use crate::plan::Plan;
use crate::render::table::{Cell, Measured, Row, Table};
use crate::results::ResultSet;

use super::WriteError;
use super::units::of_column;

/// The table that `spec` describes, with published values where the paper prints them.
///
/// # Errors
/// Where the published table has gone since the plan was made.
pub fn table(plan: &Plan, spec: &TableSpec, results: &ResultSet) -> Result<Table, WriteError> {
    let published = match &spec.published {
        Some(file) => Some(Published::read(&plan.experiment.document.source.folder().join(file))?),
        None => None,
    };
    let (rows, columns) = (results.values_of(&spec.rows), results.values_of(&spec.columns));
    let heading = |axis: &str| match of_column(axis, "") {
        "" | "1" => axis.to_owned(),
        unit => format!("{axis} ({unit})"),
    };
    Ok(Table {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        row_axis: heading(&spec.rows),
        column_axis: heading(&spec.columns),
        columns: columns.iter().map(ToString::to_string).collect(),
        rows: rows
            .iter()
            .map(|row| Row {
                label: row.to_string(),
                cells: columns
                    .iter()
                    .map(|column| {
                        let run = results.matching(&spec.filter).find(|run| {
                            results.label(run, &spec.rows).is_some_and(|label| label.same(row))
                                && results.label(run, &spec.columns).is_some_and(|label| label.same(column))
                        });
                        let measured = run.map_or(Measured::Missing, |run| match results.number(run, &spec.value) {
                            Some(value) if run.is_ok() => Measured::Value(value),
                            _ if !run.is_ok() => {
                                Measured::Failed { name: run.status.clone(), t_reached: run.t_reached }
                            }
                            _ => Measured::Missing,
                        });
                        let printed = published.as_ref().and_then(|published| {
                            let column = published.columns.iter().position(|head| column.is(head))?;
                            let (_, cells) = published.rows.iter().find(|(head, _)| row.is(head))?;
                            cells.get(column).filter(|cell| !cell.is_empty()).cloned()
                        });
                        Cell { published: printed, measured }
                    })
                    .collect(),
            })
            .collect(),
        ratio: published.is_some(),
    })
}
