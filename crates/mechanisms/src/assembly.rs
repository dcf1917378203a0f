//! The initial state: positions that close all joints, velocities that these allow, and constraints that follow from others.

use std::sync::Arc;

use mbsbench_problem::linalg::{Blocks, Matrix, Pattern, Place};
use mbsbench_problem::{MechanicalModel, Mechanics, MechanicsOf, Terms};

use crate::system::{Space, System};

/// Iterations until joints have to be closed.
const MOST_ITERATIONS: usize = 100;

/// What a row that follows from the others leaves of itself, relative to rows of unit length.
const DEPENDENT: f64 = 1e-9;

/// Length of a row, relative to the longest, below which it is rounding: 1e-16 in each of some terms.
const VANISHING: f64 = 1e-12;

/// What the longest row is taken to be at the least, for mechanisms that have none but such of rounding.
const LEAST_ROW: f64 = 1e-2;

/// Constraints linearised at a state: the least change of coordinates, each with its weight, that takes a residual away.
///
/// ```text
/// [ W   Jᵀ ] [ δ ]   [ 0  ]
/// [ J   −ε ] [ μ ] = [ −r ]
/// ```
///
/// with rows of `J` of unit length; `ε` keeps the matrix regular where rows depend on each other.
struct Least {
    blocks: Blocks,
    unknowns: usize,
    /// Lengths of the rows of `J`.
    lengths: Vec<f64>,
    jacobian: Matrix<f64>,
}

impl Least {
    const EPSILON: f64 = 1e-13;

    fn new(weights: &[f64], rows: usize, entries: &[(usize, usize, f64)]) -> Self {
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

    /// The change; NaN where the numbers are none.
    fn change(&mut self, residual: &[f64]) -> &[f64] {
        let (head, tail) = self.blocks.x.split_at_mut(self.unknowns);
        head.fill(0.0);
        tail.iter_mut().zip(residual).zip(&self.lengths).for_each(|((x, r), length)| *x = -r / length);
        self.blocks.solve();
        &self.blocks.x[..self.unknowns]
    }

    /// Factors with which rows (of unit length) add up to nothing, of length one; none where there are none.
    fn dependence(&mut self) -> Option<Vec<f64>> {
        let rows = self.lengths.len();
        let mut mu: Vec<f64> = (0..rows).map(|i| 1.0 + (i as f64 * 0.7).sin() * 0.3).collect();
        for _ in 0..3 {
            let (head, tail) = self.blocks.x.split_at_mut(self.unknowns);
            head.fill(0.0);
            tail.copy_from_slice(&mu);
            self.blocks.solve();
            let found = &self.blocks.x[self.unknowns..];
            let length = found.iter().map(|x| x * x).sum::<f64>().sqrt();
            mu = found.iter().map(|x| x / length).collect();
        }
        let mut sum = vec![0.0; self.unknowns];
        self.jacobian.add_transposed_product(1.0, &mu, &mut sum);
        (sum.iter().map(|x| x * x).sum::<f64>().sqrt() < DEPENDENT).then_some(mu)
    }
}

/// Constraints of a system with their Jacobian. What entries it has is found once for all states that are asked for.
pub struct Linearised<'m> {
    mechanics: MechanicsOf<'m>,
    terms: Terms<f64>,
}

impl<'m> Linearised<'m> {
    /// Those of a system as it is now.
    pub fn new(system: &'m impl MechanicalModel) -> Self {
        let mut mechanics = MechanicsOf::new(system);
        let structure = Mechanics::<f64>::structure(&mut mechanics);
        Self { mechanics, terms: Terms::of(&structure, true) }
    }

    /// Φ, and entries of `∂Φ/∂q`.
    fn at(&mut self, q: &[f64]) -> (Vec<f64>, Vec<(usize, usize, f64)>) {
        self.mechanics.terms(0.0, q, &vec![0.0; q.len()], &mut self.terms);
        let mut entries = Vec::new();
        self.terms.jacobian.for_each(|i, j, x| entries.push((i, j, x)));
        (self.terms.constraints.clone(), entries)
    }
}

/// The largest magnitude with its number.
fn largest(values: &[f64]) -> (usize, f64) {
    values.iter().enumerate().fold((0, 0.0), |(at, most), (k, x)| {
        if x.is_nan() || x.abs() > most { (k, if x.is_nan() { f64::INFINITY } else { x.abs() }) } else { (at, most) }
    })
}

/// Moves positions as little as closes all joints, in the metric of the weights.
///
/// # Errors
/// Where joints do not close within `tolerance`: number of a constraint of the one to blame, and the most that is left of any.
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

/// The row that is open most, where that is more than `tolerance`.
///
/// # Errors
/// As [`close`].
pub fn open(system: &mut Linearised<'_>, q: &[f64], tolerance: f64) -> Result<(), (usize, f64)> {
    let open = largest(&system.at(q).0);
    if open.1 <= tolerance { Ok(()) } else { Err(open) }
}

/// Numbers of constraints that follow from the others there, in ascending order. `first_joint` is the first that may be left out.
pub fn redundant(system: &mut Linearised<'_>, q: &[f64], first_joint: usize) -> Vec<usize> {
    let (values, entries) = system.at(q);
    // what holds for all coordinates has a row of rounding
    let mut lengths = vec![0.0; values.len()];
    entries.iter().for_each(|&(i, _, x)| lengths[i] += x * x);
    let largest = lengths.iter().fold(LEAST_ROW, |most: f64, length| most.max(length.sqrt()));
    let vanishes = |row: &usize| lengths[*row].sqrt() < VANISHING * largest;
    let mut left_out: Vec<usize> = (first_joint..values.len()).filter(vanishes).collect();
    while left_out.len() < values.len() {
        let kept: Vec<usize> = (0..values.len()).filter(|row| left_out.binary_search(row).is_err()).collect();
        let mut number = vec![usize::MAX; values.len()];
        kept.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let entries: Vec<_> =
            entries.iter().filter(|&&(i, _, _)| number[i] < usize::MAX).map(|&(i, j, x)| (number[i], j, x)).collect();
        let Some(factors) = Least::new(&vec![1.0; q.len()], kept.len(), &entries).dependence() else { break };
        // of rows that take part as much as others, the last one
        let most = kept
            .iter()
            .zip(&factors)
            .filter(|&(&row, _)| row >= first_joint)
            .fold(0.0, |m: f64, (_, x)| m.max(x.abs()));
        let Some(&row) = kept
            .iter()
            .zip(&factors)
            .filter(|&(&row, factor)| row >= first_joint && factor.abs() > 0.5 * most)
            .map(|(row, _)| row)
            .next_back()
        else {
            break;
        };
        let at = left_out.partition_point(|&other| other < row);
        left_out.insert(at, row);
    }
    left_out
}

/// Takes from multipliers of all holonomic rows what does nothing, since rows depend on each other: those of least norm are left, for rows
/// of length one.
pub fn share<X: Space>(system: &System<X>, q: &[f64], multipliers: &mut [f64]) {
    let (values, entries) = Linearised::new(system).at(q);
    let mut least = Least::new(&vec![1.0; q.len()], values.len(), &entries);
    let mut scaled: Vec<f64> = multipliers.iter().zip(&least.lengths).map(|(lambda, length)| lambda * length).collect();
    // ε (J Jᵀ + ε)⁻¹ leaves of λ what Jᵀ takes to zero; with as many digits as ε has left, so that it is done again
    for _ in 0..4 {
        let n = least.unknowns;
        least.blocks.x[..n].fill(0.0);
        least.blocks.x[n..].copy_from_slice(&scaled);
        least.blocks.solve();
        for (lambda, mu) in scaled.iter_mut().zip(&least.blocks.x[n..]) {
            *lambda += Least::EPSILON * mu;
        }
    }
    for ((lambda, scaled), length) in multipliers.iter_mut().zip(&scaled).zip(&least.lengths) {
        *lambda = scaled / length;
    }
}

/// Changes velocities as little as the constraints allow; the one that is violated most afterwards.
pub fn allow<X: Space>(system: &System<X>, q: &[f64], v: &mut [f64], weights: &[f64]) -> (usize, f64) {
    let mut mechanics = MechanicsOf::new(system);
    let rows = Mechanics::<f64>::constraints(&mechanics);
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
