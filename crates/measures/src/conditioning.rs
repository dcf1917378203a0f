//! The matrices of Newton's method: their condition, and the effect of wrong derivatives in them.

use nalgebra::DMatrix;

use super::simple::plain;
use super::{Ending, Measure};

plain! {
    /// The largest condition number, in the spectral norm, of the matrices that Newton's method factorizes, as the
    /// method scales them. Empty for methods without Newton's method.
    NewtonCondition "newton_condition"
        "largest condition number of the Newton matrices, as scaled by the method",
        |_| Box::new(Condition(None));
    /// The largest factor by which an iteration of Newton's method shrinks a small error if its matrix is formed with
    /// wrong derivatives: the spectral radius of `I − W⁻¹ M`, with the wrong matrix `W` and the exact matrix `M`.
    /// Empty for methods with exact derivatives.
    NewtonContraction "newton_contraction"
        "largest contraction factor of Newton's method when its matrix has wrong derivatives",
        |_| Box::new(Contraction(None));
}

fn larger(largest: Option<f64>, value: f64) -> f64 {
    largest.map_or(value, |largest| if value > largest { value } else { largest })
}

struct Condition(Option<f64>);

impl Measure for Condition {
    fn watches_newton_matrices(&self) -> bool {
        true
    }
    fn newton_matrix(&mut self, matrix: &DMatrix<f64>) {
        let values = matrix.singular_values();
        self.0 = Some(larger(self.0, values.max() / values.min()));
    }
    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        vec![self.0]
    }
}

struct Contraction(Option<f64>);

impl Measure for Contraction {
    fn watches_newton_matrices(&self) -> bool {
        true
    }
    fn wrong_newton_matrix(&mut self, matrix: &DMatrix<f64>, exact: &DMatrix<f64>) {
        // The difference comes first: `I − W⁻¹ M` would lose small eigenvalues to rounding.
        let factor = matrix.clone().lu().solve(&(matrix - exact)).map_or(f64::NAN, |iteration| {
            iteration.complex_eigenvalues().iter().map(|eigenvalue| eigenvalue.norm()).fold(0.0, f64::max)
        });
        self.0 = Some(larger(self.0, factor));
    }
    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        vec![self.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contraction_of_a_diagonal_matrix_is_its_largest_error() {
        let diagonal = |entries: &[f64]| DMatrix::from_diagonal(&entries.to_vec().into());
        let mut contraction = Contraction(None);
        contraction.wrong_newton_matrix(&diagonal(&[2.0, 4.0]), &diagonal(&[2.0, 4.0 + 1e-13]));
        assert!((contraction.0.unwrap() - 2.5e-14).abs() < 1e-16);
        contraction.wrong_newton_matrix(&diagonal(&[1.0, 2.0]), &diagonal(&[0.5, 2.0]));
        assert_eq!(contraction.0, Some(0.5));
    }
}
