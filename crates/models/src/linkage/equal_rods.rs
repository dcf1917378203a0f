//! Mechanisms of many equal rods, with the centre and the angle of each rod as coordinates.

use mbsbench_problem::{ConstraintWatch, Entries, Observation, Scalar, View};

use super::{Linkage, slender, write_rod};
use crate::drawing::{MOST_DRAWN, Part, rod_about, upright};

/// Equal rods, `q = (x₁, y₁, θ₁, x₂, …)`.
#[derive(Clone, Copy)]
pub(crate) struct EqualRods {
    pub count: usize,
    /// Mass of a rod, kg.
    pub mass: f64,
    /// Length of a rod, m.
    pub length: f64,
    pub gravity: f64,
}

impl EqualRods {
    /// Writes `M = diag(m, m, m l²/12, …)`.
    pub fn write_mass<S: Scalar>(&self, mass: &mut impl Entries<S>) {
        for k in (0..3 * self.count).step_by(3) {
            write_rod(mass, k, self.mass, self.length);
        }
    }

    /// Kinetic energy and gravity, J; the potential is zero at the height of the origin.
    pub fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let inertia = slender::<S>(self.mass, self.length);
        q.chunks(3).zip(v.chunks(3)).fold(S::zero(), |energy, (q, v)| {
            let translation = (v[0] * v[0] + v[1] * v[1]) * (0.5 * self.mass);
            energy + translation + v[2] * v[2] * inertia * 0.5 + q[1] * (self.mass * self.gravity)
        })
    }

    /// Observes position and velocity of the end of a rod, the angle of the first rod if it is an observable, the
    /// energy, its change, and the constraints.
    pub fn observation<'m>(self, linkage: &'m impl Linkage, rod: usize) -> Box<dyn Observation + 'm> {
        let n = 3 * self.count;
        let mut full = linkage.full_initial::<f64>();
        let initial_energy = self.energy(&full[..n], &full[n..]);
        let mut watch = ConstraintWatch::new(linkage, 0.0);
        Box::new(move |t: f64, y: &[f64], values: &mut [f64]| {
            linkage.to_full(y, &mut full);
            let (q, v) = full.split_at(n);
            watch.evaluate(t, q, v);
            let (k, half) = (3 * rod, 0.5 * self.length);
            let (sin, cos) = q[k + 2].sin_cos();
            let omega = v[k + 2];
            let energy = self.energy(q, v);
            let (end, rest) = values.split_at_mut(4);
            let (angle, rest) = rest.split_at_mut(rest.len() - 4);
            end.copy_from_slice(&[
                q[k] + half * cos,
                q[k + 1] + half * sin,
                v[k] - half * sin * omega,
                v[k + 1] + half * cos * omega,
            ]);
            angle.fill(q[2]);
            rest.copy_from_slice(&[energy, energy - initial_energy, watch.constraint(), watch.surface()]);
        })
    }

    /// The rods on their pins; empty if there are too many.
    pub fn views(&self, linkage: &impl Linkage, y: &[f64], pins: impl Iterator<Item = Part>) -> Vec<View> {
        if self.count > MOST_DRAWN {
            return Vec::new();
        }
        let mut full = vec![0.0; 6 * self.count];
        linkage.to_full(y, &mut full);
        let rods = full[..3 * self.count].chunks(3).map(|q| ("rods", rod_about(q, 0.5 * self.length)));
        vec![upright(["x", "y"], pins.chain(rods).collect())]
    }
}
