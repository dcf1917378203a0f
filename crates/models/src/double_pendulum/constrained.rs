//! The double pendulum in the coordinates of its two centres.

use mbsbench_problem::{Entries, MechanicalModel, Scalar};

use super::DoublePendulum;
use crate::linkage::slender;

/// `q = (x₁, y₁, θ₁, x₂, y₂, θ₂)`, `M = diag(m₁, m₁, m₁ L₁²/12, m₂, m₂, m₂ L₂²/12)` and, with `lᵢ = Lᵢ/2`,
///
/// ```text
/// Φ = ( x₁ − l₁ cos θ₁, y₁ − l₁ sin θ₁, x₁ + l₁ cos θ₁ − x₂ + l₂ cos θ₂, y₁ + l₁ sin θ₁ − y₂ + l₂ sin θ₂ )
/// T₁ = −k₁ (θ₁ − r₁) − c₁ ω₁,   T₂ = −k₂ (θ₂ − θ₁ − r₂) − c₂ (ω₂ − ω₁)
/// D = ( 0, −m₁ g, T₁ − T₂, 0, −m₂ g, T₂ )
/// ```
impl MechanicalModel for DoublePendulum {
    fn coordinates(&self) -> usize {
        6
    }

    fn holonomic(&self) -> usize {
        4
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        for (first, m, length) in [(0, self.mass_1, self.length_1), (3, self.mass_2, self.length_2)] {
            mass[(first, first)] = S::from(m);
            mass[(first + 1, first + 1)] = S::from(m);
            mass[(first + 2, first + 2)] = slender(m, length);
        }
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let (torque_1, torque_2) = self.torques([q[2], q[5]], [v[2], v[5]]);
        forces[0] = S::nought();
        forces[1] = -(S::from(self.mass_1) * self.gravity);
        forces[2] = torque_1 - torque_2;
        forces[3] = S::nought();
        forces[4] = -(S::from(self.mass_2) * self.gravity);
        forces[5] = torque_2;
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let [(s1, c1), (s2, c2)] = [q[2].sin_cos(), q[5].sin_cos()];
        let (half_1, half_2) = (0.5 * self.length_1, 0.5 * self.length_2);
        phi[0] = q[0] - c1 * half_1;
        phi[1] = q[1] - s1 * half_1;
        phi[2] = q[0] + c1 * half_1 - q[3] + c2 * half_2;
        phi[3] = q[1] + s1 * half_1 - q[4] + s2 * half_2;
    }

    /// Kinetic energy, gravity and both springs, J; gravity's potential is zero at the height of the origin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let mut energy = S::nought();
        for (first, m, length) in [(0, self.mass_1, self.length_1), (3, self.mass_2, self.length_2)] {
            let (x, y, omega) = (v[first], v[first + 1], v[first + 2]);
            energy += (x * x + y * y) * m * 0.5 + omega * omega * slender::<S>(m, length) * 0.5;
            energy += q[first + 1] * m * self.gravity;
        }
        let (twist_1, twist_2) = (q[2] - self.free_angle_1, q[5] - q[2] - self.free_angle_2);
        energy + twist_1 * twist_1 * self.stiffness_1 * 0.5 + twist_2 * twist_2 * self.stiffness_2 * 0.5
    }
}

impl DoublePendulum {
    /// Torques (N m) of ground on the first rod and of the first rod on the second.
    pub(super) fn torques<S: Scalar>(&self, theta: [S; 2], omega: [S; 2]) -> (S, S) {
        let first = (theta[0] - self.free_angle_1) * self.stiffness_1 + omega[0] * self.damping_1;
        let second =
            (theta[1] - theta[0] - self.free_angle_2) * self.stiffness_2 + (omega[1] - omega[0]) * self.damping_2;
        (-first, -second)
    }
}
