//! The equations of motion of the two balls.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{AsEventOde, Class, EventModel, Formulated, Model, Observable, Observation, Ode, Scalar, View};

use super::TwoBouncingBalls;
use crate::drawing::{ground, upright};

/// State `(y₁, y₂, y₁', y₂')` with `y₁` the upper ball (gil2013, Eq. 20), overlaps `Ψ₁ = 2R − (y₁ − y₂)` of the balls and
/// `Ψ₂ = R − y₂` of lower ball and ground (Eq. 19), and, with a mass `m` that the paper sets to one (Eq. 21),
///
/// ```text
/// y₁'' = −g + F₁/m,   y₂'' = −g − F₁/m + F₂/m,   F_i = K Ψ_i in contact, else 0
/// ```
///
/// The event functions are the gaps `−Ψ₁` and `−Ψ₂`, as in the other models of contact: an entry of the
/// configuration says whether that contact is open.
impl EventModel for TwoBouncingBalls {
    fn dimension(&self) -> usize {
        4
    }

    fn functions(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let [mut balls, mut ground] = self.overlaps(y).map(|overlap| overlap * self.stiffness / self.mass);
        if configuration[0] {
            balls = S::nought();
        }
        if configuration[1] {
            ground = S::nought();
        }
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = balls - self.gravity;
        dydt[3] = ground - balls - self.gravity;
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g.copy_from_slice(&self.overlaps(y).map(|overlap| -overlap));
    }
}

impl TwoBouncingBalls {
    /// `Ψ₁` and `Ψ₂` (gil2013, Eq. 19), m; above zero in contact.
    pub(super) fn overlaps<S: Scalar>(&self, y: &[S]) -> [S; 2] {
        [y[1] - y[0] + S::from(self.radius) * 2.0, -y[1] + self.radius]
    }

    /// Kinetic energy, gravity and the springs in contact, J; gravity's potential is zero at the ground.
    #[must_use]
    pub fn energy(&self, y: &[f64]) -> f64 {
        let springs: f64 = self.overlaps(y).iter().map(|overlap| overlap.max(0.0).powi(2)).sum();
        0.5 * self.mass * (y[2] * y[2] + y[3] * y[3])
            + self.mass * self.gravity * (y[0] + y[1])
            + 0.5 * self.stiffness * springs
    }
}

impl<S: Scalar> Formulated<S> for TwoBouncingBalls {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state(&self) -> Vec<S> {
        vec![S::from(self.height_1), S::from(self.height_2), S::nought(), S::nought()]
    }
}

impl Model for TwoBouncingBalls {
    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("y1", "m", "height of the upper ball's centre").of_class(Class::Position),
            Observable::new("y2", "m", "height of the lower ball's centre").of_class(Class::Position),
            Observable::new("v1", "m/s", "velocity of the upper ball, upwards").of_class(Class::Velocity),
            Observable::new("v2", "m/s", "velocity of the lower ball, upwards").of_class(Class::Velocity),
            Observable::new("overlap_balls", "m", "overlap of the balls; below zero where they are apart"),
            Observable::new("overlap_ground", "m", "overlap of lower ball and ground; below zero where they are apart"),
            Observable::new("energy", "J", "kinetic energy, gravity from the ground up, and springs in contact"),
            Observable::new("energy_change", "J", "energy less that of the initial state"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|_t: f64, y: &[f64], values: &mut [f64]| {
            values[..4].copy_from_slice(y);
            values[4..6].copy_from_slice(&self.overlaps(y));
            let energy = self.energy(y);
            values[6] = energy;
            values[7] = energy - self.energy(&[self.height_1, self.height_2, 0.0, 0.0]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position, Class::Position, Class::Velocity, Class::Velocity]
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let ball = |height: f64| Shape::Circle { centre: [0.0, height], radius: self.radius };
        let floor = ground([-4.0 * self.radius, 4.0 * self.radius], 0.0);
        vec![upright(["x", "y"], vec![floor, ("upper ball", ball(y[0])), ("lower ball", ball(y[1]))])]
    }
}
