//! Mechanics with all derivatives by dual numbers.

use nalgebra::DMatrix;
use num_dual::{Dual, DualSVec, HyperDual};

use third::Third;

use super::terms::{Derivatives, Structure, Terms};
use super::{ClosedForm, MechanicalModel, Mechanics, structure};
use crate::Scalar;
use crate::linalg::{add_product, multiply};

/// Derivatives of forces that are taken in one evaluation.
const CHUNK: usize = 6;
type Chunk<S> = DualSVec<S, CHUNK>;

/// A [`MechanicalModel`] as [`Mechanics`]: derivatives by dual numbers, exact to roundoff.
///
/// Scratch memory is made once, so that no evaluation allocates.
pub struct MechanicsOf<'m, M, S: Scalar = f64> {
    model: &'m M,
    q: Vec<Dual<S>>,
    v: Vec<Dual<S>>,
    rate: Vec<S>,
    direction: Vec<S>,
    /// Terms in closed form that nobody has asked for.
    unused: Vec<S>,
    holonomic: Vec<Dual<S>>,
    nonholonomic: Vec<Dual<S>>,
    q_second: Vec<Dual<Dual<S>>>,
    holonomic_second: Vec<Dual<Dual<S>>>,
    rate_dual: Vec<Dual<S>>,
    mass: DMatrix<Dual<S>>,
    q_chunk: Vec<Chunk<S>>,
    v_chunk: Vec<Chunk<S>>,
    forces: Vec<Chunk<S>>,
    q_pair: Vec<HyperDual<S>>,
    holonomic_pair: Vec<HyperDual<S>>,
    third: Third<S>,
    structure: Option<Structure>,
    /// `J` at the first state, of which the columns that are not curved hold everywhere.
    first_jacobian: DMatrix<S>,
    /// Whether positions are vectors; not known before it is asked for.
    vector_coordinates: Option<bool>,
}

impl<'m, M: MechanicalModel, S: Scalar> MechanicsOf<'m, M, S> {
    /// Wraps a model.
    pub fn new(model: &'m M) -> Self {
        let zero = S::nought();
        let dual = Dual::new(zero, zero);
        let second = Dual::new(dual, dual);
        let (nq, nv) = (model.coordinates(), model.velocities());
        Self {
            model,
            q: vec![dual; nq],
            v: vec![dual; nv],
            rate: vec![zero; nq],
            direction: vec![zero; nv],
            unused: vec![zero; model.holonomic()],
            holonomic: vec![dual; model.holonomic()],
            nonholonomic: vec![dual; model.nonholonomic()],
            q_second: vec![second; nq],
            holonomic_second: vec![second; model.holonomic()],
            rate_dual: vec![dual; nq],
            mass: DMatrix::from_element(nv, nv, dual),
            q_chunk: vec![Chunk::from_re(zero); nq],
            v_chunk: vec![Chunk::from_re(zero); nv],
            forces: vec![Chunk::from_re(zero); nv],
            q_pair: vec![HyperDual::from_re(zero); nq],
            holonomic_pair: vec![HyperDual::from_re(zero); model.holonomic()],
            third: Third::new(nq, model.holonomic()),
            structure: None,
            first_jacobian: DMatrix::from_element(model.holonomic(), nv, zero),
            vector_coordinates: None,
        }
    }

    fn lift(target: &mut [Dual<S>], value: &[S], direction: impl Fn(usize) -> S) {
        for (i, (target, &value)) in target.iter_mut().zip(value).enumerate() {
            *target = Dual::new(value, direction(i));
        }
    }

    /// Φ and its derivative in coordinate `j`, into `holonomic`; the positions in `q` carry no derivative before and
    /// after.
    fn along(&mut self, t: S, j: usize) {
        self.q[j].eps = S::from(1.0);
        self.model.holonomic_constraints(Dual::from_re(t), &self.q, &mut self.holonomic);
        self.q[j].eps = S::nought();
    }

    /// `∂D/∂q` and `∂D/∂v`, several columns at a time.
    fn force_derivatives(&mut self, t: S, q: &[S], v: &[S], derivatives: &mut Derivatives<S>) {
        let lift = |target: &mut [Chunk<S>], values: &[S]| {
            for (target, &value) in target.iter_mut().zip(values) {
                *target = Chunk::from_re(value);
            }
        };
        lift(&mut self.q_chunk, q);
        lift(&mut self.v_chunk, v);
        for by_position in [true, false] {
            let by = match by_position {
                true => &mut derivatives.forces_by_position,
                false => &mut derivatives.forces_by_velocity,
            };
            for first in (0..v.len()).step_by(CHUNK) {
                let seeded = if by_position { &mut self.q_chunk } else { &mut self.v_chunk };
                let count = CHUNK.min(seeded.len() - first);
                for (k, x) in seeded[first..][..count].iter_mut().enumerate() {
                    *x = x.derivative(k);
                }
                self.model.forces(Chunk::from_re(t), &self.q_chunk, &self.v_chunk, &mut self.forces);
                for (i, force) in self.forces.iter().enumerate() {
                    for k in 0..count {
                        by[(i, first + k)] = force.eps.0.map_or(S::nought(), |eps| eps[k]);
                    }
                }
                let seeded = if by_position { &mut self.q_chunk } else { &mut self.v_chunk };
                for x in &mut seeded[first..][..count] {
                    *x = Chunk::from_re(x.re);
                }
            }
        }
    }

    /// `∂M/∂q`; leaves the positions in `q` without derivatives.
    fn mass_derivatives(&mut self, q: &[S], derivatives: &mut Derivatives<S>) {
        let (zero, one) = (S::nought(), S::from(1.0));
        Self::lift(&mut self.q, q, |_| zero);
        for (k, mass) in &mut derivatives.mass {
            self.q[*k].eps = one;
            self.mass.as_mut_slice().fill(Dual::from_re(zero));
            self.model.mass(&self.q, &mut self.mass);
            self.q[*k].eps = zero;
            for (entry, dual) in mass.as_mut_slice().iter_mut().zip(self.mass.as_slice()) {
                *entry = dual.eps;
            }
        }
    }

    /// Second derivatives of Φ, pair by pair; `seen` is shown each pair and what Φ and its derivatives are.
    fn second_derivatives(
        &mut self,
        t: S,
        q: &[S],
        derivatives: &mut Derivatives<S>,
        mut seen: impl FnMut((usize, usize), &[HyperDual<S>]),
    ) {
        let one = S::from(1.0);
        for (pair, &value) in self.q_pair.iter_mut().zip(q) {
            *pair = HyperDual::from_re(value);
        }
        let mut second = derivatives.second.iter_mut();
        for &(i, j) in &derivatives.pairs {
            let mut time = HyperDual::from_re(t);
            // The number of coordinates stands for time.
            self.q_pair.get_mut(i).unwrap_or(&mut time).eps1 = one;
            self.q_pair.get_mut(j).unwrap_or(&mut time).eps2 = one;
            self.model.holonomic_constraints(time, &self.q_pair, &mut self.holonomic_pair);
            for k in [i, j] {
                if let Some(pair) = self.q_pair.get_mut(k) {
                    *pair = HyperDual::from_re(q[k]);
                }
            }
            seen((i, j), &self.holonomic_pair);
            for (phi, entry) in self.holonomic_pair.iter().zip(second.by_ref()) {
                *entry = phi.eps1eps2;
            }
        }
    }

    /// Writes `∂Φ/∂q`; only the columns that are curved are formed anew. Leaves the positions in `q` without derivatives.
    fn holonomic_jacobian(&mut self, t: S, q: &[S], jacobian: &mut DMatrix<S>) {
        let Some(structure) = self.structure.take() else { return };
        Self::lift(&mut self.q, q, |_| S::nought());
        jacobian.copy_from(&self.first_jacobian);
        let rows = self.holonomic.len();
        for &j in &structure.curved {
            self.along(t, j);
            for (entry, phi) in jacobian.as_mut_slice()[rows * j..].iter_mut().zip(&self.holonomic) {
                *entry = phi.eps;
            }
        }
        self.structure = Some(structure);
    }

    /// Writes the terms that a model has in closed form; says whether it has.
    fn write_terms(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>) -> bool {
        let Terms { mass, forces, jacobian, constraints, constraint_rates } = terms;
        let terms = ClosedForm { mass, forces, constraints, jacobian, bias: &mut self.unused };
        let is_closed = self.model.in_closed_form(t, q, v, terms);
        if is_closed {
            multiply(jacobian, v, constraint_rates);
        }
        is_closed
    }

    /// Finds the structure, and the columns of `J` that are constant.
    fn find_structure(&mut self, t: S, q: &[S]) {
        if self.structure.is_some() {
            return;
        }
        self.structure = Some(structure::find(self.model, t, q));
        Self::lift(&mut self.q, q, |_| S::nought());
        for j in 0..self.q.len() {
            self.along(t, j);
            for (c, phi) in self.holonomic.iter().enumerate() {
                self.first_jacobian[(c, j)] = phi.eps;
            }
        }
    }
}

impl<M: MechanicalModel, S: Scalar> Mechanics<S> for MechanicsOf<'_, M, S> {
    fn coordinates(&self) -> usize {
        self.model.coordinates()
    }
    fn velocities(&self) -> usize {
        self.model.velocities()
    }
    fn holonomic(&self) -> usize {
        self.model.holonomic()
    }
    fn nonholonomic(&self) -> usize {
        self.model.nonholonomic()
    }
    fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]) {
        self.model.position_rate(q, v, q_rate);
    }
    fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.model.retract(q, delta, moved);
    }
    fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>) {
        mass.fill(S::nought());
        self.model.mass(q, mass);
    }
    fn forces(&mut self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        self.model.forces(t, q, v, forces);
    }
    fn accelerations(&mut self, t: S, q: &[S], v: &[S], accelerations: &mut [S], multipliers: &mut [S]) -> bool {
        self.model.accelerations(t, q, v, accelerations, multipliers)
    }
    fn energy(&mut self, q: &[S], v: &[S]) -> S {
        self.model.energy(q, v)
    }

    fn constraint_values(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        let (gamma, phi) = values.split_at_mut(self.model.nonholonomic());
        self.model.nonholonomic_constraints(t, q, v, gamma);
        self.model.holonomic_constraints(t, q, phi);
    }

    fn velocity_constraints(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        let (gamma, phi_rate) = values.split_at_mut(self.model.nonholonomic());
        self.model.nonholonomic_constraints(t, q, v, gamma);
        if phi_rate.is_empty() {
            return;
        }
        // One evaluation of Φ along (1, H v).
        self.model.position_rate(q, v, &mut self.rate);
        let rate = &self.rate;
        Self::lift(&mut self.q, q, |i| rate[i]);
        self.model.holonomic_constraints(Dual::new(t, S::from(1.0)), &self.q, &mut self.holonomic);
        for (rate, phi) in phi_rate.iter_mut().zip(&self.holonomic) {
            *rate = phi.eps;
        }
    }

    fn constraint_jacobian(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut DMatrix<S>) {
        let nonholonomic = self.model.nonholonomic();
        if nonholonomic == 0 && self.has_vector_coordinates() {
            self.find_structure(t, q);
            self.holonomic_jacobian(t, q, jacobian);
            return;
        }
        let (zero, one) = (S::nought(), S::from(1.0));
        let time = Dual::new(t, zero);
        for j in 0..self.model.velocities() {
            if nonholonomic > 0 {
                Self::lift(&mut self.q, q, |_| zero);
                Self::lift(&mut self.v, v, |i| if i == j { one } else { zero });
                self.model.nonholonomic_constraints(time, &self.q, &self.v, &mut self.nonholonomic);
                for (i, gamma) in self.nonholonomic.iter().enumerate() {
                    jacobian[(i, j)] = gamma.eps;
                }
            }
            if self.holonomic.is_empty() {
                continue;
            }
            self.direction.fill(zero);
            self.direction[j] = one;
            self.model.position_rate(q, &self.direction, &mut self.rate);
            let rate = &self.rate;
            Self::lift(&mut self.q, q, |i| rate[i]);
            self.model.holonomic_constraints(time, &self.q, &mut self.holonomic);
            for (i, phi) in self.holonomic.iter().enumerate() {
                jacobian[(nonholonomic + i, j)] = phi.eps;
            }
        }
    }

    fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]) {
        let (zero, one) = (S::nought(), S::from(1.0));
        let (gamma_rate, phi_second) = bias.split_at_mut(self.model.nonholonomic());
        self.model.position_rate(q, v, &mut self.rate);
        let rate = &self.rate;
        Self::lift(&mut self.q, q, |i| rate[i]);
        Self::lift(&mut self.v, v, |_| zero);
        if !gamma_rate.is_empty() {
            self.model.nonholonomic_constraints(Dual::new(t, one), &self.q, &self.v, &mut self.nonholonomic);
            for (rate, gamma) in gamma_rate.iter_mut().zip(&self.nonholonomic) {
                *rate = gamma.eps;
            }
        }
        if phi_second.is_empty() {
            return;
        }
        // Second derivative of Φ along the path with q' = H(q) v, v constant: the outer dual carries the
        // direction H(q) v, and its derivative along the same path.
        self.model.position_rate(&self.q, &self.v, &mut self.rate_dual);
        for ((second, &inner), &rate) in self.q_second.iter_mut().zip(&self.q).zip(&self.rate_dual) {
            *second = Dual::new(inner, rate);
        }
        let time = Dual::new(Dual::new(t, one), Dual::new(one, zero));
        self.model.holonomic_constraints(time, &self.q_second, &mut self.holonomic_second);
        for (bias, phi) in phi_second.iter_mut().zip(&self.holonomic_second) {
            *bias = phi.eps.eps;
        }
    }

    fn has_vector_coordinates(&mut self) -> bool {
        if let Some(known) = self.vector_coordinates {
            return known;
        }
        // No two of these numbers are alike, so that no rotation or permutation goes unseen.
        let numbers =
            |start: f64| (0..self.q.len()).map(move |i| S::from((start + i as f64).sqrt())).collect::<Vec<S>>();
        let (q, v) = (numbers(0.3), numbers(1.7));
        let are_vectors = self.q.len() == self.v.len() && {
            let mut moved = q.clone();
            self.model.retract(&q, &v, &mut moved);
            self.model.position_rate(&q, &v, &mut self.rate);
            (0..q.len()).all(|i| moved[i] == q[i] + v[i] && self.rate[i] == v[i])
        };
        self.vector_coordinates = Some(are_vectors);
        are_vectors
    }

    fn structure(&mut self, t: S, q: &[S]) -> &Structure {
        self.find_structure(t, q);
        self.structure.get_or_insert_default()
    }

    fn acceleration_terms(
        &mut self,
        t: S,
        q: &[S],
        v: &[S],
        mass: &mut DMatrix<S>,
        forces: &mut [S],
        jacobian: &mut DMatrix<S>,
        bias: &mut [S],
    ) {
        let terms = ClosedForm { mass, forces, constraints: &mut self.unused, jacobian, bias };
        if self.model.in_closed_form(t, q, v, terms) {
            return;
        }
        self.mass(q, mass);
        self.forces(t, q, v, forces);
        self.constraint_jacobian(t, q, v, jacobian);
        self.acceleration_bias(t, q, v, bias);
    }

    fn terms(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>) {
        if self.write_terms(t, q, v, terms) {
            return;
        }
        self.find_structure(t, q);
        terms.mass.fill(S::nought());
        self.model.mass(q, &mut terms.mass);
        self.model.forces(t, q, v, &mut terms.forces);
        if !self.holonomic.is_empty() {
            self.holonomic_jacobian(t, q, &mut terms.jacobian);
        }
        let Some(structure) = &self.structure else { return };
        if !self.holonomic.is_empty() {
            if structure.rheonomic {
                self.model.holonomic_constraints(Dual::new(t, S::from(1.0)), &self.q, &mut self.holonomic);
                for (rate, phi) in terms.constraint_rates.iter_mut().zip(&self.holonomic) {
                    *rate = phi.eps;
                }
            } else {
                terms.constraint_rates.fill(S::nought());
            }
            add_product(S::from(1.0), &terms.jacobian, v, &mut terms.constraint_rates);
            if structure.rheonomic || !structure.curved.is_empty() {
                for (value, phi) in terms.constraints.iter_mut().zip(&self.holonomic) {
                    *value = phi.re;
                }
            } else {
                self.model.holonomic_constraints(t, q, &mut terms.constraints);
            }
        }
    }

    fn derivatives(&mut self, t: S, q: &[S], v: &[S], derivatives: &mut Derivatives<S>) {
        if self.model.derivatives_in_closed_form(q, v, &mut self.rate, derivatives) {
            return;
        }
        self.find_structure(t, q);
        self.mass_derivatives(q, derivatives);
        self.force_derivatives(t, q, v, derivatives);
        self.second_derivatives(t, q, derivatives, |_, _| ());
    }

    fn linearisation(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>, derivatives: &mut Derivatives<S>) {
        if self.write_terms(t, q, v, terms)
            && self.model.derivatives_in_closed_form(q, v, &mut terms.forces, derivatives)
        {
            return;
        }
        self.find_structure(t, q);
        terms.mass.fill(S::nought());
        self.model.mass(q, &mut terms.mass);
        self.mass_derivatives(q, derivatives);
        // The values come with any derivative.
        self.force_derivatives(t, q, v, derivatives);
        for (force, dual) in terms.forces.iter_mut().zip(&self.forces) {
            *force = dual.re;
        }
        if self.holonomic.is_empty() {
            return;
        }
        let Terms { jacobian, constraints, constraint_rates, .. } = terms;
        jacobian.copy_from(&self.first_jacobian);
        constraint_rates.fill(S::nought());
        let n = q.len();
        self.second_derivatives(t, q, derivatives, |(i, j), phi| {
            for (c, phi) in phi.iter().enumerate() {
                constraints[c] = phi.re;
                for (k, first) in [(i, phi.eps1), (j, phi.eps2)] {
                    if k < n {
                        jacobian[(c, k)] = first;
                    }
                }
            }
        });
        let rheonomic = self.structure.as_ref().is_some_and(|structure| structure.rheonomic);
        if rheonomic || derivatives.pairs.is_empty() {
            let rate = if rheonomic { S::from(1.0) } else { S::nought() };
            self.model.holonomic_constraints(Dual::new(t, rate), &self.q, &mut self.holonomic);
            for (c, phi) in self.holonomic.iter().enumerate() {
                (constraints[c], constraint_rates[c]) = (phi.re, phi.eps);
            }
        }
        add_product(S::from(1.0), jacobian, v, constraint_rates);
    }

    fn is_autonomous(&self) -> bool {
        self.model.is_autonomous()
    }

    fn acceleration_constraint_derivatives(&mut self, t: S, q: &[S], v: &[S], a: &[S], by_position: &mut DMatrix<S>) {
        self.find_structure(t, q);
        by_position.fill(S::nought());
        let Some(structure) = &self.structure else { return };
        self.third.place(q, v, a);
        for &k in &structure.curved {
            let along = self.third.along(self.model, t, Some(k));
            for (entry, phi) in by_position.column_mut(k).iter_mut().zip(along) {
                *entry = phi.eps.eps.eps;
            }
        }
    }

    fn time_derivatives(
        &mut self,
        t: S,
        (q, v): (&[S], &[S]),
        (a, lambda): (&[S], &[S]),
        forces: &mut [S],
        constraints: &mut [S],
    ) {
        self.find_structure(t, q);
        let (zero, one) = (S::nought(), S::from(1.0));
        Self::lift(&mut self.q, q, |_| zero);
        Self::lift(&mut self.v, v, |_| zero);
        self.model.forces(Dual::new(t, one), &self.q, &self.v, &mut self.rate_dual);
        for (force, dual) in forces.iter_mut().zip(&self.rate_dual) {
            *force = dual.eps;
        }
        constraints.fill(zero);
        let Some(structure) = self.structure.as_ref().filter(|structure| structure.rheonomic) else { return };
        for (pair, &value) in self.q_pair.iter_mut().zip(q) {
            *pair = HyperDual::from_re(value);
        }
        let mut time = HyperDual::from_re(t);
        time.eps2 = one;
        // The number of coordinates stands for time.
        for &(i, _) in structure.curvature.iter().filter(|&&(i, j)| i < q.len() && j == q.len()) {
            self.q_pair[i].eps1 = one;
            self.model.holonomic_constraints(time, &self.q_pair, &mut self.holonomic_pair);
            self.q_pair[i].eps1 = zero;
            forces[i] += self.holonomic_pair.iter().zip(lambda).fold(zero, |sum, (phi, &l)| sum + phi.eps1eps2 * l);
        }
        self.third.place(q, v, a);
        for (rate, phi) in constraints.iter_mut().zip(self.third.along(self.model, t, None)) {
            *rate = phi.eps.eps.eps;
        }
    }
}

#[cfg(test)]
mod tests;
mod third;
