//! `mbsbench verify` and `mbsbench explain`.

use std::path::Path;

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style, Width};

use super::files::{EXPERIMENTS, anchors, experiment_files, ledger, papers};
use super::{CommandError, Exit, load};
use crate::claims::record::{counts, judge_all, short, to_json};
use crate::claims::spec::Operand;
use crate::claims::{Evidence, Judged, Kind, Ledger, Verdict};
use crate::experiment::spec::AxisValue;
use crate::output::Output;
use crate::plan::Plan;
use crate::registry::Registry;
use crate::store::write_atomically;

/// Judges all claims of a paper, of all papers where none is named, and writes `claims.json`.
pub(super) fn verify(
    registry: &Registry,
    paper: Option<&str>,
    brief: bool,
    results: &Path,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let plans = load(registry, &experiment_files(Path::new(EXPERIMENTS))?, false)?;
    let known = papers(&plans);
    if let Some(paper) = paper.filter(|paper| !known.iter().any(|known| known == paper)) {
        return Err(CommandError::UnknownName { kind: "paper", found: paper.to_owned(), known });
    }
    let mut exit = Exit::Done;
    for name in known.iter().filter(|name| paper.is_none_or(|paper| paper == *name)) {
        exit = exit.worst(verify_paper(name, &plans, brief, results, output)?);
    }
    Ok(exit)
}

/// Judges the claims of a paper on the results in a folder, writes `claims.json` and prints the table.
pub(super) fn verify_paper(
    paper: &str,
    plans: &[Plan],
    brief: bool,
    results: &Path,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let Some(ledger) = ledger(paper, plans)? else { return Ok(Exit::Done) };
    let judged = judged(&ledger, plans, results)?;
    let path = results.join(paper).join("claims.json");
    write_atomically(&path, to_json(&judged).as_bytes())
        .map_err(|error| CommandError::Store { path: path.clone(), error })?;
    let anchored = verify_anchors(paper, plans, results, output)?;
    Ok(print(paper, &judged, brief, output)?.worst(anchored))
}

/// Judges the values that guard against regressions, which no report counts as claims, and names those that do not hold.
fn verify_anchors(paper: &str, plans: &[Plan], results: &Path, output: &mut Output<'_>) -> Result<Exit, CommandError> {
    let Some(ledger) = anchors(paper, plans)? else { return Ok(Exit::Done) };
    let judged = judged(&ledger, plans, results)?;
    let loose: Vec<&Judged> = judged.iter().filter(|each| each.judgement.verdict != Verdict::Reproduced).collect();
    for each in &loose {
        let failing: Vec<String> = each
            .judgement
            .details
            .iter()
            .filter(|detail| !detail.holds)
            .map(|detail| format!("{} is {:?}, expected {}", detail.name, detail.measured, detail.published))
            .collect();
        let why = if failing.is_empty() { each.judgement.note.clone() } else { failing.join("; ") };
        output.line(format!("{paper}: the anchor {} does not hold: {why}", each.claim.id))?;
    }
    output.line(format!("{paper}: {} of {} anchors hold", judged.len() - loose.len(), judged.len()))?;
    Ok(if loose.is_empty() { Exit::Done } else { Exit::Differs })
}

/// All claims of a ledger, judged on the results in a folder.
pub(super) fn judged(ledger: &Ledger, plans: &[Plan], results: &Path) -> Result<Vec<Judged>, CommandError> {
    let named = |plan: &Plan| {
        let mut experiments = ledger.claims.iter().flat_map(|claim| claim.kind.experiments());
        experiments.any(|name| plan.experiment.is_called(name, &ledger.paper))
    };
    Ok(judge_all(ledger, &Evidence::read(results, plans, named)?))
}

/// Prints judged claims as a table, the verdicts counted, and what surprises.
pub(super) fn print(
    paper: &str,
    judged: &[Judged],
    brief: bool,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let mut table = Builder::default();
    table.push_record(["claim", "published", "measured", "margin", "verdict"]);
    let shown = |each: &&Judged| !brief || each.judgement.verdict != Verdict::Reproduced || each.is_surprise();
    for each in judged.iter().filter(shown) {
        let margin = each.judgement.margin.filter(|margin| margin.is_finite());
        let verdict = match each.is_surprise() {
            true => format!("{}, expected {}", each.judgement.verdict, each.claim.expected),
            false => each.judgement.verdict.to_string(),
        };
        let mark = if each.claim.calibrated { " (calibrated)" } else { "" };
        table.push_record([
            each.claim.id.clone(),
            each.published(),
            each.measured(),
            margin.map_or_else(String::new, margin_text),
            format!("{verdict}{mark}"),
        ]);
    }
    let mut table = table.build();
    table.with(Style::psql()).with(Modify::new(Columns::new(1..4)).with(Alignment::right()));
    table.with(Modify::new(Columns::first()).with(Width::wrap(60)));
    output.line(table.to_string())?;
    let parts: Vec<String> = counts(judged)
        .into_iter()
        .filter(|&(_, count, _)| count > 0)
        .map(|(verdict, count, calibrated)| match calibrated {
            0 => format!("{count} {verdict}"),
            _ => format!("{count} {verdict} ({calibrated} of them calibrated)"),
        })
        .collect();
    output.line(format!("{paper}: {} claims: {}", judged.len(), parts.join(", ")))?;
    let surprises: Vec<&str> =
        judged.iter().filter(|each| each.is_surprise()).map(|each| each.claim.id.as_str()).collect();
    if surprises.is_empty() {
        return Ok(Exit::Done);
    }
    output.line(format!("not as expected: {}", surprises.join(", ")))?;
    Ok(Exit::Differs)
}

/// A margin in two decimals, or as a power where it is far beyond.
fn margin_text(margin: f64) -> String {
    if margin.abs() < 100.0 { format!("{margin:.2}") } else { format!("{margin:.0e}") }
}

/// Shows everything about a claim: its statement, its numbers, its margin and how to redo it.
pub(super) fn explain(
    registry: &Registry,
    name: &str,
    results: &Path,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let plans = load(registry, &experiment_files(Path::new(EXPERIMENTS))?, false)?;
    let mut known = Vec::new();
    for paper in papers(&plans) {
        let Some(mut ledger) = ledger(&paper, &plans)? else { continue };
        known.extend(ledger.claims.iter().map(|claim| claim.id.clone()));
        let own = name.strip_prefix(&format!("{paper}/")).unwrap_or(name);
        let Some(claim) = ledger.claims.iter().find(|claim| claim.id == own).cloned() else { continue };
        ledger.claims = vec![claim];
        let evidence = Evidence::read(results, &plans, |plan| {
            ledger.claims[0].kind.experiments().into_iter().any(|name| plan.experiment.is_called(name, &paper))
        })?;
        let [judged] = judge_all(&ledger, &evidence).try_into().expect("one claim is judged");
        for line in explained(&paper, &judged, &evidence) {
            output.line(line)?;
        }
        return Ok(());
    }
    Err(CommandError::UnknownName { kind: "claim", found: name.to_owned(), known })
}

fn explained(paper: &str, judged: &Judged, evidence: &Evidence<'_>) -> Vec<String> {
    let Judged { claim, judgement } = judged;
    let mut lines = vec![format!("{paper}/{}", claim.id)];
    let mut add = |name: &str, text: &str| {
        if !text.is_empty() {
            lines.push(format!("{name:<11}{text}"));
        }
    };
    add("place", &claim.place);
    add("statement", &claim.statement);
    add("kind", claim.kind.name());
    for operand in claim.kind.operands() {
        add("operand", &operand_text(operand));
        let numbers = evidence.select(paper, operand).numbers;
        const MOST: usize = 12;
        let mut texts: Vec<String> = numbers.iter().take(MOST).map(|number| format!("{:e}", number.value)).collect();
        if numbers.len() > MOST {
            texts.push(format!("… ({} numbers)", numbers.len()));
        }
        add("  numbers", &texts.join(", "));
        if let Some(number) = numbers.iter().find(|number| number.uncertainty > 0.0) {
            add("  bound", &format!("{:.1e} on the error of the reference", number.uncertainty));
        }
    }
    if let Kind::Failure(failure) = &claim.kind {
        let wanted = match (&failure.status, failure.completes) {
            (_, true) => "no run fails".to_owned(),
            (Some(status), _) => format!("every run has the status `{status}`"),
            (None, _) => "every run fails".to_owned(),
        };
        add("runs", &format!("{} {}: {wanted}", failure.experiment, filter_text(&failure.filter)));
    }
    if let Kind::Identity(identity) = &claim.kind {
        let terms: Vec<String> = identity.terms.iter().map(|(name, factor)| format!("{factor} {name}")).collect();
        let filter = filter_text(&identity.filter);
        add("runs", format!("{} {filter}", identity.experiment).trim_end());
        add("identity", &format!("{} = {} + {}", identity.column, terms.join(" + "), identity.plus));
    }
    add("published", claim.kind.published().unwrap_or_default());
    let tolerance = claim.kind.test().map(ToString::to_string).unwrap_or_default();
    add("tolerance", [tolerance.as_str(), claim.why.as_str()].map(str::trim).join(": ").trim_matches([':', ' ']));
    add("measured", &judgement.measured.map(|number| format!("{number:e}")).unwrap_or_default());
    for detail in &judgement.details {
        let measured = detail.measured.map_or_else(|| "nothing".to_owned(), short);
        let holds = if detail.holds { "holds" } else { "does not hold" };
        add("  landmark", &format!("{}: {measured}, {} {holds}", detail.name, detail.published));
    }
    add("margin", &judgement.margin.map(margin_text).unwrap_or_default());
    let expected = match judgement.verdict == claim.expected {
        true => "as expected".to_owned(),
        false => format!("expected {}", claim.expected),
    };
    add("verdict", &format!("{}, {expected}", judgement.verdict));
    add("calibrated", if claim.calibrated { "yes: parameters were tuned to reach this number" } else { "" });
    add("note", &judgement.note);
    add("because", &claim.because);
    add("evidence", &judgement.evidence.join(" "));
    if judgement.verdict != Verdict::Untestable || !judgement.evidence.is_empty() {
        let mut ids: Vec<String> = claim
            .kind
            .experiments()
            .into_iter()
            .map(|name| if name.contains('/') { name.to_owned() } else { format!("{paper}/{name}") })
            .collect();
        ids.sort();
        ids.dedup();
        add("redo", &format!("mbsbench reproduce {}", ids.join(" ")));
    }
    lines
}

fn operand_text(operand: &Operand) -> String {
    let columns: Vec<&str> = operand.columns().collect();
    let times = operand.times.as_ref().map_or_else(String::new, |times| format!(" times {times}"));
    let text = format!("{}{times} of {} {}", columns.join(", "), operand.experiment, filter_text(&operand.filter));
    text.trim_end().to_owned()
}

fn filter_text(filter: &std::collections::BTreeMap<String, AxisValue>) -> String {
    let texts: Vec<String> = filter.iter().map(|(axis, value)| format!("{axis} = {value}")).collect();
    if texts.is_empty() { String::new() } else { format!("where {}", texts.join(", ")) }
}
