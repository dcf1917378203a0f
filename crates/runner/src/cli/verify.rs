//! `mbsbench verify`: verdicts on all statements.

use std::path::Path;

use mbsbench_experiment::plan::Plan;
use mbsbench_input::write_atomically;
use mbsbench_judge::claims::record::{Scores, judge_all, to_json};
use mbsbench_judge::claims::{Evidence, Grounds, Judged, JudgedCheck, Ledger, Verdict};
use mbsbench_judge::robustness::studies;
use mbsbench_problem::Status;
use rayon::prelude::*;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Modify, Style, Width};

use super::check::{Strict, heed};
use super::files::Library;
pub use super::recompute::Recompute;
use super::report::Judgements;
use super::sealed::ensure_sealed;
use super::{CommandError, Exit};
use crate::output::Output;

/// What is printed of the verdicts.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Shown {
    /// Leave out statements that are reproduced.
    #[arg(long)]
    pub brief: bool,
    /// Show the checks of each statement as well.
    #[arg(long)]
    pub checks: bool,
}

/// Judges all statements of a paper, of all papers where none is named, and writes `claims.json`.
pub(super) fn verify(
    library: Library<'_>,
    paper: Option<&str>,
    (shown, strict): (Shown, Strict),
    recompute: &Recompute,
    results: &Path,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let (wanted, plans) = match paper {
        Some(paper) => (vec![paper.to_owned()], library.plans_of(paper)?),
        None => (library.papers_alone()?, library.named(&[], false)?),
    };
    heed(&plans, strict, output)?;
    let ledgers = library.ledgers(&wanted, &plans)?;
    let (_, exit) = verify_papers(library, &ledgers, &plans, shown, results, output)?;
    Ok(exit.worst(recompute.make(library, plans, results, output)?))
}

/// Judges the statements of ledgers on the results in a folder, writes `claims.json` of each and prints its table.
pub(super) fn verify_papers(
    library: Library<'_>,
    ledgers: &[Ledger],
    plans: &[Plan],
    shown: Shown,
    results: &Path,
    output: &mut Output<'_>,
) -> Result<(Judgements, Exit), CommandError> {
    ensure_sealed(
        library,
        results,
        plans.iter().filter(|plan| ledgers.iter().any(|ledger| rests_on(ledger, plan))),
        output,
    )?;
    let judge = |ledger: &Ledger| {
        let evidence = evidence(ledger, plans, results)?;
        let judged = judged_on(&evidence, ledger, plans, results)?;
        keep_judged(ledger, &judged, results)?;
        Ok((evidence, judged))
    };
    let judged: Vec<_> = ledgers.par_iter().map(judge).collect::<Result<_, CommandError>>()?;
    let (mut judgements, mut exit) = (Judgements::new(), Exit::Done);
    for (Ledger { paper, .. }, (evidence, judged)) in ledgers.iter().zip(judged) {
        exit = exit.worst(verify_anchors(library, paper, plans, results, output)?);
        exit = exit.worst(print(paper, &judged, shown, output)?).worst(tell_lost(&evidence, output)?);
        exit = exit.worst(tell_stale(library, paper, &judged, output)?);
        judgements.insert(paper.clone(), judged);
    }
    Ok((judgements, exit))
}

/// Writes `claims.json`.
pub(super) fn keep_judged(ledger: &Ledger, judged: &[Judged], results: &Path) -> Result<(), CommandError> {
    let path = results.join(&ledger.paper).join("claims.json");
    write_atomically(&path, to_json(judged).as_bytes()).map_err(|error| CommandError::Store { path, error })
}

/// Names the numbers in the texts of `paper.yaml` that the results do not bear out.
fn tell_stale(
    library: Library<'_>,
    paper: &str,
    judged: &[Judged],
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let stale = library.publication(paper)?.stale(judged);
    for line in &stale {
        output.line(format!("{paper}/paper.yaml: {line}"))?;
    }
    Ok(if stale.is_empty() { Exit::Done } else { Exit::Differs })
}

/// Names the runs that program or machine ended.
fn tell_lost(evidence: &Evidence<'_>, output: &mut Output<'_>) -> Result<Exit, CommandError> {
    let mut exit = Exit::Done;
    for (plan, run, status) in evidence.lost() {
        let (id, key) = (&plan.experiment.id, run.key());
        output.line(match status {
            Status::Memory => {
                format!("{id}: there was too little memory for the run {key}; what rests on it is not judged")
            }
            _ => format!("{id}: the program panicked in the run {key}; what rests on it is not judged"),
        })?;
        exit = Exit::System;
    }
    Ok(exit)
}

/// Judges the values that guard against regressions, which no report counts, and names those that do not hold.
fn verify_anchors(
    library: Library<'_>,
    paper: &str,
    plans: &[Plan],
    results: &Path,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let Some(ledger) = library.anchors(paper, plans)? else { return Ok(Exit::Done) };
    let evidence = evidence(&ledger, plans, results)?;
    let judged: Vec<_> =
        ledger.checks().map(|check| (check, mbsbench_judge::claims::judge(paper, check, &evidence))).collect();
    let loose: Vec<_> = judged.iter().filter(|(_, judgement)| judgement.verdict != Verdict::Reproduced).collect();
    let lost = tell_lost(&evidence, output)?;
    for (check, judgement) in &loose {
        let failing: Vec<String> = judgement
            .details
            .iter()
            .filter(|detail| !detail.holds)
            .map(|detail| format!("{} is {:?}, expected {}", detail.name, detail.measured, detail.published))
            .collect();
        let number = judgement.measured.map_or_else(String::new, |number| format!("{number:e} was measured"));
        let why = [failing.join("; "), number, judgement.note.clone()];
        let why = why.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
        output.line(format!("{paper}: the anchor {} does not hold: {why}", check.id))?;
    }
    output.line(format!("{paper}: {} of {} anchors hold", judged.len() - loose.len(), judged.len()))?;
    Ok(if loose.is_empty() { Exit::Done } else { Exit::Differs }.worst(lost))
}

/// Whether a ledger speaks of an experiment.
fn is_named(ledger: &Ledger, plan: &Plan) -> bool {
    let mut experiments = ledger.checks().flat_map(|check| check.kind.experiments());
    experiments.any(|name| plan.experiment.is_called(name, &ledger.paper))
}

/// Whether what is judged of a ledger can rest on the results of an experiment: its checks name it, or it is of the
/// ledger's paper, as anchors and studies are.
pub(super) fn rests_on(ledger: &Ledger, plan: &Plan) -> bool {
    plan.experiment.paper == ledger.paper || is_named(ledger, plan)
}

/// All statements of a ledger, judged on the results and studies in a folder.
pub(super) fn judged(ledger: &Ledger, plans: &[Plan], results: &Path) -> Result<Vec<Judged>, CommandError> {
    judged_on(&evidence(ledger, plans, results)?, ledger, plans, results)
}

/// The same, where the evidence has been read.
pub(super) fn judged_on(
    evidence: &Evidence<'_>,
    ledger: &Ledger,
    plans: &[Plan],
    results: &Path,
) -> Result<Vec<Judged>, CommandError> {
    Ok(judge_all(ledger, evidence, &Grounds::new(plans), &studies(ledger, plans, results)?))
}

/// What was measured in the experiments that a ledger names.
pub(super) fn evidence<'p>(ledger: &Ledger, plans: &'p [Plan], results: &Path) -> Result<Evidence<'p>, CommandError> {
    Ok(Evidence::read(results, plans, |plan| is_named(ledger, plan))?)
}

/// Prints judged statements as a table, the verdicts counted, and what surprises.
pub(super) fn print(
    paper: &str,
    judged: &[Judged],
    shown: Shown,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    for (is_finding, head) in [(false, "statement"), (true, "finding of ours")] {
        let rows = judged.iter().filter(|each| each.is_finding == is_finding);
        let rows: Vec<&Judged> =
            rows.filter(|each| !shown.brief || each.verdict != Verdict::Reproduced || each.is_surprise()).collect();
        if rows.is_empty() {
            continue;
        }
        let mut table = Builder::default();
        table.push_record([head, "place", "rests on", "checks", "verdict"]);
        for each in rows {
            push(&mut table, each, shown);
        }
        let mut table = table.build();
        table.with(Style::psql());
        table.with(Modify::new(Columns::first()).with(Width::wrap(64).keep_words(true)));
        table.with(Modify::new(Columns::one(1)).with(Width::wrap(24).keep_words(true)));
        output.line(table.to_string())?;
    }
    output.line(format!("{paper}: {}", tally(judged, false, "statement")))?;
    if judged.iter().any(|each| each.is_finding) {
        output.line(format!("{paper}: {}", tally(judged, true, "finding of ours")))?;
    }
    let surprises: Vec<String> = judged.iter().filter(|each| each.is_surprise()).map(surprise).collect();
    if surprises.is_empty() {
        return Ok(Exit::Done);
    }
    output.line(format!("not as expected: {}", surprises.join(", ")))?;
    Ok(Exit::Differs)
}

fn push(table: &mut Builder, each: &Judged, shown: Shown) {
    let rests_on = each.rests_on().map_or("", mbsbench_experiment::Mark::name);
    let verdict = match each.is_surprise() && each.verdict != each.statement.expected {
        true => format!("{}, expected {}", each.verdict, each.statement.expected),
        false => each.verdict.to_string(),
    };
    let (id, place) = (each.statement.id.clone(), each.statement.place.clone());
    table.push_record([id, place, rests_on.to_owned(), each.tally(), verdict]);
    for check in each.checks.iter().filter(|_| shown.checks) {
        if shown.brief && check.standing.verdict == Verdict::Reproduced && !check.is_surprise() {
            continue;
        }
        let rests_on = check.standing.rests_on.map_or("", mbsbench_experiment::Mark::name);
        let numbers = [check.measured(), check.required()].join(" | ");
        let name = format!("  {}", check.check.id);
        table.push_record([name, numbers, rests_on.to_owned(), String::new(), said(check)]);
    }
}

/// The verdict of a check with what it depends on.
fn said(check: &JudgedCheck) -> String {
    let reason = &check.standing.reason;
    let verdict = check.standing.verdict;
    let text = if reason.is_empty() { verdict.to_string() } else { format!("{verdict}: {reason}") };
    match check.check.expected.filter(|_| check.is_surprise()) {
        Some(expected) => format!("{text}, expected {expected}"),
        None => text,
    }
}

fn surprise(each: &Judged) -> String {
    let checks: Vec<&str> =
        each.checks.iter().filter(|check| check.is_surprise()).map(|check| check.check.id.as_str()).collect();
    if checks.is_empty() { each.statement.id.clone() } else { format!("{} ({})", each.statement.id, checks.join(", ")) }
}

/// `12 statements with 40 checks: 9 reproduced, 3 depends`.
fn tally(judged: &[Judged], is_finding: bool, name: &str) -> String {
    let scores = Scores::of(judged, is_finding);
    let parts: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|&verdict| scores.with(verdict) > 0)
        .map(|verdict| format!("{} {verdict}", scores.with(verdict)))
        .collect();
    let plural = |count: usize, one: &str| match (count, one) {
        (1, one) => format!("1 {one}"),
        (count, "finding of ours") => format!("{count} findings of ours"),
        (count, one) => format!("{count} {one}s"),
    };
    let (statements, checks) = (plural(scores.total(), name), plural(scores.checks, "check"));
    format!("{statements} with {checks}: {}", parts.join(", "))
}
