//! Explicit differential equations, with or without a mass matrix.

use mbsbench_problem::linalg::{Singular, multiply};
use mbsbench_problem::{Counted, Failure};
use nalgebra::{Complex, DMatrix, DVector};

use super::blocks::{Number, put};
use super::factors::Factors;
use super::{Eigenvalues, Equations};
use crate::linearisation::Linearisation;

/// `M y' = f(t, y)` of an [`Ode`](mbsbench_problem::Ode), dense, with the indices that the problem declares.
pub(crate) struct FirstOrder {
    mass: Option<DMatrix<f64>>,
    indices: Vec<u8>,
    linearisation: Linearisation,
    real: Factors<f64>,
    complex: Factors<Complex<f64>>,
}

impl FirstOrder {
    pub(crate) fn new(problem: &mut Counted<'_>, eigenvalues: Eigenvalues) -> Self {
        let n = problem.dimension();
        let complex = if eigenvalues == Eigenvalues::Real { 0 } else { n };
        Self {
            mass: problem.properties().mass.cloned(),
            indices: problem.properties().indices.map_or_else(|| vec![1; n], <[u8]>::to_vec),
            linearisation: Linearisation::full(problem),
            real: Factors::new(n),
            complex: Factors::new(complex),
        }
    }
}

/// Factorizes `factor M − J`.
fn factorize<T: Number>(
    factors: &mut Factors<T>,
    factor: T,
    mass: Option<&DMatrix<f64>>,
    jacobian: &DMatrix<f64>,
) -> Result<(), Singular> {
    for (j, (column, derivatives)) in factors.matrix.iter_mut().zip(jacobian.column_iter()).enumerate() {
        for (i, &derivative) in derivatives.iter().enumerate() {
            let mass = mass.map_or(f64::from(u8::from(i == j)), |mass| mass[(i, j)]);
            put(column, i, factor.scale(mass) - T::from_real(derivative));
        }
    }
    factors.factorize()
}

impl Equations for FirstOrder {
    fn indices(&self) -> Vec<u8> {
        self.indices.clone()
    }

    fn state(&self) -> usize {
        self.real.len()
    }

    fn multipliers(&self) -> usize {
        0
    }

    fn start(&mut self, _problem: &mut Counted<'_>, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    fn rhs(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Failure> {
        problem.rhs(t, y, f)
    }

    fn linearise(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &[f64]) -> Result<(), Failure> {
        self.linearisation.take_jacobian(problem, t, y, f)
    }

    fn write_start_rates(&self, f: &[f64], rates: &mut [f64]) {
        match &self.mass {
            Some(mass) => {
                let svd = mass.clone().svd(true, true);
                let negligible = f.len() as f64 * f64::EPSILON * svd.singular_values.max();
                let found = svd.solve(&DVector::from_column_slice(f), negligible).expect("both factors were asked for");
                rates.copy_from_slice(found.as_slice());
            }
            None => rates.copy_from_slice(f),
        }
    }

    fn linearises_by_differences(&self) -> bool {
        self.linearisation.evaluations() > 0
    }

    fn linearisation_cost(&self) -> u64 {
        self.linearisation.evaluations()
    }

    fn factorize_real(&mut self, real: f64) -> Result<(), Singular> {
        factorize(&mut self.real, real, self.mass.as_ref(), &self.linearisation.jacobian)
    }

    fn factorize_complex(&mut self, complex: Complex<f64>) -> Result<(), Singular> {
        factorize(&mut self.complex, complex, self.mass.as_ref(), &self.linearisation.jacobian)
    }

    fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        match &self.mass {
            Some(mass) => multiply(mass, x, product),
            None => product.copy_from_slice(x),
        }
    }

    fn solve_real(&mut self, mut x: &mut [f64]) {
        self.real.solve_vector(&mut x);
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        self.complex.solve_vector(&mut [re, im]);
    }
}
