//! Events and motion of one ball on a floor, in closed form between events.
//!
//! On the spring-damper floor, from the moment it is touched with velocity `−u`,
//! `y = −G + e^{−a τ} (G cos b τ + B sin b τ)` with `a = c/2m`, `b² = k/m − a²`, `G = m g/k`, `B = (a G − u)/b`. The
//! time at which this returns to zero has no closed form; it is the only root between half a period and the top of
//! the oscillation, and is computed to the last bit of a double.

use approx::assert_relative_eq;
use mbsbench_models::bouncing_balls::exact::rigid_state;
use mbsbench_models::bouncing_balls::{Restitution, SpringDamper};

/// Returns the two neighbouring numbers between which `is_low` changes, given `low`, for which it is true, and
/// `high`, for which it is false.
pub fn bisect(mut low: f64, mut high: f64, is_low: impl Fn(f64) -> bool) -> [f64; 2] {
    let mut middle = 0.5 * (low + high);
    while low < middle && middle < high {
        if is_low(middle) {
            low = middle
        } else {
            high = middle
        }
        middle = 0.5 * (low + high);
    }
    [low, high]
}

/// An event of a ball: it touches the floor, leaves it, or bounces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// Time, s.
    pub time: f64,
    /// Velocity just after, m/s, upwards.
    pub velocity: f64,
}

/// Returns the bounces up to `t_end` (s) on a rigid floor.
pub fn bounces(height: f64, gravity: f64, floor: &Restitution, t_end: f64) -> Vec<Event> {
    let start = (2.0 * gravity * height).sqrt();
    let first = Event { time: start / gravity, velocity: start * floor.coefficient };
    let next = |event: &Event| {
        let time = event.time + 2.0 * event.velocity / gravity;
        (time != event.time).then_some(Event { time, velocity: event.velocity * floor.coefficient })
    };
    std::iter::successors(Some(first), next).take_while(|event| event.time <= t_end).collect()
}

/// Events of a ball that falls from rest at `height` on a floor with spring and damper, which it touches and leaves
/// in turn. The events end when the ball has too little energy to leave the floor.
fn all_contacts(height: f64, mass: f64, gravity: f64, floor: &SpringDamper) -> impl Iterator<Item = Event> {
    let speed = (2.0 * gravity * height).sqrt();
    let first = Event { time: speed / gravity, velocity: -speed };
    std::iter::successors(Some(first), move |event| {
        if event.velocity > 0.0 {
            let time = event.time + 2.0 * event.velocity / gravity;
            return Some(Event { time, velocity: -event.velocity });
        }
        let (stay, leaving) = Stay::new(mass, gravity, floor, -event.velocity)?.end()?;
        Some(Event { time: event.time + stay, velocity: leaving })
    })
}

/// Returns the events of a soft contact up to `t_end` (s).
pub fn contacts(height: f64, mass: f64, gravity: f64, floor: &SpringDamper, t_end: f64) -> Vec<Event> {
    all_contacts(height, mass, gravity, floor).take_while(|event| event.time <= t_end).collect()
}

/// Height and velocity at `t` on a floor with spring and damper (underdamped).
pub fn soft_state(height: f64, mass: f64, gravity: f64, floor: &SpringDamper, t: f64) -> (f64, f64) {
    match contacts(height, mass, gravity, floor, t).last() {
        None => flight(height, 0.0, gravity, t),
        Some(event) if event.velocity > 0.0 => flight(0.0, event.velocity, gravity, t - event.time),
        Some(event) => Stay::new(mass, gravity, floor, -event.velocity)
            .map_or((f64::NAN, f64::NAN), |stay| stay.at(t - event.time)),
    }
}

fn flight(y: f64, v: f64, gravity: f64, time: f64) -> (f64, f64) {
    (y + time * (v - 0.5 * gravity * time), v - gravity * time)
}

/// The motion on the floor from the moment of touching it.
#[derive(Debug, Clone, Copy)]
struct Stay {
    decay: f64,
    frequency: f64,
    rest: f64,
    sine: f64,
}

impl Stay {
    /// Returns `None` if the contact is not underdamped.
    fn new(mass: f64, gravity: f64, floor: &SpringDamper, speed: f64) -> Option<Self> {
        let decay = floor.damping / (2.0 * mass);
        let square = floor.stiffness / mass - decay * decay;
        let rest = mass * gravity / floor.stiffness;
        let frequency = square.sqrt();
        (square > 0.0).then(|| Self { decay, frequency, rest, sine: (decay * rest - speed) / frequency })
    }

    fn at(&self, time: f64) -> (f64, f64) {
        let Self { decay, frequency, rest, sine } = *self;
        let (sin, cos) = (frequency * time).sin_cos();
        let fading = (-decay * time).exp();
        let swing = rest * cos + sine * sin;
        let rate = frequency * (sine * cos - rest * sin);
        (fading * swing - rest, fading * (rate - decay * swing))
    }

    /// Time after which the ball leaves, and its velocity at that time; `None` if it stays on the floor.
    fn end(&self) -> Option<(f64, f64)> {
        let Self { decay, frequency, rest, sine } = *self;
        let half_period = std::f64::consts::PI / frequency;
        // v = 0 where tan bτ = (b B − a G)/(b G + a B); the first such time is the bottom, half a period later the top.
        let bottom =
            (frequency * sine - decay * rest).atan2(frequency * rest + decay * sine).rem_euclid(std::f64::consts::PI);
        let top = bottom / frequency + half_period;
        if self.at(top).0 <= 0.0 {
            return None;
        }
        let [_, above] = bisect(half_period, top, |time| self.at(time).0 < 0.0);
        let (y, v) = self.at(above);
        let time = above - y / v;
        Some((time, self.at(time).1))
    }
}

/// A constant-step fourth-order formula, restarted at each event of the closed form.
fn integrate(mut y: f64, mut v: f64, acceleration: impl Fn(f64, f64) -> f64, duration: f64) -> (f64, f64) {
    let n = 20_000;
    let h = duration / f64::from(n);
    for _ in 0..n {
        let (a1, v1) = (acceleration(y, v), v);
        let (a2, v2) = (acceleration(y + 0.5 * h * v1, v + 0.5 * h * a1), v + 0.5 * h * a1);
        let (a3, v3) = (acceleration(y + 0.5 * h * v2, v + 0.5 * h * a2), v + 0.5 * h * a2);
        let (a4, v4) = (acceleration(y + h * v3, v + h * a3), v + h * a3);
        y += h * (v1 + 2.0 * (v2 + v3) + v4) / 6.0;
        v += h * (a1 + 2.0 * (a2 + a3) + a4) / 6.0;
    }
    (y, v)
}

#[test]
fn the_time_of_leaving_matches_an_integration() {
    for (stiffness, damping) in [(2e7, 600.0), (1e4, 16.0), (1000.0, 2.0), (1000.0, 0.0)] {
        let floor = SpringDamper { stiffness, damping };
        let events = contacts(1.0, 1.0, 9.81, &floor, 2.0);
        assert!(events.len() >= 4, "{events:?}");
        for pair in events.chunks_exact(2) {
            let [touch, leave] = pair else { unreachable!() };
            let spring = |y: f64, v: f64| -9.81 - stiffness * y - damping * v;
            let (y, v) = integrate(0.0, touch.velocity, spring, leave.time - touch.time);
            assert!(y.abs() < 1e-10, "{y} at the end of the contact, k = {stiffness}");
            assert_relative_eq!(v, leave.velocity, max_relative = 1e-9);
            // The ball leaves at that time for the first time.
            for part in 1..100 {
                let t = touch.time + (leave.time - touch.time) * f64::from(part) / 100.0;
                assert!(soft_state(1.0, 1.0, 9.81, &floor, t).0 < 0.0);
            }
        }
    }
}

#[test]
fn without_a_damper_the_ball_regains_its_height() {
    let floor = SpringDamper { stiffness: 1e4, damping: 0.0 };
    let events = contacts(1.0, 1.0, 9.81, &floor, 3.0);
    for event in &events {
        assert_relative_eq!(event.velocity.abs(), 19.62_f64.sqrt(), max_relative = 1e-12);
    }
    let (y, v) = soft_state(1.0, 1.0, 9.81, &floor, events[1].time + 19.62_f64.sqrt() / 9.81);
    assert_relative_eq!(y, 1.0, max_relative = 1e-12);
    assert!(v.abs() < 1e-12);
}

#[test]
fn bounces_on_a_rigid_floor_shrink_geometrically() {
    let floor = Restitution { coefficient: 0.8 };
    let events = bounces(1.0, 9.81, &floor, 3.9);
    let first = (2.0_f64 / 9.81).sqrt();
    for (n, event) in events.iter().enumerate() {
        // t_n = t_1 (1 + 2 (e + … + e^n)), a geometric sum
        let sum = 0.8 * (1.0 - 0.8_f64.powi(n as i32)) / 0.2;
        assert_relative_eq!(event.time, first * (1.0 + 2.0 * sum), max_relative = 1e-14);
        let (y, v) = rigid_state(1.0, 9.81, &floor, event.time);
        assert_eq!((y, v), (0.0, event.velocity));
    }
    assert!(events.len() > 10);
    // All bounces happen before t_1 (1 + e)/(1 − e), however late the end.
    assert!(bounces(1.0, 9.81, &floor, 10.0).iter().all(|event| event.time < 9.0 * first * (1.0 + 1e-14)));
}

#[test]
fn the_printed_setting_has_six_contacts_in_three_seconds() {
    // 1200 events of 100 balls: each touches and leaves six times.
    let floor = SpringDamper::default();
    assert_eq!(contacts(1.0, 1.0, 9.81, &floor, 3.0).len(), 12);
    let last = 1.0 + 99e-9;
    assert_eq!(contacts(last, 1.0, 9.81, &floor, 3.0).len(), 12);
    // events of neighbouring balls are 2.26e-10 s apart at first
    let [first, next] = [1.0, 1.0 + 1e-9].map(|height| contacts(height, 1.0, 9.81, &floor, 1.0)[0].time);
    assert_relative_eq!(next - first, 2.26e-10, max_relative = 2e-3);
}

#[test]
fn a_ball_without_energy_stays_at_rest() {
    let floor = SpringDamper { stiffness: 1000.0, damping: 20.0 };
    let events = contacts(0.1, 1.0, 9.81, &floor, 100.0);
    assert!(events.last().expect("it falls").velocity < 0.0);
    let (y, v) = soft_state(0.1, 1.0, 9.81, &floor, 100.0);
    assert_relative_eq!(y, -9.81e-3, max_relative = 1e-12);
    assert!(v.abs() < 1e-12);
}
