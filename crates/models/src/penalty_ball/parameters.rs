//! The ball as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

parameters! {
    /// A ball falls on a floor that is a stiff spring, `q'' = −g`, and `q'' = −g − (k q + c q')/m` where `q < 0`
    /// (modin2005, section 6.1).
    ///
    /// The paper's ball has no damping, and keeps its energy. With damping the contact is that of Kelvin and Voigt,
    /// whose force jumps at touch, and pulls just before the ball leaves.
    pub struct PenaltyBall where damping_is_below_critical {
        /// Stiffness `k` of the floor.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 1e7,
        /// Damping `c` of the floor; less than critical.
        pub damping: f64 [from 0.0, unit "N s/m"] = 0.0,
        /// Mass `m`.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Height at the start, above the floor; below zero the ball starts in contact, and has no closed form here.
        pub height: f64 [unit "m"] = 1.0,
        /// Velocity at the start relative to the floor, upwards.
        pub velocity: f64 [unit "m/s"] = 0.0,
        /// Speed at which the floor moves upwards.
        #[serde(skip_serializing_if = "is_zero")]
        pub floor_speed: f64 [unit "m/s"] = 0.0,
    }
}

impl PenaltyBall {
    fn damping_is_below_critical(&self) -> Result<(), OutOfRange> {
        if self.damping < 2.0 * (self.stiffness * self.mass).sqrt() {
            return Ok(());
        }
        Err(OutOfRange::new("damping", self.damping, "a number below the critical damping 2 √(k m)"))
    }
}

/// Whether a parameter that came later has no effect, so that runs without it keep their names.
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl ModelDefinition for PenaltyBall {
    const NAME: &'static str = "penalty-ball";
    const SUMMARY: &'static str = "a ball bounces on a stiff spring, with its contact power";
    const SOURCE: &'static str = "modin2005, section 6.1, Eq. 17";

    fn model(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
