//! Explicit differential equations, and those with a mass matrix.

use mbsbench_problem::linalg::{Singular, multiply};
use mbsbench_problem::{Counted, Failure};
use nalgebra::{Complex, ComplexField, DMatrix};

use super::equations::Equations;
use super::factors::Factors;
use crate::linearisation::Linearisation;

/// `M y' = f(t, y)` of an [`Ode`](mbsbench_problem::Ode), dense; all unknowns count as of index 1.
pub(super) struct FirstOrder {
    mass: Option<DMatrix<f64>>,
    linearisation: Linearisation,
    real: Factors<f64>,
    complex: Factors<Complex<f64>>,
}

impl FirstOrder {
    pub(super) fn new(problem: &mut Counted<'_>) -> Self {
        let n = problem.dimension();
        Self {
            mass: problem.mass().cloned(),
            linearisation: Linearisation::new(problem),
            real: Factors::new(n),
            complex: Factors::new(n),
        }
    }
}

/// Writes `factor M − J`.
fn put<T: ComplexField<RealField = f64> + Copy>(
    matrix: &mut DMatrix<T>,
    factor: T,
    mass: Option<&DMatrix<f64>>,
    jacobian: &DMatrix<f64>,
) {
    matrix.zip_apply(jacobian, |entry, derivative| *entry = T::from_real(-derivative));
    match mass {
        Some(mass) => matrix.zip_apply(mass, |entry, mass| *entry += factor.scale(mass)),
        None => (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += factor),
    }
}

impl Equations for FirstOrder {
    fn indices(&self) -> [usize; 3] {
        [self.state(), 0, 0]
    }

    fn state(&self) -> usize {
        self.real.x.len()
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

    fn linearisation_cost(&self) -> u64 {
        self.linearisation.evaluations()
    }

    fn factorise(&mut self, real: f64, complex: Complex<f64>) -> Result<(), Singular> {
        let jacobian = &self.linearisation.jacobian;
        put(&mut self.real.matrix, real, self.mass.as_ref(), jacobian);
        put(&mut self.complex.matrix, complex, self.mass.as_ref(), jacobian);
        self.real.factorise()?;
        self.complex.factorise()
    }

    fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        match &self.mass {
            Some(mass) => multiply(mass, x, product),
            None => product.copy_from_slice(x),
        }
    }

    fn solve_real(&mut self, x: &mut [f64]) {
        self.real.x.copy_from_slice(x);
        self.real.solve();
        x.copy_from_slice(self.real.x.as_slice());
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        for (x, (&re, &im)) in self.complex.x.iter_mut().zip(re.iter().zip(im.iter())) {
            *x = Complex::new(re, im);
        }
        self.complex.solve();
        for (x, (re, im)) in self.complex.x.iter().zip(re.iter_mut().zip(im)) {
            (*re, *im) = (x.re, x.im);
        }
    }
}
