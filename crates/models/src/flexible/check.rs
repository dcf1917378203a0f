//! Conditions that an assembly has to satisfy to be a mechanism.

use std::fmt;

use nalgebra::{DMatrix, Matrix3, Rotation3, Vector3};
use num_dual::Dual64;
use thiserror::Error;

use super::coupling::Constraint;
use super::motion::{Motion, POSITIONS};
use super::system::System;
use super::{Assembly, Beam, Joint, RigidBody, Side, Twist};

/// A part of an assembly, by its number in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A node.
    Node(usize),
    /// A rigid body.
    Body(usize),
    /// A beam.
    Beam(usize),
    /// A joint.
    Joint(usize),
    /// A strut.
    Strut(usize),
    /// A force.
    Load(usize),
    /// The weight.
    Gravity,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(k) => write!(f, "node {k}"),
            Self::Body(k) => write!(f, "body {k}"),
            Self::Beam(k) => write!(f, "beam {k}"),
            Self::Joint(k) => write!(f, "joint {k}"),
            Self::Strut(k) => write!(f, "strut {k}"),
            Self::Load(k) => write!(f, "load {k}"),
            Self::Gravity => write!(f, "gravity"),
        }
    }
}

/// The reason why an [`Assembly`](super::Assembly) or its initial motion is refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refused {
    /// A part refers to a node that does not exist.
    #[error("{part} refers to node {node}, but there are {nodes} nodes, numbered from 0")]
    UnknownNode {
        /// The part.
        part: Part,
        /// The node's number.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A part refers to the same node twice.
    #[error("{part} refers to node {node} twice")]
    SameNode {
        /// The part.
        part: Part,
        /// The node's number.
        node: usize,
    },
    /// A quantity has a value that makes no sense.
    #[error("{part}: {quantity} is {found}; accepted: {accepted}")]
    Value {
        /// The part.
        part: Part,
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        found: String,
        /// The accepted values.
        accepted: &'static str,
    },
    /// A row of a joint demands nothing, or nothing that joints before it do not demand already.
    #[error("{part} over-constrains the mechanism: its row {row} depends on earlier rows")]
    Overconstrained {
        /// The joint.
        part: Part,
        /// Number of the row within the joint, from 0.
        row: usize,
    },
    /// A joint does not hold in the initial configuration.
    #[error("{part} is open at t = {time}: its row {row} is {defect:e} instead of zero")]
    Apart {
        /// The joint.
        part: Part,
        /// Initial time, s.
        time: f64,
        /// Number of the row within the joint, from 0.
        row: usize,
        /// Value of the row, m or 1.
        defect: f64,
    },
    /// A joint does not admit the initial velocities.
    #[error("{part} does not admit the velocities at t = {time}: its row {row} changes by {defect:e} per second")]
    Velocity {
        /// The joint.
        part: Part,
        /// Initial time, s.
        time: f64,
        /// Number of the row within the joint, from 0.
        row: usize,
        /// Rate of the row, m/s or rad/s.
        defect: f64,
    },
    /// Positions or momenta at the start exceed the range of a double.
    #[error("positions or momenta at the start are not finite")]
    NotFinite,
    /// The number of velocities differs from the number of nodes.
    #[error("{found} velocities are given for {nodes} nodes")]
    Velocities {
        /// Number of velocities.
        found: usize,
        /// Number of nodes.
        nodes: usize,
    },
}

/// A row, of unit length, depends on the rows before it if its part orthogonal to them is shorter than this.
const INDEPENDENT: f64 = 1e-9;

/// Largest defect of a joint at the start, in m, rad or their rates.
const HOLDS: f64 = 1e-9;

/// Checks that parts refer to nodes that exist and that their quantities make sense.
pub(super) fn parts(assembly: &Assembly) -> Result<(), Refused> {
    for (k, node) in assembly.nodes.iter().enumerate() {
        let part = Part::Node(k);
        require(node.position.iter().all(|x| x.is_finite()), part, "position", "not finite", "finite numbers")?;
        is_rotation(part, "orientation", &node.rotation)?;
    }
    for (k, body) in assembly.bodies.iter().enumerate() {
        exist(assembly, Part::Body(k), &[body.node])?;
        of_body(Part::Body(k), body)?;
    }
    for (k, beam) in assembly.beams.iter().enumerate() {
        exist(assembly, Part::Beam(k), &beam.nodes)?;
        of_beam(Part::Beam(k), beam, assembly)?;
    }
    for (k, joint) in assembly.joints.iter().enumerate() {
        exist(assembly, Part::Joint(k), &connected(joint))?;
        of_joint(Part::Joint(k), joint)?;
    }
    for (k, strut) in assembly.struts.iter().enumerate() {
        let part = Part::Strut(k);
        exist(assembly, part, &[strut.node])?;
        let finite = strut.damping >= 0.0 && strut.damping.is_finite();
        require(finite, part, "damping", strut.damping, "a finite number, zero or above")?;
        let length = (assembly.nodes[strut.node].position - strut.point).norm();
        require(length > 0.0 && length.is_finite(), part, "length", length, "a finite number above zero")?;
        require(!strut.until.is_nan(), part, "end", strut.until, "a time")?;
    }
    for (k, load) in assembly.loads.iter().enumerate() {
        let part = Part::Load(k);
        exist(assembly, part, &[load.node])?;
        require(load.force.iter().all(|x| x.is_finite()), part, "force", "not finite", "finite numbers")?;
        require(load.growth.is_proper(), part, "law of time", "invalid", PROPER_LAW)?;
    }
    if let Some(gravity) = &assembly.gravity {
        is_unit(Part::Gravity, "direction", &gravity.direction)?;
        require(gravity.acceleration.is_proper(), Part::Gravity, "law of time", "invalid", PROPER_LAW)?;
    }
    have_inertia(assembly)
}

const PROPER_LAW: &str = "finite numbers, and rises that end after they begin";

fn require(
    holds: bool,
    part: Part,
    quantity: &'static str,
    found: impl ToString,
    accepted: &'static str,
) -> Result<(), Refused> {
    if holds { Ok(()) } else { Err(Refused::Value { part, quantity, found: found.to_string(), accepted }) }
}

/// True if a value exceeds the limit in magnitude or is not a number.
fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || value.abs() > limit
}

fn is_rotation(part: Part, quantity: &'static str, rotation: &Rotation3<f64>) -> Result<(), Refused> {
    let matrix = rotation.matrix();
    let defect = (matrix.tr_mul(matrix) - Matrix3::identity()).amax();
    let proper = defect < 1e-12 && matrix.determinant() > 0.0;
    require(proper, part, quantity, format!("a matrix that is off by {defect:e} or mirrored"), "a rotation")
}

fn is_unit(part: Part, quantity: &'static str, vector: &Vector3<f64>) -> Result<(), Refused> {
    let length = vector.norm();
    let message = "a vector of length 1";
    require((length - 1.0).abs() < 1e-12, part, quantity, format!("a vector of length {length}"), message)
}

/// Checks that the nodes a part refers to exist and that none is named twice.
fn exist(assembly: &Assembly, part: Part, nodes: &[usize]) -> Result<(), Refused> {
    let count = assembly.nodes.len();
    for (k, &node) in nodes.iter().enumerate() {
        if node >= count {
            return Err(Refused::UnknownNode { part, node, nodes: count });
        }
        if nodes[..k].contains(&node) {
            return Err(Refused::SameNode { part, node });
        }
    }
    Ok(())
}

/// Returns the two sides of a joint that has frames of its own.
fn sides(joint: &Joint) -> Option<[&Side; 2]> {
    match joint {
        Joint::Revolute { a, b }
        | Joint::Spherical { a, b }
        | Joint::Cylindrical { a, b }
        | Joint::PrescribedRotation { a, b, .. } => Some([a, b]),
        Joint::Clamp { .. } | Joint::RigidOffset { .. } | Joint::PrescribedAngularVelocity { .. } => None,
    }
}

/// Returns the nodes that a joint connects.
fn connected(joint: &Joint) -> Vec<usize> {
    match *joint {
        Joint::Clamp { node } | Joint::PrescribedAngularVelocity { node, .. } => vec![node],
        Joint::RigidOffset { a, b } => vec![a, b],
        _ => sides(joint).into_iter().flatten().filter_map(|side| side.node).collect(),
    }
}

fn of_body(part: Part, body: &RigidBody) -> Result<(), Refused> {
    let mass = body.mass;
    require(mass.is_finite() && mass >= 0.0, part, "mass", mass, "a finite number, zero or above")?;
    require(body.offset.iter().all(|x| x.is_finite()), part, "centre of mass", "not finite", "finite numbers")?;
    let inertia = &body.inertia;
    let asymmetry = (inertia - inertia.transpose()).amax();
    require(asymmetry <= 1e-12 * inertia.amax(), part, "inertia", "not symmetric", "a symmetric matrix")?;
    let least = inertia.symmetric_eigenvalues().min();
    let floor = -1e-12 * inertia.amax();
    require(least >= floor, part, "least moment of inertia", least, "a finite number, zero or above")
}

fn of_beam(part: Part, beam: &Beam, assembly: &Assembly) -> Result<(), Refused> {
    is_rotation(part, "orientation of its section", &beam.frame)?;
    let section = &beam.section;
    let tensile = ["axial stiffness", "shear stiffness y", "shear stiffness z"].into_iter().zip(&section.tensile);
    let bending =
        ["torsional stiffness", "bending stiffness y", "bending stiffness z"].into_iter().zip(&section.bending);
    for (quantity, stiffness) in tensile.chain(bending) {
        let positive = stiffness.is_finite() && *stiffness > 0.0;
        require(positive, part, quantity, stiffness, "a finite number above zero")?;
    }
    let [first, middle, last] = beam.nodes.map(|node| assembly.nodes[node].position);
    let halves = [(middle - first).norm(), (last - middle).norm()];
    let shortest = halves[0].min(halves[1]);
    require(shortest > 0.0, part, "length between nodes", shortest, "a finite number above zero")?;
    // dx/dξ at the sections; it vanishes or reverses if the middle node is beyond the first or third quarter
    let chord = last - first;
    let skewness = (first + last - middle * 2.0).dot(&chord) / chord.norm_squared();
    require(
        skewness.abs() < 0.5,
        part,
        "offset of the middle node",
        format!("{skewness} of the beam's length"),
        "less than half of its length",
    )
}

fn of_joint(part: Part, joint: &Joint) -> Result<(), Refused> {
    for side in sides(joint).into_iter().flatten() {
        require(side.offset.iter().all(|x| x.is_finite()), part, "offset", "not finite", "finite numbers")?;
        is_rotation(part, "frame", &side.frame)?;
    }
    match joint {
        Joint::PrescribedRotation { angle: law, .. } => {
            require(law.is_proper(), part, "law of time", "invalid", PROPER_LAW)
        }
        Joint::PrescribedAngularVelocity { axis, speed: law, .. } => {
            is_unit(part, "axis", axis)?;
            require(law.is_proper(), part, "law of time", "invalid", PROPER_LAW)
        }
        _ => Ok(()),
    }
}

/// Checks that every node has mass and moments of inertia about its centre of mass.
fn have_inertia(assembly: &Assembly) -> Result<(), Refused> {
    for (k, inertia) in System::<f64>::new(assembly).inertia.iter().enumerate() {
        let part = Part::Node(k);
        require(inertia.mass > 0.0, part, "mass of its bodies", inertia.mass, "a number above zero")?;
        let arm = super::so3::skew(&inertia.first);
        let about_centre: Matrix3<f64> = inertia.second + arm * arm / inertia.mass;
        let least = about_centre.symmetric_eigenvalues().min();
        let positive = least > 1e-12 * about_centre.amax();
        require(
            positive,
            part,
            "least moment of inertia of its bodies",
            least,
            "a number above 1e-12 times the largest",
        )?;
    }
    Ok(())
}

/// Checks that the joints hold at the start and that none repeats another.
pub(super) fn start(assembly: &Assembly, t: f64, twists: &[Twist]) -> Result<(), Refused> {
    for (part, row, value, is_holonomic) in rows(assembly, t, twists)? {
        let defect = if is_holonomic { value.re } else { 0.0 };
        if exceeds(defect, HOLDS) {
            return Err(Refused::Apart { part, time: t, row, defect });
        }
    }
    independent(assembly, t)
}

/// Checks that the joints admit the velocities.
pub(super) fn velocities(assembly: &Assembly, t: f64, twists: &[Twist]) -> Result<(), Refused> {
    for (part, row, value, is_holonomic) in rows(assembly, t, twists)? {
        let defect = if is_holonomic { value.eps } else { value.re };
        if exceeds(defect, HOLDS) {
            return Err(Refused::Velocity { part, time: t, row, defect });
        }
    }
    Ok(())
}

/// All rows of the joints at the rest poses of the nodes: the joint, the number of the row in it, the value with its
/// rate, and true if the row is holonomic.
fn rows(assembly: &Assembly, t: f64, twists: &[Twist]) -> Result<Vec<(Part, usize, Dual64, bool)>, Refused> {
    let nodes = assembly.nodes.len();
    if twists.len() != nodes {
        return Err(Refused::Velocities { found: twists.len(), nodes });
    }
    let system = System::<Dual64>::new(assembly);
    let motions: Vec<_> = system
        .rest
        .iter()
        .zip(twists)
        .map(|(pose, twist)| {
            // in a chart about the present pose, the rates of the parameters are the angular velocity
            let rates = [twist.linear, twist.angular].map(|velocity| velocity.map(Dual64::from));
            let numbers = |value: fn(f64, f64) -> Dual64| {
                let at = pose.x.map(|x| x.re).zip_map(&twist.linear, value);
                let turned = Vector3::zeros().zip_map(&twist.angular, value);
                [at.x, at.y, at.z, turned.x, turned.y, turned.z]
            };
            let rates: [Dual64; POSITIONS] = std::array::from_fn(|i| rates[i / 3][i % 3]);
            Motion::new(&pose.r, &numbers(Dual64::new), &rates)
        })
        .collect();
    let mut values = vec![Dual64::from(0.0); system.rows()];
    system.constraint_rows(Dual64::new(t, 1.0), &motions, Dual64::from(1.0), &mut values);
    let mut rows = Vec::with_capacity(values.len());
    for (joint, constraint) in system.constraints.iter().enumerate() {
        let is_holonomic = matches!(constraint, Constraint::Coupling(_));
        let first = system.first_rows[joint];
        rows.extend((0..constraint.rows()).map(|row| (Part::Joint(joint), row, values[first + row], is_holonomic)));
    }
    Ok(rows)
}

/// Checks that the constraint Jacobian has full rank at rest, row by row.
fn independent(assembly: &Assembly, t: f64) -> Result<(), Refused> {
    let system = System::<f64>::new(assembly);
    let motions: Vec<_> = system.rest.iter().map(Motion::still).collect();
    let mut rows = DMatrix::zeros(POSITIONS * system.nodes(), system.rows());
    system.constraint_derivatives(t, &motions, 1.0, |row, node, _, columns| {
        let mut entries = rows.fixed_view_mut::<6, 1>(node * POSITIONS, row);
        entries += columns;
    });
    for (joint, first) in system.first_rows.windows(2).enumerate() {
        for row in first[0]..first[1] {
            let (before, mut rest) = rows.columns_range_pair_mut(0..row, row..);
            let mut direction = rest.column_mut(0);
            let length = direction.norm();
            direction /= length;
            // orthogonalising twice suffices to roundoff
            for _ in 0..2 {
                for other in before.column_iter() {
                    let along = other.dot(&direction);
                    direction.axpy(-along, &other, 1.0);
                }
            }
            let left = direction.norm();
            if left.is_nan() || left <= INDEPENDENT {
                return Err(Refused::Overconstrained { part: Part::Joint(joint), row: row - first[0] });
            }
            direction /= left;
        }
    }
    Ok(())
}
