//! Drawings of mechanisms as data for the renderer.

use std::f64::consts::PI;

use mbsbench_experiment::{DrawingSpec, Plan, RunSpec, units};
use mbsbench_numbers::decimal;
use mbsbench_problem::view::{Shape, View};
use mbsbench_render::{Axis, Dash, Figure, Kind, Panel, Series, Style};
use mbsbench_runs::Store;
use mbsbench_runs::execute::collect::states_at;

/// Corners of the polygons that circles are drawn as.
const CORNERS: usize = 72;

/// Part of a mechanism's size that is left free about it where several states are drawn.
const AIR: f64 = 0.05;

/// A distance that nobody sees in motion, as a share of a picture: about a quarter of a pixel.
const UNSEEN: f64 = 0.0007;

/// The figure that `spec` describes: the model of the first run that is meant, as it starts or at several times of that run.
/// A time that the run does not reach has no panels.
pub fn drawing(plan: &Plan, spec: &DrawingSpec, store: &Store) -> Figure {
    let run = plan.runs.iter().find(|run| plan.is_meant(run, &spec.filter));
    let panels = match (run, spec.at.as_deref()) {
        (None, _) => Vec::new(),
        (Some(run), None) => wanted(spec, &run.views()).map(|view| whole(view, spec)).collect(),
        (Some(run), Some(times)) => sequence(run, spec, times, store),
    };
    Figure {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        columns: spec.columns as usize,
        panels,
    }
}

/// A panel for each time and view, those of one view with the same axes.
fn sequence(run: &RunSpec, spec: &DrawingSpec, times: &[f64], store: &Store) -> Vec<Panel> {
    let model = run.model.object().model();
    let states: Vec<_> = times.iter().zip(states_at(run, times, store)).collect();
    let states: Vec<(f64, Vec<View>)> =
        states.into_iter().filter_map(|(time, state)| Some((*time, model.views(&state?)))).collect();
    let mut panels: Vec<Panel> = Vec::new();
    for (time, views) in &states {
        let title = format!("t = {} s", decimal(*time));
        panels.extend(wanted(spec, views).map(|view| Panel { title: title.clone(), ..whole(view, spec) }));
    }
    let views = spec.views.len();
    for (place, name) in spec.views.iter().enumerate() {
        let of_view: Vec<&View> =
            states.iter().flat_map(|(_, views)| views).filter(|view| view.name == name.as_str()).collect();
        let [x, y] = extents(&of_view, &Pen::fine(&spec.unit));
        for panel in panels.iter_mut().skip(place).step_by(views) {
            (panel.x.range, panel.y.range) = (Some(x), Some(y));
        }
    }
    panels
}

/// The ranges of both axes in which several views of one name are seen, in the unit of the pen.
pub(super) fn extents(views: &[&View], pen: &Pen<'_>) -> [[f64; 2]; 2] {
    let points = || views.iter().flat_map(|view| pen.outlines(view)).flatten();
    [0, 1].map(|axis| extent(points().map(|point| point[axis])))
}

/// Smallest and largest value, with air about them.
fn extent(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] =
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]);
    let air = AIR * (high - low);
    [low - air, high + air]
}

/// The views that are asked for, in that order.
fn wanted<'v>(spec: &'v DrawingSpec, views: &'v [View]) -> impl Iterator<Item = &'v View> {
    spec.views.iter().filter_map(move |name| views.iter().find(|view| view.name == name.as_str()))
}

/// How shapes become lines.
pub(super) struct Pen<'s> {
    unit: &'s str,
    /// Units in a metre.
    scale: f64,
    /// Corners of a circle, by its radius in m.
    corners: Corners,
}

enum Corners {
    Fixed(usize),
    /// As many as keep it within this distance of the circle, m.
    Within(f64),
}

impl<'s> Pen<'s> {
    /// For drawings, whose data are written as well.
    fn fine(unit: &'s str) -> Self {
        Self { unit, scale: units::factor("m", unit).unwrap_or(1.0), corners: Corners::Fixed(CORNERS) }
    }

    /// For what is seen in motion, with no more corners than can be seen in pictures of all these views.
    pub(super) fn new(unit: &'s str, views: &[&View]) -> Self {
        let fine = Self::fine("m");
        let size = extents(views, &fine).map(|[low, high]| high - low).into_iter().fold(f64::MIN_POSITIVE, f64::max);
        Self { corners: Corners::Within(UNSEEN * size), ..Self::fine(unit) }
    }

    /// The lines of a view, part by part.
    pub(super) fn outlines<'v>(&'v self, view: &'v View) -> impl Iterator<Item = Vec<[f64; 2]>> + 'v {
        let line = |shape: &Shape| {
            shape.points(self.corners(shape)).into_iter().map(|point| point.map(|x| x * self.scale)).collect()
        };
        view.parts.iter().map(move |(_, shape)| line(shape))
    }

    fn corners(&self, shape: &Shape) -> usize {
        let (&Shape::Circle { radius, .. } | &Shape::Around { radius, .. }) = shape else { return CORNERS };
        match self.corners {
            Corners::Fixed(corners) => corners,
            // An odd number does not halve: the round end of a rod has the same corners however it lies.
            Corners::Within(distance) => {
                ((PI * (0.5 * radius / distance).sqrt()).ceil() as usize).clamp(8, CORNERS) | 1
            }
        }
    }

    /// The lines of a view, those of each part in a colour of its own.
    pub(super) fn parts(&self, view: &View) -> Vec<Series> {
        let mut parts: Vec<&'static str> = Vec::new();
        let series = view.parts.iter().zip(self.outlines(view)).map(|(&(part, _), points)| {
            let index = parts.iter().position(|known| *known == part);
            // One entry of the legend for all outlines of a part.
            let label = if index.is_some() { "" } else { part };
            let index = index.unwrap_or_else(|| {
                parts.push(part);
                parts.len() - 1
            });
            let style = Style { dash: Dash::Solid, ..Style::of_index(index) };
            Series::new(Kind::Line, label, style, points)
        });
        series.collect()
    }
}

fn whole(view: &View, spec: &DrawingSpec) -> Panel {
    let pen = Pen::fine(&spec.unit);
    panel(view, &pen, spec.to_scale, pen.parts(view))
}

/// What is seen of a view in `series`, with its axes.
pub(super) fn panel(view: &View, pen: &Pen<'_>, to_scale: bool, series: Vec<Series>) -> Panel {
    Panel {
        x: Axis::linear(view.axes[0], pen.unit),
        y: Axis::linear(view.axes[1], pen.unit),
        series,
        to_scale,
        names: view.names.iter().map(|&(name, at)| (name.to_owned(), at.map(|x| x * pen.scale))).collect(),
        ..Panel::default()
    }
}
