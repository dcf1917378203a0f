//! Judged statements written to files and tables.

use mbsbench_experiment::Provenance;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Counts, Judged, JudgedCheck, Reason, Verdict};

impl JudgedCheck {
    /// Its keys and values in `claims.json`; a key without a value is left out.
    fn fields(&self) -> Value {
        let Self { check, judgement, outcome, rests_on, ours, share } = self;
        let measured = match (judgement.measured, judgement.details.as_slice()) {
            (Some(number), _) => json!(number),
            (None, []) => Value::Null,
            (None, details) => json!(details),
        };
        let share = share.as_ref().map(|share| {
            let turned = share.turned().map(|(reading, verdict)| json!({ "reading": reading, "verdict": verdict }));
            json!({
                "share": share.same() as f64 / share.samples() as f64,
                "low": share.interval()[0],
                "high": share.interval()[1],
                "samples": share.samples(),
                "open": share.counts.of(Verdict::Open),
                "tried": share.tried,
                "conditioned": share.is_conditioned,
                "readings": share.readings.len() - share.excluded().count(),
                "excluded": share.excluded().collect::<Vec<_>>(),
                "turned": turned.collect::<Vec<_>>(),
                "decided_by": share.decided,
            })
        });
        let mut fields = json!({
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
            "rests_on": rests_on,
            "ours": ours,
            "share": share,
            "test": judgement.verdict,
            "verdict": self.verdict(),
            "reason": outcome.reason().map(Reason::name),
            "detail": outcome.reason().map(Reason::detail),
            "margin": judgement.margin,
            "evidence": judgement.evidence,
            "note": self.note(),
        });
        fields.as_object_mut().into_iter().for_each(|fields| fields.retain(|_, value| !value.is_null()));
        fields
    }
}

impl Judged {
    /// The text of its object in `claims.json`, with one line for each check.
    fn json(&self) -> String {
        let [holding, firm, all] = [self.holding(), self.count(Verdict::Reproduced), self.carrying().count()];
        let statement = &self.statement;
        let fields = json!({
            "id": statement.id,
            "finding": self.is_finding,
            "place": statement.place,
            "statement": statement.says,
            "holds": statement.holds,
            "verdict": self.verdict(),
            "reason": self.outcome.reason().map(Reason::name),
            "detail": self.outcome.reason().map(Reason::detail),
            "expected": statement.expected(),
            "because": statement.because,
            "rests_on": self.rests_on(),
            "share": { "holds_here": holding, "reproduced": firm, "checks": all },
        });
        let mut lines: Vec<String> =
            fields.as_object().into_iter().flatten().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        let checks: Vec<String> = self.checks.iter().map(|check| check.fields().to_string()).collect();
        lines.push(format!("\"checks\":[\n{}\n]", checks.join(",\n")));
        format!("{{\n{}\n}}", lines.join(",\n"))
    }
}

/// Returns the text of `claims.json`: a list of statements, with one line for each key and each check.
pub fn to_json(judged: &[Judged]) -> String {
    let statements: Vec<String> = judged.par_iter().map(Judged::json).collect();
    format!("[\n{}\n]\n", statements.join(",\n"))
}

/// Numbers of statements by outcome and by the weakest mark behind them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scores {
    outcomes: Vec<(Verdict, Option<Provenance>)>,
    /// The number of their checks.
    pub checks: usize,
}

impl Scores {
    /// Counts the findings if `is_finding`, else the statements of the paper.
    pub fn of(judged: &[Judged], is_finding: bool) -> Self {
        let own = || judged.iter().filter(|each| each.is_finding == is_finding);
        Self {
            outcomes: own().map(|each| (each.verdict(), each.rests_on())).collect(),
            checks: own().map(|each| each.checks.len()).sum(),
        }
    }

    /// The number of statements with each verdict.
    pub fn verdicts(&self) -> Counts {
        self.outcomes.iter().map(|(verdict, _)| *verdict).collect()
    }

    /// The number of statements with this verdict whose weakest mark is one of `marks`.
    pub fn on(&self, verdict: Verdict, marks: &[Option<Provenance>]) -> usize {
        self.outcomes.iter().filter(|(own, mark)| *own == verdict && marks.contains(mark)).count()
    }

    /// The number of all statements.
    pub fn total(&self) -> usize {
        self.outcomes.len()
    }
}

/// The two grounds shown to readers, and statements without a run, each with the marks of experiment files that it
/// covers.
pub const GROUNDS: [(&str, &[Option<Provenance>]); 3] = [
    ("as printed", &[Some(Provenance::Printed), Some(Provenance::Authors)]),
    ("set-up partly ours", &[Some(Provenance::Chosen), Some(Provenance::Calibrated), Some(Provenance::StandIn)]),
    ("nothing to run", &[None]),
];

/// The ground shown to readers: `as printed` or `set-up partly ours`; empty if nothing is run.
pub fn ground_of(mark: Option<Provenance>) -> &'static str {
    let is_meant = |(_, marks): &&(&'static str, &[Option<Provenance>])| mark.is_some() && marks.contains(&mark);
    GROUNDS.iter().find(is_meant).map_or("", |(name, _)| name)
}
