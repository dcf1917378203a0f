//! The equations of motion of independent balls.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, Class, EventKind, EventModel, Formulated, Model, Observable, Observation, Ode, Scalar, View,
};

use super::{BouncingBalls, Contact};
use crate::drawing::{ground, upright};

/// Most balls that are drawn.
const MOST_BESIDE: usize = 20;

/// `y_i'' = −g`, and with a spring-damper floor `y_i'' = −g − (k y_i + c v_i)/m` below `g_i = y_i = 0`;
/// state `(y_1 … y_N, v_1 … v_N)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Balls {
    parameters: BouncingBalls,
}

impl Balls {
    /// The balls for parameters in range.
    #[must_use]
    pub fn new(parameters: BouncingBalls) -> Self {
        Self { parameters }
    }

    /// Kinetic energy, gravity and, with a spring-damper floor, its springs, J; zero for balls at rest on the floor.
    #[must_use]
    pub fn energy(&self, y: &[f64]) -> f64 {
        let BouncingBalls { count, mass, gravity, ref contact, .. } = self.parameters;
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

impl EventModel for Balls {
    fn dimension(&self) -> usize {
        2 * self.parameters.count
    }

    fn functions(&self) -> usize {
        self.parameters.count
    }

    fn kind(&self, _index: usize) -> EventKind {
        match self.parameters.contact {
            Contact::SpringDamper(_) => EventKind::Bilateral,
            Contact::Restitution(_) => EventKind::Unilateral,
        }
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let BouncingBalls { count, mass, gravity, ref contact, .. } = self.parameters;
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
        g.copy_from_slice(&y[..self.parameters.count]);
    }

    fn jump<S: Scalar>(&self, index: usize, _t: S, y: &mut [S]) {
        if let Contact::Restitution(floor) = &self.parameters.contact {
            let velocity = &mut y[self.parameters.count + index];
            *velocity = -*velocity * floor.coefficient;
        }
    }
}

impl<S: Scalar> Formulated<S> for Balls {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state(&self) -> Vec<S> {
        let BouncingBalls { count, height, spacing, .. } = self.parameters;
        let heights = (0..count).map(|i| S::from(spacing) * i as f64 + height);
        heights.chain((0..count).map(|_| S::nought())).collect()
    }
}

impl Model for Balls {
    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("y", "m", "height of the first ball"),
            Observable::new("v", "m/s", "velocity of the first ball, upwards"),
            Observable::new("y_last", "m", "height of the last ball"),
            Observable::new("v_last", "m/s", "velocity of the last ball, upwards"),
            Observable::new("energy", "J", "total energy with the springs of the floor, zero at rest on it"),
            Observable::new("contacts", "1", "number of balls below the floor's surface"),
            Observable::new("penetration", "m", "largest depth of a ball below the floor's surface"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|_t: f64, y: &[f64], values: &mut [f64]| {
            let n = self.parameters.count;
            let contacts = y[..n].iter().filter(|&&y| y < 0.0).count();
            let penetration = y[..n].iter().fold(0.0, |depth: f64, y| depth.max(-y));
            values.copy_from_slice(&[y[0], y[n], y[n - 1], y[2 * n - 1], self.energy(y), contacts as f64, penetration]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        let n = self.parameters.count;
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }

    /// The first twenty balls side by side; they are points to the equations, and drawn with a radius.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let radius = 0.05 * self.parameters.height;
        let heights = &y[..self.parameters.count.min(MOST_BESIDE)];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bouncing_balls::{Restitution, SpringDamper};
    use mbsbench_problem::{AsEventOde, DoubleDouble, EventFunctions, Ode};

    #[test]
    fn the_floor_pushes_only_what_is_in_it() {
        let balls = Balls::new(BouncingBalls {
            count: 2,
            mass: 2.0,
            contact: Contact::SpringDamper(SpringDamper { stiffness: 100.0, damping: 3.0 }),
            ..BouncingBalls::default()
        });
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
        let balls = Balls::new(BouncingBalls { count: 2, contact, ..BouncingBalls::default() });
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
        let balls = Balls::new(BouncingBalls { count: 1, ..BouncingBalls::default() });
        let (y, v) = (-1e-4_f64, -3.0_f64);
        let mut dydt = [0.0; 2];
        balls.rhs(0.0, &[y, v], &[false], &mut dydt);
        // dE/dt = m v a + m g v + k y v, which has to be −c v²
        let power = v * dydt[1] + 9.81 * v + 2e7 * y * v;
        assert!((power + 600.0 * v * v).abs() < 1e-11 * 5400.0);
        let step = 1e-9;
        let moved = balls.energy(&[y + step * dydt[0], v + step * dydt[1]]);
        let back = balls.energy(&[y - step * dydt[0], v - step * dydt[1]]);
        assert!(((moved - back) / (2.0 * step) + 5400.0).abs() < 1e-3 * 5400.0);
    }

    #[test]
    fn heights_are_exact_in_double_double() {
        let balls = Balls::new(BouncingBalls::default());
        let precise: Vec<DoubleDouble> = balls.initial_state();
        let difference = precise[99] - precise[0] - DoubleDouble::from(1e-9) * 99.0;
        assert!(difference.value().abs() < 1e-30);
    }
}
