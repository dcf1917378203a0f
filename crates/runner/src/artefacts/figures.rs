//! Figures of an experiment as data for the renderer.

use std::collections::HashMap;

use mbsbench_problem::Observable;

use super::units;
use crate::experiment::spec::{FigureSpec, PanelSpec, Scale as SpecScale};
use crate::plan::Plan;
use crate::registry::Registry;
use crate::render::figure::{Axis, Failure, Figure, Kind, Panel, Point, Scale, Series};
use crate::render::style::Style;
use crate::results::{ResultSet, Row};

/// An error within this factor of the reference's own bound is drawn hollow.
const UNRESOLVED: f64 = 10.0;

/// The figure that `spec` describes.
#[must_use]
pub fn figure(plan: &Plan, spec: &FigureSpec, results: &ResultSet, registry: &Registry) -> Figure {
    let look = Look::new(plan, registry);
    Figure {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        columns: spec.columns as usize,
        panels: spec.panels.iter().map(|panel| look.panel(panel, results)).collect(),
    }
}

/// What names mean in the figures of a plan.
struct Look {
    /// Style of each method, by its label.
    styles: HashMap<String, Style>,
    /// Units of observables, by name.
    units: HashMap<String, &'static str>,
}

impl Look {
    fn new(plan: &Plan, registry: &Registry) -> Self {
        let mut styles = HashMap::new();
        let mut observables = HashMap::new();
        for run in &plan.runs {
            styles.entry(run.method_label.clone()).or_insert_with(|| {
                let family = run.method.family();
                let mut members = registry.methods().iter().filter(|entry| entry.family() == family);
                let member = members.position(|entry| entry.name() == run.method.name()).unwrap_or(0);
                let rho_inf = run.method.parameter("rho-inf").and_then(serde_json::Value::as_f64);
                Style::of_method(family, member, rho_inf)
            });
            if !observables.contains_key(run.model.name()) {
                observables.insert(run.model.name(), run.model.object().model().observables());
            }
        }
        let units = observables.into_values().flatten().map(|Observable { name, unit, .. }| (name, unit)).collect();
        Self { styles, units }
    }

    fn panel(&self, spec: &PanelSpec, results: &ResultSet) -> Panel {
        let over_time = spec.x == "t" || (self.units.contains_key(&spec.x) && results.axis(&spec.x).is_none());
        let first = spec.y.iter().next().unwrap_or_default();
        let own_unit = if over_time { self.unit(first) } else { units::of_column(first, self.unit_inside(first)) };
        let shown = spec.y_unit.as_deref().unwrap_or(own_unit);
        let scale = if over_time { units::factor(own_unit, shown).unwrap_or(1.0) } else { 1.0 };
        let mut series = if over_time { self.curves(spec, results, scale) } else { self.columns(spec, results) };
        let mut styles: Vec<Style> = series.iter().map(|series| series.style).collect();
        Style::distinguish(&mut styles, !over_time);
        for (series, style) in series.iter_mut().zip(styles) {
            series.style = style;
        }
        let x_unit = if spec.x == "t" { "s" } else { units::of_column(&spec.x, self.unit_inside(&spec.x)) };
        let axis = |label: &Option<String>, name: &str, unit: &str, range: Option<[f64; 2]>| Axis {
            label: label.clone().unwrap_or_else(|| name.to_owned()),
            unit: unit.to_owned(),
            scale: Scale::Linear,
            range,
        };
        let (mut x, mut y) =
            (axis(&spec.x_label, &spec.x, x_unit, spec.x_range), axis(&spec.y_label, first, shown, spec.y_range));
        if matches!(spec.scale, SpecScale::LogLog | SpecScale::LogX) {
            x.scale = Scale::Log;
        }
        if matches!(spec.scale, SpecScale::LogLog | SpecScale::LogY) {
            y.scale = Scale::Log;
        }
        Panel { title: spec.title.clone().unwrap_or_default(), x, y, series }
    }

    fn unit(&self, observable: &str) -> &'static str {
        self.units.get(observable).copied().unwrap_or("")
    }

    /// The unit of the observable that a column is about: `error(theta)`, `omega@2`.
    fn unit_inside(&self, column: &str) -> &'static str {
        let inner = column.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inner, _)| inner);
        self.unit(inner.or_else(|| column.split_once('@').map(|(name, _)| name)).unwrap_or(column))
    }

    /// Observables over time, or over each other.
    fn curves(&self, spec: &PanelSpec, results: &ResultSet, scale: f64) -> Vec<Series> {
        let names: Vec<&str> = spec.y.iter().collect();
        let mut series = Vec::new();
        for row in results.matching(&spec.filter) {
            let label = spec.series.as_ref().and_then(|axis| results.label(row, axis)).map(ToString::to_string);
            for name in &names {
                let text = match (&label, names.len()) {
                    (Some(label), 1) => label.clone(),
                    (Some(label), _) => format!("{label}, {name}"),
                    // The axis says what a single curve is.
                    (None, 1) => String::new(),
                    (None, _) => (*name).to_owned(),
                };
                let style = self.style(spec, label.as_deref(), series.len());
                let points = trajectory(row, &spec.x, name, scale);
                series.push(Series { failures: failed(row, 0.0), ..Series::line(text, style, points) });
            }
        }
        series
    }

    /// Columns of `runs.csv`.
    fn columns(&self, spec: &PanelSpec, results: &ResultSet) -> Vec<Series> {
        let names: Vec<&str> = spec.y.iter().collect();
        let labels: Vec<Option<String>> = match &spec.series {
            None => vec![None],
            Some(axis) => results.values_of(axis).iter().map(|label| Some(label.to_string())).collect(),
        };
        let mut series = Vec::new();
        for label in &labels {
            let rows: Vec<&Row> = results
                .matching(&spec.filter)
                .filter(|row| match (&spec.series, label) {
                    (Some(axis), Some(label)) => results.label(row, axis).is_some_and(|own| own.is(label)),
                    _ => true,
                })
                .collect();
            if rows.is_empty() {
                continue;
            }
            for name in &names {
                let text = match (label, names.len()) {
                    (Some(label), 1) => label.clone(),
                    (Some(label), _) => format!("{label}, {name}"),
                    (None, _) => (*name).to_owned(),
                };
                let style = self.style(spec, label.as_deref(), series.len());
                let (mut points, mut failures) = (Vec::new(), Vec::new());
                for row in &rows {
                    let Some(x) = results.number(row, &spec.x) else { continue };
                    match results.number(row, name).filter(|_| row.is_ok()) {
                        Some(y) => points.push(Point { x, y, hollow: unresolved(results, row, name, y) }),
                        None => failures.extend(failed(row, x)),
                    }
                }
                points.sort_by(|a, b| a.x.total_cmp(&b.x));
                series.push(Series { label: text, style, kind: Kind::Both, points, failures, published: false });
            }
        }
        series
    }

    fn style(&self, spec: &PanelSpec, label: Option<&str>, index: usize) -> Style {
        match (spec.series.as_deref(), label) {
            (Some("method"), Some(label)) => self.styles.get(label).copied(),
            _ => None,
        }
        .unwrap_or_else(|| Style::of_index(index))
    }
}

fn trajectory(row: &Row, x: &str, y: &str, scale: f64) -> Vec<[f64; 2]> {
    let Some(trajectory) = &row.trajectory else { return Vec::new() };
    let column = |name: &str| {
        if name == "t" {
            return Some(&trajectory.times);
        }
        trajectory.observables.iter().position(|own| own == name).map(|index| &trajectory.columns[index])
    };
    match (column(x), column(y)) {
        (Some(xs), Some(ys)) => xs.iter().zip(ys).map(|(&x, &y)| [x, y * scale]).collect(),
        _ => Vec::new(),
    }
}

fn failed(row: &Row, x: f64) -> Vec<Failure> {
    if row.is_ok() {
        return Vec::new();
    }
    vec![Failure { x, name: row.status.clone(), t_reached: row.t_reached }]
}

/// Whether an error is too near to the bound on the reference to mean anything.
fn unresolved(results: &ResultSet, row: &Row, column: &str, value: f64) -> bool {
    let Some(inner) = column.strip_prefix("error") else { return false };
    results.number(row, &format!("error_bound{inner}")).is_some_and(|bound| value < UNRESOLVED * bound)
}
