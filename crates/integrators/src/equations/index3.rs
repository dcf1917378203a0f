//! Constrained mechanics in their index-3 form.

use mbsbench_problem::linalg::{Matrix, Singular, SparseSaddle};
use mbsbench_problem::{Counted, Derivatives, Failure, Mechanics, Terms, Unsuitable};
use nalgebra::Complex;

use super::condensed::{Condensed, Linearised, Parts, System};
use super::factors::Factors;
use super::{Eigenvalues, Equations};

/// ```text
/// q' = v,   v' = w,   0 = D(t, q, v) + Jᵀ λ − M(q) w,   0 = Φ(t, q)
/// ```
///
/// with positions of index 1, velocities of index 2, accelerations `w` and multipliers of index 3 (Hairer, Wanner, section
/// VII.7; so is Andrews' squeezer posed in the test set for IVP solvers). `w` makes the matrix before the rates constant.
///
/// The unknowns stand as `(q, v, w, λ)`; linear systems are [condensed](super::condensed).
pub(crate) struct IndexThree {
    /// Terms at a stage.
    terms: Terms<f64>,
    /// Terms and derivatives at the point of linearisation.
    point: Terms<f64>,
    derivatives: Derivatives<f64>,
    /// `K = ∂(M w − D − Jᵀ λ)/∂q`.
    stiffness: Matrix<f64>,
    systems: Systems,
}

/// The condensed systems for both eigenvalues.
#[expect(clippy::large_enum_variant, reason = "a run has one of them, and few bodies want no detour")]
enum Systems {
    Dense(Box<Linearised>, Pair<Factors<f64>, Factors<Complex<f64>>>),
    Sparse(Box<Pair<SparseSaddle<f64>, SparseSaddle<Complex<f64>>>>),
}

/// The condensed system for the real eigenvalue and, where the method has one, the one for the complex pair.
struct Pair<R, C> {
    real: Condensed<f64, R>,
    complex: Option<Condensed<Complex<f64>, C>>,
}

impl<R: System<f64>, C: System<Complex<f64>>> Pair<R, C> {
    fn new(n: usize, real: R, complex: Option<C>) -> Self {
        Self { real: Condensed::new(n, real), complex: complex.map(|complex| Condensed::new(n, complex)) }
    }

    fn complex(&mut self) -> &mut Condensed<Complex<f64>, C> {
        self.complex.as_mut().expect("made for both eigenvalues")
    }
}

impl IndexThree {
    /// For the mechanics of `problem`.
    pub(crate) fn new(problem: &mut Counted<'_>, eigenvalues: Eigenvalues) -> Result<Self, Unsuitable> {
        let has_complex = eigenvalues == Eigenvalues::RealAndComplex;
        let mut mechanics = problem.mechanics()?;
        let structure = mechanics.structure();
        let (n, m, sparse) = (structure.dynamics.rows(), structure.jacobian.rows(), structure.is_sparse());
        Ok(Self {
            terms: Terms::of(&structure, sparse),
            point: Terms::of(&structure, sparse),
            derivatives: Derivatives::of(&structure, sparse),
            stiffness: Matrix::new(&structure.dynamics, sparse),
            systems: if sparse {
                let complex = has_complex.then(|| SparseSaddle::new(&structure.dynamics, &structure.jacobian));
                Systems::Sparse(Box::new(Pair::new(
                    n,
                    SparseSaddle::new(&structure.dynamics, &structure.jacobian),
                    complex,
                )))
            } else {
                let pair = Pair::new(n, Factors::new(n + m), has_complex.then(|| Factors::new(n + m)));
                Systems::Dense(Box::new(Linearised::new(n, m)), pair)
            },
        })
    }

    fn coordinates(&self) -> usize {
        self.terms.forces.len()
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

    /// Accelerations and multipliers from the constraints at acceleration level.
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
        let Self { point, derivatives, stiffness, systems, .. } = self;
        problem.mechanics()?.linearisation(t, q, v, point, derivatives);
        stiffness.negate(&derivatives.forces_by_position);
        derivatives.add_inertia(1.0, w, stiffness);
        derivatives.add_curvature(-1.0, lambda, stiffness);
        if let Systems::Dense(linearised, ..) = systems {
            linearised.take(Parts { point, damping: &derivatives.forces_by_velocity, stiffness });
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
        let Self { point, stiffness, derivatives: Derivatives { forces_by_velocity: damping, .. }, .. } = self;
        match &mut self.systems {
            Systems::Dense(linearised, pair) => pair.real.factorize(real, linearised),
            Systems::Sparse(pair) => pair.real.factorize(real, Parts { point, damping, stiffness }),
        }
    }

    fn factorize_complex(&mut self, complex: Complex<f64>) -> Result<(), Singular> {
        let Self { point, stiffness, derivatives: Derivatives { forces_by_velocity: damping, .. }, .. } = self;
        match &mut self.systems {
            Systems::Dense(linearised, pair) => pair.complex().factorize(complex, linearised),
            Systems::Sparse(pair) => pair.complex().factorize(complex, Parts { point, damping, stiffness }),
        }
    }

    fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        let state = self.state();
        product[..state].copy_from_slice(&x[..state]);
        product[state..].fill(0.0);
    }

    fn solve_real(&mut self, mut x: &mut [f64]) {
        let Self { point, stiffness, derivatives: Derivatives { forces_by_velocity: damping, .. }, .. } = self;
        match &mut self.systems {
            Systems::Dense(linearised, pair) => pair.real.solve(&mut x, linearised),
            Systems::Sparse(pair) => pair.real.solve(&mut x, Parts { point, damping, stiffness }),
        }
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        let mut x = [re, im];
        let Self { point, stiffness, derivatives: Derivatives { forces_by_velocity: damping, .. }, .. } = self;
        match &mut self.systems {
            Systems::Dense(linearised, pair) => pair.complex().solve(&mut x, linearised),
            Systems::Sparse(pair) => pair.complex().solve(&mut x, Parts { point, damping, stiffness }),
        }
    }
}
