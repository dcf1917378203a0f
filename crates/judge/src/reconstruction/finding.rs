//! What a reconstruction finds, and `reconstruction.csv`, which keeps it.

use std::collections::HashMap;
use std::io;
use std::str::FromStr;

use mbsbench_numbers::decimal;

use super::explain::{Count, Explanation, Side, Split, explain};
use super::reconstruction::{Reconstruction, Sampled, Tally};
use super::statistics::wilson;
use super::words;
use crate::claims::{Counts, Verdict};

/// Everything that a reconstruction finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// What the paper prints about the set-up; empty if nothing is conditioned on.
    pub givens: Vec<Tally>,
    /// The readings.
    pub readings: Vec<Tally>,
    /// Givens that no set-up met together.
    pub conflicts: Vec<String>,
    /// Set-ups that were evaluated, and those of them some of whose runs failed.
    pub tried: [usize; 2],
    /// Set-ups in which checks were judged.
    pub set_ups: usize,
    /// Whether these are evenly distributed over all that are accepted.
    pub is_even: bool,
    /// The checks that were judged, then those that were left out.
    pub checks: Vec<Finding>,
}

/// How a check fares over set-ups and readings, and what decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Id of the check.
    pub check: String,
    /// A hash of what it was judged on; a check or an experiment that has changed since has another.
    pub definition: String,
    /// What its test says of the nominal numbers.
    pub nominal: Verdict,
    /// The verdict whose share is counted.
    pub counted: Verdict,
    /// Set-ups with each verdict.
    pub verdicts: Counts,
    /// Other readings with what the test says there; none if the givens exclude them.
    pub readings: Vec<(String, Option<Verdict>)>,
    /// What decides.
    pub explanation: Explanation,
    /// What it rests on that keeps it from being judged.
    pub left_out: Option<String>,
}

/// Columns of `reconstruction.csv` before those of the two steps.
const COUNTS: [&str; 14] = [
    "kind",
    "name",
    "tried",
    "met",
    "definition",
    "nominal",
    "reproduced",
    "partly",
    "not_reproduced",
    "open",
    "counted",
    "share",
    "low",
    "high",
];
/// Columns of a step, each with the name of the step before it.
const STEP: [&str; 8] = [
    "variable",
    "distance",
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
const REST: [&str; 3] = ["second_where_first", "readings", "left_out"];
/// Between readings in a cell, and between a reading and its verdict.
const BETWEEN: [&str; 2] = ["; ", ": "];
/// What is said of a reading that the givens exclude.
const EXCLUDED: &str = "excluded";
/// Kinds of lines: the search, its failed runs, givens, readings, conflicts and checks.
const SEARCH: &str = "search";
const FAILED: &str = "failed";
const GIVEN: &str = "given";
const READING: &str = "reading";
const CONFLICT: &str = "conflict";
const CHECK: &str = "check";
/// How set-ups are distributed over those that are accepted.
const EVEN: [&str; 2] = ["as found", "even"];

impl Finding {
    /// Set-ups with the counted verdict, of those that decide the check.
    #[must_use]
    pub fn count(&self) -> Count {
        Count { holds: self.verdicts.of(self.counted), samples: self.verdicts.judged() }
    }

    /// The share of set-ups with the counted verdict; NaN if none decides it.
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

    /// Whether some set-ups have the counted verdict and others have not.
    #[must_use]
    pub fn is_divided(&self) -> bool {
        let Count { holds, samples } = self.count();
        0 < holds && holds < samples
    }

    /// Readings under which the verdict is not the counted one; of accepted set-ups, the prevailing verdict.
    pub fn turned(&self) -> impl Iterator<Item = (&str, Verdict)> {
        let there = self.readings.iter().filter_map(|(name, verdict)| Some((name.as_str(), (*verdict)?)));
        there.filter(|(_, verdict)| *verdict != self.counted)
    }

    fn of(found: &Reconstruction, sampled: &Sampled) -> Self {
        Self {
            check: sampled.check.clone(),
            definition: sampled.definition.clone(),
            nominal: sampled.nominal,
            counted: sampled.counted,
            verdicts: sampled.counts(),
            readings: sampled.readings.clone(),
            explanation: explain(&found.variables, &sampled.has_counted()),
            left_out: None,
        }
    }

    /// A check that was not judged, for a reason.
    fn left_out(check: &str, reason: &str) -> Self {
        Self {
            check: check.to_owned(),
            definition: String::new(),
            nominal: Verdict::Open,
            counted: Verdict::Open,
            verdicts: Counts::default(),
            readings: Vec::new(),
            explanation: Explanation::default(),
            left_out: Some(reason.to_owned()),
        }
    }

    /// What decides, in words; empty if nothing does.
    #[must_use]
    pub fn decided(&self, variables: &[&str]) -> String {
        if self.explanation.first.is_none() {
            return String::new();
        }
        words::decided(self, |name| words::short_name(name, variables))
    }

    fn cells(&self) -> Vec<String> {
        let [low, high] = self.interval();
        let Counts { reproduced, partly, not_reproduced, open } = self.verdicts;
        let counts = [reproduced, partly, not_reproduced, open].map(|count| count.to_string());
        let samples = self.count().samples;
        let shares = if samples == 0 { Default::default() } else { [self.share(), low, high].map(decimal) };
        let Explanation { first, second } = &self.explanation;
        let (side, second) = second.as_ref().map_or((None, None), |(side, split)| (Some(side.name()), Some(split)));
        let [between, before] = BETWEEN;
        let said = |verdict: &Option<Verdict>| verdict.map_or(EXCLUDED, Verdict::name);
        let readings: Vec<String> =
            self.readings.iter().map(|(name, verdict)| format!("{name}{before}{}", said(verdict))).collect();
        let rest =
            [side.unwrap_or_default().to_owned(), readings.join(between), self.left_out.clone().unwrap_or_default()];
        let steps = [first.as_ref(), second].into_iter().flat_map(step_cells);
        let names = [CHECK, &self.check, "", "", &self.definition, self.nominal.name()].map(str::to_owned);
        let counted = std::iter::once(self.counted.name().to_owned());
        names.into_iter().chain(counts).chain(counted).chain(shares).chain(steps).chain(rest).collect()
    }

    fn read(cells: &Cells) -> io::Result<Self> {
        let second = cells.step(STEPS[1])?;
        let verdicts = Counts {
            reproduced: cells.one("reproduced")?,
            partly: cells.one("partly")?,
            not_reproduced: cells.one("not_reproduced")?,
            open: cells.one("open")?,
        };
        let one = |column: &str| cells.one::<String>(column).and_then(|name| verdict(column, &name));
        Ok(Self {
            check: cells.one("name")?,
            definition: cells.maybe("definition")?.unwrap_or_default(),
            nominal: one("nominal")?,
            counted: one("counted")?,
            verdicts,
            readings: cells.readings()?,
            explanation: Explanation {
                first: cells.step(STEPS[0])?,
                second: cells.side("second_where_first")?.zip(second),
            },
            left_out: cells.maybe("left_out")?,
        })
    }
}

impl Findings {
    /// What a reconstruction finds.
    #[must_use]
    pub fn new(found: &Reconstruction) -> Self {
        let left_out = found.left_out.iter().map(|(check, reason)| Finding::left_out(check, reason.name()));
        Self {
            givens: found.givens.clone(),
            readings: found.readings.clone(),
            conflicts: found.conflicts.iter().map(|givens| givens.join(", ")).collect(),
            tried: found.tried,
            set_ups: found.set_ups(),
            is_even: found.is_even,
            checks: found.checks.iter().map(|check| Finding::of(found, check)).chain(left_out).collect(),
        }
    }

    /// Whether set-ups were accepted by what is given.
    #[must_use]
    pub fn is_conditioned(&self) -> bool {
        !self.givens.is_empty()
    }

    /// The text of `reconstruction.csv`: one line for the search, each given, reading, conflict and check.
    ///
    /// # Errors
    /// None in practice: the text is made in memory.
    pub fn to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        let steps = STEPS.iter().flat_map(|step| STEP.iter().map(move |column| format!("{step}_{column}")));
        let head: Vec<String> = owned(&COUNTS).into_iter().chain(steps).chain(owned(&REST)).collect();
        writer.write_record(&head)?;
        let [tried, failed] = self.tried;
        let tally = |name: &str, tried, met| Tally { name: name.to_owned(), tried, met };
        let search = [
            (SEARCH, tally(EVEN[usize::from(self.is_even)], tried, self.set_ups)),
            (FAILED, tally("runs", tried, failed)),
        ];
        let givens = self.givens.iter().map(|given| (GIVEN, given.clone()));
        let readings = self.readings.iter().map(|reading| (READING, reading.clone()));
        let conflicts = self.conflicts.iter().map(|names| (CONFLICT, tally(names, tried, 0)));
        for (kind, Tally { name, tried, met }) in search.into_iter().chain(givens).chain(readings).chain(conflicts) {
            let cells = [kind.to_owned(), name, tried.to_string(), met.to_string()].into_iter();
            writer.write_record(cells.chain(std::iter::repeat_n(String::new(), head.len() - 4)))?;
        }
        for finding in &self.checks {
            writer.write_record(finding.cells())?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    /// Reads `reconstruction.csv`.
    ///
    /// # Errors
    /// A text that is not such a file.
    pub fn read_csv(text: &str) -> Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut found = Self::default();
        for record in reader.deserialize() {
            let cells = Cells(record?);
            let (kind, name): (String, String) = (cells.one("kind")?, cells.one("name")?);
            if kind == CHECK {
                found.checks.push(Finding::read(&cells)?);
                continue;
            }
            let (tried, met) = (cells.one("tried")?, cells.one("met")?);
            match kind.as_str() {
                SEARCH => {
                    (found.tried[0], found.set_ups) = (tried, met);
                    found.is_even = name == EVEN[1];
                }
                FAILED => found.tried[1] = met,
                GIVEN => found.givens.push(Tally { name, tried, met }),
                READING => found.readings.push(Tally { name, tried, met }),
                CONFLICT => found.conflicts.push(name),
                _ => return Err(wrong("kind", &kind).into()),
            }
        }
        Ok(found)
    }
}

fn step_cells(split: Option<&Split>) -> [String; STEP.len()] {
    let Some(split) = split else { return Default::default() };
    let [below, above] = split.counts;
    [
        split.variable.clone(),
        decimal(split.distance),
        split.threshold.map(decimal).unwrap_or_default(),
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

/// A line of `reconstruction.csv` by its columns.
struct Cells(HashMap<String, String>);

impl Cells {
    /// The value of a cell; none if it is empty.
    fn maybe<T: FromStr>(&self, column: &str) -> io::Result<Option<T>> {
        let text = self.0.get(column).ok_or_else(|| wrong(column, "missing; run `mbsbench reconstruct` again"))?;
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| wrong(column, text))
    }

    fn one<T: FromStr>(&self, column: &str) -> io::Result<T> {
        self.maybe(column)?.ok_or_else(|| wrong(column, "an empty cell"))
    }

    fn readings(&self) -> io::Result<Vec<(String, Option<Verdict>)>> {
        let text: String = self.maybe("readings")?.unwrap_or_default();
        let [between, before] = BETWEEN;
        let reading = |text: &str| {
            let (name, said) = text.rsplit_once(before).ok_or_else(|| wrong("readings", text))?;
            let said = if said == EXCLUDED { None } else { Some(verdict("readings", said)?) };
            Ok((name.to_owned(), said))
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
            threshold: self.maybe(&column("threshold"))?,
            holds: self.side(&column("holds_where"))?.unwrap_or(Side::Above),
            counts: [count("below")?, count("above")?],
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(variable: &str, holds: Side, threshold: Option<f64>) -> Split {
        Split {
            variable: variable.to_owned(),
            distance: 1.0 / 3.0,
            threshold,
            holds,
            counts: [Count { holds: 7, samples: 9 }, Count { holds: 0, samples: 41 }],
        }
    }

    #[test]
    fn files_give_back_what_was_found() {
        let plain = Finding {
            check: "figure-2/a".into(),
            definition: "0123".into(),
            nominal: Verdict::Partly,
            counted: Verdict::Reproduced,
            verdicts: Counts { reproduced: 50, ..Counts::default() },
            readings: Vec::new(),
            explanation: Explanation::default(),
            left_out: None,
        };
        let divided = Finding {
            check: "b".into(),
            counted: Verdict::Partly,
            verdicts: Counts { partly: 7, not_reproduced: 43, open: 14, reproduced: 0 },
            readings: vec![
                ("charts = a: b".into(), Some(Verdict::Reproduced)),
                ("mass".into(), None),
                ("length".into(), Some(Verdict::Partly)),
            ],
            explanation: Explanation {
                first: Some(split("model.mass", Side::Below, Some(1e-7 / 3.0))),
                second: Some((Side::Above, split("\"charts\", read so", Side::Above, None))),
            },
            ..plain.clone()
        };
        assert_eq!((divided.count(), divided.turned().count()), (Count { holds: 7, samples: 50 }, 1));
        let tally = |name: &str| Tally { name: name.to_owned(), tried: 300, met: 7 };
        let findings = Findings {
            givens: vec![tally("events")],
            readings: vec![tally("mass = 3, or so")],
            conflicts: vec!["events, steps".into()],
            tried: [400, 3],
            set_ups: 50,
            is_even: true,
            checks: vec![plain, divided, Finding::left_out("c", "times")],
        };
        let text = String::from_utf8(findings.to_csv().unwrap()).unwrap();
        assert_eq!(Findings::read_csv(&text).unwrap(), findings);
        assert!(Findings::read_csv(&text.replacen("not_reproduced", "refuted", 1)).is_err());
        assert!(Findings::read_csv(&text.replacen("50", "fifty", 1)).is_err());
    }
}
