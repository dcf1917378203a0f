//! A published table as checks, one for each cell.

use mbsbench_experiment::{AxisValue, Label, Layout, Plan, Published, RunSpec, TableSpec};
use mbsbench_input::Problem;
use serde_json::json;

use super::{Agreement, Cells, Check, Kind, Measurement, Operand, Printed, Reader, Reduce, TableName};

impl<'r> Reader<'r> {
    /// Returns the plan of the experiment and its table called `name`, with the published values; `kind` is the ledger
    /// key under which it is named.
    fn table(&self, kind: &str, experiment: &str, name: &str) -> Result<(&'r Plan, &'r TableSpec, Published), Problem> {
        let plan = self.plan(&format!("{kind}.experiment"), experiment)?;
        let path = format!("{kind}.table");
        let tables = || plan.experiment.tables.iter().map(|table| &table.value);
        let Some(table) = tables().find(|table| table.id == name) else {
            let known = tables().map(|table| table.id.as_str()).collect::<Vec<_>>();
            return Err(Problem::unknown(self.node.place_of(&path), "table", name, known));
        };
        let Some(file) = &table.published else {
            let message = format!("`{name}` has no published values");
            return Err(self.wrong(&path, message, "accepted: a table with `published:`"));
        };
        let file = plan.experiment.document.source.folder().join(file);
        let published = Published::read(&file)
            .map_err(|error| self.wrong(&path, format!("`{}` {error}", file.display()), "accepted: a CSV file"))?;
        Ok((plan, table, published))
    }

    fn printed(&self, path: &str, table: &TableSpec, [row, column]: [&str; 2], text: &str) -> Result<Printed, Problem> {
        let file = table.published.as_deref().unwrap_or_default();
        let message = || format!("the cell {row}, {column} of `{file}` has `{text}`");
        let accepted = "accepted: a number with a decimal point, or an empty cell if none is printed";
        Printed::parse(text).ok_or_else(|| self.wrong(path, message(), accepted))
    }

    /// Pairs each published number in one column of the given tables with the operand that selects our number.
    pub(super) fn published(&self, spec: &Agreement) -> Result<Vec<(f64, Operand)>, Problem> {
        let Agreement { tables, column, .. } = spec;
        let mut cells = Vec::new();
        for (index, TableName { experiment, table }) in tables.iter().enumerate() {
            let place = format!("agreement.tables.{index}");
            let (plan, table, published) = self.table(&place, experiment, table)?;
            let Some(at) = published.columns.iter().position(|head| head == column) else {
                let known = published.columns.iter().map(String::as_str).collect::<Vec<_>>();
                return Err(Problem::unknown(self.node.place_of("agreement.column"), "column", column, known));
            };
            for (row, texts) in published.rows.iter().filter(|(_, texts)| !texts[at].is_empty()) {
                let number = self.printed(&format!("{place}.table"), table, [row, column], &texts[at])?.value;
                cells.push((number, cell_of(plan, table, experiment, [row, column])));
            }
        }
        if cells.is_empty() {
            let accepted = "accepted: tables with published values";
            return Err(self.wrong("agreement.tables", "the tables have no published number", accepted));
        }
        Ok(cells)
    }

    /// Returns one check for each published cell of a table.
    pub(super) fn cells(&self, spec: &Check, cells: &Cells) -> Result<Vec<Check>, Problem> {
        let (plan, table, published) = self.table("cells", &cells.experiment, &cells.table)?;
        self.check_tolerance("cells", Some(cells.tolerance), cells.partly.as_ref())?;
        for exception in &cells.except {
            self.check_tolerance("cells", exception.tolerance.or(Some(cells.tolerance)), exception.partly.as_ref())?;
        }
        let mut checks = Vec::new();
        for (row, texts) in &published.rows {
            for (column, text) in published.columns.iter().zip(texts).filter(|(_, text)| !text.is_empty()) {
                checks.extend(self.cell(spec, cells, (plan, table), [row, column], text)?);
            }
        }
        Ok(checks)
    }

    fn cell(
        &self,
        spec: &Check,
        cells: &Cells,
        (plan, table): (&Plan, &TableSpec),
        [row, column]: [&str; 2],
        text: &str,
    ) -> Result<Option<Check>, Problem> {
        let label = |text: &str| Label { text: text.to_owned(), number: text.parse().ok() };
        let fits = |values: &Option<AxisValue>, text: &str| values.as_ref().is_none_or(|v| v.matches(&label(text)));
        let except = cells.except.iter().find(|except| fits(&except.rows, row) && fits(&except.columns, column));
        let except = except.cloned().unwrap_or_default();
        if except.drop {
            return Ok(None);
        }
        let published = self.printed("cells.table", table, [row, column], text)?;
        let tolerance = except.tolerance.unwrap_or(cells.tolerance);
        let partly = except.partly.or(cells.partly.filter(|_| except.tolerance.is_none()));
        let of = cell_of(plan, table, &cells.experiment, [row, column]);
        let test = json!({ "of": of, "published": text, "tolerance": tolerance, "partly": partly });
        let (published, tolerance) = (Some(published), Some(tolerance));
        let measurement = Measurement { of, to: None, published, tolerance, below: None, above: None, partly };
        let about = if spec.about.is_empty() { "{row}, {column}" } else { &spec.about };
        let check = Check {
            id: format!("{}/{}/{}", spec.id, name_of(row), name_of(column)),
            about: about.replace("{row}", row).replace("{column}", column),
            why: except.why.unwrap_or_else(|| spec.why.clone()),
            expected: except.expected.or(spec.expected),
            because: except.because.unwrap_or_else(|| spec.because.clone()),
            bound_from: except.bound_from.or(spec.bound_from),
            bound_set: except.bound_set.unwrap_or(spec.bound_set),
            kind: Kind::Value(measurement),
            ..spec.clone()
        };
        self.check_id(&check.id)?;
        self.finish(check, &test).map(Some)
    }
}

/// Returns the operand that selects the number in one cell of a table with published values.
fn cell_of(plan: &Plan, table: &TableSpec, experiment: &str, [row, column]: [&str; 2]) -> Operand {
    let value_of = |text: &str| text.parse().map_or_else(|_| AxisValue::Text(text.to_owned()), AxisValue::Number);
    let mut filter = table.filter.clone();
    let in_row = |run: &&RunSpec| {
        plan.is_meant(run, &table.filter) && plan.label_on(run, table.rows.iter()).is_some_and(|label| label.is(row))
    };
    let run = plan.runs.iter().find(in_row).expect("the rows of a published table were checked");
    for axis in table.rows.iter() {
        let label = plan.label_on(run, std::iter::once(axis)).expect("a run in the row has its axes");
        filter.insert(axis.to_owned(), label.number.map_or(AxisValue::Text(label.text), AxisValue::Number));
    }
    let value = match table.layout() {
        Some(Layout::Axis { columns, value }) => {
            filter.insert(columns.to_owned(), value_of(column));
            value
        }
        Some(Layout::Values(values)) => {
            let found = values.iter().find(|(head, _)| head == column).map(|(_, value)| value.as_str());
            found.unwrap_or_default()
        }
        None => "",
    };
    Operand::column_of(experiment, &filter, value, if table.medians { Reduce::Median } else { Reduce::Only })
}

/// Turns an axis label into part of an id: `HHT-I3 (a)` becomes `hht-i3-a`. Dots are kept.
fn name_of(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let text: String = label.chars().map(plain).collect();
    text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
