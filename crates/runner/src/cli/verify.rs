//! `mbsbench verify`: verdicts on all statements.

use std::io;

use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_input::write_atomically;
use mbsbench_judge::claims::record::{Scores, ground_of, to_json};
use mbsbench_judge::claims::{Check, Evidence, Grounds, Judged, JudgedCheck, Ledger, Verdict, judge_all};
use mbsbench_judge::folders::Folders;
use mbsbench_judge::reconstruction::studies;
use mbsbench_problem::Status;
use rayon::prelude::*;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Modify, Style, Width};

use super::check::{Strict, heed};
use super::files::Library;
pub use super::recompute::Recompute;
use super::results::evidence_of;
use super::sealed::ensure_sealed;
use super::{CommandError, Exit};
use crate::output::Output;

/// What is printed of the verdicts.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Shown {
    /// Hide statements that are reproduced.
    #[arg(long)]
    pub brief: bool,
    /// Show the checks of each statement.
    #[arg(long)]
    pub checks: bool,
}

/// Judges all statements of a paper, of all papers where none is named, and writes `claims.json`.
pub(super) fn verify(
    library: Library<'_>,
    paper: Option<&str>,
    (shown, strict): (Shown, Strict),
    recompute: &Recompute,
    results: &impl Folders,
    output: &mut Output<'_>,
) -> Result<Exit, CommandError> {
    let (wanted, plans) = match paper {
        Some(paper) => (vec![paper.to_owned()], library.plans_of(paper)?),
        None => (library.papers_alone()?, library.named(&[], false)?),
    };
    heed(&plans, strict, output)?;
    let ledgers = library.ledgers(&wanted, &plans)?;
    let mut exit = Exit::Done;
    for verdicts in judge_papers(library, &ledgers, &plans, results, output)? {
        verdicts.print(shown, output)?;
        exit = exit.worst(verdicts.exit());
    }
    Ok(exit.worst(recompute.make(library, plans, results, output)?))
}

/// Said of statements whose verdicts differ from the expected ones.
const NOT_AS_EXPECTED: &str = "not as expected";
/// The same if only checks on times make the difference. That changes no exit code.
const BY_TIMES: &str = "not as expected by the recorded times, which do not decide the exit code";

/// What was judged of a paper on its results.
pub(super) struct Verdicts {
    /// Its id.
    pub(super) paper: String,
    /// Its statements and findings.
    pub(super) judged: Vec<Judged>,
    /// How many anchors it has.
    anchors: usize,
    /// The anchors that do not hold, a line each.
    loose: Vec<String>,
    /// The runs that program or machine ended, a line each.
    lost: Vec<String>,
    /// How many of its main claims have each outcome; none if `paper.yaml` has none.
    pub(super) claims: Option<String>,
}

/// Judges the statements of ledgers on the results in a folder, and writes `claims.json` of each.
pub(super) fn judge_papers(
    library: Library<'_>,
    ledgers: &[Ledger],
    plans: &[Plan],
    results: &(impl Folders + ?Sized),
    output: &mut Output<'_>,
) -> Result<Vec<Verdicts>, CommandError> {
    let of_these = plans.iter().filter(|plan| ledgers.iter().any(|ledger| rests_on(ledger, plan)));
    ensure_sealed(results, of_these, output)?;
    let judged = |ledger: &Ledger| {
        let verdicts = Verdicts::of(library, ledger, plans, results)?;
        keep_judged(ledger, &verdicts.judged, results.root())?;
        Ok(verdicts)
    };
    ledgers.par_iter().map(judged).collect()
}

impl Verdicts {
    /// Judges the statements of a ledger on the results in a folder, where nothing is written.
    pub(super) fn of(
        library: Library<'_>,
        ledger: &Ledger,
        plans: &[Plan],
        results: &(impl Folders + ?Sized),
    ) -> Result<Self, CommandError> {
        let paper = ledger.paper.clone();
        let evidence = evidence(ledger, plans, results)?;
        let judged = judged_on(&evidence, ledger, plans, results)?;
        let mut lost = lost(&evidence);
        let (mut anchors, mut loose) = (0, Vec::new());
        if let Some(ledger) = library.anchors(&paper, plans)? {
            let evidence = self::evidence(&ledger, plans, results)?;
            anchors = ledger.checks().count();
            loose = self::loose(&ledger, &evidence);
            lost.extend(self::lost(&evidence));
        }
        let publication = library.publication(&paper)?;
        let of_claims: Vec<Verdict> = publication.claims.iter().map(|claim| claim.outcome(&judged).verdict()).collect();
        let of = |wanted: Verdict| of_claims.iter().filter(|&&verdict| verdict == wanted).count();
        let counts = Verdict::ALL.into_iter().filter(|&verdict| of(verdict) > 0);
        let counts: Vec<String> = counts.map(|verdict| format!("{} {verdict}", of(verdict))).collect();
        let claims = (!counts.is_empty()).then(|| format!("main claims: {}", counts.join(", ")));
        Ok(Self { paper, anchors, loose, lost, claims, judged })
    }

    /// The exit code that they ask for.
    pub(super) fn exit(&self) -> Exit {
        if !self.lost.is_empty() {
            Exit::System
        } else if self.loose.is_empty() && !self.judged.iter().any(Judged::is_surprise) {
            Exit::Done
        } else {
            Exit::Differs
        }
    }

    /// `gil2013: 36 statements: 15 reproduced, 16 open, …; 8 findings of ours`.
    pub(super) fn summary(&self) -> String {
        let parts = [false, true].map(|is_finding| {
            let scores = Scores::of(&self.judged, is_finding);
            let name = if is_finding { "finding" } else { "statement" };
            (scores.total() > 0).then(|| format!("{}: {}", counted(scores.total(), name), by_verdict(&scores)))
        });
        let parts = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        format!("{}: {}", self.paper, if parts.is_empty() { "no statements" } else { &parts })
    }

    /// What differs from what is expected, a line each: statements, anchors, and runs that are lost.
    pub(super) fn differences(&self) -> Vec<String> {
        let line = |each: &Judged| {
            let what = if each.is_surprise() { NOT_AS_EXPECTED } else { BY_TIMES };
            let verdict = if each.verdict() == each.statement.expected() {
                String::new()
            } else {
                format!(" is {}, expected {}", each.outcome, each.statement.expected())
            };
            format!("{}: {what}: {}{verdict}", self.paper, surprise(each))
        };
        let statements = self.judged.iter().filter(|each| each.differs()).map(line);
        self.lost.iter().chain(&self.loose).cloned().chain(statements).collect()
    }

    /// Prints statements as tables, and below them how many have each verdict and what differs from what is expected.
    fn print(&self, shown: Shown, output: &mut Output<'_>) -> io::Result<()> {
        let Self { paper, judged, .. } = self;
        for line in &self.loose {
            output.line(line)?;
        }
        if self.anchors > 0 {
            output.line(format!("{paper}: {} of {} anchors hold", self.anchors - self.loose.len(), self.anchors))?;
        }
        for (is_finding, head) in [(false, "statement"), (true, "finding of ours")] {
            let rows = judged.iter().filter(|each| each.is_finding == is_finding);
            let rows: Vec<&Judged> =
                rows.filter(|each| !shown.brief || each.verdict() != Verdict::Reproduced || each.differs()).collect();
            if rows.is_empty() {
                continue;
            }
            let mut table = Builder::default();
            table.push_record([head, "place", "mark", "checks", "outcome"]);
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
            output.line(format!("{paper}: {}", tally(judged, true, "finding")))?;
        }
        let listed = |is_meant: fn(&Judged) -> bool| {
            judged.iter().filter(|each| is_meant(each)).map(surprise).collect::<Vec<_>>().join(", ")
        };
        for (what, names) in
            [(NOT_AS_EXPECTED, listed(Judged::is_surprise)), (BY_TIMES, listed(Judged::differs_by_times))]
        {
            if !names.is_empty() {
                output.line(format!("{what}: {names}"))?;
            }
        }
        self.lost.iter().chain(&self.claims).try_for_each(|line| output.line(line))
    }
}

/// Writes `claims.json`.
pub(super) fn keep_judged(ledger: &Ledger, judged: &[Judged], results: &std::path::Path) -> Result<(), CommandError> {
    let path = results.join(&ledger.paper).join("claims.json");
    write_atomically(&path, to_json(judged).as_bytes()).map_err(|error| CommandError::Store { path, error })
}

/// The runs that program or machine ended, a line each.
fn lost(evidence: &Evidence<'_>) -> Vec<String> {
    let line = |(plan, run, status): (&Plan, &RunSpec, Status)| {
        let (id, key) = (&plan.experiment.id, run.key());
        match status {
            Status::Memory => {
                format!("{id}: there was too little memory for the run {key}; what rests on it is not judged")
            }
            _ => format!("{id}: the program panicked in the run {key}; what rests on it is not judged"),
        }
    };
    evidence.lost().map(line).collect()
}

/// The anchors that do not hold, a line each. They guard against regressions, and no report counts them.
fn loose(ledger: &Ledger, evidence: &Evidence<'_>) -> Vec<String> {
    let Ledger { paper, .. } = ledger;
    let line = |check: &Check| {
        let judgement = mbsbench_judge::claims::judge(paper, check, evidence);
        if judgement.verdict == Verdict::Reproduced {
            return None;
        }
        let failing: Vec<String> = judgement
            .details
            .iter()
            .filter(|detail| !detail.holds)
            .map(|detail| format!("{} is {:?}, expected {}", detail.name, detail.measured, detail.published))
            .collect();
        let number = judgement.measured.map_or_else(String::new, |number| format!("{number:e} was measured"));
        let why = [failing.join("; "), number, judgement.note];
        let why = why.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
        Some(format!("{paper}: the anchor {} does not hold: {why}", check.id))
    };
    ledger.checks().filter_map(line).collect()
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
pub(super) fn judged(
    ledger: &Ledger,
    plans: &[Plan],
    results: &(impl Folders + ?Sized),
) -> Result<Vec<Judged>, CommandError> {
    judged_on(&evidence(ledger, plans, results)?, ledger, plans, results)
}

/// The same, where the evidence has been read.
pub(super) fn judged_on(
    evidence: &Evidence<'_>,
    ledger: &Ledger,
    plans: &[Plan],
    results: &(impl Folders + ?Sized),
) -> Result<Vec<Judged>, CommandError> {
    Ok(judge_all(ledger, evidence, &Grounds::new(plans), &studies(ledger, plans, results)?))
}

/// What was measured in the experiments that a ledger names.
pub(super) fn evidence<'p>(
    ledger: &Ledger,
    plans: &'p [Plan],
    results: &(impl Folders + ?Sized),
) -> Result<Evidence<'p>, CommandError> {
    evidence_of(results, plans, |plan| is_named(ledger, plan))
}

fn push(table: &mut Builder, each: &Judged, shown: Shown) {
    let rests_on = ground_of(each.rests_on());
    let verdict = match each.differs() && each.verdict() != each.statement.expected() {
        true => format!("{}, expected {}", each.outcome, each.statement.expected()),
        false => each.outcome.to_string(),
    };
    let (id, place) = (each.statement.id.clone(), each.statement.place.clone());
    table.push_record([id, place, rests_on.to_owned(), each.tally(), verdict]);
    for check in each.checks.iter().filter(|_| shown.checks) {
        if shown.brief && check.verdict() == Verdict::Reproduced && !check.differs() {
            continue;
        }
        let rests_on = ground_of(check.rests_on);
        let numbers = [check.measured(), check.required()].join(" | ");
        let name = format!("  {}", check.check.id);
        table.push_record([name, numbers, rests_on.to_owned(), String::new(), said(check)]);
    }
}

/// The outcome of a check with its reason.
fn said(check: &JudgedCheck) -> String {
    let text = check.outcome.to_string();
    match check.check.expected.filter(|_| check.differs()) {
        Some(expected) => format!("{text}, expected {expected}"),
        None => text,
    }
}

/// A statement that differs from what is expected, with its checks that do: `table-1 (table-1/rk3, table-1/rk5)`.
fn surprise(each: &Judged) -> String {
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

/// `12 statements with 40 checks: 9 reproduced, 3 open`.
fn tally(judged: &[Judged], is_finding: bool, name: &str) -> String {
    let scores = Scores::of(judged, is_finding);
    let checks = if scores.checks == 1 { "1 check".to_owned() } else { format!("{} checks", scores.checks) };
    format!("{} with {checks}: {}", counted(scores.total(), name), by_verdict(&scores))
}

/// `9 reproduced, 3 open`.
fn by_verdict(scores: &Scores) -> String {
    let with = Verdict::ALL.into_iter().filter(|&verdict| scores.with(verdict) > 0);
    with.map(|verdict| format!("{} {verdict}", scores.with(verdict))).collect::<Vec<_>>().join(", ")
}

/// `1 statement`, `8 findings of ours`.
fn counted(count: usize, name: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    let ours = if name == "finding" { " of ours" } else { "" };
    format!("{count} {name}{plural}{ours}")
}
