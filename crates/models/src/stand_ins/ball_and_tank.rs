//! A bouncing ball beside a tank that runs empty: a stand-in for the third problem of Birta, Ören and Kettenis.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, BenchmarkModel, Class, EventKind, EventModel, Observable, Ode, Scalar, View, parameters,
};

use crate::bouncing_balls::{Restitution, exact};
use crate::drawing::{ground, upright};

parameters! {
    /// A ball that bounces with restitution, and beside it a tank that runs empty at a constant rate and is refilled
    /// instantly; a stand-in for the third problem of Birta, Ören and Kettenis, whose definition was not found.
    ///
    /// As in table 5.2 of compere2001, it has three states `(y, v, z)`, two unilateral functions that must not
    /// become negative, `g₁ = y` and `g₂ = z`, and events that come ever closer, 20 of them (16 bounces, 4 fillings)
    /// in [0, 3.64] s.
    pub struct BallAndTank {
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Height from which the ball falls.
        pub height: f64 [above 0.0, unit "m"] = 0.85,
        /// Coefficient of restitution of the floor, above 0 and at most 1.
        pub restitution: f64 [above 0.0, to 1.0, unit "1"] = 0.8,
        /// Level of the full tank; it is full at the start.
        pub level: f64 [above 0.0, unit "m"] = 0.9,
        /// Rate at which the level falls.
        pub outflow: f64 [above 0.0, unit "m/s"] = 1.0,
    }
}

impl BallAndTank {
    fn floor(&self) -> Restitution {
        Restitution { coefficient: self.restitution }
    }

    /// Distance of a level `z` from the closed form at `t`, m. Near a filling, a run may be on either side of the
    /// jump. There the lines before and after it count, too, each with the error by which its level lies outside
    /// the tank at `t`.
    fn level_error(&self, t: f64, z: f64) -> f64 {
        let exact = self.exact(t)[2];
        let from = |line: f64| (z - line).abs().max(line - self.level).max(-line);
        (z - exact).abs().min(from(exact - self.level)).min(from(exact + self.level))
    }

    /// The state `(y, v, z)`; at the time of a filling, the tank is full.
    pub fn exact(&self, t: f64) -> [f64; 3] {
        let (y, v) = exact::rigid_state(self.height, self.gravity, &self.floor(), t);
        [y, v, self.level - (self.outflow * t).rem_euclid(self.level)]
    }
}

impl BenchmarkModel for BallAndTank {
    const NAME: &'static str = "ball-and-tank";
    const SUMMARY: &'static str =
        "bouncing ball with restitution and a refilled tank; stand-in for Birta, Ören and Kettenis' third problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.1; our own definition";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.height), S::zero(), S::from(self.level)]
    }

    fn observables(&self) -> Vec<Observable> {
        let of_error = "larger difference of y and z from the closed form, allowing either side of a refilling";
        vec![
            Observable::new("y", "m", "height of the ball"),
            Observable::new("v", "m/s", "upward velocity of the ball"),
            Observable::new("z", "m", "level in the tank"),
            Observable::new("error", "m", of_error),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let exact = self.exact(t);
        values[..3].copy_from_slice(y);
        values[3] = (y[0] - exact[0]).abs().max(self.level_error(t, y[2]));
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position, Class::Velocity, Class::Position]
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let (right, top, radius) = (0.5 * self.level, self.level, 0.05 * self.height);
        let tank = Shape::Line(vec![[0.0, top], [0.0, 0.0], [right, 0.0], [right, top]]);
        let ball = Shape::Circle { centre: [-4.0 * radius, y[0] + radius], radius };
        let level = Shape::Line(vec![[0.0, y[2]], [right, y[2]]]);
        vec![upright(
            ["x", "y"],
            vec![ground([-8.0 * radius, 0.0], 0.0), ("tank", tank), ("ball", ball), ("level", level)],
        )]
    }
}

impl EventModel for BallAndTank {
    fn sizes(&self) -> [usize; 2] {
        [3, 2]
    }

    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Unilateral
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], _configuration: &[bool], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = S::from(-self.gravity);
        dydt[2] = S::from(-self.outflow);
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g[0] = y[0];
        g[1] = y[2];
    }

    fn jump<S: Scalar>(&self, index: usize, _t: S, y: &mut [S]) {
        if index == 0 {
            y[1] = -y[1] * self.restitution;
        } else {
            y[2] += S::from(self.level);
        }
    }
}
