//! Compares, for the ball of modin2005, contact power with the energy, and the closed-form motion with an integration.

use approx::assert_relative_eq;
use mbsbench_integrators::Dop853;
use mbsbench_models::PenaltyBall;
use mbsbench_models::bouncing_balls::SpringDamper;
use mbsbench_problem::{
    Counted, Formulated, MethodDefinition, Model, ModelDefinition, Parameters, Settings, Silent, Task,
};

use crate::common::bounces::{Event, contacts, soft_state};

/// The motion in closed form, if the ball starts above the floor.
trait ClosedForm {
    fn floor(&self) -> SpringDamper;
    fn first_top(&self) -> (f64, f64);
    fn touch_speed(&self) -> f64;
    fn events(&self, t_end: f64) -> Vec<Event>;
    fn tops(&self, t_end: f64) -> Vec<(f64, f64)>;
    fn exact(&self, t: f64) -> (f64, f64);
    fn elastic_contact_time(&self) -> f64;
    fn elastic_flight_time(&self) -> f64;
}

impl ClosedForm for PenaltyBall {
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
    fn events(&self, t_end: f64) -> Vec<Event> {
        let (top_time, top) = self.first_top();
        let events = contacts(top, self.mass, self.gravity, &self.floor(), t_end - top_time);
        events.into_iter().map(|event| Event { time: event.time + top_time, ..event }).collect()
    }

    /// Times (s) and heights (m) of the peaks between bounces up to `t_end` (s); the first is that after
    /// the first bounce.
    fn tops(&self, t_end: f64) -> Vec<(f64, f64)> {
        let leaving = self.events(t_end).into_iter().filter(|event| event.velocity > 0.0);
        leaving
            .map(|event| (event.time + event.velocity / self.gravity, 0.5 * event.velocity.powi(2) / self.gravity))
            .take_while(|&(time, _)| time <= t_end)
            .collect()
    }

    /// Height (m) and velocity (m/s) at time `t` (s).
    fn exact(&self, t: f64) -> (f64, f64) {
        let (top_time, top) = self.first_top();
        soft_state(top, self.mass, self.gravity, &self.floor(), t - top_time)
    }

    /// Duration of a contact without damping, s: `(π + 2 atan(g/(ω u)))/ω` with `ω² = k/m` and the touching speed `u`.
    fn elastic_contact_time(&self) -> f64 {
        let omega = (self.stiffness / self.mass).sqrt();
        (std::f64::consts::PI + 2.0 * (self.gravity / (omega * self.touch_speed())).atan()) / omega
    }

    /// Duration of a flight between bounces without damping, s: `2 u/g`.
    fn elastic_flight_time(&self) -> f64 {
        2.0 * self.touch_speed() / self.gravity
    }
}

fn observed(model: &dyn Model, y: &[f64], name: &str) -> f64 {
    let names: Vec<_> = model.observables().into_iter().map(|observable| observable.name).collect();
    let mut values = vec![f64::NAN; names.len()];
    model.observation().observe(0.0, y, &mut values);
    values[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))]
}

#[test]
fn contact_power_matches_the_work_of_the_floor() {
    let ball = PenaltyBall { mass: 2.0, damping: 300.0, ..PenaltyBall::default() };
    let model = ball.model();
    let mut ode = Formulated::<f64>::ode(&*model);
    let side = ode.form().contact_power().expect("second-order form");
    assert_eq!((side.coordinates(), side.velocities(), side.bodies()), (1, 1, 1));
    for (q, v) in [(0.3, -2.0), (-1e-3, -2.0), (-1e-3, 1.5)] {
        let (mut acceleration, mut power) = ([f64::NAN], [f64::NAN]);
        side.accelerations(0.0, &[q], &[v], &mut acceleration, &mut power);
        // d/dt (m v²/2 + m g q)
        assert_relative_eq!(power[0], 2.0 * v * (acceleration[0] + 9.81), max_relative = 1e-13);
        assert_eq!(observed(&*model, &[q, v], "contact_power"), power[0]);
        if q > 0.0 {
            assert_eq!(power[0], 0.0);
        }
    }
    assert_relative_eq!(observed(&*model, &[-1e-3, 0.0], "contact_force"), 1e4, max_relative = 1e-15);
    assert_relative_eq!(observed(&*model, &[0.25, 2.0], "energy"), 4.0 + 0.5 * 9.81, max_relative = 1e-15);
    assert_relative_eq!(observed(&*model, &[0.0, 4.429_446_918_070_017], "top_height"), 1.0, max_relative = 1e-14);
}

/// Without gravity `P = (m v² ω/2) sin 2ωt`: 31.0 kW.
#[test]
fn the_largest_contact_power_occurs_in_half_a_period() {
    let ball = PenaltyBall::default();
    let model = ball.model();
    let touch = ball.events(1.0)[0].time;
    let steps = 1000;
    let largest = (0..=steps)
        .map(|k| ball.exact(touch + ball.elastic_contact_time() * f64::from(k) / f64::from(steps)))
        .map(|(q, v)| observed(&*model, &[q, v], "contact_power"))
        .fold(0.0, f64::max);
    assert!((largest - 0.5 * 19.62 * 1e7f64.sqrt()).abs() < 0.002 * largest, "{largest}");
}

/// Integrates from touch to touch, so that the force is smooth except at the ends.
#[test]
fn the_closed_form_matches_an_integration() {
    for damping in [0.0, 2000.0] {
        let ball = PenaltyBall { damping, height: 0.02, velocity: -4.4, ..PenaltyBall::default() };
        ball.check().unwrap();
        let model = ball.model();
        let t_end = ball.events(3.0)[1].time + 0.05;
        let initial: Vec<f64> = model.initial_state();
        let mut ode = Formulated::<f64>::ode(&*model);
        let task = Task { t_start: 0.0, t_end, initial: &initial, settings: Settings::tolerance(1e-12, 1e-12) };
        let solution = Dop853::default().method().solve(Counted::new(&mut *ode), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        let (q, v) = ball.exact(t_end);
        assert_relative_eq!(solution.state[0], q, max_relative = 1e-8);
        assert_relative_eq!(solution.state[1], v, max_relative = 1e-8);
    }
}

#[test]
fn without_damping_all_bounces_are_the_same() {
    let ball = PenaltyBall::default();
    assert!((ball.elastic_contact_time() - 9.939e-4).abs() < 0.5e-7);
    assert!((ball.elastic_flight_time() - 0.903_05).abs() < 0.5e-5);
    let events = ball.events(20.0);
    assert!(events.len() >= 40, "{}", events.len());
    for pair in events.windows(2) {
        let span = pair[1].time - pair[0].time;
        let duration = if pair[0].velocity < 0.0 { ball.elastic_contact_time() } else { ball.elastic_flight_time() };
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
