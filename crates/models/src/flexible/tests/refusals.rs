//! Descriptions that are not mechanisms, and motions that joints do not admit.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::support::{TUBE, along_x, bar, checked, shaft};
use crate::flexible::{Assembly, DeadLoad, Flexible, Joint, Law, Node, Part, Refused, Section, Side, Strut, Twist};

fn refused(assembly: Assembly) -> Refused {
    Flexible::new(assembly).expect_err("the mechanism is refused")
}

/// The part and the quantity for which a changed bar is refused.
fn quantity(change: impl FnOnce(&mut Assembly)) -> (Part, &'static str) {
    let mut assembly = bar(1.0, 2, TUBE);
    change(&mut assembly);
    match refused(assembly) {
        Refused::Value { part, quantity, .. } => (part, quantity),
        other => panic!("{other}"),
    }
}

#[test]
fn degenerate_sections_are_refused() {
    let section = Section { bending: Vector3::y() * 1e5, ..TUBE };
    assert_eq!(quantity(|bar| bar.beams[1].section = section), (Part::Beam(1), "torsional stiffness"));
    let section = Section { tensile: Vector3::repeat(f64::NAN), ..TUBE };
    assert_eq!(quantity(|bar| bar.beams[0].section = section), (Part::Beam(0), "axial stiffness"));
    let mut assembly = bar(1.0, 1, TUBE);
    assembly.beams[0].section.tensile.z = -2.0;
    let message = "beam 0: shear stiffness z is -2; accepted: a finite number above zero";
    assert_eq!(refused(assembly).to_string(), message);
}

#[test]
fn beams_without_length_are_refused() {
    let same = |bar: &mut Assembly| bar.nodes[3].position = bar.nodes[4].position;
    assert_eq!(quantity(same), (Part::Beam(1), "length between nodes"));
    let beyond = |bar: &mut Assembly| bar.nodes[1] = Node::at(0.45, 0.0, 0.0);
    assert_eq!(quantity(beyond), (Part::Beam(0), "offset of the middle node"));
}

#[test]
fn nodes_without_inertia_are_refused() {
    let massless = |bar: &mut Assembly| bar.bodies[2].mass = 0.0;
    assert_eq!(quantity(massless), (Part::Node(2), "mass of its bodies"));
    let thin = |bar: &mut Assembly| bar.bodies[2].inertia[(0, 0)] = 0.0;
    assert_eq!(quantity(thin), (Part::Node(2), "least moment of inertia of its bodies"));
    let askew = |bar: &mut Assembly| bar.bodies[1].inertia[(0, 1)] = 1.0;
    assert_eq!(quantity(askew), (Part::Body(1), "inertia"));
    let negative = |bar: &mut Assembly| bar.bodies[1].inertia = -Matrix3::identity();
    assert_eq!(quantity(negative), (Part::Body(1), "least moment of inertia"));
}

#[test]
fn missing_nodes_are_refused() {
    let with = |joint: Joint| {
        let mut assembly = bar(1.0, 1, TUBE);
        assembly.joints = vec![Joint::Clamp { node: 0 }, joint];
        refused(assembly)
    };
    let stranger = Joint::Spherical { a: Side::node(1), b: Side::node(7) };
    let expected = Refused::UnknownNode { part: Part::Joint(1), node: 7, nodes: 3 };
    assert_eq!(expected.to_string(), "joint 1 refers to node 7, but there are 3 nodes, numbered from 0");
    assert_eq!(with(stranger), expected);
    let itself = Joint::Revolute { a: Side::node(1), b: Side::node(1) };
    assert_eq!(with(itself), Refused::SameNode { part: Part::Joint(1), node: 1 });
    let mut assembly = bar(1.0, 1, TUBE);
    assembly.beams[0].nodes = [0, 1, 1];
    assert_eq!(refused(assembly), Refused::SameNode { part: Part::Beam(0), node: 1 });
}

#[test]
fn invalid_struts_weights_and_laws_are_refused() {
    let strut = Strut { node: 1, point: Vector3::zeros(), damping: -1.0, until: 1.0 };
    assert_eq!(quantity(|bar| bar.struts = vec![strut]), (Part::Strut(0), "damping"));
    let strut = Strut { node: 0, damping: 1.0, ..strut };
    assert_eq!(quantity(|bar| bar.struts = vec![strut]), (Part::Strut(0), "length"));
    let load = DeadLoad { node: 1, force: Vector3::x() * f64::NAN, growth: Law::default() };
    assert_eq!(quantity(|bar| bar.loads = vec![load]), (Part::Load(0), "force"));
    let long = Joint::PrescribedAngularVelocity { node: 0, axis: Vector3::x() * 2.0, speed: Law::default() };
    assert_eq!(quantity(|bar| bar.joints = vec![long]), (Part::Joint(0), "axis"));
    let axis = Vector3::x();
    let sudden = Joint::PrescribedAngularVelocity { node: 0, axis, speed: Law::default().rising(1.0, 1.0, 2.0) };
    assert_eq!(quantity(|bar| bar.joints = vec![sudden]), (Part::Joint(0), "law of time"));
}

#[test]
fn frames_without_rotation_matrices_are_refused() {
    let mirrored = Rotation3::from_matrix_unchecked(Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0)));
    let skew = Rotation3::from_matrix_unchecked(Matrix3::identity() * 1.001);
    assert_eq!(quantity(|bar| bar.nodes[1].rotation = mirrored), (Part::Node(1), "orientation"));
    assert_eq!(quantity(|bar| bar.beams[1].frame = skew), (Part::Beam(1), "orientation of its section"));
    let a = Side::ground(Vector3::zeros()).turned(mirrored);
    let hinge = Joint::Revolute { a, b: Side::node(0) };
    assert_eq!(quantity(|bar| bar.joints = vec![hinge]), (Part::Joint(0), "frame"));
}

#[test]
fn redundant_joints_are_refused() {
    let mut assembly = bar(1.0, 1, TUBE);
    assembly.joints =
        vec![Joint::Clamp { node: 0 }, Joint::Spherical { a: Side::ground(Vector3::zeros()), b: Side::node(0) }];
    let expected = Refused::Overconstrained { part: Part::Joint(1), row: 0 };
    assert_eq!(checked(assembly).resting::<f64>(0.0), Err(expected));
    // a speed prescribed twice, at velocity level and by an angle
    let mut assembly = shaft(Law::default(), Law::default());
    let a = Side::ground(Vector3::zeros()).turned(along_x());
    let b = Side { node: Some(0), ..a };
    assembly.joints[0] = Joint::PrescribedRotation { a, b, angle: Law::default() };
    let expected = Refused::Overconstrained { part: Part::Joint(1), row: 0 };
    assert_eq!(checked(assembly).resting::<f64>(0.0), Err(expected));
}

#[test]
fn open_joints_are_refused() {
    let mut assembly = bar(1.0, 1, TUBE);
    assembly.joints = vec![Joint::Spherical { a: Side::ground(Vector3::y() * 0.1), b: Side::node(0) }];
    let expected = Refused::Apart { part: Part::Joint(0), time: 2.0, row: 1, defect: -0.1 };
    assert_eq!(checked(assembly).resting::<f64>(2.0), Err(expected));
}

#[test]
fn inconsistent_velocities_are_refused() {
    let assembly = shaft(Law::default(), Law::constant(3.0));
    let flexible = checked(assembly);
    let stopped = flexible.resting::<f64>(0.0);
    assert_eq!(stopped, Err(Refused::Velocity { part: Part::Joint(1), time: 0.0, row: 0, defect: -3.0 }));
    let turning = Twist { linear: Vector3::zeros(), angular: Vector3::x() * 3.0 };
    let state = flexible.moving::<f64>(0.0, &[turning; 33]).expect("it turns as it should");
    let twist = flexible.at(0.0, &state).twist(16);
    assert!((twist.angular - turning.angular).norm() + twist.linear.norm() < 1e-14, "{twist:?}");
    let sliding = Twist { linear: Vector3::x(), ..turning };
    let refused = flexible.moving::<f64>(0.0, &[sliding; 33]);
    assert!(matches!(refused, Err(Refused::Velocity { part: Part::Joint(0), .. })), "{refused:?}");
    assert!(flexible.launched::<f64>(0.0, &[sliding; 33]).is_ok());
    assert_eq!(flexible.moving::<f64>(0.0, &[turning]), Err(Refused::Velocities { found: 1, nodes: 33 }));
}
