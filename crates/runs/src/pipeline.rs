//! From a plan to its results: references first, then the runs that are not in the cache, then the timings.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use mbsbench_experiment::{Plan, RunKey, RunSpec};
use rayon::prelude::*;

use crate::cache::Cache;
use crate::costs::Estimate;
use crate::execute::parallel::{Pending, cache_key, run_all};
use crate::execute::run::Record;
use crate::execute::timing::{Rounds, Timed, time_all};
use crate::references::{kept, references};
use crate::results::{ResultSet, Row};
use crate::timings::{RunTiming, timings, units};

pub use crate::references::{Certificate, make_reference};
pub use crate::resources::Resources;
pub use crate::titles::Titles;

/// Returns the results of several plans, executed together so that no core is idle before the last run of the last
/// plan.
///
/// # Errors
/// Fails if a file cannot be read or written; finished runs are cached.
pub fn results_of(plans: &[Plan], resources: Resources<'_>) -> io::Result<Vec<Outcome>> {
    let Computed { records, certificates } = compute(plans, &|_, _| true, resources)?;
    let mut records = records.into_iter();
    let outcome = |plan: &Plan| {
        let rows = plan.runs.iter().zip(records.by_ref()).map(|(run, record)| row(plan, run, record));
        let keys: Vec<_> = plan.runs.iter().filter_map(|run| run.reference.as_ref()).map(|r| &r.key).collect();
        Outcome {
            results: ResultSet { axes: plan.axes.clone(), measures: plan.columns.clone(), rows: rows.collect() },
            certificates: certificates.iter().filter(|c| keys.contains(&&c.plan.key)).cloned().collect(),
        }
    };
    Ok(plans.iter().map(outcome).collect())
}

/// Returns the row of a run.
fn row(plan: &Plan, run: &RunSpec, record: Record) -> Row {
    Row {
        axes: run.cells.clone(),
        values: plan.columns.iter().map(|column| record.value(column)).collect(),
        status: record.status,
        assurance: record.findings.map(|findings| findings.assurance(&run.expected)),
        message: record.message,
        t_reached: record.t_reached,
        key: run.key().to_string(),
        timing: None,
        trajectory: record.trajectory,
    }
}

/// The result of [`compute`]: records that were computed or found in the cache.
#[derive(Debug, Clone)]
pub struct Computed {
    /// The record of every chosen run, in the order of the plans.
    pub records: Vec<Record>,
    /// The references that these runs need, sorted by key.
    pub certificates: Vec<Certificate>,
}

/// Executes the chosen runs of some plans, with the references that they need, unless they are in the cache.
///
/// A reference covers all times that any run of the plans needs, chosen or not. Results computed in parts are therefore
/// those that [`results_of`] looks up for the same plans.
///
/// # Errors
/// Fails if a file cannot be read or written; finished runs are cached.
pub fn compute(
    plans: &[Plan],
    is_chosen: &(dyn Fn(&Plan, &RunSpec) -> bool + Sync),
    resources: Resources<'_>,
) -> io::Result<Computed> {
    let estimate = Estimate::new(resources.costs, plans);
    let (chosen, certificates) = chosen(plans, is_chosen, &estimate, resources)?;
    let records = run_all(&pending(&chosen, &certificates, &estimate), resources)?;
    Ok(Computed { records, certificates: certificates.into_values().collect() })
}

/// Returns the runs of some plans that are not in a cache, each with its plan; a run of several experiments occurs for
/// each of them. Every entry counts: whether it can be trusted is checked when it is read. A run whose reference is
/// missing counts as missing. Runs that are [never cached](RunSpec::is_kept) are not listed.
pub fn missing<'p>(plans: &'p [Plan], cache: &Cache) -> Vec<(&'p Plan, &'p RunSpec)> {
    let runs = plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run)));
    let kept_ones: Vec<_> = runs.filter(|(_, run)| run.is_kept()).collect();
    let certificates = kept(plans, &references_of(&kept_ones), cache);
    kept_ones.into_par_iter().filter(|(_, run)| is_missing(run, &certificates, cache)).collect()
}

/// Returns the keys of the references that some runs need.
fn references_of<'p>(runs: &[(&'p Plan, &'p RunSpec)]) -> BTreeSet<&'p RunKey> {
    runs.iter().filter_map(|(_, run)| Some(&run.reference.as_ref()?.key)).collect()
}

/// True if the reference of a run is missing, or if the cache has no entry of the run with that reference.
fn is_missing(run: &RunSpec, certificates: &BTreeMap<String, Certificate>, cache: &Cache) -> bool {
    let certificate = certificate(run, certificates);
    (run.reference.is_some() && certificate.is_none()) || !cache.has(&cache_key(run, certificate))
}

/// Runs with their plans, and the references that they need, by key.
type Chosen<'p> = (Vec<(&'p Plan, &'p RunSpec)>, BTreeMap<String, Certificate>);

/// Returns the chosen runs and the references that they need.
fn chosen<'p>(
    plans: &'p [Plan],
    is_chosen: &(dyn Fn(&Plan, &RunSpec) -> bool + Sync),
    estimate: &Estimate<'_>,
    resources: Resources<'_>,
) -> io::Result<Chosen<'p>> {
    let runs = plans.iter().flat_map(|plan| plan.runs.iter().map(move |run| (plan, run)));
    let chosen: Vec<(&Plan, &RunSpec)> = runs.filter(|(plan, run)| is_chosen(plan, run)).collect();
    let needed = references_of(&chosen);
    let begins = |kept: &BTreeMap<String, Certificate>| {
        if !estimate.is_informed() {
            return;
        }
        let Resources { cache, fresh, progress, .. } = resources;
        let absent = needed.iter().filter(|key| !kept.contains_key(key.full()));
        let lacking = chosen.iter().filter(|(_, run)| fresh || is_missing(run, kept, cache));
        let references = absent.map(|key| (key.full(), estimate.of_reference(key)));
        let runs = lacking.map(|(plan, run)| (run.key().full(), estimate.of_run(plan, run)));
        progress.expect(references.chain(runs).collect::<BTreeMap<_, _>>().into_values().sum());
    };
    let certificates = references(plans, &needed, |key| estimate.of_reference(key), begins, resources)?;
    Ok((chosen, certificates))
}

/// A run that was executed again.
#[derive(Debug, Clone)]
pub struct Again<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The run.
    pub run: &'p RunSpec,
    /// The row of `runs.csv`.
    pub row: Row,
    /// The entry of the cache, if it had another record and was deleted.
    pub refuted: Option<PathBuf>,
}

/// Executes the chosen runs again regardless of the cache, but with cached references. Entries of the cache with other
/// records are deleted. Runs ended by the program or the machine are left to [`Progress`](crate::progress::Progress).
///
/// # Errors
/// Fails if a file cannot be read, written or deleted.
pub fn made_again<'p>(
    plans: &'p [Plan],
    is_chosen: &(dyn Fn(&Plan, &RunSpec) -> bool + Sync),
    resources: Resources<'_>,
) -> io::Result<Vec<Again<'p>>> {
    let estimate = Estimate::new(None, plans);
    let (chosen, certificates) = chosen(plans, is_chosen, &estimate, resources)?;
    let pending = pending(&chosen, &certificates, &estimate);
    // A run of several experiments is executed once, unless they record it differently.
    let mut of_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, own) in pending.iter().enumerate() {
        of_key.entry(own.key()).or_default().push(index);
    }
    let again = of_key.into_par_iter().map(|(key, indices)| {
        let own = &pending[indices[0]];
        let record = own.record(resources);
        if record.status.is_lost() {
            resources.progress.finished(&own.title(), &record, false);
            return Ok(Vec::new());
        }
        let refuted = if own.run.is_kept() { resources.cache.refute(&key, &record)? } else { None };
        let of_plan = |index: usize| {
            let (plan, run) = chosen[index];
            Again { plan, run, row: row(plan, run, record.clone()), refuted: refuted.clone() }
        };
        Ok(indices.into_iter().map(of_plan).collect())
    });
    Ok(again.collect::<io::Result<Vec<Vec<_>>>>()?.concat())
}

/// All results of an experiment.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The rows of `runs.csv`.
    pub results: ResultSet,
    /// The references of its error measures.
    pub certificates: Vec<Certificate>,
}

/// Returns the runs to be executed; the runs of a plan are consecutive.
fn pending<'p>(
    chosen: &[(&'p Plan, &'p RunSpec)],
    certificates: &'p BTreeMap<String, Certificate>,
    estimate: &'p Estimate<'p>,
) -> Vec<Pending<'p>> {
    let of_plan = |runs: &[(&'p Plan, &'p RunSpec)]| {
        let titles = Arc::new(Titles::of(runs[0].0));
        let pending = |&(plan, run): &(&'p Plan, &'p RunSpec)| Pending {
            plan,
            run,
            titles: Arc::clone(&titles),
            certificate: certificate(run, certificates),
            estimate,
        };
        runs.iter().map(pending).collect::<Vec<_>>()
    };
    chosen.chunk_by(|(one, _), (other, _)| std::ptr::eq(*one, *other)).flat_map(of_plan).collect()
}

/// Returns the reference of a run, if it has one.
fn certificate<'c>(run: &RunSpec, certificates: &'c BTreeMap<String, Certificate>) -> Option<&'c Certificate> {
    certificates.get(run.reference.as_ref()?.key.full())
}

/// Times the successful runs of a plan that requests timings, in the order of the rows of `results`; failed runs have
/// no time.
pub fn timings_of(plan: &Plan, results: &ResultSet) -> Vec<Option<RunTiming>> {
    /// Enough rounds to test that the lane works.
    const QUICK_REPEAT: u32 = 3;
    /// The number of rounds after which a search for narrow intervals ends, if the file does not set it.
    const MOST: u32 = 101;
    let Some(timing) = &plan.experiment.timing else { return Vec::new() };
    let (least, until) = match plan.experiment.quick {
        true => (timing.repeat.min(QUICK_REPEAT), None),
        false => (timing.repeat, timing.until),
    };
    let most = if until.is_some() { timing.most.unwrap_or(MOST).max(least) } else { least };
    let is_in_order: Vec<bool> = results.rows.iter().map(Row::is_ok).collect();
    let in_order: Vec<&RunSpec> =
        plan.runs.iter().zip(&is_in_order).filter(|each| *each.1).map(|(run, _)| run).collect();
    // The index of a run among the successful ones.
    let place = |run: usize| is_in_order[run].then(|| is_in_order[..run].iter().filter(|ok| **ok).count());
    let pairs = units(plan).into_iter().enumerate();
    let pairs = pairs.filter_map(|(run, unit)| Some([place(run)?, place(unit?)?]));
    let quotients: Vec<[usize; 2]> = pairs.filter(|[run, unit]| run != unit).collect();
    let rounds = Rounds { least: least as usize, most: most as usize, until, quotients: &quotients };
    let mut timed = time_all(&in_order, &rounds).into_iter();
    let of_row = |is_ok: &bool| if *is_ok { timed.next().unwrap_or_default() } else { Timed::default() };
    timings(plan, &is_in_order.iter().map(of_row).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_experiment::Registry;
    use mbsbench_problem::Status;

    use super::*;
    use crate::memory::Memory;
    use crate::progress::Progress;
    use crate::titles::LOOKED_AT;

    /// Returns the results of a sweep over a number of masses, and how many runs were inspected to find their titles.
    fn sweep(masses: usize) -> (Outcome, usize) {
        let values: Vec<String> = (1..=masses).map(|mass| mass.to_string()).collect();
        let text = format!(
            "id: mine/sweep\nmodel: pendulum\nspan: [0.0, 0.1]\nmethod: rk4\nstep: 0.1\n\
             matrix: {{ model.mass: [{}] }}\nmeasures: [rhs_evaluations]\n",
            values.join(", ")
        );
        LOOKED_AT.set(0);
        (outcome(&text), LOOKED_AT.get())
    }

    /// Returns the results of an experiment.
    fn outcome(text: &str) -> Outcome {
        let plan = Plan::read(Path::new("sweep.yaml"), text.as_bytes(), &Registry::builtin(), false);
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        let folder = tempfile::tempdir().unwrap();
        let (cache, memory) = (Cache::new(folder.path(), String::new()), Memory::new(u64::MAX));
        let progress = Progress::silent();
        let resources = Resources { cache: &cache, memory: &memory, progress: &progress, costs: None, fresh: false };
        results_of(std::slice::from_ref(&plan), resources).unwrap().remove(0)
    }

    #[test]
    fn results_of_a_backward_span_are_in_forward_time() {
        let outcome = outcome(
            "id: mine/back\nmodel: { equations: { states: { y: 'sin(1)' }, rates: { y: 'cos(t)' } } }\nspan: [1, 0]\n\
             method: [dop853, radau5]\ntolerance: 1e-11\ntrajectories: [y]\n\
             measures: [{ sample: { of: y, at: [0.25, 0.5] } }, { error: { of: y, every: 0.3 } }, step_sizes]\n\
             reference: { method: rk8, step: 2^-6, digits: 15, check: { method: { gbs: { order: 16 } }, step: 2^-5 } }",
        );
        assert_eq!(outcome.results.rows.len(), 2);
        for row in &outcome.results.rows {
            let value =
                |column: &str| outcome.results.number(row, column).unwrap_or_else(|| panic!("{column}: {row:?}"));
            assert_eq!((row.status, row.t_reached), (Status::Ok, 0.0), "{:?}", row.message);
            for (column, t) in [("y@0.25", 0.25), ("y@0.5", 0.5)] {
                assert!((value(column) - f64::sin(t)).abs() < 1e-9);
            }
            assert!(value("error(y)") < 1e-9 && value("min(step_size)") > 0.0);
            let curve = row.trajectory.as_ref().unwrap();
            assert!(curve.times.is_sorted() && curve.times[0] == 0.0);
            assert!(curve.times.iter().zip(&curve.columns[0]).all(|(t, y)| (y - t.sin()).abs() < 1e-9));
        }
    }

    #[test]
    fn jumps_are_warned_about_unless_they_are_break_points() {
        let file = |rest: &str, breaks: &str| {
            format!(
                "id: mine/jump\n\
                 model: {{ equations: {{ states: {{ y: 0 }}, rates: {{ y: 'sign(t - 7.5)' }}{breaks} }} }}\n\
                 span: [0, 10]\nmethod: [dopri5, radau5]\ntolerance: 1e-3\nmeasures: [{{ final: {{ of: y }} }}]\n{rest}"
            )
        };
        for row in outcome(&file("", "")).results.rows {
            assert!(
                row.is_ok() && row.message.as_ref().is_some_and(|told| told.contains("jumps at t = 7.5")),
                "{row:?}"
            );
        }
        for (rest, breaks) in [("breaks: [7.5]", ""), ("", ", breaks: ['15/2']")] {
            for row in outcome(&file(rest, breaks)).results.rows {
                assert!((row.values[0].unwrap() + 5.0).abs() < 1e-12, "{row:?}");
                assert_eq!(row.message, None);
            }
        }
    }

    #[test]
    fn naming_the_runs_of_a_sweep_takes_linear_time() {
        for masses in [50, 200] {
            let (outcome, looked_at) = sweep(masses);
            assert_eq!(outcome.results.rows.len(), masses);
            assert!((masses..=3 * masses).contains(&looked_at), "{looked_at} runs looked at to name {masses}");
        }
    }
}
