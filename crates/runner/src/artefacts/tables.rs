//! Tables of an experiment as data for the renderer.

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::spec::{Layout, TableSpec};
use mbsbench_experiment::units::of_column;
use mbsbench_experiment::{Label, Published};
use mbsbench_render::table::{Cell, Measured, Row, Table};
use mbsbench_runs::results::{ResultSet, Row as Run};

use super::WriteError;

/// The table that `spec` describes, with published values where the paper prints them.
///
/// # Errors
/// Where the published table has gone since the plan was made.
pub fn table(plan: &Plan, spec: &TableSpec, results: &ResultSet) -> Result<Table, WriteError> {
    let published = match &spec.published {
        Some(file) => Some(Published::read(&plan.experiment.document.source.folder().join(file))?),
        None => None,
    };
    let row_of = |run: &Run| results.label_on(run, spec.rows.iter());
    let mut rows: Vec<Label> = Vec::new();
    for label in runs(spec, results).filter_map(row_of) {
        if !rows.iter().any(|row| row.same(&label)) {
            rows.push(label);
        }
    }
    let columns = columns(spec, results);
    let cell = |row: &Label, column: &Column<'_>| {
        let run = runs(spec, results).find(|run| {
            let is_in_row = row_of(run).is_some_and(|label| label.same(row));
            is_in_row
                && column.axis.is_none_or(|(axis, own)| results.label(run, axis).is_some_and(|label| label.same(own)))
        });
        let measured = run.map_or(Measured::Missing, |run| match results.number(run, column.value) {
            Some(value) if run.is_ok() => Measured::Value(value),
            _ if !run.is_ok() => Measured::Failed { name: run.status.to_string(), t_reached: run.t_reached },
            _ => Measured::Missing,
        });
        let printed = published.as_ref().and_then(|published| {
            let column = published.columns.iter().position(|head| column.is(head))?;
            let (_, cells) = published.rows.iter().find(|(head, _)| row.is(head))?;
            cells.get(column).filter(|cell| !cell.is_empty()).cloned()
        });
        Cell { published: printed, measured }
    };
    let heading = |axis: &str| match &*of_column(axis, "") {
        "" | "1" => axis.to_owned(),
        unit => format!("{axis} ({unit})"),
    };
    Ok(Table {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        row_axis: spec.rows.iter().map(heading).collect::<Vec<_>>().join(", "),
        column_axis: spec.columns.as_deref().map_or_else(|| "quantity".to_owned(), heading),
        columns: columns.iter().map(|column| column.head.clone()).collect(),
        rows: rows
            .iter()
            .map(|row| Row { label: row.to_string(), cells: columns.iter().map(|column| cell(row, column)).collect() })
            .collect(),
        // Ratios of several quantities beside one another would hide the quantities.
        ratio: published.is_some() && spec.columns.is_some(),
    })
}

/// A column of a table.
struct Column<'t> {
    head: String,
    /// The axis and the value on it that the column is for; none where it is for a quantity.
    axis: Option<(&'t str, &'t Label)>,
    /// The column of `runs.csv` that fills it.
    value: &'t str,
}

impl Column<'_> {
    fn is(&self, head: &str) -> bool {
        self.axis.map_or(self.head == head, |(_, label)| label.is(head))
    }
}

/// The runs that the table shows.
fn runs<'r>(spec: &'r TableSpec, results: &'r ResultSet) -> impl Iterator<Item = &'r Run> {
    results.matching(&spec.filter)
}

fn columns<'t>(spec: &'t TableSpec, results: &'t ResultSet) -> Vec<Column<'t>> {
    match spec.layout() {
        Some(Layout::Axis { columns, value }) => results
            .values_of(columns)
            .into_iter()
            .map(|label| Column { head: label.to_string(), axis: Some((columns, label)), value })
            .collect(),
        Some(Layout::Values(values)) => {
            values.iter().map(|(head, value)| Column { head: head.clone(), axis: None, value }).collect()
        }
        // The plan was checked.
        None => Vec::new(),
    }
}
