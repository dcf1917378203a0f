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
/// that is written anew and again, with its factors, in storage that is kept. The `n × n` blocks `Aᵢ`, most often of mass, damping and
/// stiffness, have the entries of one [`Pattern`], and `J` has those of another.
#[derive(Debug, Clone)]
pub struct Saddle<S = f64>(Storage<S>);

#[derive(Debug, Clone)]
enum Storage<S> {
    Dense(System<S>),
    Sparse(Box<SparseSaddle<f64>>),
}

impl<S: Scalar> Saddle<S> {
    /// Memory for blocks and `J` of these patterns: for their entries where `sparse`, which is for double precision only, and else for
    /// all.
    pub fn new(blocks: &Pattern, jacobian: &Pattern, sparse: bool) -> Self {
        Self(if sparse {
            Storage::Sparse(Box::new(SparseSaddle::new(blocks, jacobian)))
        } else {
            Storage::Dense(System::new(blocks.rows() + jacobian.rows()))
        })
    }

    /// Writes the matrix; blocks and `J` in the same kind of memory as this.
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

    /// Factorizes the matrix.
    ///
    /// # Errors
    /// [`Singular`].
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

    /// The same, where there are all entries to the bits of [`Lu::solve`](super::Lu::solve).
    pub fn solve_by_rows(&mut self, x: &mut [S]) {
        match &mut self.0 {
            Storage::Dense(system) => {
                system.factors.solve(x);
                system.flops += system.factors.solve_flops();
            }
            Storage::Sparse(_) => self.solve(x),
        }
    }

    /// Operations so far, by [`flops`](super::flops) or as counted.
    pub fn flops(&self) -> u64 {
        match &self.0 {
            Storage::Dense(system) => system.flops,
            Storage::Sparse(saddle) => saddle.0.flops,
        }
    }

    /// Whether all entries of the matrix are finite.
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

/// A [`Saddle`] with the entries that it can have, real or complex.
#[derive(Debug, Clone)]
pub struct SparseSaddle<T: Element>(pub Blocks<T>);

/// Numbers of the places of the blocks, of `J` and of `−b Jᵀ`.
pub(crate) const BLOCKS: usize = 0;
pub(crate) const LOWER: usize = 1;
pub(crate) const UPPER: usize = 2;

impl<T: Element> SparseSaddle<T> {
    /// Memory for blocks and `J` of these patterns.
    pub fn new(blocks: &Pattern, jacobian: &Pattern) -> Self {
        let n = blocks.rows();
        let upper = Place::at(0, n, jacobian).transposed();
        Self(Blocks::new(n + jacobian.rows(), &[Place::at(0, 0, blocks), Place::at(n, 0, jacobian), upper]))
    }

    /// Writes the matrix, of real blocks and real `J`.
    pub fn put<S: Scalar>(&mut self, blocks: [(T, &Matrix<S>); 3], b: T, jacobian: &Matrix<S>) {
        self.0.clear();
        for (factor, block) in blocks {
            self.0.add(BLOCKS, factor, block);
        }
        self.0.add(LOWER, T::from(1.0), jacobian);
        self.0.add(UPPER, -b, jacobian);
    }
}
