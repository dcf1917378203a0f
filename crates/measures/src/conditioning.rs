//! How well the matrices of Newton's method are conditioned.

use mbsbench_problem::parameters;
use nalgebra::DMatrix;

use super::{Ending, Measure, MeasureContext, MeasureDefinition};

parameters! {
    /// Largest condition number, in the spectral norm, of the matrices that Newton's method factorizes, scaled as the
    /// method scales them. Empty for methods without.
    pub struct NewtonCondition {}
}

impl MeasureDefinition for NewtonCondition {
    const NAME: &'static str = "newton_condition";
    const SUMMARY: &'static str =
        "largest condition number of the matrices of Newton's method, as the method scales them";

    fn columns(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }
    fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
        Box::new(Largest(None))
    }
}

struct Largest(Option<f64>);

impl Measure for Largest {
    fn watches_newton_matrices(&self) -> bool {
        true
    }
    fn newton_matrix(&mut self, matrix: &DMatrix<f64>) {
        let values = matrix.singular_values();
        let condition = values.max() / values.min();
        self.0 = Some(self.0.map_or(condition, |largest| if condition > largest { condition } else { largest }));
    }
    fn finish(self: Box<Self>, _ending: &Ending<'_>) -> Vec<Option<f64>> {
        vec![self.0]
    }
}
