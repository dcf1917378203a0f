//! A small sphere that rolls on a large fixed one (compere2001, section 3.6).
//!
//! The centre of the small sphere has spherical coordinates `(ρ, α, β)`, its orientation Euler angles `(φ, θ, ψ)`.
//! The nonholonomic constraints are the printed ones: they equate velocities of the centre with components of the
//! spin in the body's frame, and `β̇` appears without `cos α`. They therefore do not describe the rolling of a real
//! sphere, but the published results were obtained with them.

use mbsbench_problem::constrained::equations;
use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsOde, BenchmarkModel, Class, ConstraintWatch, Dimensions, Entries, Formulation, MechanicalModel, Observable,
    Observation, Ode, OdeModel, OutOfRange, Scalar, SlidingModeSettings, View, parameters,
};

use crate::drawing::view;

parameters! {
    /// A small sphere that rolls on a large fixed one, without gravity.
    ///
    /// Initially `α = 0`, `β = θ = ψ = 90°`, `φ = 0`, `−α̇ = β̇ = 45/8 °/s`, `ψ̇ = 0`, and `φ̇` and `θ̇` are those of
    /// rolling if their factors are one.
    pub struct RollingSpheres where surfaces_have_gains {
        /// The equations: six coordinates with three constraints, or minimal coordinates.
        pub formulation: Formulation = Formulation::SlidingMode(SlidingModeSettings::default()),
        /// Radius of the fixed sphere.
        pub outer_radius: f64 [above 0.0, unit "m"] = 0.55,
        /// Radius of the rolling sphere.
        pub inner_radius: f64 [above 0.0, unit "m"] = 0.05,
        /// Mass of the rolling sphere; only the energy depends on it.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Initial distance between the centres; consistent if it is the sum of the radii. The minimal formulation
        /// does not use it.
        pub rho: f64 [above 0.0, unit "m"] = 0.6,
        /// Initial `φ̇` relative to its value in rolling (1.2 in compere2001, figure 3.11).
        pub phi_rate_factor: f64 [unit "1"] = 1.0,
        /// Initial `θ̇` relative to its value in rolling (1.5 in compere2001, figure 3.11).
        pub theta_rate_factor: f64 [unit "1"] = 1.0,
    }
}

impl RollingSpheres {
    fn surfaces_have_gains(&self) -> Result<(), OutOfRange> {
        self.formulation.check_surfaces(3)
    }

    fn inertia<S: Scalar>(&self) -> S {
        S::from(self.mass) * self.inner_radius * self.inner_radius * 2.0 / 5.0
    }

    /// Returns `R + r`, m.
    fn distance<S: Scalar>(&self) -> S {
        S::from(self.outer_radius) + self.inner_radius
    }
}

/// The equations `M v' + V = Jᵀ λ` with `q = (ρ, α, β, φ, θ, ψ)` (compere2001, Eq. 3.33 and below), `I = 2 m r²/5`.
impl MechanicalModel for RollingSpheres {
    fn dimensions(&self) -> Dimensions {
        Dimensions { nonholonomic: 2, ..Dimensions::vectors(6, 1) }
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

    /// Writes `D = −V`.
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

    /// Kinetic energy, J (compere2001, Eq. 3.35); there is no potential energy.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let (rho, cos_alpha) = (q[0], q[1].cos());
        let translation = v[0] * v[0] + rho * rho * v[1] * v[1] + rho * rho * v[2] * v[2] * cos_alpha * cos_alpha;
        let rotation = v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[3] * v[5] * q[4].cos() * 2.0;
        translation * self.mass * 0.5 + rotation * (S::from(self.mass) * self.inner_radius * self.inner_radius / 5.0)
    }
}

impl RollingSpheres {
    /// Writes the state `(q ; v)` of the constrained formulation.
    fn expand(&self, y: &[f64], full: &mut [f64]) {
        full[0] = self.distance();
        full[1..6].copy_from_slice(&y[..5]);
        full[6] = 0.0;
        (full[7], full[8]) = self.centre_rates(y);
        full[9..].copy_from_slice(&y[5..]);
    }

    /// Returns `(α̇, β̇)`, rad/s.
    fn centre_rates<S: Scalar>(&self, y: &[S]) -> (S, S) {
        let ratio = S::from(self.inner_radius) / self.distance::<S>();
        let sin_theta = y[3].sin();
        let (sin_psi, cos_psi) = y[4].sin_cos();
        let (phi_rate, theta_rate) = (y[5], y[6]);
        (
            ratio * (phi_rate * sin_theta * cos_psi - theta_rate * sin_psi),
            ratio * (phi_rate * sin_theta * sin_psi + theta_rate * cos_psi),
        )
    }
}

/// The state is `y = (α, β, φ, θ, ψ ; φ̇, θ̇, ψ̇)` with `ρ = R + r`. From the nonholonomic constraints with
/// `k = r/(R + r)`,
///
/// ```text
/// α̇ = k (φ̇ sin θ cos ψ − θ̇ sin ψ),   β̇ = k (φ̇ sin θ sin ψ + θ̇ cos ψ)
/// ```
///
/// In our own derivation, the equations of motion are multiplied from the left by the transpose of
/// `∂v/∂(φ̇, θ̇, ψ̇)`, which eliminates the multipliers. The equation of `ψ` gives `ψ̈ = φ̇ θ̇ sin θ − φ̈ cos θ`; the
/// other two are linear in `p = φ̈ sin θ` and `θ̈`. Divided by `m r²`, with `C = cos² α`,
/// `α̈ = k (p cos ψ − θ̈ sin ψ) + b_α` and `β̈ = k (p sin ψ + θ̈ cos ψ) + b_β`:
///
/// ```text
/// [ cos²ψ + C sin²ψ + 2/5  (C − 1) sin ψ cos ψ   ] [p ]     [ (g_α cos ψ + g_β sin ψ)/k + 2/5 (φ̇ θ̇ cos θ − θ̇ ψ̇) ]
/// [ (C − 1) sin ψ cos ψ    sin²ψ + C cos²ψ + 2/5 ] [θ̈] = − [ (g_β cos ψ − g_α sin ψ)/k + 2/5 φ̇ ψ̇ sin θ          ]
/// g_α = b_α + β̇² sin α cos α,   g_β = C b_β − 2 α̇ β̇ sin α cos α
/// ```
///
/// Like the Euler angles, the equations are singular at `sin θ = 0`.
impl OdeModel for RollingSpheres {
    fn dimension(&self) -> usize {
        8
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let ratio = S::from(self.inner_radius) / self.distance::<S>();
        let (sin_alpha, cos_alpha) = y[0].sin_cos();
        let (sin_theta, cos_theta) = y[3].sin_cos();
        let (sin_psi, cos_psi) = y[4].sin_cos();
        let (phi_rate, theta_rate, psi_rate) = (y[5], y[6], y[7]);
        let (alpha_rate, beta_rate) = self.centre_rates(y);
        dydt[0] = alpha_rate;
        dydt[1] = beta_rate;
        dydt[2..5].copy_from_slice(&y[5..8]);

        // The values of α̈ and β̈ for φ̈ = θ̈ = 0.
        let nutation = phi_rate * theta_rate * cos_theta;
        let spin = phi_rate * psi_rate * sin_theta;
        let bias_alpha = ratio * (nutation * cos_psi - spin * sin_psi - theta_rate * psi_rate * cos_psi);
        let bias_beta = ratio * (nutation * sin_psi + spin * cos_psi - theta_rate * psi_rate * sin_psi);
        let square = cos_alpha * cos_alpha;
        let product = sin_alpha * cos_alpha;
        let g_alpha = bias_alpha + beta_rate * beta_rate * product;
        let g_beta = square * bias_beta - alpha_rate * beta_rate * product * 2.0;

        let inertia = S::ratio(2.0, 5.0);
        let m11 = cos_psi * cos_psi + square * sin_psi * sin_psi + inertia;
        let m12 = (square - 1.0) * sin_psi * cos_psi;
        let m22 = sin_psi * sin_psi + square * cos_psi * cos_psi + inertia;
        let f1 = -((g_alpha * cos_psi + g_beta * sin_psi) / ratio + inertia * (nutation - theta_rate * psi_rate));
        let f2 = -((g_beta * cos_psi - g_alpha * sin_psi) / ratio + inertia * spin);
        let determinant = m11 * m22 - m12 * m12;
        let phi_second = (f1 * m22 - f2 * m12) / (determinant * sin_theta);
        dydt[5] = phi_second;
        dydt[6] = (f2 * m11 - f1 * m12) / determinant;
        dydt[7] = phi_rate * theta_rate * sin_theta - phi_second * cos_theta;
    }
}

impl BenchmarkModel for RollingSpheres {
    const NAME: &'static str = "rolling-spheres";
    const SUMMARY: &'static str = "sphere rolling on a fixed sphere, one holonomic and two nonholonomic constraints";
    const SOURCE: &'static str = "compere2001, section 3.6";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        match self.formulation {
            Formulation::Minimal => Box::new(AsOde(self)),
            _ => equations(self, self.formulation.sliding_mode(), &BenchmarkModel::initial_state::<S>(self)),
        }
    }

    /// Initial values of compere2001, section 3.6.3.
    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        let right_angle = S::pi() / 2.0;
        let beta_rate = S::from(45.0 / 8.0) * S::pi() / 180.0;
        let alpha_rate = -beta_rate;
        let ratio = self.distance::<S>() / self.inner_radius;
        let phi_rate = ratio * beta_rate * self.phi_rate_factor;
        let theta_rate = -(ratio * alpha_rate) * self.theta_rate_factor;
        let zero = S::zero();
        if self.formulation == Formulation::Minimal {
            return vec![zero, right_angle, zero, right_angle, right_angle, phi_rate, theta_rate, zero];
        }
        let q = [S::from(self.rho), zero, right_angle, zero, right_angle, right_angle];
        let v = [zero, alpha_rate, beta_rate, phi_rate, theta_rate, zero];
        [q, v].concat()
    }

    fn observables(&self) -> Vec<Observable> {
        let mut observables = vec![
            Observable::new("rho", "m", "distance between the centres"),
            Observable::new("rho_rate", "m/s", "rate of the distance between the centres"),
            Observable::new("alpha", "rad", "latitude of the rolling sphere's centre"),
            Observable::new("beta", "rad", "longitude of the rolling sphere's centre"),
            Observable::new("phi", "rad", "first Euler angle"),
            Observable::new("theta", "rad", "second Euler angle"),
            Observable::new("psi", "rad", "third Euler angle"),
            Observable::new("energy", "J", "kinetic energy"),
        ];
        if self.formulation != Formulation::Minimal {
            observables.extend([
                Observable::new("constraint", "m, m/s", "largest magnitude among the constraints Γ (m/s) and Φ (m)"),
                Observable::new("surface", "m/s", "largest magnitude among the sliding surfaces"),
                Observable::new("surface_1", "m/s", "first sliding surface, rolling along α"),
                Observable::new("surface_2", "m/s", "second sliding surface, rolling along β"),
                Observable::new("surface_3", "m/s", "third sliding surface, distance between the centres: dΦ/dt + σ Φ"),
            ]);
        }
        observables
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let is_minimal = self.formulation == Formulation::Minimal;
        let mut watch = ConstraintWatch::new(self, self.formulation.sigma());
        let mut state = [0.0; 12];
        Box::new(move |t: f64, y: &[f64], values: &mut [f64]| {
            if is_minimal {
                self.expand(y, &mut state)
            } else {
                state.copy_from_slice(y)
            }
            let (q, v) = state.split_at(6);
            values[..2].copy_from_slice(&[q[0], v[0]]);
            values[2..7].copy_from_slice(&q[1..]);
            values[7] = self.energy(q, v);
            if !is_minimal {
                watch.evaluate(t, q, v);
                values[8..10].copy_from_slice(&[watch.constraint(), watch.surface()]);
                values[10..].copy_from_slice(&watch.surfaces);
            }
        })
    }

    fn classes(&self) -> Vec<Class> {
        let (positions, velocities) = if self.formulation == Formulation::Minimal { (5, 3) } else { (6, 6) };
        [vec![Class::Position; positions], vec![Class::Velocity; velocities]].concat()
    }

    /// Views from the side on which the rolling sphere starts, and from above.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let [rho, alpha, beta] = match self.formulation {
            Formulation::Minimal => [self.distance(), y[0], y[1]],
            _ => [y[0], y[1], y[2]],
        };
        let ((sin_alpha, cos_alpha), (sin_beta, cos_beta)) = (alpha.sin_cos(), beta.sin_cos());
        let centre = [cos_alpha * cos_beta, cos_alpha * sin_beta, sin_alpha].map(|part| part * rho);
        let seen = |name, axes, [right, up]: [usize; 2]| {
            let fixed = Shape::Circle { centre: [0.0; 2], radius: self.outer_radius };
            let rolling = Shape::Circle { centre: [centre[right], centre[up]], radius: self.inner_radius };
            view(name, axes, vec![("fixed sphere", fixed), ("rolling sphere", rolling)])
        };
        vec![seen("front", ["x", "z"], [0, 2]), seen("above", ["x", "y"], [0, 1])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::{Mechanics, MechanicsOf};
    use nalgebra::DMatrix;
    use num_dual::{Dual, Dual64};

    fn spheres() -> RollingSpheres {
        RollingSpheres { outer_radius: 0.55, inner_radius: 0.05, mass: 1.3, ..RollingSpheres::default() }
    }

    /// States in which no term vanishes.
    const STATES: [([f64; 6], [f64; 6]); 3] = [
        ([0.7, 0.4, 1.1, 0.3, 0.9, 2.2], [0.3, -0.8, 0.6, 1.7, -1.2, 0.9]),
        ([0.61, -0.9, -2.0, 4.0, 2.3, -0.7], [-0.2, 0.5, 1.1, -0.4, 2.1, -1.5]),
        ([0.55, 1.2, 0.2, -1.0, 1.9, 5.1], [0.9, 1.3, -0.7, 0.8, 0.6, 1.4]),
    ];

    /// Compares the Jacobians printed in compere2001 (Eq. 3.34 and below) with derivatives by dual numbers.
    #[test]
    fn derivatives_match_the_printed_ones() {
        let spheres = spheres();
        let mut mechanics = MechanicsOf::<_, f64>::new(&spheres);
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

    /// Compares M with `∂²T/∂v²`, entry by entry.
    #[test]
    fn mass_matrix_is_the_hessian_of_the_kinetic_energy() {
        for (q, v) in STATES {
            let mut mass = DMatrix::zeros(6, 6);
            spheres().mass(&q, &mut mass);
            for i in 0..6 {
                for j in 0..6 {
                    let unit = |k, l| f64::from(u8::from(k == l));
                    let lift = |x: f64| Dual::new(Dual64::from(x), Dual64::from(0.0));
                    let velocities: Vec<_> =
                        (0..6).map(|k| Dual::new(Dual64::new(v[k], unit(k, j)), Dual64::from(unit(k, i)))).collect();
                    let energy = spheres().energy(&q.map(lift), &velocities);
                    assert_relative_eq!(energy.eps.eps, mass[(i, j)], epsilon = 1e-15, max_relative = 1e-14);
                }
            }
        }
    }

    /// Compares V with the terms `d/dt(∂T/∂v)|_{v' = 0} − ∂T/∂q` of the kinetic energy.
    #[test]
    fn forces_match_the_lagrange_terms_of_the_energy() {
        for (q, v) in STATES {
            let mut forces = [0.0; 6];
            spheres().forces(0.0, &q, &v, &mut forces);
            for i in 0..6 {
                let unit = |k| f64::from(u8::from(k == i));
                // inner dual along q' = v, outer dual along the velocity i: the mixed second derivative
                let positions: Vec<_> = (0..6).map(|k| Dual::new(Dual64::new(q[k], v[k]), Dual64::from(0.0))).collect();
                let velocities: Vec<_> = (0..6).map(|k| Dual::new(Dual64::from(v[k]), Dual64::from(unit(k)))).collect();
                let momentum_rate = spheres().energy(&positions, &velocities).eps.eps;
                let positions: Vec<_> = (0..6).map(|k| Dual64::new(q[k], unit(k))).collect();
                let gradient = spheres().energy(&positions, &v.map(Dual64::from)).eps;
                assert_relative_eq!(-forces[i], momentum_rate - gradient, epsilon = 1e-15, max_relative = 1e-13);
            }
        }
    }
}
