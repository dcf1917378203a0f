//! Derivatives of the index-3 equations along displacements, for positions of any kind.

use nalgebra::DMatrix;
use num_dual::Dual;

use crate::linalg::Entries;
use crate::{Dimensions, MechanicalModel, Motion, Scalar};

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
    mass: DMatrix<Dual<S>>,
    /// A second derivative along one velocity.
    q_second: Vec<Dual<Dual<S>>>,
    phi_second: Vec<Dual<Dual<S>>>,
}

impl<S: Scalar> Along<S> {
    pub(super) fn new(model: &impl MechanicalModel) -> Self {
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
            mass: DMatrix::from_element(nv, nv, zero),
            q_second: vec![Dual::from_re(zero); nq],
            phi_second: vec![Dual::from_re(zero); m],
        }
    }

    /// See [`Mechanics::displaced_derivatives`](crate::Mechanics::displaced_derivatives).
    pub(super) fn derivatives(
        &mut self,
        model: &impl MechanicalModel,
        at: Motion<'_, S>,
        delta: &[S],
        [by_displacement, by_velocity]: [&mut DMatrix<S>; 2],
    ) {
        let one = S::from(1.0);
        let time = Dual::from_re(at.t);
        let lift = |target: &mut [Dual<S>], values: &[S]| {
            target.iter_mut().zip(values).for_each(|(target, &value)| *target = Dual::from_re(value));
        };
        lift(&mut self.start, at.q);
        lift(&mut self.delta, delta);
        lift(&mut self.v, at.v);
        let n = at.v.len();
        for j in 0..n {
            self.delta[j].eps = one;
            model.retract(&self.start, &self.delta, &mut self.q);
            self.delta[j].eps = S::zero();
            self.mass.clear();
            model.mass(&self.q, &mut self.mass);
            model.forces(time, &self.q, &self.v, &mut self.forces);
            model.holonomic_constraints(time, &self.q, &mut self.phi);
            for i in 0..n {
                let inertia = (0..n).fold(S::zero(), |sum, k| sum + self.mass[(i, k)].eps * at.a[k]);
                by_displacement[(i, j)] = inertia - self.forces[i].eps - self.reaction_rate(model, time, i, at.lambda);
            }
            for (c, phi) in self.phi.iter().enumerate() {
                by_displacement[(n + c, j)] = phi.eps;
            }
        }
        model.retract(&self.start, &self.delta, &mut self.q);
        for j in 0..n {
            self.v[j].eps = one;
            model.forces(time, &self.q, &self.v, &mut self.forces);
            self.v[j].eps = S::zero();
            for (i, force) in self.forces.iter().enumerate() {
                by_velocity[(i, j)] = -force.eps;
            }
        }
    }

    /// The derivative of `(Jᵀ λ)ᵢ` in the direction of the positions in `q`, computed as that of `λᵀ Φ` along
    /// velocity `i`.
    fn reaction_rate(&mut self, model: &impl MechanicalModel, time: Dual<S>, i: usize, lambda: &[S]) -> S {
        if lambda.is_empty() {
            return S::zero();
        }
        self.direction[i].re = S::from(1.0);
        model.position_rate(&self.q, &self.direction, &mut self.rate);
        self.direction[i].re = S::zero();
        for ((second, &q), &rate) in self.q_second.iter_mut().zip(&self.q).zip(&self.rate) {
            *second = Dual::new(q, rate);
        }
        model.holonomic_constraints(Dual::from_re(time), &self.q_second, &mut self.phi_second);
        self.phi_second.iter().zip(lambda).fold(S::zero(), |sum, (phi, &lambda)| sum + phi.eps.eps * lambda)
    }
}
