//! Straight bars of three-node beams with lumped inertia.

use std::ops::Range;

use mbsbench_problem::parameters;
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::{Assembly, Beam, Node, RigidBody, Section};

parameters! {
    /// Stiffness and inertia of a bar's cross section. Axis 1 is along the bar.
    #[derive(Copy)]
    pub struct CrossSection {
        /// Axial stiffness `EA`.
        pub axial: f64 [above 0.0, unit "N"],
        /// Shear stiffnesses `GA₂` and `GA₃`.
        pub shear: [f64; 2] [above 0.0, unit "N"],
        /// Torsional stiffness `GJ`.
        pub torsion: f64 [above 0.0, unit "N m²"],
        /// Bending stiffnesses `EI₂` and `EI₃` about the axes 2 and 3.
        pub bending: [f64; 2] [above 0.0, unit "N m²"],
        /// Mass per length.
        pub mass: f64 [above 0.0, unit "kg/m"],
        /// Moments of inertia per length about the axes 1, 2 and 3.
        pub inertia: [f64; 3] [above 0.0, unit "kg m"],
    }
}

impl CrossSection {
    /// The stiffnesses alone.
    fn section(&self) -> Section {
        let stiffness = |along, [y, z]: [f64; 2]| Vector3::new(along, y, z);
        Section { tensile: stiffness(self.axial, self.shear), bending: stiffness(self.torsion, self.bending) }
    }

    /// Half the widths along axes 2 and 3 of the rectangle with the same moments of inertia, m; for drawings.
    pub(super) fn half_widths(&self) -> [f64; 2] {
        let [_, about_2, about_3] = self.inertia;
        [about_3, about_2].map(|inertia| (3.0 * inertia / self.mass).sqrt())
    }
}

/// A straight, unstrained bar that is to be divided into elements of equal length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bar<'p> {
    /// Start of the bar in the ground frame, m.
    pub(super) from: Vector3<f64>,
    /// Axes of its nodes and sections in the ground frame; axis 1 points from its start to its end.
    pub(super) axes: Rotation3<f64>,
    /// Length, m.
    pub(super) length: f64,
    /// Number of elements.
    pub(super) elements: usize,
    /// Number of elements by which the inertia is lumped; equal to `elements` for the correct inertia of the bar.
    pub(super) lumped: usize,
    /// Cross section.
    pub(super) section: &'p CrossSection,
}

impl Bar<'_> {
    /// Adds the nodes, beams and lumped inertia of the bar to a mechanism.
    pub(super) fn add_to(&self, assembly: &mut Assembly) -> Mesh {
        let (first_node, first_beam) = (assembly.nodes.len(), assembly.beams.len());
        let last = 2 * self.elements;
        let along = self.axes * Vector3::x();
        for k in 0..=last {
            let position = self.from + along * (self.length * k as f64 / last as f64);
            assembly.nodes.push(Node { position, rotation: self.axes });
            assembly.bodies.push(RigidBody { node: first_node + k, ..self.lump(k) });
        }
        let section = self.section.section();
        assembly.beams.extend((0..self.elements).map(|element| {
            let nodes = [0, 1, 2].map(|k| first_node + 2 * element + k);
            Beam { nodes, section, frame: Rotation3::identity() }
        }));
        Mesh { nodes: first_node..assembly.nodes.len(), beams: first_beam..assembly.beams.len() }
    }

    /// The inertia lumped on node `k`: a piece of the bar from half a node distance before the node to half a node
    /// distance after it, cut at the ends of the bar. The node distance is that of a division into `lumped` elements.
    fn lump(&self, k: usize) -> RigidBody {
        let distance = self.length / (2 * self.lumped) as f64;
        let (piece, offset) = match k {
            0 => (0.5 * distance, 0.25 * distance),
            k if k == 2 * self.elements => (0.5 * distance, -0.25 * distance),
            _ => (distance, 0.0),
        };
        let CrossSection { mass, inertia: [about_1, about_2, about_3], .. } = *self.section;
        let slender = mass * piece.powi(3) / 12.0;
        let moments = Vector3::new(about_1 * piece, about_2 * piece + slender, about_3 * piece + slender);
        RigidBody {
            node: 0,
            mass: mass * piece,
            offset: Vector3::new(offset, 0.0, 0.0),
            inertia: Matrix3::from_diagonal(&moments),
        }
    }
}

/// The nodes and beams into which a bar was divided, in order along it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mesh {
    /// Numbers of the nodes.
    pub(super) nodes: Range<usize>,
    /// Numbers of the beams.
    pub(super) beams: Range<usize>,
}

impl Mesh {
    /// Node at the start of the bar.
    pub(super) fn first(&self) -> usize {
        self.nodes.start
    }

    /// Node at the end of the bar.
    pub(super) fn last(&self) -> usize {
        self.nodes.end - 1
    }

    /// Node in the middle of the bar.
    pub(super) fn middle(&self) -> usize {
        self.nodes.start + self.beams.len()
    }

    /// The evaluation points nearest to the middle, one on either side, each given by its beam and its number in
    /// the beam (0 or 1).
    pub(super) fn about_middle(&self) -> [(usize, usize); 2] {
        let middle = self.beams.start + self.beams.len() / 2;
        if self.beams.len() % 2 == 1 { [(middle, 0), (middle, 1)] } else { [(middle - 1, 1), (middle, 0)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const SECTION: CrossSection = CrossSection {
        axial: 1.0,
        shear: [2.0, 3.0],
        torsion: 4.0,
        bending: [5.0, 6.0],
        mass: 1.5,
        inertia: [0.3, 0.1, 0.2],
    };

    fn meshed(elements: usize) -> (Assembly, Mesh) {
        let axes = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.5 * std::f64::consts::PI);
        let from = Vector3::new(1.0, 2.0, 3.0);
        let mut assembly = Assembly { nodes: vec![Node::at(0.0, 0.0, 0.0)], ..Assembly::default() };
        let mesh = Bar { from, axes, length: 2.0, elements, lumped: elements, section: &SECTION }.add_to(&mut assembly);
        (assembly, mesh)
    }

    /// The lumps have the mass and the centre of the bar, and its moment of inertia up to the square of
    /// the node distance.
    #[test]
    fn lumps_add_up_to_the_bar() {
        let inertia_about_start = |elements: usize| {
            let (assembly, mesh) = meshed(elements);
            let mut sums = [0.0; 3];
            for body in &assembly.bodies {
                let along = assembly.nodes[body.node].position.y - 2.0 + body.offset.x;
                sums[0] += body.mass;
                sums[1] += body.mass * along;
                sums[2] += body.mass * along * along + body.inertia[(2, 2)];
            }
            assert_eq!((mesh.nodes, mesh.beams), (1..2 * elements + 2, 0..elements));
            sums
        };
        for elements in [1, 2, 5] {
            let [mass, moment, inertia] = inertia_about_start(elements);
            assert_relative_eq!(mass, 1.5 * 2.0, max_relative = 1e-15);
            assert_relative_eq!(moment, 1.5 * 2.0, max_relative = 1e-14);
            assert_relative_eq!(inertia, 0.2 * 2.0 + 1.5 * 8.0 / 3.0, max_relative = 1e-14);
        }
    }

    #[test]
    fn nodes_are_in_order_along_the_bar() {
        let (assembly, mesh) = meshed(3);
        let at = |node: usize| assembly.nodes[node].position;
        assert_relative_eq!(at(mesh.first()), Vector3::new(1.0, 2.0, 3.0));
        assert_relative_eq!(at(mesh.middle()), Vector3::new(1.0, 3.0, 3.0), epsilon = 1e-15);
        assert_relative_eq!(at(mesh.last()), Vector3::new(1.0, 4.0, 3.0), epsilon = 1e-15);
        assert_eq!(assembly.beams.iter().map(|beam| beam.nodes).collect::<Vec<_>>(), [[1, 2, 3], [3, 4, 5], [5, 6, 7]]);
        assert_eq!(mesh.about_middle(), [(1, 0), (1, 1)]);
        assert_eq!(meshed(4).1.about_middle(), [(1, 1), (2, 0)]);
    }

    #[test]
    fn widths_match_a_rectangle() {
        let (b, h, density): (f64, f64, f64) = (0.01, 0.1, 2680.0);
        let (along_3, along_2) = (density * b * h.powi(3) / 12.0, density * h * b.powi(3) / 12.0);
        let section = CrossSection { mass: density * b * h, inertia: [1.0, along_3, along_2], ..SECTION };
        let [half_width, half_height] = section.half_widths();
        assert_relative_eq!(half_width, 0.5 * b, max_relative = 1e-14);
        assert_relative_eq!(half_height, 0.5 * h, max_relative = 1e-14);
    }
}
