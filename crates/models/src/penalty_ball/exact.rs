//! The motion in closed form, which is that of a ball that falls from rest at the height of its first top.

use super::PenaltyBall;
use crate::bouncing_balls::SpringDamper;
use crate::bouncing_balls::exact::{Event, contacts, soft_state};

impl PenaltyBall {
    fn floor(&self) -> SpringDamper {
        SpringDamper { stiffness: self.stiffness, damping: self.damping }
    }

    /// Time (s, below zero where it lies before the start) and height (m) of the first top.
    fn first_top(&self) -> (f64, f64) {
        (self.velocity / self.gravity, self.height + 0.5 * self.velocity * self.velocity / self.gravity)
    }

    /// Speed at the first touch, m/s.
    fn touch_speed(&self) -> f64 {
        (2.0 * self.gravity * self.height + self.velocity * self.velocity).sqrt()
    }

    /// Touching and leaving the floor by turns, up to `t_end` (s).
    #[must_use]
    pub fn events(&self, t_end: f64) -> Vec<Event> {
        let (top_time, top) = self.first_top();
        let events = contacts(top, self.mass, self.gravity, &self.floor(), t_end - top_time);
        events.into_iter().map(|event| Event { time: event.time + top_time, ..event }).collect()
    }

    /// Times (s) and heights (m) of the tops between bounces up to `t_end` (s), the first one after the first bounce.
    #[must_use]
    pub fn tops(&self, t_end: f64) -> Vec<(f64, f64)> {
        let leaving = self.events(t_end).into_iter().filter(|event| event.velocity > 0.0);
        leaving
            .map(|event| (event.time + event.velocity / self.gravity, 0.5 * event.velocity.powi(2) / self.gravity))
            .take_while(|&(time, _)| time <= t_end)
            .collect()
    }

    /// Height (m) and velocity (m/s) at time `t` (s).
    #[must_use]
    pub fn exact(&self, t: f64) -> (f64, f64) {
        let (top_time, top) = self.first_top();
        soft_state(top, self.mass, self.gravity, &self.floor(), t - top_time)
    }

    /// Duration of a contact without damping, s: `(π + 2 atan(g/(ω u)))/ω` with `ω² = k/m` and the touching speed `u`.
    #[must_use]
    pub fn elastic_contact_time(&self) -> f64 {
        let omega = (self.stiffness / self.mass).sqrt();
        (std::f64::consts::PI + 2.0 * (self.gravity / (omega * self.touch_speed())).atan()) / omega
    }

    /// Duration of a flight between bounces without damping, s: `2 u/g`.
    #[must_use]
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
