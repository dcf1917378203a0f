//! Joints between two markers.
//!
//! An axis is given by its components along the directions of both markers: where a joint holds, these agree.

use mbsbench_problem::parameters;

use super::At;
use crate::formula::Formula;

parameters! {
    /// What two markers have in common.
    pub enum Joint {
        /// One point; in space, an axis, too.
        Revolute(Hinge),
        /// Motion along an axis, without rotation.
        Prismatic(Slide),
        /// Motion along an axis and rotation about it, in space.
        Cylindrical(Sleeve),
        /// One point, in space.
        Spherical(Pair),
        /// One point, with an axis of the first marker and one of the second at right angles, in space.
        Universal(Turn),
        /// A plane of the first marker that the second stays in, with the same normal, in space.
        Planar(Line),
        /// All.
        Fixed(Pair),
        /// The distance from each other.
        Distance(Length),
        /// An axis of the first marker that the second stays on.
        PointOnLine(Line),
        /// Angles of two revolute joints with a ratio, in the plane.
        Gear(Gear),
        /// A rotation about an axis, given over time, beside a joint that leaves it free.
        Rotation(Drive),
        /// A distance along an axis, given over time, beside a joint that leaves it free.
        Translation(Drive),
        /// A marker that moves along its axis only, as a skate: its velocity across is zero, in the plane.
        KnifeEdge(Line),
        /// A disk that rolls on the plane `z = 0`, in space.
        Rolling(Rolling),
    }
}

parameters! {
    /// Two markers.
    pub struct Pair {
        /// The markers.
        pub between: [At; 2],
    }
}

parameters! {
    /// Two markers and the axis that a body turns about.
    pub struct Hinge {
        /// The markers.
        pub between: [At; 2],
        /// The axis, in space; `[0, 0, 1]` if it is not given.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Initial angle of the second marker from the first, if the joint places a body.
        pub angle: Formula [unit "rad"] = default,
        /// Its rate.
        pub rate: Formula [unit "rad/s"] = default,
    }
}

parameters! {
    /// Two markers and the axis that a body moves along.
    pub struct Slide {
        /// The markers.
        pub between: [At; 2],
        /// The axis; `[1, 0]` or `[1, 0, 0]` if it is not given.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Initial distance of the second marker from the first along it, if the joint places a body.
        pub distance: Formula [unit "m"] = default,
        /// Its rate.
        pub speed: Formula [unit "m/s"] = default,
    }
}

parameters! {
    /// Two markers and the axis that a body turns about and moves along.
    pub struct Sleeve {
        /// The markers.
        pub between: [At; 2],
        /// The axis; `[0, 0, 1]` if it is not given.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Initial angle of the second marker from the first, if the joint places a body.
        pub angle: Formula [unit "rad"] = default,
        /// Initial distance along the axis.
        pub distance: Formula [unit "m"] = default,
    }
}

parameters! {
    /// Two markers and an axis of each.
    pub struct Turn {
        /// The markers.
        pub between: [At; 2],
        /// Axes of the first and of the second marker; `z` and `x` if they are not given.
        pub axes: Vec<Vec<f64>> [unit "1"] = default,
    }
}

parameters! {
    /// Two markers and a line through the first.
    pub struct Line {
        /// The markers; for a knife edge, the one on the ground and that of the edge.
        pub between: [At; 2],
        /// Direction of the line, or the normal of a plane; `[1, 0]` in the plane and `[0, 0, 1]` in space if it is not given.
        pub axis: Vec<f64> [unit "1"] = default,
    }
}

parameters! {
    /// Two markers at a distance.
    pub struct Length {
        /// The markers.
        pub between: [At; 2],
        /// Their distance; as it is at the start if it is not given.
        pub length: Option<f64> [above 0.0, unit "m"],
    }
}

parameters! {
    /// Two revolute joints whose angles go together.
    pub struct Gear {
        /// The joints.
        pub joints: [String; 2],
        /// Change of the second angle over that of the first; below zero for wheels that mesh outside.
        pub ratio: f64 [unit "1"],
    }
}

parameters! {
    /// What is given over time.
    pub struct Drive {
        /// The markers.
        pub between: [At; 2],
        /// The axis; `[0, 0, 1]` of a rotation and `x` of a translation if it is not given, which is refused if a joint
        /// of the two bodies has another.
        pub axis: Vec<f64> [unit "1"] = default,
        /// The angle of the second marker from the first, or the distance: a formula in `t`.
        pub law: Formula [unit "rad or m"],
    }
}

parameters! {
    /// A disk that rolls on the plane `z = 0` without slip.
    pub struct Rolling {
        /// Its centre.
        pub body: At,
        /// Its axis; `[0, 0, 1]` if it is not given.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Its radius.
        pub radius: f64 [above 0.0, unit "m"],
    }
}

/// The axis of a joint that turns about one, where none is given.
pub const ABOUT: [f64; 3] = [0.0, 0.0, 1.0];

/// The axis of a joint along one, where none is given.
pub const ALONG: [f64; 3] = [1.0, 0.0, 0.0];

/// The axis of a joint as written, empty where it is not given, and its default.
pub type Axis<'j> = (&'j [f64], [f64; 3]);

impl Joint {
    /// The markers that it is between, with its axis and the default of that if it has one; none of a gear and of a rolling disk.
    pub fn connection(&self) -> Option<(&[At; 2], Option<Axis<'_>>)> {
        Some(match self {
            Self::Revolute(Hinge { between, axis, .. })
            | Self::Cylindrical(Sleeve { between, axis, .. })
            | Self::Planar(Line { between, axis })
            | Self::Rotation(Drive { between, axis, .. }) => (between, Some((axis, ABOUT))),
            Self::Prismatic(Slide { between, axis, .. })
            | Self::PointOnLine(Line { between, axis })
            | Self::KnifeEdge(Line { between, axis })
            | Self::Translation(Drive { between, axis, .. }) => (between, Some((axis, ALONG))),
            Self::Universal(Turn { between, .. })
            | Self::Distance(Length { between, .. })
            | Self::Spherical(Pair { between })
            | Self::Fixed(Pair { between }) => (between, None),
            Self::Gear(_) | Self::Rolling(_) => return None,
        })
    }

    /// True if the joint is moved over time, beside one that leaves its motion free.
    pub fn is_drive(&self) -> bool {
        matches!(self, Self::Rotation(_) | Self::Translation(_))
    }
}
