//! Why a description is no mechanism.

use std::fmt;

use thiserror::Error;

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
            Self::Gravity => write!(f, "the weight"),
        }
    }
}

/// Why an [`Assembly`](super::Assembly) or an initial motion of it is refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refused {
    /// A part refers to a node that does not exist.
    #[error("{part} refers to node {node}, but there are {nodes}, from 0")]
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
    /// A quantity makes no sense.
    #[error("{part}: {quantity} is {found}; accepted: {accepted}")]
    Value {
        /// The part.
        part: Part,
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        found: String,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// The rows of a joint repeat what joints before it demand already, or demand nothing.
    #[error("{part} over-constrains the mechanism: its row {row} depends on those before it")]
    Overconstrained {
        /// The joint.
        part: Part,
        /// Number of the row within the joint, from 0.
        row: usize,
    },
    /// A joint does not hold in the initial configuration.
    #[error("{part} does not hold at t = {time}: its row {row} is {defect:e}")]
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
    #[error("{part} does not admit the velocities at t = {time}: its row {row} changes with {defect:e} per second")]
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
    /// Numbers of the start are beyond what a double holds.
    #[error("positions or momenta at the start are not finite")]
    NotFinite,
    /// There are not as many velocities as nodes.
    #[error("{found} velocities are given for {nodes} nodes")]
    Velocities {
        /// Number of velocities.
        found: usize,
        /// Number of nodes.
        nodes: usize,
    },
}
