//! Constrained mechanics in their index-3 form.

use mbsbench_problem::linalg::{Matrix, Singular};
use mbsbench_problem::{Counted, Derivatives, Failure, Terms, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::blocks::{Columns, Number, add_real, entry, put, written_out};
use super::equations::Equations;
use super::factors::Factors;
use super::sparse::SparseCondensed;

/// ```text
/// q' = v,   v' = w,   0 = D(t, q, v) + Jᵀ λ − M(q) w,   0 = Φ(t, q)
/// ```
///
/// with positions of index 1, velocities of index 2, accelerations `w` and multipliers of index 3 (Hairer, Wanner, section
/// VII.7; so is Andrews' squeezer posed in the test set for IVP solvers). `w` makes the matrix before the rates constant.
///
/// The unknowns stand as `(q, v, w, λ)`. Of a system with `γ M − J` and a right-hand side `(r₁, r₂, r₃, r₄)`, `v` and `w` are
/// eliminated: with `a = γ² Δq`, `s = 1/γ`, `C = ∂D/∂v` and `K = ∂(M w − D − Jᵀ λ)/∂q`,
///
/// ```text
/// ( M − s C + s² K   −Jᵀ ) (a )   ( r₃ + M (γ r₁ + r₂) − C r₁ )
/// ( J                 0  ) (Δλ) = ( −γ² r₄                    )
/// Δq = s² a,   Δv = s a − r₁,   Δw = a − (γ r₁ + r₂)
/// ```
pub(super) struct IndexThree {
    /// Terms at a stage.
    terms: Terms<f64>,
    /// Terms and derivatives at the point of linearisation.
    point: Terms<f64>,
    derivatives: Derivatives<f64>,
    /// `K`.
    stiffness: Matrix<f64>,
    systems: Systems,
}

/// The condensed systems for both eigenvalues.
#[expect(clippy::large_enum_variant, reason = "a run has one of them, and few bodies want no detour")]
enum Systems {
    Dense(Box<Linearised>, Condensed<f64>, Condensed<Complex<f64>>),
    Sparse(Box<(SparseCondensed<f64>, SparseCondensed<Complex<f64>>)>),
}

/// What the condensed systems are made of.
struct Linearised {
    /// `(M −Jᵀ ; J 0)`.
    inertia: Columns<f64>,
    /// `C`.
    damping: Columns<f64>,
    /// `K`.
    stiffness: Columns<f64>,
}

/// The condensed system for one of the eigenvalues.
struct Condensed<T: Number> {
    /// `γ`, 1/s.
    gamma: T,
    factors: Factors<T>,
    /// `γ r₁ + r₂`.
    kinematic: Vec<T>,
}

impl IndexThree {
    /// For the mechanics of `problem`.
    pub(super) fn new(problem: &mut Counted<'_>) -> Result<Self, Unsuitable> {
        let mut mechanics = problem.mechanics()?;
        let structure = mechanics.structure();
        let (n, m, sparse) = (structure.dynamics.rows(), structure.jacobian.rows(), structure.is_sparse());
        Ok(Self {
            terms: Terms::of(&structure, sparse),
            point: Terms::of(&structure, sparse),
            derivatives: Derivatives::of(&structure, sparse),
            stiffness: Matrix::new(&structure.dynamics, sparse),
            systems: if sparse {
                Systems::Sparse(Box::new((SparseCondensed::new(&structure), SparseCondensed::new(&structure))))
            } else {
                Systems::Dense(Box::new(Linearised::new(n, m)), Condensed::new(n, m), Condensed::new(n, m))
            },
        })
    }

    fn coordinates(&self) -> usize {
        self.terms.forces.len()
    }
}

impl Linearised {
    fn new(n: usize, m: usize) -> Self {
        Self { inertia: Columns::new(n + m, n + m), damping: Columns::new(n, n), stiffness: Columns::new(n, n) }
    }

    fn take(&mut self, point: &Terms<f64>, damping: &DMatrix<f64>, stiffness: &DMatrix<f64>) {
        let n = damping.nrows();
        let mut columns = self.inertia.iter_mut();
        for (j, column) in columns.by_ref().take(n).enumerate() {
            let rows = column.as_flattened_mut();
            rows[..n].copy_from_slice(columns_of(point.mass.all(), j));
            rows[n..][..point.constraints.len()].copy_from_slice(columns_of(point.jacobian.all(), j));
        }
        for (k, column) in columns.enumerate() {
            let derivatives = point.jacobian.values()[k..].iter().step_by(point.constraints.len());
            for (entry, derivative) in column.as_flattened_mut().iter_mut().zip(derivatives) {
                *entry = -derivative;
            }
        }
        for (columns, matrix) in [(&mut self.damping, damping), (&mut self.stiffness, stiffness)] {
            for (j, column) in columns.iter_mut().enumerate() {
                column.as_flattened_mut()[..n].copy_from_slice(columns_of(matrix, j));
            }
        }
    }
}

impl<T: Number> Condensed<T> {
    fn new(n: usize, m: usize) -> Self {
        Self { gamma: T::one(), factors: Factors::new(n + m), kinematic: vec![T::zero(); n] }
    }

    /// Forms and factorizes the matrix for `gamma`.
    fn factorize(&mut self, gamma: T, linearised: &Linearised) -> Result<(), Singular> {
        let Linearised { inertia, damping, stiffness } = linearised;
        self.gamma = gamma;
        let s = gamma.recip();
        let square = s * s;
        let matrix = &mut self.factors.matrix;
        for (block, inertia) in matrix.blocks_mut().iter_mut().zip(inertia.blocks()) {
            *block = T::block(inertia);
        }
        written_out!(damping.height(); BLOCKS => for j in 0..self.kinematic.len() {
            let column = &mut matrix.part_mut(j, 0)[..BLOCKS];
            add_real(column, -s, &damping.part(j, 0)[..BLOCKS]);
            add_real(column, square, &stiffness.part(j, 0)[..BLOCKS]);
        });
        self.factors.factorize()
    }

    /// Solves for the right-hand side that `vector` holds, in place.
    fn solve(&mut self, vector: &mut T::Vector<'_>, linearised: &Linearised) {
        let Self { gamma, factors, kinematic } = self;
        let (n, gamma) = (kinematic.len(), *gamma);
        let (velocities, dynamics) = (n, 2 * n);
        for i in 0..n {
            put(&mut factors.x, i, T::component(vector, dynamics + i));
        }
        let Linearised { inertia, damping, .. } = linearised;
        written_out!(damping.height(); BLOCKS => for (i, kinematic) in kinematic.iter_mut().enumerate() {
            let position = T::component(vector, i);
            *kinematic = gamma * position + T::component(vector, velocities + i);
            let x = &mut factors.x[..BLOCKS];
            add_real(x, *kinematic, &inertia.part(i, 0)[..BLOCKS]);
            add_real(x, -position, &damping.part(i, 0)[..BLOCKS]);
        });
        let square = gamma * gamma;
        for i in n..factors.len() {
            put(&mut factors.x, i, -square * T::component(vector, dynamics + i));
        }
        factors.solve();
        let s = gamma.recip();
        for (i, &kinematic) in kinematic.iter().enumerate() {
            let a = entry::<T>(&factors.x, i);
            let rate = s * a;
            (rate - T::component(vector, i)).put_component(vector, velocities + i);
            (s * rate).put_component(vector, i);
            (a - kinematic).put_component(vector, dynamics + i);
        }
        for i in n..factors.len() {
            entry::<T>(&factors.x, i).put_component(vector, dynamics + i);
        }
    }
}

/// Column `j` of a matrix.
fn columns_of(matrix: &DMatrix<f64>, j: usize) -> &[f64] {
    &matrix.as_slice()[j * matrix.nrows()..][..matrix.nrows()]
}

impl Equations for IndexThree {
    fn indices(&self) -> [usize; 3] {
        let n = self.coordinates();
        [n, n, n + self.multipliers()]
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
            linearised.take(point, derivatives.forces_by_velocity.all(), stiffness.all());
        }
        Ok(())
    }

    fn linearisation_cost(&self) -> u64 {
        1
    }

    fn factorize(&mut self, real: f64, complex: Complex<f64>) -> Result<(), Singular> {
        match &mut self.systems {
            Systems::Dense(linearised, of_real, of_complex) => {
                of_real.factorize(real, linearised)?;
                of_complex.factorize(complex, linearised)
            }
            Systems::Sparse(systems) => {
                let Self { point, stiffness, derivatives: Derivatives { forces_by_velocity: damping, .. }, .. } = self;
                systems.0.factorize(real, point, damping, stiffness)?;
                systems.1.factorize(complex, point, damping, stiffness)
            }
        }
    }

    fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        let state = self.state();
        product[..state].copy_from_slice(&x[..state]);
        product[state..].fill(0.0);
    }

    fn solve_real(&mut self, mut x: &mut [f64]) {
        match &mut self.systems {
            Systems::Dense(linearised, system, _) => system.solve(&mut x, linearised),
            Systems::Sparse(systems) => {
                systems.0.solve(&mut x, &self.point.mass, &self.derivatives.forces_by_velocity);
            }
        }
    }

    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]) {
        let mut x = [re, im];
        match &mut self.systems {
            Systems::Dense(linearised, _, system) => system.solve(&mut x, linearised),
            Systems::Sparse(systems) => {
                systems.1.solve(&mut x, &self.point.mass, &self.derivatives.forces_by_velocity);
            }
        }
    }
}
