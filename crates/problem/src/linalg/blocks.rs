//! Sparse matrices that are assembled from blocks.

use std::ops::Mul;
use std::sync::Arc;

use nalgebra::{ComplexField, DMatrix};

use super::{Matrix, Pattern, Singular, SparseLu};
use crate::Scalar;

/// A real or complex number of a sparse matrix.
pub trait Element: ComplexField<RealField = f64> + Mul<f64, Output = Self> + From<f64> + Copy {}

impl<T: ComplexField<RealField = f64> + Mul<f64, Output = T> + From<f64> + Copy> Element for T {}

/// The place of a block.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    /// Row and column of its upper left corner.
    pub corner: (usize, usize),
    /// Its entries.
    pub pattern: &'p Pattern,
    /// True if the block is transposed.
    pub transposed: bool,
}

impl<'p> Place<'p> {
    /// The place of a block that is not transposed.
    pub fn at(row: usize, column: usize, pattern: &'p Pattern) -> Self {
        Self { corner: (row, column), pattern, transposed: false }
    }

    /// The same place for the transposed block.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { transposed: true, ..self }
    }

    fn entries(self) -> impl Iterator<Item = (usize, usize)> + 'p {
        let (row, column) = self.corner;
        self.pattern
            .iter()
            .map(move |(i, j)| if self.transposed { (row + j, column + i) } else { (row + i, column + j) })
    }
}

/// A sparse square matrix of blocks, with its factors, in memory that is reused.
#[derive(Debug, Clone)]
pub struct Blocks<T: Element = f64> {
    pattern: Arc<Pattern>,
    pub(super) values: Vec<T>,
    /// For each place, the positions of its entries among those of the matrix.
    pub(super) slots: Vec<Vec<usize>>,
    factors: SparseLu<T>,
    /// The right-hand side of a solve, and then its solution.
    pub x: Vec<T>,
    /// Number of operations so far.
    pub flops: u64,
}

impl<T: Element> Blocks<T> {
    /// Memory for `size` unknowns and blocks at these places; blocks are then identified by the index of their place.
    ///
    /// # Panics
    /// If a block does not fit.
    pub fn new(size: usize, places: &[Place<'_>]) -> Self {
        let pattern = Arc::new(Pattern::new((size, size), places.iter().flat_map(|place| place.entries())));
        let slot = |(i, j)| pattern.slot(i, j).expect("an entry of the pattern");
        Self {
            slots: places.iter().map(|place| place.entries().map(slot).collect()).collect(),
            factors: SparseLu::new(pattern.clone()),
            values: vec![T::from(0.0); pattern.entries()],
            x: vec![T::from(0.0); size],
            flops: 0,
            pattern,
        }
    }

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        self.values.fill(T::from(0.0));
    }

    /// Adds `factor` times a real block that has the pattern of its place.
    pub fn add<S: Scalar>(&mut self, place: usize, factor: T, block: &Matrix<S>) {
        for (&slot, entry) in self.slots[place].iter().zip(block.values()) {
            self.values[slot] += factor * entry.value();
        }
    }

    /// Factorizes the matrix.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    pub fn factorize(&mut self) -> Result<(), Singular> {
        self.factors.factorize(&self.values)?;
        self.flops += self.factors.factorization_flops();
        Ok(())
    }

    /// Solves with the factors; the right-hand side is in [`x`](Self::x).
    pub fn solve(&mut self) {
        self.factors.solve(&mut self.x);
        self.flops += self.factors.solve_flops();
    }
}

impl Blocks<f64> {
    /// True if all entries are finite.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|x| x.is_finite())
    }

    /// A copy with all entries.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.x.len(), self.x.len());
        self.pattern.iter().zip(&self.values).for_each(|(at, &value)| dense[at] = value);
        dense
    }
}
