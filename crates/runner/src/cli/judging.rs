//! Verdicts on all statements of a paper.

use std::fmt::Display;

use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_judge::claims::record::{Scores, to_json};
use mbsbench_judge::claims::{Book, Check, Counts, Evidence, Grounds, Judged, JudgedCheck, Ledger, Verdict, judge_all};
use mbsbench_judge::folders::Folders;
use mbsbench_judge::reconstruction::studies;
use mbsbench_problem::Status;
use rayon::prelude::*;

use super::{Exit, Library, Result, Session, counted, ensure_sealed, evidence_of, refuted, write};
use crate::assurances::assurances;

/// The mark of statements whose verdicts differ from the expected ones.
pub(super) const NOT_AS_EXPECTED: &str = "not as expected";
/// The mark if only checks on times cause the difference, which does not change the exit code.
pub(super) const BY_TIMES: &str = "not as expected by the recorded times, which do not affect the exit code";

/// The results of judging a paper.
pub(super) struct Verdicts {
    /// The id of the paper.
    pub(super) paper: String,
    /// Its statements and findings.
    pub(super) judged: Vec<Judged>,
    /// The number of anchors.
    pub(super) anchors: usize,
    /// The anchors that do not hold, one line each.
    pub(super) loose: Vec<String>,
    /// The runs that the program or the machine ended, one line each.
    pub(super) lost: Vec<String>,
    /// The refuted runs and the number of runs by assurance.
    pub(super) assured: Vec<String>,
    /// The number of main claims with each outcome; `None` if `paper.yaml` has no main claims.
    pub(super) claims: Option<String>,
}

/// Judges the statements of ledgers on the results in a folder, and writes `claims.json` for each.
pub(super) fn judge_papers(
    ledgers: &[Ledger],
    plans: &[Plan],
    results: &dyn Folders,
    session: &mut Session<'_>,
) -> Result<Vec<Verdicts>> {
    let library = session.library;
    let on: Vec<_> = ledgers.iter().map(rests_on).collect();
    let of_these = plans.iter().filter(|plan| on.iter().any(|rests_on| rests_on(plan)));
    ensure_sealed(results, of_these, &mut session.output)?;
    let judged = |ledger: &Ledger| {
        let verdicts = Verdicts::of(library, ledger, plans, results)?;
        let path = results.root().join(&ledger.paper).join("claims.json");
        write(&path, to_json(&verdicts.judged))?;
        Ok(verdicts)
    };
    ledgers.par_iter().map(judged).collect()
}

impl Verdicts {
    /// Judges the statements of a ledger on the results in a folder, without writing anything.
    pub(super) fn of(library: &Library<'_>, ledger: &Ledger, plans: &[Plan], results: &dyn Folders) -> Result<Self> {
        let paper = ledger.paper.clone();
        let evidence = evidence(ledger, plans, results)?;
        let judged = judged_on(&evidence, ledger, plans, results)?;
        let mut lost = lost(&evidence);
        let counts = assurances(evidence.rows().filter_map(|row| row.assurance.as_ref()));
        let assured = refuted(evidence.rows()).into_iter().chain(counts);
        let assured = assured.map(|line| format!("{paper}: runs: {line}")).collect();
        let (mut anchors, mut loose) = (0, Vec::new());
        if let Some(ledger) = library.book(&paper, Book::Anchors, plans)? {
            let evidence = self::evidence(&ledger, plans, results)?;
            anchors = ledger.checks().count();
            loose = self::loose(&ledger, &evidence);
            lost.extend(self::lost(&evidence));
        }
        let publication = library.publication(&paper)?;
        let counts: Counts = publication.claims.iter().map(|claim| claim.outcome(&judged).verdict()).collect();
        let counts: Vec<String> = counts.each().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        let claims = (!counts.is_empty()).then(|| format!("main claims: {}", counts.join(", ")));
        Ok(Self { paper, anchors, loose, lost, assured, claims, judged })
    }

    /// The exit code for these verdicts.
    pub(super) fn exit(&self) -> Exit {
        if !self.lost.is_empty() {
            Exit::System
        } else if self.loose.is_empty() && !self.judged.iter().any(Judged::is_surprise) {
            Exit::Done
        } else {
            Exit::Differs
        }
    }

    /// Summarises the verdicts: `gil2013: 36 statements: 15 reproduced, 16 open, …; 8 findings of ours`.
    pub(super) fn summary(&self) -> String {
        let parts = [false, true].into_iter().filter_map(|is_finding| tally(&self.judged, is_finding, false));
        let parts = parts.collect::<Vec<_>>().join("; ");
        format!("{}: {}", self.paper, if parts.is_empty() { "no statements" } else { &parts })
    }

    /// The differences from the expected results, one line each: statements, anchors and lost runs.
    pub(super) fn differences(&self) -> Vec<String> {
        let line = |each: &Judged| {
            let what = if each.is_surprise() { NOT_AS_EXPECTED } else { BY_TIMES };
            let (found, expected) = (&each.outcome, each.statement.expected());
            let told = || format!(" is {found}, expected {expected}");
            let verdict = if each.verdict() == expected { String::new() } else { told() };
            format!("{}: {what}: {}{verdict}", self.paper, surprise(each))
        };
        let statements = self.judged.iter().filter(|each| each.differs()).map(line);
        self.lost.iter().chain(&self.loose).cloned().chain(statements).collect()
    }
}

/// The runs that the program or the machine ended, one line each.
fn lost(evidence: &Evidence<'_>) -> Vec<String> {
    let line = |(plan, run, status): (&Plan, &RunSpec, Status)| {
        let why = if status == Status::Memory { "not enough memory for" } else { "the program panicked in" };
        let (id, key) = (&plan.experiment.id, run.key());
        format!("{id}: {why} the run {key}; checks that depend on it are not judged")
    };
    evidence.lost().map(line).collect()
}

/// The anchors that do not hold, one line each. Anchors guard against regressions and appear in no report.
fn loose(ledger: &Ledger, evidence: &Evidence<'_>) -> Vec<String> {
    let Ledger { paper, .. } = ledger;
    let line = |check: &Check| {
        let judgement = mbsbench_judge::claims::judge(paper, check, evidence);
        if judgement.verdict == Verdict::Reproduced {
            return None;
        }
        let failing = judgement.details.iter().filter(|detail| !detail.holds);
        let failing =
            failing.map(|detail| format!("{} is {:?}, expected {}", detail.name, detail.measured, detail.published));
        let number = judgement.measured.map_or_else(String::new, |number| format!("{number:e} was measured"));
        let why = failing.chain([number, judgement.note]).filter(|text| !text.is_empty());
        let why = why.collect::<Vec<_>>().join("; ");
        Some(format!("{paper}: the anchor {} does not hold: {why}", check.id))
    };
    ledger.checks().filter_map(line).collect()
}

/// Returns a function that is true for the experiments that a ledger names.
fn is_named(ledger: &Ledger) -> impl Fn(&Plan) -> bool {
    let names = ledger.experiments();
    move |plan| names.iter().any(|name| plan.experiment.is_called(name, &ledger.paper))
}

/// Returns a function that is true for the experiments on whose results the verdicts of a ledger may depend: those that
/// its checks name, and those of the ledger's paper, like anchors and studies.
pub(super) fn rests_on(ledger: &Ledger) -> impl Fn(&Plan) -> bool {
    let is_named = is_named(ledger);
    move |plan| plan.experiment.paper == ledger.paper || is_named(plan)
}

/// Judges all statements of a ledger on the results and studies in a folder.
pub(super) fn judged(ledger: &Ledger, plans: &[Plan], results: &dyn Folders) -> Result<Vec<Judged>> {
    judged_on(&evidence(ledger, plans, results)?, ledger, plans, results)
}

/// Judges all statements of a ledger on evidence that has been read.
pub(super) fn judged_on(
    evidence: &Evidence<'_>,
    ledger: &Ledger,
    plans: &[Plan],
    results: &dyn Folders,
) -> Result<Vec<Judged>> {
    Ok(judge_all(ledger, evidence, &Grounds::new(plans), &studies(ledger, plans, results)?))
}

/// Reads the results of the experiments that a ledger names.
pub(super) fn evidence<'p>(ledger: &Ledger, plans: &'p [Plan], results: &dyn Folders) -> Result<Evidence<'p>> {
    evidence_of(results, plans, is_named(ledger))
}

/// Describes an unexpected statement with its unexpected checks: `table-1 (table-1/rk3, table-1/rk5)`.
pub(super) fn surprise(each: &Judged) -> String {
    const MOST: usize = 4;
    let differing = each.checks.iter().filter(|check| check.differs()).map(|check| check.check.id.as_str());
    let mut checks: Vec<String> = differing.map(str::to_owned).collect();
    if checks.is_empty() {
        return each.statement.id.clone();
    }
    if checks.len() > MOST {
        let more = checks.len() - MOST + 1;
        checks.splice(MOST - 1.., [format!("and {more} more")]);
    }
    format!("{} ({})", each.statement.id, checks.join(", "))
}

/// Counts statements: `12 statements with 40 checks: 9 reproduced, 3 open`; `None` if there are none.
pub(super) fn tally(judged: &[Judged], is_finding: bool, tells_checks: bool) -> Option<String> {
    let scores = Scores::of(judged, is_finding);
    let what = counted(scores.total(), if is_finding { "finding" } else { "statement" });
    let ours = if is_finding { " of ours" } else { "" };
    let checks = if tells_checks { format!(" with {}", counted(scores.checks, "check")) } else { String::new() };
    let verdicts: Vec<String> = scores.verdicts().each().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    (scores.total() > 0).then(|| format!("{what}{ours}{checks}: {}", verdicts.join(", ")))
}

/// The outcome of a statement, with the expected verdict if it differs.
pub(super) fn outcome_of(each: &Judged) -> String {
    with_expected(&each.outcome, (each.verdict() != each.statement.expected()).then_some(each.statement.expected()))
}

/// The outcome of a check with its reason, and with the expected verdict if it differs.
pub(super) fn outcome_of_check(each: &JudgedCheck) -> String {
    with_expected(&each.outcome, each.check.expected.filter(|_| each.differs()))
}

fn with_expected(outcome: &impl Display, expected: Option<Verdict>) -> String {
    expected.map_or_else(|| outcome.to_string(), |expected| format!("{outcome}, expected {expected}"))
}
