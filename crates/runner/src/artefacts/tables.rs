//! Tables of an experiment as data for the renderer.

use mbsbench_experiment::units::of_column;
use mbsbench_experiment::{Label, Layout, Plan, Published, TableSpec};
use mbsbench_judge::statistics;
use mbsbench_render::table::{Cell, Measured, Row, Table};
use mbsbench_runs::pairs;
use mbsbench_runs::results::{ResultSet, Row as Run};

use super::WriteError;
use mbsbench_experiment::lists::unique_by;

/// Returns the table that `spec` describes, with published values if the paper prints them.
///
/// # Errors
/// Fails if the published table has disappeared since the plan was made.
pub fn table(plan: &Plan, spec: &TableSpec, results: &ResultSet) -> Result<Table, WriteError> {
    let file = spec.published.as_ref().map(|file| plan.experiment.document.source.folder().join(file));
    let published = file.map(|file| Published::read(&file)).transpose()?;
    let has_methods = spec.rows.iter().chain(spec.columns.as_deref()).any(|axis| axis == "method");
    let row_of = |run: &Run| {
        let own = results.label_on(run, spec.rows.iter())?;
        let guest = results.label(run, "method").filter(|label| !has_methods && plan.guest.is_called(&label.text));
        Some(guest.map_or_else(|| own.clone(), |guest| Label { text: format!("{own}, {guest}"), number: None }))
    };
    let runs: Vec<(Label, &Run)> = results.matching(&spec.filter).filter_map(|run| Some((row_of(run)?, run))).collect();
    let rows = unique_by(runs.iter().map(|(row, _)| row.clone()), Label::same);
    let columns = columns(spec, results);
    let cell = |row: &Label, column: &Column<'_>| {
        let is_in_column = |run: &Run| {
            column.axis.is_none_or(|(axis, own)| results.label(run, axis).is_some_and(|label| label.same(own)))
        };
        let mut in_cell = runs.iter().filter(|(own, run)| own.same(row) && is_in_column(run)).map(|&(_, run)| run);
        let measured = if spec.medians {
            median(in_cell.map(|run| measured_in(run, column.value, results)))
        } else {
            in_cell.next().map_or(Measured::Missing, |run| measured_in(run, column.value, results))
        };
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
    let row = |row: &Label| {
        let mut cells: Vec<Cell> = columns.iter().map(|column| cell(row, column)).collect();
        let exponent = spec.exponent_from.map(|from| exponent(from, &columns, &cells));
        cells.extend(exponent);
        Row { label: row.to_string(), cells }
    };
    let heads = columns.iter().map(|column| column.head.clone());
    Ok(Table {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        row_axis: spec.rows.iter().map(heading).collect::<Vec<_>>().join(", "),
        column_axis: spec.columns.as_deref().map_or_else(|| "quantity".to_owned(), heading),
        columns: heads.chain(spec.exponent_from.map(|_| EXPONENT.into())).collect(),
        rows: rows.iter().map(row).collect(),
        // With several quantities side by side, ratios would hide the quantities.
        ratio: published.is_some() && spec.columns.is_some(),
    })
}

/// The result of a run in a column of `runs.csv`.
fn measured_in(run: &Run, column: &str, results: &ResultSet) -> Measured {
    if !run.is_ok() {
        return Measured::Failed { name: run.outcome(), t_reached: run.t_reached };
    }
    results.number(run, column).map_or(Measured::Missing, Measured::Value)
}

/// The median over the runs of a cell. If any run has no value, the first such result is returned.
fn median(runs: impl Iterator<Item = Measured>) -> Measured {
    let mut values = Vec::new();
    for run in runs {
        match run {
            Measured::Value(value) => values.push(value),
            other => return other,
        }
    }
    if values.is_empty() { Measured::Missing } else { Measured::Value(pairs::median(&values).value) }
}

/// The heading of the column with exponents.
const EXPONENT: &str = "exponent";

/// The exponent of a power law that is fitted to the cells that have a value, over the columns whose number is at least
/// `from`.
fn exponent(from: f64, columns: &[Column<'_>], cells: &[Cell]) -> Cell {
    let points = columns.iter().zip(cells).filter_map(|(column, cell)| {
        let number = column.axis?.1.number.filter(|number| *number >= from && *number > 0.0)?;
        match cell.measured {
            Measured::Value(value) => Some([number, value]),
            _ => None,
        }
    });
    let found = statistics::exponent(&points.collect::<Vec<_>>());
    // Digits beyond the second are noise if times are fitted.
    let measured = found.map_or(Measured::Missing, |exponent| Measured::Value((100.0 * exponent).round() / 100.0));
    Cell { published: None, measured }
}

/// A column of a table.
struct Column<'t> {
    head: String,
    /// The axis and its value for this column; `None` if the column shows a quantity.
    axis: Option<(&'t str, &'t Label)>,
    /// The column of `runs.csv` with the values.
    value: &'t str,
}

impl Column<'_> {
    fn is(&self, head: &str) -> bool {
        self.axis.map_or(self.head == head, |(_, label)| label.is(head))
    }
}

fn columns<'t>(spec: &'t TableSpec, results: &'t ResultSet) -> Vec<Column<'t>> {
    match spec.layout() {
        Some(Layout::Axis { columns, value }) => {
            let column = |label: &'t Label| Column { head: label.to_string(), axis: Some((columns, label)), value };
            results.values_of(columns).into_iter().map(column).collect()
        }
        Some(Layout::Values(values)) => {
            values.iter().map(|(head, value)| Column { head: head.clone(), axis: None, value }).collect()
        }
        // Excluded when the plan was checked.
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_takes_all_runs_or_the_first_failure() {
        let of = |values: &[f64]| median(values.iter().map(|&value| Measured::Value(value)));
        assert_eq!(of(&[]), Measured::Missing);
        assert_eq!(of(&[3.0, 1.0, 7.0]), Measured::Value(3.0));
        assert_eq!(of(&[3.0, 1.0, 7.0, 4.0]), Measured::Value(3.5));
        let failed = Measured::Failed { name: "newton-diverged".into(), t_reached: 0.5 };
        assert_eq!(median([Measured::Value(1.0), failed.clone()].into_iter()), failed);
    }

    #[test]
    fn an_exponent_uses_the_cells_from_a_column_on() {
        let labels = ["1", "10", "100", "1000"].map(|text| Label { text: text.into(), number: text.parse().ok() });
        let columns = labels.each_ref().map(|label| Column {
            head: label.text.clone(),
            axis: Some(("model.rods", label)),
            value: "timing.step_ns",
        });
        let failed = Measured::Failed { name: "newton-diverged".into(), t_reached: 0.0 };
        let cells = |last: Measured| {
            let values = [7.0, 3.0, 300.0].map(Measured::Value).into_iter().chain([last]);
            values.map(|measured| Cell { published: None, measured }).collect::<Vec<_>>()
        };
        let of = |from, last| exponent(from, &columns, &cells(last)).measured;
        assert_eq!(of(10.0, Measured::Value(30_000.0)), Measured::Value(2.0));
        assert_eq!(of(10.0, failed.clone()), Measured::Value(2.0));
        assert_eq!(of(100.0, failed), Measured::Missing);
    }
}
