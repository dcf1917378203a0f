//! One ball on a penalty spring (modin2005, section 6.1).
//!
//! This is the ball of [`bouncing_balls`](crate::bouncing_balls) as a second-order equation with contact power, for
//! methods that choose their steps by contact power and locate no events.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsContactOde, BenchmarkModel, Class, ContactModel, Observable, Ode, OutOfRange, Scalar, View, parameters,
};

use crate::drawing::{ground, upright};

parameters! {
    /// A ball that falls on a floor with a stiff spring: `q'' = −g`, and `q'' = −g − (k q + c q')/m` if `q < 0`
    /// (modin2005, section 6.1).
    ///
    /// The paper's ball has no damping and conserves its energy. With damping the contact is a Kelvin–Voigt element,
    /// whose force jumps at touch and pulls just before the ball leaves.
    pub struct PenaltyBall where damping_is_below_critical {
        /// Stiffness `k` of the floor.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 1e7,
        /// Damping `c` of the floor; less than critical.
        pub damping: f64 [from 0.0, unit "N s/m"] = 0.0,
        /// Mass `m`.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Initial height above the floor. If it is negative, the ball starts in contact, and there is no
        /// closed-form solution.
        pub height: f64 [unit "m"] = 1.0,
        /// Initial velocity relative to the floor, upwards.
        pub velocity: f64 [unit "m/s"] = 0.0,
        /// Speed at which the floor moves upwards.
        #[serde(skip_serializing_if = "is_zero")]
        pub floor_speed: f64 [unit "m/s"] = 0.0,
    }
}

impl PenaltyBall {
    fn damping_is_below_critical(&self) -> Result<(), OutOfRange> {
        let is_below = self.damping < 2.0 * (self.stiffness * self.mass).sqrt();
        OutOfRange::unless(is_below, "damping", self.damping, "a number below the critical damping 2 √(k m)")
    }
}

/// True if a parameter that was added later has no effect; runs without it then keep their names.
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl BenchmarkModel for PenaltyBall {
    const NAME: &'static str = "penalty-ball";
    const SUMMARY: &'static str = "ball bouncing on a stiff spring, with its contact power";
    const SOURCE: &'static str = "modin2005, section 6.1, Eq. 17";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsContactOde(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.height), S::from(self.velocity + self.floor_speed)]
    }

    fn observables(&self) -> Vec<Observable> {
        let of_power = "that force times the velocity of the ball, including that of a moving floor";
        vec![
            Observable::new("height", "m", "height above the undeformed floor").of_class(Class::Position),
            Observable::new("velocity", "m/s", "velocity relative to the floor, upwards").of_class(Class::Velocity),
            Observable::new("contact_force", "N", "force of the floor on the ball"),
            Observable::new("contact_power", "W", of_power),
            Observable::new("energy", "J", "energy of motion, gravity and spring, zero at rest on the floor"),
            Observable::new("top_height", "m", "height to which the energy would lift the ball"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let (height, velocity) = (y[0] - t * self.floor_speed, y[1] - self.floor_speed);
        let (force, energy) = (self.contact_force(height, velocity), self.energy(height, velocity));
        let top = energy / (self.mass * self.gravity);
        values.copy_from_slice(&[height, velocity, force, force * y[1], energy, top]);
    }

    /// The ball, drawn with a radius although it is a point in the equations, and a floor at rest.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let radius = 0.1 * self.height.abs().max(f64::MIN_POSITIVE);
        let ball = ("ball", Shape::Circle { centre: [0.0, y[0] + radius], radius });
        let floor = (self.floor_speed == 0.0).then(|| ground([-4.0 * radius, 4.0 * radius], 0.0));
        vec![upright(["x", "height"], floor.into_iter().chain([ball]).collect())]
    }
}

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
        if q.value() < 0.0 { -(q * self.stiffness + v * self.damping) } else { S::zero() }
    }

    /// Kinetic energy, gravity and contact spring, J; zero at rest on the floor.
    pub fn energy(&self, height: f64, velocity: f64) -> f64 {
        let depth = height.min(0.0);
        0.5 * self.mass * velocity * velocity + self.mass * self.gravity * height + 0.5 * self.stiffness * depth * depth
    }
}
