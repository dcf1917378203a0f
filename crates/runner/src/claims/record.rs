//! Judged claims as files and tables.

use serde_json::{Map, Value, json};

use super::{Claim, Judgement, Ledger, Test, Verdict};
use crate::results::decimal;

/// A claim with its judgement.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// The verdict with what it rests on.
    pub judgement: Judgement,
}

impl Judged {
    /// Whether the verdict differs from the one that we stand by. A method that is not available here surprises nobody.
    #[must_use]
    pub fn is_surprise(&self) -> bool {
        self.judgement.verdict != self.claim.expected && !self.judgement.excused
    }

    /// What the paper prints, or the bound that its words set.
    #[must_use]
    pub fn published(&self) -> String {
        match (self.claim.kind.published(), self.claim.kind.test()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(bound @ Test::Within { .. })) => bound.to_string(),
            _ => String::new(),
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

    /// Its keys in `claims.json` with their values.
    fn fields(&self) -> Map<String, Value> {
        let (claim, judgement) = (&self.claim, &self.judgement);
        let measured = match (judgement.measured, judgement.details.as_slice()) {
            (Some(number), _) => number_or_null(number),
            (None, []) => Value::Null,
            (None, details) => details
                .iter()
                .map(|detail| {
                    json!({
                        "name": detail.name,
                        "published": detail.published,
                        "measured": detail.measured.map_or(Value::Null, number_or_null),
                        "holds": detail.holds,
                    })
                })
                .collect(),
        };
        let mut fields = Map::new();
        let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        add("id", json!(claim.id));
        add("place", json!(claim.place));
        add("statement", json!(claim.statement));
        add("kind", json!(claim.kind.name()));
        add("published", claim.kind.published().map_or(Value::Null, |text| json!(text)));
        add("measured", measured);
        add("tolerance", claim.kind.test().map_or(Value::Null, |test| json!(test.to_string())));
        add("why", json!(claim.why));
        add("verdict", json!(judgement.verdict));
        add("expected", json!(claim.expected));
        add("margin", judgement.margin.map_or(Value::Null, number_or_null));
        add("calibrated", json!(claim.calibrated));
        add("evidence", json!(judgement.evidence));
        let note: Vec<&str> =
            [judgement.note.as_str(), claim.because.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
        add("note", json!(note.join(" ")));
        fields
    }
}

fn number_or_null(number: f64) -> Value {
    serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// A number in four digits.
#[must_use]
pub fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return decimal(number);
    }
    if (1e-3..1e5).contains(&number.abs()) {
        let decimals = 3 - number.abs().log10().floor() as i32;
        return format!("{number:.*}", usize::try_from(decimals).unwrap_or(0));
    }
    format!("{number:.3e}")
}

/// Judges all claims of a ledger.
#[must_use]
pub fn judge_all(ledger: &Ledger, evidence: &super::Evidence<'_>) -> Vec<Judged> {
    let judged =
        |claim: &Claim| Judged { judgement: super::judge(&ledger.paper, claim, evidence), claim: claim.clone() };
    ledger.claims.iter().map(judged).collect()
}

/// The text of `claims.json`: a list, one claim after the other, each with a line for each of its keys.
#[must_use]
pub fn to_json(judged: &[Judged]) -> String {
    let claim = |judged: &Judged| {
        let fields: Vec<String> =
            judged.fields().into_iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
        format!("{{\n{}\n}}", fields.join(",\n"))
    };
    let claims: Vec<String> = judged.iter().map(claim).collect();
    format!("[\n{}\n]\n", claims.join(",\n"))
}

/// How many claims have each verdict, calibrated ones apart: `(verdict, count, of them calibrated)`.
#[must_use]
pub fn counts(judged: &[Judged]) -> Vec<(Verdict, usize, usize)> {
    Verdict::ALL
        .into_iter()
        .map(|verdict| {
            let of_verdict = || judged.iter().filter(move |judged| judged.judgement.verdict == verdict);
            (verdict, of_verdict().count(), of_verdict().filter(|judged| judged.claim.calibrated).count())
        })
        .collect()
}
