//! The motion of one ball on a rigid floor, in closed form between bounces.

use super::Restitution;

/// Largest number of bounces that are followed up to a time; this takes a few milliseconds.
const MOST: usize = 10_000;

/// Height (m) and upward velocity (m/s) at time `t` (s) of a ball that falls from rest at `height` (m) on a rigid
/// floor; NaN after more than `MOST` bounces.
pub fn rigid_state(height: f64, gravity: f64, floor: &Restitution, t: f64) -> (f64, f64) {
    let flight = |y: f64, v: f64, time: f64| (y + time * (v - 0.5 * gravity * time), v - gravity * time);
    let start = (2.0 * gravity * height).sqrt();
    // Times of the bounces, and the velocities just after them.
    let bounces = std::iter::successors(Some((start / gravity, start * floor.coefficient)), |&(before, velocity)| {
        let time = before + 2.0 * velocity / gravity;
        // Bounces accumulate at a finite time; once their distance is below the resolution of a double, the ball rests.
        (time != before).then_some((time, velocity * floor.coefficient))
    });
    match bounces.take_while(|&(time, _)| time <= t).enumerate().take(MOST + 1).last() {
        None => flight(height, 0.0, t),
        Some((MOST, _)) => (f64::NAN, f64::NAN),
        Some((_, (time, velocity))) if t > time && time + 2.0 * velocity / gravity == time => (0.0, 0.0),
        Some((_, (time, velocity))) => flight(0.0, velocity, t - time),
    }
}
