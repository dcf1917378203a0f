//! A flexible shaft with an unbalanced disk that is run up through its first critical speed (zhang2022, section 5.4;
//! after Bauchau et al. 2016).
//!
//! ```text
//!                 ┃          R: hinge about the shaft, driven; T: hinge that slides along the shaft.
//!   R ━━━━━━━━━━━━┃━━━━━━━━━━━━ T     Neither lets the shaft's ends bend: it is clamped in bending.
//!                 ┃          x from R to T, z up
//! ```
//!
//! The run of the paper begins one second before the drive starts: gravity is switched on, and a damper at mid-span
//! brings the sagging shaft to rest before it is removed.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Model, ModelDefinition, Observable, OutOfRange, View, parameters};
use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::drawing::pin;
use crate::flexible::bar::{Bar, Mesh};
use crate::flexible::model::{FlexibleModel, Mechanism};
use crate::flexible::{Assembly, CrossSection, Gravity, Joint, Law, RigidBody, Side, Snapshot, Strut};

parameters! {
    /// A rigid disk at mid-span.
    #[derive(Copy)]
    pub struct Disk {
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"],
        /// Distance of its centre of mass from the shaft along `z`.
        pub offset: f64 [unit "m"],
        /// Moments of inertia about its centre of mass: about the axis of the shaft, and about `y` and `z`.
        pub inertia: [f64; 3] [above 0.0, unit "kg m²"],
    }

    /// A flexible shaft with an unbalanced disk at mid-span. A run has to begin at `t = −1 s`, with the shaft at rest
    /// and straight. Gravity then loads it, a damper settles it, and it is run up from `t = 0` on.
    ///
    /// Source: zhang2022, section 5.4. The values of Table 5, which the paper's text does not print, gravity and
    /// damper are from the authors' input file: a tube of radii 45 and 50 mm with E = 210 GPa, ν = 0.3 and 7800
    /// kg/m³. The transverse inertia of the disk is from the input file, which includes the disk's thickness; the
    /// paper prints 1.0163 without it, in g m².
    pub struct RotatingShaft where times_rise, assembles {
        /// Number of three-node beam elements.
        pub elements: usize [from 1, to 400] = 16,
        /// Length.
        pub length: f64 [above 0.0, unit "m"] = 6.0,
        /// Cross section.
        pub section: CrossSection = CrossSection {
            axial: 313.4e6,
            shear: [60.5e6, 60.5e6],
            torsion: 272.7e3,
            bending: [354.5e3, 354.5e3],
            mass: 11.6396,
            inertia: [0.026_334_5, 0.013_167_3, 0.013_167_3],
        },
        /// The disk.
        pub disk: Disk = Disk { mass: 70.573, offset: 0.05, inertia: [2.032_50, 1.030_95, 1.030_95] },
        /// Reference speed ω for the speeds of the shaft.
        pub speed: f64 [unit "rad/s"] = 60.0,
        /// First and second speed of the shaft, `A₁` and `A₂`, as multiples of the reference speed (Eq. 25).
        pub amplitudes: [f64; 2] [unit "1"] = [0.8, 1.2],
        /// Times `T₁`, `T₂` and `T₃`: the end of the first rise, the start and the end of the second (Eq. 25).
        pub times: [f64; 3] [above 0.0, unit "s"] = [0.5, 1.0, 1.25],
        /// Acceleration of gravity along `−z`; it is switched on from −1 to −0.5 s.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Viscous damping between mid-span and the ground; it acts until −0.25 s.
        pub damping: f64 [from 0.0, unit "N s/m"] = 1e4,
    }
}

impl RotatingShaft {
    fn times_rise(&self) -> Result<(), OutOfRange> {
        let [first, second, third] = self.times;
        let found = format!("{:?}", self.times);
        let rise = first <= second && second < third;
        OutOfRange::unless(rise, "times", found, "three finite times in order, the first above zero")
    }
}

impl Disk {
    /// Radius and half the thickness of the homogeneous disk with the same moments of inertia, m; for drawings.
    fn half_sizes(&self) -> [f64; 2] {
        let [axial, transverse] = [self.inertia[0], self.inertia[1]].map(|inertia| inertia / self.mass);
        [(2.0 * axial).sqrt(), (3.0 * (transverse - 0.5 * axial).max(0.0)).sqrt()]
    }
}

impl ModelDefinition for RotatingShaft {
    const NAME: &'static str = "rotating-shaft";
    const SUMMARY: &'static str = "flexible shaft with an unbalanced disk, run up through its critical speed";
    const SOURCE: &'static str = "zhang2022, section 5.4";

    fn model(&self) -> Box<dyn Model> {
        Box::new(FlexibleModel::new(self))
    }
}

/// Distance from mid-span down to the ground end of the damper, m.
const STRUT_LENGTH: f64 = 1.0;
/// Time at which the damper is removed, s.
const STRUT_UNTIL: f64 = -0.25;
/// Start and end of switching gravity on, s.
const GRAVITY_RISE: [f64; 2] = [-1.0, -0.5];

impl RotatingShaft {
    /// The speed of the shaft (Eq. 25), rad/s.
    fn drive(&self) -> Law {
        let [first, second] = self.amplitudes.map(|amplitude| amplitude * self.speed);
        let [t1, t2, t3] = self.times;
        Law::default().rising(0.0, t1, first).rising(t2, t3, second - first)
    }
}

/// Axes with axis 3 along `x`.
const ALONG_X: Matrix3<f64> = Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);

impl Mechanism for RotatingShaft {
    type Bars = Mesh;

    /// Returns the assembly, and the nodes and beams of the shaft.
    fn assembly(&self) -> (Assembly, Self::Bars) {
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

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("u2", "m", "displacement at mid-span along y"),
            Observable::new("u3", "m", "displacement at mid-span along z, with the static sag"),
            Observable::new("v2", "m/s", "velocity at mid-span along y"),
            Observable::new("v3", "m/s", "velocity at mid-span along z"),
            Observable::new("a2", "m/s²", "acceleration at mid-span along y"),
            Observable::new("a3", "m/s²", "acceleration at mid-span along z"),
        ]
    }

    fn observe(&self, mesh: &Mesh, now: &Snapshot<'_>, values: &mut [f64]) {
        let middle = mesh.middle();
        let moved = now.displacement(middle);
        let velocity = now.twist(middle).linear;
        let acceleration = now.acceleration(middle).linear;
        values.copy_from_slice(&[moved.y, moved.z, velocity.y, velocity.z, acceleration.y, acceleration.z]);
    }

    /// View: `side`, from `−y`.
    fn views(&self, mesh: &Mesh, now: &Snapshot<'_>) -> Vec<View> {
        let RotatingShaft { section, disk, .. } = self;
        let [radius, half_thickness] = disk.half_sizes();
        let [first, middle, last] = [mesh.first(), mesh.middle(), mesh.last()];
        let axes = now.rotation(middle);
        let corner = |[along, up]: [f64; 2]| {
            let corner =
                now.position(middle) + axes * Vector3::new(along * half_thickness, 0.0, disk.offset + up * radius);
            [corner.x, corner.z]
        };
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner);
        let mut parts =
            vec![("shaft", now.outline(mesh, section, [0, 2], 2)), ("disk", Shape::Outline(corners.to_vec()))];
        let unit = radius;
        for node in [first, last] {
            let at = now.position(node);
            parts.extend(pin([at.x, at.z], unit));
        }
        let name = |name, node: usize| {
            let at = now.position(node);
            (name, [at.x, at.z + unit])
        };
        vec![View { name: "side", axes: ["x", "z"], parts, names: vec![name("R", first), name("T", last)] }]
    }
}

#[cfg(test)]
mod parameters_tests {
    use std::f64::consts::PI;

    use approx::assert_relative_eq;

    use super::*;
    use crate::flexible::tests::sections::{Solid, assert_section};

    /// Table 5 from material and tube, with the authors' shear factor.
    #[test]
    fn the_section_matches_the_material() {
        let material = Solid { youngs_modulus: 210e9, poisson_ratio: 0.3, density: 7800.0 };
        assert_section(&RotatingShaft::default().section, &material.tube(0.045, 0.050, 0.502), 1e-4);
    }

    /// A steel disk of radius 0.24 m and thickness 0.05 m has this mass and these moments of inertia, in kg m².
    #[test]
    fn the_disk_has_the_density_of_steel() {
        let Disk { mass, inertia, .. } = RotatingShaft::default().disk;
        let (r, thickness): (f64, f64) = (0.24, 0.05);
        assert_relative_eq!(mass, 7800.0 * PI * r * r * thickness, max_relative = 1e-5);
        assert_relative_eq!(inertia[0], 0.5 * mass * r * r, max_relative = 1e-5);
        for transverse in &inertia[1..] {
            assert_relative_eq!(*transverse, mass * (r * r / 4.0 + thickness * thickness / 12.0), max_relative = 1e-4);
        }
        let [radius, half_thickness] = RotatingShaft::default().disk.half_sizes();
        assert_relative_eq!(radius, r, max_relative = 1e-4);
        assert_relative_eq!(half_thickness, 0.5 * thickness, max_relative = 1e-2);
    }
}

#[cfg(test)]
mod assembly_tests {
    use std::f64::consts::PI;

    use approx::assert_relative_eq;

    use super::*;

    /// Eq. 25 at one time in each of its parts.
    #[test]
    fn the_drive_matches_the_paper() {
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
