//! Collecting what is wrong, so that one call of the program shows it all.

use mbsbench_input::{BadInput, Document, Problem};

/// Problems found so far.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds one.
    pub fn add(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds several.
    pub fn extend(&mut self, problems: impl Iterator<Item = Problem>) {
        self.0.extend(problems);
    }

    /// Adds all of others.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The value, or none and its problem kept.
    pub fn keep<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.0.push(problem)).ok()
    }

    /// The value, or its default and its problem kept.
    pub fn kept<T: Default>(&mut self, result: Result<T, Problem>) -> T {
        self.keep(result).unwrap_or_default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value that was read, which is there where nothing is wrong.
    ///
    /// # Errors
    /// [`BadInput`] with all problems.
    pub fn into_value<T>(self, document: &Document, value: Option<T>) -> Result<T, BadInput> {
        value.filter(|_| self.0.is_empty()).ok_or_else(|| document.bad(self.0))
    }

    /// An error where there are any.
    ///
    /// # Errors
    /// [`BadInput`] with all of them.
    pub fn into_result(self, document: &Document) -> Result<(), BadInput> {
        if self.0.is_empty() { Ok(()) } else { Err(document.bad(self.0)) }
    }
}
