//! Checks that the parts of a cached record are consistent: a checksum proves that a record is unchanged, but not that
//! this program wrote it.

use mbsbench_measures::ReferenceTrajectory;

use crate::execute::run::Record;

/// The result of a check; an error is in words that follow "its record was not written by this program".
pub type Consistency = Result<(), &'static str>;

/// Checks the record of a run.
///
/// # Errors
/// Fails if its parts are not consistent.
pub fn of_record(record: &Record) -> Consistency {
    ensure(record.values.len() == record.columns.len(), "the numbers of values and columns differ")?;
    let is_watched = record.findings.is_none() || record.status.is_of_a_run();
    ensure(is_watched, "a run whose method did not begin to step has findings")?;
    let Some(curves) = &record.trajectory else { return Ok(()) };
    let count = curves.observables.len();
    ensure(count > 0, "a trajectory has no observables")?;
    ensure(curves.columns.len() == count, "the numbers of columns and observables of a trajectory differ")?;
    ensure(curves.units.len() == count, "the numbers of units and observables of a trajectory differ")?;
    let times = &curves.times;
    ensure(
        curves.columns.iter().all(|column| column.len() == times.len()),
        "a column and the times of a trajectory differ in length",
    )?;
    ensure(is_finite(times) && times.is_sorted(), "the times of a trajectory decrease or are not finite")
}

/// Checks a reference.
///
/// # Errors
/// Fails if its parts are not consistent.
pub fn of_reference(reference: &ReferenceTrajectory) -> Consistency {
    let ReferenceTrajectory { observables, times, values, bounds, digits, digits_asked } = reference;
    ensure(is_finite(times) && times.is_sorted(), "the times of a reference decrease or are not finite")?;
    ensure(
        values.len() == times.len() && bounds.len() == times.len(),
        "the numbers of rows and times of a reference differ",
    )?;
    let is_row = |row: &Vec<f64>| row.len() == observables.len() && is_finite(row);
    ensure(values.iter().chain(bounds).all(is_row), "a row of a reference needs one finite value per observable")?;
    ensure(bounds.iter().flatten().all(|bound| *bound >= 0.0), "a bound of a reference is negative")?;
    ensure(!digits.is_nan() && digits_asked.is_finite(), "the digits of a reference are not a number")
}

/// Checks the states at `times` times of a problem with `unknowns` components.
///
/// # Errors
/// Fails if they are not consistent.
pub fn of_states(states: &[Option<Vec<f64>>], times: usize, unknowns: usize) -> Consistency {
    ensure(states.len() == times, "the numbers of states and times differ")?;
    ensure(states.iter().flatten().all(|state| state.len() == unknowns), "a state has the wrong number of unknowns")
}

fn is_finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Returns the error `otherwise` unless `is_so`.
pub fn ensure(is_so: bool, otherwise: &'static str) -> Consistency {
    if is_so { Ok(()) } else { Err(otherwise) }
}
