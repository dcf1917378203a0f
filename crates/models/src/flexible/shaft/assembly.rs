//! Shaft, disk, bearings and drive put together.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::RotatingShaft;
use crate::flexible::bar::{Bar, Mesh};
use crate::flexible::{Assembly, Gravity, Joint, Law, RigidBody, Side, Strut};

/// Distance from mid-span down to the ground end of the damper, m.
const STRUT_LENGTH: f64 = 1.0;
/// When the damper is taken away, s.
const STRUT_UNTIL: f64 = -0.25;
/// When gravity is switched on, from beginning to end, s.
const GRAVITY_RISE: [f64; 2] = [-1.0, -0.5];

impl RotatingShaft {
    /// The speed of the shaft (Eq. 25), rad/s.
    pub(super) fn drive(&self) -> Law {
        let [first, second] = self.amplitudes.map(|amplitude| amplitude * self.speed);
        let [t1, t2, t3] = self.times;
        Law::default().rising(0.0, t1, first).rising(t2, t3, second - first)
    }

    /// Everything, and the nodes and beams of the shaft.
    pub(super) fn assembly(&self) -> (Assembly, Mesh) {
        let (from, axes) = (Vector3::zeros(), Rotation3::identity());
        let mut assembly = Assembly::default();
        let elements = self.elements;
        let bar = Bar { from, axes, length: self.length, elements, lumped: elements, section: &self.section };
        let mesh = bar.add_to(&mut assembly);
        assembly.bodies.push(RigidBody {
            node: mesh.middle(),
            mass: self.disk.mass,
            offset: Vector3::new(0.0, 0.0, self.disk.offset),
            inertia: Matrix3::from_diagonal(&Vector3::from(self.disk.inertia)),
        });
        let along = Rotation3::from_matrix_unchecked(ALONG_X);
        let end = Vector3::new(self.length, 0.0, 0.0);
        assembly.joints = vec![
            Joint::Revolute { a: Side::ground(from).turned(along), b: Side::node(mesh.first()).turned(along) },
            Joint::Cylindrical { a: Side::ground(end).turned(along), b: Side::node(mesh.last()).turned(along) },
            Joint::PrescribedAngularVelocity { node: mesh.first(), axis: Vector3::x(), speed: self.drive() },
        ];
        let below = end * 0.5 - Vector3::new(0.0, 0.0, STRUT_LENGTH);
        let damping = self.damping;
        assembly.struts = vec![Strut { node: mesh.middle(), point: below, damping, until: STRUT_UNTIL }];
        let [from, until] = GRAVITY_RISE;
        let acceleration = Law::default().rising(from, until, self.gravity);
        assembly.gravity = Some(Gravity { direction: -Vector3::z(), acceleration });
        (assembly, mesh)
    }
}

/// Axis 3 along `x`.
const ALONG_X: Matrix3<f64> = Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use approx::assert_relative_eq;

    use super::*;

    /// Eq. 25 at one time in each of its parts.
    #[test]
    fn the_drive_is_that_of_the_paper() {
        let drive = RotatingShaft::default().drive();
        let first = 0.5 * 0.8 * 60.0 * (1.0 - (PI * 0.2 / 0.5).cos());
        let second = 0.8 * 60.0 + 0.5 * 0.4 * 60.0 * (1.0 - (PI * 0.1 / 0.25).cos());
        for (t, speed) in [(-0.5, 0.0), (0.2, first), (0.7, 48.0), (1.1, second), (1.25, 72.0), (2.0, 72.0)] {
            assert_relative_eq!(drive.at(t), speed, max_relative = 1e-14);
        }
    }

    #[test]
    fn gravity_comes_before_the_drive() {
        let (assembly, mesh) = RotatingShaft::default().assembly();
        let gravity = assembly.gravity.expect("it has weight");
        for (t, g) in [(-1.0, 0.0), (-0.8, 0.5 * 9.81 * (1.0 - (0.4 * PI).cos())), (-0.5, 9.81), (2.0, 9.81)] {
            assert_relative_eq!(gravity.acceleration.at(t), g, max_relative = 1e-14, epsilon = 1e-15);
        }
        assert_eq!((assembly.nodes.len(), mesh.middle()), (33, 16));
        assert_relative_eq!(assembly.nodes[16].position, Vector3::new(3.0, 0.0, 0.0));
        assert_relative_eq!(assembly.struts[0].point, Vector3::new(3.0, 0.0, -1.0));
        let mass: f64 = assembly.bodies.iter().map(|body| body.mass).sum();
        assert_relative_eq!(mass, 6.0 * 11.6396 + 70.573, max_relative = 1e-14);
        assert_relative_eq!(ALONG_X * Vector3::z(), Vector3::x());
        assert_eq!(ALONG_X.determinant(), 1.0);
    }
}
