//! `mbsbench verify --recompute`: a sample of what is stored, made again.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::SystemTime;

use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_runs::fingerprint;
use mbsbench_runs::pipeline::{Means, made_again};
use mbsbench_runs::progress::Progress;
use mbsbench_runs::store::Store;

use super::files::Library;
use super::jobs::Jobs;
use super::run::{STORE, none_lost, tell_refused};
use super::{CommandError, Exit};
use crate::output::Output;

/// What of the store is made again.
#[derive(Debug, Clone, clap::Args)]
pub struct Recompute {
    /// Make this share of the stored runs again and compare them bit by bit: `5%`.
    #[arg(long, value_name = "SHARE")]
    recompute: Option<Share>,
    /// Which runs these are; drawn where not given, and printed.
    #[arg(long, value_name = "NUMBER", requires = "recompute")]
    seed: Option<u64>,
    /// Folder of the store of finished runs.
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
    /// Makes the sample and says which runs differ from what is stored.
    pub(super) fn make(
        &self,
        library: Library<'_>,
        plans: Vec<Plan>,
        output: &mut Output<'_>,
    ) -> Result<Exit, CommandError> {
        let Some(share) = self.recompute else { return Ok(Exit::Done) };
        let seed = self.seed.unwrap_or_else(drawn);
        let (pool, memory) = (self.jobs.pool(output)?, self.jobs.memory());
        let store = Store::new(&self.cache, fingerprint(library.registry));
        let progress = Progress::silent();
        let means = Means { store: &store, memory: &memory, progress: &progress, costs: None, fresh: false };
        let again = pool.install(|| made_again(&plans, &|_, run| share.has(seed, run), means));
        tell_refused(&store, output);
        let again = again.map_err(|error| CommandError::Store { path: self.cache.clone(), error })?;
        let differing: Vec<&str> = again.iter().filter(|run| !run.is_same).map(|run| run.title.as_str()).collect();
        for title in &differing {
            output.line(format!("not as stored: {title}"))?;
        }
        let (made, wrong) = (again.len(), differing.len());
        output.line(format!("{made} stored runs made again with --seed {seed}: {wrong} differ"))?;
        none_lost(&progress)?;
        Ok(if wrong == 0 { Exit::Done } else { Exit::Differs })
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
