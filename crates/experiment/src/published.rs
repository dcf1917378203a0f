//! Published tables: what the paper printed, as CSV beside the experiment file.

use std::path::Path;

/// A published table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Heads of the columns, without that of the row axis.
    pub columns: Vec<String>,
    /// Head of each row, and its cells as printed.
    pub rows: Vec<(String, Vec<String>)>,
}

/// A published table cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is no table.
    #[error("is no table: {0}")]
    Csv(#[from] csv::Error),
}

impl Published {
    /// Reads a table: the first line and the first column are heads; lines with `#` are comments.
    ///
    /// # Errors
    /// Where there is no such file, or its lines differ in length.
    pub fn read(path: &Path) -> Result<Self, PublishedError> {
        let file = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)?;
        let mut reader =
            csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(file.as_slice());
        let columns = reader.headers()?.iter().skip(1).map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record?;
            let mut cells = record.iter().map(str::to_owned);
            if let Some(head) = cells.next() {
                rows.push((head, cells.collect()));
            }
        }
        Ok(Self { columns, rows })
    }
}
