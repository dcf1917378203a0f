//! What independent watches over a run found out.
//!
//! A status says how a run ended. An assurance says whether anybody looked at its answer: watches of its own equations,
//! none of which the method can see. A watch states *doubts*, which make a run unvouched, or a *contradiction*, which
//! refutes it. A contradiction is a violation of the run's own equations: a missed event, a lost row, a wrong Jacobian.
//! Drift, dissipation and large errors are properties of a method and only cause doubts, which an experiment about
//! them may expect.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A property of a method that an experiment is about, and that would otherwise leave a run unvouched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// Constraints open more than the accuracy explains.
    Drift,
    /// The energy changes more than the accuracy explains.
    Energy,
    /// The solution is far from the right one.
    Wrong,
}

/// A reason not to vouch for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// The property of the method that the doubt is about; none if no experiment can expect it.
    pub about: Option<Deviation>,
    /// The reason: `the joint hinge opens by 0.1 m`.
    pub why: String,
}

/// The findings of all watches over a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// The first contradiction, if there is one. Only an experiment about its cause can expect it.
    pub refuted: Option<Doubt>,
    /// Doubts in the order in which they arose.
    pub doubts: Vec<Doubt>,
}

impl Findings {
    /// Findings of nothing but a doubt that no experiment can expect.
    pub fn doubt(why: impl Into<String>) -> Self {
        Self { refuted: None, doubts: vec![Doubt { about: None, why: why.into() }] }
    }

    /// Returns the assurance of a run of which an experiment expects these deviations, with the first line of its
    /// reason: functions of users may add places in their files on further lines.
    pub fn assurance(&self, expected: &[Deviation]) -> Assurance {
        let counts = |doubt: &&Doubt| doubt.about.is_none_or(|about| !expected.contains(&about));
        let line = |doubt: &Doubt| doubt.why.lines().next().unwrap_or_default().to_owned();
        match (self.refuted.iter().find(counts), self.doubts.iter().find(counts)) {
            (Some(contradiction), _) => Assurance::Refuted(line(contradiction)),
            (None, Some(doubt)) => Assurance::Unvouched(line(doubt)),
            (None, None) => Assurance::Vouched,
        }
    }
}

/// What can be said about the answer of a run; displayed and parsed as `vouched`, `unvouched: why` or `refuted: why`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assurance {
    /// Watches looked at the run, and nothing speaks against it.
    Vouched,
    /// Nobody could look, or there is a doubt.
    Unvouched(String),
    /// The run contradicts its own equations.
    Refuted(String),
}

impl Assurance {
    /// True for a run that contradicts its own equations, which has no verdict and no rank.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Self::Refuted(_))
    }
}

impl fmt::Display for Assurance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vouched => f.write_str("vouched"),
            Self::Unvouched(why) => write!(f, "unvouched: {why}"),
            Self::Refuted(why) => write!(f, "refuted: {why}"),
        }
    }
}

impl FromStr for Assurance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(": ") {
            None if text == "vouched" => Ok(Self::Vouched),
            Some(("unvouched", why)) => Ok(Self::Unvouched(why.to_owned())),
            Some(("refuted", why)) => Ok(Self::Refuted(why.to_owned())),
            _ => Err(format!("`{text}` is no assurance; accepted: `vouched`, `unvouched: WHY` and `refuted: WHY`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assurances_are_read_as_written() {
        for text in ["vouched", "unvouched: a: b", "refuted: a missed event"] {
            assert_eq!(text.parse::<Assurance>().unwrap().to_string(), text);
        }
        for text in ["", "ok", "vouched: x", "refuted"] {
            assert!(text.parse::<Assurance>().is_err(), "{text}");
        }
    }

    #[test]
    fn expected_deviations_are_no_doubts_and_contradictions_remain() {
        let doubt = |about, why: &str| Doubt { about, why: why.to_owned() };
        let mut findings =
            Findings { refuted: None, doubts: vec![doubt(Some(Deviation::Drift), "drift"), doubt(None, "other")] };
        assert_eq!(findings.assurance(&[]), Assurance::Unvouched("drift".to_owned()));
        assert_eq!(findings.assurance(&[Deviation::Drift]), Assurance::Unvouched("other".to_owned()));
        findings.doubts.pop();
        assert_eq!(findings.assurance(&[Deviation::Energy]), Assurance::Unvouched("drift".to_owned()));
        assert_eq!(findings.assurance(&[Deviation::Drift]), Assurance::Vouched);
        findings.refuted = Some(doubt(Some(Deviation::Wrong), "event\nin a file"));
        assert_eq!(findings.assurance(&[Deviation::Drift]), Assurance::Refuted("event".to_owned()));
        assert_eq!(findings.assurance(&[Deviation::Drift, Deviation::Wrong]), Assurance::Vouched);
    }
}
