//! A uniform rod that swings about one of its ends (compere2001, section 3.5).
//!
//! The angle θ is measured from the direction of gravity, along which the axis `X` points.

pub mod exact;

use std::f64::consts::FRAC_PI_2;

use mbsbench_problem::constrained::equations;
use mbsbench_problem::{
    AsOde, Class, ConstraintWatch, Entries, Formulated, Formulation, MechanicalModel, Model, ModelDefinition,
    Observable, Observation, Ode, OdeModel, OutOfRange, Scalar, SlidingModeSettings, View, parameters,
};

use crate::drawing::{pin, rod_about, upright};

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

impl ModelDefinition for Pendulum {
    const NAME: &'static str = "pendulum";
    const SUMMARY: &'static str = "compound pendulum, as one equation of motion or as a rod with two constraints";
    const SOURCE: &'static str = "compere2001, section 3.5";

    fn model(&self) -> Box<dyn Model> {
        Box::new(PendulumModel::new(self.clone()))
    }
}

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

/// `θ'' = −3 g sin θ / (2 l)` with `y = (θ, ω)` (compere2001, section 3.5.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimalRod {
    /// Mass `m`, kg; only the energy depends on it.
    pub mass: f64,
    /// Length `l`, m.
    pub length: f64,
    /// Acceleration of gravity `g`, m/s².
    pub gravity: f64,
}

impl MinimalRod {
    /// `m l² ω²/6 − m g l cos θ/2`, J: potential zero at the pivot. Roundoff-level variations of the energy
    /// are whole multiples of the spacing of doubles at this value, so that another zero changes them.
    pub fn energy<S: Scalar>(&self, theta: S, omega: S) -> S {
        let Self { mass, length, gravity } = *self;
        // Products in the order printed: regrouping them moves the last places.
        S::ratio(1.0, 6.0) * mass * (S::from(length) * length) * (omega * omega)
            - S::from(0.5) * mass * gravity * length * theta.cos()
    }
}

impl OdeModel for MinimalRod {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = S::from(-3.0) * self.gravity * y[0].sin() / (S::from(2.0) * self.length);
    }
}

/// The pendulum with parameters and formulation chosen.
#[derive(Debug, Clone)]
pub struct PendulumModel {
    equations: Equations,
    angle: f64,
    angular_velocity: f64,
    sigma: f64,
}

#[derive(Debug, Clone)]
enum Equations {
    Minimal(MinimalRod),
    Constrained(ConstrainedRod, Option<SlidingModeSettings>),
}

impl PendulumModel {
    /// The model for parameters in range.
    #[must_use]
    pub fn new(parameters: Pendulum) -> Self {
        let Pendulum { mass, length, gravity, angle, angular_velocity, formulation } = parameters;
        let rod = ConstrainedRod { mass, length, gravity };
        let sigma = formulation.sigma();
        let equations = match formulation {
            Formulation::Minimal => Equations::Minimal(MinimalRod { mass, length, gravity }),
            Formulation::AccelerationLevel => Equations::Constrained(rod, None),
            Formulation::SlidingMode(settings) => Equations::Constrained(rod, Some(settings)),
        };
        Self { equations, angle, angular_velocity, sigma }
    }
}

impl<S: Scalar> Formulated<S> for PendulumModel {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        match &self.equations {
            Equations::Minimal(rod) => Box::new(AsOde(rod)),
            Equations::Constrained(rod, settings) => {
                equations(rod, settings.as_ref(), &Formulated::<S>::initial_state(self))
            }
        }
    }

    fn initial_state(&self) -> Vec<S> {
        let theta = S::from(self.angle) * S::pi() / 180.0;
        let omega = S::from(self.angular_velocity);
        match &self.equations {
            Equations::Minimal(_) => vec![theta, omega],
            Equations::Constrained(rod, _) => {
                let (sin, cos) = theta.sin_cos();
                let half = 0.5 * rod.length;
                vec![cos * half, sin * half, theta, -(sin * half * omega), cos * half * omega, omega]
            }
        }
    }
}

impl Model for PendulumModel {
    fn observables(&self) -> Vec<Observable> {
        let mut observables = vec![
            Observable::new("theta", "rad", "angle from the vertical"),
            Observable::new("omega", "rad/s", "angular velocity"),
            Observable::new("energy", "J", "total energy, potential zero at the pivot"),
        ];
        if let Equations::Constrained(..) = self.equations {
            observables.extend([
                Observable::new("x", "m", "centre of mass below the pivot"),
                Observable::new("y", "m", "centre of mass beside the pivot"),
                Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
                Observable::new("surface", "m/s", "largest magnitude among the sliding surfaces dΦ/dt + σ Φ"),
            ]);
        }
        observables
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        match &self.equations {
            Equations::Minimal(rod) => Box::new(|_t: f64, y: &[f64], values: &mut [f64]| {
                values.copy_from_slice(&[y[0], y[1], rod.energy(y[0], y[1])]);
            }),
            Equations::Constrained(rod, _) => {
                Box::new(ConstrainedObservation { rod, watch: ConstraintWatch::new(rod, self.sigma) })
            }
        }
    }

    fn classes(&self) -> Vec<Class> {
        let n = match self.equations {
            Equations::Minimal(_) => 1,
            Equations::Constrained(..) => 3,
        };
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }

    /// The rod, with `x` of the equations downwards.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let (length, [down, beside], theta) = match &self.equations {
            Equations::Minimal(rod) => (rod.length, [y[0].cos(), y[0].sin()].map(|part| 0.5 * rod.length * part), y[0]),
            Equations::Constrained(rod, _) => (rod.length, [y[0], y[1]], y[2]),
        };
        let hanging = [beside, -down, theta - FRAC_PI_2];
        let parts = pin([0.0; 2], 0.1 * length).chain([("rod", rod_about(&hanging, 0.5 * length))]);
        vec![upright(["y", "−x"], parts.collect())]
    }
}

struct ConstrainedObservation<'m> {
    rod: &'m ConstrainedRod,
    watch: ConstraintWatch<'m>,
}

impl Observation for ConstrainedObservation<'_> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let (q, v) = y.split_at(3);
        self.watch.evaluate(t, q, v);
        let energy = self.rod.energy(q, v);
        values.copy_from_slice(&[q[2], v[2], energy, q[0], q[1], self.watch.constraint(), self.watch.surface()]);
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
