//! What a flexible mechanism is put together from.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::Law;

/// A point of the mechanism that moves and turns, in the configuration in which no beam is strained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Position in the ground frame, m.
    pub position: Vector3<f64>,
    /// Orientation: columns are the axes of the node in the ground frame.
    pub rotation: Rotation3<f64>,
}

impl Node {
    /// A node with the axes of the ground.
    pub fn at(x: f64, y: f64, z: f64) -> Self {
        Self { position: Vector3::new(x, y, z), rotation: Rotation3::identity() }
    }

    /// The same node with other axes.
    #[must_use]
    pub fn turned(self, rotation: Rotation3<f64>) -> Self {
        Self { rotation, ..self }
    }
}

/// A rigid body, fixed to a node. A node may carry several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidBody {
    /// The node that carries it.
    pub node: usize,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the node frame, m.
    pub offset: Vector3<f64>,
    /// Inertia about the centre of mass in the node frame, kg m²; symmetric.
    pub inertia: Matrix3<f64>,
}

/// Stiffnesses of a beam's cross section, in section axes: axis 1 along the beam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// Axial stiffness `EA`, N.
    pub axial: f64,
    /// Shear stiffness `GA_y`, N.
    pub shear_y: f64,
    /// Shear stiffness `GA_z`, N.
    pub shear_z: f64,
    /// Torsional stiffness `GJ`, N m².
    pub torsion: f64,
    /// Bending stiffness `EI_y` about axis 2, N m².
    pub bending_y: f64,
    /// Bending stiffness `EI_z` about axis 3, N m².
    pub bending_z: f64,
}

/// A beam element of three nodes, at `ξ = −1, 0, 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    /// First end, middle, other end.
    pub nodes: [usize; 3],
    /// Stiffness of its cross section.
    pub section: Section,
    /// Section axes in the frame of the middle node: columns, axis 1 along the beam.
    pub frame: Rotation3<f64>,
}

/// What a side of a joint is fixed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The frame that all positions are given in.
    Ground,
    /// A node, by its number.
    Node(usize),
}

/// One side of a joint: a frame fixed to its base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// What it is fixed to.
    pub base: Base,
    /// Origin of the joint frame in the frame of the base, m.
    pub offset: Vector3<f64>,
    /// Axes of the joint frame in the frame of the base. Hinges turn about axis 3.
    pub frame: Rotation3<f64>,
}

impl Side {
    /// In the origin of a node, with its axes.
    pub fn node(node: usize) -> Self {
        Self { base: Base::Node(node), offset: Vector3::zeros(), frame: Rotation3::identity() }
    }

    /// In a point of the ground, with its axes.
    pub fn ground(point: Vector3<f64>) -> Self {
        Self { base: Base::Ground, offset: point, frame: Rotation3::identity() }
    }

    /// The same side moved by an offset in the frame of its base.
    #[must_use]
    pub fn offset(self, offset: Vector3<f64>) -> Self {
        Self { offset, ..self }
    }

    /// The same side with other axes.
    #[must_use]
    pub fn turned(self, frame: Rotation3<f64>) -> Self {
        Self { frame, ..self }
    }
}

/// A kinematic constraint.
#[derive(Debug, Clone, PartialEq)]
pub enum Joint {
    /// Keeps a node where it rests: six rows.
    Clamp {
        /// The node.
        node: usize,
    },
    /// Lets the sides turn about axis 3: five rows.
    Revolute {
        /// The side whose frame the rows are in.
        a: Side,
        /// The other one.
        b: Side,
    },
    /// Keeps two points together: three rows.
    Spherical {
        /// The side whose frame the rows are in.
        a: Side,
        /// The other one.
        b: Side,
    },
    /// Lets the sides turn about and slide along axis 3 of `a`: four rows.
    Cylindrical {
        /// The side whose frame the rows are in.
        a: Side,
        /// The other one.
        b: Side,
    },
    /// Keeps two nodes as they rest relative to each other: six rows.
    RigidOffset {
        /// One node.
        a: usize,
        /// The other one.
        b: usize,
    },
    /// A hinge about axis 3 that is turned by a given angle: six rows.
    PrescribedRotation {
        /// The side whose frame the rows are in.
        a: Side,
        /// The side that is turned.
        b: Side,
        /// The angle, rad.
        angle: Law,
    },
    /// Gives one component of a node's angular velocity: one row, at velocity level.
    PrescribedAngularVelocity {
        /// The node.
        node: usize,
        /// Unit vector in the ground frame.
        axis: Vector3<f64>,
        /// The component along the axis, rad/s.
        speed: Law,
    },
}

/// A viscous damper from a point of the ground to a node. It pulls along its line, `damping` times the rate of its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strut {
    /// The node.
    pub node: usize,
    /// Its other end in the ground frame, m.
    pub point: Vector3<f64>,
    /// Damping, N s/m.
    pub damping: f64,
    /// It acts before this time, s.
    pub until: f64,
}

/// A force on a node that keeps its direction.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLoad {
    /// The node.
    pub node: usize,
    /// The force in the ground frame, N.
    pub force: Vector3<f64>,
    /// What it is multiplied by.
    pub growth: Law,
}

/// Weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    /// Unit vector in the ground frame.
    pub direction: Vector3<f64>,
    /// Acceleration of free fall along it, m/s².
    pub acceleration: Law,
}

/// A mechanism as it is described; [`Flexible::new`](super::Flexible::new) checks it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assembly {
    /// Nodes; other parts refer to them by their numbers in this list, from 0.
    pub nodes: Vec<Node>,
    /// Rigid bodies, and the lumped inertia of beams.
    pub bodies: Vec<RigidBody>,
    /// Beams.
    pub beams: Vec<Beam>,
    /// Joints, in the order of their multipliers.
    pub joints: Vec<Joint>,
    /// Dampers.
    pub struts: Vec<Strut>,
    /// Forces on nodes.
    pub loads: Vec<DeadLoad>,
    /// Weight, if there is any.
    pub gravity: Option<Gravity>,
}

/// Velocity of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist<S = f64> {
    /// Velocity of the origin in the ground frame, m/s.
    pub linear: Vector3<S>,
    /// Angular velocity in the ground frame, rad/s.
    pub angular: Vector3<S>,
}

/// Force and moment in a cross section, in section axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionLoad<S = f64> {
    /// Axial force and shear forces, N.
    pub force: Vector3<S>,
    /// Torsion and bending moments, N m.
    pub moment: Vector3<S>,
}
