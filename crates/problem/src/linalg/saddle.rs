//! The matrix of constrained mechanics with its factors, dense or sparse.

use nalgebra::DMatrix;

use super::{Accumulate, Blocks, Element, Matrix, Pattern, Place, Singular, System};
use crate::Scalar;

/// The matrix of a mechanical system with constraints on positions,
///
/// ```text
/// ( Σ fᵢ Aᵢ   −b Jᵀ )
/// ( J           0   )
/// ```
///
/// with its factors, in memory that is reused when the matrix changes. The `n × n` blocks `Aᵢ`, most often mass,
/// damping and stiffness, share one [`Pattern`], and `J` has another.
#[derive(Debug, Clone)]
pub struct Saddle<S = f64>(Storage<S>);

#[derive(Debug, Clone)]
enum Storage<S> {
    Dense(System<S>),
    Sparse(Box<SparseSaddle<f64>>),
}

impl<S: Scalar> Saddle<S> {
    /// Memory for all entries, for `n` unknowns and `m` constraints.
    pub fn dense(n: usize, m: usize) -> Self {
        Self(Storage::Dense(System::new(n + m)))
    }

    /// Memory for blocks and `J` with these patterns. If `sparse`, only their entries are stored, which is for double
    /// precision only; otherwise all entries are.
    pub fn new(blocks: &Pattern, jacobian: &Pattern, sparse: bool) -> Self {
        if !sparse {
            return Self::dense(blocks.rows(), jacobian.rows());
        }
        Self(Storage::Sparse(Box::new(SparseSaddle::new(blocks, jacobian))))
    }

    /// Writes the matrix; the blocks and `J` must have the same kind of memory as this matrix.
    pub fn put(&mut self, blocks: [(S, &Matrix<S>); 3], b: S, jacobian: &Matrix<S>) {
        match &mut self.0 {
            Storage::Dense(system) => {
                system.put_saddle(blocks.map(|(factor, block)| (factor, block.all())), b, jacobian.all());
            }
            Storage::Sparse(saddle) => {
                saddle.put(blocks.map(|(factor, block)| (factor.value(), block)), b.value(), jacobian);
            }
        }
    }

    /// Writes a mass matrix without constraints, which has the same kind of memory as this matrix.
    pub fn put_mass(&mut self, mass: &Matrix<S>) {
        match &mut self.0 {
            Storage::Dense(system) => system.matrix.copy_from(mass.all()),
            Storage::Sparse(saddle) => {
                saddle.0.clear();
                saddle.0.add(BLOCKS, 1.0, mass);
            }
        }
    }

    /// Writes the matrix with `−Rᵀ` in its last columns, for another Jacobian `R` than in its last rows; all must have
    /// the same kind of memory as this matrix.
    pub fn put_rows(&mut self, blocks: [(S, &Matrix<S>); 3], reactions: &Matrix<S>, rows: &Matrix<S>) {
        match &mut self.0 {
            Storage::Dense(system) => {
                system.put_saddle(blocks.map(|(factor, block)| (factor, block.all())), S::from(1.0), rows.all());
                let (m, n) = rows.all().shape();
                for (c, j) in (0..m).flat_map(|c| (0..n).map(move |j| (c, j))) {
                    system.matrix[(j, n + c)] = -reactions.all()[(c, j)];
                }
            }
            Storage::Sparse(saddle) => {
                saddle.0.clear();
                for (factor, block) in blocks {
                    saddle.0.add(BLOCKS, factor.value(), block);
                }
                saddle.0.add(LOWER, 1.0, rows);
                saddle.0.add(UPPER, -1.0, reactions);
            }
        }
    }

    /// Adds `factor · rows` to `J` in the last rows of the matrix; `rows` has the same pattern and memory as `J`.
    pub fn add_to_last_rows(&mut self, factor: S, rows: &Matrix<S>) {
        match &mut self.0 {
            Storage::Dense(system) => {
                let (m, n) = rows.all().shape();
                for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
                    system.matrix[(n + i, j)] += rows.all()[(i, j)] * factor;
                }
            }
            Storage::Sparse(saddle) => saddle.0.add(LOWER, factor.value(), rows),
        }
    }

    /// Factorizes the matrix.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        match &mut self.0 {
            Storage::Dense(system) => system.factorize(),
            Storage::Sparse(saddle) => saddle.0.factorize(),
        }
    }

    /// Solves with the factors, in place.
    pub fn solve(&mut self, x: &mut [S]) {
        match &mut self.0 {
            Storage::Dense(system) => system.solve(x),
            Storage::Sparse(saddle) => {
                let blocks = &mut saddle.0;
                for (entry, x) in blocks.x.iter_mut().zip(&*x) {
                    *entry = x.value();
                }
                blocks.solve();
                for (x, &entry) in x.iter_mut().zip(&blocks.x) {
                    *x = S::from(entry);
                }
            }
        }
    }

    /// Solves with the factors, in place; a dense matrix gives bitwise the result of [`Lu::solve`](super::Lu::solve).
    pub fn solve_by_rows(&mut self, x: &mut [S]) {
        match &mut self.0 {
            Storage::Dense(system) => {
                system.factors.solve(x);
                system.flops += system.factors.solve_flops();
            }
            Storage::Sparse(_) => self.solve(x),
        }
    }

    /// Number of operations so far, by [`flops`](super::flops) or as counted.
    pub fn flops(&self) -> u64 {
        match &self.0 {
            Storage::Dense(system) => system.flops,
            Storage::Sparse(saddle) => saddle.0.flops,
        }
    }

    /// True if all entries of the matrix are finite.
    pub fn is_finite(&self) -> bool {
        match &self.0 {
            Storage::Dense(system) => system.matrix.iter().all(|x| x.is_finite()),
            Storage::Sparse(saddle) => saddle.0.is_finite(),
        }
    }

    /// A copy of the matrix.
    pub fn to_dense(&self) -> DMatrix<S> {
        match &self.0 {
            Storage::Dense(system) => system.matrix.clone(),
            Storage::Sparse(saddle) => saddle.0.to_dense().map(S::from),
        }
    }
}

impl<S: Scalar> Accumulate<S> for Saddle<S> {
    #[inline]
    fn add(&mut self, at: (usize, usize), slot: usize, x: S) {
        match &mut self.0 {
            Storage::Dense(system) => system.matrix[at] += x,
            Storage::Sparse(saddle) => saddle.0.values[saddle.0.slots[BLOCKS][slot]] += x.value(),
        }
    }
}

/// A [`Saddle`] that stores only the entries of its patterns, real or complex.
#[derive(Debug, Clone)]
pub struct SparseSaddle<T: Element>(pub Blocks<T>);

/// Indices of the places of the blocks, of `J` and of `−b Jᵀ`.
pub(crate) const BLOCKS: usize = 0;
pub(crate) const LOWER: usize = 1;
pub(crate) const UPPER: usize = 2;

impl<T: Element> SparseSaddle<T> {
    /// Memory for blocks and `J` with these patterns.
    pub fn new(blocks: &Pattern, jacobian: &Pattern) -> Self {
        let n = blocks.rows();
        let upper = Place::at(0, n, jacobian).transposed();
        Self(Blocks::new(n + jacobian.rows(), &[Place::at(0, 0, blocks), Place::at(n, 0, jacobian), upper]))
    }

    /// Writes the matrix from real blocks and a real `J`.
    pub fn put<S: Scalar>(&mut self, blocks: [(T, &Matrix<S>); 3], b: T, jacobian: &Matrix<S>) {
        self.0.clear();
        for (factor, block) in blocks {
            self.0.add(BLOCKS, factor, block);
        }
        self.0.add(LOWER, T::from(1.0), jacobian);
        self.0.add(UPPER, -b, jacobian);
    }
}
