//! A ball that bounces on the floor and between two walls: a stand-in for the third problem of Birta, Ören and
//! Kettenis.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, BenchmarkModel, Class, EventKind, EventModel, Observable, Ode, Scalar, View, parameters,
};

use crate::bouncing_balls::{Restitution, exact};
use crate::drawing::upright;

parameters! {
    /// A ball that bounces with restitution and moves back and forth between two walls without loss; a stand-in for
    /// the third problem of Birta, Ören and Kettenis, whose definition was not found.
    ///
    /// Like the original, it has two unilateral functions that must not become negative, `g₁ = y` and `g₂ = w² − x²`,
    /// and events that come ever closer, 20 of them (16 bounces, 4 turns) in [0, 3.64] s. The state is
    /// `(y, v, x, u)`. This is one component more than printed, because the direction of the horizontal motion, which
    /// only events change, is part of the state. Only for methods that locate events.
    pub struct BallBetweenWalls {
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Height from which the ball falls.
        pub height: f64 [above 0.0, unit "m"] = 0.85,
        /// Coefficient of restitution of the floor, above 0 and at most 1.
        pub restitution: f64 [above 0.0, to 1.0, unit "1"] = 0.8,
        /// Horizontal speed.
        pub speed: f64 [above 0.0, unit "m/s"] = 1.0,
        /// Distance `w` of each wall from the middle, where the ball starts.
        pub half_width: f64 [above 0.0, unit "m"] = 0.5,
    }
}

impl BallBetweenWalls {
    fn floor(&self) -> Restitution {
        Restitution { coefficient: self.restitution }
    }

    /// The state `(y, v, x, u)`.
    pub fn exact(&self, t: f64) -> [f64; 4] {
        let (y, v) = exact::rigid_state(self.height, self.gravity, &self.floor(), t);
        // A period of the triangular wave is four half widths.
        let way = (self.speed * t + self.half_width).rem_euclid(4.0 * self.half_width);
        if way < 2.0 * self.half_width {
            [y, v, way - self.half_width, self.speed]
        } else {
            [y, v, 3.0 * self.half_width - way, -self.speed]
        }
    }
}

impl BenchmarkModel for BallBetweenWalls {
    const NAME: &'static str = "ball-between-walls";
    const SUMMARY: &'static str =
        "ball bouncing between walls with restitution; stand-in for Birta, Ören and Kettenis' third problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.1; our own definition";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.height), S::zero(), S::zero(), S::from(self.speed)]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("y", "m", "height"),
            Observable::new("v", "m/s", "upward velocity of the ball"),
            Observable::new("x", "m", "horizontal distance from the middle"),
            Observable::new("u", "m/s", "horizontal velocity"),
            Observable::new("error", "m", "larger difference of y and x from the closed form"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let exact = self.exact(t);
        values[..4].copy_from_slice(y);
        values[4] = (y[0] - exact[0]).abs().max((y[2] - exact[2]).abs());
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position, Class::Velocity, Class::Position, Class::Velocity]
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let (half, top, radius) = (self.half_width, self.height, 0.03 * self.height);
        let walls = Shape::Line(vec![[-half, top], [-half, 0.0], [half, 0.0], [half, top]]);
        let ball = Shape::Circle { centre: [y[2], y[0]], radius };
        vec![upright(["x", "y"], vec![("walls", walls), ("ball", ball)])]
    }
}

impl EventModel for BallBetweenWalls {
    fn sizes(&self) -> [usize; 2] {
        [4, 2]
    }

    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Unilateral
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], _configuration: &[bool], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = S::from(-self.gravity);
        dydt[2] = y[3];
        dydt[3] = S::zero();
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g[0] = y[0];
        g[1] = -y[2] * y[2] + S::from(self.half_width) * self.half_width;
    }

    fn jump<S: Scalar>(&self, index: usize, _t: S, y: &mut [S]) {
        if index == 0 {
            y[1] = -y[1] * self.restitution;
        } else {
            y[3] = -y[3];
        }
    }
}
