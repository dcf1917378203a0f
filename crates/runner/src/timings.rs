//! Times of runs as columns: `timings.csv`, and what tables, figures and claims may name of it.

use crate::execute::timing::{Timed, machine, median_and_spread};
use crate::plan::{Plan, RunSpec};
use crate::registry::CONTROLS;
use crate::render::csv::rounded;
use crate::results::decimal;

/// How columns of `timings.csv` are named elsewhere: `timing.ratio`.
pub const PREFIX: &str = "timing.";

/// The columns of `timings.csv` that tables, figures and claims can name.
pub const COLUMNS: [&str; 3] = ["timing.median_s", "timing.ratio", "timing.step_ns"];

/// The time of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTiming {
    /// Median, s.
    pub median: f64,
    /// Half the distance of the quartiles, s.
    pub spread: f64,
    /// Median over that of the run with the method `relative_to` and otherwise the same axes; none where several are.
    pub ratio: Option<f64>,
    /// Median over the number of steps, and over the number that `per` names, ns.
    pub step_ns: f64,
    /// All samples, s.
    pub samples: Vec<f64>,
}

impl RunTiming {
    /// A column by its full name.
    #[must_use]
    pub fn number(&self, column: &str) -> Option<f64> {
        match column.strip_prefix(PREFIX)? {
            "median_s" => Some(self.median),
            "spread_s" => Some(self.spread),
            "ratio" => self.ratio,
            "step_ns" => Some(self.step_ns),
            _ => None,
        }
    }
}

/// The times of a plan's runs; none for those without samples.
#[must_use]
pub fn timings(plan: &Plan, timed: &[Timed]) -> Vec<Option<RunTiming>> {
    let timing = plan.experiment.timing.as_ref();
    let unit = timing.and_then(|timing| timing.relative_to.as_deref());
    let per = timing.and_then(|timing| timing.per.as_deref());
    let partner = |index: usize| {
        let (label, method, run) = (unit?, plan.axis("method")?, &plan.runs[index]);
        // A method with a step of its own has none among the axes: it stands beside all of them.
        let stands_beside = |other: &RunSpec| {
            other.cells.iter().zip(&run.cells).enumerate().all(|(axis, (a, b))| {
                let is_free = CONTROLS.contains(&plan.axes[axis].as_str()) && (a.is_none() || b.is_none());
                axis == method || a == b || is_free
            })
        };
        let mut partners =
            (0..plan.runs.len()).filter(|&at| plan.runs[at].method_label == label && stands_beside(&plan.runs[at]));
        partners.next().filter(|_| partners.next().is_none())
    };
    let measured = plan.runs.iter().zip(timed).enumerate();
    measured
        .map(|(index, (run, Timed { samples, steps }))| {
            let (median, spread) = median_and_spread(samples);
            let other = partner(index).map(|other| median_and_spread(&timed[other].samples).0);
            let ratio = other.filter(|other| !other.is_nan()).map(|other| median / other);
            let number = per.and_then(|path| run.number_at(path)).unwrap_or(1.0);
            let step_ns = 1e9 * median / (*steps as f64 * number);
            (!samples.is_empty()).then(|| RunTiming { median, spread, ratio, step_ns, samples: samples.clone() })
        })
        .collect()
}

/// One line a run that was timed: axes, the columns, all samples, the machine; times to six digits. The one file that differs from machine to machine and
/// from day to day, with the tables and figures that show it.
///
/// # Errors
/// None in practice: the text is made in memory.
pub fn to_csv(plan: &Plan, timings: &[Option<&RunTiming>]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heads = ["median_s", "spread_s", "ratio", "step_ns", "samples_s", "run", "machine"].map(str::to_owned);
    writer.write_record(plan.axes.iter().chain(&heads))?;
    let machine = machine();
    let digits = |number: f64| decimal(rounded(number));
    for (run, timing) in plan.runs.iter().zip(timings).filter_map(|(run, timing)| Some((run, (*timing)?))) {
        let cells = run.cells.iter().map(|cell| cell.as_ref().map_or_else(String::new, |label| label.text.clone()));
        let all: Vec<String> = timing.samples.iter().copied().map(digits).collect();
        writer.write_record(cells.chain([
            digits(timing.median),
            digits(timing.spread),
            timing.ratio.map_or_else(String::new, digits),
            digits(timing.step_ns),
            all.join(" "),
            run.key.to_string(),
            machine.clone(),
        ]))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
