//! Parts of a flexible mechanism.

use std::ops::AddAssign;

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::motion::pair;

/// A point of the mechanism that translates and rotates, in the unstrained configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Position in the ground frame, m.
    pub position: Vector3<f64>,
    /// Orientation; the columns are the axes of the node in the ground frame.
    pub rotation: Rotation3<f64>,
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
    /// Axial stiffness `EA` and shear stiffnesses `GA_y` and `GA_z`, N.
    pub tensile: Vector3<f64>,
    /// Torsional stiffness `GJ` and bending stiffnesses `EI_y` and `EI_z` about axes 2 and 3, N m².
    pub bending: Vector3<f64>,
}

/// A beam element with three nodes, at `ξ = −1, 0, 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    /// Numbers of the nodes: first end, middle, other end.
    pub nodes: [usize; 3],
    /// Stiffness of the cross section.
    pub section: Section,
    /// Section axes in the frame of the middle node: columns, axis 1 along the beam.
    pub frame: Rotation3<f64>,
}

/// One side of a joint: a frame fixed to a node or to the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Node to which the frame is fixed; `None` for the ground.
    pub node: Option<usize>,
    /// Origin of the joint frame in the frame of the node or ground, m.
    pub offset: Vector3<f64>,
    /// Axes of the joint frame in the frame of the node or ground. Hinges turn about axis 3.
    pub frame: Rotation3<f64>,
}

impl Side {
    /// Returns a side at the origin of a node, with the node's axes.
    pub fn node(node: usize) -> Self {
        Self { node: Some(node), offset: Vector3::zeros(), frame: Rotation3::identity() }
    }

    /// Returns a side at a point of the ground, with the ground's axes.
    pub fn ground(point: Vector3<f64>) -> Self {
        Self { node: None, offset: point, frame: Rotation3::identity() }
    }

    /// Returns the side moved by an offset in the frame of its node or the ground.
    #[must_use]
    pub fn offset(self, offset: Vector3<f64>) -> Self {
        Self { offset, ..self }
    }

    /// Returns the side with other axes.
    #[must_use]
    pub fn turned(self, frame: Rotation3<f64>) -> Self {
        Self { frame, ..self }
    }
}

/// A kinematic constraint.
#[derive(Debug, Clone, PartialEq)]
pub enum Joint {
    /// Keeps a node in its rest pose: six rows.
    Clamp {
        /// The node.
        node: usize,
    },
    /// Lets the sides turn about axis 3: five rows.
    Revolute {
        /// The side whose frame the rows are in.
        a: Side,
        /// The other side.
        b: Side,
    },
    /// Keeps two points together: three rows.
    Spherical {
        /// The side whose frame the rows are in.
        a: Side,
        /// The other side.
        b: Side,
    },
    /// Lets the sides turn about and slide along axis 3 of `a`: four rows.
    Cylindrical {
        /// The side whose frame the rows are in.
        a: Side,
        /// The other side.
        b: Side,
    },
    /// A hinge about axis 3 with a prescribed angle: six rows.
    PrescribedRotation {
        /// The side whose frame the rows are in.
        a: Side,
        /// The side that is turned.
        b: Side,
        /// The angle, rad.
        angle: Law,
    },
    /// Prescribes one component of a node's angular velocity: one row, at velocity level.
    PrescribedAngularVelocity {
        /// The node.
        node: usize,
        /// Unit vector in the ground frame.
        axis: Vector3<f64>,
        /// The component along the axis, rad/s.
        speed: Law,
    },
}

/// A viscous damper from a point of the ground to a node. Its tension is `damping` times the rate of its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strut {
    /// The node.
    pub node: usize,
    /// The damper's end on the ground, m.
    pub point: Vector3<f64>,
    /// Damping, N s/m.
    pub damping: f64,
    /// Time until which the damper acts, s.
    pub until: f64,
}

/// A force on a node with constant direction.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLoad {
    /// The node.
    pub node: usize,
    /// The force in the ground frame, N.
    pub force: Vector3<f64>,
    /// Factor of the force over time.
    pub growth: Law,
}

/// Gravity.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    /// Direction of gravity; unit vector in the ground frame.
    pub direction: Vector3<f64>,
    /// Acceleration of free fall along the direction, m/s².
    pub acceleration: Law,
}

/// Description of a mechanism; [`Flexible::new`](super::Flexible::new) checks it.
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
    /// Gravity, if present.
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

/// Force and moment, on a node in the ground frame or in a cross section in its axes. Also momentum and
/// angular momentum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench<S = f64> {
    /// Force, N; axial force and shear forces of a section. For momenta: momentum, kg m/s.
    pub force: Vector3<S>,
    /// Moment, N m; torsion and bending moments of a section. For momenta: angular momentum, kg m²/s.
    pub moment: Vector3<S>,
}

impl<S: Scalar> Wrench<S> {
    /// No force and no moment.
    pub(super) fn zero() -> Self {
        Self { force: Vector3::from_element(S::zero()), moment: Vector3::from_element(S::zero()) }
    }

    /// Returns the wrench made of six numbers.
    pub(super) fn of(numbers: &[S]) -> Self {
        let (force, moment) = pair(numbers);
        Self { force, moment }
    }
}

impl<S: Scalar> AddAssign for Wrench<S> {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.moment += other.moment;
    }
}

/// A function of time: a straight line plus smooth rises.
///
/// ```text
/// f(t) = initial + slope t + Σ rise (1 − cos π s)/2,   s = (t − from)/(until − from) in [0, 1]
/// ```
///
/// It is continuously differentiable; the second derivative jumps where rises begin and end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Law {
    /// Value of the line at `t = 0`.
    pub initial: f64,
    /// Slope of the line.
    pub slope: f64,
    /// Rises that are added to the line.
    pub rises: Vec<Rise>,
}

/// Half a period of a cosine: zero before `from`, `rise` after `until`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rise {
    /// Time at which it begins, s.
    pub from: f64,
    /// Time at which it ends, s.
    pub until: f64,
    /// Total increase.
    pub rise: f64,
}

impl Law {
    /// Returns `slope t`.
    pub fn linear(slope: f64) -> Self {
        Self { slope, ..Self::default() }
    }

    /// Adds a rise.
    #[must_use]
    pub fn rising(mut self, from: f64, until: f64, rise: f64) -> Self {
        self.rises.push(Rise { from, until, rise });
        self
    }

    /// Returns the value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        let line = t * self.slope + self.initial;
        self.rises.iter().fold(line, |sum, rise| sum + rise.at(t))
    }
}

impl Rise {
    fn at<S: Scalar>(&self, t: S) -> S {
        if t.value() <= self.from {
            return S::zero();
        }
        if t.value() >= self.until {
            return S::from(self.rise);
        }
        let phase = (t - self.from) / (S::from(self.until) - self.from) * S::pi();
        (-phase.cos() + 1.0) * (0.5 * self.rise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use num_dual::Dual64;

    #[test]
    fn a_law_is_a_line_with_rises() {
        let law = Law { initial: 1.0, slope: 2.0, rises: Vec::new() }.rising(1.0, 3.0, 4.0).rising(5.0, 6.0, -1.0);
        assert_eq!(law.at(0.5), 2.0);
        assert_relative_eq!(law.at(2.0), 1.0 + 4.0 + 2.0, max_relative = 1e-15);
        assert_eq!(law.at(10.0), 1.0 + 20.0 + 4.0 - 1.0);
        assert_relative_eq!(law.at(Dual64::new(2.0, 1.0)).eps, 2.0 + std::f64::consts::PI, max_relative = 1e-15);
    }

    #[test]
    fn rises_begin_and_end_smoothly() {
        let law = Law::default().rising(1.0, 3.0, 4.0);
        for (t, value) in [(1.0, 0.0), (3.0, 4.0)] {
            let near = |t: f64| law.at(Dual64::new(t, 1.0));
            for at in [near(t - 1e-9), near(t + 1e-9)] {
                assert!((at.re - value).abs() < 1e-15 && at.eps.abs() < 1e-8, "{at}");
            }
        }
    }
}
