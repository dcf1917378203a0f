//! How long runs take on so many workers, from what each of them costs.

use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

use mbsbench_experiment::plan::Plan;
use mbsbench_runs::costs::{Costs, Estimate};
use mbsbench_runs::execute::queue::order;
use mbsbench_runs::pipeline::{Missing, missing};
use mbsbench_runs::store::Store;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};

use super::balance::{bound, makespan, parts};
use super::counted;
use super::waves::{Wave, Work, works};
use crate::cli::CommandError;
use crate::output::Output;

/// Parts for each worker.
const EACH: usize = 4;

/// Prints what the runs of plans take on so many workers, in an order that looks ahead as far as the program does: the runs that wait for
/// references begin when all others are over. `start` is what a part takes before its first run.
pub(in crate::cli) fn simulate(
    plans: &[Plan],
    cache: &Path,
    workers: &[NonZero<usize>],
    start: Duration,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    // A store that has nothing.
    let nothing = Store::new(cache.join(".nothing"), "");
    let missing = missing(plans, &nothing);
    let costs = Costs::of_store(cache);
    let estimate = Estimate::new(&costs, plans);
    let waves = in_waves(&missing, &estimate);
    let all: Vec<Duration> = waves.iter().flatten().map(|work| work.cost).collect();
    let measured = missing.runs.iter().filter(|(_, run)| estimate.is_measured(run)).count();
    output.line(format!(
        "{}, {measured} of {} with measured costs: {} s on one core, the longest {} s; a part begins after {} s",
        counted(all.len(), "different run"),
        missing.runs.len(),
        seconds(all.iter().sum()),
        seconds(all.iter().max().copied().unwrap_or_default()),
        seconds(start),
    ))?;
    let mut table = Builder::default();
    table.push_record(["workers", "bound, s", "runs, s", "parts", "parts, s", "by keys, s"]);
    for workers in workers.iter().map(|workers| workers.get()) {
        let sum = |of: &dyn Fn(&[Work]) -> Duration| seconds(waves.iter().map(|wave| of(wave)).sum());
        table.push_record([
            workers.to_string(),
            seconds(bound(&all, workers)),
            sum(&|wave| of_runs(wave, workers)),
            waves.iter().map(|wave| balanced(wave, workers, start).len()).sum::<usize>().to_string(),
            sum(&|wave| makespan(balanced(wave, workers, start), workers)),
            sum(&|wave| makespan(by_keys(wave, workers, start), workers)),
        ]);
    }
    let mut table = table.build();
    table.with(Style::psql()).with(Modify::new(Columns::new(..)).with(Alignment::right()));
    output.line(table.to_string())?;
    Ok(())
}

/// The runs of both waves, each once.
fn in_waves(missing: &Missing<'_>, estimate: &Estimate<'_>) -> [Vec<Work>; 2] {
    let first = works(missing, estimate, Wave::First);
    let mut second = works(missing, estimate, Wave::Second);
    second.retain(|work| first.binary_search_by(|other| other.key.cmp(&work.key)).is_err());
    [first, second]
}

fn costs(works: &[Work]) -> Vec<Duration> {
    works.iter().map(|work| work.cost).collect()
}

/// Where every run is a task that takes no time to begin, the longest first.
fn of_runs(works: &[Work], workers: usize) -> Duration {
    let costs = costs(works);
    makespan(order(&costs).into_iter().map(|index| costs[index]), workers)
}

/// What the parts take into which the program splits runs.
fn balanced(works: &[Work], workers: usize, start: Duration) -> Vec<Duration> {
    let costs = costs(works);
    let of_part = |part: Vec<usize>| start + part.into_iter().map(|index| costs[index]).sum::<Duration>();
    parts(&costs, EACH * workers).into_iter().map(of_part).collect()
}

/// What as many parts take that have runs by the numbers that their keys are, as those of `shard I/N`, which knows no costs.
fn by_keys(works: &[Work], workers: usize, start: Duration) -> Vec<Duration> {
    let count = (EACH * workers).min(works.len());
    let mut parts = vec![start; count];
    for work in works {
        let number = u64::from_str_radix(&work.key[..16], 16).unwrap_or_default();
        parts[(number % count as u64) as usize] += work.cost;
    }
    parts
}

/// Seconds to a hundredth.
fn seconds(duration: Duration) -> String {
    format!("{:.2}", duration.as_secs_f64())
}
