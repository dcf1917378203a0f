//! Drawings of mechanisms as data for the renderer.

use mbsbench_problem::model::Formulated;
use mbsbench_problem::view::View;

use super::units;
use crate::experiment::spec::DrawingSpec;
use crate::plan::{Plan, RunSpec};
use crate::render::figure::{Axis, Figure, Panel, Series};
use crate::render::style::{Dash, Style};

/// Corners of the polygons that circles are drawn as.
const CORNERS: usize = 72;

/// The figure that `spec` describes: the model of the first run that is meant, as it starts.
#[must_use]
pub fn drawing(plan: &Plan, spec: &DrawingSpec) -> Figure {
    let views = plan.runs.iter().find(|run| plan.is_meant(run, &spec.filter)).map(views).unwrap_or_default();
    let view = |name: &String| views.iter().find(|view| view.name == name.as_str());
    Figure {
        id: spec.id.clone(),
        title: spec.title.clone().unwrap_or_else(|| spec.id.clone()),
        columns: spec.columns as usize,
        panels: spec.views.iter().filter_map(view).map(|view| panel(view, &spec.unit)).collect(),
    }
}

/// The views of a run's model at its start.
pub fn views(run: &RunSpec) -> Vec<View> {
    let model = run.model.object().model();
    model.views(&Formulated::<f64>::initial_state(&*model))
}

fn panel(view: &View, unit: &str) -> Panel {
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
        to_scale: true,
        names: view.names.iter().map(|&(name, at)| (name.to_owned(), at.map(|x| x * scale))).collect(),
    }
}
