//! Openings of joints as written, measured from the poses of bodies alone and not from compiled constraints.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use mbsbench_problem::OutOfRange;
use mbsbench_problem::parameters::spelling;
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

use super::joints::{Joined, crossing};
use super::scope::Scope;
use crate::definition::{ABOUT, Joint};
use crate::expand::Part;
use crate::joint_space::angle_about;
use crate::placement::{Marker, Pose};
use crate::space::Space;
use crate::system::Law;

/// Measures by how much a joint is open.
///
/// Directions are in the axes of the first marker, or of both. Not measurable are a gear in space, whose second joint
/// has no coordinates of its own and whose full turns poses do not show, and conditions on velocities: a knife edge,
/// and the slip of a rolling disk.
#[derive(Debug, Clone)]
pub struct Gauge {
    ends: [Marker; 2],
    place: Place,
    turn: Turn,
    /// True in space, where a joint without rotation is also closed after half a turn about an axis of the marker, and
    /// a driven rotation after half a turn about its axis.
    halves: bool,
}

/// The required displacement of the second marker from the first.
#[derive(Debug, Clone)]
enum Place {
    Free,
    Zero,
    Line(Vector3<f64>),
    Plane(Vector3<f64>),
    Distance(f64),
    Along(Vector3<f64>, Law),
    /// A disk about this axis, with this radius, stands on the plane `z = 0`.
    Floor(Vector3<f64>, f64),
}

/// The required rotation of the second marker from the first.
#[derive(Debug, Clone)]
enum Turn {
    Free,
    Zero,
    /// About an axis, which may point in opposite directions on both markers.
    Axis(Vector3<f64>),
    /// A right angle between directions of the markers.
    Square([Vector3<f64>; 2]),
    About(Vector3<f64>, Law),
    /// The angle is a ratio of that between two other markers, plus a constant, in the plane.
    Geared([Marker; 2], f64, f64),
}

/// The pose of a body from its coordinates.
pub fn pose<X: Space>(q: &[f64]) -> Pose {
    let (z, angle) = if X::DIMENSION == 2 { (0.0, q[2]) } else { (q[2], 0.0) };
    let turn = match *q {
        [_, _, _, w, x, y, z] => UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)).to_rotation_matrix(),
        _ => Rotation3::from_axis_angle(&Vector3::z_axis(), angle),
    };
    Pose { at: Vector3::new(q[0], q[1], z), turn, angle, ..Pose::ground() }
}

fn of_marker(poses: &[Pose], marker: &Marker) -> Pose {
    marker.body.map_or_else(Pose::ground, |body| poses[body]).of_marker(marker)
}

/// The angle from one marker to another in the plane, with full turns, rad.
fn angle(poses: &[Pose], [a, b]: &[Marker; 2]) -> f64 {
    of_marker(poses, b).angle - of_marker(poses, a).angle
}

impl Gauge {
    /// Returns the gauge of a joint; `None` if poses do not show its openings.
    pub(super) fn of(
        scope: &Scope<'_>,
        part: &Part<Joint>,
        joined: Option<&Joined>,
    ) -> Result<Option<Self>, OutOfRange> {
        let path = format!("{}.{}", part.path, spelling(&part.what));
        let law = |formula| scope.law(&format!("{path}.law"), formula);
        let Some(&Joined { ends, axis, .. }) = joined else {
            return Ok(match &part.what {
                Joint::Gear(gear) if scope.dimension == 2 => {
                    let [first, second] = [0, 1].map(|k| Ok(scope.hinge(&path, &gear.joints[k])?.ends));
                    let (first, second) = (first?, second?);
                    let offset = angle(&scope.poses, &second) - gear.ratio * angle(&scope.poses, &first);
                    let turn = Turn::Geared(first, gear.ratio, offset);
                    Some(Self { ends: second, place: Place::Free, turn, halves: false })
                }
                Joint::Rolling(rolling) => {
                    let ends = [Marker::centre(None), scope.find(&path, &rolling.body.0)?];
                    let place = Place::Floor(scope.axis(&path, &rolling.axis, ABOUT)?, rolling.radius);
                    Some(Self { ends, place, turn: Turn::Free, halves: false })
                }
                _ => None,
            });
        };
        let (place, turn) = match &part.what {
            Joint::Revolute(_) => (Place::Zero, Turn::Axis(axis)),
            Joint::Prismatic(_) => (Place::Line(axis), Turn::Zero),
            Joint::Cylindrical(_) => (Place::Line(axis), Turn::Axis(axis)),
            Joint::Spherical(_) => (Place::Zero, Turn::Free),
            Joint::Universal(turn) => (Place::Zero, Turn::Square(crossing(&path, turn)?)),
            Joint::Planar(_) => (Place::Plane(axis), Turn::Axis(axis)),
            Joint::Fixed(_) => (Place::Zero, Turn::Zero),
            Joint::Distance(distance) => {
                let length = distance.length.unwrap_or_else(|| Pose::distance(&scope.poses, &ends));
                (Place::Distance(length), Turn::Free)
            }
            Joint::PointOnLine(_) => (Place::Line(axis), Turn::Free),
            Joint::Rotation(drive) => (Place::Free, Turn::About(axis, law(&drive.law)?)),
            Joint::Translation(drive) => (Place::Along(axis, law(&drive.law)?), Turn::Free),
            Joint::KnifeEdge(_) | Joint::Gear(_) | Joint::Rolling(_) => return Ok(None),
        };
        Ok(Some(Self { ends, place, turn, halves: scope.dimension == 3 }))
    }

    /// Returns the distance (m) and the angle (rad) by which the joint is open at a time.
    pub fn opening(&self, t: f64, poses: &[Pose]) -> [f64; 2] {
        let [a, b] = self.ends.each_ref().map(|marker| of_marker(poses, marker));
        let by = a.turn.inverse() * (b.at - a.at);
        let relative = a.turn.inverse() * b.turn;
        let between = |u: &Vector3<f64>, w: Vector3<f64>| [u.cross(&w).norm(), u.dot(&w)];
        let place = match &self.place {
            Place::Free => 0.0,
            Place::Zero => by.norm(),
            Place::Line(axis) => by.cross(axis).norm(),
            Place::Plane(normal) => by.dot(normal).abs(),
            Place::Distance(length) => (by.norm() - length).abs(),
            Place::Along(axis, law) => (by.dot(axis) - law.evaluate(&mut |()| t)).abs(),
            Place::Floor(axis, radius) => (b.at.z - radius * between(&Vector3::z(), b.turn * axis)[0]).abs(),
        };
        let turn = match &self.turn {
            Turn::Free => 0.0,
            Turn::Zero => {
                let r = *relative.matrix();
                let signs = r.diagonal().map(f64::signum);
                let is_half = self.halves && signs.product() > 0.0;
                let r = if is_half { r * Matrix3::from_diagonal(&signs) } else { r };
                let twice = Vector3::new(r.m32 - r.m23, r.m13 - r.m31, r.m21 - r.m12).norm();
                twice.atan2(r.trace() - 1.0)
            }
            Turn::Axis(axis) => {
                let [sin, cos] = between(axis, relative * axis);
                sin.atan2(cos.abs())
            }
            Turn::Square([first, second]) => {
                let [sin, cos] = between(first, relative * second);
                (FRAC_PI_2 - sin.atan2(cos)).abs()
            }
            Turn::About(axis, law) => {
                let off = angle_about(axis, &relative) - law.evaluate(&mut |()| t);
                let period = if self.halves { PI } else { TAU };
                (off - period * (off / period).round()).abs()
            }
            Turn::Geared(first, ratio, offset) => (b.angle - a.angle - ratio * angle(poses, first) - offset).abs(),
        };
        [place, turn]
    }
}
