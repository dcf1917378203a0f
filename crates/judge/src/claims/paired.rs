//! Quotients of two wall times of one experiment, judged from the rounds in which both runs were timed.

use mbsbench_runs::pairs;
use mbsbench_runs::timings::is_same_code;

use super::{Evidence, Number, Operand, Reduce};

/// The column whose quotients are judged in pairs; `timing.ratio` is a quotient already.
const COLUMN: &str = "timing.median_s";

/// The basis of verdicts on times, shown with each of them.
pub(super) const BASIS: &str = "times: 95 % interval of the median over rounds, widened by 5 % if the code differs, to \
                                allow for its placement in memory";

impl Evidence<'_> {
    /// Returns the quotients `of/to` of wall times of the same experiment, one for each run of `of`. Returns `None` if
    /// the operands are not plain wall times of one experiment, or if a run has no times or is refuted.
    pub(super) fn paired(&self, paper: &str, of: &Operand, to: &Operand) -> Option<Vec<Number>> {
        let is_time = |operand: &Operand| {
            let is_plain = operand.at.is_none() && !operand.until_failure && operand.times.is_none();
            is_plain && operand.unit.is_none() && operand.columns().eq(std::iter::once(COLUMN))
        };
        if !is_time(of) || !is_time(to) || of.experiment != to.experiment || to.reduce != Reduce::Only {
            return None;
        }
        let runs = |operand: &Operand| self.runs(paper, &operand.experiment, &operand.filter);
        let (first, second) = (runs(of), runs(to));
        let is_matched = second.len() == 1 || second.len() == first.len();
        let quotients = first.iter().zip(second.iter().cycle()).map(|((run, row), (unit, beside))| {
            if row.is_refuted() || beside.is_refuted() {
                return None;
            }
            let (timing, other) = (row.timing.as_ref()?, beside.timing.as_ref()?);
            let ratio = pairs::ratio(&timing.samples, &other.samples)?;
            Some(Number { value: ratio.value, uncertainty: ratio.uncertainty(!is_same_code(run, unit)) })
        });
        let numbers: Option<Vec<Number>> = quotients.collect();
        numbers.filter(|_| is_matched)
    }
}
