//! The four-bar mechanism put together.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::{FlexibleFourBar, Lumps};
use crate::flexible::bar::{Bar, Mesh};
use crate::flexible::{Assembly, Joint, Law, Side, Twist};

/// The bars' nodes and beams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bars {
    /// A-B.
    pub(super) ab: Mesh,
    /// B-C.
    pub(super) bc: Mesh,
    /// C-D.
    pub(super) cd: Mesh,
}

impl FlexibleFourBar {
    /// The hinges in A, B, C and D at the start, m.
    pub(super) fn corners(&self) -> [Vector3<f64>; 4] {
        let (width, height) = (self.coupler_length, self.arm_length);
        [[0.0, 0.0], [0.0, height], [width, height], [width, 0.0]].map(|[x, y]| Vector3::new(x, y, 0.0))
    }

    /// The tilt of the axis in C.
    pub(super) fn tilt(&self) -> Rotation3<f64> {
        Rotation3::from_axis_angle(&Vector3::y_axis(), self.misalignment.to_radians())
    }

    /// Bars, hinges and drive.
    pub(super) fn assembly(&self) -> (Assembly, Bars) {
        let [a, b, c, d] = self.corners();
        let [up, across, down] = AXES.map(Rotation3::from_matrix_unchecked);
        let elements = self.elements;
        let lumped = match self.lumps {
            Lumps::ByBar => elements,
            Lumps::ByMechanism => BARS * elements,
        };
        let bar = |from, axes, length, section| Bar { from, axes, length, elements, lumped, section };
        let mut assembly = Assembly::default();
        let bars = Bars {
            ab: bar(a, up, self.arm_length, &self.thick).add_to(&mut assembly),
            bc: bar(b, across, self.coupler_length, &self.thick).add_to(&mut assembly),
            cd: bar(c, down, self.arm_length, &self.thin).add_to(&mut assembly),
        };
        let Bars { ab, bc, cd } = &bars;
        let tilted = across * self.tilt();
        assembly.joints = vec![
            Joint::PrescribedRotation {
                a: Side::ground(a).turned(up),
                b: Side::node(ab.first()),
                angle: Law::linear(-self.angular_velocity),
            },
            Joint::Revolute { a: Side::node(ab.last()), b: Side::node(bc.first()).turned(across.inverse() * up) },
            Joint::Revolute {
                a: Side::node(bc.last()).turned(across.inverse() * tilted),
                b: Side::node(cd.first()).turned(down.inverse() * tilted),
            },
            Joint::Revolute { a: Side::ground(d).turned(down), b: Side::node(cd.last()) },
        ];
        (assembly, bars)
    }

    /// Velocities at the start: those of rigid bars with parallel axes.
    pub(super) fn start(&self, assembly: &Assembly, bars: &Bars) -> Vec<Twist> {
        let [a, b, _, d] = self.corners();
        let turning = Vector3::new(0.0, 0.0, -self.angular_velocity);
        let still = Vector3::zeros();
        let twist = |node: usize| {
            let position = assembly.nodes[node].position;
            if bars.ab.nodes.contains(&node) {
                Twist { linear: turning.cross(&(position - a)), angular: turning }
            } else if bars.cd.nodes.contains(&node) {
                Twist { linear: turning.cross(&(position - d)), angular: turning }
            } else {
                Twist { linear: turning.cross(&(b - a)), angular: still }
            }
        };
        (0..assembly.nodes.len()).map(twist).collect()
    }
}

/// A-B, B-C and C-D.
const BARS: usize = 3;

/// Axes of A-B, B-C and C-D at the start: axis 1 along the bar, axis 3 along `z`.
const AXES: [Matrix3<f64>; 3] = [
    Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    Matrix3::new(0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn bars_meet_in_the_corners() {
        let parameters = FlexibleFourBar::default();
        let (assembly, Bars { ab, bc, cd }) = parameters.assembly();
        let corners = parameters.corners();
        let ends = [(ab.first(), 0), (ab.last(), 1), (bc.first(), 1), (bc.last(), 2), (cd.first(), 2), (cd.last(), 3)];
        for (node, corner) in ends {
            assert_relative_eq!(assembly.nodes[node].position, corners[corner], epsilon = 1e-15);
        }
        assert_eq!((assembly.nodes.len(), assembly.beams.len()), (33, 15));
        let mass: f64 = assembly.bodies.iter().map(|body| body.mass).sum();
        assert_relative_eq!(mass, 1.9968 * 0.36 + 0.4992 * 0.12, max_relative = 1e-14);
    }

    /// A third of the mass, with its centres a third as far from the ends; nodes and stiffness are as they were.
    #[test]
    fn lumps_by_mechanism_are_a_third() {
        let [(whole, bars), (third, same)] = [Lumps::ByBar, Lumps::ByMechanism]
            .map(|lumps| FlexibleFourBar { lumps, ..FlexibleFourBar::default() }.assembly());
        assert_eq!((&bars, &whole.nodes, &whole.beams), (&same, &third.nodes, &third.beams));
        for (whole, third) in whole.bodies.iter().zip(&third.bodies) {
            assert_relative_eq!(third.mass * 3.0, whole.mass, max_relative = 1e-14);
            assert_relative_eq!(third.offset * 3.0, whole.offset, max_relative = 1e-14);
            assert_relative_eq!(third.inertia[(0, 0)] * 3.0, whole.inertia[(0, 0)], max_relative = 1e-14);
        }
    }

    /// In C the axis is that of B-C turned by 5 degrees: it points to `x` by the sine.
    #[test]
    fn the_axis_in_c_is_tilted() {
        let parameters = FlexibleFourBar::default();
        let (assembly, Bars { bc, cd, .. }) = parameters.assembly();
        let Joint::Revolute { a, b } = &assembly.joints[2] else { panic!("not a hinge") };
        let axis = |node: usize, side: &Side| assembly.nodes[node].rotation * side.frame * Vector3::z();
        let tilt = 5.0_f64.to_radians();
        let expected = Vector3::new(tilt.sin(), 0.0, tilt.cos());
        assert_relative_eq!(axis(bc.last(), a), expected, epsilon = 1e-15);
        assert_relative_eq!(axis(cd.first(), b), expected, epsilon = 1e-15);
    }

    #[test]
    fn bars_start_with_the_velocities_of_a_parallelogram() {
        let parameters = FlexibleFourBar::default();
        let (assembly, bars) = parameters.assembly();
        let start = parameters.start(&assembly, &bars);
        let Bars { ab, bc, cd } = bars;
        for node in [ab.last(), bc.first(), bc.middle(), bc.last(), cd.first()] {
            assert_relative_eq!(start[node].linear, Vector3::new(0.072, 0.0, 0.0), epsilon = 1e-15);
        }
        assert_eq!([ab.first(), cd.last()].map(|node| start[node].linear.norm()), [0.0; 2]);
        assert_eq!((start[ab.middle()].angular.z, start[bc.middle()].angular.z), (-0.6, 0.0));
    }
}
