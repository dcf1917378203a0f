//! What is watched and drawn of the shaft.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Observable, View};
use nalgebra::Vector3;

use super::RotatingShaft;
use crate::drawing::support;
use crate::flexible::Assembly;
use crate::flexible::bar::Mesh;
use crate::flexible::model::{Mechanism, Snapshot};
use crate::flexible::outline::outline;

/// Shaft and disk put together.
#[derive(Debug, Clone)]
pub(in crate::flexible) struct Shaft {
    parameters: RotatingShaft,
    assembly: Assembly,
    mesh: Mesh,
}

impl Shaft {
    /// The mechanism with parameters in range.
    pub(in crate::flexible) fn new(parameters: &RotatingShaft) -> Self {
        let (assembly, mesh) = parameters.assembly();
        Self { parameters: parameters.clone(), assembly, mesh }
    }
}

impl Mechanism for Shaft {
    fn assembly(&self) -> &Assembly {
        &self.assembly
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

    fn observe(&self, now: &Snapshot<'_>, values: &mut [f64]) {
        let middle = self.mesh.middle();
        let moved = now.position(middle) - self.assembly.nodes[middle].position;
        let velocity = now.twist(middle).linear;
        let acceleration = now.acceleration(middle).linear;
        values.copy_from_slice(&[moved.y, moved.z, velocity.y, velocity.z, acceleration.y, acceleration.z]);
    }

    /// `side`, from `−y`.
    fn views(&self, now: &Snapshot<'_>) -> Vec<View> {
        let RotatingShaft { section, disk, .. } = &self.parameters;
        let [radius, half_thickness] = disk.half_sizes();
        let [first, middle, last] = [self.mesh.first(), self.mesh.middle(), self.mesh.last()];
        let axes = now.rotation(middle);
        let corner = |[along, up]: [f64; 2]| {
            let corner =
                now.position(middle) + axes * Vector3::new(along * half_thickness, 0.0, disk.offset + up * radius);
            [corner.x, corner.z]
        };
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner);
        let mut parts = vec![
            ("shaft", Shape::Outline(outline(now, &self.mesh, section, [0, 2], 2))),
            ("disk", Shape::Outline(corners.to_vec())),
        ];
        let unit = radius;
        for node in [first, last] {
            let at = now.position(node);
            parts.extend(support([at.x, at.z], unit).map(|shape| ("ground", shape)));
        }
        let name = |name, node: usize| {
            let at = now.position(node);
            (name, [at.x, at.z + unit])
        };
        vec![View { name: "side", axes: ["x", "z"], parts, names: vec![name("R", first), name("T", last)] }]
    }
}
