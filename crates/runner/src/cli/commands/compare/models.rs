//! Ranking of all methods on one model, from the stored comparison.

use mbsbench_judge::comparison::{rank, words};
use mbsbench_numbers::short;
use serde_json::{Value, json};

use super::Compare;
use super::ranking::ranked;
use crate::cli::{CommandError, Format, Result, Session, ensure_sealed, evidence_of, table};

/// Prints the methods that reach each accuracy on a model, the cheapest first, for each ranking on that model.
pub(super) fn rank_methods(compare: &Compare, session: &mut Session<'_>) -> Result<()> {
    let Session { library, output } = session;
    let mut plans = ranked(compare, library)?;
    plans.retain(|plan| plan.runs.iter().any(|run| run.model.name() == compare.name));
    if plans.is_empty() {
        return Err(CommandError::refused(
            &format!("no experiment of the comparison uses the model `{}`", compare.name),
            "add `rankings:` to an experiment with `method: { every: {} }` to rank all methods on a model; see \
             examples/mechanisms/experiments/crane-and-methods.yaml",
        ));
    }
    let seen = compare.seen();
    let results = library.seen(&seen);
    ensure_sealed(&results, &plans, output)?;
    let evidence = evidence_of(&results, &plans, |_| true)?;
    let mut rankings: Vec<Value> = Vec::new();
    for plan in &plans {
        for ranked in rank(plan, &evidence, &[]) {
            let spec = ranked.spec;
            if !plan.meant(&spec.filter).any(|(_, run)| run.model.name() == compare.name) {
                continue;
            }
            for (index, (work, _)) in spec.work.0.iter().enumerate() {
                let mut lines = vec![["accuracy", "rank", "method", "cost", "× the best"].map(str::to_owned)];
                for (&accuracy, places) in spec.accuracies.iter().zip(&ranked.places) {
                    let places = &places[index];
                    let least = places.first().map_or(f64::NAN, |place| place.cost.value);
                    for (number, place) in (1..).zip(places) {
                        let (cost, ratio) = (&place.cost, place.cost.value / least);
                        let (rank_text, method) = (number.to_string(), place.method.to_owned());
                        lines.push([format!("{accuracy:e}"), rank_text, method, words::cost_of(cost), short(ratio)]);
                        rankings.push(json!({
                            "experiment": plan.experiment.id, "model": spec.title, "work": work, "accuracy": accuracy,
                            "rank": number, "method": place.method, "cost": cost.value, "ratio": ratio,
                        }));
                    }
                }
                if compare.format == Format::Text && lines.len() > 1 {
                    output.println(format!("{} by {work}\n{}\n", spec.title, table(lines)))?;
                }
            }
        }
    }
    if compare.format == Format::Json {
        output.println(format!("{:#}", Value::Array(rankings)))?;
    }
    Ok(())
}
