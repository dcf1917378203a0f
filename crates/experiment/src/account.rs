//! What `every` leaves out, and what it does not set.

use std::collections::BTreeMap;

use mbsbench_problem::Unsuitable;

/// Why `every` leaves a method out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// The file names it under `except` and says why.
    Except(String),
    /// It is not among the methods that `every` asks for: the words for what it is.
    NotAskedFor(String),
    /// The model jumps at events that the method does not locate.
    Jumps(Unsuitable),
}

impl Reason {
    /// That the method does not suit the model, jumps apart.
    pub fn unsuitable(unsuitable: &Unsuitable) -> Self {
        Self::NotAskedFor(format!("needing {}", unsuitable.needs))
    }

    /// The words after the number of methods that are left out for this reason.
    fn counted(&self) -> String {
        match self {
            Self::Except(_) => "by `except`".to_owned(),
            Self::NotAskedFor(why) => why.clone(),
            Self::Jumps(unsuitable) => format!("needing {}", unsuitable.needs),
        }
    }

    /// The reason beside the method's name; none for methods that are only counted.
    fn named(&self) -> Option<String> {
        match self {
            Self::Except(why) => Some(why.clone()),
            Self::NotAskedFor(_) => None,
            Self::Jumps(unsuitable) => Some(unsuitable.to_string()),
        }
    }
}

/// The outcome of `every` in a case: how many methods it means, why it leaves the others out, and which parameters of
/// `with` are not set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// How many methods are meant.
    meant: usize,
    /// Methods that are left out.
    left_out: BTreeMap<String, Reason>,
    /// Parameters of `with`, and why they are not set, each with the methods in which they are not.
    not_set: BTreeMap<(String, &'static str), Vec<String>>,
}

impl Account {
    /// Adds a method that one `every` of the list leaves out.
    pub(super) fn leave_out(&mut self, method: &str, reason: Reason) {
        self.left_out.insert(method.to_owned(), reason);
    }

    /// Sets the methods that are meant; what another `every` of the list leaves out of them is not left out.
    pub(super) fn mean(&mut self, meant: &[&str]) {
        self.meant = meant.len();
        self.left_out.retain(|method, _| !meant.contains(&method.as_str()));
    }

    /// Adds the parameters that are not set in a method, each with the reason.
    pub(super) fn not_set(&mut self, method: &str, unset: &[(String, &'static str)]) {
        for parameter in unset {
            self.not_set.entry(parameter.clone()).or_default().push(method.to_owned());
        }
    }

    /// The methods that are left out by `except` or because the model jumps, each with the reason, and whether the file
    /// gives it.
    pub fn named(&self) -> impl Iterator<Item = (&str, String, bool)> {
        let is_written = |reason: &Reason| matches!(reason, Reason::Except(_));
        self.left_out
            .iter()
            .filter_map(move |(method, reason)| Some((method.as_str(), reason.named()?, is_written(reason))))
    }

    /// One line with the number of methods for each reason, and a line for each parameter that is not set everywhere; no
    /// lines if the case does not say `every`.
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
        let methods = format!("`every` means {} methods and leaves out {left_out}", self.meant);
        let parameters = self.not_set.iter().map(|((name, why), methods)| {
            format!("`{name}` of `every` is not set in methods that {why}: {}", methods.join(", "))
        });
        [methods].into_iter().chain(parameters).collect()
    }
}
