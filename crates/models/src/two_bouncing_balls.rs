//! Two balls on a vertical line over the ground, with undamped springs in both contacts (gil2013, section 3).

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, BenchmarkModel, Class, EventModel, Observable, Ode, OutOfRange, Scalar, View, parameters,
};

use crate::drawing::{ground, upright};

parameters! {
    /// Two equal balls that fall from rest, one above the other, onto each other and onto the ground. All contacts
    /// are undamped springs, so the motion is linear from event to event and the energy is conserved.
    ///
    /// The paper prints the stiffness and unit masses. Radius and heights are chosen here; they give 26 events in 3
    /// s, 12 of them between the balls.
    pub struct TwoBouncingBalls where all_are_apart {
        /// Radius `R` of each ball.
        pub radius: f64 [above 0.0, unit "m"] = 0.1,
        /// Height from which the centre of the upper ball falls; the balls start apart.
        pub height_1: f64 [unit "m"] = 1.5,
        /// Height from which the centre of the lower ball falls; it starts above the ground.
        pub height_2: f64 [unit "m"] = 0.7,
        /// Stiffness `K` of each contact.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 1e5,
        /// Mass of each ball.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
    }
}

impl TwoBouncingBalls {
    fn all_are_apart(&self) -> Result<(), OutOfRange> {
        let [balls, ground] = self.overlaps(&[self.height_1, self.height_2]);
        OutOfRange::unless(ground < 0.0, "height-2", self.height_2, "a height above the radius")?;
        let accepted = "a height more than two radii above the lower ball";
        OutOfRange::unless(balls < 0.0, "height-1", self.height_1, accepted)
    }
}

impl BenchmarkModel for TwoBouncingBalls {
    const NAME: &'static str = "two-bouncing-balls";
    const SUMMARY: &'static str = "two balls, one above the other, bouncing on undamped springs";
    const SOURCE: &'static str = "gil2013, section 3, Eqs. 19–21";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.height_1), S::from(self.height_2), S::zero(), S::zero()]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("y1", "m", "height of the upper ball's centre").of_class(Class::Position),
            Observable::new("y2", "m", "height of the lower ball's centre").of_class(Class::Position),
            Observable::new("v1", "m/s", "velocity of the upper ball, upwards").of_class(Class::Velocity),
            Observable::new("v2", "m/s", "velocity of the lower ball, upwards").of_class(Class::Velocity),
            Observable::new("overlap_balls", "m", "overlap of the balls; negative if they are apart"),
            Observable::new("overlap_ground", "m", "overlap of lower ball and ground; negative if they are apart"),
            Observable::new("energy", "J", "kinetic energy, gravity from the ground up, and springs in contact"),
            Observable::new("energy_change", "J", "change of the energy since the initial state"),
        ]
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        values[..4].copy_from_slice(y);
        values[4..6].copy_from_slice(&self.overlaps(y));
        let energy = self.energy(y);
        values[6] = energy;
        values[7] = energy - self.energy(&[self.height_1, self.height_2, 0.0, 0.0]);
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        let ball = |height: f64| Shape::Circle { centre: [0.0, height], radius: self.radius };
        let floor = ground([-4.0 * self.radius, 4.0 * self.radius], 0.0);
        vec![upright(["x", "y"], vec![floor, ("upper ball", ball(y[0])), ("lower ball", ball(y[1]))])]
    }
}

/// The state is `(y₁, y₂, y₁', y₂')` with `y₁` the upper ball (gil2013, Eq. 20). With overlaps `Ψ₁ = 2R − (y₁ − y₂)`
/// of the balls and `Ψ₂ = R − y₂` of lower ball and ground (Eq. 19), and a mass `m` that the paper sets to one (Eq.
/// 21),
///
/// ```text
/// y₁'' = −g + F₁/m,   y₂'' = −g − F₁/m + F₂/m,   F_i = K Ψ_i in contact, else 0
/// ```
///
/// The event functions are the gaps `−Ψ₁` and `−Ψ₂`, as in the other contact models; an entry of the configuration is
/// true if that contact is open.
impl EventModel for TwoBouncingBalls {
    fn sizes(&self) -> [usize; 2] {
        [4, 2]
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let [mut balls, mut ground] = self.overlaps(y).map(|overlap| overlap * self.stiffness / self.mass);
        if configuration[0] {
            balls = S::zero();
        }
        if configuration[1] {
            ground = S::zero();
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
    /// Overlaps `Ψ₁` and `Ψ₂` (gil2013, Eq. 19), m; positive in contact.
    fn overlaps<S: Scalar>(&self, y: &[S]) -> [S; 2] {
        [y[1] - y[0] + S::from(self.radius) * 2.0, -y[1] + self.radius]
    }

    /// Kinetic energy, gravity and contact springs, J; gravity's potential is zero at the ground.
    pub fn energy(&self, y: &[f64]) -> f64 {
        let springs: f64 = self.overlaps(y).iter().map(|overlap| overlap.max(0.0).powi(2)).sum();
        0.5 * self.mass * (y[2] * y[2] + y[3] * y[3])
            + self.mass * self.gravity * (y[0] + y[1])
            + 0.5 * self.stiffness * springs
    }
}
