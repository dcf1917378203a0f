//! Times of runs as columns: `timings.csv`, and what tables, figures and claims may name of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mbsbench_experiment::columns::TIMING;
use mbsbench_experiment::registry::CONTROLS;
use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_numbers::{csv, decimal, rounded};

use crate::execute::timing::{Timed, machine, median_and_spread};
use crate::pairs::{self, Interval};

/// The file below a folder of results that records the times of an experiment, which no seal covers.
pub fn path(results: &Path, id: &str) -> PathBuf {
    results.join("times").join(id).join("timings.csv")
}

/// The time of the steps of one run, all numbers to six digits, as they stand in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTiming {
    /// Median, s.
    pub median: f64,
    /// Half the distance of the quartiles, s.
    pub spread: f64,
    /// Median of the quotients, round by round, with the run that has the method `relative_to` and otherwise the same axes; none
    /// where several are.
    pub ratio: Option<Interval>,
    /// Whether the two are runs of the same code.
    pub same_code: bool,
    /// Median over the number of steps, and over the number that `per` names, ns.
    pub step_ns: f64,
    /// All samples, s, one a round.
    pub samples: Vec<f64>,
    /// Median of the times before the first step, s; not a number in files of a time when it was a part of the others.
    pub set_up: f64,
}

impl RunTiming {
    /// A column by its full name.
    pub fn number(&self, column: &str) -> Option<f64> {
        match column.strip_prefix(TIMING)? {
            "median_s" => Some(self.median),
            "spread_s" => Some(self.spread),
            "ratio" => self.ratio.map(|ratio| ratio.value),
            "step_ns" => Some(self.step_ns),
            "setup_s" => Some(self.set_up),
            _ => None,
        }
    }

    /// What a column is uncertain by: the larger side of its interval, with [`pairs::PLACEMENT`] for times of different code
    /// and for times that stand alone.
    pub fn uncertainty(&self, column: &str) -> f64 {
        match (column.strip_prefix(TIMING), self.ratio) {
            (Some("ratio"), Some(ratio)) => ratio.uncertainty(!self.same_code),
            (Some("median_s"), _) => pairs::median(&self.samples).uncertainty(true),
            (Some("step_ns"), _) => pairs::median(&self.samples).uncertainty(true) * self.step_ns / self.median,
            _ => f64::INFINITY,
        }
    }
}

/// Whether two runs are made by the same code, with other steps, tolerances or spans at most: then the place of the code in memory has
/// no part in the quotient of their times.
pub fn is_same_code(one: &RunSpec, other: &RunSpec) -> bool {
    one.method.identity() == other.method.identity() && one.model.identity() == other.model.identity()
}

/// For each run of a plan the one whose time is the unit of its own: with the method `relative_to` and otherwise the same axes; none
/// where there are none or several.
pub fn units(plan: &Plan) -> Vec<Option<usize>> {
    let label = plan.experiment.timing.as_ref().and_then(|timing| timing.relative_to.as_deref());
    let unit = |run: &RunSpec| {
        let (label, method) = (label?, plan.axis("method")?);
        // A method with a step of its own has none among the axes: it stands beside all of them.
        let stands_beside = |other: &RunSpec| {
            other.cells.iter().zip(&run.cells).enumerate().all(|(axis, (a, b))| {
                let is_free = CONTROLS.contains(&plan.axes[axis].as_str()) && (a.is_none() || b.is_none());
                axis == method || a == b || is_free
            })
        };
        let mut units =
            (0..plan.runs.len()).filter(|&at| plan.runs[at].method_label == label && stands_beside(&plan.runs[at]));
        units.next().filter(|_| units.next().is_none())
    };
    plan.runs.iter().map(unit).collect()
}

/// The times of a plan's runs; none for those without samples.
pub fn timings(plan: &Plan, timed: &[Timed]) -> Vec<Option<RunTiming>> {
    let per = plan.experiment.timing.as_ref().and_then(|timing| timing.per.as_deref());
    let all = timed.iter().map(|timed| timed.samples.iter().copied().map(rounded).collect()).collect();
    let mut timings = of_samples(plan, all);
    for ((run, timing), timed) in plan.runs.iter().zip(&mut timings).zip(timed) {
        let number = per.and_then(|path| run.number_at(path)).unwrap_or(1.0);
        if let Some(timing) = timing {
            timing.set_up = rounded(median_and_spread(&timed.set_ups).0);
            timing.step_ns = rounded(1e9 * timing.median / (timed.steps as f64 * number));
        }
    }
    timings
}

/// What follows from the samples of all runs; all but the times of a step and of what is before it.
fn of_samples(plan: &Plan, all: Vec<Vec<f64>>) -> Vec<Option<RunTiming>> {
    let units = units(plan);
    let timing = |(index, samples): (usize, &Vec<f64>)| {
        let (median, spread) = median_and_spread(samples);
        let ratio = units[index].and_then(|unit| pairs::ratio(samples, &all[unit]));
        let digits =
            |Interval { value, low, high }| Interval { value: rounded(value), low: rounded(low), high: rounded(high) };
        let same_code = units[index].is_some_and(|unit| is_same_code(&plan.runs[index], &plan.runs[unit]));
        let (median, spread, step_ns, set_up) = (rounded(median), rounded(spread), f64::NAN, f64::NAN);
        RunTiming { median, spread, ratio: ratio.map(digits), same_code, step_ns, samples: samples.clone(), set_up }
    };
    all.iter().enumerate().map(|each| (!each.1.is_empty()).then(|| timing(each))).collect()
}

/// The times in a `timings.csv`, for each run of a plan; none for runs that it does not have. All numbers but the times of a step and of what is before the first one are
/// made from the samples, so that they are the same as when the file was written.
///
/// # Errors
/// A file that cannot be read.
pub fn read(path: &Path, plan: &Plan) -> Result<Vec<Option<RunTiming>>, csv::Error> {
    let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_DATA)?;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let mut by_key: HashMap<String, HashMap<String, String>> = HashMap::new();
    for record in reader.deserialize() {
        let record: HashMap<String, String> = record?;
        by_key.insert(record.get("run").cloned().unwrap_or_default(), record);
    }
    let rows: Vec<_> = plan.runs.iter().map(|run| by_key.get(&run.key().to_string())).collect();
    let numbers = |row: &Option<&HashMap<String, String>>, column: &str| -> Vec<f64> {
        let text = row.and_then(|row| row.get(column)).map_or("", String::as_str);
        text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
    };
    let mut timings = of_samples(plan, rows.iter().map(|row| numbers(row, "samples_s")).collect());
    for (row, timing) in rows.iter().zip(&mut timings) {
        if let Some(timing) = timing {
            let number = |column: &str| numbers(row, column).first().copied().unwrap_or(f64::NAN);
            (timing.step_ns, timing.set_up) = (number("step_ns"), number("setup_s"));
        }
    }
    Ok(timings)
}

/// One line a run that was timed: axes, the columns, all samples, the machine; times to six digits.
pub fn to_csv(plan: &Plan, timings: &[Option<RunTiming>]) -> String {
    let heads = ["median_s", "spread_s", "ratio", "low", "high", "step_ns", "samples_s", "setup_s", "run", "machine"];
    let heads = plan.axes.iter().cloned().chain(heads.map(str::to_owned)).collect();
    let machine = machine();
    let digits = |number: f64| decimal(rounded(number));
    let finite = |number: Option<f64>| number.filter(|number| number.is_finite()).map_or_else(String::new, digits);
    let line = |(run, timing): (&RunSpec, &Option<RunTiming>)| -> Option<Vec<String>> {
        let timing = timing.as_ref()?;
        let axes = run.cells.iter().map(|cell| cell.as_ref().map_or_else(String::new, |label| label.text.clone()));
        let all: Vec<String> = timing.samples.iter().copied().map(digits).collect();
        let cells = [
            digits(timing.median),
            digits(timing.spread),
            finite(timing.ratio.map(|ratio| ratio.value)),
            finite(timing.ratio.map(|ratio| ratio.low)),
            finite(timing.ratio.map(|ratio| ratio.high)),
            digits(timing.step_ns),
            all.join(" "),
            finite(Some(timing.set_up)),
            run.key().to_string(),
            machine.clone(),
        ];
        Some(axes.chain(cells).collect())
    };
    csv([heads].into_iter().chain(plan.runs.iter().zip(timings).filter_map(line)))
}
