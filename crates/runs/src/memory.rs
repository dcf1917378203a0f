//! Limits the memory of runs: the need of each run is estimated before it begins, and a run that needs more than the
//! limit fails alone.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use bytesize::ByteSize;
use mbsbench_experiment::{Origin, Precision, ReferencePlan, RunSpec, SolverSpec};
use mbsbench_problem::{DoubleDouble, Form, Formulated, Matrices, Method, Ode, Scalar, Settings};

use crate::execute::run::{Trajectory, decimator};

/// Bytes of a double.
const DOUBLE: f64 = 8.0;
/// Vectors of the length of the state that a method keeps: stages, differences, past states.
const VECTORS: f64 = 30.0;
/// Bytes for each event function: its values at some states, and the pair of bodies to which it belongs.
const EVENT: f64 = 80.0;
/// Memory of the terms of a mechanism, in full square matrices over all coordinates and constraints: without and with
/// derivatives.
const TERMS: [f64; 2] = [2.2, 4.7];
/// Bytes for each stored entry of a mechanism's sparse matrices, including its position, and for each such entry in
/// each matrix of the method.
const ENTRY: [f64; 2] = [500.0, 55.0];
/// The size in bytes from which the sparsity pattern is determined for the estimate, which takes as long as the start
/// of a run.
const WORTH_A_LOOK: f64 = 1e8;

/// The memory shared by all runs. A run waits until the memory that it needs is free.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    taken: Mutex<Taken>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    /// Bytes used by runs in progress.
    under_way: u64,
    /// Bytes kept of finished runs.
    kept: u64,
}

/// The failure of a run that needs more memory than is available. The remaining memory depends on the results of other
/// runs and is therefore not part of the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it needs {} of memory, more than is available; raise the limit with `--memory`, or use a smaller model or a \
     method without full matrices",
    ByteSize(*needed).display().si()
)]
pub struct TooLarge {
    /// The bytes needed.
    pub needed: u64,
    /// The bytes available.
    pub left: u64,
}

impl Memory {
    /// Creates a limit in bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, taken: Mutex::default(), freed: Condvar::new() }
    }

    /// Reserves memory for the next work on this thread, and waits if other threads use it.
    ///
    /// # Errors
    /// Returns [`TooLarge`] if waiting would not help.
    pub fn reserve(&self, needed: u64) -> Result<Reserved<'_>, TooLarge> {
        let mut taken = self.lock();
        loop {
            let left = self.limit.saturating_sub(taken.kept);
            if needed > left {
                return Err(TooLarge { needed, left });
            }
            if needed <= left.saturating_sub(taken.under_way) {
                taken.under_way += needed;
                return Ok(Reserved { memory: self, bytes: needed });
            }
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reserves memory for the trajectory of a finished run until all runs are finished.
    pub fn keep(&self, trajectory: Option<&Trajectory>) {
        let doubles = trajectory.map_or(0, |curves| curves.times.len() * (1 + curves.columns.len()));
        self.lock().kept += 8 * doubles as u64;
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory that is reserved until this value is dropped.
#[derive(Debug)]
pub struct Reserved<'m> {
    memory: &'m Memory,
    bytes: u64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.memory.lock().under_way -= self.bytes;
        self.memory.freed.notify_all();
    }
}

/// Returns the bytes that a run needs: vectors, matrices and recorded curves. Above a gigabyte the estimate is right
/// within a factor of two.
pub fn of_run(run: &RunSpec) -> u64 {
    let (model, method) = (run.model.object.model(), run.method.object.method());
    let columns = run.recording.trajectories.len();
    let rows = decimator(&run.recording, columns).capacity();
    let recorded = if columns == 0 { 0.0 } else { DOUBLE * ((1 + columns) * rows) as f64 };
    (recorded + of_solve::<f64>(model.as_ref(), method.as_ref(), &run.settings)) as u64
}

/// Returns the bytes that a reference with this number of times needs: the larger of its two solves, and the states of
/// both.
pub fn of_reference(plan: &ReferencePlan, times: usize) -> u64 {
    let Origin::Solved(solved) = &plan.origin else { return 0 };
    let model = plan.model.object.model();
    let solvers =
        std::iter::once((&solved.solver, &solved.settings)).chain(solved.check.iter().map(|(one, of)| (one, of)));
    let of = |(solver, settings): (&SolverSpec, &Settings)| match solved.precision {
        Precision::Double => of_solve::<f64>(model.as_ref(), solver.method.object.method().as_ref(), settings),
        Precision::DoubleDouble => match solver.method.object.precise() {
            Some(method) => of_solve::<DoubleDouble>(model.as_ref(), method.as_ref(), settings),
            None => 0.0,
        },
    };
    let word = match solved.precision {
        Precision::Double => DOUBLE,
        Precision::DoubleDouble => 2.0 * DOUBLE,
    };
    let states = 2 * times * Formulated::<f64>::initial_state(model.as_ref()).len();
    (word * states as f64 + solvers.map(of).fold(0.0, f64::max)) as u64
}

/// Returns the bytes of a solve.
fn of_solve<S: Scalar>(formulated: &dyn Formulated<S>, method: &dyn Method<S>, settings: &Settings) -> f64 {
    let word = size_of::<S>() as f64;
    let mut ode = formulated.ode();
    let n = ode.dimension() as f64;
    let matrices = f64::from(method.properties().full_matrices);
    let vectors = word * VECTORS * n + EVENT * ode.form().events().map_or(0.0, |functions| functions.count() as f64);
    let full = word * matrices * n * n;
    let of_matrices = of_mechanism(ode.as_mut(), method, settings.matrices, full);
    // An implicit form has its own matrices, which are narrow.
    let of_equations = || if matches!(ode.form(), Form::Implicit(_)) { 0.0 } else { full };
    vectors + of_matrices.unwrap_or_else(of_equations)
}

/// Returns the bytes of the matrices of a mechanism and of a method whose own matrices would take `full` bytes if
/// dense; `None` for other problems.
fn of_mechanism<S: Scalar>(ode: &mut dyn Ode<S>, method: &dyn Method<S>, matrices: Matrices, full: f64) -> Option<f64> {
    let mechanics = ode.form().index3()?;
    let unknowns = (mechanics.dimensions().coordinates + mechanics.dimensions().constraints()) as f64;
    let of_method = f64::from(method.properties().full_matrices);
    let terms = size_of::<S>() as f64 * TERMS[usize::from(of_method > 0.0)] * unknowns * unknowns;
    if terms + full < WORTH_A_LOOK {
        return Some(terms + full);
    }
    mechanics.keep_matrices(matrices);
    let structure = mechanics.structure();
    if !structure.is_sparse_in::<S>() {
        return Some(terms + full);
    }
    let entries = (structure.dynamics.entries() + 2 * structure.jacobian.entries()) as f64;
    Some(if method.properties().keeps_all_entries {
        entries * ENTRY[0] + full
    } else {
        entries * (ENTRY[0] + ENTRY[1] * of_method)
    })
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_run_waits_for_memory_and_one_that_is_too_large_does_not() {
        let memory = Memory::new(100);
        assert_eq!(memory.reserve(101).unwrap_err(), TooLarge { needed: 101, left: 100 });
        let first = memory.reserve(60).unwrap();
        thread::scope(|scope| {
            let second = scope.spawn(|| memory.reserve(50).map(|reserved| reserved.bytes));
            thread::sleep(Duration::from_millis(50));
            assert!(!second.is_finished(), "60 and 50 are more than 100");
            drop(first);
            assert_eq!(second.join().unwrap(), Ok(50));
        });
        assert_eq!(memory.lock().under_way, 0);
        let curves = Trajectory {
            observables: vec!["x".to_owned()],
            units: vec!["m".to_owned()],
            times: vec![0.0; 5],
            columns: vec![vec![0.0; 5]],
        };
        memory.keep(Some(&curves));
        assert_eq!(memory.reserve(21).unwrap_err(), TooLarge { needed: 21, left: 20 });
        assert!(memory.reserve(20).is_ok());
    }

    #[test]
    fn sizes_have_si_prefixes() {
        let text = TooLarge { needed: 80_000_000_000, left: 17_200_000_000 }.to_string();
        assert!(text.starts_with("it needs 80.0 GB of memory, more than is available; "), "{text}");
    }
}
