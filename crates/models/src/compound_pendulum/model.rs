//! The pendulum as the runner sees it.

use std::f64::consts::FRAC_PI_2;

use mbsbench_problem::model::Class;
use mbsbench_problem::{
    AsOde, Formulated, Formulation, MechanicalModel, Model, Observable, Observation, Ode, Scalar, SlidingModeSettings,
    View,
};

use super::{ConstrainedRod, MinimalRod, Pendulum};
use crate::drawing::{pin, rod_about, upright};
use mbsbench_problem::constrained::{ConstraintWatch, equations};

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
