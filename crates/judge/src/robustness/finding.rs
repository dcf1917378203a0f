//! What a study finds of each check, and `robustness.csv`, which keeps it.

use std::collections::HashMap;
use std::io;
use std::str::FromStr;

use mbsbench_numbers::decimal;

use super::explain::{Count, Explanation, Followed, Side, Split, explain, followed};
use super::statistics::wilson;
use super::{Sampled, Study, words};
use crate::claims::{Counts, Verdict};

/// How a check fares over the samples and readings, and what decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Id of the check.
    pub check: String,
    /// What was studied of it, as a hash; a check or an experiment that has changed since has another.
    pub definition: String,
    /// What its test says of the nominal numbers.
    pub nominal: Verdict,
    /// Samples with each verdict.
    pub verdicts: Counts,
    /// Other readings with what the test says there.
    pub readings: Vec<(String, Verdict)>,
    /// What decides.
    pub explanation: Explanation,
    /// What the measured number follows.
    pub follows: Option<Followed>,
    /// On what it rests that the study leaves out: it was not judged.
    pub left_out: Option<String>,
}

/// Columns of `robustness.csv` before those of the two steps: the share is that of the samples with the nominal verdict.
const COUNTS: [&str; 10] =
    ["check", "definition", "nominal", "reproduced", "partly", "contradicted", "inconclusive", "share", "low", "high"];
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
const REST: [&str; 5] = ["second_where_first", "value_follows", "value_follows_correlation", "readings", "left_out"];
/// Between readings in a cell, and between a reading and its verdict.
const BETWEEN: [&str; 2] = ["; ", ": "];

impl Finding {
    /// Samples with the nominal verdict, of those at which something can be said.
    #[must_use]
    pub fn count(&self) -> Count {
        Count { holds: self.verdicts.of(self.nominal), samples: self.verdicts.judged() }
    }

    /// The share of samples with the nominal verdict; NaN where nothing can be said at any.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.count().share()
    }

    /// The interval of 95 % confidence of the share.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        let Count { holds, samples } = self.count();
        wilson(holds, samples)
    }

    /// Samples with another verdict.
    #[must_use]
    pub fn fails(&self) -> usize {
        self.count().samples - self.count().holds
    }

    /// Whether some samples have the nominal verdict and others have not.
    #[must_use]
    pub fn is_divided(&self) -> bool {
        self.count().holds > 0 && self.fails() > 0
    }

    /// Readings under which the verdict is another.
    pub fn turned(&self) -> impl Iterator<Item = &(String, Verdict)> {
        self.readings.iter().filter(|(_, verdict)| *verdict != self.nominal)
    }

    fn of(study: &Study, sampled: &Sampled) -> Self {
        let outcomes = sampled.outcomes();
        Self {
            check: sampled.check.clone(),
            definition: sampled.definition.clone(),
            nominal: sampled.nominal,
            verdicts: sampled.counts(),
            readings: study.readings.iter().cloned().zip(sampled.readings.iter().copied()).collect(),
            explanation: explain(&study.variables, &outcomes),
            follows: followed(&study.variables, &outcomes),
            left_out: None,
        }
    }

    /// A check that was not judged, for a reason.
    fn left_out(check: &str, reason: &str) -> Self {
        Self {
            check: check.to_owned(),
            definition: String::new(),
            nominal: Verdict::Untestable,
            verdicts: Counts::default(),
            readings: Vec::new(),
            explanation: Explanation::default(),
            follows: None,
            left_out: Some(reason.to_owned()),
        }
    }

    /// The findings of a study: the checks that were judged, then those that were left out.
    #[must_use]
    pub fn all(study: &Study) -> Vec<Self> {
        let left_out = study.left_out.iter().map(|(check, reason)| Self::left_out(check, reason.name()));
        study.checks.iter().map(|check| Self::of(study, check)).chain(left_out).collect()
    }

    /// What decides, in words; empty where nothing does.
    #[must_use]
    pub fn decided(&self, variables: &[&str]) -> String {
        if self.explanation.first.is_none() {
            return String::new();
        }
        words::decided(self, |name| words::short_name(name, variables))
    }

    /// The text of `robustness.csv`: one line a check.
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
        let Counts { reproduced, partly, contradicted, open } = self.verdicts;
        let counts = [reproduced, partly, contradicted, open].map(|count| count.to_string());
        let samples = self.count().samples;
        let shares = if samples == 0 { Default::default() } else { [self.share(), low, high].map(decimal) };
        let Explanation { first, second } = &self.explanation;
        let (side, second) = second.as_ref().map_or((None, None), |(side, split)| (Some(side.name()), Some(split)));
        let follows = self.follows.as_ref();
        let [between, before] = BETWEEN;
        let readings: Vec<String> =
            self.readings.iter().map(|(name, verdict)| format!("{name}{before}{verdict}")).collect();
        let rest = [
            side.unwrap_or_default().to_owned(),
            follows.map_or_else(String::new, |follows| follows.variable.clone()),
            follows.map_or_else(String::new, |follows| decimal(follows.rank_correlation)),
            readings.join(between),
            self.left_out.clone().unwrap_or_default(),
        ];
        let steps = [first.as_ref(), second].into_iter().flat_map(step_cells);
        let names = [self.check.clone(), self.definition.clone(), self.nominal.to_string()];
        names.into_iter().chain(counts).chain(shares).chain(steps).chain(rest).collect()
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
        let verdicts = Counts {
            reproduced: cells.one("reproduced")?,
            partly: cells.one("partly")?,
            contradicted: cells.one("contradicted")?,
            open: cells.one("inconclusive")?,
        };
        let nominal: String = cells.one("nominal")?;
        Ok(Self {
            check: cells.one("check")?,
            definition: cells.maybe("definition")?.unwrap_or_default(),
            nominal: verdict("nominal", &nominal)?,
            verdicts,
            readings: cells.readings()?,
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

fn wrong(column: &str, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("column `{column}`: {what}"))
}

fn verdict(column: &str, name: &str) -> io::Result<Verdict> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == name).ok_or_else(|| wrong(column, name))
}

/// A line of `robustness.csv` by its columns.
struct Cells(HashMap<String, String>);

impl Cells {
    /// What stands in a cell; none where it is empty.
    fn maybe<T: FromStr>(&self, column: &str) -> io::Result<Option<T>> {
        let text = self.0.get(column).ok_or_else(|| wrong(column, "not there; make the study anew"))?;
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| wrong(column, text))
    }

    fn one<T: FromStr>(&self, column: &str) -> io::Result<T> {
        let empty = || io::Error::new(io::ErrorKind::InvalidData, format!("column `{column}`: an empty cell"));
        self.maybe(column)?.ok_or_else(empty)
    }

    fn readings(&self) -> io::Result<Vec<(String, Verdict)>> {
        let text: String = self.maybe("readings")?.unwrap_or_default();
        let [between, before] = BETWEEN;
        let reading = |text: &str| {
            let (name, said) = text.rsplit_once(before).ok_or_else(|| wrong("readings", text))?;
            Ok((name.to_owned(), verdict("readings", said)?))
        };
        text.split(between).filter(|text| !text.is_empty()).map(reading).collect()
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
        let plain = Finding {
            check: "figure-2/a".into(),
            definition: "0123".into(),
            nominal: Verdict::Reproduced,
            verdicts: Counts { reproduced: 50, ..Counts::default() },
            readings: Vec::new(),
            explanation: Explanation::default(),
            follows: None,
            left_out: None,
        };
        let findings = [
            plain.clone(),
            Finding {
                follows: Some(Followed { variable: "x, y".into(), rank_correlation: -2.0 / 3.0 }),
                ..plain.clone()
            },
            Finding {
                check: "b".into(),
                nominal: Verdict::Partly,
                verdicts: Counts { partly: 7, contradicted: 43, open: 14, reproduced: 0 },
                readings: vec![("charts = a: b".into(), Verdict::Reproduced), ("mass".into(), Verdict::Partly)],
                explanation: Explanation {
                    first: Some(split("model.mass", Side::Below, Some(0.25))),
                    second: Some((Side::Above, split("\"phase\"", Side::Above, None))),
                },
                ..plain.clone()
            },
            Finding::left_out("", "times"),
        ];
        assert_eq!((findings[2].count(), findings[2].turned().count()), (Count { holds: 7, samples: 50 }, 1));
        let named = findings.map(|finding| Finding { check: format!("c{}", finding.check), ..finding });
        let text = String::from_utf8(Finding::to_csv(&named).unwrap()).unwrap();
        assert_eq!(Finding::read_csv(&text).unwrap(), named);
        assert!(Finding::read_csv(&text.replacen("inconclusive", "undecided", 1)).is_err());
        assert!(Finding::read_csv(&text.replacen("50", "fifty", 1)).is_err());
    }
}
