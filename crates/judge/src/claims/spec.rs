//! The forms of tests in a ledger; see `docs/claims.md`.

use std::collections::BTreeMap;

use mbsbench_experiment::AxisValue;
use mbsbench_experiment::spec::Names;
use mbsbench_problem::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BoundFrom, BoundSet, Printed, Reason, Test, Verdict};

/// Numbers out of `runs.csv`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// The column.
    pub column: Option<String>,
    /// Several columns.
    pub columns: Option<Names>,
    /// Each number is multiplied by this number of its run: a column, an axis or a parameter, `model.mass`.
    pub times: Option<String>,
    /// What becomes of several numbers.
    #[serde(default)]
    pub reduce: Reduce,
    /// Absolute values, before the reduction.
    #[serde(default)]
    pub magnitude: bool,
    /// `deg` or `deg/s` where the column is in rad or rad/s.
    pub unit: Option<Unit>,
    /// The number is read off between the runs, where another column of theirs has a value.
    pub at: Option<Box<At>>,
    /// A run that fails has the numbers that it had until then.
    #[serde(default)]
    pub until_failure: bool,
}

/// Where between its runs an operand is read off, both columns logarithmic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// The column that has a value there.
    pub column: String,
    /// The value.
    pub equals: Operand,
}

impl Operand {
    /// All numbers of a column in some runs of an experiment, reduced.
    pub fn column_of(experiment: &str, filter: &BTreeMap<String, AxisValue>, column: &str, reduce: Reduce) -> Self {
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

/// What becomes of several numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reduce {
    /// There is exactly one.
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

/// Units that angles are published in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Degrees, of radians.
    #[serde(rename = "deg")]
    Degrees,
    /// Degrees per second, of radians per second.
    #[serde(rename = "deg/s")]
    DegreesPerSecond,
}

/// One number, or one made of two, with what it is tested against.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// The number.
    pub of: Operand,
    /// The other number, of a ratio or difference.
    pub to: Option<Operand>,
    /// What the paper prints.
    pub published: Option<Printed>,
    /// How near to it the number must be.
    pub tolerance: Option<Tolerance>,
    /// Upper bound.
    pub below: Option<f64>,
    /// Lower bound.
    pub above: Option<f64>,
    /// What must hold for `partly`.
    pub partly: Option<Weaker>,
}

impl Measurement {
    /// The operands: one, or two.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        std::iter::once(&self.of).chain(&self.to)
    }

    /// The test of the number.
    pub fn test(&self) -> Test {
        Test::of(self.published.as_ref(), self.tolerance, self.above, self.below)
    }
}

/// How near a number must be to the published one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    /// Rounded to the digits printed it is the published one.
    Printed,
    /// Part of the published value.
    Relative(f64),
    /// In the unit of the number.
    Absolute(f64),
    /// Within this factor, either way.
    Factor(f64),
}

/// A weaker test; of a tolerance one of the first three, of bounds the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Weaker {
    /// Part of the published value.
    pub relative: Option<f64>,
    /// In the unit of the number.
    pub absolute: Option<f64>,
    /// Within this factor, either way.
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
    /// The slope is taken through this many of the finest usable runs: those that completed, whose number exceeds ten times the bound
    /// on its reference's error, and `above`. Through all runs if not given, none of which may fail.
    pub finest: Option<usize>,
    /// With `finest`: numbers up to this one are rounding.
    pub above: Option<f64>,
    /// The published order.
    pub published: Printed,
    /// How near the slope must be.
    pub tolerance: Tolerance,
    /// What must hold for `partly`.
    pub partly: Option<Weaker>,
}

impl Order {
    /// The test of the slope.
    pub fn test(&self) -> Test {
        Test::Near { published: self.published.clone(), tolerance: self.tolerance }
    }
}

/// Numbers in order.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ordering {
    /// The numbers, smallest first.
    pub smallest_first: Vec<Operand>,
    /// Each is at least this many times the one before.
    pub by_factor: Option<f64>,
}

/// Runs that fail, or that do not.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// The runs.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// The failure that each of them must have; any where it is not given.
    pub status: Option<Status>,
    /// Whether none of them may fail, rather than all of them must.
    #[serde(default)]
    pub completes: bool,
    /// Between which times, s, the last state of each of them lies, ends included.
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
    /// What it is.
    pub name: String,
    /// The number.
    pub of: Operand,
    /// What the paper shows.
    pub published: Option<Printed>,
    /// How near to it the number must be.
    pub tolerance: Option<Tolerance>,
    /// Upper bound.
    pub below: Option<f64>,
    /// Lower bound.
    pub above: Option<f64>,
}

impl Landmark {
    /// The test of the number.
    pub fn test(&self) -> Test {
        Test::of(self.published.as_ref(), self.tolerance, self.above, self.below)
    }
}

/// `column = Σ factor · term + plus`, exactly, in each of some runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Id of the experiment, with or without the paper.
    pub experiment: String,
    /// The runs; all where not given.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
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
    /// How near the numbers must be.
    pub tolerance: Tolerance,
    /// What must hold for `partly`.
    pub partly: Option<Weaker>,
    /// Cells that need something else; the first entry that fits counts.
    #[serde(default)]
    pub except: Vec<Exception>,
}

/// How near the numbers of a column are to the published ones, taken together.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The tables, which have published values.
    pub tables: Vec<TableName>,
    /// The column of the tables.
    pub column: String,
    /// The part of all cells that has to be so near, above 0 and at most 1.
    pub share: f64,
    /// Largest `|here/published − 1|` of these.
    pub within: f64,
    /// The published numbers of the tables, each with ours.
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

/// Cells that need something else.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// Values on the axis of the rows; all where not given.
    pub rows: Option<AxisValue>,
    /// Values on the axis of the columns; all where not given.
    pub columns: Option<AxisValue>,
    /// These cells are not tested: a word, or a number that `given:` has.
    #[serde(default)]
    pub drop: bool,
    /// How near the numbers must be.
    pub tolerance: Option<Tolerance>,
    /// What must hold for `partly`.
    pub partly: Option<Weaker>,
    /// The reason for the tolerance.
    pub why: Option<String>,
    /// The outcome that we stand by.
    pub expected: Option<Verdict>,
    /// Its explanation.
    pub because: Option<String>,
    /// Where the bound comes from.
    pub bound_from: Option<BoundFrom>,
    /// Whether the bound was set before its result was known.
    pub bound_set: Option<BoundSet>,
}

/// What cannot be tested here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// Why.
    #[serde(default)]
    pub reason: OpenReason,
    /// What would be needed.
    pub needs: String,
}

impl Open {
    /// The reason, with what is needed.
    pub fn reason(&self) -> Reason {
        let of = match self.reason {
            OpenReason::NotTestable => Reason::NotTestable,
            OpenReason::NotPublic => Reason::NotPublic,
            OpenReason::LeftOut => Reason::LeftOut,
        };
        of(self.needs.clone())
    }
}

/// Why something cannot be tested here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpenReason {
    /// It is an opinion, or there is nothing to run.
    #[default]
    NotTestable,
    /// It needs a model or data that are not public.
    NotPublic,
    /// The paper leaves out what a run would need.
    LeftOut,
}
