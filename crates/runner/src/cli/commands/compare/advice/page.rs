//! The page with the answer: tables, work over error, the model in motion, and the experiment.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::html;
use mbsbench_experiment::{AnimationSpec, Registry};
use mbsbench_judge::comparison::Ranked;
use mbsbench_render::animation::gif;
use mbsbench_runs::{Cache, fingerprint};

use super::search::Found;
use super::{Answer, Compare};
use crate::artefacts::animation;
use crate::cli::{Result, Session};
use crate::report::{drawn, of_best, page};

/// Number of frames of the animation.
const FRAMES: usize = 60;

pub(super) fn page_of(
    answer: &Answer,
    found: &Found,
    ranked: &Ranked<'_>,
    compare: &Compare,
    session: &mut Session<'_>,
) -> Result<String> {
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
            (drawn(&of_best(ranked, work, registry)))
        }
        @if let Some(gif) = motion {
            h2 { "Motion" }
            img alt="The model in motion" style="max-width:100%;height:auto"
                src=(format!("data:image/gif;base64,{}", BASE64_STANDARD.encode(gif)));
        }
        h2 { "Left out or ended early" }
        dl { @for [reason, methods] in &answer.left_out { dt { (reason) } dd { (methods) } } }
        h2 { "Experiment" }
        p { code { "mbsbench run FILE" } " repeats and refines this comparison." }
        pre { (found.text) }
    };
    Ok(page(&format!("Methods for {}", answer.title), &body))
}

/// The model in motion, by the best method at the finest accuracy that some method reaches.
fn in_motion(found: &Found, ranked: &Ranked<'_>, cache: &Cache, registry: &Registry) -> Option<Vec<u8>> {
    let place = ranked.places.iter().rev().find_map(|places| places[0].first())?;
    let plan = &found.plans[0];
    let run = plan.runs.iter().find(|run| run.key().to_string() == place.run).filter(|run| !run.views().is_empty())?;
    let spec = AnimationSpec { frames: FRAMES, title: Some(ranked.spec.title.clone()), ..AnimationSpec::of("motion") };
    gif(&animation(plan, &[run], &spec, registry, cache)?).ok()
}
