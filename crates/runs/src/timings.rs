//! Times of runs as columns: `timings.csv`, and the columns that tables, figures and claims can name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mbsbench_experiment::columns::TIMING;
use mbsbench_experiment::registry::CONTROLS;
use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_numbers::{csv, decimal, rounded};

use crate::execute::timing::{Timed, machine, median_and_spread};
use crate::pairs::{self, Interval};

/// Returns the file below a folder of results with the times of an experiment. No seal covers it.
pub fn path(results: &Path, id: &str) -> PathBuf {
    results.join("times").join(id).join("timings.csv")
}

/// The time of the steps of one run, with all numbers rounded to six digits as in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTiming {
    /// The median, s.
    pub median: f64,
    /// Half the interquartile range, s.
    pub spread: f64,
    /// The median, over the rounds, of the quotient with the run that has the method `relative_to` and otherwise the
    /// same axes; `None` unless there is exactly one such run.
    pub ratio: Option<Interval>,
    /// True if both are runs of the same code.
    pub same_code: bool,
    /// The median divided by the number of steps, and by the number that `per` names, ns.
    pub step_ns: f64,
    /// All samples, s, one for each round.
    pub samples: Vec<f64>,
    /// The median of the times before the first step, s; NaN in older files, which include it in the other times.
    pub set_up: f64,
}

impl RunTiming {
    /// Returns a column by its full name.
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

    /// Returns the uncertainty of a column: the larger side of its interval, with [`pairs::PLACEMENT`] for times of
    /// different code and for single times.
    pub fn uncertainty(&self, column: &str) -> f64 {
        match (column.strip_prefix(TIMING), self.ratio) {
            (Some("ratio"), Some(ratio)) => ratio.uncertainty(!self.same_code),
            (Some("median_s"), _) => pairs::median(&self.samples).uncertainty(true),
            (Some("step_ns"), _) => pairs::median(&self.samples).uncertainty(true) * self.step_ns / self.median,
            _ => f64::INFINITY,
        }
    }
}

/// True if two runs execute the same code and differ at most in steps, tolerances or spans. The placement of code in
/// memory then has no effect on the quotient of their times.
pub fn is_same_code(one: &RunSpec, other: &RunSpec) -> bool {
    one.method.identity() == other.method.identity() && one.model.identity() == other.model.identity()
}

/// For each run of a plan, returns the run by whose time its own is divided: the one with the method `relative_to` and
/// otherwise the same axes; `None` unless there is exactly one.
pub fn units(plan: &Plan) -> Vec<Option<usize>> {
    let label = plan.experiment.timing.as_ref().and_then(|timing| timing.relative_to.as_deref());
    let unit = |run: &RunSpec| {
        let (label, method) = (label?, plan.axis("method")?);
        // A method with its own step has no value on the axis of steps and is compared with all of them.
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

/// Returns the times of a plan's runs; `None` for runs without samples.
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

/// Computes everything that follows from the samples of all runs, except the times of a step and of the set-up.
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

/// Reads the times in a `timings.csv` for each run of a plan; `None` for runs that it does not contain. All numbers
/// except the times of a step and of the set-up are recomputed from the samples, and are the same as when the file was
/// written.
///
/// # Errors
/// Fails if the file cannot be read.
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

/// Returns the text of `timings.csv`: one line for each timed run, with axes, columns, all samples and the machine;
/// times have six digits.
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
