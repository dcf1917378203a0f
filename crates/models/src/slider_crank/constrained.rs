//! The slider crank in the coordinates of its two centres.

use mbsbench_problem::{Entries, MechanicalModel, Scalar};

use super::SliderCrank;
use crate::linkage::slender;

/// `q = (x₁, y₁, θ₁, x₂, y₂, θ₂)` and, with `lᵢ = Lᵢ/2`, `x_s = x₂ + l₂ cos θ₂`, `F = −k (x_s − x_f) − c ẋ_s`,
///
/// ```text
/// M = diag(m₁, m₁, m₁ L₁²/12, m₂, m₂, m₂ L₂²/12)
/// Φ = ( x₁ − l₁ cos θ₁, y₁ − l₁ sin θ₁, x₁ + l₁ cos θ₁ − x₂ + l₂ cos θ₂, y₁ + l₁ sin θ₁ − y₂ + l₂ sin θ₂, y₂ + l₂ sin θ₂ )
/// D = ( 0, −m₁ g, 0, F, −m₂ g, −l₂ sin θ₂ F )
/// ```
///
/// A point mass `m_p` at the far end of the rod has the velocity `(ẋ₂ − l₂ sin θ₂ ω₂, ẏ₂ + l₂ cos θ₂ ω₂)`. In the rows and
/// columns of `(x₂, y₂, θ₂)` it adds
///
/// ```text
///      [ 1            0          −l₂ sin θ₂ ]                 [ l₂ cos θ₂ ω₂²     ]
/// m_p  [ 0            1           l₂ cos θ₂ ]  to M,   m_p    [ l₂ sin θ₂ ω₂² − g ]  to D
///      [ −l₂ sin θ₂   l₂ cos θ₂   l₂²       ]                 [ −g l₂ cos θ₂      ]
/// ```
impl MechanicalModel for SliderCrank {
    fn coordinates(&self) -> usize {
        6
    }

    fn holonomic(&self) -> usize {
        5
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        for (first, m, length) in [(0, self.crank_mass, self.crank_length), (3, self.rod_mass, self.rod_length)] {
            mass[(first, first)] = S::from(m);
            mass[(first + 1, first + 1)] = S::from(m);
            mass[(first + 2, first + 2)] = slender(m, length);
        }
        let [arm_x, arm_y] = self.arm(q);
        for i in 3..5 {
            mass[(i, i)] += S::from(self.point_mass);
        }
        mass[(3, 5)] = -(arm_y * self.point_mass);
        mass[(5, 3)] = mass[(3, 5)];
        mass[(4, 5)] = arm_x * self.point_mass;
        mass[(5, 4)] = mass[(4, 5)];
        mass[(5, 5)] += S::from(self.rod_length) * self.rod_length * 0.25 * self.point_mass;
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let [arm_x, arm_y] = self.arm(q);
        let spring = self.slider_force(q[3] + arm_x, v[3] - arm_y * v[5]);
        let point_weight = S::from(self.point_mass) * self.gravity;
        let square = v[5] * v[5] * self.point_mass;
        forces[0] = S::nought();
        forces[1] = -(S::from(self.crank_mass) * self.gravity);
        forces[2] = S::nought();
        forces[3] = spring + arm_x * square;
        forces[4] = arm_y * square - S::from(self.rod_mass) * self.gravity - point_weight;
        forces[5] = -(arm_y * spring) - arm_x * point_weight;
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        let half = 0.5 * self.crank_length;
        let [arm_x, arm_y] = self.arm(q);
        phi[0] = q[0] - cos * half;
        phi[1] = q[1] - sin * half;
        phi[2] = q[0] + cos * half - q[3] + arm_x;
        phi[3] = q[1] + sin * half - q[4] + arm_y;
        phi[4] = q[4] + arm_y;
    }

    /// Kinetic energy, gravity and spring, J; gravity's potential is zero at the height of the origin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let [arm_x, arm_y] = self.arm(q);
        let mut energy = S::nought();
        for (first, m, length) in [(0, self.crank_mass, self.crank_length), (3, self.rod_mass, self.rod_length)] {
            let (x, y, omega) = (v[first], v[first + 1], v[first + 2]);
            energy += (x * x + y * y) * m * 0.5 + omega * omega * slender::<S>(m, length) * 0.5;
            energy += q[first + 1] * m * self.gravity;
        }
        let (x, y) = (v[3] - arm_y * v[5], v[4] + arm_x * v[5]);
        energy += (x * x + y * y) * self.point_mass * 0.5 + (q[4] + arm_y) * self.point_mass * self.gravity;
        let stretch = q[3] + arm_x - self.free_position;
        energy + stretch * stretch * self.stiffness * 0.5
    }
}

impl SliderCrank {
    /// From the rod's centre to its far end, m.
    fn arm<S: Scalar>(&self, q: &[S]) -> [S; 2] {
        let (sin, cos) = q[5].sin_cos();
        let half = 0.5 * self.rod_length;
        [cos * half, sin * half]
    }

    /// Force (N) of spring and damper on the slider.
    pub(super) fn slider_force<S: Scalar>(&self, position: S, velocity: S) -> S {
        -((position - self.free_position) * self.stiffness + velocity * self.damping)
    }
}
