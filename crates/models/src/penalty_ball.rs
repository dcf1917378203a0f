//! One ball on a penalty spring (modin2005, section 6.1).
//!
//! This is the ball of [`bouncing_balls`](crate::bouncing_balls) as a second-order equation with contact power, for
//! methods that choose their steps by contact power and locate no events.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsContactOde, BenchmarkModel, Class, ContactModel, Observable, Ode, OutOfRange, Scalar, View, parameters,
};

use crate::bouncing_balls::SpringDamper;
use crate::bouncing_balls::exact::{Event, contacts, soft_state};
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

    fn floor(&self) -> SpringDamper {
        SpringDamper { stiffness: self.stiffness, damping: self.damping }
    }

    /// Time (s, negative if before the start) and height (m) of the first peak.
    fn first_top(&self) -> (f64, f64) {
        (self.velocity / self.gravity, self.height + 0.5 * self.velocity * self.velocity / self.gravity)
    }

    /// Speed at the first touch, m/s.
    fn touch_speed(&self) -> f64 {
        (2.0 * self.gravity * self.height + self.velocity * self.velocity).sqrt()
    }

    /// Events of touching and leaving the floor, up to `t_end` (s).
    pub fn events(&self, t_end: f64) -> Vec<Event> {
        let (top_time, top) = self.first_top();
        let events = contacts(top, self.mass, self.gravity, &self.floor(), t_end - top_time);
        events.into_iter().map(|event| Event { time: event.time + top_time, ..event }).collect()
    }

    /// Times (s) and heights (m) of the peaks between bounces up to `t_end` (s); the first is that after
    /// the first bounce.
    pub fn tops(&self, t_end: f64) -> Vec<(f64, f64)> {
        let leaving = self.events(t_end).into_iter().filter(|event| event.velocity > 0.0);
        leaving
            .map(|event| (event.time + event.velocity / self.gravity, 0.5 * event.velocity.powi(2) / self.gravity))
            .take_while(|&(time, _)| time <= t_end)
            .collect()
    }

    /// Height (m) and velocity (m/s) at time `t` (s).
    pub fn exact(&self, t: f64) -> (f64, f64) {
        let (top_time, top) = self.first_top();
        soft_state(top, self.mass, self.gravity, &self.floor(), t - top_time)
    }

    /// Duration of a contact without damping, s: `(π + 2 atan(g/(ω u)))/ω` with `ω² = k/m` and the touching speed `u`.
    pub fn elastic_contact_time(&self) -> f64 {
        let omega = (self.stiffness / self.mass).sqrt();
        (std::f64::consts::PI + 2.0 * (self.gravity / (omega * self.touch_speed())).atan()) / omega
    }

    /// Duration of a flight between bounces without damping, s: `2 u/g`.
    pub fn elastic_flight_time(&self) -> f64 {
        2.0 * self.touch_speed() / self.gravity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn without_damping_all_bounces_are_the_same() {
        let ball = PenaltyBall::default();
        assert!((ball.elastic_contact_time() - 9.939e-4).abs() < 0.5e-7);
        assert!((ball.elastic_flight_time() - 0.903_05).abs() < 0.5e-5);
        let events = ball.events(20.0);
        assert!(events.len() >= 40, "{}", events.len());
        for pair in events.windows(2) {
            let span = pair[1].time - pair[0].time;
            let duration =
                if pair[0].velocity < 0.0 { ball.elastic_contact_time() } else { ball.elastic_flight_time() };
            assert!((span - duration).abs() < 1e-13, "{span} and {duration}");
        }
        let period = ball.elastic_contact_time() + ball.elastic_flight_time();
        for (k, (time, height)) in ball.tops(18.5).into_iter().enumerate() {
            assert_relative_eq!(time, (k + 1) as f64 * period, max_relative = 1e-13);
            assert_relative_eq!(height, 1.0, max_relative = 1e-12);
        }
        assert_eq!(ball.tops(18.5).len(), 20);
    }

    #[test]
    fn a_ball_that_is_thrown_follows_the_same_path() {
        let falls = PenaltyBall { damping: 1000.0, ..PenaltyBall::default() };
        for start in [0.1, 0.4] {
            let (height, velocity) = falls.exact(start);
            let thrown = PenaltyBall { height, velocity, ..falls.clone() };
            for t in [0.0, 0.01, 0.3, 0.9] {
                let ((y, v), (y_thrown, v_thrown)) = (falls.exact(start + t), thrown.exact(t));
                assert!((y - y_thrown).abs() < 1e-11 && (v - v_thrown).abs() < 1e-11, "{t}");
            }
        }
        let upwards = PenaltyBall { height: 0.5, velocity: 2.0, ..PenaltyBall::default() };
        let (y, v) = upwards.exact(0.1);
        assert_relative_eq!(y, 0.5 + 0.2 - 0.5 * 9.81 * 0.01, max_relative = 1e-14);
        assert_relative_eq!(v, 2.0 - 0.981, max_relative = 1e-14);
    }
}
