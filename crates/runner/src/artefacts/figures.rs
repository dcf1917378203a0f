//! Figures of an experiment as data for the renderer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use mbsbench_experiment::lists::unique_by;
use mbsbench_experiment::plan::{Guest, REFERENCE};
use mbsbench_experiment::spec::{Derived, FigureSpec, PanelKind, PanelSpec, Scale as SpecScale};
use mbsbench_experiment::{
    Label, Plan, Published, PublishedError, Registry, RunSpec, TrajectoryFile, read_trajectory, units,
};
use mbsbench_measures::bound_of;
use mbsbench_measures::stepwise::drawable;
use mbsbench_problem::Observable;
use mbsbench_render::thin::thinned;
use mbsbench_render::{Axis, Failure, Figure, Kind, Panel, Point, Scale, Series, Style};
use mbsbench_runs::{ResultSet, Row};

use super::slopes;

/// An error within this factor of the bound on the error of its reference is drawn hollow.
const UNRESOLVED: f64 = 10.0;

/// Returns the figure of a plan that `spec` describes, with published values for its bars if there are any.
///
/// # Errors
/// Fails if the file of published values has disappeared since the plan was made.
pub(super) fn figure(
    plan: &Plan,
    spec: &FigureSpec,
    results: &ResultSet,
    look: &Look,
) -> Result<Figure, PublishedError> {
    let folder = plan.experiment.document.source.folder();
    let panel = |panel: &PanelSpec| {
        let file = panel.published.as_ref().map(|file| folder.join(file));
        let mut drawn = if look.is_over_time(panel, results) {
            let run = plan.runs.iter().find(|run| plan.is_meant(run, &panel.filter));
            let heads = run.map(|run| plan.heads_over_time(panel, run)).unwrap_or_default();
            let others = file.map(|file| read_trajectory(&file, &heads)).transpose()?;
            look.panel_over_time(panel, results, others.as_ref())
        } else {
            let values = file.map(|file| Published::read(&file)).transpose()?;
            look.panel_of_columns(panel, results, values.as_ref())
        };
        // A guest, whose lines are wide, is behind the others.
        drawn.series.sort_by_key(|series| !series.bold);
        Ok(drawn)
    };
    Ok(Figure {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        columns: spec.columns as usize,
        panels: spec.panels.iter().map(panel).collect::<Result<_, PublishedError>>()?,
    })
}

/// A series in a panel of columns, before it is drawn.
pub(super) struct Drawn<'s> {
    /// The name of the series.
    pub text: String,
    /// Its value on the axis of the series, if there is one.
    pub label: Option<&'s Label>,
    /// The column of `runs.csv`.
    pub column: &'s str,
    /// The guest to which the runs belong, if any.
    pub guest: Option<&'s str>,
    /// Its runs.
    pub rows: Vec<&'s Row>,
}

impl Drawn<'_> {
    /// True if a heading in a file of published values refers to this series: by its name, or by its value as a number.
    pub(super) fn is(&self, head: &str) -> bool {
        self.text == head || self.label.is_some_and(|label| label.is(head))
    }
}

/// The style of the method of a run.
pub(crate) fn style_of(run: &RunSpec, registry: &Registry) -> Style {
    let family = run.method.entry.family;
    let mut members = registry.methods().iter().filter(|entry| entry.family == family);
    let member = members.position(|entry| entry.name == run.method.name()).unwrap_or(0);
    let rho_inf = run.method.parameter("rho-inf").and_then(serde_json::Value::as_f64);
    Style::of_method(family, member, rho_inf)
}

/// Styles and units by the names used in the figures of a plan.
pub(super) struct Look {
    /// Style of each method, by its label.
    styles: HashMap<String, Style>,
    /// Units of observables, by name.
    units: HashMap<String, &'static str>,
    /// The guest, drawn in bold.
    guest: Guest,
}

impl Look {
    pub fn new(plan: &Plan, registry: &Registry) -> Self {
        let mut styles = HashMap::new();
        // Models of the same name may have different observables if their parameters differ.
        let mut observables = HashMap::new();
        for run in &plan.runs {
            // The reference and a guest are drawn in the colour of text, unlike any method.
            let is_ink = run.method_label == REFERENCE || plan.is_of_guest(run);
            let style = || if is_ink { Style::default() } else { style_of(run, registry) };
            styles.entry(run.method_label.clone()).or_insert_with(style);
            observables.entry(Arc::as_ptr(&run.model)).or_insert_with(|| drawable(&*run.model.object.model()));
        }
        let mut units: HashMap<String, &'static str> = HashMap::new();
        for Observable { name, unit, .. } in observables.into_values().flatten() {
            // If two models use one name with different units, no unit is shown.
            let known = units.entry(name).or_insert(unit);
            if *known != unit {
                *known = "";
            }
        }
        Self { styles, units, guest: plan.guest.clone() }
    }

    /// True if a panel shows observables over time or over each other.
    fn is_over_time(&self, spec: &PanelSpec, results: &ResultSet) -> bool {
        spec.x == "t" || (self.units.contains_key(&spec.x) && results.axis(&spec.x).is_none())
    }

    /// Draws observables over time or over each other, with published trajectories.
    fn panel_over_time(&self, spec: &PanelSpec, results: &ResultSet, others: Option<&TrajectoryFile>) -> Panel {
        let (mut panel, scale) = self.empty_panel(spec, |column| Cow::Borrowed(self.unit(column)));
        panel.series = distinguished(self.curves(spec, results, scale));
        let rings = others.map(|others| rings_over_time(spec, others, &panel.series, scale));
        panel.series.extend(rings.into_iter().flatten());
        thinned(panel)
    }

    /// Draws columns over an axis or another column, or as bars, with published values.
    fn panel_of_columns(&self, spec: &PanelSpec, results: &ResultSet, published: Option<&Published>) -> Panel {
        let unit_of = |column| units::of_column(column, self.unit_inside(column));
        let (mut panel, scale) = self.empty_panel(spec, unit_of);
        if spec.kind == PanelKind::Bars {
            let names = results.matching(&spec.filter).filter_map(|row| results.label(row, &spec.x).cloned());
            let names = unique_by(names, Label::same);
            panel.x.names = names.iter().map(ToString::to_string).collect();
            panel.series = self.bars(spec, results, &names, published, scale);
        } else {
            panel.series = distinguished(self.columns(spec, results, scale));
            let rings = published.map(|table| self.rings(spec, results, table, &panel.series));
            panel.series.extend(rings.into_iter().flatten());
        }
        panel
    }

    /// Returns a panel without series, and the factor that converts its columns to the unit shown.
    fn empty_panel<'c>(&self, spec: &'c PanelSpec, unit_of: impl Fn(&'c str) -> Cow<'c, str>) -> (Panel, f64) {
        let first = spec.y.iter().next().unwrap_or_default();
        // If the columns have different units, no unit is shown.
        let own_unit = Some(unit_of(first)).filter(|own| spec.y.iter().all(|column| unit_of(column) == *own));
        let own_unit = own_unit.unwrap_or_default();
        let shown = spec.y_unit.as_deref().unwrap_or(&own_unit);
        let own_x_unit = if spec.x == "t" { "s".into() } else { units::of_column(&spec.x, self.unit_inside(&spec.x)) };
        let x_unit = spec.x_unit.as_deref().map_or(own_x_unit, Cow::Borrowed);
        let x_label = spec.x_label.clone().unwrap_or_else(|| spec.x.clone());
        let own_label = if spec.derive.is_some() { format!("slope of {first}") } else { first.to_owned() };
        let y_label = spec.y_label.clone().unwrap_or(own_label);
        let mut x = Axis { range: spec.x_range, ..Axis::linear(x_label, x_unit) };
        let y_unit = if spec.derive.is_some() { "" } else { shown };
        let mut y = Axis { range: spec.y_range, ..Axis::linear(y_label, y_unit) };
        if matches!(spec.scale, SpecScale::LogLog | SpecScale::LogX) {
            x.scale = Scale::Log;
        }
        if matches!(spec.scale, SpecScale::LogLog | SpecScale::LogY) {
            y.scale = Scale::Log;
        }
        let title = spec.title.clone().unwrap_or_default();
        (Panel { title, x, y, ..Panel::default() }, units::factor(&own_unit, shown).unwrap_or(1.0))
    }

    fn unit(&self, observable: &str) -> &'static str {
        self.units.get(observable).copied().unwrap_or("")
    }

    /// The unit of the observable inside a column name: `error(theta)`, `omega@2`.
    fn unit_inside(&self, column: &str) -> &'static str {
        let inner = column.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inner, _)| inner);
        self.unit(inner.or_else(|| column.split_once('@').map(|(name, _)| name)).unwrap_or(column))
    }

    /// Draws observables over time, or over each other.
    fn curves(&self, spec: &PanelSpec, results: &ResultSet, scale: f64) -> Vec<Series> {
        let names: Vec<&str> = spec.y.iter().collect();
        let mut series = Vec::new();
        for row in results.matching(&spec.filter) {
            let label = spec.series.as_ref().and_then(|axis| results.label(row, axis)).map(ToString::to_string);
            let guest = self.guest(row, results);
            for name in &names {
                let text = match (&label, names.len()) {
                    (Some(label), 1) => label.clone(),
                    (Some(label), _) => format!("{label}, {name}"),
                    // A single curve is named by the axis, unless a guest is beside it.
                    (None, 1) if self.guest.label.is_none() => String::new(),
                    (None, 1) => results.label(row, "method").map_or_else(String::new, ToString::to_string),
                    (None, _) => (*name).to_owned(),
                };
                let text = named(text, guest);
                if guest.is_some() && series.iter().any(|other: &Series| other.label == text) {
                    continue;
                }
                let own = || self.style(spec, label.as_deref(), series.len());
                let style = if guest.is_some() { Style::default() } else { own() };
                let points = trajectory(row, &spec.x, name, scale);
                let kind = if spec.kind == PanelKind::Dots { Kind::Dots } else { Kind::Line };
                let end = points.last().map_or(0.0, |point| point[0]);
                let failures = failed(row, if spec.x == "t" { row.t_reached } else { end }).into_iter().collect();
                series.push(Series { failures, bold: guest.is_some(), ..Series::new(kind, text, style, points) });
            }
        }
        series
    }

    /// The series of a panel of columns.
    pub(super) fn drawn<'s>(&self, spec: &'s PanelSpec, results: &'s ResultSet) -> Vec<Drawn<'s>> {
        let names: Vec<&str> = spec.y.iter().collect();
        let labels: Vec<Option<&Label>> = match &spec.series {
            None => vec![None],
            Some(axis) => results.values_of(axis).into_iter().map(Some).collect(),
        };
        let mut drawn = Vec::new();
        // A guest has series of its own, behind all others, except among bars over methods.
        let is_guest = |row: &Row| spec.x != "method" && self.guest(row, results).is_some();
        let all = [false, true].into_iter().flat_map(|of_guest| labels.iter().map(move |label| (*label, of_guest)));
        for (label, of_guest) in all {
            let is_own = |row: &&Row| match (&spec.series, label) {
                (Some(axis), Some(label)) => results.label(row, axis).is_some_and(|own| own.same(label)),
                _ => true,
            };
            let rows = results.matching(&spec.filter).filter(is_own);
            let rows: Vec<&Row> = rows.filter(|row| is_guest(row) == of_guest).collect();
            let Some(&first) = rows.first() else { continue };
            let guest = self.guest(first, results).filter(|_| of_guest);
            for column in &names {
                let text = match (label, names.len()) {
                    (Some(label), 1) => label.to_string(),
                    (Some(label), _) => format!("{label}, {}", plain(column)),
                    (None, 1) => (*column).to_owned(),
                    (None, _) => plain(column).to_owned(),
                };
                drawn.push(Drawn { text: named(text, guest), label, column, guest, rows: rows.clone() });
            }
        }
        drawn
    }

    /// Columns of `runs.csv` over an axis or another column.
    fn columns(&self, spec: &PanelSpec, results: &ResultSet, scale: f64) -> Vec<Series> {
        let mut series = Vec::new();
        for Drawn { text, label, column, guest, rows } in self.drawn(spec, results) {
            let own = || self.style(spec, label.map(|label| label.text.as_str()), series.len());
            let style = if guest.is_some() { Style::default() } else { own() };
            let (mut points, mut failures) = (Vec::new(), Vec::new());
            for row in rows {
                let Some(x) = results.number(row, &spec.x) else { continue };
                // Several cases may have the same run of a guest.
                if guest.is_some() && points.iter().any(|point: &Point| point.x == x) {
                    continue;
                }
                match results.number(row, column).filter(|_| row.is_ok()) {
                    Some(y) => points.push(Point { x, y: y * scale, hollow: unresolved(results, row, column, y) }),
                    None => failures.extend(failed(row, x)),
                }
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let slope = spec.slopes.and_then(|count| slopes::fitted(&points, count));
            if spec.derive == Some(Derived::Slope) {
                points = slopes::local(&points);
            }
            let bold = guest.is_some();
            series.push(Series { points, failures, slope, bold, ..Series::new(Kind::Both, text, style, []) });
        }
        series
    }

    /// The published values of a panel of columns, in the colours of `series`, which are the series of the panel.
    fn rings(&self, spec: &PanelSpec, results: &ResultSet, table: &Published, series: &[Series]) -> Vec<Series> {
        let group = spec.published_label.as_deref().unwrap_or("published");
        let of = |(drawn, own): (&Drawn<'_>, &Series)| {
            let alone = (series.iter().filter(|series| !series.bold).count() == 1 && !own.bold).then_some(0);
            let column = alone.or_else(|| table.columns.iter().position(|head| drawn.is(head)))?;
            // Any cell that is not a number is empty; this was checked with the plan.
            let point =
                |(x, cells): &(String, Vec<String>)| Some([x.parse::<f64>().ok()?, cells.get(column)?.parse().ok()?]);
            let points: Vec<[f64; 2]> = table.rows.iter().filter_map(point).collect();
            Some(Series::rings(format!("{}, {group}", drawn.text), group, own.style, points))
        };
        self.drawn(spec, results).iter().zip(series).filter_map(of).collect()
    }

    /// The label of a row that belongs to a guest.
    fn guest<'r>(&self, row: &'r Row, results: &ResultSet) -> Option<&'r str> {
        results.label(row, "method").map(AsRef::as_ref).filter(|label| self.guest.is_called(label))
    }

    pub(super) fn style_of_method(&self, label: &str) -> Option<Style> {
        self.styles.get(label).copied()
    }

    pub(super) fn style(&self, spec: &PanelSpec, label: Option<&str>, index: usize) -> Style {
        let method = label.filter(|_| spec.series.as_deref() == Some("method"));
        method.and_then(|label| self.style_of_method(label)).unwrap_or_else(|| Style::of_index(index))
    }
}

/// The name of a series, with that of a guest if it does not begin with it.
fn named(text: String, guest: Option<&str>) -> String {
    match guest.filter(|guest| !text.starts_with(guest)) {
        Some(guest) => format!("{text}, {guest}"),
        None => text,
    }
}

/// The name of a column in a legend.
fn plain(column: &str) -> &str {
    match column.strip_prefix("final_").unwrap_or(column) {
        "position_error" => "positions (rad, m)",
        "velocity_error" => "velocities (rad/s, m/s)",
        "multiplier_error" => "multipliers (N)",
        "local_error" => "exact",
        "local_error_estimate" => "estimated",
        _ => column,
    }
}

/// Largest number of rings along a curve; more of them would hide it.
const MOST_RINGS: usize = 60;

/// Published values of the observables of a panel, or of its single curves, in the colours of these curves.
fn rings_over_time(spec: &PanelSpec, trajectory: &TrajectoryFile, series: &[Series], scale: f64) -> Vec<Series> {
    let names: Vec<&str> = spec.y.iter().collect();
    let whose = spec.published_label.as_deref().unwrap_or("published");
    let is_within = |range: Option<[f64; 2]>, value| range.is_none_or(|[low, high]| (low..=high).contains(&value));
    let rings = |name: &str, label: Option<&str>, style: Style| {
        let (xs, ys) = (trajectory.column(&spec.x)?, trajectory.column(name)?);
        let points = xs.iter().zip(ys).map(|(&x, y)| [x, y * scale]);
        let points: Vec<[f64; 2]> =
            points.filter(|&[x, y]| is_within(spec.x_range, x) && is_within(spec.y_range, y)).collect();
        let each = points.len().div_ceil(MOST_RINGS).max(1);
        let group = if each > 1 { format!("{whose} (1 of {each} values)") } else { whose.to_owned() };
        let label = label.map_or_else(|| group.clone(), |label| format!("{label}, {group}"));
        Some(Series::rings(label, &group, style, points.into_iter().step_by(each)))
    };
    let own: Vec<&Series> = series.iter().filter(|series| !series.bold).collect();
    let of_observable = |(index, &name): (usize, &&str)| {
        let style = if own.len() == names.len() { own[index].style } else { Style::of_index(own.len() + index) };
        rings(name, (names.len() > 1).then_some(name), style)
    };
    let of_curve = |own: &Series| rings(&own.label, Some(&own.label), own.style);
    let of_curves = series.iter().filter(|_| spec.series.is_some() && names.len() == 1).filter_map(of_curve);
    names.iter().enumerate().filter_map(of_observable).chain(of_curves).collect()
}

/// Largest number of series that a panel shows in one colour.
const MOST_IN_A_COLOUR: usize = 3;

/// Makes series distinguishable. Many series of one family get their own colours, because the colour of the family does
/// not help there. Curves of methods that differ only in their markers get markers.
fn distinguished(mut series: Vec<Series>) -> Vec<Series> {
    // A guest does not change the styles of the others.
    let mut guests: Vec<Series> = series.extract_if(.., |series| series.bold).collect();
    if series.len() > MOST_IN_A_COLOUR && series.iter().all(|other| other.style.hue == series[0].style.hue) {
        series.iter_mut().enumerate().for_each(|(index, series)| series.style = Style::of_index(index));
    }
    let styles: Vec<Style> = series.iter().map(|series| series.style).collect();
    let differ_by_mark = |a: &Style, b: &Style| a.hue == b.hue && a.dash == b.dash && a.mark != b.mark;
    if styles.iter().enumerate().any(|(i, a)| styles[..i].iter().any(|b| differ_by_mark(a, b))) {
        for series in series.iter_mut().filter(|series| series.kind == Kind::Line) {
            series.kind = Kind::Both;
        }
    }
    let marked = series.iter().all(|series| series.kind != Kind::Line);
    restyle(&mut series, marked);
    restyle(&mut guests, false);
    series.extend(guests);
    series
}

/// Changes the styles of series that look alike.
fn restyle(series: &mut [Series], marked: bool) {
    let mut styles: Vec<Style> = series.iter().map(|series| series.style).collect();
    Style::distinguish(&mut styles, marked);
    series.iter_mut().zip(styles).for_each(|(series, style)| series.style = style);
}

fn trajectory(row: &Row, x: &str, y: &str, scale: f64) -> Vec<[f64; 2]> {
    let Some(trajectory) = &row.trajectory else { return Vec::new() };
    let column = |name: &str| {
        if name == "t" {
            return Some(&trajectory.times);
        }
        trajectory.observables.iter().position(|own| own == name).map(|index| &trajectory.columns[index])
    };
    let (Some(xs), Some(ys)) = (column(x), column(y)) else { return Vec::new() };
    xs.iter().zip(ys).map(|(&x, &y)| [x, y * scale]).collect()
}

pub(super) fn failed(row: &Row, x: f64) -> Option<Failure> {
    (!row.is_ok()).then(|| Failure { x, name: row.outcome(), t_reached: row.t_reached })
}

/// True if an error is so close to the bound on the error of its reference that it is meaningless.
pub(super) fn unresolved(results: &ResultSet, row: &Row, column: &str, value: f64) -> bool {
    let bound = bound_of(column).and_then(|bound| results.number(row, &bound));
    bound.is_some_and(|bound| value < UNRESOLVED * bound)
}
