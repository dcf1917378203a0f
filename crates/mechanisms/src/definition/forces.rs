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
        /// Stiffness, N/m.
        #[serde(default)]
        pub stiffness: f64 [from 0.0],
        /// Damping, N s/m.
        #[serde(default)]
        pub damping: f64 [from 0.0],
        /// Free length, m; as it is at the start where it is not given.
        #[serde(default)]
        pub length: Option<f64> [from 0.0],
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
        #[serde(default)]
        pub axis: Vec<f64>,
        /// Stiffness, N m/rad.
        #[serde(default)]
        pub stiffness: f64 [from 0.0],
        /// Damping, N m s/rad.
        #[serde(default)]
        pub damping: f64 [from 0.0],
        /// Free angle of the second marker from the first, rad. In space angles are from −π to π: beyond half a turn
        /// they jump.
        #[serde(default)]
        pub angle: f64,
    }
}

parameters! {
    /// Springs and dampers along all directions.
    pub struct Bushing {
        /// The markers; the directions are those of the first.
        pub between: [At; 2],
        /// Stiffness along the directions, N/m, and then about them, N m/rad (small rotations): three in the plane, six in space.
        pub stiffness: Vec<f64> [from 0.0],
        /// Damping, N s/m and N m s/rad; none where it is not given.
        #[serde(default)]
        pub damping: Vec<f64> [from 0.0],
    }
}

parameters! {
    /// A force at a marker.
    pub struct Load {
        /// Where.
        pub on: At,
        /// Components, N: formulas of time, coordinates and rates.
        pub force: Vec<Formula>,
        /// Whether they are along the directions of the marker, and not of the ground.
        #[serde(default)]
        pub follows: bool,
    }
}

parameters! {
    /// A torque on a body.
    pub struct Torque {
        /// On what.
        pub on: At,
        /// N m: one in the plane, three components in space.
        pub torque: Numbers,
        /// Whether they are along the directions of the marker, and not of the ground.
        #[serde(default)]
        pub follows: bool,
    }
}

parameters! {
    /// A force between two markers.
    pub struct Actuator {
        /// The markers.
        pub between: [At; 2],
        /// N; beside what all formulas know, `length` (m) and `speed` (m/s) of the line between.
        pub force: Formula,
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
        #[serde(default)]
        pub axis: Vec<f64>,
        /// N m; beside what all formulas know, `angle` (rad) and `rate` (rad/s) of the second marker from the first. In
        /// space the angle is from −π to π: beyond half a turn it jumps.
        pub torque: Formula,
    }
}

parameters! {
    /// How bodies push each other where they overlap by `δ`: with `max(0, k δⁿ (1 + d δ'))` along the normal, and with friction
    /// `μ tanh(v/v₀)` times that against the speed of sliding `v`.
    pub struct Touch {
        /// Stiffness `k`, N/mⁿ.
        pub stiffness: f64 [above 0.0],
        /// Exponent `n`; 1.5 for balls (Hertz).
        #[serde(default = "one")]
        pub exponent: f64 [from 1.0, to 3.0],
        /// Damping `d`, s/m (K. H. Hunt, F. R. E. Crossley 1975).
        #[serde(default)]
        pub damping: f64 [from 0.0],
        /// Coefficient of friction `μ`.
        #[serde(default)]
        pub friction: f64 [from 0.0],
        /// Speed `v₀` of sliding, m/s, at which friction has 76 % of its size.
        #[serde(default = "slow")]
        pub slip_speed: f64 [above 0.0],
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
        /// Their radii, m.
        pub radii: [f64; 2] [from 0.0],
        /// Whether the second is inside the first, as a pin with clearance is inside its bearing.
        #[serde(default)]
        pub inside: bool,
        /// How they push each other.
        pub touch: Touch,
    }
}

parameters! {
    /// A plane and a ball.
    pub struct PlaneContact {
        /// A marker of the plane, and the centre of the ball.
        pub between: [At; 2],
        /// The normal of the plane to the side where the ball is; `[0, 1]` in the plane and `[0, 0, 1]` in space where it is not given.
        #[serde(default)]
        pub axis: Vec<f64>,
        /// Radius of the ball, m; zero for a point.
        #[serde(default)]
        pub radius: f64 [from 0.0],
        /// How they push each other.
        pub touch: Touch,
    }
}
