//! A clamped beam with a force at its tip.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, Observable, View, parameters};
use nalgebra::{Rotation3, Vector3};

use super::bar::{Bar, Mesh};
use super::model::{FlexibleModel, Mechanism};
use super::{Assembly, CrossSection, DeadLoad, Joint, Law, Snapshot};
use crate::drawing::pin;

parameters! {
    /// A straight beam along `x`, clamped at the origin, with a force at its other end. The force grows from zero and
    /// keeps its direction, across the beam: `P (0, −cos β, sin β)`. The beam starts at rest and unstrained, without
    /// gravity and without damping. Methods that damp high frequencies bring it to rest, with steps far above its
    /// periods; `kinetic_energy` shows whether it has come to rest.
    ///
    /// The default is the Princeton beam, 0.508 m by 12.3777 mm (along `y`) by 3.2024 mm, E = 71.7 GPa, ν = 0.31,
    /// 2700 kg/m³, with shear factors of 5/6 and Saint-Venant torsion.
    pub struct TipLoadedBeam where assembles {
        /// Number of three-node beam elements.
        pub elements: usize [from 1, to 1000] = 16,
        /// Length.
        pub length: f64 [above 0.0, unit "m"] = 0.508,
        /// Cross section; axis 2 is along `y`, axis 3 along `z`.
        pub section: CrossSection = CrossSection {
            axial: 2.842_069_442_6e6,
            shear: [9.039_661_077e5, 9.039_661_077e5],
            torsion: 3.103_548,
            bending: [2.428_871_804_1, 36.285_519_395_4],
            mass: 0.107_023_535_5,
            inertia: [1.457_864_103_7e-6, 9.146_379_179e-8, 1.366_400_312e-6],
        },
        /// Force `P` at the tip.
        pub load: f64 [unit "N"] = 8.896,
        /// Angle `β` of the force from `−y` towards `z`.
        pub angle: f64 [from -360.0, to 360.0, unit "deg"] = 45.0,
        /// Time over which the force grows from zero, as half a cosine.
        pub rise_time: f64 [above 0.0, unit "s"] = 10.0,
    }
}

impl TipLoadedBeam {
    fn force(&self) -> Vector3<f64> {
        let (sin, cos) = (self.angle * PI / 180.0).sin_cos();
        Vector3::new(0.0, -cos, sin) * self.load
    }
}

impl ModelDefinition for TipLoadedBeam {
    const NAME: &'static str = "tip-loaded-beam";
    const SUMMARY: &'static str = "cantilever beam bent and twisted by a force at its tip, for static tests";
    const SOURCE: &'static str = "E. H. Dowell, J. J. Traybar, D. H. Hodges, J. Sound Vib. 50 (1977) 533–544; \
         K. Nachbagauer, A. Pechstein, H. Irschik, J. Gerstmayr, Multibody Syst. Dyn. 26 (2011) 245–263";

    fn model(&self) -> Box<dyn Model> {
        Box::new(FlexibleModel::new(self))
    }
}

impl Mechanism for TipLoadedBeam {
    type Bars = Mesh;

    fn assembly(&self) -> (Assembly, Self::Bars) {
        let (from, axes, elements) = (Vector3::zeros(), Rotation3::identity(), self.elements);
        let mut assembly = Assembly::default();
        let bar = Bar { from, axes, length: self.length, elements, lumped: elements, section: &self.section };
        let mesh = bar.add_to(&mut assembly);
        assembly.joints = vec![Joint::Clamp { node: mesh.first() }];
        let growth = Law::default().rising(0.0, self.rise_time, 1.0);
        assembly.loads = vec![DeadLoad { node: mesh.last(), force: self.force(), growth }];
        (assembly, mesh)
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("ux", "m", "displacement of the tip along x"),
            Observable::new("uy", "m", "displacement of the tip along y"),
            Observable::new("uz", "m", "displacement of the tip along z"),
            Observable::new("root_moment_y", "N m", "moment of the load about the clamp along y"),
            Observable::new("root_moment_z", "N m", "moment of the load about the clamp along z"),
        ]
    }

    fn observe(&self, mesh: &Mesh, now: &Snapshot<'_>, values: &mut [f64]) {
        let tip = mesh.last();
        let at = now.position(tip);
        let moment = at.cross(&self.force());
        values[..3].copy_from_slice(now.displacement(tip).as_slice());
        values[3..].copy_from_slice(&[moment.y, moment.z]);
    }

    /// Views: `side`, from `z`, and `top`, from `−y`.
    fn views(&self, mesh: &Mesh, now: &Snapshot<'_>) -> Vec<View> {
        let TipLoadedBeam { section, length, .. } = self;
        let unit = 0.03 * length;
        let clamp = now.position(mesh.first());
        let view = |name, axes, [across, depth]: [usize; 2]| {
            let mut parts = vec![("beam", now.outline(mesh, section, [0, across], depth))];
            parts.extend(pin([clamp.x, clamp[across]], unit));
            View { name, axes, parts, names: vec![] }
        };
        vec![view("side", ["x", "y"], [1, 1]), view("top", ["x", "z"], [2, 2])]
    }
}
