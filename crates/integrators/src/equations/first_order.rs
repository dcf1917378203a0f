//! Explicit differential equations, with or without a mass matrix.

use mbsbench_problem::linalg::{Singular, multiply};
use mbsbench_problem::{BranchSystem, Branches, Counted, Failure, Tangent};
use nalgebra::{Complex, DMatrix, DVector};

use super::blocks::{Number, put};
use super::factors::Factors;
use super::{Eigenvalues, Equations};
use crate::linearisation::Linearisation;

/// `M y' = f(t, y)` of an [`Ode`](mbsbench_problem::Ode) with the indices that the problem declares: dense, or joint by
/// joint for a tree with many joints.
pub(crate) struct FirstOrder {
    mass: Option<DMatrix<f64>>,
    indices: Vec<u8>,
    linearisation: Linearisation,
    real: Factors<f64>,
    complex: Factors<Complex<f64>>,
    tree: Option<(Scaled<f64>, Scaled<Complex<f64>>)>,
}

/// `factor − J` of a tree, as `factor (1 − J/factor)`.
struct Scaled<T: Number> {
    system: BranchSystem<T>,
    scale: T,
    x: Vec<T>,
}

impl<T: Number> Scaled<T> {
    fn new(tree: &Branches) -> Self {
        Self { system: BranchSystem::new(tree), scale: T::one(), x: vec![T::zero(); 2 * tree.order.len()] }
    }

    fn factorize(&mut self, factor: T, tangent: Option<&Tangent>) -> Result<(), Singular> {
        let Some(Tangent::Tree(tree)) = tangent else { return Err(Singular) };
        self.scale = factor.recip();
        self.system.factorize(self.scale, tree)
    }

    fn solve(&mut self, vector: &mut T::Vector<'_>) {
        for (i, x) in self.x.iter_mut().enumerate() {
            *x = T::component(vector, i) * self.scale;
        }
        self.system.solve(&mut self.x);
        for (i, &x) in self.x.iter().enumerate() {
            x.put_component(vector, i);
        }
    }
}

impl FirstOrder {
    pub(crate) fn new(problem: &mut Counted<'_>, eigenvalues: Eigenvalues) -> Self {
        let linearisation = Linearisation::new(problem);
        let tree = match &linearisation.tangent {
            Some(Tangent::Tree(tree)) => Some((Scaled::new(tree), Scaled::new(tree))),
            _ => None,
        };
        let n = if tree.is_some() { 0 } else { problem.dimension() };
        let complex = if eigenvalues == Eigenvalues::Real { 0 } else { n };
        Self {
            mass: problem.properties().mass.cloned(),
            indices: problem.properties().indices.map_or_else(|| vec![1; problem.dimension()], <[u8]>::to_vec),
            linearisation,
            tree,
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
        self.indices.len()
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
        if let Some((system, _)) = &mut self.tree {
            return system.factorize(real, self.linearisation.tangent.as_ref());
        }
        factorize(&mut self.real, real, self.mass.as_ref(), &self.linearisation.jacobian)
    }

    fn factorize_complex(&mut self, complex: Complex<f64>) -> Result<(), Singular> {
        if let Some((_, system)) = &mut self.tree {
            return system.factorize(complex, self.linearisation.tangent.as_ref());
        }
        factorize(&mut self.complex, complex, self.mass.as_ref(), &self.linearisation.jacobian)
    }

    fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        match &self.mass {
            Some(mass) => multiply(mass, x, product),
            None => product.copy_from_slice(x),
        }
    }

    fn solve_real(&mut self, mut x: &mut [f64]) {
        match &mut self.tree {
            Some((system, _)) => system.solve(&mut x),
            None => self.real.solve_vector(&mut x),
        }
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        match &mut self.tree {
            Some((_, system)) => system.solve(&mut [re, im]),
            None => self.complex.solve_vector(&mut [re, im]),
        }
    }
}
