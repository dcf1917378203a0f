//! The forms of tests in a ledger; see `docs/claims.md`.

use std::collections::BTreeMap;

use mbsbench_experiment::spec::Names;
use mbsbench_experiment::{AxisValue, Filter};
use mbsbench_problem::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BoundFrom, BoundSet, Printed, Reason, Test, Verdict};

/// Numbers taken from `runs.csv`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: Filter,
    /// The column.
    pub column: Option<String>,
    /// Several columns.
    pub columns: Option<Names>,
    /// A factor for each number, taken from the same run: a column, an axis or a parameter, `model.mass`.
    pub times: Option<String>,
    /// The reduction of several numbers to one.
    #[serde(default)]
    pub reduce: Reduce,
    /// Use absolute values, before the reduction.
    #[serde(default)]
    pub magnitude: bool,
    /// `deg` or `deg/s` converts from rad or rad/s.
    pub unit: Option<Unit>,
    /// Interpolate the number between the runs, at the point where another column has a given value.
    pub at: Option<Box<At>>,
    /// Include a run that fails, with the numbers that it had until then.
    #[serde(default)]
    pub until_failure: bool,
}

/// The point between runs at which an operand is interpolated, linearly in the logarithms of both columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// The column that has the given value at this point.
    pub column: String,
    /// The value.
    pub equals: Operand,
}

impl Operand {
    /// Selects all numbers of a column in some runs of an experiment, reduced as `reduce` says.
    pub fn column_of(experiment: &str, filter: &Filter, column: &str, reduce: Reduce) -> Self {
        Self {
            experiment: experiment.to_owned(),
            filter: filter.clone(),
            column: Some(column.to_owned()),
            reduce,
            ..Self::default()
        }
    }

    /// Its columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.column.as_deref().into_iter().chain(self.columns.iter().flat_map(Names::iter))
    }
}

/// The reduction of several numbers to one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reduce {
    /// No reduction: there must be exactly one number.
    #[default]
    Only,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The arithmetic mean.
    Mean,
    /// The middle one in order of size, or the mean of the two in the middle.
    Median,
    /// The sum.
    Sum,
    /// The largest minus the smallest.
    Range,
}

/// Units in which angles are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Degrees, converted from radians.
    #[serde(rename = "deg")]
    Degrees,
    /// Degrees per second, converted from radians per second.
    #[serde(rename = "deg/s")]
    DegreesPerSecond,
}

/// A number, or a combination of two numbers, with its test.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// The number.
    pub of: Operand,
    /// The other number, of a ratio or difference.
    pub to: Option<Operand>,
    /// The number as the paper prints it.
    pub published: Option<Printed>,
    /// The required accuracy.
    pub tolerance: Option<Tolerance>,
    /// Upper bound.
    pub below: Option<f64>,
    /// Lower bound.
    pub above: Option<f64>,
    /// The weaker requirement for `partly`.
    pub partly: Option<Weaker>,
}

impl Measurement {
    /// The test of the number: of its distance from the published one if there is a tolerance, else of bounds.
    pub fn test(&self) -> Test {
        match (&self.published, self.tolerance) {
            (Some(published), Some(tolerance)) => Test::Near { published: published.clone(), tolerance },
            _ => Test::Within { above: self.above, below: self.below },
        }
    }
}

/// The accuracy that a test requires.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    /// The number has to round to the published one at the printed digits.
    Printed,
    /// Relative to the published value.
    Relative(f64),
    /// In the unit of the number.
    Absolute(f64),
    /// Within this factor in either direction.
    Factor(f64),
}

/// A weaker test: one of the first three keys in place of a tolerance, the others in place of bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Weaker {
    /// Relative to the published value.
    pub relative: Option<f64>,
    /// In the unit of the number.
    pub absolute: Option<f64>,
    /// Within this factor in either direction.
    pub factor: Option<f64>,
    /// Upper bound.
    pub below: Option<f64>,
    /// Lower bound.
    pub above: Option<f64>,
}

/// The slope of log `of` over log `x`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The numbers: one column over several runs.
    pub of: Operand,
    /// Axis or column of the abscissa.
    pub x: String,
    /// Fit the slope through this many of the finest usable runs: runs that completed and whose number exceeds both
    /// `above` and ten times the bound on the error of the reference. By default all runs are used, and none of them
    /// may fail.
    pub finest: Option<usize>,
    /// With `finest`: numbers up to this one are dominated by rounding.
    pub above: Option<f64>,
    /// The published order.
    pub published: Printed,
    /// The required accuracy of the slope.
    pub tolerance: Tolerance,
    /// The weaker requirement for `partly`.
    pub partly: Option<Weaker>,
}

impl Order {
    /// The test of the slope.
    pub fn test(&self) -> Test {
        Test::Near { published: self.published.clone(), tolerance: self.tolerance }
    }
}

/// Numbers that have to be in order.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ordering {
    /// The numbers, smallest first.
    pub smallest_first: Vec<Operand>,
    /// Each number has to be at least this many times the one before.
    pub by_factor: Option<f64>,
}

/// Runs that have to fail, or have to complete.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// The runs.
    #[serde(default, rename = "where")]
    pub filter: Filter,
    /// The status that each of them must have; any failure by default.
    pub status: Option<Status>,
    /// Require that none of the runs fails, instead of that all of them fail.
    #[serde(default)]
    pub completes: bool,
    /// The interval of time, s, in which the last state of each run has to lie, ends included.
    pub between: Option<[f64; 2]>,
}

/// Landmarks of curves.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The landmarks, all of which must hold.
    pub landmarks: Vec<Landmark>,
}

/// One landmark of a curve: a value or a bound.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Landmark {
    /// Name of the landmark.
    pub name: String,
    /// The number.
    pub of: Operand,
    /// The number that the paper shows.
    pub published: Option<Printed>,
    /// The required accuracy.
    pub tolerance: Option<Tolerance>,
    /// Upper bound.
    pub below: Option<f64>,
    /// Lower bound.
    pub above: Option<f64>,
}

impl Landmark {
    /// The landmark as a single number with its test.
    pub(super) fn measurement(&self) -> Measurement {
        let Self { of, published, tolerance, below, above, .. } = self.clone();
        Measurement { of, to: None, published, tolerance, below, above, partly: None }
    }
}

/// `column = Σ factor · term + plus`, exactly, in each of some runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// The runs; all by default.
    #[serde(default, rename = "where")]
    pub filter: Filter,
    /// The column on the left.
    pub column: String,
    /// Columns on the right with their factors.
    pub terms: BTreeMap<String, f64>,
    /// The constant on the right.
    #[serde(default)]
    pub plus: f64,
}

/// One check for each published cell of a table.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// Id of its table, which has published values.
    pub table: String,
    /// The required accuracy.
    pub tolerance: Tolerance,
    /// The weaker requirement for `partly`.
    pub partly: Option<Weaker>,
    /// Cells with other requirements; the first entry that matches a cell counts.
    #[serde(default)]
    pub except: Vec<Exception>,
}

/// Agreement of all numbers in a column with the published ones, taken together.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The tables, which have published values.
    pub tables: Vec<TableName>,
    /// The column of the tables.
    pub column: String,
    /// The share of the cells that has to agree, above 0 and at most 1.
    pub share: f64,
    /// The largest `|here/published − 1|` of a cell that agrees.
    pub within: f64,
    /// The published numbers of the tables, each with the operand that selects our number.
    #[serde(skip)]
    pub cells: Vec<(f64, Operand)>,
}

impl Agreement {
    /// The test of the distance.
    pub fn test(&self) -> Test {
        Test::Within { above: None, below: Some(self.within) }
    }
}

/// A table of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableName {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// Id of the table.
    pub table: String,
}

/// Cells with other requirements.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// Values on the axis of the rows; all by default.
    pub rows: Option<AxisValue>,
    /// Values on the axis of the columns; all by default.
    pub columns: Option<AxisValue>,
    /// Cells that are not tested, because they have a word, or a number that is in `given:`.
    #[serde(default)]
    pub drop: bool,
    /// The required accuracy.
    pub tolerance: Option<Tolerance>,
    /// The weaker requirement for `partly`.
    pub partly: Option<Weaker>,
    /// The reason for the tolerance.
    pub why: Option<String>,
    /// The accepted outcome; any other fails `verify`.
    pub expected: Option<Verdict>,
    /// The explanation of the accepted outcome.
    pub because: Option<String>,
    /// The origin of the bound.
    pub bound_from: Option<BoundFrom>,
    /// When the bound was set: before or after its result was known.
    pub bound_set: Option<BoundSet>,
}

/// A statement that cannot be tested here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The reason.
    #[serde(default)]
    pub reason: OpenReason,
    /// The information or data that a test would need.
    pub needs: String,
}

impl Open {
    /// The reason, including what is needed.
    pub fn reason(&self) -> Reason {
        match self.reason {
            OpenReason::NotTestable => Reason::NotTestable(self.needs.clone()),
            OpenReason::NotPublic => Reason::NotPublic(self.needs.clone()),
            OpenReason::LeftOut => Reason::LeftOut(self.needs.clone()),
        }
    }
}

/// The reason why something cannot be tested here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpenReason {
    /// It is an opinion, or there is nothing to run.
    #[default]
    NotTestable,
    /// It needs a model or data that are not public.
    NotPublic,
    /// The paper leaves out information that a run would need.
    LeftOut,
}
