//! Rates at the initial state.

use mbsbench_problem::linalg::{Lu, multiply, product};
use mbsbench_problem::{Counted, Failure};
use nalgebra::DMatrix;

use crate::linearisation::{IterationMatrix, Linearisation};

/// `y'` and `y''` at a consistent initial state.
///
/// Let `P` be the orthogonal projection whose kernel is the range of `M`. The algebraic equations are `P f = 0`; their
/// derivative and the differential equations together give
///
/// ```text
/// (M + P J) y' = (1 − P) f − P f_t
/// ```
///
/// for index one. `y''` follows from the same matrix and `(1 − P) (f_t + J y')`, up to the curvature of the algebraic
/// equations.
#[derive(Debug)]
pub(super) struct Initial {
    /// `y'`.
    pub rate: Vec<f64>,
    /// `y''`.
    pub second: Vec<f64>,
}

impl Initial {
    /// Computes both at the point at which `linearisation` was formed; `derivative` is `f`.
    ///
    /// # Errors
    /// Returns [`Failure::SingularMatrix`] if the index is higher than one.
    pub(super) fn new(
        problem: &Counted<'_>,
        t: f64,
        derivative: &[f64],
        linearisation: &Linearisation,
        matrix: &mut IterationMatrix,
    ) -> Result<Self, Failure> {
        let n = derivative.len();
        let Linearisation { jacobian, by_time, .. } = linearisation;
        let curve = |rate: &[f64]| {
            let mut second = vec![0.0; n];
            let matrix = "[M Jᵀ; J 0]";
            linearisation.multiply(rate, &mut second).map_err(|_| Failure::SingularMatrix { time: t, matrix })?;
            second.iter_mut().zip(by_time).for_each(|(second, by_time)| *second += by_time);
            Ok::<_, Failure>(second)
        };
        let Some(mass) = problem.properties().mass else {
            return Ok(Self { rate: derivative.to_vec(), second: curve(derivative)? });
        };
        let projection = projection(mass);
        let mut factors = Lu::new(n);
        matrix.costs.factorizations += 1;
        let singular = Failure::SingularMatrix { time: t, matrix: "M + P ∂f/∂y of equations of index one" };
        let mut projected = DMatrix::zeros(n, n);
        product(&projection, jacobian, &mut projected);
        factors.factorize(&(mass + projected)).map_err(|_| singular)?;
        let mut solve = |differential: &[f64], algebraic: &[f64]| {
            let sum: Vec<f64> = differential.iter().zip(algebraic).map(|(a, b)| a + b).collect();
            let mut x = vec![0.0; n];
            multiply(&projection, &sum, &mut x);
            x.iter_mut().zip(differential).for_each(|(x, differential)| *x = differential - *x);
            matrix.costs.linear_solves += 1;
            factors.solve(&mut x);
            x
        };
        let rate = solve(derivative, by_time);
        let second = solve(&curve(&rate)?, &vec![0.0; n]);
        Ok(Self { rate, second })
    }
}

/// The orthogonal projection whose kernel is the range of `mass`, from the singular values above rounding.
fn projection(mass: &DMatrix<f64>) -> DMatrix<f64> {
    let n = mass.nrows();
    let svd = mass.clone().svd(true, false);
    let threshold = n as f64 * f64::EPSILON * svd.singular_values.max();
    let mut projection = DMatrix::identity(n, n);
    let vectors = svd.u.expect("asked for");
    for (vector, &value) in vectors.column_iter().zip(&svd.singular_values) {
        if value > threshold {
            projection -= vector * vector.transpose();
        }
    }
    projection
}
