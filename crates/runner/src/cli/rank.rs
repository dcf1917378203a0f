//! `mbsbench rank`: where one method stands among all others that the comparison has.

use std::path::{Path, PathBuf};

use mbsbench_experiment::plan::Plan;
use mbsbench_experiment::registry::{Choice, MethodKind, Registry};
use mbsbench_experiment::{Contender, RankingSpec, read_contender, read_method};
use mbsbench_input::write_atomically;
use mbsbench_judge::claims::{Evidence, EvidenceError};
use mbsbench_judge::comparison::{
    COMPARISON, Contending, Entrant, Rank, Standing, Tally, Unequal, entrants, stand, words,
};
use mbsbench_judge::folders::Folders;
use mbsbench_numbers::short;
use mbsbench_problem::Formulated;
use mbsbench_render::{lay_out, svg};
use serde_json::{Value, json};
use tabled::builder::Builder;
use tabled::settings::Style;

use super::check::other_kind;
use super::contenders::Contenders;
use super::describe::about_file;
use super::files::{Library, is_yaml};
use super::recognition::{FileKind, file_kind};
use super::results::{Results, evidence_of};
use super::run::{QUICK, RunOptions, made};
use super::sealed::ensure_sealed;
use super::{CommandError, Format};
use crate::artefacts::work_precision;
use crate::output::Output;

/// What is shown of the answer, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'f> {
    /// Folder for pictures.
    pub(super) figures: Option<&'f Path>,
    pub(super) format: Format,
}

/// A method that is looked at, by its name or from a file.
pub(super) struct Examined {
    /// What it is called.
    pub(super) label: String,
    /// What it is, and where it is from.
    pub(super) about: Vec<String>,
    pub(super) choice: Choice<MethodKind>,
    /// As it stands in the place of `every`.
    pub(super) contender: Contender,
    /// Whether it is from a file, so that nothing is known of it.
    pub(super) is_from_file: bool,
}

impl Examined {
    /// The method of that name, or of that file.
    ///
    /// # Errors
    /// Names that nobody has registered, and what is wrong with a file.
    pub(super) fn find(registry: &Registry, method: &str) -> Result<Self, CommandError> {
        let path = Path::new(method);
        if is_yaml(path) || file_kind(path).is_some() {
            let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
                .map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
            let bad = |wrong| other_kind(path, FileKind::Method).unwrap_or_else(|| CommandError::BadInput(vec![wrong]));
            let choice = read_method(path, &bytes, registry).map_err(bad)?;
            let contender = read_contender(path, &bytes, registry).map_err(bad)?;
            let about = about_file(&choice).into_iter().collect();
            return Ok(Self { label: choice.label(), about, choice, contender, is_from_file: true });
        }
        let Some(entry) = registry.methods().iter().find(|entry| entry.name() == method && !entry.is_written_out())
        else {
            let known = registry.methods().iter().filter(|entry| !entry.is_written_out());
            let known = known.map(|entry| entry.name().to_owned()).collect();
            return Err(CommandError::UnknownName { kind: "method", found: method.to_owned(), known });
        };
        Ok(Self {
            label: method.to_owned(),
            about: vec![entry.summary().to_owned(), format!("source: {}", entry.source())],
            choice: entry.default_choice(),
            contender: Contender::registered(method),
            is_from_file: false,
        })
    }
}

pub(super) fn rank(
    library: Library<'_>,
    method: &str,
    wanted: &[String],
    results: &impl Folders,
    options: &RunOptions,
    shown: Shown<'_>,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let examined = Examined::find(library.registry, method)?;
    let mut plans = match wanted {
        [] => library.named(&[COMPARISON.to_owned()], options.quick)?,
        _ => library.named(wanted, options.quick)?,
    };
    plans.retain(|plan: &Plan| !plan.experiment.rankings.is_empty());
    if plans.is_empty() {
        let known = vec![COMPARISON.to_owned()];
        return Err(CommandError::UnknownName { kind: "experiment with rankings", found: wanted.join(" "), known });
    }
    ensure_sealed(results, &plans, output)?;
    if !examined.is_from_file && !examined.choice.is_late() {
        match evidence_of(results, &plans, |_| true) {
            Ok(evidence) => {
                let contenders = Contenders::of(library, &plans, options, output)?;
                let contending = contenders.contending();
                let entered = entered(&examined, &plans, (&evidence, &contending), None);
                return tell(library.registry, &examined, &entered, shown, output);
            }
            // Perhaps a method from elsewhere that `every` takes in, of which nothing is stored.
            Err(CommandError::Evidence(EvidenceError::Outdated { .. })) => {}
            Err(other) => return Err(other),
        }
        plans.iter_mut().for_each(|plan| plan.runs.retain(|run| run.method.name() != method));
    }
    let evidence = evidence_of(results, &plans, |_| true)?;
    let contenders = Contenders::of(library, &plans, options, output)?;
    let contending = contenders.contending();
    let own_plans = contended(library.registry, &plans, &examined.contender)?;
    let outcomes = if own_plans.is_empty() { Vec::new() } else { made(library, &own_plans, options, output)? };
    let own = Contending::new(vec![examined.label.clone()], &own_plans, Evidence::of(&own_plans, &outcomes));
    let entered = entered(&examined, &plans, (&evidence, &contending), Some(&own));
    tell(library.registry, &examined, &entered, shown, output)
}

/// A ranking with the method's own runs and those of all others.
struct Entered<'s> {
    plan: &'s Plan,
    spec: &'s RankingSpec,
    own: Vec<Entrant<'s>>,
    others: Vec<Entrant<'s>>,
}

impl<'s> Entered<'s> {
    fn standing(&self) -> Standing<'s> {
        stand(self.plan, self.spec, &self.own, &self.others)
    }

    /// Settings of the method in which others differ from it.
    fn unequal(&self) -> Vec<Unequal> {
        let Some(own) = self.own.first() else { return Vec::new() };
        let entrants = self.own.iter().chain(&self.others);
        let all = Unequal::all(entrants.map(|entrant| (entrant.run.method_label.as_str(), entrant.run)));
        all.into_iter().filter(|unequal| unequal.is_of(&own.run.method_label)).collect()
    }
}

/// Who enters each ranking: with the stored runs of the method's name, or with those made for it.
fn entered<'s>(
    examined: &Examined,
    plans: &'s [Plan],
    (evidence, contending): (&'s Evidence<'s>, &'s Contending<'s>),
    own: Option<&'s Contending<'s>>,
) -> Vec<Entered<'s>> {
    let rankings =
        plans.iter().flat_map(|plan| plan.experiment.rankings.iter().map(move |ranking| (plan, &ranking.value)));
    let of_ranking = |(plan, spec): (&'s Plan, &'s RankingSpec)| {
        let is_own = |entrant: &Entrant<'_>| {
            let is_called = |name: &str| name == examined.label;
            own.is_none() && (is_called(entrant.run.method.name()) || is_called(&entrant.run.method_label))
        };
        let (stored, mut others): (Vec<_>, Vec<_>) = entrants(plan, evidence, spec).into_iter().partition(is_own);
        let contenders = contending.entrants(plan, spec).into_iter();
        others.extend(contenders.filter(|entrant| entrant.run.method_label != examined.label));
        let made = own.into_iter().flat_map(|own| own.entrants(plan, spec));
        Entered { plan, spec, own: stored.into_iter().chain(made).collect(), others }
    };
    rankings.map(of_ranking).collect()
}

/// What experiments ask of the method where they say `every`.
pub(super) fn contended<'p>(
    registry: &Registry,
    plans: impl IntoIterator<Item = &'p Plan>,
    contender: &Contender,
) -> Result<Vec<Plan>, CommandError> {
    let registry = registry.with_contender(contender.clone());
    let own = plans.into_iter().filter_map(|plan| plan.of_contender(&registry).transpose());
    own.collect::<Result<_, _>>().map_err(|wrong| CommandError::BadInput(vec![wrong]))
}

/// Draws error over work for each ranking that the method has runs of, and gives the files.
fn draw(
    registry: &Registry,
    examined: &Examined,
    entered: &[Entered<'_>],
    folder: &Path,
) -> Result<Vec<PathBuf>, CommandError> {
    let mut paths = Vec::new();
    for (number, Entered { plan, spec, own, others }) in entered.iter().enumerate() {
        let id = format!("{}-{}", plan.experiment.id.replace('/', "-"), number + 1);
        let Some(figure) = work_precision(&id, &examined.label, spec, own, others, registry) else { continue };
        let path = folder.join(format!("{id}.svg"));
        write_atomically(&path, svg::write(&lay_out(&figure)).as_bytes())
            .map_err(|error| CommandError::Store { path: path.clone(), error })?;
        paths.push(path);
    }
    Ok(paths)
}

fn tell(
    registry: &Registry,
    examined: &Examined,
    entered: &[Entered<'_>],
    shown: Shown<'_>,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let standings: &[Standing<'_>] = &entered.iter().map(Entered::standing).collect::<Vec<_>>();
    let tally = Tally::of(standings);
    let drawn = shown.figures.map(|folder| draw(registry, examined, entered, folder)).transpose()?.unwrap_or_default();
    if shown.format == Format::Json {
        let ranking = |(standing, entered): (&Standing<'_>, &Entered<'_>)| {
            let mut json = ranking_json(examined, standing);
            json["unequal"] = entered.unequal().iter().map(unequal_json).collect();
            json
        };
        let rankings: Vec<Value> = standings.iter().zip(entered).map(ranking).collect();
        let json = json!({ "method": examined.label, "rankings": rankings, "summary": tally_json(&tally) });
        output.line(format!("{json:#}"))?;
        return Ok(());
    }
    let mut heads: Vec<&str> = Vec::new();
    for (head, _) in standings.iter().flat_map(|standing| &standing.spec.work.0) {
        if !heads.contains(&head.as_str()) {
            heads.push(head);
        }
    }
    for head in heads {
        match table(standings, head) {
            Some(table) => output.line(format!("{} by {head}\n{table}\n", examined.label))?,
            None => output.line(format!("{} by {head}: {}\n", examined.label, why_untold(standings, head)))?,
        }
    }
    let mut unequal = ByText::default();
    for entered in entered {
        let differing = entered.unequal();
        unequal.add((!differing.is_empty()).then(|| Unequal::list(&differing)), &entered.spec.title);
    }
    for (list, titles) in unequal.0 {
        output.line(format!(
            "settings in which others differ from {} on {}:\n{list}",
            examined.label,
            some(&titles)
        ))?;
    }
    let mut absent = ByText::default();
    for standing in standings.iter().filter(|standing| standing.counts.runs == 0) {
        absent.add(Some(why_absent(examined, standing)), &standing.spec.title);
    }
    for (why, titles) in absent.0 {
        output.line(format!("not run on {}: {why}\n", titles.join("; ")))?;
    }
    output.line(sentence(examined, &tally))?;
    drawn.iter().try_for_each(|path| output.line(path.display().to_string()))?;
    Ok(())
}

/// What is the same of several rankings, with their titles.
#[derive(Default)]
struct ByText<'t>(Vec<(String, Vec<&'t str>)>);

impl<'t> ByText<'t> {
    fn add(&mut self, text: Option<String>, title: &'t str) {
        let Some(text) = text else { return };
        match self.0.iter_mut().find(|(known, _)| *known == text) {
            Some((_, titles)) => titles.push(title),
            None => self.0.push((text, vec![title])),
        }
    }
}

/// The first of several titles and how many others there are.
fn some(titles: &[&str]) -> String {
    match titles {
        [first, _, _, _, ..] => format!("{first} and {} other rankings", titles.len() - 1),
        few => few.join("; "),
    }
}

fn unequal_json(unequal: &Unequal) -> Value {
    let values = unequal.values.iter().map(|(value, methods)| json!({ "value": value, "methods": methods }));
    json!({ "setting": unequal.name, "values": values.collect::<Vec<Value>>() })
}

/// Ranks by one kind of work; none where the method has none by it.
fn table(standings: &[Standing<'_>], head: &str) -> Option<String> {
    let mut accuracies: Vec<f64> = Vec::new();
    for &accuracy in standings.iter().flat_map(|standing| &standing.spec.accuracies) {
        if !accuracies.contains(&accuracy) {
            accuracies.push(accuracy);
        }
    }
    let mut table = Builder::default();
    let columns = accuracies.iter().map(|accuracy| format!("{accuracy:e}"));
    table.push_record(["model".to_owned()].into_iter().chain(columns).chain(["failed runs".to_owned()]));
    let mut tells = false;
    for standing in standings.iter().filter(|standing| standing.counts.runs > 0) {
        let Some(work) = standing.spec.work.0.iter().position(|(name, _)| name == head) else { continue };
        let cell = |accuracy: &f64| {
            let level = standing.spec.accuracies.iter().position(|other| other == accuracy);
            level.map_or(String::new(), |level| cell(&standing.ranks[level][work]))
        };
        let ranks = standing.ranks.iter().map(|ranks| &ranks[work]);
        tells |= ranks.clone().any(|rank| matches!(rank, Rank::Reached { .. }));
        let failed = match (standing.counts.failed, standing.counts.unavailable) {
            (failed, 0) => format!("{failed} of {}", standing.counts.runs),
            (_, unavailable) => format!("{unavailable} not available here"),
        };
        let cells = accuracies.iter().map(cell);
        table.push_record([standing.spec.title.clone()].into_iter().chain(cells).chain([failed]));
    }
    tells.then(|| table.build().with(Style::psql()).to_string())
}

/// `3 of 28, 1.42 × dop853 371`; of the best one what it costs.
fn cell(rank: &Rank) -> String {
    match rank {
        Rank::Reached { rank, of, cost, best, .. } => {
            let own = words::cost_of(cost);
            match rank {
                1 => format!("1 of {of}, {own}"),
                _ => format!("{rank} of {of}, {own} = {} × {}", short(cost.value / best.1), best.0),
            }
        }
        Rank::NotReached { by: 0 } => "reached by none".to_owned(),
        Rank::NotReached { by: 1 } => "not reached; 1 other does".to_owned(),
        Rank::NotReached { by } => format!("not reached; {by} others do"),
        Rank::Unresolved => "reference not good enough".to_owned(),
        Rank::Free => "none needed".to_owned(),
        Rank::Unmeasured => "not measured".to_owned(),
        Rank::Absent => String::new(),
    }
}

/// Why there is no table by one kind of work.
fn why_untold(standings: &[Standing<'_>], head: &str) -> &'static str {
    let of_head = |standing: &Standing<'_>| standing.spec.work.0.iter().position(|(name, _)| name == head);
    let has = |wanted: &Rank| {
        standings.iter().any(|standing| {
            of_head(standing).is_some_and(|work| standing.ranks.iter().any(|ranks| ranks[work] == *wanted))
        })
    };
    if has(&Rank::Free) {
        "none needed"
    } else if has(&Rank::Unmeasured) {
        "not measured; times are compared that were taken together, by `mbsbench reproduce comparison`"
    } else {
        "no accuracy is reached"
    }
}

/// Why a method was not run on what a ranking is about.
fn why_absent(examined: &Examined, standing: &Standing<'_>) -> String {
    let mut named = standing.plan.experiment.cases.iter().flat_map(|case| case.account.named());
    if let Some((_, reason, _)) = named.find(|(method, ..)| *method == examined.label) {
        return reason;
    }
    let method = examined.choice.object().method();
    let runs = standing.plan.runs.iter().filter(|run| standing.plan.is_meant(run, &standing.spec.filter));
    let mut refusals = runs.map(|run| {
        let model = run.model.object().model();
        method.applies_to(Formulated::<f64>::ode(&*model).as_mut(), run.settings.events)
    });
    match refusals.find_map(Result::err) {
        Some(unsuitable) => unsuitable.to_string(),
        None if !method.adapts() => "it takes constant steps, and tolerances are asked for".to_owned(),
        None => "the experiment does not ask for methods of its kind".to_owned(),
    }
}

/// The last line: how far it comes, at what cost, and how often it fails.
fn sentence(examined: &Examined, tally: &Tally) -> String {
    let reached = tally.reached.iter().map(|(accuracy, count)| format!("{accuracy:e} on {count}"));
    let reached: Vec<String> = reached.collect();
    let ratios = tally.ratios.iter().filter_map(|(work, ratio)| Some(format!("{} by {work}", short((*ratio)?))));
    let ratios: Vec<String> = ratios.collect();
    let cost = match ratios.is_empty() {
        true => "no cost to be compared".to_owned(),
        false => format!("median cost over the best one's {}", ratios.join(", ")),
    };
    format!(
        "{}: reaches {} of {} models; {cost}; {} of {} runs failed",
        examined.label,
        if reached.is_empty() { "nothing".to_owned() } else { reached.join(", ") },
        tally.models,
        tally.failed,
        tally.runs
    )
}

fn ranking_json(examined: &Examined, standing: &Standing<'_>) -> Value {
    let mut places = Vec::new();
    for (&accuracy, ranks) in standing.spec.accuracies.iter().zip(&standing.ranks) {
        for ((work, _), rank) in standing.spec.work.0.iter().zip(ranks) {
            let mut place = json!({ "accuracy": accuracy, "work": work });
            let result = match rank {
                Rank::Reached { rank, of, cost, best, .. } => {
                    place["rank"] = json!(rank);
                    place["of"] = json!(of);
                    place["cost"] = json!(cost.value);
                    place["is_of_run"] = json!(cost.is_of_run());
                    place["at_least"] = json!(cost.at_least);
                    place["at_most"] = json!(cost.at_most);
                    place["is_unsteady"] = json!(cost.is_unsteady);
                    place["ratio"] = json!(cost.value / best.1);
                    place["best"] = json!({ "method": best.0, "cost": best.1 });
                    "reached"
                }
                Rank::NotReached { by } => {
                    place["by_others"] = json!(by);
                    "not-reached"
                }
                Rank::Unresolved => "unresolved",
                Rank::Free => "free",
                Rank::Unmeasured => "unmeasured",
                Rank::Absent => "absent",
            };
            place["result"] = json!(result);
            places.push(place);
        }
    }
    let counts = standing.counts;
    let mut json = json!({
        "experiment": standing.plan.experiment.id, "model": standing.spec.title, "methods": counts.methods,
        "runs": counts.runs, "failed": counts.failed, "unavailable": counts.unavailable, "places": places,
    });
    if counts.runs == 0 {
        json["not_run"] = json!(why_absent(examined, standing));
    }
    json
}

fn tally_json(tally: &Tally) -> Value {
    let reached: Vec<Value> =
        tally.reached.iter().map(|(accuracy, models)| json!({ "accuracy": accuracy, "models": models })).collect();
    let ratios: Vec<Value> =
        tally.ratios.iter().map(|(work, median)| json!({ "work": work, "median_ratio": median })).collect();
    json!({ "models": tally.models, "reached": reached, "ratios": ratios, "runs": tally.runs, "failed": tally.failed })
}

/// Where results are: of shortened experiments where these are asked for.
pub(super) fn results_for<'l>(library: Library<'l>, given: Option<&PathBuf>, options: &RunOptions) -> Results<'l> {
    match given {
        None if options.quick => Results::only(PathBuf::from(QUICK)),
        _ => library.seen(given),
    }
}
