//! Mechanisms for the tests.

use mbsbench_problem::Scalar;
use mbsbench_problem::dae::{Dae, Point};
use nalgebra::{DMatrix, Matrix3, Rotation3, Vector3};

use crate::flexible::equations::FlexibleEquations;
use crate::flexible::{Assembly, Beam, Flexible, Gravity, Joint, Law, Node, RigidBody, Section, Side, Strut};

/// Tube of the shaft in zhang2022, Table 5.
pub const TUBE: Section =
    Section { tensile: Vector3::new(313.4e6, 60.5e6, 60.5e6), bending: Vector3::new(272.7e3, 354.5e3, 354.5e3) };

/// Mass of the tube per length, kg/m.
pub const TUBE_MASS: f64 = 11.6396;

/// Rotary inertia of the tube per length, kg m: polar, transverse.
pub const TUBE_INERTIA: [f64; 2] = [0.026_334_5, 0.013_167_3];

impl Node {
    /// Returns a node with the axes of the ground.
    pub fn at(x: f64, y: f64, z: f64) -> Self {
        Self { position: Vector3::new(x, y, z), rotation: Rotation3::identity() }
    }

    /// Returns the node with other axes.
    #[must_use]
    pub fn turned(self, rotation: Rotation3<f64>) -> Self {
        Self { rotation, ..self }
    }
}

impl Law {
    /// Returns a constant.
    pub fn constant(value: f64) -> Self {
        Self { initial: value, ..Self::default() }
    }
}

/// A straight bar from the origin along `x` with the inertia of the tube, lumped on the nodes.
pub fn bar(length: f64, elements: usize, section: Section) -> Assembly {
    let count = 2 * elements + 1;
    let spacing = length / (count - 1) as f64;
    let mut assembly = Assembly::default();
    for k in 0..count {
        assembly.nodes.push(Node::at(spacing * k as f64, 0.0, 0.0));
        let end = k == 0 || k == count - 1;
        let lump = if end { spacing / 2.0 } else { spacing };
        let inwards = if k == 0 { 0.25 } else { -0.25 };
        let across = TUBE_INERTIA[1] * lump + TUBE_MASS * lump.powi(3) / 12.0;
        assembly.bodies.push(RigidBody {
            node: k,
            mass: TUBE_MASS * lump,
            offset: Vector3::x() * if end { inwards * spacing } else { 0.0 },
            inertia: Matrix3::from_diagonal(&Vector3::new(TUBE_INERTIA[0] * lump, across, across)),
        });
    }
    for k in 0..elements {
        let nodes = [2 * k, 2 * k + 1, 2 * k + 2];
        assembly.beams.push(Beam { nodes, section, frame: Rotation3::identity() });
    }
    assembly
}

/// A frame whose third axis is `x`.
pub fn along_x() -> Rotation3<f64> {
    Rotation3::from_matrix_unchecked(Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
}

/// The shaft of zhang2022, section 5.4, with gravity and speed that follow a law; without the initial phase.
pub fn shaft(gravity: Law, speed: Law) -> Assembly {
    let mut shaft = bar(6.0, 16, TUBE);
    let inertia = Matrix3::from_diagonal(&Vector3::new(2.0325, 1.030_95, 1.030_95));
    shaft.bodies.push(RigidBody { node: 16, mass: 70.573, offset: Vector3::z() * 0.05, inertia });
    let ground = |x: f64| Side::ground(Vector3::x() * x).turned(along_x());
    shaft.joints = vec![
        Joint::Revolute { a: ground(0.0), b: Side::node(0).turned(along_x()) },
        Joint::PrescribedAngularVelocity { node: 0, axis: Vector3::x(), speed },
        Joint::Cylindrical { a: ground(6.0), b: Side::node(32).turned(along_x()) },
    ];
    shaft.gravity = Some(Gravity { direction: -Vector3::z(), acceleration: gravity });
    shaft
}

/// A mechanism with every kind of part: two bent bars with a hinge between them, driven at one end and held at others.
pub fn medley() -> Assembly {
    let soft = Section { tensile: Vector3::new(900.0, 300.0, 200.0), bending: Vector3::new(20.0, 12.0, 15.0) };
    let mut assembly = bar(1.0, 1, soft);
    assembly.nodes[1].position.y = 0.05;
    assembly.nodes[2] = assembly.nodes[2].turned(Rotation3::new(Vector3::new(0.2, -0.1, 0.3)));
    assembly.beams[0].frame = Rotation3::new(Vector3::new(0.1, 0.2, -0.1));
    let second = bar(1.0, 1, soft);
    assembly.nodes.extend(second.nodes.iter().map(|node| Node { position: node.position + Vector3::x(), ..*node }));
    assembly.bodies.extend(second.bodies.iter().map(|body| RigidBody { node: body.node + 3, ..*body }));
    assembly.beams.extend(second.beams.iter().map(|beam| Beam { nodes: beam.nodes.map(|node| node + 3), ..*beam }));
    let free = |x: f64| Node::at(x, 0.7, 0.1).turned(Rotation3::new(Vector3::new(0.0, 0.4, 0.2)));
    for x in [2.5, 3.0, 3.5] {
        let node = assembly.nodes.len();
        assembly.nodes.push(free(x));
        let (offset, inertia) = (Vector3::new(0.1, 0.2, -0.1), Matrix3::from_diagonal_element(0.2));
        assembly.bodies.push(RigidBody { node, mass: 1.5, offset, inertia });
    }
    let at = |node: usize, x: f64| Side::node(node).offset(Vector3::new(x, 0.1, -0.2));
    let tilted = Rotation3::new(Vector3::new(0.3, -0.2, 0.5));
    let driven =
        Joint::PrescribedRotation { a: Side::ground(Vector3::zeros()), b: Side::node(0), angle: Law::linear(0.7) };
    assembly.joints = vec![
        driven,
        Joint::Revolute { a: at(2, 0.1).turned(tilted), b: at(3, -0.1) },
        Joint::Spherical { a: at(5, 0.2).turned(tilted), b: at(6, 0.0) },
        Joint::Cylindrical { a: at(6, 0.2), b: at(7, 0.3).turned(tilted) },
        Joint::PrescribedRotation { a: at(7, 0.5), b: Side::node(8), angle: Law::default() },
        Joint::PrescribedAngularVelocity { node: 4, axis: Vector3::new(0.6, 0.0, 0.8), speed: Law::linear(2.0) },
    ];
    assembly.gravity = Some(Gravity { direction: Vector3::new(0.0, 0.6, -0.8), acceleration: Law::constant(9.81) });
    assembly.struts = vec![Strut { node: 1, point: Vector3::new(0.3, -1.0, 0.4), damping: 3.0, until: 10.0 }];
    assembly
}

/// Returns the mechanism of valid parts.
pub fn checked(assembly: Assembly) -> Flexible {
    Flexible::new(assembly).expect("it is a mechanism")
}

/// Numbers from −1 to 1 without pattern.
pub fn numbers(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// Newton's matrix at a point.
pub fn matrix<S: Scalar>(equations: &mut FlexibleEquations<'_, S>, at: Point<'_, S>, c: S) -> DMatrix<S> {
    let size = at.rates.len();
    equations.residual(at, c, &mut vec![S::zero(); size]).expect("it exists");
    let mut matrix = DMatrix::from_element(size, size, S::from(f64::NAN));
    equations.jacobian(at, c, &mut matrix);
    matrix
}

/// All nodes at rest in their rest poses, regardless of the joints.
pub fn at_rest(flexible: &Flexible) -> Vec<f64> {
    let numbers = |node: &Node| {
        let place = node.position.iter().chain(node.rotation.matrix()).copied();
        place.chain([0.0; 6]).collect::<Vec<_>>()
    };
    flexible.assembly.nodes.iter().flat_map(numbers).collect()
}
