//! A check: one machine test of a statement.

use std::collections::{BTreeMap, BTreeSet};

use mbsbench_experiment::AxisValue;
use mbsbench_experiment::columns::TIMING;
use mbsbench_input::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Agreement, BoundFrom, BoundSet, Cells, Failure, Identity, Measurement, Open, Operand, Order, Ordering, Shape, Test,
    Tolerance, Verdict,
};

/// A machine test of a statement; written out, it has one of the keys of [`Kind`] besides these.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Name, unique within the paper; that of its statement where it is not given.
    pub id: String,
    /// In a few words, what of the statement it tests.
    #[serde(default)]
    pub about: String,
    /// The reason for the tolerance or bound.
    #[serde(default)]
    pub why: String,
    /// Where the bound comes from.
    pub bound_from: Option<BoundFrom>,
    /// Whether the bound was set before its result was known.
    #[serde(default)]
    pub bound_set: BoundSet,
    /// What it contributes to the outcome of its statement; it carries it if this is not given.
    pub role: Option<Role>,
    /// The outcome that we stand by, where the statement's does not say it.
    pub expected: Option<Verdict>,
    /// What is to be said of its verdict beside what is said of the statement's.
    #[serde(default)]
    pub because: String,
    /// How it is tested.
    #[serde(skip)]
    pub kind: Kind,
    /// A hash of operands, tolerances and bounds, and of the measures that they name.
    #[serde(skip)]
    pub definition: String,
    /// The place of its id in the ledger.
    #[serde(skip)]
    pub(super) place_of_id: Place,
}

/// What a check contributes to the outcome of its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The direction that the sentence states.
    Direction,
    /// The size that the sentence states: if only the direction holds, the statement is partly reproduced.
    Size,
    /// It was also measured and decides nothing.
    Also,
}

impl Check {
    /// Whether it decides the outcome of its statement.
    pub fn is_carrying(&self) -> bool {
        self.role != Some(Role::Also)
    }

    /// Whether it tests a size. On a stand-in for a model that is not public, a size says nothing about the paper,
    /// while a direction may.
    pub fn is_size(&self) -> bool {
        match (self.role, &self.kind) {
            (Some(Role::Direction), _) => false,
            (Some(Role::Size), _) => true,
            (_, Kind::Ratio(of) | Kind::Difference(of)) => {
                of.tolerance.is_some() || of.above.is_some() == of.below.is_some()
            }
            (_, kind) => matches!(kind, Kind::Value(_) | Kind::Bound(_) | Kind::Agreement(_) | Kind::Shape(_)),
        }
    }
}

/// How a check is made.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The number is the published one.
    Value(Measurement),
    /// The number lies within bounds.
    Bound(Measurement),
    /// The ratio of two numbers.
    Ratio(Measurement),
    /// The difference of two numbers.
    Difference(Measurement),
    /// A slope on logarithmic axes.
    Order(Order),
    /// Numbers in order.
    Ordering(Ordering),
    /// Runs that fail, or that do not.
    Failure(Failure),
    /// Landmarks of curves.
    Shape(Shape),
    /// A sum of columns that holds in every run.
    Identity(Identity),
    /// All cells of a published table, each of which becomes a check of its own.
    Cells(Cells),
    /// A column of published tables as a whole.
    Agreement(Agreement),
    /// What cannot be tested here.
    Open(Open),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Open(Open::default())
    }
}

impl Kind {
    /// As in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Value(_) => "value",
            Self::Bound(_) => "bound",
            Self::Ratio(_) => "ratio",
            Self::Difference(_) => "difference",
            Self::Order(_) => "order",
            Self::Ordering(_) => "ordering",
            Self::Failure(_) => "failure",
            Self::Shape(_) => "shape",
            Self::Identity(_) => "identity",
            Self::Cells(_) => "cells",
            Self::Agreement(_) => "agreement",
            Self::Open(_) => "open",
        }
    }

    fn measurement(&self) -> Option<&Measurement> {
        match self {
            Self::Value(of) | Self::Bound(of) | Self::Ratio(of) | Self::Difference(of) => Some(of),
            _ => None,
        }
    }

    /// The test of checks of one number.
    pub fn test(&self) -> Option<Test> {
        match self {
            Self::Order(order) => Some(order.test()),
            Self::Agreement(agreement) => Some(agreement.test()),
            kind => kind.measurement().map(Measurement::test),
        }
    }

    /// Where its bound comes from by itself: printed digits, or words that leave nothing to choose.
    pub fn natural_bound(&self) -> Option<BoundFrom> {
        match self {
            Self::Ordering(Ordering { by_factor: None | Some(1.0), .. })
            | Self::Failure(Failure { between: None, .. })
            | Self::Identity(_) => Some(BoundFrom::Wording),
            kind => {
                let of = kind.measurement()?;
                (of.tolerance == Some(Tolerance::Printed) && of.partly.is_none()).then_some(BoundFrom::Printed)
            }
        }
    }

    /// What the paper prints, where it prints a number.
    pub fn published(&self) -> Option<&str> {
        match self {
            Self::Order(order) => Some(&order.published.text),
            kind => kind.measurement()?.published.as_ref().map(|published| published.text.as_str()),
        }
    }

    /// The operands, in the order of the file.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Order(order) => vec![&order.of],
            Self::Ordering(ordering) => ordering.smallest_first.iter().collect(),
            Self::Agreement(agreement) => agreement.cells.iter().map(|(_, operand)| operand).collect(),
            Self::Shape(shape) => shape.landmarks.iter().map(|landmark| &landmark.of).collect(),
            kind => kind.measurement().into_iter().flat_map(Measurement::operands).collect(),
        }
    }

    /// The operands, and those that say where operands are read off.
    pub fn all_operands(&self) -> Vec<&Operand> {
        let mut all = self.operands();
        let mut next = 0;
        while let Some(&operand) = all.get(next) {
            all.extend(operand.at.as_ref().map(|at| &at.equals));
            next += 1;
        }
        all
    }

    /// The experiments that it speaks of, each once.
    pub fn experiments(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.selections().into_iter().map(|(experiment, _)| experiment).collect();
        names.into_iter().collect()
    }

    /// The runs that it speaks of: experiments with what their axes must be.
    pub fn selections(&self) -> Vec<(&str, &BTreeMap<String, AxisValue>)> {
        match self {
            Self::Failure(failure) => vec![(&failure.experiment, &failure.filter)],
            Self::Identity(identity) => vec![(&identity.experiment, &identity.filter)],
            _ => {
                self.all_operands().into_iter().map(|operand| (operand.experiment.as_str(), &operand.filter)).collect()
            }
        }
    }

    /// Whether there is something to test.
    pub fn is_testable(&self) -> bool {
        !matches!(self, Self::Open(_))
    }

    /// Whether it rests on how long runs take.
    pub fn is_of_time(&self) -> bool {
        let abscissa = if let Self::Order(order) = self { Some(order.x.as_str()) } else { None };
        let columns = self.operands().into_iter().flat_map(|operand| operand.columns().chain(operand.times.as_deref()));
        columns.chain(abscissa).any(|column| column.starts_with(TIMING))
    }
}
