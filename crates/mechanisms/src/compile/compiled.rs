//! A mechanism ready to be solved.

use std::borrow::Cow;

use nalgebra::Vector3;

use crate::definition::Shape;
use crate::joint_space::JointSpace;
use crate::placing::Marker;
use crate::space::Space;
use crate::system::{System, Turning};

/// What is seen of a body.
#[derive(Debug, Clone)]
pub struct BodySeen {
    /// Its name.
    pub name: String,
    /// What it looks like.
    pub shape: Option<Shape>,
    /// Middle and directions of the shape, from the centre of mass and in the directions of the body.
    pub middle: Marker,
    /// Its markers by name.
    pub markers: Vec<(String, Marker)>,
    /// Points at which joints hold it, m from the centre of mass; the one by which it hangs comes first.
    pub held: Vec<Vector3<f64>>,
}

/// What is seen of a joint.
#[derive(Debug, Clone)]
pub struct JointSeen {
    /// Its name.
    pub name: String,
    /// Its path in the file.
    pub path: String,
    /// Numbers of its relations.
    pub relations: std::ops::Range<usize>,
    /// The angle of a hinge in space.
    pub hinge: Option<Turning>,
}

/// A mechanism ready to be solved.
#[derive(Debug, Clone)]
pub struct Compiled<X> {
    /// The equations.
    pub system: System<X>,
    /// The system with all rows of the joints as they are written, if the equations leave any out.
    pub as_written: Option<System<X>>,
    /// Initial coordinates and rates.
    pub initial: [Vec<f64>; 2],
    /// The bodies.
    pub bodies: Vec<BodySeen>,
    /// The joints.
    pub joints: Vec<JointSeen>,
    /// The same in joint coordinates, where these are asked for.
    pub joint_space: Option<JointSpace<X>>,
}

impl BodySeen {
    /// Its markers without the frame itself.
    pub fn named_markers(&self) -> impl Iterator<Item = &(String, Marker)> {
        self.markers.iter().filter(|(name, _)| !name.is_empty())
    }
}

impl<X: Space> Compiled<X> {
    /// The state in absolute coordinates that `y` is.
    pub fn absolute<'y>(&self, y: &'y [f64]) -> Cow<'y, [f64]> {
        self.joint_space.as_ref().map_or(Cow::Borrowed(y), |space| Cow::Owned(space.expanded(y)))
    }

    /// The system with all rows of the joints as they are written.
    pub fn written(&self) -> &System<X> {
        self.as_written.as_ref().unwrap_or(&self.system)
    }
}
