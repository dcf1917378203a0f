//! Methods that `every` does not run.

use std::collections::BTreeMap;
use std::fmt;

use super::Plan;
use crate::Account;
use crate::lists::grouped;

/// Methods that `every` leaves out in the same cases for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut<'p> {
    /// The names of the methods.
    pub methods: Vec<&'p str>,
    /// The cases; empty if all cases, or the one without a name, leave the methods out.
    pub cases: Vec<&'p str>,
    /// The reason.
    pub reason: String,
    /// True if the file gives the reason under `except`.
    pub is_written: bool,
}

impl fmt::Display for LeftOut<'_> {
    /// Writes `bs32, rk4 in falls, jumps (the method needs …)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.methods.join(", "))?;
        if !self.cases.is_empty() {
            write!(f, " in {}", self.cases.join(", "))?;
        }
        write!(f, " ({})", self.reason)
    }
}

impl Plan {
    /// Returns the methods that `every` leaves out by name: those listed under `except`, and those that do not locate
    /// the events of a model that jumps.
    pub fn left_out(&self) -> Vec<LeftOut<'_>> {
        let named = self.by_cases(|account| {
            account.named().map(|(method, reason, is_written)| (reason, is_written, method)).collect()
        });
        let named =
            named.into_iter().map(|((reason, is_written, method), cases)| ((reason, is_written, cases), method));
        let left_out = |((reason, is_written, cases), methods)| LeftOut { methods, cases, reason, is_written };
        grouped(named).into_iter().map(left_out).collect()
    }

    /// Returns the numbers of methods that `every` selects and leaves out, and the parameters that it does not set: one
    /// line each, with the cases unless the line holds for all.
    pub fn accounts(&self) -> Vec<String> {
        let lines = self.by_cases(|account| account.lines().into_iter().enumerate().collect());
        let with_cases = |((_, line), cases): ((usize, String), Vec<&str>)| match cases.as_slice() {
            [] => line,
            cases => format!("in {}, {line}", cases.join(", ")),
        };
        lines.into_iter().map(with_cases).collect()
    }

    /// Collects the items of all cases in order, each with the names of its cases. The names are empty if an item
    /// belongs to all cases, or to the one without a name.
    fn by_cases<'p, T: Ord>(&'p self, of: impl Fn(&'p Account) -> Vec<T>) -> BTreeMap<T, Vec<&'p str>> {
        let cases = &self.experiment.cases;
        let mut held: BTreeMap<T, Vec<&str>> = BTreeMap::new();
        for case in cases {
            for each in of(&case.account) {
                held.entry(each).or_default().extend(case.name.as_deref());
            }
        }
        for names in held.values_mut().filter(|names| names.len() == cases.len()) {
            names.clear();
        }
        held
    }
}
