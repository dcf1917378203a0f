//! A flexible four-bar mechanism with one misaligned axis (zhang2022, section 5.2; after Bauchau et al. 2016).
//!
//! ```text
//! B ─────────── C      A-B turns at a given speed about A, clockwise; hinges at A, B, C and D along z,
//! │             │      except at C, whose axis is tilted about y: rigid bars would lock.
//! A             D      x from A to D, y from A to B, z towards the reader
//! ```

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Model, ModelDefinition, Observable, View, parameters, rotation};
use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::drawing::pin;
use crate::flexible::bar::{Bar, Mesh};
use crate::flexible::model::{FlexibleModel, Mechanism, euler_312};
use crate::flexible::{Assembly, CrossSection, Joint, Law, Side, Snapshot, Twist};

parameters! {
    /// Length of the pieces of a bar whose inertia is lumped on its nodes.
    #[derive(Copy, Default, Eq)]
    pub enum Lumps {
        /// The distance between nodes, so that the pieces add up to the bar.
        #[default]
        ByBar,
        /// The length of the bar over twice the number of elements of all three bars, a third of the node distance.
        /// The mechanism then has a third of the mass that follows from section and density. The authors' generator
        /// of input files does this; the paper does not say which mass its runs used.
        ByMechanism,
    }

    /// Three flexible bars in a rectangle, hinged together and to the ground, and driven at constant speed; no gravity.
    ///
    /// The drive has turned `A-B` by `−Ω t`. The bars start unstrained in the rectangle and with the velocities of
    /// rigid bars, so a run has to begin at a multiple of `2π/Ω`; the paper begins two turns before `t = 0`.
    ///
    /// Source: zhang2022, section 5.2. The values of Table 3, which the paper's text does not print, are from the
    /// authors' input file: bars of 16 mm and 8 mm square with E = 207 GPa, ν = 0.3 and 7800 kg/m³.
    pub struct FlexibleFourBar where assembles {
        /// Number of three-node elements in each bar.
        pub elements: usize [from 1, to 400] = 5,
        /// Inertia lumped on the nodes: `by-bar` or `by-mechanism`.
        pub lumps: Lumps = Lumps::ByBar,
        /// Length of A-B and C-D.
        pub arm_length: f64 [above 0.0, unit "m"] = 0.12,
        /// Length of B-C.
        pub coupler_length: f64 [above 0.0, unit "m"] = 0.24,
        /// Cross section of A-B and B-C; axis 3 is along the hinges.
        pub thick: CrossSection = CrossSection {
            axial: 5.299_20e7,
            shear: [1.688_03e7, 1.688_03e7],
            torsion: 733.488,
            bending: [1130.50, 1130.50],
            mass: 1.996_80,
            inertia: [8.519_68e-5, 4.259_84e-5, 4.259_84e-5],
        },
        /// Cross section of C-D.
        pub thin: CrossSection = CrossSection {
            axial: 1.324_80e7,
            shear: [4.220_08e6, 4.220_08e6],
            torsion: 45.8430,
            bending: [70.6560, 70.6560],
            mass: 0.499_200,
            inertia: [5.324_80e-6, 2.662_40e-6, 2.662_40e-6],
        },
        /// Angle about `y` by which the axis at C is tilted.
        pub misalignment: f64 [from -45.0, to 45.0, unit "deg"] = 5.0,
        /// Angular velocity Ω of A-B at A, about `−z`.
        pub angular_velocity: f64 [above 0.0, unit "rad/s"] = 0.6,
    }
}

impl ModelDefinition for FlexibleFourBar {
    const NAME: &'static str = "flexible-four-bar";
    const SUMMARY: &'static str = "flexible four-bar mechanism with a tilted axis, driven at constant speed";
    const SOURCE: &'static str = "zhang2022, section 5.2";

    fn model(&self) -> Box<dyn Model> {
        Box::new(FlexibleModel::new(self))
    }
}

impl FlexibleFourBar {
    /// Initial positions of the hinges A, B, C and D, m.
    fn corners(&self) -> [Vector3<f64>; 4] {
        let (width, height) = (self.coupler_length, self.arm_length);
        [[0.0, 0.0], [0.0, height], [width, height], [width, 0.0]].map(|[x, y]| Vector3::new(x, y, 0.0))
    }

    /// The tilt of the axis at C.
    fn tilt(&self) -> Rotation3<f64> {
        Rotation3::from_axis_angle(&Vector3::y_axis(), self.misalignment.to_radians())
    }
}

/// Number of bars: A-B, B-C and C-D.
const BARS: usize = 3;

/// Axes of A-B, B-C and C-D at the start: axis 1 along the bar, axis 3 along `z`.
const AXES: [Matrix3<f64>; 3] = [
    Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    Matrix3::new(0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
];

impl Mechanism for FlexibleFourBar {
    /// Meshes of A-B, B-C and C-D.
    type Bars = [Mesh; 3];

    /// Bars, hinges and drive.
    fn assembly(&self) -> (Assembly, Self::Bars) {
        let [a, b, c, d] = self.corners();
        let [up, across, down] = AXES.map(Rotation3::from_matrix_unchecked);
        let elements = self.elements;
        let lumped = match self.lumps {
            Lumps::ByBar => elements,
            Lumps::ByMechanism => BARS * elements,
        };
        let bar = |from, axes, length, section| Bar { from, axes, length, elements, lumped, section };
        let mut assembly = Assembly::default();
        let ab = bar(a, up, self.arm_length, &self.thick).add_to(&mut assembly);
        let bc = bar(b, across, self.coupler_length, &self.thick).add_to(&mut assembly);
        let cd = bar(c, down, self.arm_length, &self.thin).add_to(&mut assembly);
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
        (assembly, [ab, bc, cd])
    }

    /// Initial velocities: those of rigid bars with parallel axes.
    fn start(&self, assembly: &Assembly, [ab, _, cd]: &Self::Bars) -> Vec<Twist> {
        let [a, b, _, d] = self.corners();
        let turning = Vector3::new(0.0, 0.0, -self.angular_velocity);
        let still = Vector3::zeros();
        let twist = |node: usize| {
            let position = assembly.nodes[node].position;
            if ab.nodes.contains(&node) {
                Twist { linear: turning.cross(&(position - a)), angular: turning }
            } else if cd.nodes.contains(&node) {
                Twist { linear: turning.cross(&(position - d)), angular: turning }
            } else {
                Twist { linear: turning.cross(&(b - a)), angular: still }
            }
        };
        (0..assembly.nodes.len()).map(twist).collect()
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("theta", "rad", "angle of B-C in C about x, by Euler angles 3-1-2"),
            Observable::new("theta_vector", "rad", "component along x of the rotation vector of B-C in C"),
            Observable::new("omega1", "rad/s", "angular velocity of B-C in C about x"),
            Observable::new("bending_moment", "N m", "moment M₂ in the middle of A-B, out of the plane"),
            Observable::new("axial_force", "N", "axial force in the middle of A-B"),
        ]
    }

    fn observe(&self, [ab, bc, _]: &Self::Bars, now: &Snapshot<'_>, values: &mut [f64]) {
        let c = bc.last();
        let turned = now.rotation(c);
        let middle = now.mean_load(ab.about_middle());
        values.copy_from_slice(&[
            euler_312(&turned),
            rotation::vector(&Rotation3::from_matrix_unchecked(turned)).x,
            now.twist(c).angular.x,
            middle.moment.y,
            middle.force.x,
        ]);
    }

    /// Views: `plane`, the plane of motion, and `top`, from `+y`, which shows the tilt of the axis at C.
    fn views(&self, [ab, bc, cd]: &Self::Bars, now: &Snapshot<'_>) -> Vec<View> {
        let unit = 0.1 * self.arm_length;
        let bars = [(ab, &self.thick), (bc, &self.thick), (cd, &self.thin)];
        let corners = [("A", ab.first()), ("B", bc.first()), ("C", bc.last()), ("D", cd.last())];
        let view = |name, axes, [x, y]: [usize; 2], across: usize| {
            let bar = |&(mesh, section): &(&_, &_)| ("bars", now.outline(mesh, section, [x, y], across));
            let mut parts: Vec<(&'static str, Shape)> = bars.iter().map(bar).collect();
            parts.extend(corners.iter().map(|&(corner, node)| {
                let tilted = corner == "C";
                let axes = if tilted { now.rotation(node) * self.tilt() } else { now.rotation(node) };
                let (at, along) = (now.position(node), axes * Vector3::z() * unit);
                let end = |sign: f64| [at[x] + sign * along[x], at[y] + sign * along[y]];
                ("axes", Shape::Line(vec![end(-1.0), end(1.0)]))
            }));
            let names = corners.map(|(corner, node)| {
                let at = now.position(node);
                (corner, [at[x] - unit, at[y] + unit])
            });
            View { name, axes, parts, names: names.to_vec() }
        };
        let mut plane = view("plane", ["x", "y"], [0, 1], 1);
        let grounded = [corners[0].1, corners[3].1].map(|node| now.position(node));
        plane.parts.extend(grounded.iter().flat_map(|at| pin([at.x, at.y], unit)));
        vec![plane, view("top", ["x", "z"], [0, 2], 2)]
    }
}

#[cfg(test)]
mod parameters_tests {
    use super::*;
    use crate::flexible::tests::sections::{Solid, assert_section};

    /// Table 3 from material and squares, with the authors' shear factor.
    #[test]
    fn sections_match_the_material() {
        let FlexibleFourBar { thick, thin, .. } = FlexibleFourBar::default();
        for (section, side) in [(thick, 0.016), (thin, 0.008)] {
            let material = Solid { youngs_modulus: 207e9, poisson_ratio: 0.3, density: 7800.0 };
            assert_section(&section, &material.rectangle([side, side], [0.8282; 2]), 1e-4);
        }
    }
}

#[cfg(test)]
mod assembly_tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn bars_meet_in_the_corners() {
        let parameters = FlexibleFourBar::default();
        let (assembly, [ab, bc, cd]) = parameters.assembly();
        let corners = parameters.corners();
        let ends = [(ab.first(), 0), (ab.last(), 1), (bc.first(), 1), (bc.last(), 2), (cd.first(), 2), (cd.last(), 3)];
        for (node, corner) in ends {
            assert_relative_eq!(assembly.nodes[node].position, corners[corner], epsilon = 1e-15);
        }
        assert_eq!((assembly.nodes.len(), assembly.beams.len()), (33, 15));
        let mass: f64 = assembly.bodies.iter().map(|body| body.mass).sum();
        assert_relative_eq!(mass, 1.9968 * 0.36 + 0.4992 * 0.12, max_relative = 1e-14);
    }

    /// The mass is a third, and its centres are a third as far from the ends; nodes and stiffness are unchanged.
    #[test]
    fn joint_masses_by_the_mechanism_are_a_third() {
        let [(whole, bars), (third, same)] = [Lumps::ByBar, Lumps::ByMechanism]
            .map(|lumps| FlexibleFourBar { lumps, ..FlexibleFourBar::default() }.assembly());
        assert_eq!((&bars, &whole.nodes, &whole.beams), (&same, &third.nodes, &third.beams));
        for (whole, third) in whole.bodies.iter().zip(&third.bodies) {
            assert_relative_eq!(third.mass * 3.0, whole.mass, max_relative = 1e-14);
            assert_relative_eq!(third.offset * 3.0, whole.offset, max_relative = 1e-14);
            assert_relative_eq!(third.inertia[(0, 0)] * 3.0, whole.inertia[(0, 0)], max_relative = 1e-14);
        }
    }

    /// The axis at C is that of B-C turned by 5 degrees; its `x` component is the sine.
    #[test]
    fn the_axis_in_c_is_tilted() {
        let parameters = FlexibleFourBar::default();
        let (assembly, [_, bc, cd]) = parameters.assembly();
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
        let [ab, bc, cd] = bars;
        for node in [ab.last(), bc.first(), bc.middle(), bc.last(), cd.first()] {
            assert_relative_eq!(start[node].linear, Vector3::new(0.072, 0.0, 0.0), epsilon = 1e-15);
        }
        assert_eq!([ab.first(), cd.last()].map(|node| start[node].linear.norm()), [0.0; 2]);
        assert_eq!((start[ab.middle()].angular.z, start[bc.middle()].angular.z), (-0.6, 0.0));
    }
}
