//! A published table as claims, one for each cell.

use super::claim::{Claim, Kind, Tested};
use super::ledger::{Reader, plan_of};
use super::spec::{Cells, ClaimSpec, Exception, Operand, Reduce};
use super::{Printed, Test, checks};
use crate::experiment::spec::{AxisValue, Layout, TableSpec};
use crate::experiment::{Label, Published};
use crate::input::Problem;

impl Reader<'_> {
    /// One claim for each published cell of a table.
    pub(super) fn cells(&self, spec: ClaimSpec) -> Result<Vec<Claim>, Problem> {
        let cells = spec.cells.clone().expect("the kind that is given was read");
        let plan = plan_of(self.plans, self.paper, &cells.experiment).ok_or_else(|| {
            checks::unknown_experiment(self.node.place_of("cells.experiment"), &cells.experiment, self.plans)
        })?;
        let tables = || plan.experiment.tables.iter().map(|table| &table.value);
        let Some(table) = tables().find(|table| table.id == cells.table) else {
            let known = tables().map(|table| table.id.as_str()).collect::<Vec<_>>();
            return Err(Problem::unknown(self.node.place_of("cells.table"), "table", &cells.table, known));
        };
        let Some(file) = &table.published else {
            let message = format!("`{}` has no published values", table.id);
            return Err(self.wrong("cells.table", message, "accepted: a table with `published:`"));
        };
        self.check_tolerance("cells", Some(cells.tolerance), cells.partly.as_ref())?;
        for exception in &cells.except {
            self.check_tolerance("cells", exception.tolerance.or(Some(cells.tolerance)), exception.partly.as_ref())?;
        }
        let path = plan.experiment.document.source.folder().join(file);
        let published = Published::read(&path).map_err(|error| {
            self.wrong("cells.table", format!("`{}` {error}", path.display()), "accepted: a CSV file")
        })?;
        let mut claims = Vec::new();
        for (row, texts) in &published.rows {
            for (column, text) in published.columns.iter().zip(texts).filter(|(_, text)| !text.is_empty()) {
                claims.push(self.cell(&spec, &cells, table, [row, column], text)?);
            }
        }
        Ok(claims)
    }

    fn cell(
        &self,
        spec: &ClaimSpec,
        cells: &Cells,
        table: &TableSpec,
        [row, column]: [&str; 2],
        text: &str,
    ) -> Result<Claim, Problem> {
        let published = Printed::parse(text).ok_or_else(|| {
            self.wrong("cells.table", format!("the cell {row}, {column} is `{text}`"), "accepted: a number")
        })?;
        let label = |text: &str| Label { text: text.to_owned(), number: text.parse().ok() };
        let fits = |values: &Option<AxisValue>, text: &str| values.as_ref().is_none_or(|v| v.matches(&label(text)));
        let except: Option<&Exception> =
            cells.except.iter().find(|except| fits(&except.rows, row) && fits(&except.columns, column));
        let tolerance = except.and_then(|except| except.tolerance).unwrap_or(cells.tolerance);
        let partly = match except {
            Some(Exception { partly: Some(partly), .. }) => Some(*partly),
            Some(Exception { tolerance: Some(_), .. }) => None,
            _ => cells.partly,
        };
        let value_of = |text: &str| text.parse().map_or_else(|_| AxisValue::Text(text.to_owned()), AxisValue::Number);
        let mut filter = table.filter.clone();
        filter.insert(table.rows.clone(), value_of(row));
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
        let test = Test::Near { published, tolerance };
        let tested = Tested {
            of: Operand {
                experiment: cells.experiment.clone(),
                filter,
                column: Some(value.to_owned()),
                columns: None,
                times: None,
                reduce: Reduce::Only,
                magnitude: false,
                unit: None,
            },
            partly: partly.map(|weaker| test.weakened(&weaker)),
            test,
            printed: None,
        };
        let own = |text: Option<&String>, general: &Option<String>| text.cloned().or_else(|| general.clone());
        let claim = ClaimSpec {
            id: format!("{}/{}/{}", spec.id, name_of(row), name_of(column)),
            statement: spec.statement.replace("{row}", row).replace("{column}", column),
            why: own(except.and_then(|except| except.why.as_ref()), &spec.why),
            expected: except.and_then(|except| except.expected).or(spec.expected),
            because: own(except.and_then(|except| except.because.as_ref()), &spec.because),
            cells: None,
            ..spec.clone()
        };
        self.check_id(&claim.id)?;
        self.finish(claim, Kind::Value(tested))
    }
}

/// A label of an axis as a part of an id: `HHT-I3 (a)` becomes `hht-i3-a`.
fn name_of(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let text: String = label.chars().map(plain).collect();
    text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
