//! Mechanisms as experiment files describe them.

mod bodies;
mod forces;
mod joints;
mod places;
mod repeat;

use mbsbench_problem::parameters::is_default;
use mbsbench_problem::{Formulation, parameters};
use serde_json::json;

pub use bodies::{Body, Shape};
pub use forces::{
    Actuator, BallContact, Bushing, Force, Friction, Load, Motor, PlaneContact, Spring, Torque, TorsionSpring, Touch,
};
pub use joints::{ABOUT, ALONG, Drive, Gear, Hinge, Joint, Length, Line, Pair, Rolling, Sleeve, Slide, Turn};
pub use places::{At, Named, Numbers, Point};
pub use repeat::{Range, Repeat};

parameters! {
    /// Plane or space.
    #[derive(Copy, Default, Eq)]
    pub enum Motion {
        /// The plane: two coordinates of the centre of mass and an angle for each body.
        #[default]
        Planar,
        /// Space: three coordinates of the centre of mass and four Euler parameters for each body.
        Spatial,
    }

    /// Treatment of the rotations of bodies in absolute coordinates by methods.
    #[derive(Copy, Default, Eq)]
    pub enum Rotations {
        /// Four coordinates whose rates are the velocities, and a constraint between them.
        #[default]
        Vectors,
        /// Unit Euler parameters with the angular velocity as velocity, and no constraint. Of the methods for
        /// constrained mechanics, only those that displace positions by rotations (`lie-generalized-alpha`) and
        /// half-explicit ones accept this. Explicit methods treat Euler parameters as vectors, whose length drifts.
        Group,
    }

    /// Origin of the initial state.
    #[derive(Copy, Default, Eq)]
    pub enum Start {
        /// Bodies are moved as little as possible to close all joints, and velocities are changed as little as
        /// possible to satisfy the joints.
        #[default]
        Assembled,
        /// The state as given; joints that do not close are refused.
        AsWritten,
    }

    /// A mechanism of bodies, joints and forces.
    pub struct Mechanism where can_be_assembled {
        /// Motion in the plane or in space.
        pub motion: Motion = default,
        /// The equations: all bodies in absolute coordinates with the joints as constraints, or, with `minimal`,
        /// joint coordinates, with constraints for joints that close loops. The observables are the same.
        #[serde(default = "at_acceleration_level")]
        pub formulation: Formulation,
        /// Treatment of rotations by methods; only in space and with `formulation: acceleration-level`.
        #[serde(default, skip_serializing_if = "is_default")]
        pub rotations: Rotations,
        /// Acceleration of gravity: two components in the plane, three in space, or none.
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
        /// Parts that occur repeatedly.
        pub repeat: Vec<Repeat> = default,
        /// Origin of the initial state.
        pub start: Start = default,
        /// Bodies, markers and joints that have observables; by default all, for mechanisms of up to twelve bodies.
        pub observe: Vec<String> = default,
    }
}

fn at_acceleration_level() -> Formulation {
    Formulation::AccelerationLevel
}

/// A rod of 1 kg and 1 m that hangs from a pin and starts horizontally.
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
