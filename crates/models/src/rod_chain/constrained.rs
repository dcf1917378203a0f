//! The chain in the coordinates of its rods.

use mbsbench_problem::{Entries, MechanicalModel, Scalar};

use super::RodChain;
use crate::linkage::slender;

/// `q = (x₁, y₁, θ₁, x₂, …)` with the centres of the rods, `M = diag(m, m, m l²/12, …)`, and for each pin with `h = l/2`
///
/// ```text
/// Φ = ( x_k − h cos θ_k − x_{k−1} − h cos θ_{k−1}, y_k − h sin θ_k − y_{k−1} − h sin θ_{k−1} )
/// D = ( 0, −m g, −c (ω_k − ω_{k−1}) + c (ω_{k+1} − ω_k) )
/// ```
///
/// where what belongs to rod 0 is zero, and so is the last term of the last rod.
impl MechanicalModel for RodChain {
    fn coordinates(&self) -> usize {
        3 * self.rods
    }

    fn holonomic(&self) -> usize {
        2 * self.rods
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        let (m, inertia) = (S::from(self.rod_mass()), slender(self.rod_mass(), self.rod_length()));
        for k in (0..3 * self.rods).step_by(3) {
            mass[(k, k)] = m;
            mass[(k + 1, k + 1)] = m;
            mass[(k + 2, k + 2)] = inertia;
        }
    }

    fn forces<S: Scalar>(&self, _t: S, _q: &[S], v: &[S], forces: &mut [S]) {
        let weight = -(S::from(self.rod_mass()) * self.gravity);
        let mut of_pin = v[2] * self.damping;
        for k in (0..3 * self.rods).step_by(3) {
            let next = v.get(k + 5).map_or(S::nought(), |&next| (next - v[k + 2]) * self.damping);
            forces[k] = S::nought();
            forces[k + 1] = weight;
            forces[k + 2] = next - of_pin;
            of_pin = next;
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let half = 0.5 * self.rod_length();
        let mut end = [S::nought(); 2];
        for (rod, phi) in q.chunks(3).zip(phi.chunks_mut(2)) {
            let (sin, cos) = rod[2].sin_cos();
            let (x, y) = (cos * half, sin * half);
            phi[0] = rod[0] - x - end[0];
            phi[1] = rod[1] - y - end[1];
            end = [rod[0] + x, rod[1] + y];
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    /// Kinetic energy and gravity, J; the potential is zero at the height of the first pin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let (m, inertia) = (self.rod_mass(), slender::<S>(self.rod_mass(), self.rod_length()));
        q.chunks(3).zip(v.chunks(3)).fold(S::nought(), |energy, (q, v)| {
            let translation = (v[0] * v[0] + v[1] * v[1]) * (0.5 * m);
            energy + translation + v[2] * v[2] * inertia * 0.5 + q[1] * (m * self.gravity)
        })
    }
}
