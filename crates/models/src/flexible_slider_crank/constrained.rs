//! The flexible slider crank in a floating frame with its constraints.

use mbsbench_problem::{Entries, MechanicalModel, Scalar};

use super::FlexibleSliderCrank;
use crate::linkage::slender;

/// `q = (x₁, y₁, θ₁, X, Y, θ₂, e₁, …)`: crank pin `(X, Y)`, chord angle `θ₂`, deflection `w(x) = Σ e_k sin(k π x/L₂)`. With
/// the rotation `A` of the chord, its derivative `A J`, `p = (m₂ L₂/2, Σ S_k e_k)`, and the constants of the modes
/// (`S_k`, `B_k`, `m_k`, `K_k`, `c_k`), the rod's part of mass matrix and forces is
///
/// ```text
/// M_RR = m₂ I,   M_Rθ = A J p,   M_Rk = A (0, S_k),   M_θθ = m₂ L₂²/3 + Σ m_k e_k²,   M_θk = B_k,   M_kk = m_k
/// D_R = ω₂² A p + 2 ω₂ A (Σ S_k ė_k, 0) + (0, −m₂ g)
/// D_θ = −2 ω₂ Σ m_k e_k ė_k − g (m₂ L₂/2 cos θ₂ − Σ S_k e_k sin θ₂)
/// D_k = ω₂² m_k e_k − g cos θ₂ S_k − K_k e_k − c_k ė_k
/// Φ = ( x₁ − l₁ cos θ₁, y₁ − l₁ sin θ₁, x₁ + l₁ cos θ₁ − X, y₁ + l₁ sin θ₁ − Y, Y + L₂ sin θ₂ )
/// ```
///
/// (own derivation; the paper prints no equations of its models).
impl MechanicalModel for FlexibleSliderCrank {
    fn coordinates(&self) -> usize {
        6 + self.modes
    }

    fn holonomic(&self) -> usize {
        5
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        let modes = self.rod_modes::<S>();
        let (sin, cos) = q[5].sin_cos();
        let (e, half) = (&q[6..], S::from(self.rod_mass) * self.rod_length * 0.5);
        let moment = modes.moment(e);
        for i in 0..2 {
            mass[(i, i)] = S::from(self.crank_mass);
            mass[(i + 3, i + 3)] = S::from(self.rod_mass);
        }
        mass[(2, 2)] = slender(self.crank_mass, self.crank_length);
        let mut set = |i: usize, j: usize, entry: S| {
            mass[(i, j)] = entry;
            mass[(j, i)] = entry;
        };
        set(3, 5, -(sin * half) - cos * moment);
        set(4, 5, cos * half - sin * moment);
        set(5, 5, slender::<S>(self.rod_mass, self.rod_length) * 4.0 + modes.product(e, e));
        for (k, mode) in modes.as_slice().iter().enumerate() {
            set(3, 6 + k, -(sin * mode.first_moment));
            set(4, 6 + k, cos * mode.first_moment);
            set(5, 6 + k, mode.coupling);
            set(6 + k, 6 + k, modes.mass);
        }
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces[0] = S::nought();
        forces[1] = -(S::from(self.crank_mass) * self.gravity);
        forces[2] = S::nought();
        let (sin, cos) = q[5].sin_cos();
        self.rod_forces([sin, cos], v[5], &q[6..], &v[6..], &mut forces[3..]);
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        let half = 0.5 * self.crank_length;
        phi[0] = q[0] - cos * half;
        phi[1] = q[1] - sin * half;
        phi[2] = q[0] + cos * half - q[3];
        phi[3] = q[1] + sin * half - q[4];
        phi[4] = q[4] + q[5].sin() * self.rod_length;
    }

    /// Kinetic energy, gravity and bending, J; gravity's potential is zero at the height of the origin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let modes = self.rod_modes::<S>();
        let (sin, cos) = q[5].sin_cos();
        let (e, e_rate) = (&q[6..], &v[6..]);
        let (moment, moment_rate) = (modes.moment(e), modes.moment(e_rate));
        let half = S::from(self.rod_mass) * self.rod_length * 0.5;
        let crank = (v[0] * v[0] + v[1] * v[1]) * self.crank_mass
            + v[2] * v[2] * slender::<S>(self.crank_mass, self.crank_length);
        // The pin's velocity in the axes of the chord.
        let (along, across) = (v[3] * cos + v[4] * sin, v[4] * cos - v[3] * sin);
        let rod = (v[3] * v[3] + v[4] * v[4]) * self.rod_mass
            + (across * half - along * moment) * v[5] * 2.0
            + across * moment_rate * 2.0
            + (slender::<S>(self.rod_mass, self.rod_length) * 4.0 + modes.product(e, e)) * v[5] * v[5]
            + modes.product(e_rate, e_rate);
        let mut energy = (crank + rod) * 0.5
            + (q[1] * self.crank_mass + q[4] * self.rod_mass + half * sin + moment * cos) * self.gravity;
        for (k, mode) in modes.as_slice().iter().enumerate() {
            energy += mode.stiffness * e[k] * e[k] * 0.5 + v[5] * mode.coupling * e_rate[k];
        }
        energy
    }
}

impl FlexibleSliderCrank {
    /// Writes `D_R`, `D_θ` and `D_k` for sine and cosine of the chord's angle, its rate, and the modal coordinates.
    pub(super) fn rod_forces<S: Scalar>(&self, rod: [S; 2], omega: S, e: &[S], e_rate: &[S], forces: &mut [S]) {
        let modes = self.rod_modes::<S>();
        let [sin, cos] = rod;
        let half = S::from(self.rod_mass) * self.rod_length * 0.5;
        let (moment, moment_rate) = (modes.moment(e), modes.moment(e_rate));
        let square = omega * omega;
        let along = square * half + omega * moment_rate * 2.0;
        let across = square * moment;
        forces[0] = cos * along - sin * across;
        forces[1] = sin * along + cos * across - S::from(self.rod_mass) * self.gravity;
        forces[2] = -(omega * modes.product(e, e_rate) * 2.0) - (half * cos - moment * sin) * self.gravity;
        for (k, mode) in modes.as_slice().iter().enumerate() {
            forces[3 + k] = square * modes.mass * e[k]
                - cos * mode.first_moment * self.gravity
                - mode.stiffness * e[k]
                - mode.damping * e_rate[k];
        }
    }
}
