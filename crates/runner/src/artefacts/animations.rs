//! Animations of mechanisms as data for the renderer.

use std::collections::HashSet;

use mbsbench_experiment::{AnimationSpec, Plan, Registry, RunSpec};
use mbsbench_numbers::decimal;
use mbsbench_problem::View;
use mbsbench_render::animation::{Animation, time_text};
use mbsbench_render::{Dash, Figure, Kind, Panel, Series, Style, lay_out};
use mbsbench_runs::Cache;
use mbsbench_runs::execute::collect::states_at;
use rayon::prelude::*;

use super::drawings::{Pen, extents, panel};
use super::figures::style_of;

/// Duration of an animation if the file does not give one, s.
const DURATION: f64 = 10.0;

/// Returns the animation of some runs of a plan, with all other settings from `spec`; it ends when the last of the runs
/// does. Returns `None` if there is no run, if the first run does not have the view, or if it reaches none of the times
/// shown.
pub fn animation(
    plan: &Plan,
    runs: &[&RunSpec],
    spec: &AnimationSpec,
    registry: &Registry,
    cache: &Cache,
) -> Option<Animation> {
    let whole = runs.first()?.span;
    let [start, end] = spec.span.map_or(whole, |[start, end]| [start.max(whole[0]), end.min(whole[1])]);
    if start >= end {
        return None;
    }
    let step = (end - start) / (spec.frames - 1) as f64;
    let times: Vec<f64> = (0..spec.frames).map(|k| (start + k as f64 * step).min(end)).collect();
    let mut actors: Vec<Actor> = runs.par_iter().map(|run| Actor::of(run, spec, &times, cache)).collect();
    if actors.len() > 1 {
        dress(&mut actors, plan, runs, registry, &times);
    }
    let first: Vec<&View> = actors.first()?.views.iter().flatten().collect();
    let sample = *first.first()?;
    let pen = Pen::new(&spec.unit, &first);
    let ranges = ranges(&actors, &pen);
    let frame = |k: usize| -> Panel {
        let series = actors.iter().flat_map(|actor| actor.series(k, &pen)).collect();
        let mut panel = panel(sample, &pen, spec.to_scale, series);
        (panel.x.range, panel.y.range) = (Some(ranges[0]), Some(ranges[1]));
        Panel { title: time_text(times[k], step), names: Vec::new(), ..panel }
    };
    let drawing = |k: usize| {
        let title = spec.title.clone().unwrap_or_else(|| spec.id.clone());
        lay_out(&Figure { id: spec.id.clone(), title, columns: 1, panels: vec![frame(k)] })
    };
    let still = spec.still.map_or(0, |still| ((still - start) / step).round() as usize);
    // Without a view of any run, there is nothing to draw.
    let count = actors.iter().filter_map(|actor| actor.views.iter().rposition(Option::is_some)).max()? + 1;
    let count = count.max(2);
    let frames = (0..count).into_par_iter().map(drawing).collect();
    let speed = spec.speed.unwrap_or((end - start) / DURATION);
    Some(Animation { frames, start, step, speed, still: still.min(count - 1) })
}

/// A run as seen at each time.
struct Actor {
    /// One view for each time; `None` if the run does not reach it.
    views: Vec<Option<View>>,
    /// Largest number of parts that are visible at once.
    parts: usize,
    /// Its name and style among several runs.
    role: Option<(String, Style)>,
}

impl Actor {
    fn of(run: &RunSpec, spec: &AnimationSpec, times: &[f64], cache: &Cache) -> Self {
        let model = run.model.object.model();
        let seen = |state: &Vec<f64>| {
            let mut views = model.views(state).into_iter();
            // A diverging method may produce a state that cannot be drawn.
            let is_somewhere = |view: &View| {
                view.parts.iter().all(|(_, shape)| shape.points(3).as_flattened().iter().all(|x| x.is_finite()))
            };
            let view = match &spec.view {
                None => views.next(),
                Some(name) => views.find(|view| view.name == name.as_str()),
            };
            view.filter(is_somewhere)
        };
        let views: Vec<Option<View>> =
            states_at(run, times, cache).iter().map(|state| state.as_ref().and_then(seen)).collect();
        let parts = views.iter().flatten().map(|view| view.parts.len()).max().unwrap_or(0);
        Self { views, parts, role: None }
    }

    /// Returns one series for each part; missing parts have no points. A single run has a colour for each part; each of
    /// several runs has one colour.
    fn series(&self, k: usize, pen: &Pen<'_>) -> Vec<Series> {
        // The legend is the same at all times.
        let known = self.views.iter().flatten().next();
        let mut series = match (&self.role, &self.views[k]) {
            (None, view) => view.as_ref().or(known).map(|view| pen.parts(view)).unwrap_or_default(),
            (Some((_, style)), view) => {
                let points = view.iter().flat_map(|view| pen.outlines(view));
                points.map(|points| Series::new(Kind::Line, "", *style, points)).collect()
            }
        };
        if self.views[k].is_none() {
            series.iter_mut().for_each(|series| series.points.clear());
        }
        let look = self.role.as_ref().map_or(Style::of_index(0), |(_, style)| *style);
        series.resize_with(self.parts.max(1), || Series::new(Kind::Line, "", look, []));
        self.role.iter().for_each(|(label, _)| series[0].label.clone_from(label));
        series
    }
}

/// Labels several runs by the axes in which they differ. They get the styles of their methods, or the styles of series
/// if the method is the same.
fn dress(actors: &mut [Actor], plan: &Plan, runs: &[&RunSpec], registry: &Registry, times: &[f64]) {
    let labels = || runs.iter().map(|run| run.method_label.as_str());
    let methods: HashSet<&str> = labels().collect();
    let differ = |axis: &usize| runs.iter().any(|run| run.cells[*axis] != runs[0].cells[*axis]);
    let axes: Vec<usize> = (0..plan.axes.len()).filter(differ).collect();
    // Dashes are not recognisable on short lines, so they are used only if the colours are equal.
    let look = |k: usize| if methods.len() > 1 { style_of(runs[k], registry) } else { Style::of_index(k) };
    let mut styles: Vec<Style> = (0..runs.len()).map(|k| Style { dash: Dash::Solid, ..look(k) }).collect();
    Style::distinguish(&mut styles, false);
    for ((actor, run), style) in actors.iter_mut().zip(runs).zip(styles) {
        let values = axes.iter().filter_map(|&axis| Some(run.cells[axis].as_ref()?.text.as_str()));
        let is_told_by_method = methods.len() == runs.len();
        let mut label =
            if is_told_by_method { run.method_label.clone() } else { values.collect::<Vec<_>>().join(", ") };
        let reached = actor.views.iter().take_while(|view| view.is_some()).count();
        if reached < times.len() {
            let until = reached.checked_sub(1).map_or("nowhere".to_owned(), |k| format!("to {} s", decimal(times[k])));
            label = format!("{label}, {until}");
        }
        actor.role = Some((label, style));
    }
}

/// The ranges of both axes: the ranges of the first run, extended towards the others by at most one half.
fn ranges(actors: &[Actor], pen: &Pen<'_>) -> [[f64; 2]; 2] {
    let of = |actors: &[Actor]| {
        let views: Vec<&View> = actors.iter().flat_map(|actor| actor.views.iter().flatten()).collect();
        extents(&views, pen)
    };
    let first = of(&actors[..1]);
    let all = if actors.len() > 1 { of(actors) } else { first };
    [0, 1].map(|axis| {
        let [low, high] = first[axis];
        let further = 0.25 * (high - low);
        [all[axis][0].max(low - further), all[axis][1].min(high + further)]
    })
}
