//! Published values of a paper or another code, as CSV files beside the experiment file: tables and trajectories.

use std::path::Path;

use mbsbench_input::{BadInput, LARGEST_DATA, LARGEST_TEXT, read_file, source};
use mbsbench_problem::Observable;

use super::trajectory_file::TrajectoryFile;

/// A published table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The headings of the columns, without that of the row axis.
    pub columns: Vec<String>,
    /// The heading of each row, and its cells as printed.
    pub rows: Vec<(String, Vec<String>)>,
    /// The line of each row in the file, from 1.
    pub lines: Vec<u64>,
}

/// A published table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not a table.
    #[error("is not a table: {0}; a decimal comma also divides cells")]
    Csv(#[from] csv::Error),
    /// The file is not a trajectory of the model.
    #[error("is not a trajectory: line {line}, column {column}: {found}")]
    Trajectory {
        /// The line of the first error, from 1.
        line: usize,
        /// The column of the first error, from 1.
        column: usize,
        /// The text found, and what would be accepted.
        found: String,
    },
}

impl From<BadInput> for PublishedError {
    fn from(bad: BadInput) -> Self {
        let problem = &bad.problems()[0];
        let (line, column) = bad.source().line_and_column(problem.place);
        let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        Self::Trajectory { line, column, found: format!("{}{help}", problem.message) }
    }
}

impl Published {
    /// Reads a table: the first line and the first column are headings; lines with `#` are comments.
    ///
    /// # Errors
    /// Fails if the file is missing or its lines differ in length.
    pub fn read(path: &Path) -> Result<Self, PublishedError> {
        let file = read_file(path, LARGEST_TEXT)?;
        let mut reader =
            csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(file.as_slice());
        let columns = reader.headers()?.iter().skip(1).map(str::to_owned).collect();
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record?;
            let mut cells = record.iter().map(str::to_owned);
            if let Some(head) = cells.next() {
                rows.push((head, cells.collect()));
                lines.push(record.position().map_or(0, csv::Position::line));
            }
        }
        Ok(Self { columns, rows, lines })
    }
}

/// Reads observables over time that others have computed or measured, of a model with these observables.
///
/// # Errors
/// Fails if the file is missing or is not a trajectory of this model.
pub fn read_trajectory(path: &Path, observables: &[Observable]) -> Result<TrajectoryFile, PublishedError> {
    let source = source(path, &read_file(path, LARGEST_DATA)?)?;
    Ok(TrajectoryFile::read(&source, observables).map_err(|problems| BadInput::new(source, problems))?)
}
