//! A check that several models need.

use mbsbench_problem::OutOfRange;

/// Fails unless `value` is finite and not below zero.
pub(crate) fn not_negative(field: &str, value: f64) -> Result<(), OutOfRange> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(OutOfRange::new(field, value, "a finite number, zero or above"))
}
