//! The experiment file, as typed data. Model, method and measure entries are kept as nodes here: what they may
//! contain is known to the registry only.

use std::collections::BTreeMap;
use std::fmt;
use std::iter;

use mbsbench_input::{Node, Problem, Value, keys_of, read};
use mbsbench_problem::{Clock, Events, Matrices};
use schemars::JsonSchema;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use super::Label;

/// Settings of a solve that belong to no single method. Budgets are counts, never seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How constant steps are counted.
    pub clock: Clock,
    /// Most steps of a run, accepted and rejected together.
    pub max_steps: u64,
    /// Most evaluations of the right-hand side in a run.
    pub max_rhs_evaluations: u64,
    /// First step of an error-controlled run, s; the method's own estimate where none is given.
    pub initial_step: Option<f64>,
    /// Largest step of an error-controlled run, s.
    pub max_step: Option<f64>,
    /// What memory matrices of mechanisms are kept in.
    pub matrices: Matrices,
    /// Whether methods that do not locate events may run on models that jump at them: `located` (no) or `ignored` (yes,
    /// without the jumps).
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

/// Sends the runs through the timing lane as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Rounds, in each of which every run is timed once, in an order of its own.
    pub repeat: u32,
    /// Further rounds are made until the interval of each ratio has this relative width, `0.03`.
    pub until: Option<f64>,
    /// Rounds after which the search for such intervals is given up; 101 where it is not said.
    pub most: Option<u32>,
    /// Label of the method whose time in the same round is the unit of the ratios.
    pub relative_to: Option<String>,
    /// Axis or parameter by whose number the time of a step is divided in `timing.step_ns`: `model.count`.
    pub per: Option<String>,
}

/// A table of results: one row and one column for each value of two axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// The paper's number where it has one: `table-3.2`.
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// What there is to see, in our words.
    pub caption: Option<String>,
    /// Axis that gives the rows, or several whose values together do.
    pub rows: Names,
    /// Axis that gives the columns; with `value`.
    pub columns: Option<String>,
    /// Column of `runs.csv` that fills the cells; with `columns`.
    pub value: Option<String>,
    /// With columns of numbers, from this one on: a further column has the exponent of the power of them that the values follow
    /// best, by least squares of logarithms.
    pub exponent_from: Option<f64>,
    /// Instead of `columns` and `value`: the columns of the table by their heads, each a column of `runs.csv`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub values: Heads,
    /// CSV file with the published values, relative to the experiment file: first column the row axis, one
    /// further column for each value of the column axis, cells as printed.
    pub published: Option<String>,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// A cell shows the median of its runs, which may be several; without it a cell has one run.
    #[serde(default)]
    pub medians: bool,
}

/// Columns of `runs.csv` by the heads under which a table shows them, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Heads(pub Vec<(String, String)>);

impl<'de> Deserialize<'de> for Heads {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HeadsVisitor;
        impl<'de> Visitor<'de> for HeadsVisitor {
            type Value = Heads;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of heads to columns, `{ Nev: events }`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Heads, A::Error> {
                iter::from_fn(|| entries.next_entry().transpose()).collect::<Result<_, _>>().map(Heads)
            }
        }
        deserializer.deserialize_map(HeadsVisitor)
    }
}

/// What the columns of a table are.
#[derive(Debug, Clone, Copy)]
pub enum Layout<'t> {
    /// The values of an axis, cells from one column of `runs.csv`.
    Axis {
        /// The axis.
        columns: &'t str,
        /// The column of `runs.csv`.
        value: &'t str,
    },
    /// Columns of `runs.csv`, each under its head.
    Values(&'t [(String, String)]),
}

impl TableSpec {
    /// What its columns are; none where the file does not say, or says it in both ways.
    pub fn layout(&self) -> Option<Layout<'_>> {
        match (&self.columns, &self.value, self.values.0.as_slice()) {
            (Some(columns), Some(value), []) => Some(Layout::Axis { columns, value }),
            (None, None, values @ [_, ..]) => Some(Layout::Values(values)),
            _ => None,
        }
    }
}

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
    /// Whether it means that value of an axis.
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

// By hand and not `untagged`, which would lose the place of an error.
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
    /// One.
    One(String),
    /// Several, drawn into the same panel.
    Many(Vec<String>),
}

impl Names {
    /// All of them.
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
    /// Lines and markers over an axis of numbers.
    #[default]
    Curves,
    /// Of observables over each other: a dot for each step, and no line.
    Dots,
    /// A bar for each value of an axis, which is named and not measured, in the order of the runs.
    Bars,
}

impl PanelKind {
    /// As in files: `dots`.
    pub fn name(self) -> &'static str {
        keys_of::<Self>()[self as usize]
    }
}

/// What is drawn instead of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Derived {
    /// The local slope d log y / d log x between neighbouring points of a series, at the geometric mean of their x.
    Slope,
}

/// A panel: `y` over `x`. With `x: t` the runs' trajectories of observables are drawn, otherwise columns of
/// `runs.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PanelSpec {
    /// `t`, an axis, a measure's column, or (for an orbit) an observable.
    pub x: String,
    /// Observables or columns.
    pub y: Names,
    /// Axis whose values are the series; none where the panel shows one run.
    pub series: Option<String>,
    /// Only runs with these axis values.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
    /// Curves, dots, or bars over the names of an axis.
    #[serde(default)]
    pub kind: PanelKind,
    /// Scales.
    #[serde(default)]
    pub scale: Scale,
    /// With `scale: log-log`: this many points of each series, those with the smallest x, give the slope of log y over
    /// log x that stands behind its name in the legend. Points that the reference does not resolve are passed over.
    #[schemars(range(min = 2))]
    pub slopes: Option<usize>,
    /// With `scale: log-x`: what is drawn instead of the columns.
    pub derive: Option<Derived>,
    /// CSV file with published values, relative to the experiment file. With columns of `runs.csv`: first column the values
    /// of x, then one column for each series, named like it; where there is one series its column may have any name. With
    /// observables: a trajectory of another code, or a measured one, with columns `t [s]`, `x [m]`, …. They are
    /// drawn as bars beside ours, or else as rings in the colours of the series.
    pub published: Option<String>,
    /// What the legend calls these values where they are not the paper's own: `authors' code`.
    pub published_label: Option<String>,
    /// Label of the x axis, without unit; its name where not given.
    pub x_label: Option<String>,
    /// `1` where the label of x makes it a number without unit: steps over a period of one second. Numbers are not changed.
    pub x_unit: Option<String>,
    /// Label of the y axis, without unit; its name where not given.
    pub y_label: Option<String>,
    /// Unit to show y in, where it is not the observable's own: `deg` for `rad`.
    pub y_unit: Option<String>,
    /// With `x: t`: points of the curves are at most so far apart, s; a longer step gets states inside it, which are not
    /// counted. Only the ends of steps where not given.
    pub every: Option<f64>,
    /// Range of x; that of the data where not given.
    pub x_range: Option<[f64; 2]>,
    /// Range of y; that of the data where not given.
    pub y_range: Option<[f64; 2]>,
    /// Heading of the panel.
    pub title: Option<String>,
}

/// What pictures are called, of which files are made.
pub(crate) const FILE_NAME: &str = "^[a-z0-9][a-z0-9.-]*$";

/// A figure: one panel (its keys beside `id`) or several (`panels`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// The paper's number where it has one: `figure-3.10`.
    #[schemars(regex(pattern = FILE_NAME))]
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// What there is to see, in our words.
    pub caption: Option<String>,
    /// Panels side by side; 1 where not given.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub columns: u32,
    /// Whether the panels are also written by themselves as `figure-3.10a` and so on: the data of each, and its picture where
    /// the figure is a paper's. The data of all panels are one file otherwise.
    #[serde(default = "yes")]
    pub separate: bool,
    /// The panels, row by row.
    #[schemars(length(min = 1, max = MOST_PANELS))]
    pub panels: Vec<PanelSpec>,
}

/// The model of a run, as it starts or at times of the run, drawn to scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawingSpec {
    /// The paper's number where it has one: `figure-3`.
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// What there is to see, in our words.
    pub caption: Option<String>,
    /// Views that the model has, each a panel.
    pub views: Vec<String>,
    /// Times of the run, s, from the first to the last, each with its panels; only the start where not given.
    #[schemars(length(min = 1))]
    pub at: Option<Vec<f64>>,
    /// Panels side by side; 1 where not given.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub columns: u32,
    /// Unit of both axes: `mm`; m where not given.
    #[serde(default = "metre")]
    pub unit: String,
    /// Whether a length is as long on both axes, as it is where not given; otherwise the smaller extent fills its axis too.
    #[serde(default = "yes")]
    pub to_scale: bool,
    /// Only runs with these axis values; the first of them is drawn.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
}

/// The model of some runs in motion, from states at equal distances of time, drawn to scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnimationSpec {
    /// Name of its file: `squeezer-in-motion`.
    #[schemars(regex(pattern = FILE_NAME))]
    pub id: String,
    /// Heading, in our words.
    pub title: Option<String>,
    /// What there is to see, in our words.
    pub caption: Option<String>,
    /// A view that the models have; their first one where not given.
    pub view: Option<String>,
    /// Unit of both axes: `mm`; m where not given.
    #[serde(default = "metre")]
    pub unit: String,
    /// Whether a length is as long on both axes, as it is where not given; otherwise the smaller extent fills its axis too.
    #[serde(default = "yes")]
    pub to_scale: bool,
    /// First and last time, s; those of the runs where not given.
    pub span: Option<[f64; 2]>,
    /// States that are shown, with those at both ends.
    #[serde(default = "frames")]
    #[schemars(range(min = 2, max = MOST_FRAMES))]
    pub frames: usize,
    /// Seconds of the model that pass in one; so many that it takes ten seconds where not given.
    pub speed: Option<f64>,
    /// Time of the state that is printed, s; the start where not given.
    pub still: Option<f64>,
    /// Only runs with these axis values. Several are drawn over one another in the colours of their methods, and what is seen is
    /// where the first of them is.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, AxisValue>,
}

impl AnimationSpec {
    /// The animation `id` of all runs over their whole span, with what holds where nothing is said.
    pub fn of(id: &str) -> Self {
        serde_json::from_value(json!({ "id": id })).expect("all but the id has a default")
    }
}

/// Most states that an animation shows.
pub const MOST_FRAMES: usize = 1000;

/// Most runs that are drawn over one another.
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
            let message = format!("a figure of {} panels", figure.panels.len());
            return Err(Problem::new(panels.place, message).help(format!("accepted: 1 to {MOST_PANELS} panels")));
        }
        if figure.columns == 0 {
            let problem = Problem::new(node.place_of("columns"), "a figure of 0 columns");
            return Err(problem.help("accepted: a whole number from 1"));
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

/// Panels of a figure are lettered.
pub(super) const MOST_PANELS: usize = 26;
