//! The rolling spheres as an experiment file names them.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters, SlidingModeSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SpheresModel;
use crate::Formulation;

/// A small sphere that rolls on a large fixed one, without gravity.
///
/// Initially `α = 0`, `β = θ = ψ = 90°`, `φ = 0`, `−α̇ = β̇ = 45/8 °/s`, `ψ̇ = 0`, with `φ̇` and `θ̇` as rolling demands where
/// their factors are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RollingSpheres {
    /// The equations: six coordinates with three constraints, or what the constraints leave.
    pub formulation: Formulation,
    /// Radius of the fixed sphere, m.
    pub outer_radius: f64,
    /// Radius of the rolling sphere, m.
    pub inner_radius: f64,
    /// Mass of the rolling sphere, kg; only the energy depends on it.
    pub mass: f64,
    /// Initial distance of the centres, m; consistent where it is the sum of the radii. The minimal formulation does
    /// not use it.
    pub rho: f64,
    /// Factor of the initial `φ̇` against that of rolling (1.2 in compere2001, figure 3.11).
    pub phi_rate_factor: f64,
    /// Factor of the initial `θ̇` against that of rolling (1.5 in compere2001, figure 3.11).
    pub theta_rate_factor: f64,
}

impl Default for RollingSpheres {
    fn default() -> Self {
        Self {
            formulation: Formulation::SlidingMode(SlidingModeSettings::default()),
            outer_radius: 0.55,
            inner_radius: 0.05,
            mass: 1.0,
            rho: 0.6,
            phi_rate_factor: 1.0,
            theta_rate_factor: 1.0,
        }
    }
}

impl Parameters for RollingSpheres {
    fn check(&self) -> Result<(), OutOfRange> {
        self.formulation.check(3)?;
        OutOfRange::unless_positive("outer-radius", self.outer_radius)?;
        OutOfRange::unless_positive("inner-radius", self.inner_radius)?;
        OutOfRange::unless_positive("mass", self.mass)?;
        OutOfRange::unless_positive("rho", self.rho)?;
        OutOfRange::unless_finite("phi-rate-factor", self.phi_rate_factor)?;
        OutOfRange::unless_finite("theta-rate-factor", self.theta_rate_factor)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut RollingSpheres)| {
            let mut parameters = RollingSpheres::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.outer_radius = 0.0), Err("outer-radius".into()));
        assert_eq!(check(|p| p.inner_radius = f64::NAN), Err("inner-radius".into()));
        assert_eq!(check(|p| p.mass = -1.0), Err("mass".into()));
        assert_eq!(check(|p| p.rho = 0.0), Err("rho".into()));
        assert_eq!(check(|p| p.phi_rate_factor = f64::INFINITY), Err("phi-rate-factor".into()));
        assert_eq!(check(|p| p.theta_rate_factor = f64::NAN), Err("theta-rate-factor".into()));
        let with_eta = |eta: Vec<f64>| RollingSpheres {
            formulation: Formulation::SlidingMode(SlidingModeSettings { eta, ..SlidingModeSettings::default() }),
            ..RollingSpheres::default()
        };
        assert_eq!(with_eta(vec![0.1, 0.1, 2.0]).check(), Ok(()));
        assert_eq!(with_eta(vec![0.1, 2.0]).check().unwrap_err().field, "formulation.sliding-mode.eta");
    }
}
