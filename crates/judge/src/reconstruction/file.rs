//! `reconstruction.csv`, the file with the findings of a reconstruction.

use std::io;

use csv::StringRecord;
use mbsbench_numbers::decimal;

use super::explain::{Explanation, Side, Split};
use super::finding::{Finding, Findings, Tally};
use crate::claims::{Counts, Verdict};

/// The columns: the check with its counts, then the two splits that explain it.
const HEAD: &str = "kind,name,tried,met,definition,nominal,reproduced,partly,not_reproduced,open,counted,\
    share,low,high,first_variable,first_distance,first_threshold,first_holds_where,\
    first_holds_below,first_samples_below,first_holds_above,first_samples_above,\
    second_variable,second_distance,second_threshold,second_holds_where,\
    second_holds_below,second_samples_below,second_holds_above,second_samples_above,\
    second_where_first,readings,left_out";
/// The first columns of the first split, of the second split and of the rest.
const PARTS: [usize; 3] = [14, 22, 30];
/// Separators between readings in a cell, and between a reading and its verdict.
const BETWEEN: [&str; 2] = ["; ", ": "];
/// The entry for a reading that the givens exclude.
const EXCLUDED: &str = "excluded";
/// Kinds of lines: the search, its failed runs, givens, readings, conflicts and checks.
const SEARCH: &str = "search";
const FAILED: &str = "failed";
const GIVEN: &str = "given";
const READING: &str = "reading";
const CONFLICT: &str = "conflict";
const CHECK: &str = "check";
/// The distribution of the set-ups over the accepted ones.
const EVEN: [&str; 2] = ["as found", "even"];

impl Findings {
    /// Returns the text of `reconstruction.csv`: one line for the search and for each given, reading, conflict and
    /// check.
    ///
    /// # Errors
    /// None in practice, because the text is written to memory.
    pub fn to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        writer.write_record(HEAD.split(','))?;
        let [tried, failed] = self.tried;
        let search = [(SEARCH, EVEN[usize::from(self.is_even)], tried, self.set_ups), (FAILED, "runs", tried, failed)];
        let givens = self.givens.iter().map(|Tally { name, tried, met }| (GIVEN, name.as_str(), *tried, *met));
        let readings = self.readings.iter().map(|Tally { name, tried, met }| (READING, name.as_str(), *tried, *met));
        let conflicts = self.conflicts.iter().map(|names| (CONFLICT, names.as_str(), tried, 0));
        for line in search.into_iter().chain(givens).chain(readings).chain(conflicts) {
            writer.serialize((line, [""; 29]))?;
        }
        for finding in &self.checks {
            let Finding { check, definition, nominal, counted, verdicts, explanation, left_out, .. } = finding;
            let [low, high] = finding.interval();
            let is_judged = finding.count().samples > 0;
            let shares = [finding.share(), low, high].map(|share| is_judged.then(|| decimal(share)));
            let Explanation { first, second } = explanation;
            let steps = [first.as_ref(), second.as_ref().map(|(_, split)| split)].map(step_cells);
            let side = second.as_ref().map(|(side, _)| side);
            let head = (CHECK, check, "", "", definition, nominal, verdicts, counted);
            writer.serialize((head, shares, steps, side, readings_cell(&finding.readings), left_out))?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    /// Reads `reconstruction.csv`.
    ///
    /// # Errors
    /// Fails if the text is not such a file.
    pub fn read_csv(text: &str) -> Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        if !reader.headers()?.iter().eq(HEAD.split(',')) {
            return Err(wrong("the columns differ; run `mbsbench reconstruct` again").into());
        }
        let mut found = Self::default();
        for record in reader.records() {
            let record = record?;
            if &record[0] == CHECK {
                found.checks.push(Finding::read(&record)?);
                continue;
            }
            let (kind, name, tried, met): (String, String, usize, usize) = record.deserialize(None)?;
            match kind.as_str() {
                SEARCH => {
                    (found.tried[0], found.set_ups) = (tried, met);
                    found.is_even = name == EVEN[1];
                }
                FAILED => found.tried[1] = met,
                GIVEN => found.givens.push(Tally { name, tried, met }),
                READING => found.readings.push(Tally { name, tried, met }),
                CONFLICT => found.conflicts.push(name),
                _ => return Err(wrong(&kind).into()),
            }
        }
        Ok(found)
    }
}

impl Finding {
    fn read(record: &StringRecord) -> Result<Self, csv::Error> {
        type Head = (String, String, String, String, String, Verdict, Counts, Verdict);
        let (_, check, _, _, definition, nominal, verdicts, counted): Head = record.deserialize(None)?;
        let [first, second, rest] = PARTS;
        let (first, second) = (step(record, first)?, step(record, second)?);
        let rest: StringRecord = record.iter().skip(rest).collect();
        let (side, readings, left_out): (Option<Side>, String, Option<String>) = rest.deserialize(None)?;
        let explanation = Explanation { first, second: side.zip(second) };
        let readings = readings_of(&readings)?;
        Ok(Self { check, definition, nominal, counted, verdicts, readings, explanation, left_out })
    }
}

fn step_cells(split: Option<&Split>) -> [String; 8] {
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

/// Returns the split whose cells begin at a column; `None` if they are empty.
fn step(record: &StringRecord, first: usize) -> Result<Option<Split>, csv::Error> {
    let cells: StringRecord = record.iter().skip(first).take(8).collect();
    if cells[0].is_empty() { Ok(None) } else { cells.deserialize(None).map(Some) }
}

fn readings_cell(readings: &[(String, Option<Verdict>)]) -> String {
    let [between, before] = BETWEEN;
    let cell = |(name, verdict): &(String, Option<Verdict>)| {
        format!("{name}{before}{}", verdict.map_or(EXCLUDED, Verdict::name))
    };
    readings.iter().map(cell).collect::<Vec<_>>().join(between)
}

fn readings_of(cell: &str) -> io::Result<Vec<(String, Option<Verdict>)>> {
    let [between, before] = BETWEEN;
    let reading = |text: &str| {
        let (name, said) = text.rsplit_once(before).ok_or_else(|| wrong(text))?;
        let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.name() == said);
        if verdict.is_none() && said != EXCLUDED { Err(wrong(text)) } else { Ok((name.to_owned(), verdict)) }
    };
    cell.split(between).filter(|text| !text.is_empty()).map(reading).collect()
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::super::explain::Count;
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
    fn findings_round_trip_through_files() {
        let plain = Finding {
            nominal: Verdict::Partly,
            counted: Verdict::Reproduced,
            verdicts: Counts([50, 0, 0, 0]),
            check: "figure-2/a".to_owned(),
            definition: "0123".to_owned(),
            ..Finding::default()
        };
        let divided = Finding {
            check: "b".into(),
            counted: Verdict::Partly,
            verdicts: Counts([0, 7, 43, 14]),
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
            checks: vec![
                plain,
                divided,
                Finding { check: "c".to_owned(), left_out: Some("times".to_owned()), ..Finding::default() },
            ],
        };
        let text = String::from_utf8(findings.to_csv().unwrap()).unwrap();
        assert_eq!(Findings::read_csv(&text).unwrap(), findings);
        assert!(Findings::read_csv(&text.replacen("not_reproduced", "refuted", 1)).is_err());
        assert!(Findings::read_csv(&text.replacen("50", "fifty", 1)).is_err());
    }
}
