//! Descriptions that are not mechanisms, and joints that are open.

use nalgebra::{Matrix3, Vector3};

use super::support::{TUBE, bar, checked};
use crate::flexible::{Assembly, Flexible, Joint, Section, Side, Twist};

/// The reason for which a changed bar is refused.
fn refused(change: impl FnOnce(&mut Assembly)) -> String {
    let mut assembly = bar(1.0, 2, TUBE);
    change(&mut assembly);
    Flexible::new(assembly).expect_err("the mechanism is refused")
}

#[test]
fn beams_without_length_or_stiffness_are_refused() {
    let message = |k: usize| format!("beam {k} has a length or a stiffness that is zero or not finite");
    assert_eq!(refused(|bar| bar.beams[1].section = Section { bending: Vector3::y() * 1e5, ..TUBE }), message(1));
    let section = Section { tensile: Vector3::repeat(f64::INFINITY), ..TUBE };
    assert_eq!(refused(|bar| bar.beams[0].section = section), message(0));
    assert_eq!(refused(|bar| bar.nodes[3].position = bar.nodes[4].position), message(1));
    assert_eq!(refused(|bar| bar.nodes[0].position.x = f64::NAN), message(0));
}

#[test]
fn nodes_without_inertia_are_refused() {
    let massless = refused(|bar| bar.bodies[2].mass = 0.0);
    assert!(massless.starts_with("node 2 has mass 0 "), "{massless}");
    let thin = refused(|bar| bar.bodies[2].inertia[(0, 0)] = 0.0);
    assert!(thin.starts_with("node 2 ") && thin.ends_with(" least moment of inertia 0"), "{thin}");
    let negative = refused(|bar| bar.bodies[1].inertia = -Matrix3::identity());
    assert!(negative.starts_with("node 1 "), "{negative}");
}

#[test]
fn open_joints_are_refused() {
    let mut assembly = bar(1.0, 1, TUBE);
    assembly.joints = vec![Joint::Spherical { a: Side::ground(Vector3::y() * 0.1), b: Side::node(0) }];
    let still = Twist { linear: Vector3::zeros(), angular: Vector3::zeros() };
    let refused = checked(assembly).launched::<f64>(2.0, &[still; 3]);
    assert_eq!(refused, Err("its joints are open by 1e-1 at t = 2".to_owned()));
}
