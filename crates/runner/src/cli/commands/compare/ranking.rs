//! The rank of one method among all others of the comparison.

use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, RankingSpec, Registry};
use mbsbench_judge::claims::{Evidence, EvidenceError};
use mbsbench_judge::comparison::{
    COMPARISON, Contending, Entrant, Rank, Standing, Tally, Unequal, entrants, stand, words,
};
use mbsbench_numbers::short;
use mbsbench_render::{lay_out, svg};
use serde_json::{Value, json};

use super::Compare;
use crate::artefacts::work_precision;
use crate::cli::{
    CommandError, Contenders, Examined, Format, Library, Session, contended, ensure_sealed, evidence_of, grouped,
    table, write,
};
use crate::lists::{unique, unique_by};

/// Returns the plans of the requested experiments with rankings; without names, of the comparison.
pub(super) fn ranked(compare: &Compare, library: &Library<'_>) -> Result<Vec<Plan>, CommandError> {
    let comparison = vec![COMPARISON.to_owned()];
    let wanted = if compare.wanted.is_empty() { &comparison } else { &compare.wanted };
    let mut plans = library.named(wanted, compare.options.quick)?;
    plans.retain(|plan| !plan.experiment.rankings.is_empty());
    if plans.is_empty() {
        return Err(CommandError::unknown("experiment with rankings", &wanted.join(" "), comparison));
    }
    Ok(plans)
}

pub(super) fn rank(compare: &Compare, examined: &Examined, session: &mut Session<'_>) -> Result<(), CommandError> {
    let library = session.library;
    let mut plans = ranked(compare, library)?;
    let seen = compare.seen();
    let results = library.seen(&seen);
    ensure_sealed(&results, &plans, &mut session.output)?;
    if !examined.is_from_file && !examined.choice.is_late() {
        match evidence_of(&results, &plans, |_| true) {
            Ok(evidence) => {
                let contenders = Contenders::of(&plans, &compare.options, session)?;
                let contending = contenders.contending();
                return tell(compare, examined, &entered(examined, &plans, &evidence, &contending, None), session);
            }
            // The method may be one from elsewhere, which is run as part of `every` and has no stored results.
            Err(CommandError::Evidence(EvidenceError::Outdated { .. })) => {}
            Err(other) => return Err(other),
        }
        plans.iter_mut().for_each(|plan| plan.runs.retain(|run| run.method.name() != compare.name));
    }
    let evidence = evidence_of(&results, &plans, |_| true)?;
    let contenders = Contenders::of(&plans, &compare.options, session)?;
    let contending = contenders.contending();
    let own_plans = contended(library.registry, &plans, &examined.contender)?;
    let outcomes = session.made(&own_plans, &compare.options)?;
    let own = Contending::new(vec![examined.label.clone()], &own_plans, Evidence::of(&own_plans, &outcomes));
    tell(compare, examined, &entered(examined, &plans, &evidence, &contending, Some(&own)), session)
}

/// A ranking with the runs of the method and of all others.
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

/// Collects the runs of each ranking: those stored under the name of the method, or those made for it.
fn entered<'s>(
    examined: &Examined,
    plans: &'s [Plan],
    evidence: &'s Evidence<'s>,
    contending: &'s Contending<'s>,
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

/// Draws error over work for each ranking in which the method has runs, and returns the files.
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
        write(&path, svg::write(&lay_out(&figure)))?;
        paths.push(path);
    }
    Ok(paths)
}

fn tell(
    compare: &Compare,
    examined: &Examined,
    entered: &[Entered<'_>],
    Session { library, output }: &mut Session<'_>,
) -> Result<(), CommandError> {
    let standings: &[Standing<'_>] = &entered.iter().map(Entered::standing).collect::<Vec<_>>();
    let tally = Tally::of(standings);
    let drawn = match &compare.figures {
        Some(folder) => draw(library.registry, examined, entered, folder)?,
        None => Vec::new(),
    };
    if compare.format == Format::Json {
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
    for (head, _) in
        unique_by(standings.iter().flat_map(|standing| &standing.spec.work.0), |one, other| one.0 == other.0)
    {
        match ranks_by(standings, head) {
            Some(table) => output.line(format!("{} by {head}\n{table}\n", examined.label))?,
            None => output.line(format!("{} by {head}: {}\n", examined.label, why_untold(standings, head)))?,
        }
    }
    let unequal = entered.iter().map(|entered| (entered.unequal(), entered.spec.title.as_str()));
    let unequal = unequal.filter(|(differing, _)| !differing.is_empty());
    for (list, titles) in grouped(unequal.map(|(differing, title)| (Unequal::list(&differing), title))) {
        let (label, some) = (&examined.label, some(&titles));
        output.line(format!("settings of other methods that differ from those of {label} on {some}:\n{list}"))?;
    }
    let absent = standings.iter().filter(|standing| standing.counts.runs == 0);
    let absent = absent.map(|standing| (why_absent(examined, standing), standing.spec.title.as_str()));
    for (why, titles) in grouped(absent) {
        output.line(format!("not run on {}: {why}\n", titles.join("; ")))?;
    }
    output.line(sentence(examined, &tally))?;
    drawn.iter().try_for_each(|path| output.line(path.display().to_string()))?;
    Ok(())
}

/// Returns the first of several titles and how many follow.
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

/// Formats the ranks by one kind of work; `None` if there are no ranks.
fn ranks_by(standings: &[Standing<'_>], head: &str) -> Option<String> {
    let accuracies = unique(standings.iter().flat_map(|standing| standing.spec.accuracies.iter().copied()));
    let columns = accuracies.iter().map(|accuracy| format!("{accuracy:e}"));
    let mut lines = vec![["model".to_owned()].into_iter().chain(columns).chain(["failed runs".to_owned()]).collect()];
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
        lines.push([standing.spec.title.clone()].into_iter().chain(cells).chain([failed]).collect::<Vec<_>>());
    }
    tells.then(|| table(lines).to_string())
}

/// Formats a rank: `3 of 28, 1.42 × dop853 371`. For the best method, its own cost is shown.
fn cell(rank: &Rank) -> String {
    match rank {
        Rank::Reached { rank, of, cost, best, .. } => {
            let own = words::cost_of(cost);
            match rank {
                1 => format!("1 of {of}, {own}"),
                _ => format!("{rank} of {of}, {own} = {} × {}", short(cost.value / best.1), best.0),
            }
        }
        Rank::NotReached { by: 0 } => "not reached by any method".to_owned(),
        Rank::NotReached { by: 1 } => "not reached; 1 other method reaches it".to_owned(),
        Rank::NotReached { by } => format!("not reached; {by} other methods reach it"),
        Rank::Unresolved => "reference not accurate enough".to_owned(),
        Rank::Free => "none needed".to_owned(),
        Rank::Unmeasured => "not measured".to_owned(),
        Rank::Absent => String::new(),
    }
}

/// The reason why there is no table by one kind of work.
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
        "not measured; only times measured together are compared: run `mbsbench reproduce comparison`"
    } else {
        "the method reaches no accuracy"
    }
}

/// The reason why a method was not run on the problems of a ranking.
fn why_absent(examined: &Examined, standing: &Standing<'_>) -> String {
    let mut named = standing.plan.experiment.cases.iter().flat_map(|case| case.account.named());
    if let Some((_, reason, _)) = named.find(|(method, ..)| *method == examined.label) {
        return reason;
    }
    let mut runs = standing.plan.runs.iter().filter(|run| standing.plan.is_meant(run, &standing.spec.filter));
    runs.find_map(|run| examined.refusal(run)).unwrap_or_else(|| {
        match examined.choice.object().method().properties().adapts {
            true => "the experiment excludes methods of this kind",
            false => "the method takes constant steps only, and the experiment prescribes tolerances",
        }
        .to_owned()
    })
}

/// The last line: how often it reaches the accuracies, at what cost, and how often it fails.
fn sentence(examined: &Examined, tally: &Tally) -> String {
    let reached = tally.reached.iter().map(|(accuracy, count)| format!("{accuracy:e} on {count}"));
    let reached: Vec<String> = reached.collect();
    let ratios = tally.ratios.iter().filter_map(|(work, ratio)| Some(format!("{} by {work}", short((*ratio)?))));
    let ratios: Vec<String> = ratios.collect();
    let cost = match ratios.is_empty() {
        true => "no comparable costs".to_owned(),
        false => format!("median cost relative to the best method {}", ratios.join(", ")),
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
