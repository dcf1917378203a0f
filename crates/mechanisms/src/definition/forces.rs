//! Springs, dampers, forces and torques.

use mbsbench_problem::parameters;

use super::{At, Numbers};
use crate::formula::Formula;

parameters! {
    /// What acts on bodies.
    pub enum Force {
        /// Along the line between two markers: `k (l − l₀) + c l'` pulls.
        Spring(Spring),
        /// About an axis, against the angle of two markers: `k (φ − φ₀) + c φ'`.
        TorsionSpring(TorsionSpring),
        /// Along and about the directions of a marker, against displacements of another from it.
        Bushing(Bushing),
        /// A force at a marker.
        Force(Load),
        /// A torque on a body.
        Torque(Torque),
        /// A force along the line between two markers, which pushes them apart.
        Actuator(Actuator),
        /// A torque about an axis between two markers, which increases the angle of the second from the first.
        Motor(Motor),
        /// Two balls (in the plane: disks) that push each other where they overlap; or one inside the other.
        BallContact(BallContact),
        /// A ball (in the plane: a disk) that is pushed by a plane (a line) where it reaches below.
        PlaneContact(PlaneContact),
    }
}

parameters! {
    /// A spring with a damper.
    pub struct Spring {
        /// Its ends.
        pub between: [At; 2],
        /// Stiffness.
        pub stiffness: f64 [from 0.0, unit "N/m"] = default,
        /// Damping.
        pub damping: f64 [from 0.0, unit "N s/m"] = default,
        /// Free length; as it is at the start if it is not given.
        pub length: Option<f64> [from 0.0, unit "m"],
    }
}

parameters! {
    /// A torsional spring with a damper.
    pub struct TorsionSpring {
        /// The markers, or `joint`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub between: Option<[At; 2]>,
        /// The revolute joint that it acts in, about the axis of the joint; or `between`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub joint: Option<String>,
        /// The axis, in space, with `between`; `[0, 0, 1]` if it is not given, which is refused if a joint of the two
        /// bodies turns about another.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Stiffness.
        pub stiffness: f64 [from 0.0, unit "N m/rad"] = default,
        /// Damping.
        pub damping: f64 [from 0.0, unit "N m s/rad"] = default,
        /// Free angle of the second marker from the first. In space angles are from −π to π: beyond half a turn
        /// they jump.
        pub angle: f64 [unit "rad"] = default,
    }
}

parameters! {
    /// Springs and dampers along all directions.
    pub struct Bushing {
        /// The markers; the directions are those of the first.
        pub between: [At; 2],
        /// Stiffness along the directions, and then about them (small rotations): three in the plane, six in space.
        pub stiffness: Vec<f64> [from 0.0, unit "N/m, N m/rad"],
        /// Damping; none if it is not given.
        pub damping: Vec<f64> [from 0.0, unit "N s/m, N m s/rad"] = default,
    }
}

parameters! {
    /// A force at a marker.
    pub struct Load {
        /// Where.
        pub on: At,
        /// Components: formulas of time, coordinates and rates.
        pub force: Vec<Formula> [unit "N"],
        /// True if they are along the directions of the marker, false for those of the ground.
        pub follows: bool = default,
    }
}

parameters! {
    /// A torque on a body.
    pub struct Torque {
        /// On what.
        pub on: At,
        /// Torque: one number in the plane, three components in space.
        pub torque: Numbers [unit "N m"],
        /// True if they are along the directions of the marker, false for those of the ground.
        pub follows: bool = default,
    }
}

parameters! {
    /// A force between two markers.
    pub struct Actuator {
        /// The markers.
        pub between: [At; 2],
        /// Force, a formula that can also use `length` (m) and `speed` (m/s) of the line between.
        pub force: Formula [unit "N"],
    }
}

parameters! {
    /// A torque between two markers.
    pub struct Motor {
        /// The markers, or `joint`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub between: Option<[At; 2]>,
        /// The revolute joint that it drives, about the axis of the joint; or `between`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub joint: Option<String>,
        /// The axis, in space, with `between`; `[0, 0, 1]` if it is not given, which is refused if a joint of the two
        /// bodies turns about another.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Torque, a formula that can also use `angle` (rad) and `rate` (rad/s) of the second marker from the first. In
        /// space the angle is from −π to π: beyond half a turn it jumps.
        pub torque: Formula [unit "N m"],
    }
}

parameters! {
    /// How bodies push each other where they overlap by `δ`: with `max(0, k δⁿ (1 + d δ'))` along the normal, and with friction
    /// `μ tanh(v/v₀)` times that against the speed of sliding `v`.
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
        /// Speed `v₀` of sliding, at which friction has 76 % of its size.
        #[serde(default = "slow")]
        pub slip_speed: f64 [above 0.0, unit "m/s"],
    }
}

fn one() -> f64 {
    1.0
}

fn slow() -> f64 {
    1e-3
}

parameters! {
    /// Two balls.
    pub struct BallContact {
        /// Their centres.
        pub between: [At; 2],
        /// Their radii.
        pub radii: [f64; 2] [from 0.0, unit "m"],
        /// True if the second is inside the first, as a pin with clearance is inside its bearing.
        pub inside: bool = default,
        /// How they push each other.
        pub touch: Touch,
    }
}

parameters! {
    /// A plane and a ball.
    pub struct PlaneContact {
        /// A marker of the plane, and the centre of the ball.
        pub between: [At; 2],
        /// The normal of the plane to the side where the ball is; `[0, 1]` in the plane and `[0, 0, 1]` in space if it is not given.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Radius of the ball; zero for a point.
        pub radius: f64 [from 0.0, unit "m"] = default,
        /// How they push each other.
        pub touch: Touch,
    }
}
