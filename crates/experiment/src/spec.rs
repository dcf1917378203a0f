//! The experiment file as typed data. Models, methods and measures remain nodes here, because only the registry knows
//! their parameters.

use std::collections::BTreeMap;
use std::fmt;
use std::iter;

use mbsbench_input::{Node, Problem, Value, read, refuse};
use mbsbench_problem::{Clock, Events, Matrices};
use schemars::JsonSchema;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use super::Label;

/// Settings of a solve that do not belong to a method. Budgets are counts, never seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How constant steps are counted.
    pub clock: Clock,
    /// Largest number of steps of a run, accepted and rejected together.
    pub max_steps: u64,
    /// Largest number of evaluations of the right-hand side in a run.
    pub max_rhs_evaluations: u64,
    /// First step of an error-controlled run, s; the method's own estimate by default.
    pub initial_step: Option<f64>,
    /// Largest step of an error-controlled run, s.
    pub max_step: Option<f64>,
    /// How matrices of mechanisms are stored in memory.
    pub matrices: Matrices,
    /// Treatment of models that jump at events by methods that do not locate events: `located` refuses such a run,
    /// `ignored` runs it without the jumps.
    pub events: Events,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            clock: Clock::Exact,
            max_steps: 10_000_000,
            max_rhs_evaluations: 1_000_000_000,
            initial_step: None,
            max_step: None,
            matrices: Matrices::default(),
            events: Events::default(),
        }
    }
}

/// Error tolerances of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Relative tolerance.
    pub rel: f64,
    /// Absolute tolerance, in the units of each component.
    pub abs: f64,
}

/// Times the runs in the timing lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Number of rounds. Each round times every run once, in an order of its own.
    pub repeat: u32,
    /// Add rounds until the confidence interval of each ratio has this relative width, `0.03`.
    pub until: Option<f64>,
    /// Largest number of rounds when `until` is given; 101 by default.
    pub most: Option<u32>,
    /// Label of the method by whose time in the same round the times are divided.
    pub relative_to: Option<String>,
    /// Axis or parameter by whose value the time of a step is divided in `timing.step_ns`: `model.count`.
    pub per: Option<String>,
}

/// A table of results: one row and one column for each value of two axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// The number in the paper, if there is one: `table-3.2`.
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// Description of the results, in our words.
    pub caption: Option<String>,
    /// Axis that gives the rows, or several axes whose combined values do.
    pub rows: Names,
    /// Axis that gives the columns; requires `value`.
    pub columns: Option<String>,
    /// Column of `runs.csv` that fills the cells; requires `columns`.
    pub value: Option<String>,
    /// If the columns are numbers, a further column contains the exponent of the power law that fits the values from
    /// this number on, by least squares of logarithms.
    pub exponent_from: Option<f64>,
    /// Instead of `columns` and `value`: columns of `runs.csv` by their headings in the table.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub values: Heads,
    /// CSV file with the published values, relative to the experiment file. The first column is the row axis; each
    /// further column is a value of the column axis, with cells as printed.
    pub published: Option<String>,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: Filter,
    /// Show the median of the runs of a cell; otherwise a cell has exactly one run.
    #[serde(default)]
    pub medians: bool,
}

/// Columns of `runs.csv` by the headings under which a table shows them, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Heads(pub Vec<(String, String)>);

impl<'de> Deserialize<'de> for Heads {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HeadsVisitor;
        impl<'de> Visitor<'de> for HeadsVisitor {
            type Value = Heads;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of headings to columns, `{ Nev: events }`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Heads, A::Error> {
                iter::from_fn(|| entries.next_entry().transpose()).collect::<Result<_, _>>().map(Heads)
            }
        }
        deserializer.deserialize_map(HeadsVisitor)
    }
}

/// The columns of a table.
#[derive(Debug, Clone, Copy)]
pub enum Layout<'t> {
    /// The values of an axis, with cells from one column of `runs.csv`.
    Axis {
        /// The axis.
        columns: &'t str,
        /// The column of `runs.csv`.
        value: &'t str,
    },
    /// Columns of `runs.csv`, each under its heading.
    Values(&'t [(String, String)]),
}

impl TableSpec {
    /// Returns the layout of the columns; `None` if the file defines none, or both.
    pub fn layout(&self) -> Option<Layout<'_>> {
        match (&self.columns, &self.value, self.values.0.as_slice()) {
            (Some(columns), Some(value), []) => Some(Layout::Axis { columns, value }),
            (None, None, values @ [_, ..]) => Some(Layout::Values(values)),
            _ => None,
        }
    }
}

/// A selection of runs: values of axes by their names.
pub type Filter = BTreeMap<String, AxisValue>;

/// A value on an axis, as written.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AxisValue {
    /// A number.
    Number(f64),
    /// A label.
    Text(String),
    /// Any of these.
    Any(Vec<AxisValue>),
}

impl AxisValue {
    /// True if this value matches the label of a value on an axis.
    pub fn matches(&self, label: &Label) -> bool {
        match self {
            Self::Number(number) => label.number == Some(*number),
            Self::Text(text) => label.is(text),
            Self::Any(values) => values.iter().any(|value| value.matches(label)),
        }
    }
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Any(values) => {
                let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join(", "))
            }
        }
    }
}

// Written by hand, because `untagged` would lose the place of an error.
impl<'de> Deserialize<'de> for AxisValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AxisValueVisitor;
        impl<'de> Visitor<'de> for AxisValueVisitor {
            type Value = AxisValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a label or a list of them")
            }
            fn visit_u64<E>(self, value: u64) -> Result<AxisValue, E> {
                Ok(AxisValue::Number(value as f64))
            }
            fn visit_i64<E>(self, value: i64) -> Result<AxisValue, E> {
                Ok(AxisValue::Number(value as f64))
            }
            fn visit_f64<E>(self, value: f64) -> Result<AxisValue, E> {
                Ok(AxisValue::Number(value))
            }
            fn visit_bool<E>(self, value: bool) -> Result<AxisValue, E> {
                Ok(AxisValue::Text(value.to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<AxisValue, E> {
                Ok(AxisValue::Text(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<AxisValue, A::Error> {
                iter::from_fn(|| items.next_element().transpose()).collect::<Result<_, _>>().map(AxisValue::Any)
            }
        }
        deserializer.deserialize_any(AxisValueVisitor)
    }
}

/// One name or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Names {
    /// One name.
    One(String),
    /// Several names, drawn into the same panel.
    Many(Vec<String>),
}

impl Names {
    /// Returns all names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(name) => std::slice::from_ref(name).iter().map(String::as_str),
            Self::Many(names) => names.iter().map(String::as_str),
        }
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesVisitor;
        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = Names;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }
            fn visit_str<E>(self, value: &str) -> Result<Names, E> {
                Ok(Names::One(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Names, A::Error> {
                let names: Vec<_> = iter::from_fn(|| items.next_element().transpose()).collect::<Result<_, _>>()?;
                if names.is_empty() {
                    return Err(serde::de::Error::invalid_length(0, &"at least one name"));
                }
                Ok(Names::Many(names))
            }
        }
        deserializer.deserialize_any(NamesVisitor)
    }
}

/// Scales of the two axes of a panel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Both linear.
    #[default]
    Linear,
    /// Both logarithmic.
    LogLog,
    /// x logarithmic.
    LogX,
    /// y logarithmic.
    LogY,
}

/// How a panel shows its columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PanelKind {
    /// Lines and markers over a numeric axis.
    #[default]
    Curves,
    /// Observables over each other, with a dot for each step and no lines.
    Dots,
    /// A bar for each value of an axis, in the order of the runs. The values are labels, not positions.
    Bars,
}

/// A quantity computed from a column and drawn in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Derived {
    /// The local slope d log y / d log x between neighbouring points of a series, at the geometric mean of their x.
    Slope,
}

/// A panel: `y` over `x`. With `x: t` it shows observables over time, otherwise columns of `runs.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PanelSpec {
    /// `t`, an axis, the column of a measure, or (for an orbit) an observable.
    pub x: String,
    /// Observables or columns.
    pub y: Names,
    /// Axis whose values are the series; if omitted, the panel shows one run.
    pub series: Option<String>,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: Filter,
    /// Curves, dots, or bars over the names of an axis.
    #[serde(default)]
    pub kind: PanelKind,
    /// Scales.
    #[serde(default)]
    pub scale: Scale,
    /// With `scale: log-log`: show the slope of log y over log x behind each name in the legend, fitted to this many
    /// points with the smallest x. Points that the reference does not resolve are skipped.
    #[schemars(range(min = 2))]
    pub slopes: Option<usize>,
    /// With `scale: log-x`: draw a quantity computed from the columns instead.
    pub derive: Option<Derived>,
    /// CSV file with published values, relative to the experiment file. For columns of `runs.csv`, its first column
    /// contains the values of x, and each further column is a series of the same name; for a single series, any name
    /// will do. For observables, it contains a trajectory of another code, or a measured one, with columns `t [s]`,
    /// `x [m]`, …. Published values are drawn as bars beside ours, or as rings in the colours of the series.
    pub published: Option<String>,
    /// Name of the published values in the legend, if they are not the paper's own: `authors' code`.
    pub published_label: Option<String>,
    /// Label of the x axis, without unit; its name by default.
    pub x_label: Option<String>,
    /// `1` if the label of x describes a number without unit, such as the number of steps over one second. Values are
    /// not converted.
    pub x_unit: Option<String>,
    /// Label of the y axis, without unit; its name by default.
    pub y_label: Option<String>,
    /// Unit in which y is shown, if different from that of the observable: `deg` for `rad`.
    pub y_unit: Option<String>,
    /// With `x: t`: largest distance of points of the curves, s. Longer steps get additional states inside them, which
    /// do not count as cost. By default, curves have points at the ends of steps only.
    pub every: Option<f64>,
    /// Range of x; by default that of the data.
    pub x_range: Option<[f64; 2]>,
    /// Range of y; by default that of the data.
    pub y_range: Option<[f64; 2]>,
    /// Heading of the panel.
    pub title: Option<String>,
}

/// The accepted names of pictures, which become names of files.
pub(crate) const FILE_NAME: &str = "^[a-z0-9][a-z0-9.-]*$";

/// A figure: one panel (its keys beside `id`) or several (`panels`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// The number in the paper, if there is one: `figure-3.10`.
    #[schemars(regex(pattern = FILE_NAME))]
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// Description of the figure, in our words.
    pub caption: Option<String>,
    /// Number of panels side by side; 1 by default.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub columns: u32,
    /// Also write each panel to files of its own, `figure-3.10a` and so on: its data, and its picture if the figure is
    /// a paper's. Otherwise one file has the data of all panels.
    #[serde(default = "yes")]
    pub separate: bool,
    /// The panels, row by row.
    #[schemars(length(min = 1, max = MOST_PANELS))]
    pub panels: Vec<PanelSpec>,
}

/// The model of a run, drawn to scale at the start or at given times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawingSpec {
    /// The number in the paper, if there is one: `figure-3`.
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// Description of the drawing, in our words.
    pub caption: Option<String>,
    /// Views of the model, one panel each.
    pub views: Vec<String>,
    /// Times of the run, s, in increasing order, each with its own panels; the start only by default.
    #[schemars(length(min = 1))]
    pub at: Option<Vec<f64>>,
    /// Number of panels side by side; 1 by default.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub columns: u32,
    /// Unit of both axes: `mm`; m by default.
    #[serde(default = "metre")]
    pub unit: String,
    /// Draw lengths equally on both axes, which is the default; otherwise the smaller extent also fills its axis.
    #[serde(default = "yes")]
    pub to_scale: bool,
    /// Only runs with these axis values; the first of them is drawn.
    #[serde(default, rename = "where")]
    pub filter: Filter,
}

/// The model of some runs in motion, drawn to scale at equidistant times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnimationSpec {
    /// Name of the file: `squeezer-in-motion`.
    #[schemars(regex(pattern = FILE_NAME))]
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// Description of the animation, in our words.
    pub caption: Option<String>,
    /// A view that the models have; the first one by default.
    pub view: Option<String>,
    /// Unit of both axes: `mm`; m by default.
    #[serde(default = "metre")]
    pub unit: String,
    /// Draw lengths equally on both axes, which is the default; otherwise the smaller extent also fills its axis.
    #[serde(default = "yes")]
    pub to_scale: bool,
    /// First and last time, s; those of the runs by default.
    pub span: Option<[f64; 2]>,
    /// Number of states shown, including both ends.
    #[serde(default = "frames")]
    #[schemars(range(min = 2, max = MOST_FRAMES))]
    pub frames: usize,
    /// Seconds of model time for one second of animation; by default such that the animation takes ten seconds.
    pub speed: Option<f64>,
    /// Time of the state that is printed, s; the start by default.
    pub still: Option<f64>,
    /// Only runs with these axis values. Several runs are drawn over one another in the colours of their methods, and
    /// the view is fitted to the first.
    #[serde(default, rename = "where")]
    pub filter: Filter,
}

impl AnimationSpec {
    /// Returns the animation `id` of all runs over their whole span, with all options at their defaults.
    pub fn of(id: &str) -> Self {
        serde_json::from_value(json!({ "id": id })).expect("every key but `id` has a default")
    }
}

/// The largest number of states of an animation.
pub const MOST_FRAMES: usize = 1000;

/// The largest number of runs drawn over one another.
pub const MOST_OVERLAID: usize = 8;

fn frames() -> usize {
    120
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn metre() -> String {
    "m".to_owned()
}

/// Reads a figure: `panels:`, or the keys of its only panel beside `id` and `title`.
pub(super) fn read_figure(node: &Node) -> Result<FigureSpec, Problem> {
    if let Some(panels) = node.get("panels") {
        let figure: FigureSpec = read(node)?;
        if figure.panels.is_empty() || figure.panels.len() > MOST_PANELS {
            let message = format!("the figure has {} panels", figure.panels.len());
            return refuse(panels.place, message, format!("accepted: 1 to {MOST_PANELS} panels"));
        }
        if figure.columns == 0 {
            return refuse(node.place_of("columns"), "`columns` is 0", "accepted: a whole number from 1");
        }
        return Ok(figure);
    }
    if !matches!(node.value, Value::Map(_)) {
        return Err(Problem::found(node).help("accepted: a map with `id`, and either `x` and `y` or `panels`"));
    }
    let id = node.required("id")?;
    let title = node.get("title").map(read).transpose()?;
    let caption = node.get("caption").map(read).transpose()?;
    let panel: PanelSpec = read(&node.without("id").without("title").without("caption"))?;
    Ok(FigureSpec { id: read(id)?, title, caption, columns: 1, separate: true, panels: vec![panel] })
}

/// The largest number of panels of a figure, which are lettered.
pub(super) const MOST_PANELS: usize = 26;
