//! Drawings of mechanisms as data for the renderer.

use std::f64::consts::PI;

use mbsbench_experiment::lists::unique;
use mbsbench_experiment::{DrawingSpec, Plan, RunSpec, units};
use mbsbench_numbers::decimal;
use mbsbench_problem::view::{Shape, View};
use mbsbench_render::{Axis, Dash, Figure, Kind, Panel, Series, Style};
use mbsbench_runs::Cache;
use mbsbench_runs::execute::collect::states_at;

/// Number of corners of the polygons that represent circles.
const CORNERS: usize = 72;

/// Margin around a mechanism if several states are drawn, relative to its size.
const AIR: f64 = 0.05;

/// A distance that is invisible in motion, relative to the size of a picture: about a quarter of a pixel.
const UNSEEN: f64 = 0.0007;

/// Returns the figure that `spec` describes: the model of the first matching run, at the start or at several times of
/// this run. A time that the run does not reach has no panels.
pub fn drawing(plan: &Plan, spec: &DrawingSpec, cache: &Cache) -> Figure {
    let run = plan.runs.iter().find(|run| plan.is_meant(run, &spec.filter));
    let panels = match (run, spec.at.as_deref()) {
        (None, _) => Vec::new(),
        (Some(run), None) => wanted(spec, &run.views()).map(|view| whole(view, spec)).collect(),
        (Some(run), Some(times)) => sequence(run, spec, times, cache),
    };
    Figure {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        columns: spec.columns as usize,
        panels,
    }
}

/// Draws a panel for each time and view; panels of one view share their axes.
fn sequence(run: &RunSpec, spec: &DrawingSpec, times: &[f64], cache: &Cache) -> Vec<Panel> {
    let model = run.model.object.model();
    let states: Vec<_> = times.iter().zip(states_at(run, times, cache)).collect();
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

/// The ranges of both axes that contain several views of one name, in the unit of the pen.
pub(super) fn extents(views: &[&View], pen: &Pen<'_>) -> [[f64; 2]; 2] {
    let points = views.iter().flat_map(|view| pen.outlines(view)).flatten();
    let nothing = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    let wider = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
    let ranges = points.fold(nothing, |[x, y], point| [wider(x, point[0]), wider(y, point[1])]);
    ranges.map(|[low, high]| {
        let air = AIR * (high - low);
        [low - air, high + air]
    })
}

/// The requested views, in the order of the request.
fn wanted<'v>(spec: &'v DrawingSpec, views: &'v [View]) -> impl Iterator<Item = &'v View> {
    spec.views.iter().filter_map(move |name| views.iter().find(|view| view.name == name.as_str()))
}

/// The conversion of shapes into lines.
pub(super) struct Pen<'s> {
    unit: &'s str,
    /// Conversion factor from metres to the unit.
    scale: f64,
    /// Circles have as many corners as needed to stay within this distance of the circle, m; `None`: always the same
    /// number.
    within: Option<f64>,
}

impl<'s> Pen<'s> {
    /// A pen for drawings, whose data are written to files as well.
    fn fine(unit: &'s str) -> Self {
        Self { unit, scale: units::factor("m", unit).unwrap_or(1.0), within: None }
    }

    /// A pen for animations, with no more corners than are visible in pictures of all these views.
    pub(super) fn new(unit: &'s str, views: &[&View]) -> Self {
        let fine = Self::fine("m");
        let size = extents(views, &fine).map(|[low, high]| high - low).into_iter().fold(f64::MIN_POSITIVE, f64::max);
        Self { within: Some(UNSEEN * size), ..Self::fine(unit) }
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
        // The number is odd so that the round end of a rod has the same corners in every orientation.
        let enough = |within: f64| ((PI * (0.5 * radius / within).sqrt()).ceil() as usize).clamp(8, CORNERS) | 1;
        self.within.map_or(CORNERS, enough)
    }

    /// The lines of a view, with a colour for each part.
    pub(super) fn parts(&self, view: &View) -> Vec<Series> {
        let names = unique(view.parts.iter().map(|&(part, _)| part));
        let mut named = 0;
        let series = view.parts.iter().zip(self.outlines(view)).map(|(&(part, _), points)| {
            let index = names.iter().position(|name| *name == part).unwrap_or_default();
            // All outlines of a part share one entry of the legend.
            let label = if index == named { part } else { "" };
            named += usize::from(index == named);
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

/// Returns a panel with the `series` of a view and its axes.
pub(super) fn panel(view: &View, pen: &Pen<'_>, to_scale: bool, series: Vec<Series>) -> Panel {
    let [x, y] = view.axes.map(|name| Axis::linear(name, pen.unit));
    let names = view.names.iter().map(|&(name, at)| (name.to_owned(), at.map(|x| x * pen.scale))).collect();
    Panel { x, y, series, to_scale, names, ..Panel::default() }
}
