//! Beam, link and crank put together.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::LateralBuckling;
use crate::flexible::bar::{Bar, Mesh};
use crate::flexible::{Assembly, Joint, Law, Side};

/// Nodes and beams of the three bars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bars {
    /// The beam R-T.
    pub(super) beam: Mesh,
    /// The link C-B.
    pub(super) link: Mesh,
    /// The crank B-G.
    pub(super) crank: Mesh,
}

impl LateralBuckling {
    /// The ends T of the beam, C and B of the link, and G of the crank, m; R is the origin.
    pub(super) fn points(&self) -> [Vector3<f64>; 4] {
        let t = Vector3::new(self.beam_length, 0.0, 0.0);
        let c = t + Vector3::new(0.0, self.offset, 0.0);
        let b = c - Vector3::new(0.0, 0.0, self.link_length);
        [t, c, b, b - Vector3::new(self.crank_length, 0.0, 0.0)]
    }

    /// Bars, joints and drive. Crank and link have axis 3 along `y`, about which they turn.
    pub(super) fn assembly(&self) -> (Assembly, Bars) {
        let [_, c, b, g] = self.points();
        let [down, back] = [DOWN, BACK].map(Rotation3::from_matrix_unchecked);
        let mut assembly = Assembly::default();
        let bar =
            |from, axes, length, elements, section| Bar { from, axes, length, elements, lumped: elements, section };
        let bars = Bars {
            beam: bar(Vector3::zeros(), Rotation3::identity(), self.beam_length, self.elements, &self.beam)
                .add_to(&mut assembly),
            link: bar(c, down, self.link_length, self.link_elements, &self.link).add_to(&mut assembly),
            crank: bar(b, back, self.crank_length, self.crank_elements, &self.crank).add_to(&mut assembly),
        };
        let Bars { beam, link, crank } = &bars;
        let tip = Side::node(beam.last()).offset(Vector3::new(0.0, self.offset, 0.0));
        assembly.joints = vec![
            Joint::Clamp { node: beam.first() },
            Joint::Spherical { a: tip, b: Side::node(link.first()) },
            Joint::Revolute { a: Side::node(link.last()), b: Side::node(crank.first()).turned(back.inverse() * down) },
            Joint::PrescribedRotation {
                a: Side::ground(g).turned(back),
                b: Side::node(crank.last()),
                angle: Law::default().rising(0.0, self.turn_time, -PI),
            },
        ];
        (assembly, bars)
    }
}

/// Axes of the link: 1 along `−z`, 3 along `y`.
const DOWN: Matrix3<f64> = Matrix3::new(0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0);
/// Axes of the crank: 1 along `−x`, 3 along `y`.
const BACK: Matrix3<f64> = Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0);

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn axes_are_rotations_and_bars_meet() {
        let parameters = LateralBuckling::default();
        let (assembly, Bars { beam, link, crank }) = parameters.assembly();
        for node in &assembly.nodes {
            let r = node.rotation.matrix();
            assert_relative_eq!(r * r.transpose(), Matrix3::identity());
            assert_eq!(r.determinant(), 1.0);
        }
        let [t, c, b, g] = parameters.points();
        let ends = [(beam.last(), t), (link.first(), c), (link.last(), b), (crank.first(), b), (crank.last(), g)];
        for (node, point) in ends {
            assert_relative_eq!(assembly.nodes[node].position, point, epsilon = 1e-15);
        }
        assert_eq!((assembly.nodes.len(), assembly.beams.len()), (11 + 3 + 3, 7));
    }

    /// Eq. 24, `φ = (π/2)(1 − cos π t/T)` about `−y`: after `T/2` the crank points up.
    #[test]
    fn the_crank_goes_up() {
        let (assembly, Bars { crank, .. }) = LateralBuckling::default().assembly();
        let Joint::PrescribedRotation { a, angle, .. } = &assembly.joints[3] else { panic!("not the drive") };
        assert_relative_eq!(angle.at(0.1), -0.5 * PI * (1.0 - (0.25 * PI).cos()), max_relative = 1e-14);
        assert_eq!((angle.at(0.0), angle.at(0.7)), (0.0, -PI));
        let turned = a.frame * Rotation3::from_axis_angle(&Vector3::z_axis(), angle.at(0.2));
        let from_g = turned * a.frame.inverse() * (assembly.nodes[crank.first()].position - a.offset);
        assert_relative_eq!(from_g, Vector3::new(0.0, 0.0, 0.05), epsilon = 1e-15);
    }
}
