//! The rows of `runs.csv`: one line for each run, with axes, status, assurance, measures, the run's key and the reason
//! of a failure or a warning.

use std::sync::Arc;

use mbsbench_experiment::lists::unique_by;
use mbsbench_experiment::plan::joined;
use mbsbench_experiment::{Filter, Label};
use mbsbench_numbers::{csv, decimal};
use mbsbench_problem::{Assurance, Status};

use crate::execute::run::Trajectory;
use crate::timings::RunTiming;

/// The results of one experiment before they are written.
#[derive(Debug, Clone, Default)]
pub struct ResultSet {
    /// The names of the axis columns.
    pub axes: Vec<String>,
    /// The names of the measure columns.
    pub measures: Vec<String>,
    /// One row for each run.
    pub rows: Vec<Row>,
}

/// A run.
#[derive(Debug, Clone)]
pub struct Row {
    /// The values on the axes as written in the experiment file; `None` if the case does not have the axis.
    pub axes: Vec<Option<Arc<Label>>>,
    /// The status at the end.
    pub status: Status,
    /// What can be said about its answer; `None` if its method did not begin to step, or if an earlier program wrote
    /// the row.
    pub assurance: Option<Assurance>,
    /// The description of the failure, or a warning.
    pub message: Option<String>,
    /// The time reached, s.
    pub t_reached: f64,
    /// The values of the measure columns; `None` is an empty cell.
    pub values: Vec<Option<f64>>,
    /// The key of the run.
    pub key: String,
    /// The timing, if the experiment requests it.
    pub timing: Option<RunTiming>,
    /// The trajectories for plots over time.
    pub trajectory: Option<Trajectory>,
}

impl Row {
    /// True if the run reached its end and does not contradict its own equations.
    pub fn is_ok(&self) -> bool {
        self.status == Status::Ok && !self.is_refuted()
    }

    /// True if the run contradicts its own equations.
    pub fn is_refuted(&self) -> bool {
        self.assurance.as_ref().is_some_and(Assurance::is_refuted)
    }

    /// Returns the outcome in tables and figures: the status, or `refuted`.
    pub fn outcome(&self) -> String {
        if self.is_refuted() { "refuted".to_owned() } else { self.status.to_string() }
    }

    /// Returns the reason of a failure, or a warning, as a cell: the first line of the message. User methods may add
    /// places in their files on further lines.
    fn why(&self) -> String {
        self.message.as_deref().unwrap_or_default().lines().next().unwrap_or_default().to_owned()
    }
}

impl ResultSet {
    /// Assigns these times to the rows in order.
    pub fn show(&mut self, times: Vec<Option<RunTiming>>) {
        for (row, timing) in self.rows.iter_mut().zip(times) {
            row.timing = timing;
        }
    }

    /// Returns the index of an axis column.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis == name)
    }

    /// Returns the index of a measure column.
    pub fn measure(&self, name: &str) -> Option<usize> {
        self.measures.iter().position(|measure| measure == name)
    }

    /// Returns the value of a column (axis, measure or timing) in a row as a number.
    pub fn number(&self, row: &Row, column: &str) -> Option<f64> {
        match (self.axis(column), column) {
            (Some(index), _) => row.axes[index].as_ref()?.number,
            (None, "t_reached") => Some(row.t_reached),
            (None, _) => match self.measure(column) {
                Some(index) => row.values[index],
                None => row.timing.as_ref()?.number(column),
            },
        }
    }

    /// Returns the label of a row on an axis.
    pub fn label<'r>(&self, row: &'r Row, axis: &str) -> Option<&'r Label> {
        row.axes[self.axis(axis)?].as_deref()
    }

    /// Returns the joint label of a row on several axes.
    pub fn label_on<'n>(&self, row: &Row, axes: impl Iterator<Item = &'n str>) -> Option<Label> {
        joined(&axes.map(|axis| self.label(row, axis)).collect::<Option<Vec<_>>>()?)
    }

    /// Returns the rows that have these axis values.
    pub fn matching<'r>(&'r self, filter: &'r Filter) -> impl Iterator<Item = &'r Row> {
        self.rows.iter().filter(move |row| {
            filter.iter().all(|(axis, value)| self.label(row, axis).is_some_and(|label| value.matches(label)))
        })
    }

    /// Returns the values on an axis, in the order of the runs.
    pub fn values_of(&self, axis: &str) -> Vec<&Label> {
        let labels = self.rows.iter().filter_map(|row| self.label(row, axis));
        unique_by(labels, |one, other| one.same(other))
    }

    /// Returns the text of `runs.csv`.
    pub fn to_csv(&self) -> String {
        let heads = self.axes.iter().map(String::as_str).chain(["status", "assurance", "t_reached"]);
        let heads = heads.chain(self.measures.iter().map(String::as_str)).chain(["run", "message"]);
        let line = |row: &Row| -> Vec<String> {
            let axes = row.axes.iter().map(|label| label.as_ref().map_or_else(String::new, |label| label.text.clone()));
            let reached = if row.t_reached.is_nan() { String::new() } else { decimal(row.t_reached) };
            let cells = row.values.iter().map(|value| value.map(decimal).unwrap_or_default());
            let assurance = row.assurance.as_ref().map(ToString::to_string).unwrap_or_default();
            let outcome = [row.status.to_string(), assurance, reached];
            axes.chain(outcome).chain(cells).chain([row.key.clone(), row.why()]).collect()
        };
        csv([heads.map(str::to_owned).collect()].into_iter().chain(self.rows.iter().map(line)))
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_numbers::unguarded;

    use super::*;

    #[test]
    fn rows_have_assurances_reasons_and_warnings() {
        let row = |key: &str, status, message: Option<&str>| Row {
            axes: Vec::new(),
            status,
            assurance: (key == "b").then(|| Assurance::Refuted("a lost, \u{1b} row".to_owned())),
            message: message.map(str::to_owned),
            t_reached: 0.5,
            values: Vec::new(),
            key: key.to_owned(),
            timing: None,
            trajectory: None,
        };
        assert!(row("a", Status::Ok, None).is_ok() && !row("b", Status::Ok, None).is_ok());
        let rows = vec![
            row("a", Status::Ok, None),
            row("b", Status::Ok, Some("the right-hand side jumps")),
            row("c", Status::Rule, Some("rule `x, \"y\"` is broken at t = 0.5")),
            row("d", Status::SolverFailed, Some("=1+1 \u{1b}[31m\u{202e}x\nFile \"/home/somebody/method.py\", line 3")),
            row("e", Status::Panicked, None),
        ];
        let text = ResultSet { rows, ..ResultSet::default() }.to_csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap(), ["status", "assurance", "t_reached", "run", "message"].as_slice());
        let said: Vec<String> = reader.records().map(|row| unguarded(&row.unwrap()[4]).to_owned()).collect();
        assert_eq!(
            said,
            ["", "the right-hand side jumps", "rule `x, \"y\"` is broken at t = 0.5", "=1+1 \\u{1b}[31m\\u{202e}x", ""]
        );
        assert!(text.contains(",d,'=1+1 "), "no spreadsheet runs it");
        assert!(
            text.contains("\nok,,0.5,a,") && text.contains("\nok,\"refuted: a lost, \\u{1b} row\",0.5,b,"),
            "{text}"
        );
    }
}
