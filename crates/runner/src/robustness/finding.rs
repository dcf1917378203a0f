//! What a study finds of each claim, and `robustness.csv`, which keeps it.

use std::collections::HashMap;
use std::io;
use std::str::FromStr;

use super::explain::{Count, Explanation, Followed, Side, Split, explain, followed};
use super::statistics::wilson;
use super::{Sampled, Study};
use crate::results::decimal;

/// How a claim fares over the samples, and what decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Finding {
    /// Id of the claim.
    pub claim: String,
    /// Samples at which it holds, of those at which something can be said.
    pub count: Count,
    /// Samples at which nothing can be said, for want of a resolved reference or of a method.
    pub inconclusive: usize,
    /// What decides.
    pub explanation: Explanation,
    /// What the measured number follows.
    pub follows: Option<Followed>,
    /// On what it rests that the study leaves out: it was not judged.
    pub left_out: Option<String>,
}

/// Columns of `robustness.csv` before those of the two steps.
const COUNTS: [&str; 8] = ["claim", "samples", "holds", "fails", "inconclusive", "share", "low", "high"];
/// Columns of a step, each with the name of the step before it.
const STEP: [&str; 10] = [
    "variable",
    "distance",
    "rank_correlation",
    "value_correlation",
    "threshold",
    "holds_where",
    "holds_below",
    "samples_below",
    "holds_above",
    "samples_above",
];
/// The steps.
const STEPS: [&str; 2] = ["first", "second"];
/// Columns after those of the two steps.
const REST: [&str; 4] = ["second_where_first", "value_follows", "value_follows_correlation", "left_out"];

impl Finding {
    /// The share of samples in which it holds; NaN where nothing can be said at any.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.count.share()
    }

    /// The interval of 95 % confidence of the share.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        wilson(self.count.holds, self.count.samples)
    }

    /// Samples at which it does not hold.
    #[must_use]
    pub fn fails(&self) -> usize {
        self.count.samples - self.count.holds
    }

    /// Whether it holds at some samples and not at others.
    #[must_use]
    pub fn is_divided(&self) -> bool {
        self.count.holds > 0 && self.fails() > 0
    }

    fn of(study: &Study, claim: &Sampled) -> Self {
        let outcomes = claim.outcomes();
        let said: Vec<bool> = outcomes.holds.iter().filter_map(|&holds| holds).collect();
        let count = Count { holds: said.iter().filter(|&&holds| holds).count(), samples: said.len() };
        Self {
            claim: claim.claim.clone(),
            count,
            inconclusive: outcomes.holds.len() - count.samples,
            explanation: explain(&study.variables, &outcomes),
            follows: followed(&study.variables, &outcomes),
            left_out: None,
        }
    }

    /// The findings of a study: the claims that were judged, then those that were left out.
    #[must_use]
    pub fn all(study: &Study) -> Vec<Self> {
        let left_out = study.left_out.iter().map(|(claim, reason)| Self {
            claim: claim.clone(),
            left_out: Some(reason.name().to_owned()),
            ..Self::default()
        });
        study.claims.iter().map(|claim| Self::of(study, claim)).chain(left_out).collect()
    }

    /// The text of `robustness.csv`: one line a claim.
    ///
    /// # Errors
    /// None in practice: the text is made in memory.
    pub fn to_csv(findings: &[Self]) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let steps = STEPS.iter().flat_map(|step| STEP.iter().map(move |column| format!("{step}_{column}")));
        writer.write_record(owned(&COUNTS).chain(steps).chain(owned(&REST)))?;
        for finding in findings {
            writer.write_record(finding.cells())?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    fn cells(&self) -> Vec<String> {
        let [low, high] = self.interval();
        let Count { holds, samples } = self.count;
        let counts = [samples, holds, self.fails(), self.inconclusive].map(|count| count.to_string());
        let shares = if samples == 0 { Default::default() } else { [self.share(), low, high].map(decimal) };
        let Explanation { first, second } = &self.explanation;
        let (side, second) = second.as_ref().map_or((None, None), |(side, split)| (Some(side.name()), Some(split)));
        let follows = self.follows.as_ref();
        let rest = [
            side.unwrap_or_default().to_owned(),
            follows.map_or_else(String::new, |follows| follows.variable.clone()),
            follows.map_or_else(String::new, |follows| decimal(follows.rank_correlation)),
            self.left_out.clone().unwrap_or_default(),
        ];
        let steps = [first.as_ref(), second].into_iter().flat_map(step_cells);
        std::iter::once(self.claim.clone()).chain(counts).chain(shares).chain(steps).chain(rest).collect()
    }

    /// Reads `robustness.csv`.
    ///
    /// # Errors
    /// A text that is no such file.
    pub fn read_csv(text: &str) -> Result<Vec<Self>, csv::Error> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().map(|record| Ok(Self::read(&Cells(record?))?)).collect()
    }

    fn read(cells: &Cells) -> io::Result<Self> {
        let first = cells.step(STEPS[0])?;
        let second = cells.step(STEPS[1])?;
        let side = cells.side("second_where_first")?;
        let correlation: Option<f64> = cells.maybe("value_follows_correlation")?;
        let follows = cells
            .maybe("value_follows")?
            .zip(correlation)
            .map(|(variable, rank_correlation)| Followed { variable, rank_correlation });
        Ok(Self {
            claim: cells.one("claim")?,
            count: Count { holds: cells.one("holds")?, samples: cells.one("samples")? },
            inconclusive: cells.one("inconclusive")?,
            explanation: Explanation { first, second: side.zip(second) },
            follows,
            left_out: cells.maybe("left_out")?,
        })
    }
}

fn owned(names: &[&str]) -> impl Iterator<Item = String> {
    names.iter().map(|&name| name.to_owned())
}

fn step_cells(split: Option<&Split>) -> [String; STEP.len()] {
    let Some(split) = split else { return Default::default() };
    let [below, above] = split.counts;
    [
        split.variable.clone(),
        decimal(split.distance),
        decimal(split.rank_correlation),
        split.value_correlation.map(decimal).unwrap_or_default(),
        decimal(split.threshold),
        split.holds.name().to_owned(),
        below.holds.to_string(),
        below.samples.to_string(),
        above.holds.to_string(),
        above.samples.to_string(),
    ]
}

/// A line of `robustness.csv` by its columns.
struct Cells(HashMap<String, String>);

impl Cells {
    /// What stands in a cell; none where it is empty.
    fn maybe<T: FromStr>(&self, column: &str) -> io::Result<Option<T>> {
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("column `{column}`: {what}"));
        let text = self.0.get(column).ok_or_else(|| wrong("not there; make the study anew"))?;
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| wrong(text))
    }

    fn one<T: FromStr>(&self, column: &str) -> io::Result<T> {
        let empty = || io::Error::new(io::ErrorKind::InvalidData, format!("column `{column}`: an empty cell"));
        self.maybe(column)?.ok_or_else(empty)
    }

    fn side(&self, column: &str) -> io::Result<Option<Side>> {
        let name: Option<String> = self.maybe(column)?;
        Ok(name.and_then(|name| Side::BOTH.into_iter().find(|side| side.name() == name)))
    }

    fn step(&self, step: &str) -> io::Result<Option<Split>> {
        let column = |name: &str| format!("{step}_{name}");
        let Some(variable) = self.maybe(&column("variable"))? else { return Ok(None) };
        let count = |side: &str| -> io::Result<Count> {
            let one = |what: &str| self.one(&column(&format!("{what}_{side}")));
            Ok(Count { holds: one("holds")?, samples: one("samples")? })
        };
        Ok(Some(Split {
            variable,
            distance: self.one(&column("distance"))?,
            rank_correlation: self.one(&column("rank_correlation"))?,
            value_correlation: self.maybe(&column("value_correlation"))?,
            threshold: self.one(&column("threshold"))?,
            holds: self.side(&column("holds_where"))?.unwrap_or(Side::Above),
            counts: [count("below")?, count("above")?],
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(variable: &str, holds: Side, value_correlation: Option<f64>) -> Split {
        Split {
            variable: variable.to_owned(),
            distance: 1.0 / 3.0,
            rank_correlation: -0.1 - 0.2,
            value_correlation,
            threshold: 1e-7 / 3.0,
            holds,
            counts: [Count { holds: 7, samples: 9 }, Count { holds: 0, samples: 41 }],
        }
    }

    #[test]
    fn files_give_back_what_was_found() {
        let plain =
            Finding { claim: "figure-2/a".into(), count: Count { holds: 50, samples: 50 }, ..Finding::default() };
        let findings = [
            plain.clone(),
            Finding {
                follows: Some(Followed { variable: "x, y".into(), rank_correlation: -2.0 / 3.0 }),
                ..plain.clone()
            },
            Finding {
                claim: "b".into(),
                count: Count { holds: 7, samples: 50 },
                inconclusive: 14,
                explanation: Explanation {
                    first: Some(split("model.mass", Side::Below, Some(0.25))),
                    second: Some((Side::Above, split("\"phase\"", Side::Above, None))),
                },
                ..plain.clone()
            },
            Finding { left_out: Some("times".into()), ..Finding::default() },
        ];
        let named = findings.map(|finding| Finding { claim: format!("c{}", finding.claim), ..finding });
        let text = String::from_utf8(Finding::to_csv(&named).unwrap()).unwrap();
        assert_eq!(Finding::read_csv(&text).unwrap(), named);
        assert!(Finding::read_csv(&text.replacen("inconclusive", "undecided", 1)).is_err());
        assert!(Finding::read_csv(&text.replacen("50", "fifty", 1)).is_err());
    }
}
