//! What is said of a check and of a statement.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is said of a check or a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds within its tolerance.
    Reproduced,
    /// Its direction holds, its size does not.
    Partly,
    /// It does not hold, or a run that it rests on failed.
    Contradicted,
    /// The paper leaves something out, and over its plausible range the verdict turns.
    Depends,
    /// The bound on the reference's error, or the interval of a time, could turn the verdict.
    Inconclusive,
    /// It needs something that nobody outside has, or a method that is unavailable here, or a run that program or machine ended.
    Untestable,
}

impl Verdict {
    /// All of them, best first.
    pub const ALL: [Self; 6] =
        [Self::Reproduced, Self::Partly, Self::Depends, Self::Contradicted, Self::Inconclusive, Self::Untestable];

    /// As in files: `reproduced`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Contradicted => "contradicted",
            Self::Depends => "depends",
            Self::Inconclusive => "inconclusive",
            Self::Untestable => "untestable",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the test of a check says, with the numbers in hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The measured number; none for checks of several numbers and where there is none.
    pub measured: Option<f64>,
    /// What was measured, in words, where it is more than one number.
    pub details: Vec<Detail>,
    /// Part of the tolerance that is left: 1 where the number is met exactly, negative where the tolerance is exceeded.
    pub margin: Option<f64>,
    /// Keys of the runs that it rests on.
    pub evidence: Vec<String>,
    /// What a reader must know: why a number is missing, which landmark fails.
    pub note: String,
    /// Whether a verdict other than the expected one is no surprise here: the method is not available on this machine, or
    /// the interval of a time leaves the verdict open.
    pub excused: bool,
}

/// One of several numbers of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail {
    /// What it is.
    pub name: String,
    /// The published value or bound, as written.
    pub published: String,
    /// The measured value.
    pub measured: Option<f64>,
    /// Whether it holds.
    pub holds: bool,
}

impl Judgement {
    /// A verdict without a number, for a reason.
    pub fn without_number(verdict: Verdict, note: impl Into<String>) -> Self {
        Self {
            verdict,
            measured: None,
            details: Vec::new(),
            margin: None,
            evidence: Vec::new(),
            note: note.into(),
            excused: false,
        }
    }
}
