//! The observables of a linkage, computed from a state of either formulation.

use std::ops::Range;

use mbsbench_problem::{AccelerationLevel, ConstraintWatch, MechanicsOf, Observation, Ode};

use super::{Linkage, LinkageFormulation};

/// Computes the observables of a linkage; what is not in the state comes from the solve at acceleration level.
pub(super) struct LinkageObservation<'m, L> {
    linkage: &'m L,
    acceleration: AccelerationLevel<MechanicsOf<'m>>,
    watch: ConstraintWatch<'m>,
    multipliers: Range<usize>,
    initial_energy: f64,
    full: Vec<f64>,
    rate: Vec<f64>,
}

impl<'m, L: Linkage> LinkageObservation<'m, L> {
    pub(super) fn new(linkage: &'m L) -> Self {
        let n = linkage.coordinates();
        let full = linkage.full_initial::<f64>();
        let (q, v) = full.split_at(n);
        let slider = if linkage.slider_distance().is_some() { 2 } else { 0 };
        let spring = if linkage.spring_frequency(q).is_some() { 2 } else { 0 };
        let first = 2 * n + slider + spring;
        Self {
            linkage,
            acceleration: AccelerationLevel::new(MechanicsOf::new(linkage)),
            // Surfaces of speed zero are the constraints at velocity level.
            watch: ConstraintWatch::new(linkage, 0.0),
            multipliers: first..first + linkage.holonomic(),
            initial_energy: linkage.energy(q, v),
            rate: vec![0.0; 2 * n],
            full,
        }
    }
}

impl<L: Linkage> Observation for LinkageObservation<'_, L> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let linkage = self.linkage;
        let n = linkage.coordinates();
        match linkage.formulation() {
            LinkageFormulation::Cartesian => self.full.copy_from_slice(y),
            LinkageFormulation::Minimal => linkage.expand(y, &mut self.full),
        }
        let (q, v) = self.full.split_at(n);
        values[..2 * n].copy_from_slice(&self.full);
        if let Some(distance) = linkage.slider_distance() {
            let (sin, cos) = q[5].sin_cos();
            values[2 * n] = q[3] + distance * cos;
            values[2 * n + 1] = v[3] - distance * sin * v[5];
        }
        if let Some(frequency) = linkage.spring_frequency(q) {
            values[self.multipliers.start - 2] = q[5] - q[2];
            values[self.multipliers.start - 1] = frequency;
        }
        // A state that a diverging method has run off to has neither accelerations nor multipliers.
        if self.acceleration.rhs(t, &self.full, &mut self.rate).is_err() {
            values[self.multipliers.start..].fill(f64::NAN);
            return;
        }
        let (head, tail) = values.split_at_mut(self.multipliers.end);
        head[self.multipliers.clone()].copy_from_slice(self.acceleration.multipliers());
        let energy = linkage.energy(q, v);
        tail[0] = energy;
        tail[1] = energy - self.initial_energy;
        tail[2..4].copy_from_slice(&linkage.pin_drift(q, v, &self.rate[n..]));
        if let [constraint, velocity_constraint, pin @ ..] = &mut tail[4..] {
            self.watch.evaluate(t, q, v);
            *constraint = self.watch.constraint();
            *velocity_constraint = self.watch.surface();
            pin.copy_from_slice(&self.watch.surfaces()[2..4]);
        }
    }

    fn observe_multipliers(&mut self, multipliers: &[f64], values: &mut [f64]) {
        values[self.multipliers.clone()].copy_from_slice(multipliers);
    }
}
