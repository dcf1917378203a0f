//! The double pendulum in its two angles.

use mbsbench_problem::Scalar;

use super::DoublePendulum;
use crate::linkage::{Linkage, LinkageFormulation};

/// `u = (θ₁, θ₂)`, and with `B = m₂ L₁ L₂/2`, `d = θ₁ − θ₂`
///
/// ```text
/// [ m₁ L₁²/3 + m₂ L₁²   B cos d  ] [θ₁'']   [ T₁ − T₂ − B sin d ω₂² − (m₁/2 + m₂) g L₁ cos θ₁ ]
/// [ B cos d             m₂ L₂²/3 ] [θ₂''] = [ T₂ + B sin d ω₁² − m₂ g L₂ cos θ₂/2             ]
/// ```
impl Linkage for DoublePendulum {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn freedoms(&self) -> usize {
        2
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        let first = S::from(self.angle_1);
        vec![first, first + self.angle_2, S::from(self.rate_1), S::from(self.rate_2)]
    }

    fn reduced_rhs<S: Scalar>(&self, y: &[S], dydt: &mut [S]) {
        let (theta, omega) = ([y[0], y[1]], [y[2], y[3]]);
        let Self { mass_1, length_1, mass_2, length_2, gravity, .. } = *self;
        let (torque_1, torque_2) = self.torques(theta, omega);
        let (sin, cos) = (theta[0] - theta[1]).sin_cos();
        let coupling = S::from(mass_2) * length_1 * length_2 * 0.5;
        let m11 = (S::from(mass_1) / 3.0 + mass_2) * length_1 * length_1;
        let m12 = coupling * cos;
        let m22 = S::from(mass_2) * length_2 * length_2 / 3.0;
        let weight_1 = (S::from(0.5 * mass_1) + mass_2) * gravity * length_1 * theta[0].cos();
        let weight_2 = S::from(0.5 * mass_2) * gravity * length_2 * theta[1].cos();
        let f1 = torque_1 - torque_2 - coupling * sin * omega[1] * omega[1] - weight_1;
        let f2 = torque_2 + coupling * sin * omega[0] * omega[0] - weight_2;
        let determinant = m11 * m22 - m12 * m12;
        dydt[0] = omega[0];
        dydt[1] = omega[1];
        dydt[2] = (m22 * f1 - m12 * f2) / determinant;
        dydt[3] = (m11 * f2 - m12 * f1) / determinant;
    }

    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let (theta, omega) = ([y[0], y[1]], [y[2], y[3]]);
        let [(s1, c1), (s2, c2)] = theta.map(|theta| theta.sin_cos());
        let (half_1, half_2) = (0.5 * self.length_1, 0.5 * self.length_2);
        full[0] = c1 * half_1;
        full[1] = s1 * half_1;
        full[2] = theta[0];
        full[3] = c1 * self.length_1 + c2 * half_2;
        full[4] = s1 * self.length_1 + s2 * half_2;
        full[5] = theta[1];
        full[6] = -(s1 * omega[0] * half_1);
        full[7] = c1 * omega[0] * half_1;
        full[8] = omega[0];
        full[9] = -(s1 * omega[0] * self.length_1) - s2 * omega[1] * half_2;
        full[10] = c1 * omega[0] * self.length_1 + c2 * omega[1] * half_2;
        full[11] = omega[1];
    }

    fn pin_distances(&self) -> [f64; 2] {
        [0.5 * self.length_1, 0.5 * self.length_2]
    }

    fn slider_distance(&self) -> Option<f64> {
        None
    }
}
