//! The page with the answer: tables, work over error, the model in motion, and the experiment.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{Markup, html};
use mbsbench_experiment::{AnimationSpec, Registry};
use mbsbench_judge::comparison::{Curve, Ranked, near};
use mbsbench_render::animation::gif;
use mbsbench_render::{Axis, Figure, Kind, Panel, Series, Style, lay_out, svg};
use mbsbench_runs::{Cache, fingerprint};

use super::search::Found;
use super::{Answer, Compare};
use crate::artefacts::{animation, style_of};
use crate::cli::{CommandError, Session};
use crate::report::{figure_named, page};

/// Largest error that is drawn.
const MOST_ERROR: f64 = 10.0;

/// Largest number of methods that are drawn by name.
const NAMED: usize = 8;

/// Number of frames of the animation.
const FRAMES: usize = 60;

pub(super) fn page_of(
    answer: &Answer,
    found: &Found,
    ranked: &Ranked<'_>,
    compare: &Compare,
    session: &mut Session<'_>,
) -> Result<String, CommandError> {
    let registry = session.library.registry;
    let motion = in_motion(found, ranked, &Cache::new(&compare.options.machine.cache, fingerprint(registry)), registry);
    let body = html! {
        h1 { "Methods for " (answer.title) }
        ul { @for line in &answer.about { li { (line) } } }
        @for (work, (heading, lines)) in answer.tables.iter().enumerate() {
            h2 { (heading) }
            div.scroll { table {
                thead { tr { @for head in &lines[0] { th { (head) } } } }
                tbody { @for line in &lines[1..] { tr { @for cell in line { td { (cell) } } } } }
            } }
            (drawn(ranked, work, registry))
        }
        @if let Some(gif) = motion {
            h2 { "Motion" }
            img alt="The model in motion" style="max-width:100%;height:auto"
                src=(format!("data:image/gif;base64,{}", BASE64_STANDARD.encode(gif)));
        }
        h2 { "Left out or ended early" }
        dl { @for [reason, methods] in &answer.left_out { dt { (reason) } dd { (methods) } } }
        h2 { "Experiment" }
        p { code { "mbsbench run" } " repeats and refines this comparison." }
        pre { (found.text) }
    };
    Ok(page(&format!("Methods for {}", answer.title), &body))
}

/// Draws error over work: the best methods by name, all other runs in grey.
fn drawn(ranked: &Ranked<'_>, work: usize, registry: &Registry) -> Markup {
    let shown = |curve: &Curve<'_>| {
        let mut points = curve.measured(work);
        points.retain(|[_, error]| *error <= MOST_ERROR);
        points
    };
    let mut names: Vec<&str> = Vec::new();
    for place in ranked.places.iter().flat_map(|places| near(&places[work])) {
        if !names.contains(&place.method) && names.len() < NAMED {
            names.push(place.method);
        }
    }
    let (named, others): (Vec<_>, Vec<_>) = ranked.curves.iter().partition(|curve| names.contains(&curve.method));
    let mut styles: Vec<Style> = named.iter().map(|curve| style_of(curve.points[0].run, registry)).collect();
    Style::distinguish(&mut styles, true);
    let rest = others.into_iter().flat_map(&shown);
    let rest = Series { published: true, ..Series::new(Kind::Dots, "", Style::of_all(), rest) };
    let named = named.into_iter().zip(styles).map(|(curve, style)| {
        let mut points = shown(curve);
        points.sort_by(|one, other| one[0].total_cmp(&other[0]));
        Series::new(Kind::Both, curve.method, style, points)
    });
    let id = format!("work-{work}");
    let panel = Panel {
        x: Axis::log(ranked.spec.work.0[work].0.clone(), ""),
        y: Axis::log("error with its bound", ""),
        series: [rest].into_iter().chain(named).collect(),
        named_at_ends: true,
        ..Panel::default()
    };
    let title = format!("{}: error over {}", ranked.spec.title, ranked.spec.work.0[work].0);
    let figure = Figure { id: id.clone(), title, columns: 1, panels: vec![panel] };
    figure_named(&svg::write(&lay_out(&figure)), &id, &id)
}

/// The model in motion, by the best method at the finest accuracy that some method reaches.
fn in_motion(found: &Found, ranked: &Ranked<'_>, cache: &Cache, registry: &Registry) -> Option<Vec<u8>> {
    let place = ranked.places.iter().rev().find_map(|places| places[0].first())?;
    let plan = &found.plans[0];
    let run = plan.runs.iter().find(|run| run.key().to_string() == place.run).filter(|run| !run.views().is_empty())?;
    let spec = AnimationSpec { frames: FRAMES, title: Some(ranked.spec.title.clone()), ..AnimationSpec::of("motion") };
    gif(&animation(plan, &[run], &spec, registry, cache)?).ok()
}
