//! Joints between two markers.
//!
//! An axis is given by its components in both markers, which agree if the joint is closed.

use mbsbench_problem::parameters;

use super::At;
use crate::formula::Formula;

parameters! {
    /// Joints, each by the relation between its two markers.
    pub enum Joint {
        /// Hinge: a common point and, in space, a common axis.
        Revolute(Hinge),
        /// Slider: motion along an axis, without rotation.
        Prismatic(Slide),
        /// Motion along an axis and rotation about it, in space.
        Cylindrical(Sleeve),
        /// Ball joint: a common point, in space.
        Spherical(Pair),
        /// A common point, with an axis of the first marker at a right angle to an axis of the second, in space.
        Universal(Turn),
        /// Motion of the second marker in a plane of the first, with a common normal, in space.
        Planar(Line),
        /// No relative motion.
        Fixed(Pair),
        /// A constant distance between the markers.
        Distance(Length),
        /// An axis of the first marker on which the second stays.
        PointOnLine(Line),
        /// A constant ratio between the angles of two revolute joints; in space also of distances of prismatic joints,
        /// in joint coordinates (`formulation: minimal`) of a mechanism without loops.
        Gear(Gear),
        /// A rotation about an axis, prescribed over time, in addition to a joint that leaves it free.
        Rotation(Drive),
        /// A distance along an axis, prescribed over time, in addition to a joint that leaves it free.
        Translation(Drive),
        /// A skate: a marker that moves only along its axis, because its velocity across is zero, in the plane.
        KnifeEdge(Line),
        /// A disk that rolls on the plane `z = 0`, in space.
        Rolling(Rolling),
    }

    /// Two markers.
    pub struct Pair {
        /// The markers.
        pub between: [At; 2],
    }

    /// Two markers and an axis of rotation.
    pub struct Hinge {
        /// The markers.
        pub between: [At; 2],
        /// Axis in space; by default `[0, 0, 1]`.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Initial angle of the second marker from the first, if the joint places a body.
        pub angle: Formula [unit "rad"] = default,
        /// Initial rate of the angle, if the joint places a body.
        pub rate: Formula [unit "rad/s"] = default,
    }

    /// Two markers and an axis of sliding.
    pub struct Slide {
        /// The markers.
        pub between: [At; 2],
        /// Axis; by default `[1, 0]` in the plane and `[1, 0, 0]` in space.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Initial distance of the second marker from the first along the axis, if the joint places a body.
        pub distance: Formula [unit "m"] = default,
        /// Initial rate of the distance, if the joint places a body.
        pub speed: Formula [unit "m/s"] = default,
    }

    /// Two markers and an axis of rotation and sliding.
    pub struct Sleeve {
        /// The markers.
        pub between: [At; 2],
        /// Axis; by default `[0, 0, 1]`.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Initial angle of the second marker from the first, if the joint places a body.
        pub angle: Formula [unit "rad"] = default,
        /// Initial distance of the second marker from the first along the axis, if the joint places a body.
        pub distance: Formula [unit "m"] = default,
    }

    /// Two markers and an axis of each marker.
    pub struct Turn {
        /// The markers.
        pub between: [At; 2],
        /// Axes of the first and of the second marker; by default `z` and `x`.
        pub axes: Vec<Vec<f64>> [unit "1"] = default,
    }

    /// Two markers and a line through the first.
    pub struct Line {
        /// The markers; for a knife edge, the first is on the ground and the second on the edge.
        pub between: [At; 2],
        /// Direction of the line, or normal of the plane; by default `[1, 0]` in the plane and `[0, 0, 1]` in space.
        pub axis: Vec<f64> [unit "1"] = default,
    }

    /// Two markers at a distance.
    pub struct Length {
        /// The markers.
        pub between: [At; 2],
        /// Distance between the markers; by default the initial distance.
        pub length: Option<f64> [above 0.0, unit "m"],
    }

    /// Two revolute joints whose angles are coupled; in space also prismatic joints.
    pub struct Gear {
        /// Names of the two joints.
        pub joints: [String; 2],
        /// Change of the second angle or distance over that of the first; negative for external gears.
        pub ratio: f64 [unit "1"],
        /// Second angle or distance if the first is zero, in space; zero by default. In the plane it follows from the
        /// initial angles.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub offset: Option<f64> [unit "rad or m"],
    }

    /// A motion that is prescribed over time.
    pub struct Drive {
        /// The markers.
        pub between: [At; 2],
        /// Axis; by default `[0, 0, 1]` for a rotation and `x` for a translation, which is refused if a joint of the
        /// two bodies has another axis.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Angle of the second marker from the first, or distance: a formula in `t`.
        pub law: Formula [unit "rad or m"],
    }

    /// A disk that rolls on the plane `z = 0` without slip.
    pub struct Rolling {
        /// Marker at the centre of the disk.
        pub body: At,
        /// Axis of the disk; by default `[0, 0, 1]`.
        pub axis: Vec<f64> [unit "1"] = default,
        /// Radius of the disk.
        pub radius: f64 [above 0.0, unit "m"],
    }
}

/// Default axis of a joint with an axis of rotation.
pub const ABOUT: [f64; 3] = [0.0, 0.0, 1.0];

/// Default axis of a joint with an axis of sliding.
pub const ALONG: [f64; 3] = [1.0, 0.0, 0.0];

/// The axis of a joint as written, empty where it is not given, and its default.
pub type Axis<'j> = (&'j [f64], [f64; 3]);

impl Joint {
    /// The markers of a joint, with its axis and the default of the axis if it has one; `None` for a gear and
    /// a rolling disk.
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

    /// True if the joint prescribes a motion over time that another joint leaves free.
    pub fn is_drive(&self) -> bool {
        matches!(self, Self::Rotation(_) | Self::Translation(_))
    }
}
