//! The rolling spheres as an experiment file names them.

use mbsbench_problem::{Formulation, Model, ModelDefinition, OutOfRange, SlidingModeSettings, parameters};

use super::SpheresModel;

parameters! {
    /// A small sphere that rolls on a large fixed one, without gravity.
    ///
    /// Initially `α = 0`, `β = θ = ψ = 90°`, `φ = 0`, `−α̇ = β̇ = 45/8 °/s`, `ψ̇ = 0`, with `φ̇` and `θ̇` as rolling
    /// demands where their factors are one.
    pub struct RollingSpheres where surfaces_have_gains {
        /// The equations: six coordinates with three constraints, or what the constraints leave.
        pub formulation: Formulation = Formulation::SlidingMode(SlidingModeSettings::default()),
        /// Radius of the fixed sphere.
        pub outer_radius: f64 [above 0.0, unit "m"] = 0.55,
        /// Radius of the rolling sphere.
        pub inner_radius: f64 [above 0.0, unit "m"] = 0.05,
        /// Mass of the rolling sphere; only the energy depends on it.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Initial distance of the centres; consistent where it is the sum of the radii. The minimal formulation
        /// does not use it.
        pub rho: f64 [above 0.0, unit "m"] = 0.6,
        /// Factor of the initial `φ̇` against that of rolling (1.2 in compere2001, figure 3.11).
        pub phi_rate_factor: f64 [unit "1"] = 1.0,
        /// Factor of the initial `θ̇` against that of rolling (1.5 in compere2001, figure 3.11).
        pub theta_rate_factor: f64 [unit "1"] = 1.0,
    }
}

impl RollingSpheres {
    fn surfaces_have_gains(&self) -> Result<(), OutOfRange> {
        self.formulation.check_surfaces(3)
    }
}

impl ModelDefinition for RollingSpheres {
    const NAME: &'static str = "rolling-spheres";
    const SUMMARY: &'static str = "sphere rolling on a fixed sphere, one holonomic and two nonholonomic constraints";
    const SOURCE: &'static str = "compere2001, section 3.6";

    fn model(&self) -> Box<dyn Model> {
        Box::new(SpheresModel::new(self.clone()))
    }
}
