//! A uniform rod that swings about one of its ends (compere2001, section 3.5).
//!
//! The angle θ is measured from the direction of gravity, which is that of the axis `X`.

use std::f64::consts::FRAC_PI_2;

use mbsbench_problem::constrained::equations;
use mbsbench_problem::{
    AsOde, BenchmarkModel, Class, ConstraintWatch, Dimensions, Entries, Formulation, MechanicalModel, Observable,
    Observation, Ode, OdeModel, OutOfRange, Scalar, View, parameters,
};

use crate::drawing::{pin, rod_about, upright};
use crate::linkage::write_rod;

parameters! {
    /// A uniform rod that swings about one of its ends under gravity.
    pub struct Pendulum where surfaces_have_gains {
        /// The equations: angle only, or the rod in the plane with its end held by two constraints.
        pub formulation: Formulation = Formulation::Minimal,
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"] = 36.0,
        /// Length.
        pub length: f64 [above 0.0, unit "m"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Initial angle from the vertical.
        pub angle: f64 [unit "deg"] = 20.0,
        /// Initial angular velocity.
        pub angular_velocity: f64 [unit "rad/s"] = 1.0,
    }
}

impl Pendulum {
    fn surfaces_have_gains(&self) -> Result<(), OutOfRange> {
        self.formulation.check_surfaces(2)
    }
}

/// The rod with `q = (x, y, θ)`, the centre of mass and the angle (compere2001, Eqs. 3.31 and 3.32):
///
/// ```text
/// M = diag(m, m, m l²/12),  D = (m g, 0, 0),  Φ = (x − l cos θ/2, y − l sin θ/2)
/// ```
impl MechanicalModel for Pendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(3, 2)
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        write_rod(mass, 0, self.mass, self.length);
    }

    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces[0] = S::from(self.mass) * self.gravity;
        forces[1] = S::zero();
        forces[2] = S::zero();
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let half = 0.5 * self.length;
        phi[0] = q[0] - q[2].cos() * half;
        phi[1] = q[1] - q[2].sin() * half;
    }

    /// Energy `m (ẋ² + ẏ²)/2 + m l² ω²/24 − m g x`, J; the potential is zero at the pivot.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let Self { mass, length, gravity, .. } = *self;
        (v[0] * v[0] + v[1] * v[1]) * mass * 0.5 + v[2] * v[2] * mass * length * length / 24.0 - q[0] * mass * gravity
    }
}

impl Pendulum {
    /// Energy `m l² ω²/6 − m g l cos θ/2`, J; the potential is zero at the pivot. Variations of the energy at
    /// roundoff level are multiples of the spacing of doubles at this value, so that another zero of the potential
    /// would change them.
    fn energy_of_angle(&self, theta: f64, omega: f64) -> f64 {
        let Self { mass, length, gravity, .. } = *self;
        // Products in the printed order: regrouping them changes the last digits.
        1.0 / 6.0 * mass * (length * length) * (omega * omega) - 0.5 * mass * gravity * length * theta.cos()
    }
}

/// `θ'' = −3 g sin θ / (2 l)` with `y = (θ, ω)` (compere2001, section 3.5.1).
impl OdeModel for Pendulum {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = S::from(-3.0) * self.gravity * y[0].sin() / (S::from(2.0) * self.length);
    }
}

impl BenchmarkModel for Pendulum {
    const NAME: &'static str = "pendulum";
    const SUMMARY: &'static str = "compound pendulum, as one equation of motion or as a rod with two constraints";
    const SOURCE: &'static str = "compere2001, section 3.5";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        match self.formulation {
            Formulation::Minimal => Box::new(AsOde(self)),
            _ => equations(self, self.formulation.sliding_mode(), &BenchmarkModel::initial_state::<S>(self)),
        }
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        let theta = S::from(self.angle) * S::pi() / 180.0;
        let omega = S::from(self.angular_velocity);
        if self.formulation == Formulation::Minimal {
            return vec![theta, omega];
        }
        let (sin, cos) = theta.sin_cos();
        let half = 0.5 * self.length;
        vec![cos * half, sin * half, theta, -(sin * half * omega), cos * half * omega, omega]
    }

    fn observables(&self) -> Vec<Observable> {
        let mut observables = vec![
            Observable::new("theta", "rad", "angle from the vertical"),
            Observable::new("omega", "rad/s", "angular velocity"),
            Observable::new("energy", "J", "total energy, with potential energy zero at the pivot"),
        ];
        if self.formulation != Formulation::Minimal {
            observables.extend([
                Observable::new("x", "m", "vertical distance of the centre of mass below the pivot"),
                Observable::new("y", "m", "horizontal distance of the centre of mass from the pivot"),
                Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
                Observable::new("surface", "m/s", "largest magnitude among the sliding surfaces dΦ/dt + σ Φ"),
            ]);
        }
        observables
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        if self.formulation == Formulation::Minimal {
            return Box::new(|_t: f64, y: &[f64], values: &mut [f64]| {
                values.copy_from_slice(&[y[0], y[1], self.energy_of_angle(y[0], y[1])]);
            });
        }
        let mut watch = ConstraintWatch::new(self, self.formulation.sigma());
        Box::new(move |t: f64, y: &[f64], values: &mut [f64]| {
            let (q, v) = y.split_at(3);
            watch.evaluate(t, q, v);
            let energy = self.energy(q, v);
            values.copy_from_slice(&[q[2], v[2], energy, q[0], q[1], watch.constraint(), watch.surface()]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        let n = if self.formulation == Formulation::Minimal { 1 } else { 3 };
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }

    /// The rod; `x` of the equations points downwards.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let half = 0.5 * self.length;
        let ([down, beside], theta) = match self.formulation {
            Formulation::Minimal => ([y[0].cos(), y[0].sin()].map(|part| half * part), y[0]),
            _ => ([y[0], y[1]], y[2]),
        };
        let hanging = [beside, -down, theta - FRAC_PI_2];
        let parts = pin([0.0; 2], 0.1 * self.length).chain([("rod", rod_about(&hanging, half))]);
        vec![upright(["y", "−x"], parts.collect())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mbsbench_problem::{Mechanics, MechanicsOf};
    use nalgebra::DMatrix;

    /// Compares the matrices that compere2001 prints for the rod with derivatives by dual numbers.
    #[test]
    fn derivatives_match_the_printed_ones() {
        let rod = Pendulum { mass: 36.0, length: 1.4, gravity: 9.81, ..Pendulum::default() };
        let mut mechanics = MechanicsOf::<_, f64>::new(&rod);
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
