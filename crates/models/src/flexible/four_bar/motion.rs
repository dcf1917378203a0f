//! What is watched and drawn of the four-bar mechanism.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Observable, View, rotation};
use nalgebra::Rotation3;

use super::FlexibleFourBar;
use super::assembly::Bars;
use crate::drawing::support;
use crate::flexible::angles::euler_312;
use crate::flexible::model::{Mechanism, Snapshot};
use crate::flexible::outline::outline;
use crate::flexible::{Assembly, Twist};

/// The mechanism put together.
#[derive(Debug, Clone)]
pub(in crate::flexible) struct FourBar {
    parameters: FlexibleFourBar,
    assembly: Assembly,
    bars: Bars,
}

impl FourBar {
    /// The mechanism with parameters in range.
    pub(in crate::flexible) fn new(parameters: &FlexibleFourBar) -> Self {
        let (assembly, bars) = parameters.assembly();
        Self { parameters: parameters.clone(), assembly, bars }
    }
}

impl Mechanism for FourBar {
    fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn start(&self) -> Vec<Twist> {
        self.parameters.start(&self.assembly, &self.bars)
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

    fn observe(&self, now: &Snapshot<'_>, values: &mut [f64]) {
        let c = self.bars.bc.last();
        let turned = now.rotation(c);
        let middle = now.mean_load(self.bars.ab.about_middle());
        values.copy_from_slice(&[
            euler_312(&turned),
            rotation::vector(&Rotation3::from_matrix_unchecked(turned)).x,
            now.twist(c).angular.x,
            middle.moment.y,
            middle.force.x,
        ]);
    }

    /// `plane`, the plane of motion, and `top`, from `+y`, where the axis in C is seen to be tilted.
    fn views(&self, now: &Snapshot<'_>) -> Vec<View> {
        let parameters = &self.parameters;
        let unit = 0.1 * parameters.arm_length;
        let bars =
            [(&self.bars.ab, &parameters.thick), (&self.bars.bc, &parameters.thick), (&self.bars.cd, &parameters.thin)];
        let corners = [
            ("A", self.bars.ab.first()),
            ("B", self.bars.bc.first()),
            ("C", self.bars.bc.last()),
            ("D", self.bars.cd.last()),
        ];
        let view = |name, axes, [x, y]: [usize; 2], across: usize| {
            let bar =
                |&(mesh, section): &(&_, &_)| ("bars", Shape::Outline(outline(now, mesh, section, [x, y], across)));
            let mut parts: Vec<(&'static str, Shape)> = bars.iter().map(bar).collect();
            parts.extend(corners.iter().map(|&(corner, node)| {
                let tilted = corner == "C";
                let axes = if tilted { now.rotation(node) * parameters.tilt() } else { now.rotation(node) };
                let (at, along) = (now.position(node), axes * nalgebra::Vector3::z() * unit);
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
        plane.parts.extend(grounded.iter().flat_map(|at| support([at.x, at.y], unit)).map(|shape| ("ground", shape)));
        vec![plane, view("top", ["x", "z"], [0, 2], 2)]
    }
}
