//! The rows of joints in the constraints, with their loads and derivatives.
//!
//! Let the frames of the two sides have axes `aᵢ` and `bᵢ`, and let `d` lead from the origin of `a` to that of `b`.
//! Rows that hold points together are `aᵢ·d`; rows that hold directions are `aᵢ·bⱼ`. The latter are smooth at all
//! angles of a hinge. They vanish together with components of the rotation vector between the frames, and equal them
//! to first order, up to sign.

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::motion::{Pose, blocks, identity, stacked, zeros};
use super::so3::{about_third, skew};
use super::{Joint, Law, Side, Wrench};

/// Rows of a joint.
#[derive(Debug, Clone)]
pub(super) enum Constraint<S> {
    /// Holonomic rows.
    Coupling(Coupling<S>),
    /// A row at velocity level.
    Drive(Drive<S>),
}

/// Two sides that are held together in some directions.
#[derive(Debug, Clone)]
pub(super) struct Coupling<S> {
    /// `a`, `b`.
    sides: [Place<S>; 2],
    /// The `i` of rows `aᵢ·d`.
    displacements: &'static [usize],
    /// The `(i, j)` of rows `aᵢ·bⱼ`.
    directions: &'static [(usize, usize)],
    /// Angle by which the frame of `a` is turned about its third axis before directions are compared.
    angle: Option<Law>,
}

/// Prescribes the component of a node's angular velocity along `axis`.
#[derive(Debug, Clone)]
pub(super) struct Drive<S> {
    /// The node.
    pub node: usize,
    /// Axis in the ground frame.
    pub axis: Vector3<S>,
    /// Prescribed component, rad/s.
    pub speed: Law,
}

/// A side of a joint.
#[derive(Debug, Clone)]
struct Place<S> {
    node: Option<usize>,
    offset: Vector3<S>,
    frame: Matrix3<S>,
}

/// The current state of both sides.
struct Sides<S> {
    a: PlaceState<S>,
    b: PlaceState<S>,
    /// The axes `aᵢ` that directions are compared with.
    directed: Matrix3<S>,
}

/// The current state of a side.
struct PlaceState<S> {
    origin: Vector3<S>,
    /// Vector from the node to the origin.
    arm: Vector3<S>,
    axes: Matrix3<S>,
}

const ALL: &[usize] = &[0, 1, 2];
const ACROSS: &[usize] = &[0, 1];
/// Rows that keep the third axes parallel.
const HINGE: &[(usize, usize)] = &[(1, 2), (0, 2)];
/// Rows that keep all axes parallel.
const LOCK: &[(usize, usize)] = &[(2, 1), (0, 2), (1, 0)];

impl<S: Scalar> Constraint<S> {
    /// Returns the rows of a joint between nodes in their rest poses.
    pub fn new(joint: &Joint, rest: &[Pose<S>]) -> Self {
        let coupling = |a: &Side, b: &Side, displacements, directions| Coupling {
            sides: [Place::new(a), Place::new(b)],
            displacements,
            directions,
            angle: None,
        };
        Self::Coupling(match joint {
            &Joint::Clamp { node } => Coupling::locked(node, rest),
            Joint::Revolute { a, b } => coupling(a, b, ALL, HINGE),
            Joint::Spherical { a, b } => coupling(a, b, ALL, &[]),
            Joint::Cylindrical { a, b } => coupling(a, b, ACROSS, HINGE),
            Joint::PrescribedRotation { a, b, angle } => {
                Coupling { angle: Some(angle.clone()), ..coupling(a, b, ALL, LOCK) }
            }
            Joint::PrescribedAngularVelocity { node, axis, speed } => {
                return Self::Drive(Drive { node: *node, axis: axis.map(S::from), speed: speed.clone() });
            }
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Coupling(coupling) => coupling.displacements.len() + coupling.directions.len(),
            Self::Drive(_) => 1,
        }
    }

    /// Nodes of the two sides; `None` for a side on the ground.
    pub fn nodes(&self) -> [Option<usize>; 2] {
        match self {
            Self::Coupling(coupling) => [0, 1].map(|side| coupling.sides[side].node),
            Self::Drive(drive) => [None, Some(drive.node)],
        }
    }

    /// Row `row` of the constraint Jacobian with respect to displacement and rotation of the node of side `side`.
    #[inline]
    pub fn row(&self, row: usize, side: usize, t: S, poses: &impl Fn(usize) -> Pose<S>) -> Vector6<S> {
        match self {
            Self::Coupling(coupling) => coupling.row(row, side, t, poses),
            Self::Drive(drive) => stacked(&Vector3::from_element(S::zero()), &drive.axis),
        }
    }

    /// Loads `Jᵀ λ` on the nodes of both sides.
    pub fn loads(&self, lambda: &[S], t: S, poses: &impl Fn(usize) -> Pose<S>) -> [Wrench<S>; 2] {
        [0, 1].map(|side| {
            let sum = (0..self.rows())
                .fold(Vector6::from_element(S::zero()), |sum, row| sum + self.row(row, side, t, poses) * lambda[row]);
            Wrench::of(sum.as_slice())
        })
    }

    /// Derivatives of the loads on the sides (rows) by displacements and rotations of the sides (columns).
    pub fn stiffness(&self, lambda: &[S], t: S, poses: &impl Fn(usize) -> Pose<S>) -> Option<[[Matrix6<S>; 2]; 2]> {
        match self {
            Self::Coupling(coupling) => Some(coupling.stiffness(lambda, t, poses)),
            Self::Drive(_) => None,
        }
    }
}

impl<S: Scalar> Coupling<S> {
    /// Holds a node in its rest pose.
    fn locked(node: usize, rest: &[Pose<S>]) -> Self {
        let Pose { x, r } = rest[node];
        let held = Place { node: None, offset: x, frame: r };
        let own = Place { node: Some(node), offset: Vector3::from_element(S::zero()), frame: identity() };
        Self { sides: [held, own], displacements: ALL, directions: LOCK, angle: None }
    }

    fn sides(&self, t: S, poses: &impl Fn(usize) -> Pose<S>) -> Sides<S> {
        let [a, b] = [0, 1].map(|side| self.sides[side].state(poses));
        let directed = self.angle.as_ref().map_or(a.axes, |angle| a.axes * about_third(angle.at(t)));
        Sides { a, b, directed }
    }

    /// Writes the values `Φ` of the rows.
    pub fn values(&self, t: S, poses: &impl Fn(usize) -> Pose<S>, phi: &mut [S]) {
        let Sides { a, b, directed } = self.sides(t, poses);
        let between = b.origin - a.origin;
        let (displacements, directions) = phi.split_at_mut(self.displacements.len());
        for (phi, &i) in displacements.iter_mut().zip(self.displacements) {
            *phi = a.axes.column(i).dot(&between);
        }
        for (phi, &(i, j)) in directions.iter_mut().zip(self.directions) {
            *phi = directed.column(i).dot(&b.axes.column(j));
        }
    }

    fn row(&self, row: usize, side: usize, t: S, poses: &impl Fn(usize) -> Pose<S>) -> Vector6<S> {
        let Sides { a, b, directed } = self.sides(t, poses);
        if let Some(&i) = self.displacements.get(row) {
            let axis = a.axes.column(i).into_owned();
            let reach = b.origin - a.origin + a.arm;
            return if side == 0 { stacked(&-axis, &axis.cross(&reach)) } else { stacked(&axis, &b.arm.cross(&axis)) };
        }
        let (i, j) = self.directions[row - self.displacements.len()];
        let (a, b) = (directed.column(i).into_owned(), b.axes.column(j).into_owned());
        let turn = if side == 0 { a.cross(&b) } else { b.cross(&a) };
        stacked(&Vector3::from_element(S::zero()), &turn)
    }

    fn stiffness(&self, lambda: &[S], t: S, poses: &impl Fn(usize) -> Pose<S>) -> [[Matrix6<S>; 2]; 2] {
        let Sides { a, b, directed } = self.sides(t, poses);
        let (forces, moments) = lambda.split_at(self.displacements.len());
        let held = self.displacements.iter().zip(forces);
        let force = held.fold(Vector3::from_element(S::zero()), |sum, (&i, &lambda)| sum + a.axes.column(i) * lambda);
        let cross = skew(&force);
        let (arm, reach) = (skew(&b.arm), skew(&(b.origin - a.origin + a.arm)));
        let (mut by_first, mut by_second) = (zeros(), zeros());
        for (&(i, j), &lambda) in self.directions.iter().zip(moments) {
            let (a, b) = (skew(&directed.column(i).into_owned()), skew(&b.axes.column(j).into_owned()));
            by_first += b * a * lambda;
            by_second += a * b * lambda;
        }
        [
            [
                blocks([[zeros(), cross], [-cross, reach * cross + by_first]]),
                blocks([[zeros(), zeros()], [cross, -cross * arm - by_second]]),
            ],
            [
                blocks([[zeros(), -cross], [zeros(), -arm * cross - by_first]]),
                blocks([[zeros(), zeros()], [zeros(), cross * arm + by_second]]),
            ],
        ]
    }
}

impl<S: Scalar> Place<S> {
    fn new(side: &Side) -> Self {
        Self { node: side.node, offset: side.offset.map(S::from), frame: side.frame.matrix().map(S::from) }
    }

    fn state(&self, poses: &impl Fn(usize) -> Pose<S>) -> PlaceState<S> {
        let base = self.node.map_or_else(Pose::ground, poses);
        let arm = base.r * self.offset;
        PlaceState { origin: base.x + arm, arm, axes: base.r * self.frame }
    }
}

impl<S: Scalar> Drive<S> {
    /// The value of the row.
    pub fn value(&self, t: S, angular: &Vector3<S>) -> S {
        self.axis.dot(angular) - self.speed.at(t)
    }
}
