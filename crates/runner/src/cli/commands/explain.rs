//! `mbsbench explain`: one verdict with its evidence, checks and sensitivities.

use std::collections::BTreeMap;

use mbsbench_experiment::{Filter, Plan};
use mbsbench_judge::claims::record::ground_of;
use mbsbench_judge::claims::spec::{Agreement, Operand};
use mbsbench_judge::claims::{BoundFrom, BoundSet, Evidence, Judged, JudgedCheck, Kind, Verdict, letter, questions};
use mbsbench_numbers::short;

use super::Command;
use crate::cli::{
    CommandError, Exit, Need, Result, Seen, Session, ensure_sealed, evidence, judged_on, outcome_of, outcome_of_check,
    rests_on, table,
};

/// Largest number of checks that are listed if the request names a statement rather than a check.
const MOST_CHECKS: usize = 12;
/// Largest number of values of an operand that are shown.
const MOST_NUMBERS: usize = 12;
/// Largest number of columns of an operand that are named.
const MOST_COLUMNS: usize = 4;
/// Largest number of parameters of ours that are named.
const MOST_OURS: usize = 4;
/// Width of the column of names.
const NAMES: usize = 12;

/// Explain one statement: outcome, evidence, checks, commands to reproduce it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mbsbench explain gil2013/linear/exact\n  mbsbench explain gil2013 --open")]
pub(super) struct Explain {
    /// Statement or check, with or without its paper; a paper for a list or with --open.
    statement: String,
    /// Write a letter that asks the authors what would settle open statements.
    #[arg(long)]
    open: bool,
    /// Results.
    #[command(flatten)]
    seen: Seen,
}

impl Command for Explain {
    fn need(&self) -> Need {
        Need::Results
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let is_of_paper = self.open || session.library.papers()?.contains(&self.statement);
        let lines = if is_of_paper { self.of_paper(session)? } else { self.told(session)? };
        lines.into_iter().try_for_each(|line| session.output.println(line))?;
        Ok(Exit::Done)
    }
}

impl Explain {
    /// Describes the statement, or the statement of the check, with the commands to reproduce it.
    fn told(&self, session: &mut Session<'_>) -> Result<Vec<String>> {
        let (library, name) = (session.library, self.statement.as_str());
        let results = library.seen(&self.seen);
        let mut papers = library.papers()?;
        let mut own = name;
        let of = |paper: &String| Some((paper.clone(), name.strip_prefix(paper.as_str())?.strip_prefix(['/', ':'])?));
        if let Some((named, within)) = papers.iter().find_map(of) {
            (papers, own) = (vec![named], within);
        }
        let mut known = Vec::new();
        for paper in papers {
            // For most papers the ledger alone would suffice, but a ledger is read with the experiments that it names.
            let plans = library.plans_of(&paper)?;
            let Some(ledger) = library.ledger(&paper, &plans)? else { continue };
            let statements = || ledger.statements.iter().chain(&ledger.findings);
            known.extend(statements().map(|statement| statement.id.clone()));
            known.extend(ledger.checks().map(|check| check.id.clone()));
            let by_check = || statements().find(|statement| statement.checks.iter().any(|check| check.id == own));
            let found = statements().find(|statement| statement.id == own).or_else(by_check);
            let Some(id) = found.map(|statement| statement.id.clone()) else { continue };
            let only = ledger.only(&id);
            let rests_on = rests_on(&only);
            ensure_sealed(&results, plans.iter().filter(|plan| rests_on(plan)), &mut session.output)?;
            let evidence = evidence(&only, &plans, &results)?;
            let judged = judged_on(&evidence, &only, &plans, &results)?;
            let Some(judged) = judged.first() else { continue };
            let teller = Teller { paper: &paper, plans: &plans, evidence: &evidence };
            return Ok(teller.tell(judged, (id != own).then_some(own)));
        }
        Err(CommandError::unknown("statement", own, known))
    }

    /// Lists the statements of the paper with their outcomes, or writes the letter to its authors with questions that
    /// would settle its open statements.
    fn of_paper(&self, session: &mut Session<'_>) -> Result<Vec<String>> {
        let (library, paper) = (session.library, self.statement.as_str());
        let results = library.seen(&self.seen);
        let plans = library.plans_of(paper)?;
        let Some(ledger) = library.ledger(paper, &plans)? else {
            let help = format!("`mbsbench new statement {paper}/NAME` creates one");
            return Err(CommandError::refused(&format!("{paper} has no statement yet"), &help));
        };
        let rests_on = rests_on(&ledger);
        ensure_sealed(&results, plans.iter().filter(|plan| rests_on(plan)), &mut session.output)?;
        let judged = judged_on(&evidence(&ledger, &plans, &results)?, &ledger, &plans, &results)?;
        if !self.open {
            let head = ["statement", "outcome"].map(str::to_owned);
            let rows = judged.iter().map(|each| [format!("{paper}/{}", each.statement.id), outcome_of(each)]);
            return Ok(vec![table([head].into_iter().chain(rows)).to_string()]);
        }
        let questions = questions(&judged, &plans.iter().collect::<Vec<_>>());
        let paragraphs = letter(&library.publication(paper)?, &judged, &questions);
        Ok(paragraphs.unwrap_or_else(|| vec![format!("{paper}: its authors could not settle any open statement")]))
    }
}

struct Teller<'t> {
    paper: &'t str,
    plans: &'t [Plan],
    evidence: &'t Evidence<'t>,
}

impl Teller<'_> {
    fn tell(&self, judged: &Judged, only: Option<&str>) -> Vec<String> {
        let statement = &judged.statement;
        let mut lines = vec![format!("{}/{}", self.paper, statement.id)];
        let mut say = |name: &str, text: &str| add(&mut lines, name, text);
        say("place", &statement.place);
        say(if judged.is_finding { "we find" } else { "it says" }, &statement.says);
        say("outcome", &outcome_of(judged));
        let told = [judged.tally().as_str(), statement.holds.describe()].join("; ");
        say("", told.trim_matches([';', ' ']));
        say("because", &statement.because);
        say("set-up", ground_of(judged.rests_on()));
        say("ours", &judged.ours(MOST_OURS));
        // Readers first look for checks that do not hold.
        let mut checks: Vec<&JudgedCheck> =
            judged.checks.iter().filter(|check| only.is_none_or(|id| check.check.id == id)).collect();
        checks.sort_by_key(|check| check.verdict() == Verdict::Reproduced);
        let rest = checks.len().saturating_sub(MOST_CHECKS);
        for check in checks.iter().take(MOST_CHECKS) {
            lines.push(String::new());
            self.check(check, judged.is_finding, &mut lines);
        }
        if rest > 0 {
            lines.push(String::new());
            lines.push(format!("{rest} more checks: use `mbsbench explain` with the id of a check"));
        }
        let redo = self.redo(judged);
        if !redo.is_empty() {
            lines.push(String::new());
            redo.iter().for_each(|line| add(&mut lines, "reproduce", line));
        }
        lines
    }

    fn check(&self, each: &JudgedCheck, is_finding: bool, lines: &mut Vec<String>) {
        let whose = if is_finding { "ours" } else { "published" };
        let JudgedCheck { check, judgement, .. } = each;
        let about = if check.about.is_empty() { String::new() } else { format!(": {}", check.about) };
        lines.push(format!("{}{about}", check.id));
        let mut say = |name: &str, text: &str| add(lines, name, text);
        let operands = match &check.kind {
            Kind::Agreement(Agreement { cells, share, .. }) => {
                let part = mbsbench_numbers::percent(*share);
                say("numbers", &format!("the distance within which {part} of {} published numbers agree", cells.len()));
                Vec::new()
            }
            kind => kind.operands(),
        };
        let mut before: Option<&Operand> = None;
        for operand in operands {
            say("operand", &operand_text(operand, before.replace(operand)));
            let numbers = self.evidence.select(self.paper, operand).numbers;
            let mut texts: Vec<String> = numbers.iter().take(MOST_NUMBERS).map(|number| short(number.value)).collect();
            if numbers.len() > MOST_NUMBERS {
                texts.push(format!("… ({} numbers)", numbers.len()));
            }
            say("  numbers", &texts.join(", "));
            if let Some(number) = numbers.iter().find(|number| number.uncertainty > 0.0) {
                say("  reference", &format!("error at most {:.1e}", number.uncertainty));
            }
        }
        if let Kind::Failure(failure) = &check.kind {
            let wanted = match (&failure.status, failure.completes) {
                (_, true) => "no run fails".to_owned(),
                (Some(status), _) => format!("every run has the status `{status}`"),
                (None, _) => "every run fails".to_owned(),
            };
            say("runs", &format!("{} {}: {wanted}", failure.experiment, filter_text(&failure.filter)));
        }
        if let Kind::Identity(identity) = &check.kind {
            let terms: Vec<String> = identity.terms.iter().map(|(name, factor)| format!("{factor} {name}")).collect();
            say("runs", format!("{} {}", identity.experiment, filter_text(&identity.filter)).trim_end());
            say("identity", &format!("{} = {} + {}", identity.column, terms.join(" + "), identity.plus));
        }
        say(whose, check.kind.published().unwrap_or_default());
        say("required", &each.required());
        say("measured", &judgement.measured.map(short).unwrap_or_default());
        for detail in &judgement.details {
            let measured = detail.measured.map_or_else(|| "nothing".to_owned(), short);
            let holds = if detail.holds { "holds" } else { "does not hold" };
            let required = if detail.published.is_empty() { "smallest" } else { &detail.published };
            say("  landmark", &format!("{}: {measured}, {required} {holds}", detail.name));
        }
        if let Some(margin) = judgement.margin.filter(|margin| margin.is_finite()) {
            say("margin", &if margin.abs() < 100.0 { format!("{margin:.2}") } else { format!("{margin:.0e}") });
        }
        say("outcome", &outcome_of_check(each));
        say("bound", &bound_text(check.bound_from, check.bound_set));
        say("why", &check.why);
        say("note", &judgement.note);
        say("because", &check.because);
        if let Some(share) = each.share.as_ref().filter(|share| share.samples() > 0) {
            say("study", &share.words());
        }
        say("evidence", &evidence_text(&judgement.evidence));
    }

    /// The commands that reproduce all of it.
    fn redo(&self, judged: &Judged) -> Vec<String> {
        let names = judged.checks.iter().flat_map(|check| check.check.kind.experiments());
        let plans = names.filter_map(|name| self.plans.iter().find(|plan| plan.experiment.is_called(name, self.paper)));
        let plans: BTreeMap<&str, &Plan> = plans.map(|plan| (plan.experiment.id.as_str(), plan)).collect();
        let command = |verb: &str, is_meant: fn(&Plan) -> bool| {
            let ids: Vec<&str> = plans.iter().filter(|(_, plan)| is_meant(plan)).map(|(id, _)| *id).collect();
            (!ids.is_empty()).then(|| format!("mbsbench {verb} {}", ids.join(" ")))
        };
        let studies = command("reconstruct", |plan| !plan.experiment.undetermined.is_empty());
        command("reproduce", |_| true).into_iter().chain(studies).collect()
    }
}

fn add(lines: &mut Vec<String>, name: &str, text: &str) {
    if !text.is_empty() {
        lines.push(format!("{name:<NAMES$}{text}"));
    }
}

fn bound_text(from: Option<BoundFrom>, set: BoundSet) -> String {
    let when = match set {
        BoundSet::Before => "set before the result was known",
        BoundSet::Stated => "stated to be set before the result was known; the lock does not confirm this",
        BoundSet::After => "set or changed after the result was known",
    };
    from.map_or_else(String::new, |from| format!("{}; {when}", from.name()))
}

fn evidence_text(keys: &[String]) -> String {
    const MOST: usize = 4;
    let shown = keys.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(" ");
    if keys.len() > MOST { format!("{shown} … ({} runs)", keys.len()) } else { shown }
}

/// Describes an operand; its columns are omitted if they are the same as in the operand before.
fn operand_text(operand: &Operand, before: Option<&Operand>) -> String {
    let mut columns: Vec<&str> = operand.columns().collect();
    let rest = columns.len().saturating_sub(MOST_COLUMNS);
    columns.truncate(MOST_COLUMNS);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let columns = match before {
        Some(before) if rest > 0 && before.columns().eq(operand.columns()) => "the same columns".to_owned(),
        _ => format!("{}{more}", columns.join(", ")),
    };
    let times = operand.times.as_ref().map_or_else(String::new, |times| format!(" times {times}"));
    let at = operand.at.as_ref().map_or_else(String::new, |at| {
        format!(", interpolated where {} equals that of {}", at.column, operand_text(&at.equals, None))
    });
    let text = format!("{columns}{times} of {} {}", operand.experiment, filter_text(&operand.filter));
    format!("{}{at}", text.trim_end())
}

fn filter_text(filter: &Filter) -> String {
    let texts: Vec<String> = filter.iter().map(|(axis, value)| format!("{axis} = {value}")).collect();
    if texts.is_empty() { String::new() } else { format!("where {}", texts.join(", ")) }
}
