//! The rank of one method among all others of the comparison.

use std::path::{Path, PathBuf};

use mbsbench_experiment::{Plan, Registry};
use mbsbench_judge::claims::{Evidence, EvidenceError};
use mbsbench_judge::comparison::{self, COMPARISON, Contending, MethodRanks, Rank, Ranked, Tally, Unequal};
use mbsbench_render::{lay_out, svg};
use serde_json::{Value, json};

use super::Compare;
use crate::artefacts::work_precision;
use crate::cli::{
    CommandError, Contenders, Examined, Format, Library, Result, Session, contended, ensure_sealed, evidence_of,
    is_file, load, several, table, write,
};
use crate::ranks::Ranks;
use mbsbench_experiment::lists::grouped;

/// Returns the plans of the requested experiments and files, or of the comparison, that have rankings and one of the
/// requested models.
pub(super) fn ranked(compare: &Compare, library: &Library<'_>) -> Result<Vec<Plan>> {
    let (quick, models) = (compare.options.quick, library.registry.models());
    let is_model = |name: &&String| models.iter().any(|model| model.name == name.as_str());
    let (models, names): (Vec<&String>, Vec<&String>) = compare.wanted.iter().partition(is_model);
    let (files, mut names): (Vec<String>, Vec<String>) =
        names.into_iter().cloned().partition(|name| is_file(name.as_ref()));
    if files.is_empty() && names.is_empty() {
        names.push(COMPARISON.to_owned());
    }
    let mut plans = if names.is_empty() { Vec::new() } else { library.named(&names, quick)? };
    plans.extend(load(library.registry, &files.into_iter().map(PathBuf::from).collect::<Vec<_>>(), quick)?);
    let has_model = |plan: &Plan| plan.runs.iter().any(|run| models.iter().any(|name| *name == run.model.name()));
    plans.retain(|plan| !plan.experiment.rankings.is_empty() && (models.is_empty() || has_model(plan)));
    if plans.is_empty() {
        let comparison = [COMPARISON.to_owned()];
        return Err(CommandError::unknown("experiment with rankings", &compare.wanted.join(" "), comparison));
    }
    Ok(plans)
}

pub(super) fn rank(compare: &Compare, examined: &Examined, session: &mut Session<'_>) -> Result<()> {
    let library = session.library;
    let mut plans = ranked(compare, library)?;
    let seen = compare.seen();
    let results = library.seen(&seen);
    ensure_sealed(&results, &plans, &mut session.output)?;
    if !examined.is_from_file && !examined.choice.entry.is_late() {
        match evidence_of(&results, &plans, |_| true) {
            Ok(evidence) => {
                let contenders = Contenders::of(&plans, &compare.options, session)?;
                return print(compare, examined, &rankings(&plans, &evidence, &[&contenders.contending()]), session);
            }
            // The method may be one from elsewhere, which is run as part of `every` and has no stored results.
            Err(CommandError::Evidence(EvidenceError::Outdated { .. })) => {}
            Err(other) => return Err(other),
        }
        plans.iter_mut().for_each(|plan| plan.runs.retain(|run| run.method.name() != compare.name));
    }
    let evidence = evidence_of(&results, &plans, |_| true)?;
    let contenders = Contenders::of(&plans, &compare.options, session)?;
    let own_plans = contended(library.registry, &plans, &examined.contender)?;
    let outcomes = session.made(&own_plans, &compare.options)?;
    let own = Contending::new(vec![examined.label.clone()], &own_plans, Evidence::of(&own_plans, &outcomes));
    print(compare, examined, &rankings(&plans, &evidence, &[&contenders.contending(), &own]), session)
}

fn rankings<'s>(plans: &'s [Plan], evidence: &'s Evidence<'_>, contending: &[&'s Contending<'_>]) -> Vec<Ranked<'s>> {
    plans.iter().flat_map(|plan| comparison::rank(plan, evidence, contending)).collect()
}

/// Draws error over work for each ranking in which the method has runs, and returns the files.
fn draw(registry: &Registry, examined: &Examined, rankings: &[Ranked<'_>], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for (number, ranked) in rankings.iter().enumerate() {
        let id = format!("{}-{}", ranked.plan.experiment.id.replace('/', "-"), number + 1);
        let Some(figure) = work_precision(&id, &examined.label, ranked, registry) else { continue };
        let path = folder.join(format!("{id}.svg"));
        write(&path, svg::write(&lay_out(&figure)))?;
        paths.push(path);
    }
    Ok(paths)
}

fn print(
    compare: &Compare,
    examined: &Examined,
    rankings: &[Ranked<'_>],
    Session { library, output }: &mut Session<'_>,
) -> Result<()> {
    let Examined { label, choice, .. } = examined;
    let standings = rankings.iter().map(|ranked| ranked.standing(label)).collect();
    let ranks = Ranks { label, choice, standings };
    let draw = |folder: &PathBuf| draw(library.registry, examined, rankings, folder);
    let drawn = compare.figures.as_ref().map_or(Ok(Vec::new()), draw)?;
    let unequal: Vec<Vec<Unequal>> = rankings.iter().map(|ranked| unequal(ranked, label)).collect();
    if compare.format == Format::Json {
        let ranking = |(standing, unequal): (&MethodRanks<'_>, &Vec<Unequal>)| {
            let mut json = ranking_json(&ranks, standing);
            json["unequal"] = unequal.iter().map(unequal_json).collect();
            json
        };
        let rankings: Vec<Value> = ranks.standings.iter().zip(&unequal).map(ranking).collect();
        let tally = Tally::of(&ranks.standings);
        let json = json!({ "method": label, "rankings": rankings, "summary": tally_json(&tally) });
        output.println(format!("{json:#}"))?;
        return Ok(());
    }
    for (work, lines) in ranks.tables() {
        match lines {
            Ok(lines) => output.println(format!("{label} by {work}\n{}\n", table(lines)))?,
            Err(reason) => output.println(format!("{label} by {work}: {reason}\n"))?,
        }
    }
    let unequal = unequal.iter().zip(rankings).filter(|(differing, _)| !differing.is_empty());
    let unequal = unequal.map(|(differing, ranked)| (Unequal::list(differing), ranked.spec.title.as_str()));
    for (list, titles) in grouped(unequal) {
        let titles = several(&titles, "rankings");
        output.println(format!("settings of other methods that differ from those of {label} on {titles}:\n{list}"))?;
    }
    for (why, titles) in ranks.absent() {
        output.println(format!("not run on {}: {why}\n", titles.join("; ")))?;
    }
    output.println(ranks.summary())?;
    drawn.iter().try_for_each(|path| output.println(path.display().to_string()))?;
    Ok(())
}

/// Settings of the method in which others differ from it.
fn unequal(ranked: &Ranked<'_>, label: &str) -> Vec<Unequal> {
    let Some(own) = ranked.of_method(label).0.first().map(|curve| curve.method) else { return Vec::new() };
    ranked.unequal.iter().filter(|unequal| unequal.is_of(own)).cloned().collect()
}

fn unequal_json(unequal: &Unequal) -> Value {
    let values = unequal.values.iter().map(|(value, methods)| json!({ "value": value, "methods": methods }));
    json!({ "setting": unequal.name, "values": values.collect::<Vec<Value>>() })
}

fn ranking_json(ranks: &Ranks<'_>, standing: &MethodRanks<'_>) -> Value {
    let mut places = Vec::new();
    for (&accuracy, ranks) in standing.spec.accuracies.iter().zip(&standing.ranks) {
        for ((work, _), rank) in standing.spec.work.0.iter().zip(ranks) {
            let plain = |result: &str| json!({ "accuracy": accuracy, "work": work, "result": result });
            places.push(match rank {
                Rank::Reached { rank, of, cost, best, .. } => json!({
                    "accuracy": accuracy, "work": work, "rank": rank, "of": of, "cost": cost.value,
                    "is_of_run": cost.is_of_run(), "at_least": cost.at_least, "at_most": cost.at_most,
                    "is_unsteady": cost.is_unsteady, "ratio": cost.value / best.1,
                    "best": { "method": best.0, "cost": best.1 }, "result": "reached",
                }),
                Rank::NotReached { by } => {
                    json!({ "accuracy": accuracy, "work": work, "by_others": by, "result": "not-reached" })
                }
                Rank::Unresolved => plain("unresolved"),
                Rank::Free => plain("free"),
                Rank::Unmeasured => plain("unmeasured"),
                Rank::Absent => plain("absent"),
            });
        }
    }
    let counts = standing.counts;
    let mut json = json!({
        "experiment": standing.plan.experiment.id, "model": standing.spec.title, "methods": counts.methods,
        "runs": counts.runs, "failed": counts.failed, "unavailable": counts.unavailable, "places": places,
    });
    if counts.runs == 0 {
        json["not_run"] = json!(ranks.why_absent(standing));
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
