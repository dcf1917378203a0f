//! Springs, dampers, forces and torques.

use mbsbench_problem::parameters;

use super::{At, Numbers};
use crate::formula::Formula;

parameters! {
    /// Forces and torques on bodies.
    pub enum Force {
        /// Spring and damper along the line between two markers; the tension is `k (l − l₀) + c l'`.
        Spring(Spring),
        /// Torsional spring and damper about an axis, against the angle between two markers: `k (φ − φ₀) + c φ'`.
        TorsionSpring(TorsionSpring),
        /// Springs and dampers along and about the axes of a marker, against displacements of another marker.
        Bushing(Bushing),
        /// A force at a marker.
        Force(Load),
        /// A torque on a body.
        Torque(Torque),
        /// A force along the line between two markers; positive values push them apart.
        Actuator(Actuator),
        /// A torque about an axis between two markers; positive values increase the angle of the second from the first.
        Motor(Motor),
        /// Contact of two balls (disks in the plane), beside each other or one inside the other.
        BallContact(BallContact),
        /// Contact of a ball (a disk in the plane) with a plane (a line).
        PlaneContact(PlaneContact),
    }

    /// A spring with a damper.
    pub struct Spring {
        /// Markers at the ends of the spring.
        pub between: [At; 2],
        /// Stiffness.
        pub stiffness: f64 [from 0.0, unit "N/m"] = default,
        /// Damping.
        pub damping: f64 [from 0.0, unit "N s/m"] = default,
        /// Free length; by default the initial length.
        pub length: Option<f64> [from 0.0, unit "m"],
    }

    /// A torsional spring with a damper.
    pub struct TorsionSpring {
        /// The two markers; alternatively `joint`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub between: Option<[At; 2]>,
        /// Revolute joint whose axis and markers are used; alternatively `between`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub joint: Option<String>,
        /// Axis in space, used with `between`; by default `[0, 0, 1]`, which is refused if a joint of the two bodies
        /// turns about another axis.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Stiffness.
        pub stiffness: f64 [from 0.0, unit "N m/rad"] = default,
        /// Damping.
        pub damping: f64 [from 0.0, unit "N m s/rad"] = default,
        /// Free angle of the second marker from the first. In space, angles lie between −π and π and jump
        /// beyond half a turn.
        pub angle: f64 [unit "rad"] = default,
    }

    /// Springs and dampers along and about all axes.
    pub struct Bushing {
        /// The markers; the axes are those of the first.
        pub between: [At; 2],
        /// Stiffness along the axes, then about them (for small rotations): three numbers in the
        /// plane, six in space.
        pub stiffness: Vec<f64> [from 0.0, unit "N/m, N m/rad"],
        /// Damping in the same order; zero by default.
        pub damping: Vec<f64> [from 0.0, unit "N s/m, N m s/rad"] = default,
        /// Dry friction; none by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub friction: Option<Friction>,
    }

    /// Dry friction between two markers: at the relative velocity `v`, a force `tanh(v/v₀)` times its largest value
    /// against `v`, and likewise a torque against the relative angular velocity.
    #[derive(Copy)]
    pub struct Friction {
        /// Largest force.
        pub force: f64 [from 0.0, unit "N"] = default,
        /// Largest torque.
        pub torque: f64 [from 0.0, unit "N m"] = default,
        /// Speed and rate `v₀` at which friction reaches 76 % of its largest value.
        #[serde(default = "slow")]
        pub slip_speed: f64 [above 0.0, unit "m/s, rad/s"],
    }

    /// A force at a marker.
    pub struct Load {
        /// Marker at which the force acts.
        pub on: At,
        /// Components of the force: formulas of time, coordinates and rates.
        pub force: Vec<Formula> [unit "N"],
        /// True if the components are along the axes of the marker, false if they are along those of the ground.
        pub follows: bool = default,
    }

    /// A torque on a body.
    pub struct Torque {
        /// Marker of the body on which the torque acts.
        pub on: At,
        /// Torque: one number in the plane, three components in space.
        pub torque: Numbers [unit "N m"],
        /// True if the components are along the axes of the marker, false if they are along those of the ground.
        pub follows: bool = default,
    }

    /// A force between two markers.
    pub struct Actuator {
        /// The markers.
        pub between: [At; 2],
        /// Force: a formula that can also use `length` (m) and `speed` (m/s) of the line between the markers.
        pub force: Formula [unit "N"],
    }

    /// A torque between two markers.
    pub struct Motor {
        /// The two markers; alternatively `joint`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub between: Option<[At; 2]>,
        /// Revolute joint that the motor drives, about the axis of the joint; alternatively `between`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub joint: Option<String>,
        /// Axis in space, used with `between`; by default `[0, 0, 1]`, which is refused if a joint of the two bodies
        /// turns about another axis.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Torque: a formula that can also use `angle` (rad) and `rate` (rad/s) of the second marker from the first.
        /// In space, the angle lies between −π and π and jumps beyond half a turn.
        pub torque: Formula [unit "N m"],
    }

    /// Contact law of bodies that overlap by `δ`: the normal force `max(0, k δⁿ (1 + d δ'))`, and the friction
    /// `μ tanh(v/v₀)` times the normal force against the sliding speed `v`.
    #[derive(Copy)]
    pub struct Touch {
        /// Stiffness `k`.
        pub stiffness: f64 [above 0.0, unit "N/mⁿ"],
        /// Exponent `n`; 1.5 for balls (Hertz).
        #[serde(default = "one")]
        pub exponent: f64 [from 1.0, to 3.0, unit "1"],
        /// Damping `d` (K. H. Hunt, F. R. E. Crossley 1975).
        pub damping: f64 [from 0.0, unit "s/m"] = default,
        /// Coefficient of friction `μ`.
        pub friction: f64 [from 0.0, unit "1"] = default,
        /// Sliding speed `v₀` at which friction reaches 76 % of its full value.
        #[serde(default = "slow")]
        pub slip_speed: f64 [above 0.0, unit "m/s"],
    }

    /// Contact of two balls.
    pub struct BallContact {
        /// Markers at the centres of the balls.
        pub between: [At; 2],
        /// Radii of the balls.
        pub radii: [f64; 2] [from 0.0, unit "m"],
        /// True if the second ball is inside the first, like a pin with clearance in its bearing.
        pub inside: bool = default,
        /// Contact law.
        pub touch: Touch,
    }

    /// Contact of a ball with a plane.
    pub struct PlaneContact {
        /// A marker of the plane, and the marker at the centre of the ball.
        pub between: [At; 2],
        /// Normal of the plane, towards the ball; by default `[0, 1]` in the plane and `[0, 0, 1]` in space.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Radius of the ball; zero for a point.
        pub radius: f64 [from 0.0, unit "m"] = default,
        /// Contact law.
        pub touch: Touch,
    }
}

fn one() -> f64 {
    1.0
}

fn slow() -> f64 {
    1e-3
}
