//! A check: one machine test of a statement.

use std::collections::BTreeMap;

use mbsbench_experiment::columns::TIMING;
use mbsbench_experiment::spec::AxisValue;

use super::evidence::Number;
use super::spec::{BoundFrom, BoundSet, Failure, Identity, Operand, Role, Tolerance};
use super::{Reason, Test, Verdict};

/// A machine test, as it is judged.
#[derive(Debug, Clone)]
pub struct Check {
    /// Name, unique within the paper.
    pub id: String,
    /// What of its statement it tests; empty where it is the only one.
    pub about: String,
    /// How it is tested.
    pub kind: Kind,
    /// The reason for the tolerance or bound; empty where there is neither.
    pub why: String,
    /// Where the bound comes from; none of what has no bound.
    pub bound_from: Option<BoundFrom>,
    /// Whether the bound was set before its result was known.
    pub bound_set: BoundSet,
    /// What it contributes to the outcome of its statement; none if it carries it.
    pub role: Option<Role>,
    /// The outcome that we stand by, where the statement's does not say it.
    pub expected: Option<Verdict>,
    /// What is to be said of its verdict beside what is said of the statement's.
    pub because: String,
    /// A hash of operands, tolerances and bounds, and of the measures that they name.
    pub definition: String,
}

impl Check {
    /// Whether it decides the outcome of its statement.
    #[must_use]
    pub fn is_carrying(&self) -> bool {
        self.role != Some(Role::Also)
    }

    /// Whether it tests a size. On a stand-in for a model that is not public, a size says nothing about the paper,
    /// while a direction may.
    #[must_use]
    pub fn is_size(&self) -> bool {
        let is_one_sided =
            |test: &Test| matches!(test, Test::Within { above: None, .. } | Test::Within { below: None, .. });
        match (self.role, &self.kind) {
            (Some(Role::Direction), _) => false,
            (Some(Role::Size), _) => true,
            (_, Kind::Ratio(tested) | Kind::Difference(tested)) => !is_one_sided(&tested.test),
            (_, Kind::Value(_) | Kind::Bound(_) | Kind::Agreement { .. } | Kind::Shape(_)) => true,
            (_, Kind::Order { .. } | Kind::Ordering { .. } | Kind::Failure(_) | Kind::Identity(_) | Kind::Open(_)) => {
                false
            }
        }
    }
}

/// How a check is made.
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
        /// Which runs the slope goes through; all of them if not given.
        finest: Option<Finest>,
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
    /// Numbers with what is published for each: the smallest distance `|here/published − 1|` within which a share of them is.
    Agreement {
        /// Published numbers and ours.
        cells: Vec<(f64, Operand)>,
        /// The share.
        share: f64,
        /// The test of the distance.
        test: Test,
    },
    /// Several numbers, each with its name.
    Shape(Vec<(String, Tested<Operand>)>),
    /// Nothing can be tested, for this reason.
    Open(Reason),
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
            Self::Agreement { .. } => "agreement",
            Self::Shape(_) => "shape",
            Self::Identity(_) => "identity",
            Self::Open(_) => "open",
        }
    }

    /// The test of checks of one number.
    #[must_use]
    pub fn test(&self) -> Option<&Test> {
        match self {
            Self::Value(tested) | Self::Bound(tested) => Some(&tested.test),
            Self::Ratio(tested) | Self::Difference(tested) => Some(&tested.test),
            Self::Order { test, .. } | Self::Agreement { test, .. } => Some(test),
            Self::Ordering { .. } | Self::Failure(_) | Self::Shape(_) | Self::Identity(_) | Self::Open(_) => None,
        }
    }

    /// Where its bound comes from by itself: printed digits, or words that leave nothing to choose.
    #[must_use]
    pub fn natural_bound(&self) -> Option<BoundFrom> {
        let is_printed = |test: &Test, partly: &Option<Test>| {
            partly.is_none() && matches!(test, Test::Near { tolerance: Tolerance::Printed, .. })
        };
        match self {
            Self::Value(Tested { test, partly, .. }) if is_printed(test, partly) => Some(BoundFrom::Printed),
            Self::Ratio(Tested { test, partly, .. }) | Self::Difference(Tested { test, partly, .. })
                if is_printed(test, partly) =>
            {
                Some(BoundFrom::Printed)
            }
            Self::Ordering { by_factor, .. } if *by_factor == 1.0 => Some(BoundFrom::Wording),
            Self::Failure(Failure { between: None, .. }) | Self::Identity(_) => Some(BoundFrom::Wording),
            _ => None,
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
            Self::Agreement { cells, .. } => cells.iter().map(|(_, operand)| operand).collect(),
            Self::Shape(landmarks) => landmarks.iter().map(|(_, landmark)| &landmark.of).collect(),
            Self::Failure(_) | Self::Identity(_) | Self::Open(_) => Vec::new(),
        }
    }

    /// The operands, and those that say where operands are read off.
    #[must_use]
    pub fn all_operands(&self) -> Vec<&Operand> {
        let inner = |operand: &&'_ Operand| operand.at.as_ref().map(|_| ());
        let mut all = self.operands();
        let mut next = 0;
        while next < all.len() {
            if inner(&all[next]).is_some()
                && let Some(at) = &all[next].at
            {
                all.push(&at.equals);
            }
            next += 1;
        }
        all
    }

    /// The experiments that it speaks of, each once.
    #[must_use]
    pub fn experiments(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.selections().into_iter().map(|(experiment, _)| experiment).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The runs that it speaks of: experiments with what their axes must be.
    #[must_use]
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
    #[must_use]
    pub fn is_testable(&self) -> bool {
        !matches!(self, Self::Open(_))
    }

    /// Whether it rests on how long runs take.
    #[must_use]
    pub fn is_of_time(&self) -> bool {
        let abscissa = if let Self::Order { x, .. } = self { Some(x.as_str()) } else { None };
        let columns = self.operands().into_iter().flat_map(|operand| operand.columns().chain(operand.times.as_deref()));
        columns.chain(abscissa).any(|column| column.starts_with(TIMING))
    }
}

/// The finest usable runs of an order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finest {
    /// How many of them.
    pub count: usize,
    /// Numbers up to this one are rounding.
    pub above: f64,
}

impl Finest {
    /// The points with the smallest abscissas among those whose number exceeds ten times its uncertainty, and rounding; none if these are
    /// fewer than asked.
    pub(super) fn of(self, mut points: Vec<(f64, Number)>) -> Option<Vec<(f64, Number)>> {
        points.retain(|(_, number)| number.is_certain() && number.value > self.above);
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points.truncate(self.count);
        (points.len() == self.count).then_some(points)
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
