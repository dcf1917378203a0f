//! The methods that `every` leaves out, and the parameters that it does not set.

use std::collections::BTreeMap;

use mbsbench_problem::Unsuitable;

/// The reason for which `every` leaves a method out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// The file lists it under `except`; the text is the reason given there.
    Except(String),
    /// `every` does not ask for methods of this kind, which the text describes.
    NotAskedFor(String),
    /// The model jumps at events, and the method does not locate them.
    Jumps(Unsuitable),
}

impl Reason {
    /// Describes the reason, in words that follow the number of methods left out.
    fn counted(&self) -> String {
        match self {
            Self::Except(_) => "by `except`".to_owned(),
            Self::NotAskedFor(why) => why.clone(),
            Self::Jumps(unsuitable) => format!("needing {}", unsuitable.needs),
        }
    }

    /// Describes the reason beside the method's name. `None` for methods that are only counted.
    fn named(&self) -> Option<String> {
        match self {
            Self::Except(why) => Some(why.clone()),
            Self::NotAskedFor(_) => None,
            Self::Jumps(unsuitable) => Some(unsuitable.to_string()),
        }
    }
}

/// The outcome of `every` in a case: the number of methods selected, the reason for each method left out, and the
/// parameters of `with` that are not set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// The number of selected methods.
    meant: usize,
    /// The methods left out, with the reason for each.
    left_out: BTreeMap<String, Reason>,
    /// Each parameter of `with` that is not set for some methods: its name and the reason, with these methods.
    not_set: BTreeMap<(String, &'static str), Vec<String>>,
}

impl Account {
    /// Adds a method that one `every` of the list leaves out.
    pub(super) fn leave_out(&mut self, method: &str, reason: Reason) {
        self.left_out.insert(method.to_owned(), reason);
    }

    /// Sets the selected methods. A method that one `every` of the list leaves out and another selects is not left out.
    pub(super) fn mean(&mut self, meant: &[&str]) {
        self.meant = meant.len();
        self.left_out.retain(|method, _| !meant.contains(&method.as_str()));
    }

    /// Adds the parameters that are not set for a method, each with the reason.
    pub(super) fn not_set(&mut self, method: &str, unset: &[(String, &'static str)]) {
        for parameter in unset {
            self.not_set.entry(parameter.clone()).or_default().push(method.to_owned());
        }
    }

    /// Returns the methods that are left out by `except` or because the model jumps, each with the reason and with true
    /// if the file gives that reason.
    pub fn named(&self) -> impl Iterator<Item = (&str, String, bool)> {
        let named = self.left_out.iter().filter_map(|(method, reason)| Some((method, reason.named()?, reason)));
        named.map(|(method, named, reason)| (method.as_str(), named, matches!(reason, Reason::Except(_))))
    }

    /// Returns one line with the number of methods for each reason and one line for each parameter that some methods do
    /// not get. There are no lines if the case does not use `every`.
    pub fn lines(&self) -> Vec<String> {
        if *self == Self::default() {
            return Vec::new();
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for reason in self.left_out.values() {
            *counts.entry(reason.counted()).or_default() += 1;
        }
        let reasons: Vec<String> = counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let left_out = match reasons.as_slice() {
            [] => "none".to_owned(),
            [all] => all.clone(),
            several => format!("{}: {}", self.left_out.len(), several.join(", ")),
        };
        let methods = format!("`every` selects {} methods and leaves out {left_out}", self.meant);
        let parameters = self.not_set.iter().map(|((name, why), methods)| {
            format!("`{name}` of `every` is not set in methods that {why}: {}", methods.join(", "))
        });
        [methods].into_iter().chain(parameters).collect()
    }
}
