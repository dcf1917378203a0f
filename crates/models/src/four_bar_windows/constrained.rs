//! The windows in the coordinates of their rods.

use mbsbench_problem::{Entries, MechanicalModel, Scalar};

use super::FourBarWindows;
use crate::linkage::slender;

impl FourBarWindows {
    /// Number of rods: an upright, and a rod along with another upright for each window.
    pub(super) fn rods(&self) -> usize {
        2 * self.windows + 1
    }
}

/// `q = (x₀, y₀, θ₀, x₁, …)` with centres and angles of the rods: uprights have even numbers, from the left to the right, and odd ones
/// the rods between them. `M = diag(m, m, m l²/12, …)`, `D = (0, −m g, 0, …)`, and with `h = l/2` and `(c, s) = (cos θ, sin θ)`
///
/// ```text
/// upright k on the ground            ( x − h c − k l/2,  y − h s )
/// rod between, on upright before     ( x − h c − x₋ − h c₋,  y − h s − y₋ − h s₋ )
/// upright, on the rod before it      ( x + h c − x₋ − h c₋,  y + h s − y₋ − h s₋ )
/// ```
impl MechanicalModel for FourBarWindows {
    fn coordinates(&self) -> usize {
        3 * self.rods()
    }

    fn holonomic(&self) -> usize {
        6 * self.windows + 2
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        for k in (0..3 * self.rods()).step_by(3) {
            mass[(k, k)] = S::from(self.mass);
            mass[(k + 1, k + 1)] = S::from(self.mass);
            mass[(k + 2, k + 2)] = slender(self.mass, self.length);
        }
    }

    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        let weight = -(S::from(self.mass) * self.gravity);
        for force in forces.chunks_mut(3) {
            force.copy_from_slice(&[S::nought(), weight, S::nought()]);
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let half = 0.5 * self.length;
        // the end of the rod before that a rod is pinned to, and its own ends
        let mut pin = [S::nought(); 2];
        let mut rows = phi.chunks_mut(2);
        for (k, rod) in q.chunks(3).enumerate() {
            let (sin, cos) = rod[2].sin_cos();
            let (x, y) = (cos * half, sin * half);
            let (start, end) = ([rod[0] - x, rod[1] - y], [rod[0] + x, rod[1] + y]);
            let mut join = |a: [S; 2], b: [S; 2]| {
                if let Some(row) = rows.next() {
                    (row[0], row[1]) = (a[0] - b[0], a[1] - b[1]);
                }
            };
            if k.is_multiple_of(2) {
                join(start, [S::from(k as f64 * half), S::nought()]);
            }
            if k > 0 {
                join(if k.is_multiple_of(2) { end } else { start }, pin);
            }
            pin = end;
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    /// Kinetic energy and gravity, J; the potential is zero at the height of the ground pins.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let inertia = slender::<S>(self.mass, self.length);
        q.chunks(3).zip(v.chunks(3)).fold(S::nought(), |energy, (q, v)| {
            let translation = (v[0] * v[0] + v[1] * v[1]) * (0.5 * self.mass);
            energy + translation + v[2] * v[2] * inertia * 0.5 + q[1] * (self.mass * self.gravity)
        })
    }
}
