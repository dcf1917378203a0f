//! `mbsbench verify --recompute`: recomputes a sample of the runs behind the verdicts and compares them with the
//! results and with the run cache.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::ArgGroup;
use csv::StringRecord;
use mbsbench_experiment::{Plan, RunSpec};
use mbsbench_judge::folders::Folders;
use mbsbench_problem::Status;
use mbsbench_runs::pipeline::{Again, Titles, made_again};
use mbsbench_runs::{FileError, Progress, Resources, ResultSet};

use crate::cli::{CommandError, Exit, Machine, Result, RunsTable, Session, Workshop, none_lost};

/// The selection of runs to recompute or audit.
#[derive(Debug, Clone, clap::Args)]
#[command(group(ArgGroup::new("sample").args(["recompute", "audit"]).multiple(true)))]
pub(super) struct Recompute {
    /// Recompute a share of the runs, `5%`; compare with results and cache.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    recompute: Option<f64>,
    /// Repeat a share of the runs at higher accuracy; compare ends [default: 5%].
    #[arg(long, value_name = "SHARE", value_parser = share, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "5%")]
    pub(super) audit: Option<f64>,
    /// Seed of the choice of runs [default: random, and printed].
    #[arg(long, value_name = "NUMBER", requires = "sample")]
    seed: Option<u64>,
    /// Threads, memory, and the cache with the reference solutions.
    #[command(flatten)]
    pub(super) machine: Machine,
}

/// Parses a share of a whole, above 0 and at most 1.
fn share(text: &str) -> Result<f64, &'static str> {
    let percent = text.strip_suffix('%').unwrap_or(text).trim().parse().unwrap_or(f64::NAN);
    if percent > 0.0 && percent <= 100.0 { Ok(percent / 100.0) } else { Err("accepted: from above 0% to 100%") }
}

/// True if a run belongs to the random sample of a seed; each run has the share as its probability.
pub(super) fn is_in_sample(run: &RunSpec, share: f64, seed: u64) -> bool {
    let drawn = blake3::hash(format!("{seed} {}", run.key().full()).as_bytes());
    let upper = drawn.as_bytes()[..8].iter().fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
    (upper as f64) < share * 2f64.powi(64)
}

impl Recompute {
    /// The seed, or a different number at each call.
    pub(super) fn seed(&self) -> u64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.seed.unwrap_or(since.as_nanos() as u64 % 1_000_000)
    }

    /// Recomputes the sample and reports runs that differ from the results in a folder, and deleted entries of the run
    /// cache.
    pub(super) fn make(&self, plans: &[Plan], results: &dyn Folders, session: &mut Session<'_>) -> Result<Exit> {
        let Some(share) = self.recompute else { return Ok(Exit::Done) };
        let seed = self.seed();
        let path = |plan: &Plan| results.of(&plan.experiment.id).join("runs.csv");
        let table = |plan: &Plan| match path(plan) {
            path if path.exists() => RunsTable::read(&path),
            _ => Ok(RunsTable::default()),
        };
        let tables = plans.iter().map(|plan| Ok((plan.experiment.id.as_str(), table(plan)?)));
        let tables: BTreeMap<&str, RunsTable> = tables.collect::<Result<_>>()?;
        let is_drawn = |plan: &Plan, run: &RunSpec| {
            is_in_sample(run, share, seed)
                && tables[plan.experiment.id.as_str()].rows.contains_key(&run.key().to_string())
        };
        let workshop = Workshop::open(&self.machine, Progress::silent(), session)?;
        let again =
            workshop.make(session, |resources| made_again(plans, &is_drawn, Resources { costs: None, ..resources }));
        let again = again.map_err(FileError::of(&self.machine.cache))?;
        let refuted: BTreeSet<PathBuf> = again.iter().filter_map(|again| again.refuted.clone()).collect();
        let (output, mut wrong) = (&mut session.output, 0_usize);
        for path in &refuted {
            let path = path.display();
            output.println(format!("{path}: the cache entry differs from the recomputed run and was deleted"))?;
        }
        let (again, unavailable): (Vec<_>, Vec<_>) =
            again.into_iter().partition(|again| again.row.status != Status::Unavailable);
        for again in &again {
            let differences = differences(&tables[again.plan.experiment.id.as_str()], again)?;
            if !differences.is_empty() {
                wrong += 1;
                let (id, key) = (&again.plan.experiment.id, again.run.key());
                let title = Titles::of(again.plan).of_run(again.run);
                let (file, differences) = (path(again.plan), differences.join(", "));
                output.println(format!("differs from {}: {id} {title} ({key}): {differences}", file.display()))?;
            }
        }
        let made = again.len();
        output.println(format!("{made} runs recomputed with --seed {seed}: {wrong} differ from the results"))?;
        if !unavailable.is_empty() {
            let count = unavailable.len();
            output.println(format!("{count} runs not recomputed: their methods are unavailable here"))?;
        }
        none_lost(&workshop.progress)?;
        Ok(if wrong == 0 && refuted.is_empty() { Exit::Done } else { Exit::Differs })
    }
}

/// Returns the cells in which a recomputed run differs from its lines in a table. Texts are compared, which have all
/// digits.
fn differences(table: &RunsTable, Again { plan, row, .. }: &Again<'_>) -> Result<Vec<String>> {
    let made = ResultSet { axes: plan.axes.clone(), measures: plan.columns.clone(), rows: vec![row.clone()] };
    let made = RunsTable::parse(made.to_csv().as_bytes())
        .map_err(|what| CommandError::no_results(Path::new(&row.key), &what))?;
    let now = &made.rows_of(&row.key)[0];
    let mut differences: Vec<String> = Vec::new();
    for (column, now) in made.columns.iter().zip(now).filter(|(column, _)| plan.axis(column).is_none()) {
        let place = table.position(column);
        let there = |line: &StringRecord| place.and_then(|place| line.get(place)).map(str::to_owned);
        let mut others = table.rows_of(&row.key).iter().map(there);
        if let Some(other) = others.find(|cell| cell.as_deref() != Some(now)) {
            let [other, now] = [other.as_deref(), Some(now)].map(|cell| match cell {
                None => "missing".to_owned(),
                Some("") => "empty".to_owned(),
                Some(cell) => cell.to_owned(),
            });
            differences.push(format!("{column} was {other} and is {now} now"));
        }
    }
    Ok(differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percent() {
        assert_eq!(["5%", "100", " 0.5 %"].map(|text| share(text.trim())), [Ok(0.05), Ok(1.0), Ok(0.005)]);
        assert!(["0%", "101%", "-1%", "nan", ""].iter().all(|text| share(text).is_err()));
    }
}
