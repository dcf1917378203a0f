//! The matrices of Newton's method: their condition, and the effect of wrong derivatives in them.

use nalgebra::DMatrix;

use super::simple::plain;
use super::{Ending, Measure};

plain! {
    /// The largest condition number, in the spectral norm, of the matrices that Newton's method factorizes, as the
    /// method scales them. Empty for methods without Newton's method.
    NewtonCondition "newton_condition"
        "largest condition number of the Newton matrices, as scaled by the method",
        |_| Box::new(Largest { of: condition, value: None });
    /// The largest factor by which an iteration of Newton's method shrinks a small error if its matrix is formed with
    /// wrong derivatives: the spectral radius of `I − W⁻¹ M`, with the wrong matrix `W` and the exact matrix `M`.
    /// Empty for methods with exact derivatives.
    NewtonContraction "newton_contraction"
        "largest contraction factor of Newton's method when its matrix has wrong derivatives",
        |_| Box::new(Largest { of: contraction, value: None });
}

fn condition(matrix: &DMatrix<f64>, exact: Option<&DMatrix<f64>>) -> Option<f64> {
    let values = exact.is_none().then(|| matrix.singular_values())?;
    Some(values.max() / values.min())
}

fn contraction(matrix: &DMatrix<f64>, exact: Option<&DMatrix<f64>>) -> Option<f64> {
    let exact = exact?;
    // The difference comes first: `I − W⁻¹ M` would lose small eigenvalues to rounding.
    let iteration = matrix.clone().lu().solve(&(matrix - exact));
    Some(iteration.map_or(f64::NAN, |iteration| {
        iteration.complex_eigenvalues().iter().map(|eigenvalue| eigenvalue.norm()).fold(0.0, f64::max)
    }))
}

/// The largest value of a function of the matrices.
struct Largest {
    of: fn(&DMatrix<f64>, Option<&DMatrix<f64>>) -> Option<f64>,
    value: Option<f64>,
}

impl Measure for Largest {
    fn watches_newton_matrices(&self) -> bool {
        true
    }
    fn newton_matrix(&mut self, matrix: &DMatrix<f64>, exact: Option<&DMatrix<f64>>) {
        let values = self.value.into_iter().chain((self.of)(matrix, exact));
        self.value = values.reduce(|largest, value| if value > largest { value } else { largest });
    }
    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        vec![self.value]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contraction_of_a_diagonal_matrix_is_its_largest_error() {
        let diagonal = |entries: &[f64]| DMatrix::from_diagonal(&entries.to_vec().into());
        let mut contraction = Largest { of: contraction, value: None };
        contraction.newton_matrix(&diagonal(&[2.0, 4.0]), Some(&diagonal(&[2.0, 4.0 + 1e-13])));
        assert!((contraction.value.unwrap() - 2.5e-14).abs() < 1e-16);
        contraction.newton_matrix(&diagonal(&[1.0, 2.0]), Some(&diagonal(&[0.5, 2.0])));
        assert_eq!(contraction.value, Some(0.5));
    }
}
