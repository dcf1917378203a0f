//! Rigid bodies, and shapes that determine mass and inertia.

use mbsbench_problem::parameters;

use super::{Named, Numbers, Point};
use crate::formula::Formula;

parameters! {
    /// A rigid body. The coordinates of its markers are relative to its frame.
    #[derive(Default)]
    pub struct Body {
        /// Mass; if not given, it follows from shape and density. In joint coordinates it may be zero, and so may be
        /// the moments of inertia, if other bodies give all joints inertia.
        pub mass: Option<f64> [from 0.0, unit "kg"],
        /// Density of the shape, from which the mass follows.
        pub density: Option<f64> [above 0.0, unit "kg/m³"],
        /// Moments of inertia about the centre of mass: one in the plane; in space three along the axes of the body, or
        /// the six entries `[xx, yy, zz, xy, xz, yz]` of the matrix. If not given, they follow from the shape.
        pub inertia: Numbers [unit "kg m²"] = default,
        /// True if moments of inertia that no mass has are accepted, in space and in joint coordinates.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub any_inertia: bool,
        /// Shape, with its centre at the centre of mass.
        pub shape: Option<Shape>,
        /// Centre and axes of the shape in the frame of the body, for drawings, if they are not at the centre
        /// of mass; the moments of inertia must then be given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub drawn_at: Option<Point>,
        /// Centre of mass in the frame of the body; by default its origin.
        pub centre: Vec<f64> [unit "m"] = default,
        /// Initial position of the frame's origin; by default it follows from the first joint to a body that is placed.
        pub position: Option<Vec<Formula>> [unit "m"],
        /// Initial angle in the plane, counter-clockwise.
        pub angle: Option<Formula> [unit "rad"],
        /// Initial rotation vector in space, axis times angle.
        pub rotation: Option<Vec<Formula>> [unit "rad"],
        /// Initial velocity of the frame's origin.
        pub velocity: Option<Vec<Formula>> [unit "m/s"],
        /// Initial angular velocity in the plane.
        pub rate: Option<Formula> [unit "rad/s"],
        /// Initial angular velocity in space, in the axes of the ground.
        pub spin: Option<Vec<Formula>> [unit "rad/s"],
        /// True if other bodies, rather than this one, are moved to close the joints.
        pub held: bool = default,
        /// Points by name, in the frame of the body.
        pub markers: Named<Point> = default,
    }

    /// Shapes of uniform density around the centre of mass.
    pub enum Shape {
        /// A round rod along `x`.
        Rod(Rod),
        /// A disk or a cylinder about `z`.
        Disk(Disk),
        /// A box: its lengths along the axes of the body, m; two in the plane.
        Box(Vec<f64> [above 0.0, unit "m"]),
        /// A ball.
        Ball(Ball),
    }

    /// A round rod.
    pub struct Rod {
        /// Length.
        pub length: f64 [above 0.0, unit "m"],
        /// Radius.
        pub radius: f64 [from 0.0, unit "m"] = default,
    }

    /// A disk.
    pub struct Disk {
        /// Radius.
        pub radius: f64 [above 0.0, unit "m"],
        /// Thickness.
        pub thickness: f64 [from 0.0, unit "m"] = default,
    }

    /// A ball.
    pub struct Ball {
        /// Radius.
        pub radius: f64 [above 0.0, unit "m"],
    }
}

impl Shape {
    /// Volume, m³; zero for thin shapes.
    pub fn volume(&self) -> f64 {
        use std::f64::consts::PI;
        match self {
            Self::Rod(rod) => PI * rod.radius * rod.radius * rod.length,
            Self::Disk(disk) => PI * disk.radius * disk.radius * disk.thickness,
            Self::Box(lengths) if lengths.len() == 3 => lengths.iter().product(),
            Self::Box(_) => 0.0,
            Self::Ball(ball) => 4.0 / 3.0 * PI * ball.radius.powi(3),
        }
    }

    /// Moments of inertia about the centre of mass per kg, m².
    pub fn inertia(&self) -> [f64; 3] {
        match self {
            Self::Rod(rod) => cylinder(rod.length, rod.radius),
            Self::Disk(disk) => {
                let [about_axis, across, _] = cylinder(disk.thickness, disk.radius);
                [across, across, about_axis]
            }
            Self::Box(lengths) => {
                let square = |i: usize| lengths.get(i).map_or(0.0, |length| length * length / 12.0);
                [square(1) + square(2), square(0) + square(2), square(0) + square(1)]
            }
            Self::Ball(ball) => [0.4 * ball.radius * ball.radius; 3],
        }
    }
}

/// Moments of inertia per kg of a cylinder along `x`.
fn cylinder(length: f64, radius: f64) -> [f64; 3] {
    let across = length * length / 12.0 + 0.25 * radius * radius;
    [0.5 * radius * radius, across, across]
}
