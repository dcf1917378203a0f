//! The condensed systems of constrained mechanics, dense and sparse.
//!
//! From a system with `γ M − J` and a right-hand side `(r₁, r₂, r₃, r₄)`, `v` and `w` are eliminated: with
//! `a = γ² Δq`, `s = 1/γ`, `C = ∂D/∂v` and `K = ∂(M w − D − Jᵀ λ)/∂q`,
//!
//! ```text
//! ( M − s C + s² K   −Jᵀ ) (a )   ( r₃ + M (γ r₁ + r₂) − C r₁ )
//! ( J                 0  ) (Δλ) = ( −γ² r₄                    )
//! Δq = s² a,   Δv = s a − r₁,   Δw = a − (γ r₁ + r₂)
//! ```

use mbsbench_problem::Terms;
use mbsbench_problem::linalg::{Element, Matrix, Singular, SparseSaddle};
use nalgebra::DMatrix;

use super::blocks::{Columns, Number, add_real, entry, put, written_out};
use super::factors::Factors;

/// The condensed system for one of the eigenvalues. `S` is the kind of its matrix.
pub(super) struct Condensed<T: Number, S> {
    /// `γ`, 1/s.
    gamma: T,
    system: S,
    /// `γ r₁ + r₂`.
    kinematic: Vec<T>,
}

/// A condensed system: its matrix, its factors, and a vector for the right-hand side and then the solution.
pub(super) trait System<T: Number> {
    /// Number of unknowns.
    fn len(&self) -> usize;

    /// Forms the matrix for `s = 1/γ` and factorizes it.
    fn make(&mut self, s: T, parts: Parts<'_>) -> Result<(), Singular>;

    /// Writes component `i` of the vector.
    fn put(&mut self, i: usize, x: T);

    /// Adds `M x + C y` to the dynamic rows of the vector and leaves the other rows undefined. `component` is called
    /// for all columns `j` in ascending order and returns `(xⱼ, yⱼ)`.
    fn add_products(&mut self, columns: usize, component: impl FnMut(usize) -> (T, T), parts: Parts<'_>);

    /// Replaces the vector by the solution.
    fn solve(&mut self);

    /// Component `i` of the vector.
    fn get(&self, i: usize) -> T;
}

impl<T: Number, S: System<T>> Condensed<T, S> {
    /// A system for `n` coordinates.
    pub(super) fn new(n: usize, system: S) -> Self {
        Self { gamma: T::one(), system, kinematic: vec![T::zero(); n] }
    }
}

/// A condensed system with a matrix of any kind.
pub(super) trait Solve<T: Number> {
    /// Forms and factorizes the matrix for `gamma`.
    fn factorize(&mut self, gamma: T, parts: Parts<'_>) -> Result<(), Singular>;

    /// Solves for the right-hand side that `vector` holds, in place.
    fn solve(&mut self, vector: &mut T::Vector<'_>, parts: Parts<'_>);
}

impl<T: Number, S: System<T>> Solve<T> for Condensed<T, S> {
    fn factorize(&mut self, gamma: T, parts: Parts<'_>) -> Result<(), Singular> {
        self.gamma = gamma;
        self.system.make(gamma.recip(), parts)
    }

    fn solve(&mut self, vector: &mut T::Vector<'_>, parts: Parts<'_>) {
        let Self { gamma, system, kinematic } = self;
        let (n, gamma) = (kinematic.len(), *gamma);
        let (velocities, dynamics) = (n, 2 * n);
        for i in 0..n {
            system.put(i, T::component(vector, dynamics + i));
        }
        let component = |j| {
            let position = T::component(vector, j);
            kinematic[j] = gamma * position + T::component(vector, velocities + j);
            (kinematic[j], -position)
        };
        system.add_products(n, component, parts);
        let square = gamma * gamma;
        for i in n..system.len() {
            system.put(i, -square * T::component(vector, dynamics + i));
        }
        system.solve();
        let s = gamma.recip();
        for (i, &kinematic) in kinematic.iter().enumerate() {
            let a = system.get(i);
            let rate = s * a;
            (rate - T::component(vector, i)).put_component(vector, velocities + i);
            (s * rate).put_component(vector, i);
            (a - kinematic).put_component(vector, dynamics + i);
        }
        for i in n..system.len() {
            system.get(i).put_component(vector, dynamics + i);
        }
    }
}

/// The terms from which the matrix is formed.
#[derive(Clone, Copy)]
pub(super) struct Parts<'p> {
    pub point: &'p Terms<f64>,
    /// `C`.
    pub damping: &'p Matrix<f64>,
    /// `K`.
    pub stiffness: &'p Matrix<f64>,
    /// All these terms in blocks, for small systems.
    pub blocks: &'p Linearised,
}

impl<T: Number + Element> System<T> for SparseSaddle<T> {
    fn len(&self) -> usize {
        self.0.x.len()
    }

    fn make(&mut self, s: T, Parts { point, damping, stiffness, .. }: Parts<'_>) -> Result<(), Singular> {
        let one = <T as From<f64>>::from(1.0);
        self.put([(one, &point.mass), (-s, damping), (s * s, stiffness)], one, &point.jacobian);
        self.0.factorize()
    }

    fn put(&mut self, i: usize, x: T) {
        self.0.x[i] = x;
    }

    fn add_products(&mut self, columns: usize, mut component: impl FnMut(usize) -> (T, T), parts: Parts<'_>) {
        for j in 0..columns {
            let (x, y) = component(j);
            parts.point.mass.add_column(j, x, &mut self.0.x);
            parts.damping.add_column(j, y, &mut self.0.x);
        }
    }

    fn solve(&mut self) {
        self.0.solve();
    }

    fn get(&self, i: usize) -> T {
        self.0.x[i]
    }
}

/// [`Parts`] in columns of blocks.
pub(super) struct Linearised {
    /// `(M −Jᵀ ; J 0)`.
    inertia: Columns<f64>,
    /// `C`.
    damping: Columns<f64>,
    /// `K`.
    stiffness: Columns<f64>,
}

impl Linearised {
    /// Memory for `n` coordinates and `m` constraints.
    pub(super) fn new(n: usize, m: usize) -> Self {
        Self { inertia: Columns::new(n + m, n + m), damping: Columns::new(n, n), stiffness: Columns::new(n, n) }
    }

    /// Copies the terms at a point of linearisation.
    pub(super) fn take(&mut self, point: &Terms<f64>, damping: &Matrix<f64>, stiffness: &Matrix<f64>) {
        let (n, m) = (point.forces.len(), point.constraints.len());
        let mut columns = self.inertia.iter_mut();
        for (j, column) in columns.by_ref().take(n).enumerate() {
            let rows = column.as_flattened_mut();
            rows[..n].copy_from_slice(columns_of(point.mass.all(), j));
            rows[n..][..m].copy_from_slice(columns_of(point.jacobian.all(), j));
        }
        for (k, column) in columns.enumerate() {
            let derivatives = point.jacobian.values()[k..].iter().step_by(m);
            for (entry, derivative) in column.as_flattened_mut().iter_mut().zip(derivatives) {
                *entry = -derivative;
            }
        }
        for (columns, matrix) in [(&mut self.damping, damping.all()), (&mut self.stiffness, stiffness.all())] {
            for (j, column) in columns.iter_mut().enumerate() {
                column.as_flattened_mut()[..n].copy_from_slice(columns_of(matrix, j));
            }
        }
    }
}

/// Column `j` of a matrix.
fn columns_of(matrix: &DMatrix<f64>, j: usize) -> &[f64] {
    &matrix.as_slice()[j * matrix.nrows()..][..matrix.nrows()]
}

impl<T: Number> System<T> for Factors<T> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.len()
    }

    fn make(&mut self, s: T, parts: Parts<'_>) -> Result<(), Singular> {
        let Linearised { inertia, damping, stiffness } = parts.blocks;
        let square = s * s;
        for (block, inertia) in self.matrix.blocks.iter_mut().zip(&inertia.blocks) {
            *block = T::block(inertia);
        }
        written_out!(damping.height; BLOCKS => {
            let blocks = damping.blocks.chunks_exact(BLOCKS).zip(stiffness.blocks.chunks_exact(BLOCKS));
            for (column, (damping, stiffness)) in self.matrix.iter_mut().zip(blocks) {
                let column = &mut column[..BLOCKS];
                add_real(column, -s, damping);
                add_real(column, square, stiffness);
            }
        });
        self.factorize()
    }

    #[inline(always)]
    fn put(&mut self, i: usize, x: T) {
        put(&mut self.x, i, x);
    }

    #[inline(always)]
    fn add_products(&mut self, columns: usize, mut component: impl FnMut(usize) -> (T, T), parts: Parts<'_>) {
        let Linearised { inertia, damping, .. } = parts.blocks;
        written_out!(damping.height; BLOCKS => for j in 0..columns {
            let (of_inertia, of_damping) = component(j);
            let x = &mut self.x[..BLOCKS];
            add_real(x, of_inertia, &inertia.part(j, 0)[..BLOCKS]);
            add_real(x, of_damping, &damping.part(j, 0)[..BLOCKS]);
        });
    }

    #[inline(always)]
    fn solve(&mut self) {
        self.solve();
    }

    #[inline(always)]
    fn get(&self, i: usize) -> T {
        entry::<T>(&self.x, i)
    }
}
