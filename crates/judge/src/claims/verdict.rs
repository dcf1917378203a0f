//! Verdicts of tests, and the outcomes of checks and statements that a reader sees.

use std::fmt;

use mbsbench_input::keys_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The four outcomes, without a reason. The test of a check has one, and a ledger expects one.
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
    /// All of them, best first.
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

    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Reproduced => "The statement holds within its tolerance.",
            Self::Partly => "The direction holds, the size does not.",
            Self::NotReproduced => "The statement does not hold, or a run that it needs fails.",
            Self::Open => "The evidence does not decide it; the reason is given.",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

/// Why a check or statement is open.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The paper leaves something out, and set-ups that agree with all that it prints disagree.
    LeftOut(String),
    /// It needs a model or data that are not public.
    NotPublic(String),
    /// The intervals of the measured times do not decide it.
    Timing,
    /// It is an opinion, or there is nothing to run.
    NotTestable(String),
    /// A run failed its watch, or a reference is not accurate enough.
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

    /// What is left out, needed or missing; empty if the name says all.
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

/// The outcome of a check or statement as a reader sees it.
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

    /// Why it is open; none if it is not.
    pub fn reason(&self) -> Option<&Reason> {
        if let Self::Open(reason) = self { Some(reason) } else { None }
    }
}

/// `open: left out by the paper: the start`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(reason) => write!(f, "{}: {}", Verdict::Open, reason.words()),
            decided => decided.verdict().fmt(f),
        }
    }
}

/// What the test of a check says, with the numbers in hand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is open; none if it is not.
    pub open: Option<Reason>,
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
    /// Whether a verdict other than the expected one is no surprise here: the method is not available on this machine,
    /// or the interval of a time leaves the verdict open.
    pub excused: bool,
}

/// One of several numbers of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detail {
    /// What it is.
    pub name: String,
    /// The published value or bound, as written.
    #[serde(rename = "required")]
    pub published: String,
    /// The measured value.
    pub measured: Option<f64>,
    /// Whether it holds.
    pub holds: bool,
}

impl Judgement {
    /// A verdict without a number, for a reason.
    pub fn without_number(verdict: Verdict, note: impl Into<String>) -> Self {
        Self { verdict, note: note.into(), ..Self::default() }
    }

    /// An open verdict.
    pub fn open(reason: Reason) -> Self {
        Self { open: Some(reason), ..Self::default() }
    }

    /// An open verdict that surprises nobody on this machine.
    pub fn excused(reason: Reason) -> Self {
        Self { excused: true, ..Self::open(reason) }
    }

    /// The outcome that the test alone gives.
    pub fn outcome(&self) -> Outcome {
        match self.verdict {
            Verdict::Reproduced => Outcome::Reproduced,
            Verdict::Partly => Outcome::Partly,
            Verdict::NotReproduced => Outcome::NotReproduced,
            Verdict::Open => Outcome::Open(self.open.clone().unwrap_or_else(|| Reason::OwnChecks(self.note.clone()))),
        }
    }
}
