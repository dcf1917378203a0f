//! A check: one machine test of a statement.

use std::collections::BTreeSet;

use mbsbench_experiment::Filter;
use mbsbench_experiment::columns::TIMING;
use mbsbench_input::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Agreement, BoundFrom, BoundSet, Cells, Failure, Identity, Measurement, Open, Operand, Order, Ordering, Shape, Test,
    Tolerance, Verdict,
};

/// A machine test of a statement. In a ledger it has one of the keys of [`Kind`] besides these.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Name, unique within the paper. Defaults to the id of the statement.
    pub id: String,
    /// The part of the statement that it tests, in a few words.
    #[serde(default)]
    pub about: String,
    /// The reason for the tolerance or bound.
    #[serde(default)]
    pub why: String,
    /// The origin of the bound.
    pub bound_from: Option<BoundFrom>,
    /// When the bound was set: before or after its result was known.
    #[serde(default)]
    pub bound_set: BoundSet,
    /// Its contribution to the outcome of its statement. A check without a role helps to decide the outcome.
    pub role: Option<Role>,
    /// The accepted outcome; any other fails `verify`. Defaults to the statement's.
    pub expected: Option<Verdict>,
    /// A remark on the verdict of this check, in addition to the remark on the statement.
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

/// The contribution of a check to the outcome of its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The direction that the sentence states.
    Direction,
    /// The size that the sentence states: if only the direction holds, the statement is partly reproduced.
    Size,
    /// Additional information that does not affect the outcome.
    Also,
}

impl Check {
    /// True if it helps to decide the outcome of its statement.
    pub fn is_carrying(&self) -> bool {
        self.role != Some(Role::Also)
    }

    /// True if it tests a size. On a stand-in for a model that is not public, a size says nothing about the paper; a
    /// direction may.
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

/// The form of a test.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The number agrees with the published one.
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
    /// Runs that must fail, or must complete.
    Failure(Failure),
    /// Landmarks of curves.
    Shape(Shape),
    /// A sum of columns that holds in every run.
    Identity(Identity),
    /// All cells of a published table, each of which becomes a check of its own.
    Cells(Cells),
    /// A column of published tables as a whole.
    Agreement(Agreement),
    /// A statement that cannot be tested here.
    Open(Open),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Open(Open::default())
    }
}

impl Kind {
    /// The name in files.
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

    /// Returns the test, for kinds that test a single number.
    pub fn test(&self) -> Option<Test> {
        match self {
            Self::Order(order) => Some(order.test()),
            Self::Agreement(agreement) => Some(agreement.test()),
            kind => kind.measurement().map(Measurement::test),
        }
    }

    /// Returns the origin of the bound if the test itself implies it: printed digits, or wording that leaves nothing to
    /// choose.
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

    /// Returns the number as the paper prints it, if it prints one.
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
            kind => kind.measurement().into_iter().flat_map(|each| [&each.of].into_iter().chain(&each.to)).collect(),
        }
    }

    /// The operands, including those that define the points at which other operands are interpolated.
    pub fn all_operands(&self) -> Vec<&Operand> {
        let mut all = self.operands();
        let mut next = 0;
        while let Some(&operand) = all.get(next) {
            all.extend(operand.at.as_ref().map(|at| &at.equals));
            next += 1;
        }
        all
    }

    /// The experiments that it refers to, each once.
    pub fn experiments(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.selections().into_iter().map(|(experiment, _)| experiment).collect();
        names.into_iter().collect()
    }

    /// The runs that it refers to: experiments, each with a filter on axis values.
    pub fn selections(&self) -> Vec<(&str, &Filter)> {
        match self {
            Self::Failure(failure) => vec![(&failure.experiment, &failure.filter)],
            Self::Identity(identity) => vec![(&identity.experiment, &identity.filter)],
            _ => {
                self.all_operands().into_iter().map(|operand| (operand.experiment.as_str(), &operand.filter)).collect()
            }
        }
    }

    /// True unless the statement cannot be tested.
    pub fn is_testable(&self) -> bool {
        !matches!(self, Self::Open(_))
    }

    /// True if it depends on wall times.
    pub fn is_of_time(&self) -> bool {
        let abscissa = if let Self::Order(order) = self { Some(order.x.as_str()) } else { None };
        let columns = self.operands().into_iter().flat_map(|operand| operand.columns().chain(operand.times.as_deref()));
        columns.chain(abscissa).any(|column| column.starts_with(TIMING))
    }
}
