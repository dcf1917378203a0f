//! Independent balls over a floor (compere2001, section 5.3.3).
//!
//! Heights that differ by a nanometre give groups of events 0.226 ns apart, the case that regions of
//! concurrency are made for.

pub mod exact;

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, BenchmarkModel, Class, EventKind, EventModel, Observable, Ode, Scalar, View, parameters,
};

use crate::drawing::{ground, upright};

parameters! {
    /// Balls that fall side by side on a floor and do not touch each other.
    ///
    /// The dissertation gives the number of balls and the difference in height, and describes the contact as a spring
    /// with a damper. Mass, stiffness, damping and height are chosen here: the height follows from the printed
    /// 2.26e-10 s between events; the contact reproduces the printed counts of events.
    pub struct BouncingBalls {
        /// Number of balls, limited so that the full matrices of implicit methods fit into memory.
        pub count: usize [from 1, to 4000] = 100,
        /// Mass of a ball.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Height from which the first ball falls.
        pub height: f64 [above 0.0, unit "m"] = 1.0,
        /// Difference in height from each ball to the next.
        pub spacing: f64 [from 0.0, unit "m"] = 1e-9,
        /// Contact with the floor.
        pub contact: Contact = Contact::SpringDamper(SpringDamper::default()),
    }

    /// Contact of a ball with the floor.
    #[derive(Copy)]
    pub enum Contact {
        /// Compliant floor: bilateral events, two for each bounce.
        SpringDamper(SpringDamper),
        /// The velocity jumps: unilateral events, one for each bounce. Only for methods that locate events.
        Restitution(Restitution),
    }

    /// A floor with the force `F = −k y − c v` for `y < 0`; it may pull just before the ball leaves.
    #[derive(Copy)]
    pub struct SpringDamper {
        /// Stiffness `k`.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 2e7,
        /// Damping `c`.
        pub damping: f64 [from 0.0, unit "N s/m"] = 600.0,
    }

    /// A rigid floor: `v → −e v`.
    #[derive(Copy)]
    pub struct Restitution {
        /// Coefficient of restitution `e`, above 0 and at most 1.
        pub coefficient: f64 [above 0.0, to 1.0, unit "1"] = 0.8,
    }
}

impl BenchmarkModel for BouncingBalls {
    const NAME: &'static str = "bouncing-balls";
    const SUMMARY: &'static str = "independent balls bouncing on a floor, with spring and damper or with restitution";
    const SOURCE: &'static str = "compere2001, section 5.3.3";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        let BouncingBalls { count, height, spacing, .. } = *self;
        let heights = (0..count).map(|i| S::from(spacing) * i as f64 + height);
        heights.chain((0..count).map(|_| S::zero())).collect()
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("y", "m", "height of the first ball"),
            Observable::new("v", "m/s", "velocity of the first ball, upwards"),
            Observable::new("y_last", "m", "height of the last ball"),
            Observable::new("v_last", "m/s", "velocity of the last ball, upwards"),
            Observable::new("energy", "J", "total energy including the floor springs, zero at rest on the floor"),
            Observable::new("contacts", "1", "number of balls below the floor's surface"),
            Observable::new("penetration", "m", "largest depth of a ball below the floor's surface"),
        ]
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        let n = self.count;
        let contacts = y[..n].iter().filter(|&&y| y < 0.0).count();
        let penetration = y[..n].iter().fold(0.0, |depth: f64, y| depth.max(-y));
        values.copy_from_slice(&[y[0], y[n], y[n - 1], y[2 * n - 1], self.energy(y), contacts as f64, penetration]);
    }

    fn classes(&self) -> Vec<Class> {
        let n = self.count;
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }

    /// The first twenty balls side by side, drawn with a radius although they are points in the equations.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let radius = 0.05 * self.height;
        let heights = &y[..self.count.min(MOST_BESIDE)];
        let place = |i: usize| 3.0 * radius * i as f64;
        let ball =
            |(i, height): (usize, &f64)| ("balls", Shape::Circle { centre: [place(i), height + radius], radius });
        let floor = ground([-2.0 * radius, place(heights.len() - 1) + 2.0 * radius], 0.0);
        vec![upright(
            ["beside one another", "y"],
            std::iter::once(floor).chain(heights.iter().enumerate().map(ball)).collect(),
        )]
    }
}

/// Largest number of balls that are drawn.
const MOST_BESIDE: usize = 20;

impl BouncingBalls {
    /// Kinetic energy, gravity and, with a spring-damper floor, elastic energy, J; zero for balls at rest on the floor.
    pub fn energy(&self, y: &[f64]) -> f64 {
        let BouncingBalls { count, mass, gravity, ref contact, .. } = *self;
        let (heights, velocities) = y.split_at(count);
        heights
            .iter()
            .zip(velocities)
            .map(|(&y, &v)| {
                let spring = match contact {
                    Contact::SpringDamper(floor) if y < 0.0 => 0.5 * floor.stiffness * y * y,
                    _ => 0.0,
                };
                0.5 * mass * v * v + mass * gravity * y + spring
            })
            .sum()
    }
}

/// `y_i'' = −g`, and with a spring-damper floor `y_i'' = −g − (k y_i + c v_i)/m` below `g_i = y_i = 0`;
/// state `(y_1 … y_N, v_1 … v_N)`.
impl EventModel for BouncingBalls {
    fn sizes(&self) -> [usize; 2] {
        [2 * self.count, self.count]
    }

    fn kind(&self, _index: usize) -> EventKind {
        match self.contact {
            Contact::SpringDamper(_) => EventKind::Bilateral,
            Contact::Restitution(_) => EventKind::Unilateral,
        }
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let BouncingBalls { count, mass, gravity, ref contact, .. } = *self;
        let (heights, velocities) = y.split_at(count);
        let (rates, accelerations) = dydt.split_at_mut(count);
        rates.copy_from_slice(velocities);
        accelerations.fill(S::from(-gravity));
        if let Contact::SpringDamper(floor) = contact {
            for (i, acceleration) in accelerations.iter_mut().enumerate().filter(|&(i, _)| !configuration[i]) {
                *acceleration -= (heights[i] * floor.stiffness + velocities[i] * floor.damping) / mass;
            }
        }
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g.copy_from_slice(&y[..self.count]);
    }

    fn jump<S: Scalar>(&self, index: usize, _t: S, y: &mut [S]) {
        if let Contact::Restitution(floor) = &self.contact {
            let velocity = &mut y[self.count + index];
            *velocity = -*velocity * floor.coefficient;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::{AsEventOde, DoubleDouble, EventFunctions, Ode, Parameters};

    #[test]
    fn the_floor_pushes_only_balls_below_its_surface() {
        let balls = BouncingBalls {
            count: 2,
            mass: 2.0,
            contact: Contact::SpringDamper(SpringDamper { stiffness: 100.0, damping: 3.0 }),
            ..BouncingBalls::default()
        };
        let mut ode = AsEventOde::<_, f64>::new(&balls);
        let mut dydt = [0.0; 4];
        ode.rhs(0.0, &[0.5, -0.25, 1.0, -2.0], &mut dydt).unwrap();
        assert_eq!(dydt, [1.0, -2.0, -9.81, -9.81 + (25.0 + 6.0) / 2.0]);
        ode.lock(Some(&[false, true]));
        ode.rhs(0.0, &[0.5, -0.25, 1.0, -2.0], &mut dydt).unwrap();
        assert_eq!(dydt, [1.0, -2.0, -9.81 - (50.0 + 3.0) / 2.0, -9.81], "the locked spring also pulls");
    }

    #[test]
    fn restitution_reverses_one_ball() {
        let contact = Contact::Restitution(Restitution { coefficient: 0.5 });
        let balls = BouncingBalls { count: 2, contact, ..BouncingBalls::default() };
        let mut y = [0.0, 0.0, -3.0, -4.0];
        balls.jump(1, 0.0, &mut y);
        assert_eq!(y, [0.0, 0.0, -3.0, 2.0]);
        assert_eq!(balls.kind(1), EventKind::Unilateral);
        let mut dydt = [0.0; 4];
        balls.rhs(0.0, &[-1.0, 1.0, 2.0, 3.0], &[false, true], &mut dydt);
        assert_eq!(dydt, [2.0, 3.0, -9.81, -9.81], "a rigid floor has no force");
    }

    #[test]
    fn energy_decreases_by_the_power_of_the_damper() {
        let balls = BouncingBalls { count: 1, ..BouncingBalls::default() };
        let (y, v) = (-1e-4_f64, -3.0_f64);
        let mut dydt = [0.0; 2];
        balls.rhs(0.0, &[y, v], &[false], &mut dydt);
        // dE/dt = m v a + m g v + k y v has to equal −c v²
        let power = v * dydt[1] + 9.81 * v + 2e7 * y * v;
        assert!((power + 600.0 * v * v).abs() < 1e-11 * 5400.0);
        let step = 1e-9;
        let moved = balls.energy(&[y + step * dydt[0], v + step * dydt[1]]);
        let back = balls.energy(&[y - step * dydt[0], v - step * dydt[1]]);
        assert!(((moved - back) / (2.0 * step) + 5400.0).abs() < 1e-3 * 5400.0);
    }

    #[test]
    fn heights_are_exact_in_double_double() {
        let balls = BouncingBalls::default();
        let precise: Vec<DoubleDouble> = balls.initial_state();
        let difference = precise[99] - precise[0] - DoubleDouble::from(1e-9) * 99.0;
        assert!(difference.value().abs() < 1e-30);
    }

    /// A billion balls used to be accepted, and exhausted the memory before the first run.
    #[test]
    fn too_many_balls_are_refused() {
        let check = |count| BouncingBalls { count, ..BouncingBalls::default() }.check();
        assert_eq!(check(4000), Ok(()));
        assert!(check(1_000_000_000).is_err_and(|error| error.field == "count"));
    }
}
