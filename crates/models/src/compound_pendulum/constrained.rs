//! The pendulum as a rod in the plane with one end held.

use mbsbench_problem::{Entries, MechanicalModel, Scalar};

/// Rod with `q = (x, y, θ)`, centre of mass and angle (compere2001, Eqs. 3.31 and 3.32):
///
/// ```text
/// M = diag(m, m, m l²/12),  D = (m g, 0, 0),  Φ = (x − l cos θ/2, y − l sin θ/2)
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstrainedRod {
    /// Mass `m`, kg.
    pub mass: f64,
    /// Length `l`, m.
    pub length: f64,
    /// Acceleration of gravity `g`, m/s², along `X`.
    pub gravity: f64,
}

impl MechanicalModel for ConstrainedRod {
    fn coordinates(&self) -> usize {
        3
    }

    fn holonomic(&self) -> usize {
        2
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        mass[(0, 0)] = S::from(self.mass);
        mass[(1, 1)] = S::from(self.mass);
        mass[(2, 2)] = S::from(self.mass) * self.length * self.length / 12.0;
    }

    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces[0] = S::from(self.mass) * self.gravity;
        forces[1] = S::nought();
        forces[2] = S::nought();
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let half = 0.5 * self.length;
        phi[0] = q[0] - q[2].cos() * half;
        phi[1] = q[1] - q[2].sin() * half;
    }

    /// `m (ẋ² + ẏ²)/2 + m l² ω²/24 − m g x`, J: potential zero at the pivot.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let Self { mass, length, gravity } = *self;
        (v[0] * v[0] + v[1] * v[1]) * mass * 0.5 + v[2] * v[2] * mass * length * length / 24.0 - q[0] * mass * gravity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::{Mechanics, MechanicsOf};
    use nalgebra::DMatrix;

    /// The matrices that compere2001 prints for the rod, against the derivatives by dual numbers.
    #[test]
    fn derivatives_are_the_printed_ones() {
        let rod = ConstrainedRod { mass: 36.0, length: 1.4, gravity: 9.81 };
        let mut mechanics = MechanicsOf::<f64>::new(&rod);
        for theta in [-2.1f64, 0.35, 1.2, 4.0] {
            let (q, v) = ([0.2, -0.3, theta], [0.7, -1.1, 2.3]);
            let mut jacobian = DMatrix::zeros(2, 3);
            mechanics.constraint_jacobian(0.0, &q, &v, &mut jacobian);
            let (s, c) = (0.7 * theta.sin(), 0.7 * theta.cos());
            assert_relative_eq!(jacobian, DMatrix::from_row_slice(2, 3, &[1.0, 0.0, s, 0.0, 1.0, -c]));
            // (Jq v)_q has only a third column, (l/2) ω (cos θ, sin θ); the bias is that column times ω.
            let mut bias = [0.0; 2];
            mechanics.acceleration_bias(0.0, &q, &v, &mut bias);
            assert_relative_eq!(bias[0], c * v[2] * v[2], max_relative = 1e-14);
            assert_relative_eq!(bias[1], s * v[2] * v[2], max_relative = 1e-14);
        }
    }
}
