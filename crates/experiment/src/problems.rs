//! A collection of problems, so that one call of the program reports all of them.

use mbsbench_input::{BadInput, Document, Place, Problem};

/// The problems found so far.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub fn add(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds a problem, with a description of accepted values.
    pub fn refuse(&mut self, place: Place, message: impl Into<String>, accepted: impl Into<String>) {
        self.add(Problem::new(place, message).help(accepted));
    }

    /// Adds several problems.
    pub fn extend(&mut self, problems: impl Iterator<Item = Problem>) {
        self.0.extend(problems);
    }

    /// Adds all problems of another collection.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the value, or `None` after adding the problem.
    pub fn keep<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.0.push(problem)).ok()
    }

    /// Returns the value, or its default after adding the problem.
    pub fn kept<T: Default>(&mut self, result: Result<T, Problem>) -> T {
        self.keep(result).unwrap_or_default()
    }

    /// True if there are no problems.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value, which exists if there are no problems.
    ///
    /// # Errors
    /// Returns [`BadInput`] with all problems, if there are any.
    pub fn into_value<T>(self, document: &Document, value: Option<T>) -> Result<T, BadInput> {
        value.filter(|_| self.0.is_empty()).ok_or_else(|| document.bad(self.0))
    }

    /// Checks that there are no problems.
    ///
    /// # Errors
    /// Returns [`BadInput`] with all problems, if there are any.
    pub fn into_result(self, document: &Document) -> Result<(), BadInput> {
        if self.0.is_empty() { Ok(()) } else { Err(document.bad(self.0)) }
    }
}
