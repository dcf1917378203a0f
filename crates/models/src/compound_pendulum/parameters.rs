//! The pendulum as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PendulumModel;
use crate::Formulation;

/// A uniform rod that swings about one of its ends under gravity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Pendulum {
    /// The equations: angle only, or the rod in the plane with its end held by two constraints.
    pub formulation: Formulation,
    /// Mass, kg.
    pub mass: f64,
    /// Length, m.
    pub length: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Initial angle from the vertical, degrees.
    pub angle: f64,
    /// Initial angular velocity, rad/s.
    pub angular_velocity: f64,
}

impl Default for Pendulum {
    fn default() -> Self {
        Self {
            formulation: Formulation::Minimal,
            mass: 36.0,
            length: 1.0,
            gravity: 9.81,
            angle: 20.0,
            angular_velocity: 1.0,
        }
    }
}

impl Parameters for Pendulum {
    fn check(&self) -> Result<(), OutOfRange> {
        self.formulation.check(2)?;
        OutOfRange::unless_positive("mass", self.mass)?;
        OutOfRange::unless_positive("length", self.length)?;
        OutOfRange::unless_finite("gravity", self.gravity)?;
        OutOfRange::unless_finite("angle", self.angle)?;
        OutOfRange::unless_finite("angular-velocity", self.angular_velocity)
    }
}

impl ModelDefinition for Pendulum {
    const NAME: &'static str = "pendulum";
    const SUMMARY: &'static str = "compound pendulum, as one equation of motion or as a rod with two constraints";
    const SOURCE: &'static str = "compere2001, section 3.5";

    fn model(&self) -> Box<dyn Model> {
        Box::new(PendulumModel::new(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::SlidingModeSettings;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut Pendulum)| {
            let mut parameters = Pendulum::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.mass = 0.0), Err("mass".into()));
        assert_eq!(check(|p| p.length = -1.0), Err("length".into()));
        assert_eq!(check(|p| p.gravity = f64::NAN), Err("gravity".into()));
        assert_eq!(check(|p| p.angle = f64::INFINITY), Err("angle".into()));
        assert_eq!(check(|p| p.angular_velocity = f64::NAN), Err("angular-velocity".into()));
        assert_eq!(
            check(|p| p.formulation =
                Formulation::SlidingMode(SlidingModeSettings { eta: vec![1.0], ..SlidingModeSettings::default() })),
            Err("formulation.sliding-mode.eta".into())
        );
    }

    #[test]
    fn parameters_survive_a_file() {
        let parameters: Pendulum =
            serde_json::from_str(r#"{ "formulation": { "sliding-mode": { "sigma": 5 } }, "angular-velocity": 2 }"#)
                .unwrap();
        assert_eq!((parameters.angular_velocity, parameters.formulation.sigma()), (2.0, 5.0));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<Pendulum>(&text).unwrap(), parameters);
        assert!(serde_json::from_str::<Pendulum>(r#"{ "lenght": 2 }"#).is_err());
        let bare: Pendulum = serde_json::from_str(r#"{ "formulation": "acceleration-level" }"#).unwrap();
        assert_eq!(bare.formulation, Formulation::AccelerationLevel);
    }
}
