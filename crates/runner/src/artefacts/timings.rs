//! `timings.csv`: the one file that differs from machine to machine and from day to day.

use crate::execute::timing::{Samples, machine, median_and_spread};
use crate::plan::Plan;
use crate::results::decimal;

/// One line a run: axes, median, spread (half the distance of the quartiles), ratio to the run with the method
/// `relative_to` and otherwise the same axes, all samples, the machine.
///
/// # Errors
/// None in practice: the text is made in memory.
pub fn to_csv(plan: &Plan, samples: &[Samples]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heads = ["median_s", "spread_s", "ratio", "samples_s", "run", "machine"].map(str::to_owned);
    writer.write_record(plan.axes.iter().chain(&heads))?;
    let unit = plan.experiment.timing.as_ref().and_then(|timing| timing.relative_to.as_deref());
    let machine = machine();
    for (run, taken) in plan.runs.iter().zip(samples) {
        let (median, spread) = median_and_spread(taken);
        let partner = unit.and_then(|label| {
            let method = plan.axis("method")?;
            plan.runs.iter().position(|other| {
                other.method_label == label
                    && other.cells.iter().zip(&run.cells).enumerate().all(|(axis, (a, b))| axis == method || a == b)
            })
        });
        let ratio = partner.map_or_else(String::new, |index| decimal(median / median_and_spread(&samples[index]).0));
        let cells = run.cells.iter().map(|cell| cell.as_ref().map_or_else(String::new, |label| label.text.clone()));
        let all: Vec<String> = taken.iter().copied().map(decimal).collect();
        writer.write_record(cells.chain([
            decimal(median),
            decimal(spread),
            ratio,
            all.join(" "),
            run.key.to_string(),
            machine.clone(),
        ]))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
