//! Judged statements as files and tables.

use std::collections::BTreeMap;

use mbsbench_experiment::Mark;
use mbsbench_numbers::short;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::spec::Rule;
use super::{Check, Company, Evidence, Grounds, Judgement, Ledger, Standing, Statement, Studies, Test, Verdict};

/// A check with what its test says and how that stands.
#[derive(Debug, Clone)]
pub struct JudgedCheck {
    /// The check.
    pub check: Check,
    /// What its test says.
    pub judgement: Judgement,
    /// Its verdict, and on what it rests.
    pub standing: Standing,
}

/// A statement with its verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The statement.
    pub statement: Statement,
    /// Whether it is a finding of ours and not the paper's.
    pub is_finding: bool,
    /// Its checks.
    pub checks: Vec<JudgedCheck>,
    /// Its verdict.
    pub verdict: Verdict,
}

impl JudgedCheck {
    /// Whether the verdict differs from the expected one, if the check has one. A check that cannot be tested on this machine
    /// does not differ.
    #[must_use]
    pub fn differs(&self) -> bool {
        !self.judgement.excused && self.check.expected.is_some_and(|expected| expected != self.standing.verdict)
    }

    /// What is required: the published number with its tolerance, or the bound.
    #[must_use]
    pub fn required(&self) -> String {
        match self.check.kind.test() {
            Some(Test::Near { published, tolerance }) => {
                let test = Test::Near { published: published.clone(), tolerance: *tolerance };
                format!("{} {test}", published.text)
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

    /// What is to be said of its verdict: on what it depends, what its test notes, what we say.
    #[must_use]
    pub fn note(&self) -> String {
        let parts = [self.standing.reason.as_str(), self.judgement.note.as_str(), self.check.because.as_str()];
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
                "inconclusive": share.open,
                "readings": share.readings,
                "turned": share.turned.iter().map(|(reading, verdict)| json!({ "reading": reading, "verdict": verdict })).collect::<Vec<_>>(),
                "decided_by": share.decided,
            })
        });
        json!({
            "id": check.id,
            "about": check.about,
            "kind": check.kind.name(),
            "published": check.kind.published(),
            "required": check.kind.test().map(|_| self.required()),
            "measured": measured,
            "why": check.why,
            "bound_from": check.bound_from,
            "bound_set": check.bound_from.map(|_| check.bound_set),
            "rests_on": standing.rests_on,
            "weakest": standing.weakest,
            "share": share,
            "test": judgement.verdict,
            "verdict": standing.verdict,
            "margin": judgement.margin.map_or(Value::Null, number_or_null),
            "evidence": judgement.evidence,
            "note": self.note(),
        })
    }
}

impl Judged {
    fn new(statement: &Statement, is_finding: bool, checks: Vec<JudgedCheck>) -> Self {
        Self { verdict: verdict_of(statement, &checks, None), statement: statement.clone(), is_finding, checks }
    }

    /// Whether its verdict, or that of a check, differs from the expected one.
    #[must_use]
    pub fn differs(&self) -> bool {
        (self.verdict != self.statement.expected && !self.is_excused()) || self.checks.iter().any(JudgedCheck::differs)
    }

    /// Whether it differs from what is expected by more than times, which are those of one machine.
    #[must_use]
    pub fn is_surprise(&self) -> bool {
        self.differs() && !self.differs_by_times()
    }

    /// Whether it differs from what is expected, and other times would make it as expected.
    #[must_use]
    pub fn differs_by_times(&self) -> bool {
        let expected = self.statement.expected;
        let could_be =
            || Verdict::ALL.into_iter().any(|times| verdict_of(&self.statement, &self.checks, Some(times)) == expected);
        self.differs()
            && self.checks.iter().all(|check| !check.differs() || check.check.kind.is_of_time())
            && (self.verdict == expected || self.is_excused() || could_be())
    }

    /// Whether a check on anything but times cannot be tested on this machine.
    fn is_excused(&self) -> bool {
        self.checks.iter().any(|check| check.judgement.excused && !check.check.kind.is_of_time())
    }

    /// The weakest mark of its checks, of those that are judged where any is; none where it rests on no run.
    #[must_use]
    pub fn rests_on(&self) -> Option<Mark> {
        let weakest = |is_meant: &dyn Fn(&&JudgedCheck) -> bool| {
            self.checks.iter().filter(is_meant).filter_map(|check| check.standing.rests_on).max()
        };
        weakest(&|check| check.standing.verdict != Verdict::Untestable).or_else(|| weakest(&|_| true))
    }

    /// How many of its checks have a verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.checks.iter().filter(|check| check.standing.verdict == verdict).count()
    }

    /// How many of its checks are judged.
    #[must_use]
    pub fn judged(&self) -> usize {
        self.checks.len() - self.count(Verdict::Untestable)
    }

    /// `5 of 12` checks reproduced, with those that cannot be tested beside; empty where there is one.
    #[must_use]
    pub fn tally(&self) -> String {
        let beside = match self.count(Verdict::Untestable) {
            0 => String::new(),
            count => format!(", {count} untestable"),
        };
        match self.judged() {
            0 | 1 if beside.is_empty() || self.judged() == 0 => String::new(),
            judged => format!("{} of {judged}{beside}", self.count(Verdict::Reproduced)),
        }
    }

    /// The check that decides its verdict: the first that has it.
    #[must_use]
    pub fn deciding(&self) -> Option<&JudgedCheck> {
        let has = |verdict: Verdict| self.checks.iter().find(move |check| check.standing.verdict == verdict);
        has(self.verdict).or_else(|| self.checks.first())
    }

    /// The text of its object in `claims.json`, its checks a line each.
    fn json(&self) -> String {
        let mut fields = Map::new();
        let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        add("id", json!(self.statement.id));
        add("finding", json!(self.is_finding));
        add("place", json!(self.statement.place));
        add("statement", json!(self.statement.says));
        add("rule", json!(self.statement.rule));
        add("verdict", json!(self.verdict));
        add("expected", json!(self.statement.expected));
        add("because", json!(self.statement.because));
        add("rests_on", json!(self.rests_on()));
        let share = (self.judged() > 0)
            .then(|| json!({ "reproduced": self.count(Verdict::Reproduced), "judged": self.judged() }));
        add("share", json!(share));
        let mut lines: Vec<String> =
            fields.into_iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
        let checks: Vec<String> = self.checks.iter().map(|check| check.fields().to_string()).collect();
        lines.push(format!("\"checks\": [\n{}\n]", checks.join(",\n")));
        format!("{{\n{}\n}}", lines.join(",\n"))
    }
}

/// The verdict of a statement with these checks; with `times`, as if each check on times had that verdict.
fn verdict_of(statement: &Statement, checks: &[JudgedCheck], times: Option<Verdict>) -> Verdict {
    let verdicts = checks.iter().map(|each| {
        let is_time = each.check.kind.is_of_time();
        (is_time, times.filter(|_| is_time).unwrap_or(each.standing.verdict))
    });
    let verdicts: Vec<(bool, Verdict)> = verdicts.collect();
    // If times leave a check open, counts of work decide.
    let is_counted = |&(is_time, verdict): &(bool, Verdict)| {
        !is_time && !matches!(verdict, Verdict::Inconclusive | Verdict::Untestable)
    };
    let has_counts = verdicts.iter().any(is_counted);
    let left =
        verdicts.into_iter().filter(|&(is_time, verdict)| !(has_counts && is_time && verdict == Verdict::Inconclusive));
    statement.rule.verdict(&left.map(|(_, verdict)| verdict).collect::<Vec<_>>())
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
        let has_counts = statement.checks.iter().any(|check| !check.kind.is_of_time() && check.kind.is_testable());
        let company = Company { is_finding, has_counts };
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

/// The text of `claims.json`: a list, one statement after the other, each with a line for each of its keys and of its checks.
#[must_use]
pub fn to_json(judged: &[Judged]) -> String {
    let statements: Vec<String> = judged.par_iter().map(Judged::json).collect();
    format!("[\n{}\n]\n", statements.join(",\n"))
}

/// How many statements have each verdict, by what they rest on.
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
            *scores.counts.entry((each.verdict, each.rests_on())).or_default() += 1;
            scores.checks += each.checks.len();
        }
        scores
    }

    /// Statements with a verdict.
    #[must_use]
    pub fn with(&self, verdict: Verdict) -> usize {
        self.counts.iter().filter(|((own, _), _)| *own == verdict).map(|(_, count)| count).sum()
    }

    /// Statements with a verdict that rest on one of these marks.
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

/// What statements are counted by: a heading with the marks that fall under it.
pub const GROUNDS: [(&str, &[Option<Mark>]); 5] = [
    ("printed or authors' input", &[Some(Mark::Printed), Some(Mark::AuthorsInput)]),
    ("chosen", &[Some(Mark::Chosen)]),
    ("calibrated", &[Some(Mark::Calibrated)]),
    ("stand-in", &[Some(Mark::StandIn)]),
    ("nothing to run", &[None]),
];

impl Rule {
    /// What the rule asks, in words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::All => "all of its checks have to hold",
            Self::Most => "most of its checks have to hold",
            Self::Readings => "its readings have to agree",
        }
    }
}
