//! Drawings of mechanisms as data for the renderer.

use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_experiment::spec::DrawingSpec;
use mbsbench_experiment::units;
use mbsbench_numbers::decimal;
use mbsbench_problem::view::View;
use mbsbench_render::figure::{Axis, Figure, Panel, Series};
use mbsbench_render::style::{Dash, Style};
use mbsbench_runs::execute::states::states_at;
use mbsbench_runs::store::Store;

/// Corners of the polygons that circles are drawn as.
const CORNERS: usize = 72;

/// Part of a mechanism's size that is left free about it where several states are drawn.
const AIR: f64 = 0.05;

/// The figure that `spec` describes: the model of the first run that is meant, as it starts or at several times of that run.
/// A time that the run does not reach has no panels.
#[must_use]
pub fn drawing(plan: &Plan, spec: &DrawingSpec, store: &Store) -> Figure {
    let run = plan.runs.iter().find(|run| plan.is_meant(run, &spec.filter));
    let panels = match (run, spec.at.as_deref()) {
        (None, _) => Vec::new(),
        (Some(run), None) => wanted(spec, &run.views()).map(|view| panel(view, spec)).collect(),
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
    let mut panels: Vec<Panel> = Vec::new();
    for (time, state) in times.iter().zip(states_at(run, times, store)) {
        let Some(state) = state else { continue };
        let title = format!("t = {} s", decimal(*time));
        let views = model.views(&state);
        panels.extend(wanted(spec, &views).map(|view| Panel { title: title.clone(), ..panel(view, spec) }));
    }
    let views = spec.views.len();
    for view in 0..views {
        let of_view = || panels.iter().skip(view).step_by(views).flat_map(|panel| &panel.series);
        let x = extent(of_view().flat_map(|series| &series.points).map(|point| point.x));
        let y = extent(of_view().flat_map(|series| &series.points).map(|point| point.y));
        for panel in panels.iter_mut().skip(view).step_by(views) {
            (panel.x.range, panel.y.range) = (Some(x), Some(y));
        }
    }
    panels
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

fn panel(view: &View, spec: &DrawingSpec) -> Panel {
    let unit = spec.unit.as_str();
    let scale = units::factor("m", unit).unwrap_or(1.0);
    let mut parts: Vec<&'static str> = Vec::new();
    let series = view.parts.iter().map(|&(part, ref shape)| {
        let index = parts.iter().position(|known| *known == part);
        // One entry of the legend for all outlines of a part.
        let label = if index.is_some() { "" } else { part };
        let index = index.unwrap_or_else(|| {
            parts.push(part);
            parts.len() - 1
        });
        let style = Style { dash: Dash::Solid, ..Style::of_index(index) };
        Series::line(label, style, shape.points(CORNERS).into_iter().map(|point| point.map(|x| x * scale)))
    });
    let series = series.collect();
    Panel {
        title: String::new(),
        x: Axis::linear(view.axes[0], unit),
        y: Axis::linear(view.axes[1], unit),
        series,
        to_scale: spec.to_scale,
        names: view.names.iter().map(|&(name, at)| (name.to_owned(), at.map(|x| x * scale))).collect(),
        named_at_ends: false,
    }
}
