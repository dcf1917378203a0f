//! `mbsbench verify --recompute`: a sample of the runs behind the verdicts, made again and compared with what is
//! judged.

use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::SystemTime;

use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_judge::folders::Folders;
use mbsbench_problem::Status;
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::{Means, Titles, made_again};
use mbsbench_runs::progress::Progress;
use mbsbench_runs::results::{ResultSet, Row};
use mbsbench_runs::store::Store;

use super::files::Library;
use super::jobs::Jobs;
use super::run::{STORE, none_lost, tell_refused};
use super::{CommandError, Exit};
use crate::artefacts::WriteError;
use crate::output::Output;

/// Which of the runs are made again.
#[derive(Debug, Clone, clap::Args)]
pub struct Recompute {
    /// Recompute a share of the runs, `5%`, and compare them with `runs.csv`.
    #[arg(long, value_name = "SHARE")]
    recompute: Option<Share>,
    /// Seed of the choice of runs [default: random, and printed].
    #[arg(long, value_name = "NUMBER", requires = "recompute")]
    seed: Option<u64>,
    /// Run cache, for the reference solutions.
    #[arg(long, value_name = "DIR", default_value = STORE, requires = "recompute")]
    cache: PathBuf,
    /// Threads and memory.
    #[command(flatten)]
    jobs: Jobs,
}

/// A share of a whole, from above 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Share(f64);

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let percent = text.strip_suffix('%').unwrap_or(text).trim().parse().unwrap_or(f64::NAN);
        if percent > 0.0 && percent <= 100.0 {
            Ok(Self(percent / 100.0))
        } else {
            Err("accepted: from above 0% to 100%")
        }
    }
}

impl Share {
    /// Whether a run is among those that a seed draws: each with this share for its chance.
    fn has(self, seed: u64, run: &RunSpec) -> bool {
        let drawn = blake3::hash(format!("{seed} {}", run.key().full()).as_bytes());
        let upper = drawn.as_bytes()[..8].iter().fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
        (upper as f64) < self.0 * 2f64.powi(64)
    }
}

impl Recompute {
    /// Makes the sample and says which runs differ from the results in a folder.
    pub(super) fn make(
        &self,
        library: Library<'_>,
        plans: Vec<Plan>,
        results: &impl Folders,
        output: &mut Output<'_>,
    ) -> Result<Exit, CommandError> {
        let Some(share) = self.recompute else { return Ok(Exit::Done) };
        let seed = self.seed.unwrap_or_else(drawn);
        let tables = plans.iter().map(|plan| Ok((plan.experiment.id.as_str(), Table::of(results, plan)?)));
        let tables: BTreeMap<&str, Table> = tables.collect::<Result<_, CommandError>>()?;
        let is_drawn = |plan: &Plan, run: &RunSpec| {
            share.has(seed, run) && tables[plan.experiment.id.as_str()].rows.contains_key(&run.key().to_string())
        };
        let (pool, memory) = (self.jobs.pool(output)?, self.jobs.memory());
        let store = Store::new(&self.cache, fingerprint(library.registry));
        let progress = Progress::silent();
        let means = Means { store: &store, memory: &memory, progress: &progress, costs: None, fresh: false };
        let again = pool.install(|| made_again(&plans, &is_drawn, means));
        tell_refused(&store, output);
        let again = again.map_err(|error| CommandError::Store { path: self.cache.clone(), error })?;
        let (again, unavailable): (Vec<_>, Vec<_>) =
            again.into_iter().partition(|again| again.row.status != Status::Unavailable);
        let (mut made, mut wrong) = (0_usize, 0_usize);
        for plan in &plans {
            let table = &tables[plan.experiment.id.as_str()];
            let (runs, rows): (Vec<&RunSpec>, Vec<Row>) = again
                .iter()
                .filter(|again| std::ptr::eq(again.plan, plan))
                .map(|again| (again.run, again.row.clone()))
                .unzip();
            let titles = Titles::of(plan);
            made += rows.len();
            for (run, differences) in runs.iter().zip(table.differences(plan, rows)?) {
                if !differences.is_empty() {
                    wrong += 1;
                    let (id, title, key) = (&plan.experiment.id, titles.of_run(run), run.key());
                    output.line(format!(
                        "not as in {}: {id} {title} ({key}): {}",
                        table.path.display(),
                        differences.join(", ")
                    ))?;
                }
            }
        }
        output.line(format!("{made} runs made again with --seed {seed}: {wrong} differ from the results"))?;
        if !unavailable.is_empty() {
            output.line(format!("{} runs not made again: their methods are unavailable here", unavailable.len()))?;
        }
        none_lost(&progress)?;
        Ok(if wrong == 0 { Exit::Done } else { Exit::Differs })
    }
}

/// A `runs.csv` as it was read.
struct Table {
    path: PathBuf,
    columns: Vec<String>,
    /// The lines of each run by its key: a run that an experiment has under two labels has two.
    rows: HashMap<String, Vec<csv::StringRecord>>,
}

impl Table {
    /// That of an experiment, without lines if it has no results.
    fn of(results: &impl Folders, plan: &Plan) -> Result<Self, CommandError> {
        let path = results.of(&plan.experiment.id).join("runs.csv");
        match mbsbench_input::read_file(&path, mbsbench_input::LARGEST_DATA) {
            Ok(bytes) => Self::parse(path, &bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self { path, columns: Vec::new(), rows: HashMap::new() })
            }
            Err(error) => Err(CommandError::Unreadable { path, error }),
        }
    }

    fn parse(path: PathBuf, bytes: &[u8]) -> Result<Self, CommandError> {
        let mut reader = csv::Reader::from_reader(bytes);
        let read = |reader: &mut csv::Reader<&[u8]>| -> Result<_, csv::Error> {
            let columns = reader.headers()?.iter().map(str::to_owned).collect();
            Ok((columns, reader.records().collect::<Result<Vec<_>, _>>()?))
        };
        let no_table = |error: csv::Error| CommandError::NoResults { path: path.clone(), what: error.to_string() };
        let (columns, records): (Vec<String>, Vec<csv::StringRecord>) = read(&mut reader).map_err(no_table)?;
        let mut rows: HashMap<String, Vec<csv::StringRecord>> = HashMap::new();
        let key = columns.iter().position(|column| column == "run");
        for record in records {
            let key = key.and_then(|key| record.get(key)).unwrap_or_default().to_owned();
            rows.entry(key).or_default().push(record);
        }
        Ok(Self { path, columns, rows })
    }

    /// What differs between runs of the plan that were made again and their lines, run by run: cells as text, which
    /// has all digits.
    fn differences(&self, plan: &Plan, rows: Vec<Row>) -> Result<Vec<Vec<String>>, CommandError> {
        let made = ResultSet { axes: plan.axes.clone(), measures: plan.columns.clone(), rows };
        let text = made.to_csv().map_err(WriteError::from)?;
        let mut reader = csv::Reader::from_reader(text.as_slice());
        let columns = reader.headers().map_err(WriteError::from)?.clone();
        let mut all = Vec::new();
        for (row, made) in made.rows.iter().zip(reader.records()) {
            let made = made.map_err(WriteError::from)?;
            let lines = self.rows.get(&row.key).map_or(&[][..], Vec::as_slice);
            let mut differences: Vec<String> = Vec::new();
            for (column, now) in columns.iter().zip(&made).filter(|(column, _)| plan.axis(column).is_none()) {
                let place = self.columns.iter().position(|own| own == column);
                let there = |line: &csv::StringRecord| place.and_then(|place| line.get(place)).map(str::to_owned);
                if let Some(other) = lines.iter().map(there).find(|cell| cell.as_deref() != Some(now)) {
                    let [other, now] = [other.as_deref(), Some(now)].map(|cell| match cell {
                        None => "missing".to_owned(),
                        Some("") => "empty".to_owned(),
                        Some(cell) => cell.to_owned(),
                    });
                    differences.push(format!("{column} is {other} there and {now} now"));
                }
            }
            all.push(differences);
        }
        Ok(all)
    }
}

/// Another number each time.
fn drawn() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64 % 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percent() {
        assert_eq!(
            ["5%", "100", " 0.5 %"].map(|text| text.trim().parse()),
            [Ok(Share(0.05)), Ok(Share(1.0)), Ok(Share(0.005))]
        );
        assert!(["0%", "101%", "-1%", "nan", ""].iter().all(|text| text.parse::<Share>().is_err()));
    }
}
