//! Runs experiments and commands of the program in the background, so that the interpreter stays responsive.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mbsbench::artefacts::Artefacts;
use mbsbench::cli::{self, CommandError};
use mbsbench_experiment::plan::Plan;
use mbsbench_problem::Formulated;
use mbsbench_runs::cache::Cache;
use mbsbench_runs::execute::run::Trajectory;
use mbsbench_runs::pipeline::{Resources, Titles, results_of};
use mbsbench_runs::progress::Progress;
use mbsbench_runs::{fingerprint, seal, stop as stops};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use rayon::ThreadPoolBuilder;

use crate::arrays::vector;
use crate::failures::input_error;
use crate::registered::registry;
use crate::solve::refuse_start;

/// The interval at which signals are handled.
const LOOK: Duration = Duration::from_millis(50);
/// The time that runs in progress have to end after an interruption.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks all runs to end. Finished runs remain cached.
#[pyfunction]
pub fn stop() {
    stops::ask();
}

/// Does `work` on a separate thread. Meanwhile Python handles signals, and `tell` is called regularly to report
/// progress. If either raises an exception, all work is asked to end, `interrupted` is called, and the exception is
/// propagated.
fn in_background<T: Send + 'static>(
    py: Python<'_>,
    interrupted: &Bound<'_, PyAny>,
    work: impl FnOnce() -> T + Send + 'static,
    mut tell: impl FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // If the receiver is gone, nobody waits for the result.
        let _ = sender.send(work());
    });
    let receiver = Mutex::new(receiver);
    let wait = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
    let ended = || PyRuntimeError::new_err("the program panicked; see its message on standard error");
    loop {
        match py.detach(wait) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => return Err(ended()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = py.check_signals().and_then(|()| tell()) {
            stops::ask();
            let asked = Instant::now();
            while asked.elapsed() < PATIENCE {
                interrupted.call0()?;
                if !matches!(py.detach(wait), Err(RecvTimeoutError::Timeout)) {
                    break;
                }
            }
            return Err(raised);
        }
    }
}

/// The results of an experiment: its id, its folder, its tables, and the trajectories of its runs by their axis values.
type Ran<C> = (String, PathBuf, Vec<String>, Vec<(String, C)>);

/// The folders and resources of runs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    out: PathBuf,
    cache: PathBuf,
    jobs: Option<NonZero<usize>>,
    fresh: bool,
    quick: bool,
}

/// Runs experiments, each given as `(path, text)`, and writes their results below a folder. Returns, for each
/// experiment, its id, its folder, its tables and the trajectories of its runs. `tell` is called with the number of
/// runs done, the number of all runs, and the number of failures.
#[pyfunction]
pub fn run<'py>(
    py: Python<'py>,
    documents: Vec<(PathBuf, String)>,
    options: Options,
    tell: &Bound<'py, PyAny>,
    interrupted: &Bound<'py, PyAny>,
) -> PyResult<Vec<Ran<Bound<'py, PyDict>>>> {
    let registry = registry()?;
    let read = |(path, text): &(PathBuf, String)| Plan::read(path, text.as_bytes(), &registry, options.quick);
    let files: Vec<&Path> = documents.iter().map(|(path, _)| path.as_path()).collect();
    let wrong = |wrong| input_error(cli::no_experiment(vec![wrong], &files).render(false).trim_end());
    let plans = py.detach(|| documents.iter().map(read).collect::<Result<Vec<Plan>, _>>()).map_err(wrong)?;
    let is_official = options.out.join("manifest.json").exists();
    if is_official
        && plans.iter().flat_map(|plan| &plan.runs).any(|run| run.model.entry.is_late() || run.method.entry.is_late())
    {
        let out = options.out.display();
        let text = format!("{out} contains results of the project; choose another `out` for Python classes");
        return Err(input_error(text));
    }
    py.detach(|| refuse_starts(&plans)).map_err(input_error)?;
    let total: usize = plans.iter().map(|plan| plan.runs.len()).sum();
    let progress = std::sync::Arc::new(Progress::silent().counting_failures());
    let watched = std::sync::Arc::clone(&progress);
    let work = move || run_plans(&plans, &registry, &options, &progress);
    let ran = in_background(py, interrupted, work, || {
        let (done, failed) = watched.done();
        tell.call1((done, total, failed)).map(drop)
    })??;
    let (done, failed) = watched.done();
    tell.call1((done, total, failed))?;
    let with_columns = |(id, folder, tables, curves): Ran<Trajectory>| {
        let curves = curves.into_iter().map(|(title, trajectory)| Ok((title, columns(py, &trajectory)?)));
        Ok((id, folder, tables, curves.collect::<PyResult<_>>()?))
    };
    ran.into_iter().map(with_columns).collect()
}

/// Checks the starts of all runs of Python models, each start once.
fn refuse_starts(plans: &[Plan]) -> Result<(), String> {
    let mut checked = BTreeSet::new();
    for run in plans.iter().flat_map(|plan| &plan.runs).filter(|run| run.model.entry.is_late()) {
        if checked.insert((run.model.name(), run.span[0].to_bits())) {
            let model = run.model.object.model();
            let initial = Formulated::<f64>::initial_state(&*model);
            refuse_start(Formulated::<f64>::ode(&*model).as_mut(), run.span[0], &initial)?;
        }
    }
    Ok(())
}

fn run_plans(
    plans: &[Plan],
    registry: &mbsbench_experiment::Registry,
    options: &Options,
    progress: &Progress,
) -> PyResult<Vec<Ran<Trajectory>>> {
    let system = |error: &dyn std::fmt::Display| PyOSError::new_err(error.to_string());
    let pool = ThreadPoolBuilder::new().num_threads(cli::threads(options.jobs)).build();
    let pool = pool.map_err(|error| system(&error))?;
    let cache = Cache::new(&options.cache, fingerprint(registry));
    let memory = cli::memory_of_machine();
    let resources = Resources { cache: &cache, memory: &memory, progress, costs: None, fresh: options.fresh };
    let outcomes = pool.install(|| results_of(plans, resources)).map_err(|error| {
        if error.kind() == std::io::ErrorKind::Interrupted { PyKeyboardInterrupt::new_err(()) } else { system(&error) }
    })?;
    let mut ran = Vec::with_capacity(plans.len());
    for (plan, mut outcome) in plans.iter().zip(outcomes) {
        mbsbench::artefacts::time(&options.out, plan, &mut outcome.results, options.fresh)
            .map_err(|error| system(&error))?;
        let artefacts = Artefacts { plan, outcome: &outcome, registry, cache: &cache };
        let written = pool.install(|| artefacts.write(&options.out)).map_err(|error| system(&error))?;
        let titles = Titles::of(plan);
        let of_run =
            |(run, row): (&_, &mbsbench_runs::results::Row)| Some((titles.of_run(run), row.trajectory.clone()?));
        let curves = plan.runs.iter().zip(&outcome.results.rows).filter_map(of_run).collect();
        ran.push((plan.experiment.id.clone(), written.folder, written.tables, curves));
    }
    Ok(ran)
}

/// Returns times and observables by name.
fn columns<'py>(py: Python<'py>, trajectory: &Trajectory) -> PyResult<Bound<'py, PyDict>> {
    let observables = trajectory.observables.iter().map(String::as_str).zip(&trajectory.columns);
    let columns = std::iter::once(("t", &trajectory.times)).chain(observables);
    columns.map(|(name, values)| (name, vector(py, values))).into_py_dict(py)
}

/// Runs the program with these arguments and returns its exit code, standard output and standard error.
#[pyfunction]
pub fn command(
    py: Python<'_>,
    arguments: Vec<String>,
    interrupted: &Bound<'_, PyAny>,
) -> PyResult<(u8, String, String)> {
    let registry = registry()?;
    let work = move || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let arguments = std::iter::once("mbsbench".to_owned()).chain(arguments);
        let exit = cli::run(&registry, arguments, &mut out, &mut err, false);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (exit as u8, text(out), text(err))
    };
    in_background(py, interrupted, work, || Ok(()))
}

/// Returns the folder with the built-in `experiments` and `results`, unpacked in the user's cache folder.
#[pyfunction]
pub fn builtin() -> PyResult<PathBuf> {
    mbsbench_builtin::unpacked().map_err(|error| PyOSError::new_err(error.to_string()))
}

/// Returns the files in a folder of results that no manifest lists. Raises `InputError` if files were changed after
/// they were written.
#[pyfunction]
pub fn unsealed(folder: PathBuf, id: String) -> PyResult<Vec<PathBuf>> {
    let found = seal::inspect(&folder).map_err(|error| PyOSError::new_err(error.to_string()))?;
    let error = |changed| input_error(CommandError::Changed(vec![(id, changed)]).render(false).trim_end());
    if found.changed.is_empty() { Ok(found.unsealed) } else { Err(error(found.changed)) }
}
