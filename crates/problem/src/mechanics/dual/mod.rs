//! Mechanics with all derivatives computed by dual numbers.

use std::sync::Arc;

use nalgebra::DMatrix;
use num_dual::{Dual, DualSVec, HyperDual};

use along::Along;
use slots::Slots;
use third::Third;

use super::approach::longest_step;
use super::structure::{self, Matrices, Structure};
use super::terms::{Derivatives, Terms};
use super::{ClosedForm, ClosedTerms, Dimensions, MechanicalModel, Mechanics, Motion};
use crate::linalg::{Entries, Matrix};
use crate::scalar::{is_double, only_in_double};
use crate::{Recursion, Scalar, pass_on};

/// Number of derivatives of forces that one evaluation computes.
const CHUNK: usize = 6;
type Chunk<S> = DualSVec<S, CHUNK>;

/// A [`MechanicalModel`] as [`Mechanics`], with derivatives by dual numbers, exact to roundoff.
///
/// Scratch memory is allocated once, so that no evaluation allocates.
pub struct MechanicsOf<'m, M, S: Scalar = f64> {
    model: &'m M,
    sizes: Dimensions,
    q: Vec<Dual<S>>,
    v: Vec<Dual<S>>,
    rate: Vec<S>,
    direction: Vec<S>,
    /// Terms in closed form that the caller has not requested.
    unused: Vec<S>,
    holonomic: Vec<Dual<S>>,
    nonholonomic: Vec<Dual<S>>,
    q_second: Vec<Dual<Dual<S>>>,
    holonomic_second: Vec<Dual<Dual<S>>>,
    rate_dual: Vec<Dual<S>>,
    /// Allocated when the first derivative of the mass is requested.
    mass: Option<Matrix<Dual<S>>>,
    q_chunk: Vec<Chunk<S>>,
    v_chunk: Vec<Chunk<S>>,
    forces: Vec<Chunk<S>>,
    q_pair: Vec<HyperDual<S>>,
    holonomic_pair: Vec<HyperDual<S>>,
    third: Third<S>,
    /// Allocated when derivatives along displacements are first requested.
    along: Option<Along<S>>,
    structure: Option<Arc<Structure>>,
    /// Created on request.
    recursion: Option<Box<dyn Recursion + 'm>>,
    matrices: Matrices,
    /// The entries of `J` at some state; those of columns without curvature are valid everywhere, unless the model
    /// provides derivatives in closed form.
    some_jacobian: Vec<S>,
    /// Places for the derivatives that the model provides in closed form.
    slots: Option<Slots>,
    /// True if positions are vectors.
    vector_coordinates: bool,
}

impl<'m, S: Scalar, M: MechanicalModel> MechanicsOf<'m, M, S> {
    /// Wraps a model.
    pub fn new(model: &'m M) -> Self {
        let zero = S::zero();
        let dual = Dual::new(zero, zero);
        let second = Dual::new(dual, dual);
        let sizes = model.dimensions();
        let Dimensions { coordinates: nq, velocities: nv, holonomic, nonholonomic } = sizes;
        Self {
            model,
            sizes,
            q: vec![dual; nq],
            v: vec![dual; nv],
            rate: vec![zero; nq],
            direction: vec![zero; nv],
            unused: vec![zero; holonomic],
            holonomic: vec![dual; holonomic],
            nonholonomic: vec![dual; nonholonomic],
            q_second: vec![second; nq],
            holonomic_second: vec![second; holonomic],
            rate_dual: vec![dual; nq],
            mass: None,
            q_chunk: vec![Chunk::from_re(zero); nq],
            v_chunk: vec![Chunk::from_re(zero); nv],
            forces: vec![Chunk::from_re(zero); nv],
            q_pair: vec![HyperDual::from_re(zero); nq],
            holonomic_pair: vec![HyperDual::from_re(zero); holonomic],
            third: Third::new(nq, holonomic),
            along: None,
            structure: None,
            recursion: None,
            matrices: Matrices::default(),
            some_jacobian: Vec::new(),
            slots: None,
            vector_coordinates: nq == nv && adds_displacements::<S>(model, nq),
        }
    }

    fn lift(target: &mut [Dual<S>], value: &[S], direction: impl Fn(usize) -> S) {
        for (i, (target, &value)) in target.iter_mut().zip(value).enumerate() {
            *target = Dual::new(value, direction(i));
        }
    }

    /// Sets the positions of `q_second` on the path with velocities `v`, whose rates are `a`; the outer dual has the
    /// direction `H(q) v`, and its derivative along the same path.
    fn move_along(&mut self, q: &[S], v: &[S], a: impl Fn(usize) -> S) {
        self.model.position_rate(q, v, &mut self.rate);
        let rate = &self.rate;
        Self::lift(&mut self.q, q, |i| rate[i]);
        Self::lift(&mut self.v, v, a);
        self.model.position_rate(&self.q, &self.v, &mut self.rate_dual);
        for ((second, &inner), &rate) in self.q_second.iter_mut().zip(&self.q).zip(&self.rate_dual) {
            *second = Dual::new(inner, rate);
        }
    }

    /// The structure, computed on first use.
    fn known_structure(&mut self) -> Arc<Structure> {
        if let Some(structure) = &self.structure {
            return structure.clone();
        }
        let structure =
            Arc::new(Structure { matrices: self.matrices, ..structure::find(self.model, self.vector_coordinates) });
        if !self.vector_coordinates {
            return self.structure.insert(structure).clone();
        }
        let numbers: Vec<S> = structure::numbers(self.q.len(), 0.3).into_iter().map(S::from).collect();
        self.some_jacobian = vec![S::zero(); structure.jacobian.entries()];
        self.slots = Slots::of(self.model, &structure, &numbers);
        if self.slots.is_some() {
            return self.structure.insert(structure).clone();
        }
        Self::lift(&mut self.q, &numbers, |_| S::zero());
        let columns: Vec<usize> = (0..numbers.len()).collect();
        let mut some = std::mem::take(&mut self.some_jacobian);
        let time = S::from(0.7);
        for group in structure.jacobian.groups(&columns) {
            self.along(time, &group);
            for &j in &group {
                let start = structure.jacobian.start(j);
                for (entry, &c) in some[start..].iter_mut().zip(structure.jacobian.column(j)) {
                    *entry = self.holonomic[c].eps;
                }
            }
        }
        self.some_jacobian = some;
        self.structure.insert(structure).clone()
    }

    /// Writes Φ and its derivative along the sum of some coordinates into `holonomic`. The positions in `q` carry no
    /// derivative on entry and on return.
    fn along(&mut self, t: S, coordinates: &[usize]) {
        coordinates.iter().for_each(|&j| self.q[j].eps = S::from(1.0));
        self.model.holonomic_constraints(Dual::from_re(t), &self.q, &mut self.holonomic);
        coordinates.iter().for_each(|&j| self.q[j].eps = S::zero());
    }

    /// Writes Φ and its derivative along the sum of some velocities into `holonomic`.
    fn along_velocities(&mut self, t: S, q: &[S], velocities: &[usize]) {
        velocities.iter().for_each(|&j| self.direction[j] = S::from(1.0));
        self.model.position_rate(q, &self.direction, &mut self.rate);
        velocities.iter().for_each(|&j| self.direction[j] = S::zero());
        let rate = &self.rate;
        Self::lift(&mut self.q, q, |i| rate[i]);
        self.model.holonomic_constraints(Dual::from_re(t), &self.q, &mut self.holonomic);
    }

    /// Computes `∂D/∂q` and `∂D/∂v`, several columns at a time.
    fn force_derivatives(&mut self, t: S, q: &[S], v: &[S], derivatives: &mut Derivatives<S>) {
        let lift = |target: &mut [Chunk<S>], values: &[S]| {
            for (target, &value) in target.iter_mut().zip(values) {
                *target = Chunk::from_re(value);
            }
        };
        lift(&mut self.q_chunk, q);
        lift(&mut self.v_chunk, v);
        let n = v.len();
        let Derivatives { structure, forces_by_position, forces_by_velocity, .. } = derivatives;
        for (block, (by, is_position)) in
            structure.forces.iter().zip([(forces_by_position, true), (forces_by_velocity, false)])
        {
            let is_sparse = by.pattern().is_some();
            let by = by.values_mut();
            for groups in block.groups.chunks(CHUNK) {
                let seeded = if is_position { &mut self.q_chunk } else { &mut self.v_chunk };
                for (k, group) in groups.iter().enumerate() {
                    group.iter().for_each(|&j| seeded[j] = seeded[j].derivative(k));
                }
                write_forces(self.model, Chunk::from_re(t), &self.q_chunk, &self.v_chunk, &mut self.forces);
                let seeded = if is_position { &mut self.q_chunk } else { &mut self.v_chunk };
                for (k, group) in groups.iter().enumerate() {
                    for &j in group {
                        seeded[j] = Chunk::from_re(seeded[j].re);
                        let slots = &block.slots[block.pattern.start(j)..];
                        for (&i, &slot) in block.pattern.column(j).iter().zip(slots) {
                            let entry = self.forces[i].eps.0.map_or(S::zero(), |eps| eps[k]);
                            by[if is_sparse { slot } else { j * n + i }] = entry;
                        }
                    }
                }
            }
        }
    }

    /// Computes `∂M/∂q`; leaves the positions in `q` without derivatives.
    fn mass_derivatives(&mut self, q: &[S], derivatives: &mut Derivatives<S>) {
        if let Some(slots) = &self.slots {
            return slots.write_mass(self.model, q, derivatives);
        }
        let (zero, one) = (S::zero(), S::from(1.0));
        Self::lift(&mut self.q, q, |_| zero);
        let Derivatives { structure, mass: matrices, mass_values, .. } = derivatives;
        let mass = self.mass.get_or_insert_with(|| Matrix::new(&structure.dynamics, structure.is_sparse()));
        for group in &structure.mass_groups {
            group.iter().for_each(|&number| self.q[structure.mass[number]].eps = one);
            write_mass(self.model, &self.q, mass);
            for &number in group {
                self.q[structure.mass[number]].eps = zero;
                let entries = &structure.mass_entries[number];
                if let Some((_, by)) = matrices.get_mut(number) {
                    entries.iter().for_each(|&at| by[at] = mass[at].eps);
                } else {
                    let values = &mut mass_values[structure.mass_starts[number]..];
                    values.iter_mut().zip(entries).for_each(|(value, &at)| *value = mass[at].eps);
                }
            }
        }
    }

    /// Computes the second derivatives of Φ, several pairs at a time; `seen` receives each pair with Φ and its
    /// derivatives.
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
        if let Some(slots) = &self.slots {
            slots.write_curvature(self.model, (t, q), derivatives);
        }
        let (is_sparse, rows) = (derivatives.is_sparse(), self.holonomic_pair.len());
        let Derivatives { structure, second, .. } = derivatives;
        for group in &structure.pair_groups {
            if self.slots.is_some() && structure.curvature[group[0]].1 < q.len() {
                continue;
            }
            let mut time = HyperDual::from_re(t);
            for &p in group {
                let (i, j) = structure.curvature[p];
                // The number of coordinates stands for time.
                self.q_pair.get_mut(i).unwrap_or(&mut time).eps1 = one;
                self.q_pair.get_mut(j).unwrap_or(&mut time).eps2 = one;
            }
            self.model.holonomic_constraints(time, &self.q_pair, &mut self.holonomic_pair);
            for &p in group {
                let (i, j) = structure.curvature[p];
                for k in [i, j] {
                    if let Some(pair) = self.q_pair.get_mut(k) {
                        *pair = HyperDual::from_re(q[k]);
                    }
                }
                seen((i, j), &self.holonomic_pair);
                for (k, &c) in structure.pair_rows[p].iter().enumerate() {
                    let slot = if is_sparse { structure.pair_starts[p] + k } else { p * rows + c };
                    second[slot] = self.holonomic_pair[c].eps1eps2;
                }
            }
        }
    }

    /// Writes `∂Φ/∂q`; only the columns with curvature are recomputed. Entries outside the structure are left
    /// unchanged. Leaves the positions in `q` without derivatives.
    fn holonomic_jacobian(&mut self, t: S, q: &[S], jacobian: &mut impl Entries<S>) {
        let structure = self.known_structure();
        Self::lift(&mut self.q, q, |_| S::zero());
        if let Some(slots) = &self.slots {
            slots.write_jacobian(self.model, t, q, &mut self.some_jacobian);
            return self.write_constant(&structure, jacobian);
        }
        if self.vector_coordinates {
            self.write_constant(&structure, jacobian);
        }
        for group in &structure.column_groups {
            if self.vector_coordinates {
                self.along(t, group);
            } else {
                self.along_velocities(t, q, group);
            }
            for &j in group {
                let phi = structure.jacobian.column(j).iter().map(|&c| self.holonomic[c].eps);
                jacobian.write_column(&structure.jacobian, j, phi);
            }
        }
    }

    /// Writes the entries of `J` at some state.
    fn write_constant(&self, structure: &Structure, jacobian: &mut impl Entries<S>) {
        for j in 0..self.q.len() {
            let entries = &self.some_jacobian[structure.jacobian.start(j)..];
            jacobian.write_column(&structure.jacobian, j, entries.iter().copied());
        }
    }

    /// Writes `Φ`, `J` and `J v + ∂Φ/∂t`.
    fn write_constraints(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>) {
        let structure = self.known_structure();
        let Terms { jacobian, constraints, constraint_rates, .. } = terms;
        self.holonomic_jacobian(t, q, jacobian);
        if structure.rheonomic {
            self.model.holonomic_constraints(Dual::new(t, S::from(1.0)), &self.q, &mut self.holonomic);
            write(constraint_rates, &self.holonomic, |phi| phi.eps);
        } else {
            constraint_rates.fill(S::zero());
        }
        jacobian.add_product(S::from(1.0), v, constraint_rates);
        if structure.rheonomic || self.slots.is_none() && !structure.curved.is_empty() {
            write(constraints, &self.holonomic, |phi| phi.re);
        } else {
            self.model.holonomic_constraints(t, q, constraints);
        }
    }

    /// Writes the terms if the model provides them in closed form; returns true if so.
    fn write_terms(&mut self, q: &[S], v: &[S], terms: &mut Terms<S>) -> bool {
        let Terms { mass: Matrix::Dense(mass), forces, jacobian, constraints, constraint_rates } = terms else {
            return false;
        };
        let Matrix::Dense(of_constraints) = jacobian else { return false };
        let Some(closed) = self.model.closed_form() else { return false };
        closed.terms(q, v, ClosedTerms { mass, forces, constraints, jacobian: of_constraints, bias: &mut self.unused });
        constraint_rates.fill(S::zero());
        jacobian.add_product(S::from(1.0), v, constraint_rates);
        true
    }
}

/// Writes `D(t, q, v)`. Not inlined, since the loop over columns would then copy long dual numbers.
#[inline(never)]
fn write_forces<T: Scalar>(model: &impl MechanicalModel, t: T, q: &[T], v: &[T], forces: &mut [T]) {
    model.forces(t, q, v, forces);
}

/// Writes a part of each number.
fn write<T, S>(values: &mut [S], numbers: &[T], part: impl Fn(&T) -> S) {
    values.iter_mut().zip(numbers).for_each(|(value, number)| *value = part(number));
}

/// Writes `M(q)`.
fn write_mass<T: Scalar>(model: &impl MechanicalModel, q: &[T], mass: &mut Matrix<T>) {
    mass.clear();
    match mass {
        Matrix::Dense(mass) => model.mass(q, mass),
        Matrix::Sparse(mass) => model.mass(q, mass),
    }
}

/// True if displacements are added to the `n` positions of a model, and velocities are the rates of the positions.
fn adds_displacements<S: Scalar>(model: &impl MechanicalModel, n: usize) -> bool {
    // No two of these numbers are equal, so that no rotation or permutation goes unnoticed.
    let numbers = |start: f64| (0..n).map(move |i| S::from((start + i as f64).sqrt())).collect::<Vec<S>>();
    let (q, v) = (numbers(0.3), numbers(1.7));
    let (mut moved, mut rate) = (q.clone(), q.clone());
    model.retract(&q, &v, &mut moved);
    model.position_rate(&q, &v, &mut rate);
    (0..n).all(|i| moved[i] == q[i] + v[i] && rate[i] == v[i])
}

impl<S: Scalar, M: MechanicalModel> Mechanics<S> for MechanicsOf<'_, M, S> {
    fn dimensions(&self) -> Dimensions {
        self.sizes
    }

    pass_on! { self.model =>
        fn position_rate(&mut self, q: &[S], v: &[S], q_rate: &mut [S]);
        fn retract(&mut self, q: &[S], delta: &[S], moved: &mut [S]);
        fn forces(&mut self, t: S, q: &[S], v: &[S], forces: &mut [S]);
        fn closed_form(&self) -> Option<&dyn ClosedForm<S>>;
        fn is_autonomous(&self) -> bool;
    }

    fn recursion(&mut self) -> Option<&mut (dyn Recursion + '_)> {
        if is_double::<S>() && self.matrices != Matrices::Dense && self.recursion.is_none() {
            self.recursion = self.model.recursion();
        }
        self.recursion.as_mut().map(|recursion| &mut **recursion as _)
    }

    fn mass(&mut self, q: &[S], mass: &mut DMatrix<S>) {
        mass.fill(S::zero());
        self.model.mass(q, mass);
    }
    fn mass_in(&mut self, q: &[S], mass: &mut Matrix<S>) {
        write_mass(self.model, q, mass);
    }

    fn has_gaps(&self) -> bool {
        let mut has_gaps = false;
        self.model.gaps(&vec![S::zero(); self.sizes.coordinates], &mut |_, _| has_gaps = true);
        has_gaps
    }

    fn step_limit(&mut self, q: &[S], v: &[S], a: &[S]) -> f64 {
        self.move_along(q, v, |i| a[i]);
        let mut limit = f64::INFINITY;
        self.model.gaps(&self.q_second, &mut |gap, small| {
            let motion = [gap.re.re, gap.re.eps, gap.eps.eps].map(|x| x.value());
            limit = limit.min(longest_step(motion, small));
        });
        limit
    }

    fn constraint_values(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        let (gamma, phi) = values.split_at_mut(self.sizes.nonholonomic);
        self.model.nonholonomic_constraints(t, q, v, gamma);
        self.model.holonomic_constraints(t, q, phi);
    }

    fn velocity_constraints(&mut self, t: S, q: &[S], v: &[S], values: &mut [S]) {
        let (gamma, phi_rate) = values.split_at_mut(self.sizes.nonholonomic);
        self.model.nonholonomic_constraints(t, q, v, gamma);
        if phi_rate.is_empty() {
            return;
        }
        // One evaluation of Φ along (1, H v).
        self.model.position_rate(q, v, &mut self.rate);
        let rate = &self.rate;
        Self::lift(&mut self.q, q, |i| rate[i]);
        self.model.holonomic_constraints(Dual::new(t, S::from(1.0)), &self.q, &mut self.holonomic);
        write(phi_rate, &self.holonomic, |phi| phi.eps);
    }

    fn constraint_jacobian(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut DMatrix<S>) {
        let nonholonomic = self.sizes.nonholonomic;
        jacobian.clear();
        if nonholonomic == 0 && self.has_structure() {
            self.holonomic_jacobian(t, q, jacobian);
            return;
        }
        let (zero, one) = (S::zero(), S::from(1.0));
        let time = Dual::new(t, zero);
        for j in 0..self.sizes.velocities {
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
            self.along_velocities(t, q, &[j]);
            for (i, phi) in self.holonomic.iter().enumerate() {
                jacobian[(nonholonomic + i, j)] = phi.eps;
            }
        }
    }

    fn constraint_jacobian_in(&mut self, t: S, q: &[S], v: &[S], jacobian: &mut Matrix<S>) {
        match jacobian {
            Matrix::Dense(jacobian) => self.constraint_jacobian(t, q, v, jacobian),
            Matrix::Sparse(_) => self.holonomic_jacobian(t, q, jacobian),
        }
    }

    fn acceleration_bias(&mut self, t: S, q: &[S], v: &[S], bias: &mut [S]) {
        let (zero, one) = (S::zero(), S::from(1.0));
        let (gamma_rate, phi_second) = bias.split_at_mut(self.sizes.nonholonomic);
        self.move_along(q, v, |_| zero);
        if !gamma_rate.is_empty() {
            self.model.nonholonomic_constraints(Dual::new(t, one), &self.q, &self.v, &mut self.nonholonomic);
            write(gamma_rate, &self.nonholonomic, |gamma| gamma.eps);
        }
        if phi_second.is_empty() {
            return;
        }
        // the second derivative of Φ along the path with constant v
        let time = Dual::new(Dual::new(t, one), Dual::new(one, zero));
        self.model.holonomic_constraints(time, &self.q_second, &mut self.holonomic_second);
        write(phi_second, &self.holonomic_second, |phi| phi.eps.eps);
    }

    fn has_vector_coordinates(&self) -> bool {
        self.vector_coordinates
    }

    fn has_structure(&self) -> bool {
        self.vector_coordinates || self.model.is_local()
    }

    fn structure(&mut self) -> Arc<Structure> {
        self.known_structure()
    }

    fn keep_matrices(&mut self, matrices: Matrices) {
        if matrices != self.matrices {
            (self.matrices, self.mass) = (matrices, None);
            if let Some(structure) = &mut self.structure {
                Arc::make_mut(structure).matrices = matrices;
            }
        }
    }

    fn terms(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>) {
        if self.write_terms(q, v, terms) {
            return;
        }
        write_mass(self.model, q, &mut terms.mass);
        self.model.forces(t, q, v, &mut terms.forces);
        if !self.holonomic.is_empty() {
            self.write_constraints(t, q, v, terms);
        }
    }

    fn derivatives(&mut self, t: S, q: &[S], v: &[S], derivatives: &mut Derivatives<S>) {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        if let Some(closed) = self.model.closed_form().filter(|_| !derivatives.is_sparse()) {
            closed.derivatives(q, v, &mut self.rate, derivatives);
            return;
        }
        self.mass_derivatives(q, derivatives);
        self.force_derivatives(t, q, v, derivatives);
        self.second_derivatives(t, q, derivatives, |_, _| ());
    }

    fn linearisation(&mut self, t: S, q: &[S], v: &[S], terms: &mut Terms<S>, derivatives: &mut Derivatives<S>) {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        if self.write_terms(q, v, terms)
            && let Some(closed) = self.model.closed_form()
        {
            closed.derivatives(q, v, &mut terms.forces, derivatives);
            return;
        }
        let structure = self.known_structure();
        write_mass(self.model, q, &mut terms.mass);
        self.mass_derivatives(q, derivatives);
        // Every derivative comes with the values.
        self.force_derivatives(t, q, v, derivatives);
        write(&mut terms.forces, &self.forces, |dual| dual.re);
        if self.holonomic.is_empty() {
            return;
        }
        if self.slots.is_some() {
            self.write_constraints(t, q, v, terms);
            return self.second_derivatives(t, q, derivatives, |_, _| ());
        }
        let Terms { jacobian, constraints, constraint_rates, .. } = terms;
        self.write_constant(&structure, jacobian);
        constraint_rates.fill(S::zero());
        let (n, rows) = (q.len(), &structure.jacobian);
        // every derivative comes with the values, which are always the same
        let mut are_known = false;
        self.second_derivatives(t, q, derivatives, |(i, j), phi| {
            if !std::mem::replace(&mut are_known, true) {
                constraints.iter_mut().zip(phi).for_each(|(value, phi)| *value = phi.re);
            }
            if i < n {
                jacobian.write_column(rows, i, rows.column(i).iter().map(|&c| phi[c].eps1));
            }
            if j < n {
                jacobian.write_column(rows, j, rows.column(j).iter().map(|&c| phi[c].eps2));
            }
        });
        if structure.rheonomic || structure.curvature.is_empty() {
            let rate = if structure.rheonomic { S::from(1.0) } else { S::zero() };
            Self::lift(&mut self.q, q, |_| S::zero());
            self.model.holonomic_constraints(Dual::new(t, rate), &self.q, &mut self.holonomic);
            for (c, phi) in self.holonomic.iter().enumerate() {
                (constraints[c], constraint_rates[c]) = (phi.re, phi.eps);
            }
        }
        jacobian.add_product(S::from(1.0), v, constraint_rates);
    }

    fn displaced_derivatives(&mut self, at: Motion<'_, S>, delta: &[S], by: [&mut Matrix<S>; 3]) {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        let structure = self.known_structure();
        let along = self.along.get_or_insert_with(|| Along::new(self.model, &structure));
        along.derivatives(self.model, &structure, at, delta, by);
    }

    fn acceleration_constraint_derivatives(&mut self, at: Motion<'_, S>, by_position: &mut Matrix<S>) {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        let structure = self.known_structure();
        by_position.clear();
        self.third.place(at);
        for group in &structure.column_groups {
            let along = self.third.along(self.model, at.t, Some(group));
            for &k in group {
                let rows = &structure.jacobian;
                by_position.write_column(rows, k, rows.column(k).iter().map(|&c| along[c].eps.eps.eps));
            }
        }
    }

    fn time_derivatives(&mut self, at: Motion<'_, S>, forces: &mut [S], constraints: &mut [S]) {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        let Motion { t, q, v, lambda, .. } = at;
        let structure = self.known_structure();
        let (zero, one) = (S::zero(), S::from(1.0));
        Self::lift(&mut self.q, q, |_| zero);
        Self::lift(&mut self.v, v, |_| zero);
        self.model.forces(Dual::new(t, one), &self.q, &self.v, &mut self.rate_dual);
        write(forces, &self.rate_dual, |dual| dual.eps);
        constraints.fill(zero);
        if !structure.rheonomic {
            return;
        }
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
        self.third.place(at);
        for (rate, phi) in constraints.iter_mut().zip(self.third.along(self.model, t, None)) {
            *rate = phi.eps.eps.eps;
        }
    }
}

mod along;
mod slots;
#[cfg(test)]
mod tests;
mod third;
