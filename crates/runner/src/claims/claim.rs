//! A claim, as it is judged.

use std::collections::BTreeMap;

use super::spec::{Failure, Identity, Operand};
use super::{Test, Verdict};
use crate::experiment::spec::AxisValue;
use crate::timings::PREFIX;

/// A statement of a paper with its test.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Name, unique within the paper.
    pub id: String,
    /// Where the paper says it.
    pub place: String,
    /// What it says.
    pub statement: String,
    /// How it is tested.
    pub kind: Kind,
    /// The reason for the tolerance or bound; empty where there is neither.
    pub why: String,
    /// The verdict that we stand by.
    pub expected: Verdict,
    /// The explanation of an expected verdict other than `reproduced`.
    pub because: String,
    /// Whether parameters were tuned to reach the published number.
    pub calibrated: bool,
}

/// How a claim is tested.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// One number.
    Value(Tested<Operand>),
    /// One number within bounds.
    Bound(Tested<Operand>),
    /// The first number over the second.
    Ratio(Tested<[Operand; 2]>),
    /// The first number minus the second.
    Difference(Tested<[Operand; 2]>),
    /// The slope of the operand over the column named `x`.
    Order {
        /// The numbers.
        of: Operand,
        /// Axis or column of the abscissa.
        x: String,
        /// The tests.
        test: Test,
        /// The weaker test.
        partly: Option<Test>,
    },
    /// Each operand is at least `by_factor` times the one before.
    Ordering {
        /// The numbers.
        smallest_first: Vec<Operand>,
        /// The factor.
        by_factor: f64,
    },
    /// Runs that fail, or that do not.
    Failure(Failure),
    /// A sum of columns that holds in every run.
    Identity(Identity),
    /// Several numbers, each with its name.
    Shape(Vec<(String, Tested<Operand>)>),
    /// Nothing can be tested.
    Untestable(String),
}

impl Kind {
    /// As in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Value(_) => "value",
            Self::Bound(_) => "bound",
            Self::Ratio(_) => "ratio",
            Self::Difference(_) => "difference",
            Self::Order { .. } => "order",
            Self::Ordering { .. } => "ordering",
            Self::Failure(_) => "failure",
            Self::Shape(_) => "shape",
            Self::Identity(_) => "identity",
            Self::Untestable(_) => "untestable",
        }
    }

    /// The test of claims about one number.
    #[must_use]
    pub fn test(&self) -> Option<&Test> {
        match self {
            Self::Value(tested) | Self::Bound(tested) => Some(&tested.test),
            Self::Ratio(tested) | Self::Difference(tested) => Some(&tested.test),
            Self::Order { test, .. } => Some(test),
            Self::Ordering { .. } | Self::Failure(_) | Self::Shape(_) | Self::Identity(_) | Self::Untestable(_) => None,
        }
    }

    /// What the paper prints, where it prints a number.
    #[must_use]
    pub fn published(&self) -> Option<&str> {
        match self {
            Self::Value(tested) | Self::Bound(tested) => tested.published(),
            Self::Ratio(tested) | Self::Difference(tested) => tested.published(),
            Self::Order { test: Test::Near { published, .. }, .. } => Some(&published.text),
            _ => None,
        }
    }

    /// The operands, in the order of the file.
    #[must_use]
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Value(tested) | Self::Bound(tested) => vec![&tested.of],
            Self::Ratio(tested) | Self::Difference(tested) => tested.of.iter().collect(),
            Self::Order { of, .. } => vec![of],
            Self::Ordering { smallest_first, .. } => smallest_first.iter().collect(),
            Self::Shape(landmarks) => landmarks.iter().map(|(_, landmark)| &landmark.of).collect(),
            Self::Failure(_) | Self::Identity(_) | Self::Untestable(_) => Vec::new(),
        }
    }

    /// The experiments that it speaks of, each once.
    #[must_use]
    pub fn experiments(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.selections().into_iter().map(|(experiment, _)| experiment).collect();
        names.dedup();
        names
    }

    /// The runs that it speaks of: experiments with what their axes must be.
    #[must_use]
    pub fn selections(&self) -> Vec<(&str, &BTreeMap<String, AxisValue>)> {
        match self {
            Self::Failure(failure) => vec![(&failure.experiment, &failure.filter)],
            Self::Identity(identity) => vec![(&identity.experiment, &identity.filter)],
            _ => self.operands().into_iter().map(|operand| (operand.experiment.as_str(), &operand.filter)).collect(),
        }
    }

    /// Whether it rests on how long runs take.
    #[must_use]
    pub fn is_of_time(&self) -> bool {
        let abscissa = if let Self::Order { x, .. } = self { Some(x.as_str()) } else { None };
        let columns = self.operands().into_iter().flat_map(|operand| operand.columns().chain(operand.times.as_deref()));
        columns.chain(abscissa).any(|column| column.starts_with(PREFIX))
    }
}

/// Operands with the tests of what is made of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Tested<O> {
    /// The operands.
    pub of: O,
    /// The test.
    pub test: Test,
    /// The weaker test.
    pub partly: Option<Test>,
    /// What the paper prints beside a bound.
    pub printed: Option<String>,
}

impl<O> Tested<O> {
    fn published(&self) -> Option<&str> {
        match &self.test {
            Test::Near { published, .. } => Some(&published.text),
            Test::Within { .. } => self.printed.as_deref(),
        }
    }
}
