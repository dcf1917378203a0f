//! `mbsbench like`: the models of the comparison that are most like a given one, and which methods are the cheapest on these.

use std::path::Path;

use mbsbench_experiment::RankingSpec;
use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_experiment::registry::{Choice, Entry, MethodKind, ModelKind, Registry};
use mbsbench_judge::claims::Evidence;
use mbsbench_judge::comparison::{COMPARISON, Place, Traits, entrants, places};
use mbsbench_judge::folders::Folders;
use mbsbench_numbers::short;
use serde_json::{Value, json};
use tabled::builder::Builder;
use tabled::settings::Style;

use super::files::{Library, is_yaml};
use super::recognition::{is_mechanism, motion};
use super::results::evidence_of;
use super::sealed::ensure_sealed;
use super::{CommandError, Format, load};
use crate::output::Output;

/// The method whose solve tells whether a model keeps its energy.
const PROBE: &str = "dop853";
/// Methods that are named.
const NAMED: usize = 10;

/// What is asked besides the model.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct LikeOptions {
    /// Error at which the costs of methods are compared.
    #[arg(long, value_name = "ERROR", default_value = "1e-6")]
    pub accuracy: f64,
    /// Time span in seconds, for a model that no experiment runs.
    #[arg(long, value_name = "SECONDS")]
    pub span: Option<f64>,
    /// Number of similar models.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub nearest: usize,
}

/// A model with what is known of it.
struct Known<'p> {
    name: String,
    traits: Traits,
    plan: &'p Plan,
    spec: &'p RankingSpec,
}

/// A method on the nearest models.
struct OnNearest<'p> {
    method: &'p str,
    /// Its cost over the best one's on each of them; none where it does not reach the accuracy, or was not run.
    ratios: Vec<Option<f64>>,
}

impl OnNearest<'_> {
    fn reached(&self) -> usize {
        self.ratios.iter().flatten().count()
    }

    /// Geometric mean of the ratios.
    fn mean(&self) -> f64 {
        (self.ratios.iter().flatten().map(|ratio| ratio.ln()).sum::<f64>() / self.reached() as f64).exp()
    }
}

pub(super) fn like(
    library: Library<'_>,
    model: &str,
    results: &impl Folders,
    options: LikeOptions,
    format: Format,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let mut plans = library.named(&[COMPARISON.to_owned()], false)?;
    plans.retain(|plan| !plan.experiment.rankings.is_empty());
    let probe = find(library.registry.methods(), PROBE)?.default_choice();
    let (choice, span) = given(library.registry, model, &plans, options)?;
    let own = Traits::of(&choice, span, &probe);
    let mut known = compared(&plans, &probe);
    known.sort_by(|a, b| own.distance(&a.traits).total_cmp(&own.distance(&b.traits)));
    known.truncate(options.nearest.max(1));
    ensure_sealed(results, &plans, output)?;
    let evidence = evidence_of(results, &plans, |_| true)?;
    let best = on_nearest(&known, &evidence, options.accuracy);
    let distances: Vec<f64> = known.iter().map(|known| own.distance(&known.traits)).collect();
    match format {
        Format::Json => {
            let near = known.iter().zip(&distances).map(|(known, distance)| {
                json!({ "model": known.name, "distance": distance, "traits": traits_json(&known.traits) })
            });
            let methods = best.iter().map(|best| {
                let ratios = &best.ratios;
                json!({ "method": best.method, "reached": best.reached(), "mean_ratio": best.mean(), "ratios": ratios })
            });
            let json = json!({
                "model": model, "traits": traits_json(&own), "accuracy": options.accuracy,
                "nearest": near.collect::<Vec<_>>(), "methods": methods.collect::<Vec<_>>(),
            });
            output.line(format!("{json:#}"))?;
        }
        Format::Text => {
            output.line(format!("{}\n", near_table(model, &own, &known, &distances)))?;
            output.line(format!("By right-hand sides at {:e}: cost over the best one's", options.accuracy))?;
            output.line(methods_table(&known, &best))?;
        }
    }
    Ok(())
}

fn find<'r>(methods: &'r [Entry<MethodKind>], name: &str) -> Result<&'r Entry<MethodKind>, CommandError> {
    methods.iter().find(|entry| entry.name() == name).ok_or_else(|| CommandError::UnknownName {
        kind: "method",
        found: name.to_owned(),
        known: methods.iter().map(|entry| entry.name().to_owned()).collect(),
    })
}

/// The model that is asked about, with the span of its run: a registered one, or the first of an experiment, or a mechanism in a file.
fn given(
    registry: &Registry,
    model: &str,
    plans: &[Plan],
    options: LikeOptions,
) -> Result<(Choice<ModelKind>, [f64; 2]), CommandError> {
    let path = Path::new(model);
    let end = options.span.filter(|end| *end > 0.0 && end.is_finite());
    let spanned = |span: [f64; 2]| end.map_or(span, |length| [span[0], span[0] + length]);
    if is_yaml(path) || path.extension().is_some_and(|end| end == "urdf") {
        let run = first_run(registry, path)?;
        return Ok(((*run.model).clone(), spanned(run.span)));
    }
    let Some(entry) = registry.models().iter().find(|entry| entry.name() == model) else {
        let known = registry.models().iter().map(|entry| entry.name().to_owned()).collect();
        return Err(CommandError::UnknownName { kind: "model", found: model.to_owned(), known });
    };
    let mut runs = plans.iter().flat_map(|plan| &plan.runs);
    let span = runs.find(|run| run.model.name() == model).map_or([0.0, 1.0], |run| run.span);
    Ok((entry.default_choice(), spanned(span)))
}

/// The first run of an experiment file, or a run of a second of the mechanism that a file has.
fn first_run(registry: &Registry, path: &Path) -> Result<RunSpec, CommandError> {
    let mut runs = match is_mechanism(path) {
        true => motion(registry, path, 1.0, PROBE)?.runs,
        false => load(registry, &[path.to_owned()], false)?.swap_remove(0).runs,
    };
    Ok(runs.swap_remove(0))
}

/// The models of the comparison, each with the first of its rankings.
fn compared<'p>(plans: &'p [Plan], probe: &Choice<MethodKind>) -> Vec<Known<'p>> {
    let mut known: Vec<Known<'p>> = Vec::new();
    for plan in plans {
        for spec in plan.experiment.rankings.iter().map(|ranking| &ranking.value) {
            let is_there = |other: &Known<'_>| std::ptr::eq(other.plan, plan) && other.spec.filter == spec.filter;
            let Some(run) = plan.runs.iter().find(|run| plan.is_meant(run, &spec.filter)) else { continue };
            if !known.iter().any(is_there) {
                let traits = Traits::of(&run.model, run.span, probe);
                // "Squeezer, positions": the model is named before the comma.
                let name = spec.title.split(',').next().unwrap_or_default().to_owned();
                known.push(Known { name, traits, plan, spec });
            }
        }
    }
    known
}

/// All methods that reach the accuracy on one of the models: those that do on most of them first, then the cheaper ones.
fn on_nearest<'p>(nearest: &[Known<'p>], evidence: &'p Evidence<'_>, accuracy: f64) -> Vec<OnNearest<'p>> {
    let mut methods: Vec<OnNearest<'p>> = Vec::new();
    for (index, known) in nearest.iter().enumerate() {
        let of_model = entrants(known.plan, &evidence, known.spec);
        let places = places(&of_model, known.spec, 0, accuracy);
        let least = places.first().map_or(f64::INFINITY, |place| place.cost.value);
        for Place { method, cost, .. } in places {
            let place = methods.iter().position(|known| known.method == method).unwrap_or_else(|| {
                methods.push(OnNearest { method, ratios: vec![None; nearest.len()] });
                methods.len() - 1
            });
            methods[place].ratios[index] = Some(cost.value / least);
        }
    }
    methods.sort_by(|a, b| b.reached().cmp(&a.reached()).then(a.mean().total_cmp(&b.mean())));
    methods
}

/// Traits as they are shown.
fn cells(traits: &Traits) -> [String; 9] {
    let whether = |holds: bool| if holds { "yes" } else { "no" }.to_owned();
    let number = |number: Option<f64>| number.map_or_else(|| "not known".to_owned(), short);
    [
        traits.states.to_string(),
        traits.constraints.to_string(),
        traits.index.to_string(),
        number(traits.stiffness),
        // What rounding makes of none is none.
        traits.damping.map_or_else(
            || "not known".to_owned(),
            |damping| format!("{:.2}", (100.0 * damping).round() / 100.0 + 0.0),
        ),
        whether(traits.switches),
        if traits.is_spatial { "space" } else { "plane" }.to_owned(),
        traits.redundant.to_string(),
        traits.conserves.map_or_else(|| "not known".to_owned(), whether),
    ]
}

fn near_table(model: &str, own: &Traits, nearest: &[Known<'_>], distances: &[f64]) -> String {
    let mut table = Builder::default();
    table.push_record([
        "model",
        "distance",
        "states",
        "constraints",
        "index",
        "stiffness",
        "damping",
        "switches",
        "moves in",
        "redundant",
        "keeps energy",
    ]);
    table.push_record([model.to_owned(), String::new()].into_iter().chain(cells(own)));
    for (known, distance) in nearest.iter().zip(distances) {
        table.push_record([known.name.clone(), format!("{distance:.3}")].into_iter().chain(cells(&known.traits)));
    }
    table.build().with(Style::psql()).to_string()
}

fn methods_table(nearest: &[Known<'_>], best: &[OnNearest<'_>]) -> String {
    let mut table = Builder::default();
    let names = nearest.iter().map(|known| known.name.as_str());
    table.push_record(["method", "reaches it on", "mean"].into_iter().chain(names));
    for best in best.iter().take(NAMED) {
        let head = [best.method.to_owned(), format!("{} of {}", best.reached(), nearest.len()), short(best.mean())];
        let ratios = best.ratios.iter().map(|ratio| ratio.map_or_else(|| "–".to_owned(), short));
        table.push_record(head.into_iter().chain(ratios));
    }
    table.build().with(Style::psql()).to_string()
}

fn traits_json(traits: &Traits) -> Value {
    json!({
        "states": traits.states, "constraints": traits.constraints, "index": traits.index, "stiffness": traits.stiffness,
        "damping": traits.damping, "switches": traits.switches, "is_spatial": traits.is_spatial, "redundant": traits.redundant,
        "conserves": traits.conserves,
    })
}
