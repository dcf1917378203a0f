//! What is watched and drawn of the buckling beam.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Observable, View};

use super::LateralBuckling;
use super::assembly::Bars;
use crate::drawing::support;
use crate::flexible::Assembly;
use crate::flexible::angles::euler_312;
use crate::flexible::model::{Mechanism, Snapshot};
use crate::flexible::outline::outline;

/// Beam, link and crank put together.
#[derive(Debug, Clone)]
pub(in crate::flexible) struct Buckling {
    parameters: LateralBuckling,
    assembly: Assembly,
    bars: Bars,
}

impl Buckling {
    /// The mechanism with parameters in range.
    pub(in crate::flexible) fn new(parameters: &LateralBuckling) -> Self {
        let (assembly, bars) = parameters.assembly();
        Self { parameters: parameters.clone(), assembly, bars }
    }

    /// The beam between its ends, link and crank from `+z`.
    fn top(&self, now: &Snapshot<'_>) -> View {
        let Bars { beam, link, crank } = &self.bars;
        let LateralBuckling { beam: section, link: link_section, crank: crank_section, crank_length, .. } =
            &self.parameters;
        // Across the bars from above are axis 2 of the beam, and axis 3 of link and crank.
        let outlines =
            [("beam", beam, section, 1), ("link", link, link_section, 2), ("crank", crank, crank_section, 2)];
        let mut parts: Vec<(&'static str, Shape)> = outlines
            .into_iter()
            .map(|(name, mesh, section, across)| (name, Shape::Outline(outline(now, mesh, section, [0, 1], across))))
            .collect();
        let root = now.position(beam.first());
        parts.push(("ground", Shape::Line(vec![[root.x, root.y - crank_length], [root.x, root.y + crank_length]])));
        let aside = 0.8 * crank_length;
        let names = [("R", beam.first(), -1.0), ("T", beam.last(), 1.0)];
        let names = names.map(|(name, node, right)| {
            let at = now.position(node);
            (name, [at.x + right * aside, at.y])
        });
        View { name: "top", axes: ["x", "y"], parts, names: names.to_vec() }
    }
}

impl Mechanism for Buckling {
    fn assembly(&self) -> &Assembly {
        &self.assembly
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

    fn observe(&self, now: &Snapshot<'_>, values: &mut [f64]) {
        let Bars { beam, link, .. } = &self.bars;
        let middle = beam.middle();
        let moved = now.position(middle) - self.assembly.nodes[middle].position;
        values.copy_from_slice(&[
            euler_312(&now.rotation(middle)),
            now.twist(middle).angular.x,
            now.mean_load(beam.about_middle()).force.z,
            moved.y,
            moved.z,
            now.mean_load(link.about_middle()).force.x,
        ]);
    }

    /// `side`, from `−y`, and `top`, where the beam is seen to give way sideways.
    fn views(&self, now: &Snapshot<'_>) -> Vec<View> {
        let Bars { beam, link, crank } = &self.bars;
        let LateralBuckling { beam: section, link: link_section, crank: crank_section, crank_length, .. } =
            &self.parameters;
        let at = |node: usize| now.position(node);
        // Across the bars in the plane are axis 3 of the beam, and axis 2 of link and crank.
        let outlines =
            [("beam", beam, section, 2), ("link", link, link_section, 1), ("crank", crank, crank_section, 1)];
        let mut parts: Vec<(&'static str, Shape)> = outlines
            .into_iter()
            .map(|(name, mesh, section, across)| (name, Shape::Outline(outline(now, mesh, section, [0, 2], across))))
            .collect();
        let pin = 0.12 * crank_length;
        parts.extend([link.first(), link.last(), crank.last()].map(|node| {
            let centre = [at(node).x, at(node).z];
            ("joints", Shape::Circle { centre, radius: pin })
        }));
        let (root, drive) = (at(beam.first()), at(crank.last()));
        let wall = 2.0 * crank_length;
        parts.push(("ground", Shape::Line(vec![[root.x, root.z - wall], [root.x, root.z + wall]])));
        parts.extend(support([drive.x, drive.z], *crank_length).map(|shape| ("ground", shape)));
        let aside = 0.8 * crank_length;
        let names = [
            ("R", beam.first(), [-1.0, 0.0]),
            ("T", beam.last(), [0.0, 1.5]),
            ("C", link.first(), [1.0, 0.0]),
            ("B", link.last(), [1.0, 0.0]),
            ("G", crank.last(), [-1.0, 0.3]),
        ];
        let names =
            names.map(|(name, node, [right, up])| (name, [at(node).x + right * aside, at(node).z + up * aside]));
        vec![View { name: "side", axes: ["x", "z"], parts, names: names.to_vec() }, self.top(now)]
    }
}
