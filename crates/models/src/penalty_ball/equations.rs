//! The equation of motion, its contact power and what can be watched.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsContactOde, Class, ContactModel, Formulated, Model, Observable, Observation, Ode, Scalar, View,
};

use super::PenaltyBall;
use crate::drawing::{ground, upright};

impl ContactModel for PenaltyBall {
    fn coordinates(&self) -> usize {
        1
    }

    fn bodies(&self) -> usize {
        1
    }

    fn accelerations<S: Scalar>(&self, t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]) {
        let force = self.contact_force(q[0] - t * self.floor_speed, v[0] - self.floor_speed);
        accelerations[0] = force / self.mass - self.gravity;
        if let Some(power) = powers.first_mut() {
            *power = force * v[0];
        }
    }

    fn is_autonomous(&self) -> bool {
        self.floor_speed == 0.0
    }
}

impl PenaltyBall {
    /// Force of the floor on the ball, N, at height `q` above the floor and velocity `v` relative to it.
    fn contact_force<S: Scalar>(&self, q: S, v: S) -> S {
        if q.value() < 0.0 { -(q * self.stiffness + v * self.damping) } else { S::nought() }
    }

    /// Kinetic energy, gravity and the spring in contact, J; zero at rest on the floor.
    #[must_use]
    pub fn energy(&self, height: f64, velocity: f64) -> f64 {
        let depth = height.min(0.0);
        0.5 * self.mass * velocity * velocity + self.mass * self.gravity * height + 0.5 * self.stiffness * depth * depth
    }
}

impl<S: Scalar> Formulated<S> for PenaltyBall {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsContactOde(self))
    }

    fn initial_state(&self) -> Vec<S> {
        vec![S::from(self.height), S::from(self.velocity + self.floor_speed)]
    }
}

impl Model for PenaltyBall {
    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("height", "m", "height above the undeformed floor").of_class(Class::Position),
            Observable::new("velocity", "m/s", "velocity relative to the floor, upwards").of_class(Class::Velocity),
            Observable::new("contact_force", "N", "force of the floor on the ball"),
            Observable::new(
                "contact_power",
                "W",
                "that force times the velocity of the ball, which a moving floor adds to",
            ),
            Observable::new("energy", "J", "kinetic energy, gravity and spring, zero at rest on the floor"),
            Observable::new("top_height", "m", "height to which the energy would lift the ball"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|t: f64, y: &[f64], values: &mut [f64]| {
            let (height, velocity) = (y[0] - t * self.floor_speed, y[1] - self.floor_speed);
            let (force, energy) = (self.contact_force(height, velocity), self.energy(height, velocity));
            values.copy_from_slice(&[
                height,
                velocity,
                force,
                force * y[1],
                energy,
                energy / (self.mass * self.gravity),
            ]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position, Class::Velocity]
    }

    /// The ball, a point to the equations, and a floor that stands still.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let radius = 0.1 * self.height.abs().max(f64::MIN_POSITIVE);
        let ball = ("ball", Shape::Circle { centre: [0.0, y[0] + radius], radius });
        let floor = (self.floor_speed == 0.0).then(|| ground([-4.0 * radius, 4.0 * radius], 0.0));
        vec![upright(["x", "height"], floor.into_iter().chain([ball]).collect())]
    }
}
