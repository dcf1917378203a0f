//! The initial state: positions that close all joints, and velocities that the joints allow.

use std::sync::Arc;

use mbsbench_problem::linalg::{Blocks, Matrix, Pattern, Place};
use mbsbench_problem::{MechanicalModel, Mechanics, MechanicsOf, Terms};

use crate::space::Space;
use crate::system::System;

/// Largest number of iterations to close the joints.
const MOST_ITERATIONS: usize = 100;

/// Constraints linearised at a state: the smallest weighted change of coordinates that removes a residual.
///
/// ```text
/// [ W   Jᵀ ] [ δ ]   [ 0  ]
/// [ J   −ε ] [ μ ] = [ −r ]
/// ```
///
/// with rows of `J` of unit length; `ε` keeps the matrix regular if rows depend on each other.
pub(crate) struct Least {
    blocks: Blocks,
    /// False if an entry is not finite.
    is_regular: bool,
    unknowns: usize,
    /// Lengths of the rows of `J`.
    lengths: Vec<f64>,
    jacobian: Matrix<f64>,
}

impl Least {
    const EPSILON: f64 = 1e-13;

    pub(crate) fn new(weights: &[f64], rows: usize, entries: &[(usize, usize, f64)]) -> Self {
        let n = weights.len();
        let mut lengths = vec![0.0; rows];
        entries.iter().for_each(|&(i, _, x)| lengths[i] += x * x);
        lengths.iter_mut().for_each(|length| *length = if *length > 0.0 { length.sqrt() } else { 1.0 });
        let pattern = Arc::new(Pattern::new((rows, n), entries.iter().map(|&(i, j, _)| (i, j))));
        let [own, regular] = [n, rows].map(|size| Arc::new(Pattern::new((size, size), (0..size).map(|i| (i, i)))));
        let mut jacobian = Matrix::new(&pattern, true);
        for &(i, j, x) in entries {
            if let Some(slot) = pattern.slot(i, j) {
                jacobian.values_mut()[slot] = x / lengths[i];
            }
        }
        let places = [
            Place::at(0, 0, &own),
            Place::at(n, 0, &pattern),
            Place::at(0, n, &pattern).transposed(),
            Place::at(n, n, &regular),
        ];
        let mut blocks = Blocks::new(n + rows, &places);
        let (mut weight, mut epsilon) = (Matrix::new(&own, true), Matrix::new(&regular, true));
        weight.values_mut().copy_from_slice(weights);
        epsilon.values_mut().fill(1.0);
        blocks.clear();
        blocks.add(0, 1.0, &weight);
        blocks.add(1, 1.0, &jacobian);
        blocks.add(2, 1.0, &jacobian);
        blocks.add(3, -Self::EPSILON, &epsilon);
        // With positive weights and ε the matrix is quasidefinite: if its entries are finite, it has factors.
        let is_regular = blocks.factorize().is_ok();
        Self { blocks, is_regular, unknowns: n, lengths, jacobian }
    }

    /// Returns the change; NaN if the residual or the Jacobian is not finite.
    pub(crate) fn change(&mut self, residual: &[f64]) -> &[f64] {
        let scaled: Vec<f64> = residual.iter().zip(&self.lengths).map(|(r, length)| -r / length).collect();
        self.solve(&scaled).0
    }

    /// Returns factors, of length one, for which rows of unit length add up to zero within `tolerance`, or `None` if
    /// no factors do. Of several solutions it returns the one closest to `mu`.
    pub(crate) fn dependence(&mut self, mut mu: Vec<f64>, tolerance: f64) -> Option<Vec<f64>> {
        for _ in 0..3 {
            let (_, found) = self.solve(&mu);
            let length = found.iter().map(|x| x * x).sum::<f64>().sqrt();
            mu = found.iter().map(|x| x / length).collect();
        }
        let mut sum = vec![0.0; self.unknowns];
        self.jacobian.add_transposed_product(1.0, &mu, &mut sum);
        (sum.iter().map(|x| x * x).sum::<f64>().sqrt() < tolerance).then_some(mu)
    }

    /// Solves with zeros as right-hand sides of the unknowns and `rows` as those of the rows; returns the unknowns and
    /// the numbers of the rows.
    fn solve(&mut self, rows: &[f64]) -> (&[f64], &[f64]) {
        let (head, tail) = self.blocks.x.split_at_mut(self.unknowns);
        head.fill(0.0);
        tail.copy_from_slice(rows);
        if self.is_regular {
            self.blocks.solve();
        } else {
            self.blocks.x.fill(f64::NAN);
        }
        self.blocks.x.split_at(self.unknowns)
    }
}

/// Constraints of a system with their Jacobian, whose sparsity is determined once for all states.
pub struct Linearised<'m> {
    mechanics: Box<dyn Mechanics + 'm>,
    terms: Terms<f64>,
    /// Time at which constraints that depend on time are evaluated, s.
    pub(crate) time: f64,
    /// Rows that are ignored, in ascending order.
    pub(crate) left_out: Vec<usize>,
}

impl<'m> Linearised<'m> {
    /// Returns all constraints of a system at time zero.
    pub fn new(system: &'m impl MechanicalModel) -> Self {
        let mut mechanics = MechanicsOf::<_, f64>::new(system);
        let structure = mechanics.structure();
        Self { mechanics: Box::new(mechanics), terms: Terms::of(&structure, true), time: 0.0, left_out: Vec::new() }
    }

    /// Returns Φ of all rows.
    pub(crate) fn values(&mut self, q: &[f64]) -> &[f64] {
        self.mechanics.terms(self.time, q, &vec![0.0; q.len()], &mut self.terms);
        &self.terms.constraints
    }

    /// Returns Φ and the entries of `∂Φ/∂q` for the rows that are not ignored.
    pub(crate) fn at(&mut self, q: &[f64]) -> Rows {
        let all = self.values(q).to_vec();
        let mut entries = Vec::new();
        self.terms.jacobian.for_each(|i, j, x| entries.push((i, j, x)));
        if self.left_out.is_empty() {
            return (all, entries);
        }
        let (values, number) = without(&all, &self.left_out);
        (values, renumbered(&entries, &number))
    }
}

/// Returns the values of the remaining rows, and the new number of each row: `usize::MAX` for those that are left out.
pub(crate) fn without(values: &[f64], left_out: &[usize]) -> (Vec<f64>, Vec<usize>) {
    let mut number = vec![usize::MAX; values.len()];
    let mut left = Vec::with_capacity(values.len() - left_out.len());
    for (row, &value) in values.iter().enumerate() {
        if left_out.binary_search(&row).is_err() {
            number[row] = left.len();
            left.push(value);
        }
    }
    (left, number)
}

/// Returns the entries with the new numbers of their rows, without those of rows that are left out.
pub(crate) fn renumbered(entries: &[(usize, usize, f64)], number: &[usize]) -> Vec<(usize, usize, f64)> {
    let kept = entries.iter().filter(|&&(i, _, _)| number[i] < usize::MAX);
    kept.map(|&(i, j, x)| (number[i], j, x)).collect()
}

/// The number of the value with the largest magnitude, and this magnitude.
fn largest(values: &[f64]) -> (usize, f64) {
    values.iter().enumerate().fold((0, 0.0), |(at, most), (k, x)| {
        if x.is_nan() || x.abs() > most { (k, if x.is_nan() { f64::INFINITY } else { x.abs() }) } else { (at, most) }
    })
}

/// Constraints, with the places and values of the entries of their Jacobian.
type Rows = (Vec<f64>, Vec<(usize, usize, f64)>);

/// Changes positions as little as possible, in the metric of the weights, to satisfy constraints, here called joints.
///
/// # Errors
/// Fails if joints do not close within `tolerance`, with the number of a constraint of the joint to blame and the
/// largest remaining violation.
pub fn close(
    at: &mut impl FnMut(&[f64]) -> Rows,
    q: &mut [f64],
    weights: &[f64],
    tolerance: f64,
) -> Result<(), (usize, f64)> {
    let (mut values, mut entries) = at(q);
    let before = values.clone();
    if values.is_empty() {
        return Ok(());
    }
    let mut open = largest(&values);
    for _ in 0..MOST_ITERATIONS {
        let mut least = Least::new(weights, values.len(), &entries);
        let change = least.change(&values).to_vec();
        let mut factor = 1.0;
        let better = loop {
            let moved: Vec<f64> = q.iter().zip(&change).map(|(q, change)| q + factor * change).collect();
            let (moved_values, moved_entries) = at(&moved);
            let moved_open = largest(&moved_values);
            if moved_open.1 < open.1 {
                q.copy_from_slice(&moved);
                (values, entries, open) = (moved_values, moved_entries, moved_open);
                break true;
            }
            factor *= 0.5;
            if factor < 1e-3 {
                break false;
            }
        };
        // the last iteration is at roundoff level, where nothing improves
        if !better || open.1 == 0.0 {
            break;
        }
    }
    // roundoff of coordinates of this size
    let tolerance = tolerance.max(64.0 * f64::EPSILON * largest(q).1);
    if open.1 <= tolerance {
        return Ok(());
    }
    // All joints of a loop share the remaining violation. The joint to blame is the one that was open before: the
    // others placed the bodies.
    let still_open = (0..values.len()).filter(|&row| values[row].is_nan() || values[row].abs() > tolerance);
    let row = still_open.max_by(|&a, &b| before[a].abs().total_cmp(&before[b].abs())).unwrap_or(open.0);
    Err((row, open.1))
}

/// Checks that no row is violated by more than `tolerance`.
///
/// # Errors
/// Fails with the row that is violated most, and the violation.
pub fn open(system: &mut Linearised<'_>, q: &[f64], tolerance: f64) -> Result<(), (usize, f64)> {
    let open = largest(&system.at(q).0);
    if open.1 <= tolerance { Ok(()) } else { Err(open) }
}

/// Removes the part of the multipliers of holonomic rows that has no effect because rows depend on each other. The
/// result has the least norm for rows of length one.
pub fn share<X: Space>(system: &System<X>, q: &[f64], multipliers: &mut [f64]) {
    let (values, entries) = Linearised::new(system).at(q);
    let mut least = Least::new(&vec![1.0; q.len()], values.len(), &entries);
    let mut scaled: Vec<f64> = multipliers.iter().zip(&least.lengths).map(|(lambda, length)| lambda * length).collect();
    // ε (J Jᵀ + ε)⁻¹ keeps the part of λ that Jᵀ maps to zero, with only as many digits as ε leaves; hence the
    // repetition
    for _ in 0..4 {
        let (_, found) = least.solve(&scaled);
        scaled.iter_mut().zip(found).for_each(|(lambda, mu)| *lambda += Least::EPSILON * mu);
    }
    for ((lambda, scaled), length) in multipliers.iter_mut().zip(&scaled).zip(&least.lengths) {
        *lambda = scaled / length;
    }
}

/// Changes velocities as little as possible to satisfy the constraints; returns the constraint that is violated most
/// afterwards, and its violation.
pub fn allow<X: Space>(system: &System<X>, q: &[f64], v: &mut [f64], weights: &[f64]) -> (usize, f64) {
    let mut mechanics = MechanicsOf::<_, f64>::new(system);
    let rows = system.dimensions().constraints();
    if rows == 0 {
        return (0, 0.0);
    }
    let mut values = vec![0.0; rows];
    let entries = if system.rates.is_empty() {
        Linearised::new(system).at(q).1
    } else {
        let mut jacobian = nalgebra::DMatrix::zeros(rows, v.len());
        mechanics.constraint_jacobian(0.0, q, v, &mut jacobian);
        let entry = |(k, &x): (usize, &f64)| (k % rows, k / rows, x);
        jacobian.iter().enumerate().map(entry).filter(|&(_, _, x)| x != 0.0).collect()
    };
    let mut least = Least::new(weights, rows, &entries);
    for _ in 0..3 {
        mechanics.velocity_constraints(0.0, q, v, &mut values);
        let change = least.change(&values);
        v.iter_mut().zip(change).for_each(|(v, change)| *v += change);
    }
    mechanics.velocity_constraints(0.0, q, v, &mut values);
    largest(&values)
}
