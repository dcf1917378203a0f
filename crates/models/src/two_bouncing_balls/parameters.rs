//! The two balls as an experiment file names them.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::watched::WatchedModel;

/// Two equal balls fall from rest, one above the other, onto each other and onto the ground; all contacts are springs
/// without damping, so that the motion is linear from event to event and the energy is kept.
///
/// The paper prints stiffness and unit masses. Radius and heights are chosen: with them there are 26 events in 3 s, 12 of
/// them between the balls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TwoBouncingBalls {
    /// Radius `R` of each ball, m.
    pub radius: f64,
    /// Height from which the centre of the upper ball falls, m; the balls start apart.
    pub height_1: f64,
    /// Height from which the centre of the lower ball falls, m; it starts above the ground.
    pub height_2: f64,
    /// Stiffness `K` of each contact, N/m.
    pub stiffness: f64,
    /// Mass of each ball, kg.
    pub mass: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
}

impl Default for TwoBouncingBalls {
    fn default() -> Self {
        Self { radius: 0.1, height_1: 1.5, height_2: 0.7, stiffness: 1e5, mass: 1.0, gravity: 9.81 }
    }
}

impl Parameters for TwoBouncingBalls {
    fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless_positive("radius", self.radius)?;
        OutOfRange::unless_finite("height-1", self.height_1)?;
        OutOfRange::unless_finite("height-2", self.height_2)?;
        let [balls, ground] = self.overlaps(&[self.height_1, self.height_2]);
        if ground >= 0.0 {
            return Err(OutOfRange::new("height-2", self.height_2, "a height above the radius"));
        }
        if balls >= 0.0 {
            let accepted = "a height above that of the lower ball by more than two radii";
            return Err(OutOfRange::new("height-1", self.height_1, accepted));
        }
        OutOfRange::unless_positive("stiffness", self.stiffness)?;
        OutOfRange::unless_positive("mass", self.mass)?;
        OutOfRange::unless_positive("gravity", self.gravity)
    }
}

impl ModelDefinition for TwoBouncingBalls {
    const NAME: &'static str = "two-bouncing-balls";
    const SUMMARY: &'static str = "two balls, one above the other, bounce on springs without damping";
    const SOURCE: &'static str = "gil2013, section 3, Eqs. 19–21";

    fn model(&self) -> Box<dyn Model> {
        Box::new(WatchedModel(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut TwoBouncingBalls)| {
            let mut parameters = TwoBouncingBalls::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.radius = 0.0), Err("radius".into()));
        assert_eq!(check(|p| p.height_1 = f64::NAN), Err("height-1".into()));
        assert_eq!(check(|p| p.height_1 = 0.89), Err("height-1".into()));
        assert_eq!(check(|p| p.height_2 = f64::INFINITY), Err("height-2".into()));
        assert_eq!(check(|p| p.height_2 = 0.1), Err("height-2".into()));
        assert_eq!(check(|p| p.stiffness = 0.0), Err("stiffness".into()));
        assert_eq!(check(|p| p.mass = -1.0), Err("mass".into()));
        assert_eq!(check(|p| p.gravity = 0.0), Err("gravity".into()));
    }

    #[test]
    fn parameters_survive_a_file() {
        let parameters: TwoBouncingBalls = serde_json::from_str(r#"{ "radius": 0.05, "height-1": 1 }"#).unwrap();
        assert_eq!((parameters.radius, parameters.height_1, parameters.height_2), (0.05, 1.0, 0.7));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<TwoBouncingBalls>(&text).unwrap(), parameters);
        assert!(serde_json::from_str::<TwoBouncingBalls>(r#"{ "damping": 2 }"#).is_err());
    }
}
