//! Initial values that satisfy the equations without derivatives.

use mbsbench_problem::{Formulated, OutOfRange};
use nalgebra::{DMatrix, DVector};

use super::EquationsModel;
use crate::assembly;
use crate::definition::Start;

/// Largest number of states whose initial values are checked or changed.
const MOST_STATES: usize = 500;

/// Weight of a state with derivatives in the norm of changes, relative to one without: it changes only if it must.
const HELD: f64 = 1e10;

/// Change of a state, relative to the largest, above which its initial value is inconsistent.
const INCONSISTENT: f64 = 1e-6;

impl EquationsModel {
    /// Returns initial values changed as little as possible to satisfy, at time zero, the equations without derivatives
    /// and the combinations of equations in which derivatives cancel, if this is requested. Otherwise checks those
    /// given, if no rate depends on time.
    ///
    /// # Errors
    /// Fails if the initial values are inconsistent, if no consistent ones are found, or if the matrix is not finite.
    pub(super) fn start(&self, start: Option<Start>) -> Result<Option<Vec<f64>>, OutOfRange> {
        let is_assembled = start == Some(Start::Assembled);
        let mut ode = Formulated::<f64>::ode(self);
        let (n, properties) = (ode.dimension(), ode.properties());
        let is_infinite = properties.mass.is_some_and(|mass| mass.iter().any(|entry| !entry.is_finite()));
        let found = "an entry of the matrix is infinite or not a number";
        OutOfRange::clause_if(is_infinite, "mass", found, "formulas with finite values")?;
        let is_checked = is_assembled || (properties.is_autonomous && n <= MOST_STATES);
        let Some(mass) = properties.mass.filter(|_| is_checked).cloned() else { return Ok(None) };
        let accepted = format!("at most {MOST_STATES} states");
        OutOfRange::unless(n <= MOST_STATES, "start", format!("`assembled` with {n} states"), &accepted)?;
        let Some(svd) = mass.clone().try_svd(true, false, f64::EPSILON, 1000) else { return Ok(None) };
        let is_zero = |k: &usize| svd.singular_values[*k] <= 1e-12 * svd.singular_values.amax();
        let without: Vec<usize> = (0..n).filter(is_zero).collect();
        let combine = svd.u.as_ref().expect("requested").select_columns(&without).transpose();
        let (mut f, mut jacobian) = (vec![0.0; n], DMatrix::zeros(n, n));
        let mut at = |y: &[f64]| {
            if ode.rhs(0.0, y, &mut f).and_then(|()| ode.jacobian(0.0, y, &mut jacobian)).is_err() {
                f.fill(f64::NAN);
            }
            let (values, rows) = (&combine * DVector::from_column_slice(&f), &combine * &jacobian);
            let places = (0..n).flat_map(|j| (0..without.len()).map(move |i| (i, j)));
            let entries = places.map(|(i, j)| (i, j, rows[(i, j)])).filter(|(.., entry)| *entry != 0.0);
            (values.as_slice().to_vec(), entries.collect::<Vec<_>>())
        };
        let given = Formulated::<f64>::initial_state(self);
        // the largest term of an equation
        let terms = at(&given).1.iter().fold(0.0, |most: f64, &(_, j, entry)| most.max((entry * given[j]).abs()));
        let weights: Vec<f64> = mass.column_iter().map(|column| if column.amax() > 0.0 { HELD } else { 1.0 }).collect();
        let mut y = given.clone();
        let closed = assembly::close(&mut at, &mut y, &weights, 1e-10 * terms.max(f64::MIN_POSITIVE));
        let size = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        let by = y.iter().zip(&given).fold(0.0, |most: f64, (y, given)| most.max((y - given).abs()));
        let found = match closed {
            Err(_) => "no initial values near those given satisfy the equations without derivatives".to_owned(),
            Ok(()) if is_assembled => return Ok(Some(y)),
            Ok(()) if by <= INCONSISTENT * size => return Ok(None),
            Ok(()) => format!("the equations without derivatives change an initial value by {by:.1e}"),
        };
        let accepted = "initial values that satisfy these equations, or `start: assembled`";
        Err(OutOfRange::clause("states", found, accepted))
    }
}
