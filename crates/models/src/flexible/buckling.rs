//! Lateral buckling of a thin beam (zhang2022, section 5.3; after Bauchau et al. 2016).
//!
//! ```text
//! R ═══════════════ T     beam from R, clamped, to T; link from C, fixed to T at a small offset along y, to B;
//!                   │     crank from B to G, which makes half a turn and pulls T up and down again
//!               G ──B     x from R to T, z up
//! ```

use std::f64::consts::PI;

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Model, ModelDefinition, Observable, View, parameters};
use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::drawing::pin;
use crate::flexible::bar::{Bar, Mesh};
use crate::flexible::model::{FlexibleModel, Mechanism, euler_312};
use crate::flexible::{Assembly, CrossSection, Joint, Law, Side, Snapshot};

parameters! {
    /// A thin beam, clamped at one end, whose other end is moved by a link and a crank until the beam buckles
    /// sideways. There is no gravity; it starts at rest.
    ///
    /// Source: zhang2022, section 5.3. The values of Table 4, which the paper's text does not print, are from the
    /// authors' input file: a beam of 10 mm by 100 mm, rods of radius 12 mm and 24 mm, E = 73 GPa, ν = 0.3, 2680
    /// kg/m³.
    pub struct LateralBuckling where assembles {
        /// Number of three-node elements in the beam.
        pub elements: usize [from 1, to 400] = 5,
        /// Number of three-node elements in the link.
        pub link_elements: usize [from 1, to 400] = 1,
        /// Number of three-node elements in the crank.
        pub crank_elements: usize [from 1, to 400] = 1,
        /// Length of the beam.
        pub beam_length: f64 [above 0.0, unit "m"] = 1.0,
        /// Length of the link.
        pub link_length: f64 [above 0.0, unit "m"] = 0.25,
        /// Length of the crank.
        pub crank_length: f64 [above 0.0, unit "m"] = 0.05,
        /// Imperfection: distance along `y` of link and crank from the plane of the beam.
        pub offset: f64 [unit "m"] = 1e-4,
        /// Cross section of the beam; axis 2 is along `y`, its thickness, axis 3 along `z`.
        pub beam: CrossSection = CrossSection {
            axial: 73e6,
            shear: [5.025e6, 23.40e6],
            torsion: 877.2,
            bending: [60_830.0, 608.3],
            mass: 2.68,
            inertia: [2255.33e-6, 2233e-6, 22.33e-6],
        },
        /// Cross section of the link.
        pub link: CrossSection = CrossSection {
            axial: 33.02e6,
            shear: [10.81e6, 10.81e6],
            torsion: 914.5,
            bending: [1189.0, 1189.0],
            mass: 1.212,
            inertia: [87.30e-6, 43.65e-6, 43.65e-6],
        },
        /// Cross section of the crank.
        pub crank: CrossSection = CrossSection {
            axial: 132.1e6,
            shear: [43.22e6, 43.22e6],
            torsion: 14_630.0,
            bending: [19_020.0, 19_020.0],
            mass: 4.85,
            inertia: [1396.6e-6, 698.3e-6, 698.3e-6],
        },
        /// Time `T` in which the crank makes half a turn (Eq. 24).
        pub turn_time: f64 [above 0.0, unit "s"] = 0.4,
    }
}

impl ModelDefinition for LateralBuckling {
    const NAME: &'static str = "lateral-buckling";
    const SUMMARY: &'static str = "thin beam bent by a crank and a link until it buckles laterally";
    const SOURCE: &'static str = "zhang2022, section 5.3";

    fn model(&self) -> Box<dyn Model> {
        Box::new(FlexibleModel::new(self))
    }
}

impl LateralBuckling {
    /// The ends T of the beam, C and B of the link, and G of the crank, m; R is the origin.
    fn points(&self) -> [Vector3<f64>; 4] {
        let t = Vector3::new(self.beam_length, 0.0, 0.0);
        let c = t + Vector3::new(0.0, self.offset, 0.0);
        let b = c - Vector3::new(0.0, 0.0, self.link_length);
        [t, c, b, b - Vector3::new(self.crank_length, 0.0, 0.0)]
    }
}

/// Axes of the link: 1 along `−z`, 3 along `y`.
const DOWN: Matrix3<f64> = Matrix3::new(0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0);
/// Axes of the crank: 1 along `−x`, 3 along `y`.
const BACK: Matrix3<f64> = Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0);

impl Mechanism for LateralBuckling {
    /// Meshes of the beam R-T, the link C-B and the crank B-G.
    type Bars = [Mesh; 3];

    /// Bars, joints and drive. Crank and link rotate about their axis 3, which is along `y`.
    fn assembly(&self) -> (Assembly, Self::Bars) {
        let [_, c, b, g] = self.points();
        let [down, back] = [DOWN, BACK].map(Rotation3::from_matrix_unchecked);
        let mut assembly = Assembly::default();
        let bar =
            |from, axes, length, elements, section| Bar { from, axes, length, elements, lumped: elements, section };
        let beam = bar(Vector3::zeros(), Rotation3::identity(), self.beam_length, self.elements, &self.beam)
            .add_to(&mut assembly);
        let link = bar(c, down, self.link_length, self.link_elements, &self.link).add_to(&mut assembly);
        let crank = bar(b, back, self.crank_length, self.crank_elements, &self.crank).add_to(&mut assembly);
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
        (assembly, [beam, link, crank])
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("theta", "rad", "angle of the beam at mid-span about x, by Euler angles 3-1-2"),
            Observable::new("omega1", "rad/s", "angular velocity of the beam at mid-span about x"),
            Observable::new("shear_force", "N", "shear force F₃ of the beam at mid-span, along its height"),
            Observable::new("u2", "m", "displacement of the beam at mid-span along y"),
            Observable::new("u3", "m", "displacement of the beam at mid-span along z"),
            Observable::new("link_force", "N", "axial force in the middle of the link"),
        ]
    }

    fn observe(&self, [beam, link, _]: &Self::Bars, now: &Snapshot<'_>, values: &mut [f64]) {
        let middle = beam.middle();
        let moved = now.displacement(middle);
        values.copy_from_slice(&[
            euler_312(&now.rotation(middle)),
            now.twist(middle).angular.x,
            now.mean_load(beam.about_middle()).force.z,
            moved.y,
            moved.z,
            now.mean_load(link.about_middle()).force.x,
        ]);
    }

    /// Views: `side`, from `−y`, and `top`, which shows the beam leaving its plane.
    fn views(&self, bars: &Self::Bars, now: &Snapshot<'_>) -> Vec<View> {
        let [beam, link, crank] = bars;
        // The in-plane direction across the bars is axis 3 of the beam and axis 2 of link and crank; seen from above
        // it is the other axis.
        let outlines = |[x, y]: [usize; 2], across: [usize; 3]| {
            let sections = [("beam", &self.beam), ("link", &self.link), ("crank", &self.crank)];
            let bars = bars.iter().zip(sections).zip(across);
            let outline = |((mesh, (name, section)), across): ((&Mesh, (_, &_)), _)| {
                (name, now.outline(mesh, section, [x, y], across))
            };
            bars.map(outline).collect::<Vec<_>>()
        };
        let at = |node: usize| now.position(node);
        let mut side = outlines([0, 2], [2, 1, 1]);
        side.extend([link.first(), link.last(), crank.last()].map(|node| {
            let centre = [at(node).x, at(node).z];
            ("joints", Shape::Circle { centre, radius: 0.12 * self.crank_length })
        }));
        let (root, drive) = (at(beam.first()), at(crank.last()));
        let wall =
            |height: f64, half: f64| ("ground", Shape::Line(vec![[root.x, height - half], [root.x, height + half]]));
        side.push(wall(root.z, 2.0 * self.crank_length));
        side.extend(pin([drive.x, drive.z], self.crank_length));
        let mut top = outlines([0, 1], [1, 2, 2]);
        top.push(wall(root.y, self.crank_length));
        let aside = 0.8 * self.crank_length;
        let named = |name, node: usize, along: usize, [right, up]: [f64; 2]| {
            (name, [at(node).x + right * aside, at(node)[along] + up * aside])
        };
        let side_names = vec![
            named("R", beam.first(), 2, [-1.0, 0.0]),
            named("T", beam.last(), 2, [0.0, 1.5]),
            named("C", link.first(), 2, [1.0, 0.0]),
            named("B", link.last(), 2, [1.0, 0.0]),
            named("G", crank.last(), 2, [-1.0, 0.3]),
        ];
        let top_names = vec![named("R", beam.first(), 1, [-1.0, 0.0]), named("T", beam.last(), 1, [1.0, 0.0])];
        vec![
            View { name: "side", axes: ["x", "z"], parts: side, names: side_names },
            View { name: "top", axes: ["x", "y"], parts: top, names: top_names },
        ]
    }
}

#[cfg(test)]
mod parameters_tests {
    use super::*;
    use crate::flexible::tests::sections::{Solid, assert_section};

    /// Table 4 from material and dimensions, with the authors' shear factors, 5/6 along the height of the beam.
    #[test]
    fn sections_match_the_material() {
        let LateralBuckling { beam, link, crank, .. } = LateralBuckling::default();
        let material = Solid { youngs_modulus: 73e9, poisson_ratio: 0.3, density: 2680.0 };
        assert_section(&beam, &material.rectangle([0.01, 0.1], [0.179, 5.0 / 6.0]), 5e-4);
        for (section, radius) in [(link, 0.012), (crank, 0.024)] {
            assert_section(&section, &material.tube(0.0, radius, 0.8507), 5e-4);
        }
    }
}

#[cfg(test)]
mod assembly_tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn axes_are_rotations_and_bars_meet() {
        let parameters = LateralBuckling::default();
        let (assembly, [beam, link, crank]) = parameters.assembly();
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
    fn the_crank_turns_upwards() {
        let (assembly, [_, _, crank]) = LateralBuckling::default().assembly();
        let Joint::PrescribedRotation { a, angle, .. } = &assembly.joints[3] else { panic!("not the drive") };
        assert_relative_eq!(angle.at(0.1), -0.5 * PI * (1.0 - (0.25 * PI).cos()), max_relative = 1e-14);
        assert_eq!((angle.at(0.0), angle.at(0.7)), (0.0, -PI));
        let turned = a.frame * Rotation3::from_axis_angle(&Vector3::z_axis(), angle.at(0.2));
        let from_g = turned * a.frame.inverse() * (assembly.nodes[crank.first()].position - a.offset);
        assert_relative_eq!(from_g, Vector3::new(0.0, 0.0, 0.05), epsilon = 1e-15);
    }
}
