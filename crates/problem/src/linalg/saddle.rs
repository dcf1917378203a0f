//! The matrix of constrained mechanics with its factors, dense or sparse.

use std::ops::{AddAssign, Mul, Neg};
use std::sync::Arc;

use faer::traits::ComplexField;
use nalgebra::DMatrix;

use super::{Matrix, Pattern, Singular, SparseLu, System};
use crate::Scalar;
use crate::mechanics::{Accumulate, Structure};

/// The matrix of a mechanical system with constraints on positions,
///
/// ```text
/// ( Σ fᵢ Aᵢ   −b Jᵀ )
/// ( J           0   )
/// ```
///
/// that is written anew and again, with its factors, in storage that is kept. The `n × n` blocks `Aᵢ`, most often of mass, damping and
/// stiffness, and `J` have the entries of a [`Structure`].
#[derive(Debug, Clone)]
pub struct Saddle<S = f64>(Storage<S>);

#[derive(Debug, Clone)]
enum Storage<S> {
    Dense(System<S>),
    Sparse(Box<SparseSaddle<f64>>),
}

impl<S: Scalar> Saddle<S> {
    /// Memory for a system of that structure: for its entries where `sparse`, which is for double precision only, and else for all.
    #[must_use]
    pub fn new(structure: &Structure, sparse: bool) -> Self {
        Self(if sparse {
            Storage::Sparse(Box::new(SparseSaddle::new(structure)))
        } else {
            Storage::Dense(System::new(structure.dynamics.rows() + structure.jacobian.rows()))
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
            Storage::Sparse(saddle) => saddle.factorize(),
        }
    }

    /// Solves with the factors, in place.
    pub fn solve(&mut self, x: &mut [S]) {
        match &mut self.0 {
            Storage::Dense(system) => system.solve(x),
            Storage::Sparse(saddle) => {
                for (entry, x) in saddle.x.iter_mut().zip(&*x) {
                    *entry = x.value();
                }
                saddle.solve();
                for (x, &entry) in x.iter_mut().zip(&saddle.x) {
                    *x = S::from(entry);
                }
            }
        }
    }

    /// Operations so far, by [`flops`](super::flops) or as counted.
    #[must_use]
    pub fn flops(&self) -> u64 {
        match &self.0 {
            Storage::Dense(system) => system.flops,
            Storage::Sparse(saddle) => saddle.flops,
        }
    }

    /// Whether all entries of the matrix are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match &self.0 {
            Storage::Dense(system) => system.matrix.iter().all(|x| x.is_finite()),
            Storage::Sparse(saddle) => saddle.values.iter().all(|x| x.is_finite()),
        }
    }

    /// A copy of the matrix.
    #[must_use]
    pub fn to_dense(&self) -> DMatrix<S> {
        match &self.0 {
            Storage::Dense(system) => system.matrix.clone(),
            Storage::Sparse(saddle) => saddle.to_dense().map(S::from),
        }
    }
}

impl<S: Scalar> Accumulate<S> for Saddle<S> {
    #[inline]
    fn add(&mut self, at: (usize, usize), slot: usize, x: S) {
        match &mut self.0 {
            Storage::Dense(system) => system.matrix[at] += x,
            Storage::Sparse(saddle) => saddle.values[saddle.blocks[slot]] += x.value(),
        }
    }
}

/// A real or complex number of a sparse matrix.
pub trait Element: ComplexField + Mul<f64, Output = Self> + Neg<Output = Self> + AddAssign + From<f64> + Copy {}

impl<T: ComplexField + Mul<f64, Output = T> + Neg<Output = T> + AddAssign + From<f64> + Copy> Element for T {}

/// A [`Saddle`] with the entries that it can have, real or complex.
#[derive(Debug, Clone)]
pub struct SparseSaddle<T: Element> {
    pattern: Arc<Pattern>,
    values: Vec<T>,
    /// Where the entries of the blocks, of `J` and of `−b Jᵀ` are among those of the matrix.
    blocks: Vec<usize>,
    lower: Vec<usize>,
    upper: Vec<usize>,
    factors: SparseLu<T>,
    /// What is solved for: right-hand side and solution.
    pub x: Vec<T>,
    /// Operations so far.
    pub flops: u64,
}

impl<T: Element> SparseSaddle<T> {
    /// Memory for a system of that structure.
    #[must_use]
    pub fn new(structure: &Structure) -> Self {
        let (dynamics, jacobian) = (&structure.dynamics, &structure.jacobian);
        let n = dynamics.rows();
        let both_sides = jacobian.iter().flat_map(|(c, j)| [(n + c, j), (j, n + c)]);
        let size = n + jacobian.rows();
        let pattern = Arc::new(Pattern::new((size, size), dynamics.iter().chain(both_sides)));
        let slot = |i, j| pattern.slot(i, j).expect("an entry of the pattern");
        Self {
            blocks: dynamics.iter().map(|(i, j)| slot(i, j)).collect(),
            lower: jacobian.iter().map(|(c, j)| slot(n + c, j)).collect(),
            upper: jacobian.iter().map(|(c, j)| slot(j, n + c)).collect(),
            factors: SparseLu::new(pattern.clone()),
            values: vec![T::from(0.0); pattern.entries()],
            x: vec![T::from(0.0); size],
            flops: 0,
            pattern,
        }
    }

    /// Writes the matrix, of real blocks and real `J`.
    pub fn put<S: Scalar>(&mut self, blocks: [(T, &Matrix<S>); 3], b: T, jacobian: &Matrix<S>) {
        let values = &mut self.values;
        let [(f, first), (g, second), (h, third)] = blocks;
        let terms = first.values().iter().zip(second.values()).zip(third.values());
        for (&slot, ((first, second), third)) in self.blocks.iter().zip(terms) {
            let entry = &mut values[slot];
            *entry = f * first.value();
            *entry += g * second.value();
            *entry += h * third.value();
        }
        for ((&lower, &upper), entry) in self.lower.iter().zip(&self.upper).zip(jacobian.values()) {
            (values[lower], values[upper]) = (T::from(entry.value()), -(b * entry.value()));
        }
    }

    /// Factorizes the matrix.
    ///
    /// # Errors
    /// [`Singular`].
    pub fn factorize(&mut self) -> Result<(), Singular> {
        self.factors.factorize(&self.values)?;
        self.flops += self.factors.factorization_flops();
        Ok(())
    }

    /// Solves with the factors for what is in [`x`](Self::x).
    pub fn solve(&mut self) {
        self.factors.solve(&mut self.x);
        self.flops += self.factors.solve_flops();
    }
}

impl SparseSaddle<f64> {
    fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.x.len(), self.x.len());
        self.pattern.iter().zip(&self.values).for_each(|(at, &value)| dense[at] = value);
        dense
    }
}
