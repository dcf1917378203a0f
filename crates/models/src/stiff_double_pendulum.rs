//! Two rods on pins with a very stiff, undamped torsional spring between them (gil2013, section 2).
//!
//! The equations are the same as in [`double_pendulum`](crate::double_pendulum) without dampers and without a
//! spring to the ground.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, parameters};

use crate::DoublePendulum;
use crate::linkage::{LinkageFormulation, TwoRodsModel};

parameters! {
    /// Two slender uniform rods, the first on a pin at the origin, with a stiff torsional spring in the pin between
    /// them, released from rest.
    ///
    /// The paper prints the stiffness, 3000 N m/deg, but no masses, lengths, initial angles or preload. The defaults
    /// are chosen to reproduce its figures 2 and 7: the spring's mode, 242.76 rad/s at the start, advances by 1.55
    /// half turns in a step of 0.02 s, midway between the resonances of the local linearisation method at whole
    /// numbers of half turns.
    pub struct StiffDoublePendulum {
        /// The equations: six coordinates with four constraints, or the two angles.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the first rod.
        pub mass_1: f64 [above 0.0, unit "kg"] = 10.0,
        /// Length of the first rod.
        pub length_1: f64 [above 0.0, unit "m"] = 2.0,
        /// Mass of the second rod.
        pub mass_2: f64 [above 0.0, unit "kg"] = 10.0,
        /// Length of the second rod.
        pub length_2: f64 [above 0.0, unit "m"] = 2.0,
        /// Stiffness of the spring between the rods; 3000 N m/deg by default.
        pub stiffness: f64 [from 0.0, unit "N m/rad"] = 3000.0 * 180.0 / PI,
        /// Angle from the first to the second rod at which the spring is unstrained.
        pub free_angle: f64 [unit "rad"] = 0.0,
        /// Initial deflection of the spring: the second rod starts at `angle-1 + free-angle + preload`.
        pub preload: f64 [unit "rad"] = 0.0,
        /// Initial angle of the first rod from `+x`.
        pub angle_1: f64 [unit "rad"] = 0.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }
}

impl ModelDefinition for StiffDoublePendulum {
    const NAME: &'static str = "stiff-double-pendulum";
    const SUMMARY: &'static str =
        "double pendulum with a stiff undamped torsional spring, four constraints; highly oscillatory";
    const SOURCE: &'static str = "gil2013, section 2, figure 1";

    fn model(&self) -> Box<dyn Model> {
        Box::new(TwoRodsModel { linkage: self.rods(), spring_frequency: Some(spring_frequency) })
    }
}

impl StiffDoublePendulum {
    /// Returns the double pendulum with the same equations:
    ///
    /// `M q'' − Dᵀ λ = h`, `D q'' = γ` (gil2013, Eqs. 7–9) in the body coordinates `q = (x₁, y₁, θ₁, x₂, y₂, θ₂)`:
    /// mass matrix and constraints of [`DoublePendulum`], and, with the spring's torque `T = k (θ₂ − θ₁ − r)`,
    /// unstrained at the angle `r`,
    ///
    /// ```text
    /// h = ( 0, −m₁ g, T, 0, −m₂ g, −T )
    /// ```
    ///
    /// The paper's `D` is the Jacobian of the constraints; its `h` is called `D` in this project.
    pub fn rods(&self) -> DoublePendulum {
        DoublePendulum {
            formulation: self.formulation,
            mass_1: self.mass_1,
            length_1: self.length_1,
            stiffness_1: 0.0,
            damping_1: 0.0,
            mass_2: self.mass_2,
            length_2: self.length_2,
            stiffness_2: self.stiffness,
            damping_2: 0.0,
            free_angle_1: 0.0,
            free_angle_2: self.free_angle,
            angle_1: self.angle_1,
            angle_2: self.free_angle + self.preload,
            rate_1: 0.0,
            rate_2: 0.0,
            gravity: self.gravity,
        }
    }
}

/// Circular frequency (rad/s) of the rods against each other: `ω² = k bᵀ M⁻¹ b` with the 2 × 2 mass matrix `M` of the
/// two angles and `b = (−1, 1)`. Gravity and velocity terms are negligible compared to the spring.
fn spring_frequency(rods: &DoublePendulum, q: &[f64]) -> f64 {
    let DoublePendulum { mass_1, length_1, mass_2, length_2, stiffness_2, .. } = *rods;
    let (first, second) = (mass_1 * length_1 * length_1, mass_2 * length_2 * length_2);
    let carried = mass_2 * length_1 * length_1;
    let coupling = 0.5 * mass_2 * length_1 * length_2 * (q[5] - q[2]).cos();
    let (first, second) = (first / 3.0 + carried, second / 3.0);
    let compliance = (first + second + 2.0 * coupling) / (first * second - coupling * coupling);
    (stiffness_2 * compliance).sqrt()
}
