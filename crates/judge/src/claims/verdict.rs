//! Verdicts of tests, and the outcomes of checks and statements as readers see them.

use std::fmt;

use mbsbench_input::keys_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The four outcomes, without a reason. It is the result of the test of a check, and the form in which a ledger states
/// its expectation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds within its tolerance.
    Reproduced,
    /// Its direction holds, its size does not.
    Partly,
    /// It does not hold, or a run that it needs failed.
    NotReproduced,
    /// The evidence does not decide it.
    #[default]
    Open,
}

impl Verdict {
    /// All verdicts, the best first.
    pub const ALL: [Self; 4] = [Self::Reproduced, Self::Partly, Self::NotReproduced, Self::Open];

    /// The name in files: `not-reproduced`.
    pub fn name(self) -> &'static str {
        keys_of::<Self>()[self as usize]
    }

    /// The words for a reader: `not reproduced`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Partly => "partly reproduced",
            Self::NotReproduced => "not reproduced",
            Self::Reproduced | Self::Open => self.name(),
        }
    }

    /// The meaning, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Reproduced => "The statement holds within its tolerance.",
            Self::Partly => "The direction holds, but the size does not.",
            Self::NotReproduced => "The statement does not hold, or a run that it needs fails.",
            Self::Open => "The evidence is not conclusive, for the stated reason.",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

/// The reason why a check or statement is open.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The paper leaves something out, and set-ups that agree with everything that it prints disagree.
    LeftOut(String),
    /// It needs a model or data that are not public.
    NotPublic(String),
    /// The confidence intervals of the measured times do not decide it.
    Timing,
    /// It is an opinion, or there is nothing to run.
    NotTestable(String),
    /// A run did not pass our own checks, or a reference is not accurate enough.
    OwnChecks(String),
    /// It needs a solver that this machine does not have.
    NotInstalled(String),
}

impl Reason {
    /// The name: `left out by the paper`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::LeftOut(_) => "left out by the paper",
            Self::NotPublic(_) => "not public",
            Self::Timing => "timing undecided",
            Self::NotTestable(_) => "not testable",
            Self::OwnChecks(_) => "refuted by its own checks",
            Self::NotInstalled(_) => "not installed here",
        }
    }

    /// The missing or required item; empty if the name is sufficient.
    pub fn detail(&self) -> &str {
        match self {
            Self::Timing => "",
            Self::LeftOut(what)
            | Self::NotPublic(what)
            | Self::NotTestable(what)
            | Self::OwnChecks(what)
            | Self::NotInstalled(what) => what,
        }
    }

    /// The reason with its detail, without a full stop: `left out by the paper: the start`.
    pub fn words(&self) -> String {
        let detail = self.detail();
        if detail.is_empty() { self.name().to_owned() } else { format!("{}: {detail}", self.name()) }
    }
}

/// The outcome of a check or statement as readers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It holds within its tolerance.
    Reproduced,
    /// Its direction holds, its size does not.
    Partly,
    /// It does not hold, or a run that it needs failed.
    NotReproduced,
    /// The evidence does not decide it, for this reason.
    Open(Reason),
}

impl Outcome {
    /// The outcome without its reason.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Reproduced => Verdict::Reproduced,
            Self::Partly => Verdict::Partly,
            Self::NotReproduced => Verdict::NotReproduced,
            Self::Open(_) => Verdict::Open,
        }
    }

    /// The reason why it is open; `None` if it is not.
    pub fn reason(&self) -> Option<&Reason> {
        if let Self::Open(reason) = self { Some(reason) } else { None }
    }
}

/// Writes `open: left out by the paper: the start`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(reason) => write!(f, "{}: {}", Verdict::Open, reason.words()),
            decided => decided.verdict().fmt(f),
        }
    }
}

/// The result of the test of a check, with the measured numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The reason why it is open; `None` if it is not.
    pub open: Option<Reason>,
    /// The measured number; `None` for a check of several numbers or without a number.
    pub measured: Option<f64>,
    /// The measured numbers, if there are several.
    pub details: Vec<Detail>,
    /// The remaining share of the tolerance: 1 for an exact match, negative beyond the tolerance.
    pub margin: Option<f64>,
    /// Keys of the runs that it is based on.
    pub evidence: Vec<String>,
    /// A remark for readers: why a number is missing, or which landmark fails.
    pub note: String,
    /// True if an unexpected verdict is no surprise on this machine: a method is not available, or the confidence
    /// interval of a time leaves the verdict open.
    pub excused: bool,
}

/// One of several numbers of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detail {
    /// Its name.
    pub name: String,
    /// The published value or bound, as written.
    #[serde(rename = "required")]
    pub published: String,
    /// The measured value.
    pub measured: Option<f64>,
    /// True if it passes.
    pub holds: bool,
}

impl Judgement {
    /// A verdict without a number, with an explanation.
    pub fn without_number(verdict: Verdict, note: impl Into<String>) -> Self {
        Self { verdict, note: note.into(), ..Self::default() }
    }

    /// An open verdict with its reason.
    pub fn open(reason: Reason) -> Self {
        Self { open: Some(reason), ..Self::default() }
    }

    /// An open verdict that is no surprise on this machine.
    pub fn excused(reason: Reason) -> Self {
        Self { excused: true, ..Self::open(reason) }
    }

    /// The outcome according to the test alone.
    pub fn outcome(&self) -> Outcome {
        match self.verdict {
            Verdict::Reproduced => Outcome::Reproduced,
            Verdict::Partly => Outcome::Partly,
            Verdict::NotReproduced => Outcome::NotReproduced,
            Verdict::Open => Outcome::Open(self.open.clone().unwrap_or_else(|| Reason::OwnChecks(self.note.clone()))),
        }
    }
}
