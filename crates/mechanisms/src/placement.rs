//! Initial poses of bodies: as given, or from joints to bodies that are placed.

use mbsbench_problem::OutOfRange;
use nalgebra::{Rotation3, Unit, Vector3};

use crate::space::Fixed;

/// A marker on a body or the ground: its point relative to the centre of mass, and its axes as columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Marker {
    /// The body; `None` for the ground.
    pub body: Option<usize>,
    /// The point, m.
    pub at: Vector3<f64>,
    /// The axes relative to those of the body.
    pub turn: Rotation3<f64>,
}

impl Marker {
    /// The marker at the centre of mass with the axes of a body, or that at the origin of the ground.
    pub fn centre(body: Option<usize>) -> Self {
        Self { body, at: Vector3::zeros(), turn: Rotation3::identity() }
    }

    /// The point of the marker.
    pub fn point(&self) -> Fixed {
        Fixed { body: self.body, at: self.at.into() }
    }

    /// Angle from the axes of the body to those of the marker, in the plane, rad.
    pub fn angle(&self) -> f64 {
        let matrix = self.turn.matrix();
        matrix[(1, 0)].atan2(matrix[(0, 0)])
    }

    /// The axes of the marker.
    pub fn directions(&self) -> [Fixed; 3] {
        [Vector3::x(), Vector3::y(), Vector3::z()].map(|direction| self.direction(&direction))
    }

    /// A direction given in the marker's axes.
    pub fn direction(&self, along: &Vector3<f64>) -> Fixed {
        Fixed { body: self.body, at: (self.turn * along).into() }
    }
}

/// Pose and motion of a body (centre of mass and axes) or of a marker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position, m.
    pub at: Vector3<f64>,
    /// Directions, as a rotation.
    pub turn: Rotation3<f64>,
    /// Angle in the plane, including full turns, rad.
    pub angle: f64,
    /// Velocity, m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity in the ground's axes, rad/s.
    pub spin: Vector3<f64>,
}

/// Pose and motion of a joint's second marker relative to the first, in the first's axes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Relative {
    /// Displacement, m.
    pub by: Vector3<f64>,
    /// Rotation vector, rad.
    pub turn: Vector3<f64>,
    /// Rate of the displacement, m/s.
    pub velocity: Vector3<f64>,
    /// Relative angular velocity, rad/s.
    pub spin: Vector3<f64>,
}

impl Pose {
    /// The pose of the ground.
    pub fn ground() -> Self {
        let zero = Vector3::zeros();
        Self { at: zero, turn: Rotation3::identity(), angle: 0.0, velocity: zero, spin: zero }
    }

    /// The distance between two markers on bodies with these poses.
    pub fn distance(bodies: &[Self], markers: &[Marker; 2]) -> f64 {
        let [a, b] =
            markers.map(|marker| marker.body.map_or_else(Self::ground, |body| bodies[body]).of_marker(&marker));
        (b.at - a.at).norm()
    }

    /// The pose of a marker on a body with this pose.
    pub fn of_marker(&self, marker: &Marker) -> Self {
        let arm = self.turn * marker.at;
        Self {
            at: self.at + arm,
            turn: self.turn * marker.turn,
            angle: self.angle + marker.angle(),
            velocity: self.velocity + self.spin.cross(&arm),
            spin: self.spin,
        }
    }

    /// The pose of the body whose marker has this pose.
    pub fn of_body(&self, marker: &Marker) -> Self {
        let turn = self.turn * marker.turn.inverse();
        let arm = turn * marker.at;
        let angle = self.angle - marker.angle();
        Self { at: self.at - arm, turn, angle, velocity: self.velocity - self.spin.cross(&arm), spin: self.spin }
    }

    /// The pose of a joint's second marker if the first has this pose.
    pub fn second(&self, relative: &Relative) -> Self {
        let by = self.turn * relative.by;
        Self {
            at: self.at + by,
            turn: self.turn * Rotation3::new(relative.turn),
            angle: self.angle + relative.turn.z,
            velocity: self.velocity + self.spin.cross(&by) + self.turn * relative.velocity,
            spin: self.spin + self.turn * relative.spin,
        }
    }

    /// The pose of a joint's first marker if the second has this pose.
    pub fn first(&self, relative: &Relative) -> Self {
        let turn = self.turn * Rotation3::new(relative.turn).inverse();
        let spin = self.spin - turn * relative.spin;
        let by = turn * relative.by;
        let velocity = self.velocity - spin.cross(&by) - turn * relative.velocity;
        Self { at: self.at - by, turn, angle: self.angle - relative.turn.z, velocity, spin }
    }
}

/// Returns a unit vector along `axis` of two or three components, or `default` if it has none.
///
/// # Errors
/// Fails if `axis` has the wrong number of components, or if all are zero.
pub fn unit(path: &str, axis: &[f64], dimension: usize, default: [f64; 3]) -> Result<Vector3<f64>, OutOfRange> {
    if axis.is_empty() {
        return Ok(default.into());
    }
    let accepted = || format!("{dimension} components, not all of them zero");
    let vector = Vector3::from_fn(|i, _| axis.get(i).copied().unwrap_or_default());
    match Unit::try_new(vector, 1e-12) {
        Some(unit) if axis.len() == dimension => Ok(unit.into_inner()),
        _ => Err(OutOfRange::new(path, format!("{axis:?}"), accepted())),
    }
}

/// Two directions that form a right-handed system with `axis`. The first is as near as possible to `x`, or to `z` if
/// the axis is nearly along `x`.
pub fn across(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let near = if axis.x.abs() < 0.9 { Vector3::x() } else { Vector3::z() };
    let first = (near - axis * axis.dot(&near)).normalize();
    [first, axis.cross(&first)]
}
