//! Mechanisms as experiment files write them.

mod bodies;
mod forces;
mod joints;
mod places;
mod repeat;

use mbsbench_problem::{Formulation, parameters};
use serde_json::json;

pub use bodies::{Body, Shape};
pub use forces::{
    Actuator, BallContact, Bushing, Force, Load, Motor, PlaneContact, Spring, Torque, TorsionSpring, Touch,
};
pub use joints::{ABOUT, ALONG, Drive, Gear, Hinge, Joint, Length, Line, Pair, Rolling, Sleeve, Slide, Turn};
pub use places::{At, Named, Numbers, Point};
pub use repeat::{Range, Repeat};

parameters! {
    /// What bodies move in.
    #[derive(Copy, Default, Eq)]
    pub enum Motion {
        /// The plane: two coordinates of the centre of mass and an angle for each body.
        #[default]
        Planar,
        /// Space: three coordinates of the centre of mass and four Euler parameters for each body.
        Spatial,
    }
}

parameters! {
    /// What the rotations of bodies in absolute coordinates are to a method.
    #[derive(Copy, Default, Eq)]
    pub enum Rotations {
        /// Four coordinates with their rates for velocities, and a constraint between them.
        #[default]
        Vectors,
        /// Rotations: unit Euler parameters with the angular velocity for a velocity, and no constraint. Methods for constrained mechanics
        /// refuse them, but for those that displace positions by rotations (`lie-generalized-alpha`) and half-explicit ones; explicit
        /// methods take Euler parameters for vectors, whose length drifts.
        Group,
    }
}

parameters! {
    /// Where the initial state comes from.
    #[derive(Copy, Default, Eq)]
    pub enum Start {
        /// Bodies are moved as little as closes all joints, and velocities changed as little as the joints allow.
        #[default]
        Assembled,
        /// As it is written; joints that do not close are refused.
        AsWritten,
    }
}

parameters! {
    /// Bodies, joints and forces.
    pub struct Mechanism where can_be_assembled {
        /// What bodies move in.
        pub motion: Motion = default,
        /// The equations: of all bodies in absolute coordinates with the joints as constraints, or, with `minimal`, in joint coordinates,
        /// with constraints where joints close loops. What is observed is the same.
        #[serde(default = "at_acceleration_level")]
        pub formulation: Formulation,
        /// With `formulation: acceleration-level`, in space: what rotations are to a method.
        #[serde(default, skip_serializing_if = "Rotations::are_vectors")]
        pub rotations: Rotations,
        /// Acceleration of gravity; as many components as what bodies move in has dimensions, or none.
        #[serde(default, deserialize_with = "places::gravity")]
        pub gravity: Vec<f64> [unit "m/s²"],
        /// Numbers by name, for formulas.
        pub constants: Named<f64> = default,
        /// Markers on the ground by name.
        pub ground: Named<Point> = default,
        /// Rigid bodies by name.
        pub bodies: Named<Body> = default,
        /// Joints by name.
        pub joints: Named<Joint> = default,
        /// Springs, dampers, forces and torques by name.
        pub forces: Named<Force> = default,
        /// Parts that stand there more than once.
        pub repeat: Vec<Repeat> = default,
        /// Where the initial state comes from.
        pub start: Start = default,
        /// Bodies, markers and joints of which there are observables; all of mechanisms of up to twelve bodies if none is given.
        pub observe: Vec<String> = default,
    }
}

impl Rotations {
    /// Whether nothing is chosen; runs are not named by it then.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
    fn are_vectors(&self) -> bool {
        *self == Self::Vectors
    }
}

fn at_acceleration_level() -> Formulation {
    Formulation::AccelerationLevel
}

/// A rod of 1 kg and 1 m that hangs from a pin and begins level.
impl Default for Mechanism {
    fn default() -> Self {
        let pendulum = json!({
            "gravity": [0.0, -9.81],
            "bodies": {
                "rod": {
                    "mass": 1.0,
                    "shape": { "rod": { "length": 1.0 } },
                    "markers": { "pin": [-0.5, 0.0], "tip": [0.5, 0.0] },
                },
            },
            "joints": { "pin": { "revolute": { "between": ["ground", "rod.pin"] } } },
        });
        serde_json::from_value(pendulum).expect("a mechanism as files have it")
    }
}
