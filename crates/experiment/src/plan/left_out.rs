//! Methods that `every` does not run.

use std::collections::BTreeMap;
use std::fmt;

use super::Plan;
use crate::Omission;

/// Methods that `every` leaves out in the same cases for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut<'p> {
    /// Their names.
    pub methods: Vec<&'p str>,
    /// The cases; none if all cases, or the one without a name, leave them out.
    pub cases: Vec<&'p str>,
    /// Why.
    pub reason: &'p str,
    /// True if the file gives the reason under `except`.
    pub is_written: bool,
}

impl fmt::Display for LeftOut<'_> {
    /// `bs32, rk4 in falls, jumps (the method needs …)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.methods.join(", "))?;
        if !self.cases.is_empty() {
            write!(f, " in {}", self.cases.join(", "))?;
        }
        write!(f, " ({})", self.reason)
    }
}

impl Plan {
    /// The methods that `every` leaves out: those that the file names under `except`, and those that do not apply since
    /// they do not locate the events of a model that jumps.
    #[must_use]
    pub fn left_out(&self) -> Vec<LeftOut<'_>> {
        let cases = &self.experiment.cases;
        let mut of_one: BTreeMap<(&str, bool, &str), Vec<&str>> = BTreeMap::new();
        for case in cases {
            for (method, Omission { reason, is_written }) in &case.left_out {
                of_one.entry((reason, *is_written, method)).or_default().extend(case.name.as_deref());
            }
        }
        let mut all: Vec<LeftOut<'_>> = Vec::new();
        for ((reason, is_written, method), named) in of_one {
            let named = if named.len() == cases.len() { Vec::new() } else { named };
            match all.iter_mut().find(|known| known.reason == reason && known.cases == named) {
                Some(known) => known.methods.push(method),
                None => all.push(LeftOut { methods: vec![method], cases: named, reason, is_written }),
            }
        }
        all
    }
}
