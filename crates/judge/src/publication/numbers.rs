//! The numbers of a text, each with the result that it comes from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::claims::{Judged, JudgedCheck, Printed, Verdict};

/// The result that a number of a text comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    /// What a check measured.
    Measured(String),
    /// What the paper prints for a check.
    Published(String),
    /// The share in per cent of the samples in which the test of a check holds.
    Share(String),
    /// How many checks these statements have.
    Checks(Vec<String>),
    /// How many checks of these statements are reproduced.
    Reproduced(Vec<String>),
}

impl Source {
    /// The check that it names; none if it names statements.
    pub(super) fn check(&self) -> Option<&str> {
        match self {
            Self::Measured(id) | Self::Published(id) | Self::Share(id) => Some(id),
            Self::Checks(_) | Self::Reproduced(_) => None,
        }
    }

    /// The statements that it names; none if it names a check.
    pub(super) fn statements(&self) -> &[String] {
        match self {
            Self::Checks(ids) | Self::Reproduced(ids) => ids,
            Self::Measured(_) | Self::Published(_) | Self::Share(_) => &[],
        }
    }

    /// Whether this machine lacks what a check behind it needs, as a method that is unavailable here.
    pub(super) fn is_excused(&self, judged: &[Judged]) -> bool {
        let checks = judged.iter().flat_map(|each| each.checks.iter().map(move |check| (each, check)));
        let mut own = checks.filter(|(each, check)| {
            self.check() == Some(&check.check.id) || self.statements().contains(&each.statement.id)
        });
        own.any(|(_, check)| check.judgement.excused)
    }

    /// Its value in judged statements; none if they do not have it.
    pub(super) fn value(&self, judged: &[Judged]) -> Option<f64> {
        let check = |id: &str| judged.iter().flat_map(|each| &each.checks).find(|check| check.check.id == id);
        let checks = || judged.iter().filter(|each| self.statements().contains(&each.statement.id));
        let count = |is_counted: fn(&JudgedCheck) -> bool| {
            checks().flat_map(|each| &each.checks).filter(|check| is_counted(check)).count() as f64
        };
        match self {
            Self::Measured(id) => check(id)?.judgement.measured,
            Self::Published(id) => check(id)?.check.kind.published()?.parse().ok(),
            Self::Share(id) => {
                let check = check(id).filter(|check| check.judgement.verdict == Verdict::Reproduced)?;
                let share = check.standing.share.as_ref()?;
                Some(100.0 * share.same as f64 / share.samples as f64)
            }
            Self::Checks(_) => Some(count(|_| true)),
            Self::Reproduced(_) => Some(count(|check| check.standing.verdict == Verdict::Reproduced)),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Measured(id) => write!(f, "what `{id}` measures"),
            Self::Published(id) => write!(f, "what is printed for `{id}`"),
            Self::Share(id) => write!(f, "the share of samples in which `{id}` holds"),
            Self::Checks(ids) => write!(f, "the number of checks of `{}`", ids.join("`, `")),
            Self::Reproduced(ids) => write!(f, "the number of reproduced checks of `{}`", ids.join("`, `")),
        }
    }
}

/// The numbers of a text: decimals, and numbers from three on, fractions and multiples in words. Numbers that belong to
/// names are left out (`Table 3`, `index 3`, `order two`, `ρ∞ = 0`), and so are ordinals.
pub(super) fn numbers(text: &str) -> Vec<&str> {
    const NAMED: [&str; 11] =
        ["order", "index", "table", "tables", "figure", "figures", "section", "sections", "equation", "equations", "="];
    let mut found = Vec::new();
    let mut before = String::new();
    for word in text.split(|letter: char| letter.is_whitespace() || letter == '–') {
        let core = word.trim_matches(|letter: char| "()[],.;:%“”\"'".contains(letter));
        if decimal(core).is_some() && !NAMED.contains(&before.as_str()) {
            found.push(core);
        }
        before = core.to_lowercase();
    }
    found
}

/// A number of a text with its digits.
pub(super) fn decimal(word: &str) -> Option<Printed> {
    const WORDS: [(&str, &str); 24] = [
        ("three", "3"),
        ("four", "4"),
        ("five", "5"),
        ("six", "6"),
        ("seven", "7"),
        ("eight", "8"),
        ("nine", "9"),
        ("ten", "10"),
        ("eleven", "11"),
        ("twelve", "12"),
        ("thirteen", "13"),
        ("fourteen", "14"),
        ("fifteen", "15"),
        ("sixteen", "16"),
        ("seventeen", "17"),
        ("eighteen", "18"),
        ("nineteen", "19"),
        ("twenty", "20"),
        ("half", "0.5"),
        ("quarter", "0.25"),
        ("tenth", "0.1"),
        ("twentieth", "0.05"),
        ("twice", "2"),
        ("thrice", "3"),
    ];
    let lower = word.to_lowercase();
    let digits = WORDS.iter().find(|(name, _)| *name == lower).map_or(word, |(_, digits)| digits);
    let begins = digits.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_digit());
    begins.then(|| Printed::parse(digits)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_names() {
        for (text, found) in [
            ("of the 36 cells 34 hold, (17 %) and 1.4 to 4.2.", &["36", "34", "17", "1.4", "4.2"][..]),
            ("a tenth of it, twice 6.25e-5–1e-3 s; Sixteen methods", &["tenth", "twice", "6.25e-5", "1e-3", "Sixteen"]),
            ("MSSTH(4), DOP853, ESDIRK4(3)6L[2]SA2 and HHT-SI2 with ρ∞ = 0.6 and h² in a₃", &[]),
            ("Table 5.6, figure 3.8 and index 3; of order two, the third power, between the two, one", &[]),
        ] {
            assert_eq!(numbers(text), found, "{text}");
        }
    }

    #[test]
    fn a_number_has_the_digits_that_are_written() {
        assert!(decimal("6.2").unwrap().rounds_from(6.173) && !decimal("6.2").unwrap().rounds_from(6.3));
        assert!(decimal("tenth").unwrap().rounds_from(0.12) && !decimal("tenth").unwrap().rounds_from(0.162));
        assert!(decimal("seventeen").unwrap().rounds_from(17.0) && !decimal("seventeen").unwrap().rounds_from(16.0));
    }
}
