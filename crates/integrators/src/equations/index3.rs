//! Constrained mechanics in index-3 form.

use mbsbench_problem::linalg::{Element, Matrix, Singular, SparseSaddle};
use mbsbench_problem::{Counted, Derivatives, Failure, Structure, Terms, Unsuitable};
use nalgebra::Complex;

use super::blocks::Number;
use super::condensed::{Condensed, Linearised, Parts, Solve};
use super::factors::Factors;
use super::{Eigenvalues, Equations};

/// Constrained mechanics in index-3 form:
///
/// ```text
/// q' = v,   v' = w,   0 = D(t, q, v) + Jᵀ λ − M(q) w,   0 = Φ(t, q)
/// ```
///
/// with positions of index 1, velocities of index 2, and accelerations `w` and multipliers of index 3 (Hairer,
/// Wanner, section VII.7; Andrews' squeezer in the test set for IVP solvers has this form). With `w`, the matrix of
/// the rates is constant.
///
/// The unknowns are ordered `(q, v, w, λ)`; linear systems are [condensed](super::condensed).
pub(crate) struct IndexThree {
    /// Terms at a stage.
    terms: Terms<f64>,
    at: Linearisation,
    /// The condensed systems for the real eigenvalue and, if the method has one, for the complex pair.
    real: Box<dyn Solve<f64>>,
    complex: Option<Box<dyn Solve<Complex<f64>>>>,
}

/// Terms and derivatives at the point of linearisation.
struct Linearisation {
    point: Terms<f64>,
    derivatives: Derivatives<f64>,
    /// `K = ∂(M w − D − Jᵀ λ)/∂q`.
    stiffness: Matrix<f64>,
    /// Empty for large systems.
    blocks: Linearised,
}

impl Linearisation {
    fn parts(&self) -> Parts<'_> {
        let Self { point, derivatives, stiffness, blocks } = self;
        Parts { point, damping: &derivatives.forces_by_velocity, stiffness, blocks }
    }
}

impl IndexThree {
    /// The equations of the mechanics of `problem`.
    pub(crate) fn new(problem: &mut Counted<'_>, eigenvalues: Eigenvalues) -> Result<Self, Unsuitable> {
        let mut mechanics = problem.mechanics()?;
        let structure = mechanics.structure();
        let (n, m, sparse) = (structure.dynamics.rows(), structure.jacobian.rows(), structure.is_sparse());
        fn system<T: Number + Element>(structure: &Structure, sparse: bool) -> Box<dyn Solve<T>> {
            let (n, m) = (structure.dynamics.rows(), structure.jacobian.rows());
            if sparse {
                Box::new(Condensed::new(n, SparseSaddle::<T>::new(&structure.dynamics, &structure.jacobian)))
            } else {
                Box::new(Condensed::new(n, Factors::<T>::new(n + m)))
            }
        }
        Ok(Self {
            terms: Terms::of(&structure, sparse),
            at: Linearisation {
                point: Terms::of(&structure, sparse),
                derivatives: Derivatives::of(&structure, sparse),
                stiffness: Matrix::new(&structure.dynamics, sparse),
                blocks: if sparse { Linearised::new(0, 0) } else { Linearised::new(n, m) },
            },
            real: system(&structure, sparse),
            complex: (eigenvalues == Eigenvalues::RealAndComplex).then(|| system(&structure, sparse)),
        })
    }

    fn coordinates(&self) -> usize {
        self.terms.forces.len()
    }

    fn complex(&mut self) -> (&mut dyn Solve<Complex<f64>>, Parts<'_>) {
        (self.complex.as_deref_mut().expect("made for both eigenvalues"), self.at.parts())
    }
}

impl Equations for IndexThree {
    fn indices(&self) -> Vec<u8> {
        let n = self.coordinates();
        [vec![1; n], vec![2; n], vec![3; n + self.multipliers()]].concat()
    }

    fn state(&self) -> usize {
        2 * self.coordinates()
    }

    fn multipliers(&self) -> usize {
        self.terms.constraints.len()
    }

    /// Computes accelerations and multipliers from the constraints at acceleration level.
    fn start(&mut self, problem: &mut Counted<'_>, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (state, rest) = y.split_at_mut(2 * n);
        let mut rates = vec![0.0; 2 * n + rest.len() - n];
        let consistent = problem.with_dae(|dae| dae.consistent(t, &[], state, &mut rates));
        consistent??;
        rest.copy_from_slice(&rates[n..]);
        Ok(())
    }

    fn rhs(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (state, rest) = y.split_at(2 * n);
        let (q, v) = state.split_at(n);
        let (w, lambda) = rest.split_at(n);
        problem.mechanics()?.terms(t, q, v, &mut self.terms);
        f[..n].copy_from_slice(v);
        f[n..2 * n].copy_from_slice(w);
        let (dynamics, constraints) = f[2 * n..].split_at_mut(n);
        self.terms.dynamics(w, lambda, dynamics);
        dynamics.iter_mut().for_each(|row| *row = -*row);
        constraints.copy_from_slice(&self.terms.constraints);
        Ok(())
    }

    fn linearise(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64], _f: &[f64]) -> Result<(), Failure> {
        let n = self.coordinates();
        let (state, rest) = y.split_at(2 * n);
        let (q, v) = state.split_at(n);
        let (w, lambda) = rest.split_at(n);
        let Linearisation { point, derivatives, stiffness, blocks } = &mut self.at;
        problem.mechanics()?.linearisation(t, q, v, point, derivatives);
        stiffness.negate(&derivatives.forces_by_position);
        derivatives.add_inertia(1.0, w, stiffness);
        derivatives.add_curvature(-1.0, lambda, stiffness);
        if point.mass.pattern().is_none() {
            blocks.take(point, &derivatives.forces_by_velocity, stiffness);
        }
        Ok(())
    }

    fn write_start_rates(&self, f: &[f64], rates: &mut [f64]) {
        self.multiply_mass(f, rates);
    }

    fn linearises_by_differences(&self) -> bool {
        false
    }

    fn linearisation_cost(&self) -> u64 {
        1
    }

    fn factorize_real(&mut self, real: f64) -> Result<(), Singular> {
        self.real.factorize(real, self.at.parts())
    }

    fn factorize_complex(&mut self, complex: Complex<f64>) -> Result<(), Singular> {
        let (system, parts) = self.complex();
        system.factorize(complex, parts)
    }

    fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        let state = self.state();
        product[..state].copy_from_slice(&x[..state]);
        product[state..].fill(0.0);
    }

    fn solve_real(&mut self, mut x: &mut [f64]) {
        self.real.solve(&mut x, self.at.parts());
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        let (system, parts) = self.complex();
        system.solve(&mut [re, im], parts);
    }
}
