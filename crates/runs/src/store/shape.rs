//! Checks that the parts of a cached record are consistent: a checksum proves that a record is unchanged, but not that
//! this program wrote it.

use mbsbench_measures::ReferenceTrajectory;

use crate::execute::run::Record;

/// Describes an error in a cached record, in words that follow "its record is none of this program".
pub type Misshapen = &'static str;

/// Checks the record of a run.
///
/// # Errors
/// Fails if its parts are not consistent.
pub fn of_record(record: &Record) -> Result<(), Misshapen> {
    ensure(record.values.len() == record.columns.len(), "there are not as many values as columns")?;
    let Some(curves) = &record.trajectory else { return Ok(()) };
    let count = curves.observables.len();
    ensure(count > 0, "a trajectory is of nothing")?;
    ensure(curves.columns.len() == count, "a trajectory has not as many columns as observables")?;
    ensure(curves.units.len() == count, "a trajectory has not as many units as observables")?;
    let times = &curves.times;
    ensure(
        curves.columns.iter().all(|column| column.len() == times.len()),
        "a column of a trajectory is not as long as its times",
    )?;
    ensure(is_finite(times) && times.is_sorted(), "times of a trajectory are not finite or fall")
}

/// Checks a reference.
///
/// # Errors
/// Fails if its parts are not consistent.
pub fn of_reference(reference: &ReferenceTrajectory) -> Result<(), Misshapen> {
    let ReferenceTrajectory { observables, times, values, bounds, digits, digits_asked } = reference;
    ensure(is_finite(times) && times.is_sorted(), "times of a reference are not finite or fall")?;
    ensure(values.len() == times.len() && bounds.len() == times.len(), "a reference has not as many rows as times")?;
    let is_row = |row: &Vec<f64>| row.len() == observables.len() && is_finite(row);
    ensure(values.iter().chain(bounds).all(is_row), "a row of a reference is not as long as its observables are many")?;
    ensure(bounds.iter().flatten().all(|bound| *bound >= 0.0), "a bound of a reference is negative")?;
    ensure(!digits.is_nan() && digits_asked.is_finite(), "the digits of a reference are not a number")
}

/// Checks the states at `times` times of a problem with `unknowns` components.
///
/// # Errors
/// Fails if they are not consistent.
pub fn of_states(states: &[Option<Vec<f64>>], times: usize, unknowns: usize) -> Result<(), Misshapen> {
    ensure(states.len() == times, "there are not as many states as times")?;
    ensure(states.iter().flatten().all(|state| state.len() == unknowns), "a state has another number of unknowns")
}

fn is_finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Returns the error `otherwise` unless `is_so`.
pub fn ensure(is_so: bool, otherwise: Misshapen) -> Result<(), Misshapen> {
    if is_so { Ok(()) } else { Err(otherwise) }
}
