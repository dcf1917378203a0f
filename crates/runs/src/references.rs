//! References: each is solved for once, by two methods and at all requested times, and cached.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use mbsbench_experiment::plan::stored::times;
use mbsbench_experiment::{Origin, Plan, Precision, ReferencePlan, RunKey, RunSpec, SolverSpec};
use mbsbench_measures::ReferenceTrajectory;
use mbsbench_problem::{Clock, DoubleDouble, Settings, Status};
use rayon::iter::Either;
use rayon::prelude::*;

use crate::cache::Cache;
use crate::cache::consistency::{self, Consistency};
use crate::execute::panics::catch_panic;
use crate::execute::queue::longest_first;
use crate::execute::reference::certify;
use crate::memory;
use crate::resources::Resources;
use crate::stop::interrupted;

/// A certified reference, or the reason why there is none.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// The plan of the reference.
    pub plan: Arc<ReferencePlan>,
    /// The reference with the digits to which its two methods agree, or the description of the failure.
    pub outcome: Result<ReferenceTrajectory, String>,
    /// Distinguishes references with the same key; see [`content`].
    content: String,
}

impl Certificate {
    fn new(plan: Arc<ReferencePlan>, outcome: Result<ReferenceTrajectory, String>) -> Self {
        let content = outcome.as_ref().map_or_else(|_| NO_CONTENT.to_owned(), |reference| content(&plan, reference));
        Self { plan, outcome, content }
    }

    /// The reason why errors with respect to the reference are unknown or not reliable; `None` if they are.
    pub fn doubt(&self) -> Option<String> {
        match &self.outcome {
            Ok(ReferenceTrajectory { digits, digits_asked, .. }) => (digits < digits_asked).then(|| {
                format!(
                    "the two methods agree to only {digits:.1} digits ({digits_asked} required), so errors are not \
                     reliable; use smaller steps or tolerances for both, or require fewer `digits`"
                )
            }),
            Err(failure) => Some(failure.clone()),
        }
    }

    pub(crate) fn content(&self) -> &str {
        &self.content
    }
}

/// The [`content`] of a run without a reference.
pub(crate) const NO_CONTENT: &str = "0";

/// Distinguishes references with the same key: the number of times, and a hash of the numbers if they come from a
/// stored file instead of this program.
fn content(plan: &ReferencePlan, reference: &ReferenceTrajectory) -> String {
    let times = reference.times.len();
    if plan.stored.is_none() {
        return times.to_string();
    }
    let numbers = format!("{:?}{:?}{:?}", reference.times, reference.values, reference.bounds);
    format!("{times} {}", blake3::hash(numbers.as_bytes()).to_hex())
}

/// A required reference, with all times at which any run of the plans needs it.
struct Wanted {
    plan: Arc<ReferencePlan>,
    times: Vec<f64>,
}

impl Wanted {
    /// Returns the required references, by key.
    fn all(plans: &[Plan], needed: &BTreeSet<&RunKey>) -> BTreeMap<String, Self> {
        let mut asked: BTreeMap<String, (Arc<ReferencePlan>, Vec<&RunSpec>)> = BTreeMap::new();
        for run in plans.iter().flat_map(|plan| &plan.runs) {
            let Some(reference) = run.reference.as_ref().filter(|reference| needed.contains(&reference.key)) else {
                continue;
            };
            let key = reference.key.full().to_owned();
            asked.entry(key).or_insert_with(|| (Arc::clone(reference), Vec::new())).1.push(run);
        }
        let wanted = |(key, (plan, runs)): (String, (Arc<ReferencePlan>, Vec<&RunSpec>))| {
            let times = times(&plan, runs.into_iter());
            (key, Self { plan, times })
        };
        asked.into_iter().map(wanted).collect()
    }

    /// Returns the name in the cache.
    fn name(&self) -> String {
        format!("reference {}\ntimes {:?}", self.plan.key.full(), self.times)
    }

    /// Returns the reference stored beside the experiments or in the cache.
    fn kept(&self, cache: &Cache, fresh: bool) -> Option<ReferenceTrajectory> {
        self.plan.kept(&self.times).or_else(|| {
            let is_taken = !fresh && self.plan.is_kept();
            is_taken.then(|| cache.load(&self.name(), |found| fits(&self.times, found))).flatten()
        })
    }

    /// Computes the reference and caches it.
    fn made(&self, expected: Duration, resources: Resources<'_>) -> io::Result<Result<ReferenceTrajectory, String>> {
        let Resources { cache, memory, progress, .. } = resources;
        let ensure_wanted = || if progress.is_stopped() { Err(interrupted()) } else { Ok(()) };
        ensure_wanted()?;
        let title = || format!("reference {}", self.plan.key);
        let made = catch_panic(|| match memory.reserve(memory::of_reference(&self.plan, self.times.len())) {
            Ok(_reserved) => {
                progress.timed(&title(), &self.plan.key, expected, || make_reference(&self.plan, &self.times))
            }
            Err(too_large) => {
                progress.lost(Status::Memory, &title(), &too_large.to_string());
                Err(too_large.to_string())
            }
        });
        let outcome = made.unwrap_or_else(|said| {
            progress.lost(Status::Panicked, &title(), &said);
            Err(said)
        });
        match &outcome {
            Ok(reference) if self.plan.is_kept() => cache.save(&self.name(), reference)?,
            Ok(_) => {}
            Err(_) => ensure_wanted()?,
        }
        Ok(outcome)
    }
}

/// Returns the required references by key, and computes those that are missing. Before the first is computed, `begins`
/// receives the existing ones.
pub(crate) fn references(
    plans: &[Plan],
    needed: &BTreeSet<&RunKey>,
    expected: impl Fn(&RunKey) -> Duration + Sync,
    begins: impl FnOnce(&BTreeMap<String, Certificate>),
    resources: Resources<'_>,
) -> io::Result<BTreeMap<String, Certificate>> {
    let kept = |(key, wanted): (String, Wanted)| match wanted.kept(resources.cache, resources.fresh) {
        Some(kept) => Either::Left((key, Certificate::new(wanted.plan, Ok(kept)))),
        None => Either::Right((key, wanted)),
    };
    let (mut certificates, lacking): (BTreeMap<_, _>, Vec<_>) =
        Wanted::all(plans, needed).into_par_iter().partition_map(kept);
    if !lacking.is_empty() {
        begins(&certificates);
    }
    let expected = |(_, wanted): &(String, Wanted)| expected(&wanted.plan.key);
    let made = longest_first(&lacking, expected, |each| each.1.made(expected(each), resources));
    for ((key, wanted), outcome) in lacking.into_iter().zip(made) {
        certificates.insert(key, Certificate::new(wanted.plan, outcome?));
    }
    Ok(certificates)
}

/// Returns the required references that exist already, by key.
pub(crate) fn kept(plans: &[Plan], needed: &BTreeSet<&RunKey>, cache: &Cache) -> BTreeMap<String, Certificate> {
    let certificate = |(key, wanted): (String, Wanted)| {
        let kept = wanted.kept(cache, false)?;
        Some((key, Certificate::new(wanted.plan, Ok(kept))))
    };
    Wanted::all(plans, needed).into_par_iter().filter_map(certificate).collect()
}

/// Checks that a reference is complete and has these times.
fn fits(times: &[f64], found: &ReferenceTrajectory) -> Consistency {
    consistency::of_reference(found)?;
    consistency::ensure(found.times == times, "the times of the reference differ")
}

/// Solves with both methods of a reference.
///
/// # Errors
/// Returns the description of the failure if one of them fails.
pub fn make_reference(plan: &ReferencePlan, times: &[f64]) -> Result<ReferenceTrajectory, String> {
    let model = plan.model.object.model();
    let span = (plan.span, &*plan.breaks);
    let plan = match &plan.origin {
        Origin::Solved(solved) => solved,
        Origin::File(_) => return Err("the reference file lacks a requested time".to_owned()),
    };
    let asked = plan.digits.map_or(0.0, f64::from);
    let Some((check, check_settings)) = &plan.check else {
        return Err("the reference has no second method to check it; add `check:`".to_owned());
    };
    // Reference times are exact, whatever the experiment's clock.
    let exact = |settings: Settings| Settings { clock: Clock::Exact, ..settings };
    let (settings, check_settings) = (exact(plan.settings), exact(*check_settings));
    let made = match plan.precision {
        Precision::Double => {
            let (main, other) = (plan.solver.method.object.method(), check.method.object.method());
            let solvers = [(main.as_ref(), settings), (other.as_ref(), check_settings)];
            certify::<f64>(model.as_ref(), model.as_ref(), solvers, span, times, asked)
        }
        Precision::DoubleDouble => {
            let precise = |solver: &SolverSpec| {
                let name = solver.method.name();
                solver.method.object.precise().ok_or_else(|| format!("`{name}` has no double-double version"))
            };
            let (main, other) = (precise(&plan.solver)?, precise(check)?);
            let solvers = [(main.as_ref(), settings), (other.as_ref(), check_settings)];
            certify::<DoubleDouble>(model.as_ref(), model.as_ref(), solvers, span, times, asked)
        }
    };
    made.map_err(|failure| failure.to_string())
}
