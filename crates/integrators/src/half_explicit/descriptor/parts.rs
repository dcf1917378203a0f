//! Classification of the unknowns and rows of `M y' = f(t, y)`.

use mbsbench_problem::{Scalar, Unsuitable};
use nalgebra::DMatrix;

/// Indices of unknowns and rows by kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Differential unknowns `u`, whose rates appear in the equations.
    pub differential: Vec<usize>,
    /// Rows that determine the rates of `u`.
    pub rates: Vec<usize>,
    /// Algebraic unknowns `w` of index 1.
    pub index_one: Vec<usize>,
    /// Multipliers `z` of index 2.
    pub index_two: Vec<usize>,
    /// Rows `k`, which contain multipliers.
    pub own: Vec<usize>,
    /// Rows `g`, the constraints.
    pub constraints: Vec<usize>,
}

impl Parts {
    /// Classifies all but the rows `k`: every algebraic row counts as a constraint until a Jacobian is available to
    /// [sort](Self::sort) them.
    ///
    /// # Errors
    /// Returns [`Unsuitable`] for equations without a mass matrix, with a mass matrix that mixes differential and
    /// algebraic rows, or of index 3.
    pub fn new<S: Scalar>(mass: Option<&DMatrix<S>>, indices: Option<&[u8]>) -> Result<Self, Unsuitable> {
        let Some(mass) = mass else {
            return Err(Unsuitable::new("mechanics or equations M y' = f(t, y)", "has only the form y' = f(t, y)"));
        };
        let is_higher = indices.is_some_and(|indices| indices.contains(&3));
        Unsuitable::when(is_higher, "components of index at most 2", "has components of index 3")?;
        let has_entries = |entry: &S| entry.value() != 0.0;
        let (differential, algebraic): (Vec<_>, Vec<_>) =
            (0..mass.ncols()).partition(|&j| mass.column(j).iter().any(has_entries));
        let (rates, constraints): (Vec<_>, Vec<_>) =
            (0..mass.nrows()).partition(|&i| mass.row(i).iter().any(has_entries));
        let needs = "a mass matrix with equally many nonzero rows and columns";
        let lacks = format!("has {} nonzero rows and {} nonzero columns", rates.len(), differential.len());
        Unsuitable::when(rates.len() != differential.len(), needs, lacks)?;
        let is_multiplier = |&j: &usize| indices.is_some_and(|indices| indices[j] == 2);
        let (index_two, index_one) = algebraic.into_iter().partition(is_multiplier);
        Ok(Self { differential, rates, index_one, index_two, own: Vec::new(), constraints })
    }

    /// Separates the rows `k`, which contain multipliers, from the rows `g`.
    ///
    /// # Errors
    /// Returns [`Unsuitable`] if the unknowns of index 1 have to be solved for without multipliers, but their rows
    /// are not in the order of the unknowns.
    pub fn sort<S: Scalar>(&mut self, jacobian: &DMatrix<S>, needs_index_one: bool) -> Result<(), Unsuitable> {
        let has_multiplier = |&row: &usize| self.index_two.iter().any(|&j| jacobian[(row, j)].value() != 0.0);
        (self.own, self.constraints) = self.constraints.iter().partition(|row| has_multiplier(row));
        let is_other = needs_index_one && self.index_one.iter().any(|row| !self.constraints.contains(row));
        let needs = "algebraic rows in the order of the index-1 unknowns that they determine";
        Unsuitable::when(is_other, needs, "has them in another order")
    }

    /// True if constraints are still free of multipliers, as at the start.
    pub fn hold<S: Scalar>(&self, jacobian: &DMatrix<S>) -> bool {
        let vanish = |&row: &usize| self.index_two.iter().all(|&j| jacobian[(row, j)].value() == 0.0);
        self.constraints.iter().all(vanish)
    }

    /// Number of differential unknowns.
    pub fn rank(&self) -> usize {
        self.differential.len()
    }

    /// Number of multipliers `z`.
    pub fn multipliers(&self) -> usize {
        self.index_two.len()
    }
}

/// Copies the entries of `matrix` in the given rows and columns into `block`.
pub fn copy<S: Scalar>(matrix: &DMatrix<S>, rows: &[usize], columns: &[usize], block: &mut DMatrix<S>) {
    for (j, &column) in columns.iter().enumerate() {
        for (i, &row) in rows.iter().enumerate() {
            block[(i, j)] = matrix[(row, column)];
        }
    }
}
