//! `runs.csv` with its cells as text, which preserves all digits.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use csv::StringRecord;

use super::{CommandError, Result, read_data};

/// The rows of a `runs.csv` by the keys of their runs. A run that an experiment contains under two labels has two rows.
#[derive(Debug, Default)]
pub(super) struct RunsTable {
    pub(super) columns: Vec<String>,
    pub(super) rows: BTreeMap<String, Vec<StringRecord>>,
}

impl RunsTable {
    pub(super) fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_data(path)?).map_err(|what| CommandError::no_results(path, &what))
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = |error: csv::Error| format!("is not a table: {error}");
        let mut reader = csv::Reader::from_reader(bytes);
        let columns: Vec<String> = reader.headers().map_err(text)?.iter().map(str::to_owned).collect();
        let mut seen = HashSet::new();
        if let Some(column) = columns.iter().find(|column| !seen.insert(*column)) {
            return Err(format!("two columns `{column}`"));
        }
        let run = columns.iter().position(|column| column == "run").ok_or("no column `run`")?;
        let mut table = Self { columns, rows: BTreeMap::new() };
        for row in reader.records() {
            let row = row.map_err(text)?;
            table.rows.entry(row.get(run).unwrap_or_default().to_owned()).or_default().push(row);
        }
        Ok(table)
    }

    pub(super) fn rows_of(&self, key: &str) -> &[StringRecord] {
        self.rows.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|own| own == column)
    }
}
