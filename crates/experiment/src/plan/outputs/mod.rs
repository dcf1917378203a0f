//! Checks that tables and plots refer to existing columns and values of the runs.

use std::collections::HashMap;

mod animations;
mod panels;

use super::observables::Observables;
use super::{Plan, RunSpec};
use crate::columns::TIMINGS;
use crate::spec::{DrawingSpec, Filter, Layout, PanelSpec, Scale, TableSpec};
use crate::{Label, Placed, Problems, Published, RankingSpec, Recording, units};
use mbsbench_input::{BadInput, Node, Place, Problem, one_of};

/// Columns of every `runs.csv` that a table or plot can show besides measures.
const ALWAYS: [&str; 1] = ["t_reached"];

pub(super) fn check(plan: &Plan, observables: &Observables, problems: &mut Problems) {
    for table in &plan.experiment.tables {
        Outputs { plan, observables, node: &table.node, problems }.table(&table.value);
    }
    for ranking in &plan.experiment.rankings {
        Outputs { plan, observables, node: &ranking.node, problems }.ranking(&ranking.value);
    }
    for drawing in &plan.experiment.drawings {
        Outputs { plan, observables, node: &drawing.node, problems }.drawing(&drawing.value);
    }
    for animation in &plan.experiment.animations {
        Outputs { plan, observables, node: &animation.node, problems }.animation(&animation.value);
    }
    for figure in &plan.experiment.plots {
        let nodes: Vec<&Node> = match figure.node.get("panels").map(|panels| &panels.value) {
            Some(mbsbench_input::Value::List(items)) => items.iter().collect(),
            _ => vec![&figure.node],
        };
        for (panel, node) in figure.value.panels.iter().zip(nodes) {
            Outputs { plan, observables, node, problems }.panel(panel);
        }
    }
}

/// Returns the plan with the observables to record noted in each run.
pub(super) fn with_drawings(mut plan: Plan) -> Result<Plan, BadInput> {
    let observables = Observables::of(&plan);
    let mut wanted: Vec<Recording> = Vec::with_capacity(plan.runs.len());
    for run in &plan.runs {
        let trajectories = plan.experiment.trajectories.iter().map(|Placed { value, .. }| value.clone()).collect();
        let mut recording = Recording { trajectories, ..Recording::default() };
        for panel in plan.experiment.plots.iter().flat_map(|figure| &figure.value.panels) {
            if is_trajectory(panel, observables.at(run)) && plan.is_meant(run, &panel.filter) {
                recording.orbits |= panel.x != "t";
                recording.logarithmic |= matches!(panel.scale, Scale::LogY | Scale::LogLog);
                recording.windows.extend(panel.x_range.filter(|range| panel.x == "t" && is_part(*range, run.span)));
                recording.every = recording.every.into_iter().chain(panel.every).reduce(f64::min);
                let names = panel.y.iter().chain([panel.x.as_str()]).filter(|&name| name != "t");
                recording.trajectories.extend(names.map(str::to_owned));
            }
        }
        recording.trajectories.sort();
        recording.trajectories.dedup();
        recording.windows.sort_by(|[a, b], [c, d]| a.total_cmp(c).then(b.total_cmp(d)));
        recording.windows.dedup();
        wanted.push(recording);
    }
    for (run, recording) in plan.runs.iter_mut().zip(wanted) {
        run.recording = recording;
    }
    Ok(plan)
}

/// True if an axis shows only a part of a run.
fn is_part([low, high]: [f64; 2], [start, end]: [f64; 2]) -> bool {
    low < high && high > start && low < end && (low > start || high < end)
}

/// True if a panel shows observables over time or over each other, rather than columns.
fn is_trajectory(panel: &PanelSpec, observables: &[String]) -> bool {
    panel.x == "t" || observables.contains(&panel.x)
}

struct Outputs<'p> {
    plan: &'p Plan,
    observables: &'p Observables,
    node: &'p Node,
    problems: &'p mut Problems,
}

impl Outputs<'_> {
    fn table(&mut self, table: &TableSpec) {
        let rows: Option<Vec<usize>> = table.rows.iter().map(|axis| self.axis("rows", axis)).collect();
        let filtered = self.filter(&table.filter);
        let columns = match table.layout() {
            None => {
                let one_of_two = |given: &Option<String>, other: &str| {
                    given.as_ref().map(|_| (format!("the key `{other}` is missing"), format!("add `{other}:`")))
                };
                let (message, help) = match (&table.columns, &table.value, table.values.0.is_empty()) {
                    (columns, None, true) => one_of_two(columns, "value"),
                    (None, value, true) => one_of_two(value, "columns"),
                    _ => None,
                }
                .unwrap_or_else(|| {
                    let accepted = "accepted: `columns` with `value`, or `values: { heading: column, … }`";
                    ("the table needs either `columns` or `values`".to_owned(), accepted.to_owned())
                });
                self.problems.refuse(self.node.place, message, help);
                return;
            }
            Some(Layout::Axis { columns, value }) => {
                self.column("value", value);
                let Some(columns) = self.axis("columns", columns) else { return };
                Some(columns)
            }
            Some(Layout::Values(values)) => {
                for (head, column) in values {
                    self.column(&format!("values.{head}"), column);
                }
                None
            }
        };
        let (Some(rows), true) = (rows, filtered) else { return };
        if let Some(axis) = columns.filter(|columns| rows.contains(columns)) {
            let message = format!("rows and columns are both `{}`", self.plan.axes[axis]);
            self.refuse("columns", message, "accepted: two different axes");
            return;
        }
        let row_axes: Vec<&str> = table.rows.iter().collect();
        if !table.medians {
            self.one_run_a_place("cell", &table.filter, &row_axes, columns);
        }
        if let Some(from) = table.exponent_from {
            self.exponent(from, columns);
        }
        if let Some(file) = &table.published {
            self.published(table, file, columns);
        }
    }

    /// Checks that at least two columns with numbers are available for an exponent.
    fn exponent(&mut self, from: f64, columns: Option<usize>) {
        let mut numbers: Vec<f64> = Vec::new();
        for run in &self.plan.runs {
            let number = columns.and_then(|axis| run.cells[axis].as_ref()?.number);
            numbers.extend(number.filter(|number| *number >= from && *number > 0.0 && !numbers.contains(number)));
        }
        if numbers.len() < 2 {
            let message = format!("fewer than two columns have a positive number of {from} or above");
            let help = "accepted: with `columns`, a number that at least two columns reach";
            self.refuse("exponent_from", message, help);
        }
    }

    fn ranking(&mut self, ranking: &RankingSpec) {
        self.filter(&ranking.filter);
        self.column("error", &ranking.error);
        for (head, column) in &ranking.work.0 {
            self.column(&format!("work.{head}"), column);
        }
    }

    fn drawing(&mut self, drawing: &DrawingSpec) {
        self.unit_of_length(&drawing.unit);
        if !self.filter(&drawing.filter) {
            return;
        }
        let Some(run) = self.plan.runs.iter().find(|run| self.plan.is_meant(run, &drawing.filter)) else {
            self.refuse("where", "no run has all of these values", "accepted: a combination that is not excluded");
            return;
        };
        if let Some(times) = &drawing.at {
            let [start, end] = run.span;
            if times.is_empty() || !times.is_sorted_by(|a, b| a < b) || times.iter().any(|t| !(start..=end).contains(t))
            {
                let message = format!("`at: {times:?}` is not a list of increasing times from {start} s to {end} s");
                self.refuse("at", message, "accepted: increasing times of the run, s");
            }
        }
        let known: Vec<&str> = run.views().iter().map(|view| view.name).collect();
        for name in &drawing.views {
            if !known.contains(&name.as_str()) {
                self.problems.add(Problem::unknown(self.place("views"), "view", name, &known));
            }
        }
    }

    fn unit_of_length(&mut self, unit: &str) {
        if units::factor("m", unit).is_none() {
            self.refuse("unit", format!("`{unit}` is not a unit of length"), "accepted: `m` or `mm`");
        }
    }

    /// Returns the columns that are neither axes nor measures.
    fn others(&self) -> Vec<&'static str> {
        let timings = self.plan.experiment.timing.as_ref().map(|_| TIMINGS);
        ALWAYS.into_iter().chain(timings.into_iter().flatten()).collect()
    }

    fn place(&self, key: &str) -> Place {
        self.node.place_of(key)
    }

    /// Adds a problem at a key.
    fn refuse(&mut self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.refuse(self.place(key), message, help);
    }

    fn axis(&mut self, key: &str, name: &str) -> Option<usize> {
        let found = self.plan.axis(name);
        if found.is_none() {
            self.problems.add(Problem::unknown(self.place(key), "axis", name, &self.plan.axes));
        }
        found
    }

    fn column(&mut self, key: &str, name: &str) {
        if self.plan.columns.iter().any(|column| column == name) || self.others().contains(&name) {
            return;
        }
        let known = self.plan.columns.iter().map(String::as_str).chain(self.others());
        self.problems.add(Problem::unknown(self.place(key), "column", name, known));
    }

    fn filter(&mut self, filter: &Filter) -> bool {
        let Some(node) = self.node.get("where") else { return true };
        let mut good = true;
        for entry in node.entries() {
            let name = &entry.key.name;
            let Some(axis) = self.plan.axis(name) else {
                self.problems.add(Problem::unknown(entry.key.place, "axis", name, &self.plan.axes));
                good = false;
                continue;
            };
            let labels = self.plan.values(axis);
            // With `--quick` a value may be missing; the output then has no runs.
            if !labels.iter().any(|label| filter[name].matches(label)) && !self.plan.experiment.quick {
                let (kind, found) = (format!("value of `{name}`"), filter[name].to_string());
                self.problems.add(Problem::unknown(entry.value.place, &kind, &found, labels));
                good = false;
            }
        }
        good
    }

    /// Checks that no two runs share one place, such as a table cell or a bar.
    fn one_run_a_place(&mut self, what: &str, filter: &Filter, rows: &[&str], columns: Option<usize>) {
        let plan = self.plan;
        let mut seen: HashMap<[Option<String>; 2], &RunSpec> = HashMap::new();
        for run in plan.runs.iter().filter(|run| plan.is_meant(run, filter) && !plan.is_of_guest(run)) {
            let row = plan.label_on(run, rows.iter().copied()).map(|label| label.text);
            let column = columns.and_then(|axis| run.cells[axis].as_ref()).map(|label| label.text.clone());
            if row.is_none() || (columns.is_some() && column.is_none()) {
                continue;
            }
            let cell = [row, column];
            if let Some(first) = seen.insert(cell.clone(), run) {
                let differing = self.differing(first, run);
                let cell: Vec<String> = cell.iter().flatten().map(|label| format!("`{label}`")).collect();
                let message = format!("two runs share the {what} {}; they differ in {differing}", cell.join(", "));
                let medians = if what == "cell" { ", or show medians with `medians: true`" } else { "" };
                let help = format!("choose one with `where: {{ … }}` on {differing}{medians}");
                self.refuse(if what == "cell" { "id" } else { "x" }, message, help);
                return;
            }
        }
    }

    fn differing(&self, one: &RunSpec, other: &RunSpec) -> String {
        let names = self.plan.axes.iter().zip(one.cells.iter().zip(&other.cells));
        one_of(names.filter(|(_, (one, other))| one != other).map(|(name, _)| name.as_str()))
    }

    /// Checks that the headings of a published table are values of the axes or headings of `values`.
    fn published(&mut self, spec: &TableSpec, file: &str, columns: Option<usize>) {
        let place = self.place("published");
        let Some(table) = self.published_file(file, "rows") else { return };
        if self.plan.experiment.quick {
            return;
        }
        let plan = self.plan;
        let rows: Vec<Label> = plan.runs.iter().filter_map(|run| plan.label_on(run, spec.rows.iter())).collect();
        let row_axes: Vec<&str> = spec.rows.iter().collect();
        let heads = table.rows.iter().map(|(head, _)| head);
        let kind = format!("value of `{}` in", row_axes.join("`, `"));
        self.heads_are_known(place, (file, &table.lines), heads, &rows, &kind);
        match columns {
            Some(axis) => {
                let labels: Vec<Label> = plan.values(axis).into_iter().cloned().collect();
                let kind = format!("value of `{}` in", plan.axes[axis]);
                self.heads_are_known(place, (file, &[]), table.columns.iter(), &labels, &kind);
            }
            None => {
                let label = |(head, _): &(String, String)| Label { text: head.clone(), number: None };
                let labels: Vec<Label> = spec.values.0.iter().map(label).collect();
                self.heads_are_known(place, (file, &[]), table.columns.iter(), &labels, "heading of");
            }
        }
    }

    /// Reads a file of published values; `first` describes its first column.
    fn published_file(&mut self, file: &str, first: &str) -> Option<Published> {
        let path = self.plan.experiment.document.source.folder().join(file);
        let read = Published::read(&path);
        if let Err(error) = &read {
            let help = format!("accepted: a CSV file beside the experiment file; its first column has the {first}");
            self.refuse("published", format!("`{}` {error}", path.display()), help);
        }
        read.ok()
    }

    /// Checks that headings are among the labels; `lines` are their lines in the file, if they are known.
    fn heads_are_known<'h>(
        &mut self,
        place: Place,
        (file, lines): (&str, &[u64]),
        heads: impl Iterator<Item = &'h String>,
        labels: &[Label],
        kind: &str,
    ) {
        for (index, head) in heads.enumerate() {
            if !labels.iter().any(|label| label.is(head)) {
                let line = lines.get(index).map_or_else(String::new, |line| format!(":{line}"));
                let known = labels.iter().map(|label| label.text.as_str());
                self.problems.add(Problem::unknown(place, &format!("{kind} `{file}{line}`"), head, known));
            }
        }
    }
}
