//! Judged statements as files and tables.

use std::collections::BTreeMap;

use mbsbench_experiment::Mark;
use mbsbench_experiment::undetermined::lies_below;
use mbsbench_numbers::short;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::statement::Holds;
use super::{
    Check, Company, Evidence, Grounds, Judgement, Ledger, Outcome, Reason, Standing, Statement, Studies, Test, Verdict,
};

/// A check with what its test says and how that stands.
#[derive(Debug, Clone)]
pub struct JudgedCheck {
    /// The check.
    pub check: Check,
    /// What its test says.
    pub judgement: Judgement,
    /// Its outcome, and on what it rests.
    pub standing: Standing,
}

/// A statement with its outcome.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The statement.
    pub statement: Statement,
    /// Whether it is a finding of ours and not the paper's.
    pub is_finding: bool,
    /// Its checks.
    pub checks: Vec<JudgedCheck>,
    /// Its outcome.
    pub outcome: Outcome,
}

impl JudgedCheck {
    /// Whether the verdict differs from the expected one, if the check has one. A check that cannot be tested on this
    /// machine does not differ.
    #[must_use]
    pub fn differs(&self) -> bool {
        !self.judgement.excused && self.check.expected.is_some_and(|expected| expected != self.standing.verdict())
    }

    /// What is required: the published number with its tolerance, or the bound.
    #[must_use]
    pub fn required(&self) -> String {
        match self.check.kind.test() {
            Some(test @ Test::Near { .. }) => {
                format!("{} {test}", self.check.kind.published().unwrap_or_default())
            }
            Some(bound) => bound.to_string(),
            None => String::new(),
        }
    }

    /// What was measured, in one line.
    #[must_use]
    pub fn measured(&self) -> String {
        let Judgement { measured, details, .. } = &self.judgement;
        match measured {
            Some(number) => short(*number),
            None if details.is_empty() => String::new(),
            None => {
                let holding = details.iter().filter(|detail| detail.holds).count();
                format!("{holding} of {} hold", details.len())
            }
        }
    }

    /// What is to be said of its outcome: what its test notes, and what we say.
    #[must_use]
    pub fn note(&self) -> String {
        let parts = [self.judgement.note.as_str(), self.check.because.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ")
    }

    /// Its keys in `claims.json` with their values.
    fn fields(&self) -> Value {
        let Self { check, judgement, standing } = self;
        let measured = match (judgement.measured, judgement.details.as_slice()) {
            (Some(number), _) => number_or_null(number),
            (None, []) => Value::Null,
            (None, details) => details
                .iter()
                .map(|detail| {
                    json!({
                        "name": detail.name,
                        "required": detail.published,
                        "measured": detail.measured.map_or(Value::Null, number_or_null),
                        "holds": detail.holds,
                    })
                })
                .collect(),
        };
        let share = standing.share.as_ref().map(|share| {
            let part = share.same as f64 / share.samples as f64;
            json!({
                "share": number_or_null(part),
                "low": number_or_null(share.interval[0]),
                "high": number_or_null(share.interval[1]),
                "samples": share.samples,
                "open": share.counts.of(Verdict::Open),
                "tried": share.tried,
                "conditioned": share.is_conditioned,
                "readings": share.readings,
                "excluded": share.excluded,
                "turned": share.turned.iter().map(|(reading, verdict)| json!({ "reading": reading, "verdict": verdict })).collect::<Vec<_>>(),
                "decided_by": share.decided,
            })
        });
        json!({
            "id": check.id,
            "about": check.about,
            "kind": check.kind.name(),
            "role": check.role,
            "published": check.kind.published(),
            "required": check.kind.test().map(|_| self.required()),
            "measured": measured,
            "why": check.why,
            "bound_from": check.bound_from,
            "bound_set": check.bound_from.map(|_| check.bound_set),
            "rests_on": standing.rests_on,
            "ours": standing.ours.iter().map(|(path, mark)| json!([path, mark])).collect::<Vec<_>>(),
            "share": share,
            "test": judgement.verdict,
            "verdict": standing.verdict(),
            "reason": standing.outcome.reason().map(Reason::name),
            "detail": standing.outcome.reason().map(Reason::detail),
            "margin": judgement.margin.map_or(Value::Null, number_or_null),
            "evidence": judgement.evidence,
            "note": self.note(),
        })
    }
}

impl Judged {
    fn new(statement: &Statement, is_finding: bool, checks: Vec<JudgedCheck>) -> Self {
        Self { outcome: outcome_of(statement, &checks, None), statement: statement.clone(), is_finding, checks }
    }

    /// The outcome without its reason.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.outcome.verdict()
    }

    /// Whether its verdict, or that of a check, differs from the expected one.
    #[must_use]
    pub fn differs(&self) -> bool {
        (self.verdict() != self.statement.expected() && !self.is_excused())
            || self.checks.iter().any(JudgedCheck::differs)
    }

    /// Whether it differs from what is expected by more than times, which are those of one machine.
    #[must_use]
    pub fn is_surprise(&self) -> bool {
        self.differs() && !self.differs_by_times()
    }

    /// Whether it differs from what is expected, and other times would make it as expected.
    #[must_use]
    pub fn differs_by_times(&self) -> bool {
        let expected = self.statement.expected();
        let any_times =
            || [Outcome::Reproduced, Outcome::Partly, Outcome::NotReproduced, Outcome::Open(Reason::Timing)];
        let could_be = || {
            let of = |times| outcome_of(&self.statement, &self.checks, Some(&times)).verdict();
            any_times().into_iter().any(|times| of(times) == expected)
        };
        self.differs()
            && self.checks.iter().all(|check| !check.differs() || check.check.kind.is_of_time())
            && (self.verdict() == expected || self.is_excused() || could_be())
    }

    /// Whether a carrying check on anything but times cannot be tested on this machine.
    fn is_excused(&self) -> bool {
        self.carrying().any(|check| check.judgement.excused && !check.check.kind.is_of_time())
    }

    /// The checks that decide its outcome.
    pub fn carrying(&self) -> impl Iterator<Item = &JudgedCheck> {
        self.checks.iter().filter(|check| check.check.is_carrying())
    }

    /// The weakest mark of the checks that decide its outcome; none where these rest on no run.
    #[must_use]
    pub fn rests_on(&self) -> Option<Mark> {
        self.carrying().filter_map(|check| check.standing.rests_on).max()
    }

    /// How many of the checks that decide it have an outcome.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.carrying().filter(|check| check.standing.verdict() == verdict).count()
    }

    /// How many of the checks that decide it hold here, at our nominal numbers.
    #[must_use]
    pub fn holding(&self) -> usize {
        self.carrying().filter(|check| check.judgement.verdict == Verdict::Reproduced).count()
    }

    /// How its checks fare, if several decide it: `holds here in 29 of 36; in all set-ups that the paper allows in 25`.
    #[must_use]
    pub fn tally(&self) -> String {
        let all = self.carrying().count();
        let (here, firm) = (self.holding(), self.count(Verdict::Reproduced));
        match (all, here == firm) {
            (0 | 1, _) => String::new(),
            (_, true) => format!("holds in {here} of {all}"),
            (_, false) => format!("holds here in {here} of {all}; in all set-ups that the paper allows in {firm}"),
        }
    }

    /// What of the set-up behind it is ours, at most `most` parameters, each with its mark if it is more than our
    /// choice. What lies below another one is not named.
    #[must_use]
    pub fn ours(&self, most: usize) -> String {
        let all: BTreeMap<&str, Mark> =
            self.carrying().flat_map(|each| &each.standing.ours).map(|(path, mark)| (path.as_str(), *mark)).collect();
        let is_below = |path: &str| all.keys().any(|other| *other != path && lies_below(path, other));
        let named: Vec<String> = all
            .iter()
            .filter(|(path, _)| !is_below(path))
            .map(|(path, mark)| if *mark == Mark::Chosen { (*path).to_owned() } else { format!("{path} ({mark})") })
            .collect();
        let rest = named.len().saturating_sub(most);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("{}{more}", named[..named.len() - rest].join(", "))
    }

    /// Why it has its outcome, in a sentence without a stop: the reason if it is open, else how its checks fare.
    #[must_use]
    pub fn why(&self) -> String {
        if let Some(reason) = self.outcome.reason() {
            return reason.words();
        }
        let tally = self.tally();
        match self.deciding() {
            Some(each) if tally.is_empty() && !each.measured().is_empty() => {
                let required = each.required();
                let required = if required.is_empty() { required } else { format!(", required {required}") };
                format!("measured {}{required}", each.measured())
            }
            _ => tally,
        }
    }

    /// The check that decides its outcome: the first carrying one that has it.
    #[must_use]
    pub fn deciding(&self) -> Option<&JudgedCheck> {
        self.carrying().find(|check| check.standing.outcome == self.outcome).or_else(|| self.carrying().next())
    }

    /// The text of its object in `claims.json`, its checks a line each.
    fn json(&self) -> String {
        let mut fields = Map::new();
        let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        add("id", json!(self.statement.id));
        add("finding", json!(self.is_finding));
        add("place", json!(self.statement.place));
        add("statement", json!(self.statement.says));
        add("holds", json!(self.statement.holds));
        add("verdict", json!(self.verdict()));
        add("reason", json!(self.outcome.reason().map(Reason::name)));
        add("detail", json!(self.outcome.reason().map(Reason::detail)));
        add("expected", json!(self.statement.expected()));
        add("because", json!(self.statement.because));
        add("rests_on", json!(self.rests_on()));
        let [holding, firm, all] = [self.holding(), self.count(Verdict::Reproduced), self.carrying().count()];
        add("share", json!({ "holds_here": holding, "reproduced": firm, "checks": all }));
        let mut lines: Vec<String> =
            fields.into_iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
        let checks: Vec<String> = self.checks.iter().map(|check| check.fields().to_string()).collect();
        lines.push(format!("\"checks\": [\n{}\n]", checks.join(",\n")));
        format!("{{\n{}\n}}", lines.join(",\n"))
    }
}

/// The outcome of a statement with these checks; with `times`, as if each check on times had that outcome.
fn outcome_of(statement: &Statement, checks: &[JudgedCheck], times: Option<&Outcome>) -> Outcome {
    let of =
        |each: &JudgedCheck| times.filter(|_| each.check.kind.is_of_time()).unwrap_or(&each.standing.outcome).clone();
    statement.outcome(&checks.iter().map(of).collect::<Vec<_>>())
}

fn number_or_null(number: f64) -> Value {
    serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Judges all statements and findings of a ledger.
#[must_use]
pub fn judge_all(
    ledger: &Ledger,
    evidence: &Evidence<'_>,
    grounds: &Grounds<'_>,
    studies: &Studies<'_>,
) -> Vec<Judged> {
    let judged = |statement: &Statement, is_finding| {
        let company = Company { is_finding, holds: statement.holds };
        let checks = statement.checks.iter().map(|check| {
            let judgement = super::judge(&ledger.paper, check, evidence);
            let studied = studies.get(&check.id).map_or(&[][..], Vec::as_slice);
            let ground = grounds.of(&ledger.paper, check);
            let standing = Standing::new(check, &judgement, ground, studied, company);
            JudgedCheck { check: check.clone(), judgement, standing }
        });
        Judged::new(statement, is_finding, checks.collect())
    };
    let statements = ledger.statements.par_iter().map(|statement| judged(statement, false));
    statements.chain(ledger.findings.par_iter().map(|statement| judged(statement, true))).collect()
}

/// The text of `claims.json`: a list, one statement after the other, each with a line for each of its keys and of its
/// checks.
#[must_use]
pub fn to_json(judged: &[Judged]) -> String {
    let statements: Vec<String> = judged.par_iter().map(Judged::json).collect();
    format!("[\n{}\n]\n", statements.join(",\n"))
}

/// How many statements have each outcome, by what they rest on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scores {
    counts: BTreeMap<(Verdict, Option<Mark>), usize>,
    /// How many checks they own.
    pub checks: usize,
}

impl Scores {
    /// Of the paper's statements, or of findings of ours.
    #[must_use]
    pub fn of(judged: &[Judged], is_finding: bool) -> Self {
        let mut scores = Self::default();
        for each in judged.iter().filter(|each| each.is_finding == is_finding) {
            *scores.counts.entry((each.verdict(), each.rests_on())).or_default() += 1;
            scores.checks += each.checks.len();
        }
        scores
    }

    /// Statements with an outcome.
    #[must_use]
    pub fn with(&self, verdict: Verdict) -> usize {
        self.counts.iter().filter(|((own, _), _)| *own == verdict).map(|(_, count)| count).sum()
    }

    /// Statements with an outcome that rest on one of these marks.
    #[must_use]
    pub fn on(&self, verdict: Verdict, marks: &[Option<Mark>]) -> usize {
        let meant = self.counts.iter().filter(|((own, mark), _)| *own == verdict && marks.contains(mark));
        meant.map(|(_, count)| count).sum()
    }

    /// All statements.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }
}

/// The two marks that a reader sees, and statements without a run, each with the marks of experiment files that it
/// stands for.
pub const GROUNDS: [(&str, &[Option<Mark>]); 3] = [
    ("as printed", &[Some(Mark::Printed), Some(Mark::Authors)]),
    ("set-up partly ours", &[Some(Mark::Chosen), Some(Mark::Calibrated), Some(Mark::StandIn)]),
    ("nothing to run", &[None]),
];

/// The mark that a reader sees: `as printed` or `set-up partly ours`; empty where nothing is run.
#[must_use]
pub fn ground_of(mark: Option<Mark>) -> &'static str {
    let is_meant = |(_, marks): &&(&'static str, &[Option<Mark>])| mark.is_some() && marks.contains(&mark);
    GROUNDS.iter().find(is_meant).map_or("", |(name, _)| name)
}

impl Holds {
    /// What has to hold, in words; empty for `all`.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Most => "more than half have to hold",
            Self::Some => "one has to hold",
        }
    }
}
