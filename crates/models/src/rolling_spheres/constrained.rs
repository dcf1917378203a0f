//! The rolling sphere in six coordinates with three constraints.

use mbsbench_problem::{Entries, MechanicalModel, Scalar};

/// `M v' + V = Jᵀ λ` with `q = (ρ, α, β, φ, θ, ψ)` (compere2001, Eq. 3.33 and below), `I = 2 m r²/5`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstrainedSpheres {
    /// Radius `R` of the fixed sphere, m.
    pub outer_radius: f64,
    /// Radius `r` of the rolling sphere, m.
    pub inner_radius: f64,
    /// Mass `m` of the rolling sphere, kg.
    pub mass: f64,
}

impl ConstrainedSpheres {
    fn inertia<S: Scalar>(&self) -> S {
        S::from(self.mass) * self.inner_radius * self.inner_radius * 2.0 / 5.0
    }

    /// `R + r`, m.
    pub fn distance<S: Scalar>(&self) -> S {
        S::from(self.outer_radius) + self.inner_radius
    }
}

impl MechanicalModel for ConstrainedSpheres {
    fn coordinates(&self) -> usize {
        6
    }

    fn holonomic(&self) -> usize {
        1
    }

    fn nonholonomic(&self) -> usize {
        2
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        let (rho, cos_alpha) = (q[0], q[1].cos());
        let inertia = self.inertia::<S>();
        mass[(0, 0)] = S::from(self.mass);
        mass[(1, 1)] = rho * rho * self.mass;
        mass[(2, 2)] = rho * rho * cos_alpha * cos_alpha * self.mass;
        for i in 3..6 {
            mass[(i, i)] = inertia;
        }
        mass[(3, 5)] = inertia * q[4].cos();
        mass[(5, 3)] = mass[(3, 5)];
    }

    /// `D = −V`.
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let rho = q[0];
        let (sin_alpha, cos_alpha) = q[1].sin_cos();
        let sin_theta = q[4].sin();
        let (rho_rate, alpha_rate, beta_rate) = (v[0], v[1], v[2]);
        let (phi_rate, theta_rate, psi_rate) = (v[3], v[4], v[5]);
        let inertia = self.inertia::<S>();
        forces[0] = rho * (alpha_rate * alpha_rate + beta_rate * beta_rate * cos_alpha * cos_alpha) * self.mass;
        forces[1] =
            -(rho * (rho_rate * alpha_rate * 2.0 + rho * beta_rate * beta_rate * cos_alpha * sin_alpha) * self.mass);
        forces[2] = -(rho
            * (rho_rate * beta_rate * cos_alpha * cos_alpha - rho * beta_rate * alpha_rate * cos_alpha * sin_alpha)
            * self.mass
            * 2.0);
        forces[3] = inertia * theta_rate * psi_rate * sin_theta;
        forces[4] = -(inertia * phi_rate * psi_rate * sin_theta);
        forces[5] = inertia * phi_rate * theta_rate * sin_theta;
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] - self.distance::<S>();
    }

    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], v: &[S], gamma: &mut [S]) {
        let sin_theta = q[4].sin();
        let (sin_psi, cos_psi) = q[5].sin_cos();
        let (phi_rate, theta_rate) = (v[3], v[4]);
        let distance = self.distance::<S>();
        gamma[0] = distance * v[1] - (phi_rate * sin_theta * cos_psi - theta_rate * sin_psi) * self.inner_radius;
        gamma[1] = distance * v[2] - (phi_rate * sin_theta * sin_psi + theta_rate * cos_psi) * self.inner_radius;
    }

    /// Kinetic energy, J (compere2001, Eq. 3.35); nothing else stores any.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let (rho, cos_alpha) = (q[0], q[1].cos());
        let translation = v[0] * v[0] + rho * rho * v[1] * v[1] + rho * rho * v[2] * v[2] * cos_alpha * cos_alpha;
        let rotation = v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[3] * v[5] * q[4].cos() * 2.0;
        translation * self.mass * 0.5 + rotation * (S::from(self.mass) * self.inner_radius * self.inner_radius / 5.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::{Mechanics, MechanicsOf};
    use nalgebra::DMatrix;
    use num_dual::{Dual, Dual64};

    const SPHERES: ConstrainedSpheres = ConstrainedSpheres { outer_radius: 0.55, inner_radius: 0.05, mass: 1.3 };

    /// States in which no term vanishes.
    const STATES: [([f64; 6], [f64; 6]); 3] = [
        ([0.7, 0.4, 1.1, 0.3, 0.9, 2.2], [0.3, -0.8, 0.6, 1.7, -1.2, 0.9]),
        ([0.61, -0.9, -2.0, 4.0, 2.3, -0.7], [-0.2, 0.5, 1.1, -0.4, 2.1, -1.5]),
        ([0.55, 1.2, 0.2, -1.0, 1.9, 5.1], [0.9, 1.3, -0.7, 0.8, 0.6, 1.4]),
    ];

    /// The Jacobians as compere2001 prints them (Eq. 3.34 and below) against the derivatives by dual numbers.
    #[test]
    fn derivatives_are_the_printed_ones() {
        let mut mechanics = MechanicsOf::<f64>::new(&SPHERES);
        let (a, r) = (0.6, 0.05);
        for (q, v) in STATES {
            let (sin_theta, cos_theta) = q[4].sin_cos();
            let (sin_psi, cos_psi) = q[5].sin_cos();
            let (phi_rate, theta_rate, psi_rate) = (v[3], v[4], v[5]);
            let mut jacobian = DMatrix::zeros(3, 6);
            mechanics.constraint_jacobian(0.0, &q, &v, &mut jacobian);
            #[rustfmt::skip]
            let printed = DMatrix::from_row_slice(3, 6, &[
                0.0, a, 0.0, -r * sin_theta * cos_psi, r * sin_psi, 0.0,
                0.0, 0.0, a, -r * sin_theta * sin_psi, -r * cos_psi, 0.0,
                1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            ]);
            assert_relative_eq!(jacobian, printed, max_relative = 1e-14);
            // The bias is Jqn v; the holonomic row is constant.
            let mut bias = [0.0; 3];
            mechanics.acceleration_bias(0.0, &q, &v, &mut bias);
            let first = -r * phi_rate * cos_theta * cos_psi * theta_rate
                + (r * phi_rate * sin_theta * sin_psi + r * theta_rate * cos_psi) * psi_rate;
            let second = -r * phi_rate * cos_theta * sin_psi * theta_rate
                + (-r * phi_rate * sin_theta * cos_psi + r * theta_rate * sin_psi) * psi_rate;
            assert_relative_eq!(bias[0], first, max_relative = 1e-13);
            assert_relative_eq!(bias[1], second, max_relative = 1e-13);
            assert_eq!(bias[2], 0.0);
        }
    }

    /// `∂²T/∂v²` is the mass matrix: T against M, entry by entry.
    #[test]
    fn mass_matrix_is_the_hessian_of_the_kinetic_energy() {
        for (q, v) in STATES {
            let mut mass = DMatrix::zeros(6, 6);
            SPHERES.mass(&q, &mut mass);
            for i in 0..6 {
                for j in 0..6 {
                    let unit = |k, l| f64::from(u8::from(k == l));
                    let lift = |x: f64| Dual::new(Dual64::from(x), Dual64::from(0.0));
                    let velocities: Vec<_> =
                        (0..6).map(|k| Dual::new(Dual64::new(v[k], unit(k, j)), Dual64::from(unit(k, i)))).collect();
                    let energy = SPHERES.energy(&q.map(lift), &velocities);
                    assert_relative_eq!(energy.eps.eps, mass[(i, j)], epsilon = 1e-15, max_relative = 1e-14);
                }
            }
        }
    }

    /// V against the terms `d/dt(∂T/∂v)|_{v' = 0} − ∂T/∂q` of the kinetic energy.
    #[test]
    fn forces_are_the_lagrange_terms_of_the_kinetic_energy() {
        for (q, v) in STATES {
            let mut forces = [0.0; 6];
            SPHERES.forces(0.0, &q, &v, &mut forces);
            for i in 0..6 {
                let unit = |k| f64::from(u8::from(k == i));
                // inner dual along q' = v, outer dual along the velocity i: the mixed second derivative
                let positions: Vec<_> = (0..6).map(|k| Dual::new(Dual64::new(q[k], v[k]), Dual64::from(0.0))).collect();
                let velocities: Vec<_> = (0..6).map(|k| Dual::new(Dual64::from(v[k]), Dual64::from(unit(k)))).collect();
                let momentum_rate = SPHERES.energy(&positions, &velocities).eps.eps;
                let positions: Vec<_> = (0..6).map(|k| Dual64::new(q[k], unit(k))).collect();
                let gradient = SPHERES.energy(&positions, &v.map(Dual64::from)).eps;
                assert_relative_eq!(-forces[i], momentum_rate - gradient, epsilon = 1e-15, max_relative = 1e-13);
            }
        }
    }
}
