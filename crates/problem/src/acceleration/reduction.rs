//! Weights and Grammian for few constraints: all right-hand sides of the mass matrix are solved together, in loops of
//! constant length.

use super::Multipliers;
use crate::Scalar;
use crate::linalg::Block;
use crate::scalar::is_double;

/// Position of the forces in a row, behind the constraints.
const FORCES: usize = 7;

impl<S: Scalar> Multipliers<S> {
    /// Does the same as [`reduce`](Self::reduce), with bitwise equal results, if there are few enough constraints and
    /// velocities; returns true if so.
    pub(super) fn reduce_together(&mut self) -> bool {
        if const { !is_double::<S>() } {
            return false;
        }
        match self.jacobian.nrows() {
            1 => self.reduce_as::<1>(),
            2 => self.reduce_as::<2>(),
            3 => self.reduce_as::<3>(),
            4 => self.reduce_as::<4>(),
            5 => self.reduce_as::<5>(),
            6 => self.reduce_as::<6>(),
            FORCES => self.reduce_as::<FORCES>(),
            _ => false,
        }
    }

    /// [`reduce_together`](Self::reduce_together) for `C` constraints.
    fn reduce_as<const C: usize>(&mut self) -> bool {
        let columns: &[[S; C]] = self.jacobian.as_slice().as_chunks().0;
        for ((row, column), &force) in self.rows.iter_mut().zip(columns).zip(&self.free_acceleration) {
            row[..C].copy_from_slice(column);
            row[FORCES] = force;
        }
        if !self.mass_factors.solve_block(&mut self.rows) {
            return false;
        }
        let mut grammian = [[S::zero(); C]; C];
        let mut constrained = [S::zero(); C];
        for ((row, column), free) in self.rows.iter().zip(columns).zip(&mut self.free_acceleration) {
            for (grammian, &weight) in grammian.iter_mut().zip(row) {
                if weight != S::zero() {
                    add(grammian, column, weight);
                }
            }
            add(&mut constrained, column, row[FORCES]);
            *free = row[FORCES];
        }
        self.grammian.as_mut_slice().copy_from_slice(grammian.as_flattened());
        self.constrained_acceleration.copy_from_slice(&constrained);
        write_columns::<S, C>(&self.rows, self.weights.as_mut_slice());
        true
    }
}

/// `sum += column · weight`.
#[inline(always)]
fn add<S: Scalar, const C: usize>(sum: &mut [S; C], column: &[S; C], weight: S) {
    for (sum, &entry) in sum.iter_mut().zip(column) {
        *sum += entry * weight;
    }
}

/// The first `C` columns of a block.
#[inline(always)]
fn write_columns<S: Scalar, const C: usize>(rows: &[Block<S>], columns: &mut [S]) {
    let n = rows.len();
    let columns = &mut columns[..C * n];
    for (j, row) in rows.iter().enumerate() {
        for c in 0..C {
            columns[c * n + j] = row[c];
        }
    }
}
