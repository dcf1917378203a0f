//! Derivatives of the index-3 equations along displacements, for positions of any kind.

use num_dual::Dual;

use super::write_mass;
use crate::linalg::{Accumulate, Entries, Matrix};
use crate::{Dimensions, MechanicalModel, Motion, Scalar, Structure};

/// Scratch memory for [`derivatives`](Self::derivatives).
pub(super) struct Along<S: Scalar> {
    start: Vec<Dual<S>>,
    delta: Vec<Dual<S>>,
    q: Vec<Dual<S>>,
    v: Vec<Dual<S>>,
    rate: Vec<Dual<S>>,
    direction: Vec<Dual<S>>,
    forces: Vec<Dual<S>>,
    phi: Vec<Dual<S>>,
    mass: Matrix<Dual<S>>,
    /// A second derivative along one velocity.
    q_second: Vec<Dual<Dual<S>>>,
    phi_second: Vec<Dual<Dual<S>>>,
    /// Groups of columns of the derivatives of Φ that have no row in common.
    columns: Vec<Vec<usize>>,
}

impl<S: Scalar> Along<S> {
    pub(super) fn new(model: &impl MechanicalModel, structure: &Structure) -> Self {
        let Dimensions { coordinates: nq, velocities: nv, holonomic: m, .. } = model.dimensions();
        let zero = Dual::from_re(S::zero());
        let zeros = |n| vec![zero; n];
        Self {
            start: zeros(nq),
            delta: zeros(nv),
            q: zeros(nq),
            v: zeros(nv),
            rate: zeros(nq),
            direction: zeros(nv),
            forces: zeros(nv),
            phi: zeros(m),
            mass: Matrix::new(&structure.dynamics, structure.is_sparse_in::<S>()),
            q_second: vec![Dual::from_re(zero); nq],
            phi_second: vec![Dual::from_re(zero); m],
            columns: structure.jacobian.groups(&(0..nv).collect::<Vec<_>>()),
        }
    }

    /// See [`Mechanics::displaced_derivatives`](crate::Mechanics::displaced_derivatives).
    pub(super) fn derivatives(
        &mut self,
        model: &impl MechanicalModel,
        structure: &Structure,
        at: Motion<'_, S>,
        delta: &[S],
        [dynamics, by_velocity, constraints]: [&mut Matrix<S>; 3],
    ) {
        let one = S::from(1.0);
        let time = Dual::from_re(at.t);
        let lift = |target: &mut [Dual<S>], values: &[S]| {
            target.iter_mut().zip(values).for_each(|(target, &value)| *target = Dual::from_re(value));
        };
        lift(&mut self.start, at.q);
        lift(&mut self.delta, delta);
        lift(&mut self.v, at.v);
        dynamics.clear();
        by_velocity.clear();
        constraints.clear();
        for group in &structure.mass_groups {
            self.displace(model, group.iter().map(|&number| structure.mass[number]));
            write_mass(model, &self.q, &mut self.mass);
            for &number in group {
                let places = structure.mass_entries[number].iter().zip(&structure.inertia_slots[number]);
                for (&(i, k), &slot) in places {
                    dynamics.add((i, structure.mass[number]), slot, self.mass[(i, k)].eps * at.a[k]);
                }
            }
        }
        let [by_position, by_rate] = &structure.forces;
        for group in &by_position.groups {
            self.displace(model, group.iter().copied());
            model.forces(time, &self.q, &self.v, &mut self.forces);
            for (at, slot, i) in by_position.places(group) {
                dynamics.add(at, slot, -self.forces[i].eps);
            }
        }
        let columns = std::mem::take(&mut self.columns);
        for group in &columns {
            self.displace(model, group.iter().copied());
            model.holonomic_constraints(time, &self.q, &mut self.phi);
            for &j in group {
                let column = structure.jacobian.column(j).iter().map(|&c| self.phi[c].eps);
                constraints.write_column(&structure.jacobian, j, column);
            }
        }
        self.columns = columns;
        self.reactions(model, structure, time, at.lambda, dynamics);
        model.retract(&self.start, &self.delta, &mut self.q);
        for group in &by_rate.groups {
            group.iter().for_each(|&j| self.v[j].eps = one);
            model.forces(time, &self.q, &self.v, &mut self.forces);
            group.iter().for_each(|&j| self.v[j].eps = S::zero());
            for (at, slot, i) in by_rate.places(group) {
                by_velocity.add(at, slot, -self.forces[i].eps);
            }
        }
    }

    /// Writes the positions with their derivative along the sum of some displacements into `q`.
    fn displace(&mut self, model: &impl MechanicalModel, along: impl Iterator<Item = usize> + Clone) {
        along.clone().for_each(|j| self.delta[j].eps = S::from(1.0));
        model.retract(&self.start, &self.delta, &mut self.q);
        along.for_each(|j| self.delta[j].eps = S::zero());
    }

    /// Subtracts the derivatives of `Jᵀ λ` along displacements: `(Jᵀ λ)ᵢ` is the derivative of `λᵀ Φ` along velocity
    /// `i`. Pairs without a common constraint are computed together.
    fn reactions(
        &mut self,
        model: &impl MechanicalModel,
        structure: &Structure,
        time: Dual<S>,
        lambda: &[S],
        dynamics: &mut Matrix<S>,
    ) {
        let n = self.delta.len();
        for group in &structure.pair_groups {
            for order in [0, 1] {
                // The number of coordinates stands for time.
                let pairs = group.iter().map(|&p| (p, structure.curvature[p])).filter(|&(_, (_, j))| j < n);
                let mut pairs = pairs
                    .filter(|&(_, (i, j))| order == 0 || i != j)
                    .map(|(p, (i, j))| (p, if order == 0 { (i, j) } else { (j, i) }));
                if pairs.clone().next().is_none() {
                    continue;
                }
                self.displace(model, pairs.clone().map(|(_, (_, j))| j));
                pairs.clone().for_each(|(_, (i, _))| self.direction[i].re = S::from(1.0));
                model.position_rate(&self.q, &self.direction, &mut self.rate);
                pairs.clone().for_each(|(_, (i, _))| self.direction[i].re = S::zero());
                for ((second, &q), &rate) in self.q_second.iter_mut().zip(&self.q).zip(&self.rate) {
                    *second = Dual::new(q, rate);
                }
                model.holonomic_constraints(Dual::from_re(time), &self.q_second, &mut self.phi_second);
                for (p, at) in &mut pairs {
                    let rows = structure.pair_rows[p].iter();
                    let sum = rows.fold(S::zero(), |sum, &c| sum + self.phi_second[c].eps.eps * lambda[c]);
                    dynamics.add(at, structure.pair_slots[p][order], -sum);
                }
            }
        }
    }
}
