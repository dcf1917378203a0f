//! The initial state: positions that close all joints, and velocities that these allow.

use std::sync::Arc;

use mbsbench_problem::linalg::{Blocks, Matrix, Pattern, Place};
use mbsbench_problem::{MechanicalModel, Mechanics, MechanicsOf, Terms};

use crate::space::Space;
use crate::system::System;

/// Iterations until joints have to be closed.
const MOST_ITERATIONS: usize = 100;

/// Constraints linearised at a state: the least change of coordinates, each with its weight, that takes a residual away.
///
/// ```text
/// [ W   Jᵀ ] [ δ ]   [ 0  ]
/// [ J   −ε ] [ μ ] = [ −r ]
/// ```
///
/// with rows of `J` of unit length; `ε` keeps the matrix regular where rows depend on each other.
pub(crate) struct Least {
    blocks: Blocks,
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
        // With positive weights and ε the matrix is quasidefinite, and has factors.
        let _ = blocks.factorize();
        Self { blocks, unknowns: n, lengths, jacobian }
    }

    /// The change; NaN if the residual has NaN.
    pub(crate) fn change(&mut self, residual: &[f64]) -> &[f64] {
        let scaled = residual.iter().zip(&self.lengths).map(|(r, length)| -r / length);
        solve(&mut self.blocks, self.unknowns, scaled).0
    }

    /// Factors, of length one, with which rows of unit length add up to zero within `tolerance`; none if no factors do.
    /// Of several, those closest to `mu`.
    pub(crate) fn dependence(&mut self, mut mu: Vec<f64>, tolerance: f64) -> Option<Vec<f64>> {
        for _ in 0..3 {
            let (_, found) = solve(&mut self.blocks, self.unknowns, mu.into_iter());
            let length = found.iter().map(|x| x * x).sum::<f64>().sqrt();
            mu = found.iter().map(|x| x / length).collect();
        }
        let mut sum = vec![0.0; self.unknowns];
        self.jacobian.add_transposed_product(1.0, &mu, &mut sum);
        (sum.iter().map(|x| x * x).sum::<f64>().sqrt() < tolerance).then_some(mu)
    }
}

/// Solves with zeros on the right of the unknowns and `rows` on that of the rows: the unknowns, and the numbers of the rows.
fn solve(blocks: &mut Blocks, unknowns: usize, rows: impl Iterator<Item = f64>) -> (&[f64], &[f64]) {
    let (head, tail) = blocks.x.split_at_mut(unknowns);
    head.fill(0.0);
    tail.iter_mut().zip(rows).for_each(|(x, row)| *x = row);
    blocks.solve();
    blocks.x.split_at(unknowns)
}

/// Constraints of a system with their Jacobian. The entries of the Jacobian are found once for all states.
pub struct Linearised<'m> {
    mechanics: Box<dyn Mechanics + 'm>,
    terms: Terms<f64>,
    /// When constraints that depend on time are evaluated, s.
    pub(crate) time: f64,
    /// Rows that are not looked at, in ascending order.
    pub(crate) left_out: Vec<usize>,
}

impl<'m> Linearised<'m> {
    /// All constraints of a system at time zero.
    pub fn new(system: &'m impl MechanicalModel) -> Self {
        let mut mechanics = MechanicsOf::<_, f64>::new(system);
        let structure = mechanics.structure();
        Self { mechanics: Box::new(mechanics), terms: Terms::of(&structure, true), time: 0.0, left_out: Vec::new() }
    }

    /// Φ of all rows.
    pub(crate) fn values(&mut self, q: &[f64]) -> &[f64] {
        self.mechanics.terms(self.time, q, &vec![0.0; q.len()], &mut self.terms);
        &self.terms.constraints
    }

    /// Φ and the entries of `∂Φ/∂q`, of the rows that are looked at.
    pub(crate) fn at(&mut self, q: &[f64]) -> (Vec<f64>, Vec<(usize, usize, f64)>) {
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

/// The values of the rows that are left, and the new number of each row: `usize::MAX` of those that are left out.
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

/// Entries with new numbers of their rows, without those of rows that have none.
pub(crate) fn renumbered(entries: &[(usize, usize, f64)], number: &[usize]) -> Vec<(usize, usize, f64)> {
    let kept = entries.iter().filter(|&&(i, _, _)| number[i] < usize::MAX);
    kept.map(|&(i, j, x)| (number[i], j, x)).collect()
}

/// The largest magnitude with its number.
fn largest(values: &[f64]) -> (usize, f64) {
    values.iter().enumerate().fold((0, 0.0), |(at, most), (k, x)| {
        if x.is_nan() || x.abs() > most { (k, if x.is_nan() { f64::INFINITY } else { x.abs() }) } else { (at, most) }
    })
}

/// Moves positions as little as closes all joints, in the metric of the weights.
///
/// # Errors If joints do not close within `tolerance`: number of a constraint of the joint to blame, and the most that
/// is left of any.
pub fn close(system: &mut Linearised<'_>, q: &mut [f64], weights: &[f64], tolerance: f64) -> Result<(), (usize, f64)> {
    let (mut values, mut entries) = system.at(q);
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
            let (moved_values, moved_entries) = system.at(&moved);
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
        // the last one is made at rounding, where nothing gets better
        if !better || open.1 == 0.0 {
            break;
        }
    }
    if open.1 <= tolerance {
        return Ok(());
    }
    // What is left is shared by all joints of a loop. The one to blame is that which was open before: the others placed the bodies.
    let still_open = (0..values.len()).filter(|&row| values[row].is_nan() || values[row].abs() > tolerance);
    let row = still_open.max_by(|&a, &b| before[a].abs().total_cmp(&before[b].abs())).unwrap_or(open.0);
    Err((row, open.1))
}

/// Fails if a row is open by more than `tolerance`.
///
/// # Errors
/// The row that is open most, and by how much.
pub fn open(system: &mut Linearised<'_>, q: &[f64], tolerance: f64) -> Result<(), (usize, f64)> {
    let open = largest(&system.at(q).0);
    if open.1 <= tolerance { Ok(()) } else { Err(open) }
}

/// Takes from multipliers of all holonomic rows what does nothing, since rows depend on each other: those of least norm are left, for rows
/// of length one.
pub fn share<X: Space>(system: &System<X>, q: &[f64], multipliers: &mut [f64]) {
    let (values, entries) = Linearised::new(system).at(q);
    let mut least = Least::new(&vec![1.0; q.len()], values.len(), &entries);
    let mut scaled: Vec<f64> = multipliers.iter().zip(&least.lengths).map(|(lambda, length)| lambda * length).collect();
    // ε (J Jᵀ + ε)⁻¹ leaves of λ what Jᵀ takes to zero; with as many digits as ε has left, so that it is done again
    for _ in 0..4 {
        let (_, found) = solve(&mut least.blocks, least.unknowns, scaled.iter().copied());
        scaled.iter_mut().zip(found).for_each(|(lambda, mu)| *lambda += Least::EPSILON * mu);
    }
    for ((lambda, scaled), length) in multipliers.iter_mut().zip(&scaled).zip(&least.lengths) {
        *lambda = scaled / length;
    }
}

/// Changes velocities as little as the constraints allow; the one that is violated most afterwards.
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
