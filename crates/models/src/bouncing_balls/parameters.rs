//! The balls as an experiment file names them.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Balls;
use crate::range::not_negative;
use crate::watched::WatchedModel;

/// Balls that fall side by side on a floor and do not touch each other.
///
/// The dissertation gives their number, the difference in height and that the contact is a spring with a damper; mass,
/// stiffness, damping and height are this project's choice. The height follows from the printed 2.26e-10 s between
/// events; the contact reproduces the printed counts of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BouncingBalls {
    /// Number of balls.
    pub count: usize,
    /// Mass of a ball, kg.
    pub mass: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Height from which the first ball falls, m.
    pub height: f64,
    /// Difference in height from each ball to the next, m.
    pub spacing: f64,
    /// What happens at the floor.
    pub contact: Contact,
}

/// What happens where a ball meets the floor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Contact {
    /// The floor gives way: bilateral events, two for each bounce.
    SpringDamper(SpringDamper),
    /// The velocity jumps: unilateral events, one for each bounce. Only for methods that locate events; with others the
    /// balls fall through the floor.
    Restitution(Restitution),
}

/// A floor with force `F = −k y − c v` at `y < 0`; it may pull just before the ball leaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SpringDamper {
    /// Stiffness `k`, N/m.
    pub stiffness: f64,
    /// Damping `c`, N s/m.
    pub damping: f64,
}

/// A rigid floor: `v → −e v`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Restitution {
    /// Coefficient of restitution `e`, above 0 and at most 1.
    pub coefficient: f64,
}

impl Default for SpringDamper {
    fn default() -> Self {
        Self { stiffness: 2e7, damping: 600.0 }
    }
}

impl Default for Restitution {
    fn default() -> Self {
        Self { coefficient: 0.8 }
    }
}

impl Contact {
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        match self {
            Self::SpringDamper(floor) => floor.check().map_err(|error| error.within("spring-damper")),
            Self::Restitution(floor) => floor.check().map_err(|error| error.within("restitution")),
        }
    }
}

impl SpringDamper {
    fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless_positive("stiffness", self.stiffness)?;
        not_negative("damping", self.damping)
    }
}

impl Restitution {
    fn check(&self) -> Result<(), OutOfRange> {
        if self.coefficient > 0.0 && self.coefficient <= 1.0 {
            return Ok(());
        }
        Err(OutOfRange::new("coefficient", self.coefficient, "a number above zero and at most one"))
    }
}

impl Default for BouncingBalls {
    fn default() -> Self {
        Self {
            count: 100,
            mass: 1.0,
            gravity: 9.81,
            height: 1.0,
            spacing: 1e-9,
            contact: Contact::SpringDamper(SpringDamper::default()),
        }
    }
}

impl Parameters for BouncingBalls {
    fn check(&self) -> Result<(), OutOfRange> {
        if self.count == 0 {
            return Err(OutOfRange::new("count", self.count, "one or more"));
        }
        OutOfRange::unless_positive("mass", self.mass)?;
        OutOfRange::unless_positive("gravity", self.gravity)?;
        OutOfRange::unless_positive("height", self.height)?;
        not_negative("spacing", self.spacing)?;
        self.contact.check().map_err(|error| error.within("contact"))
    }
}

impl ModelDefinition for BouncingBalls {
    const NAME: &'static str = "bouncing-balls";
    const SUMMARY: &'static str = "independent balls on a floor, with spring and damper or with restitution";
    const SOURCE: &'static str = "compere2001, section 5.3.3";

    fn model(&self) -> Box<dyn Model> {
        Box::new(WatchedModel(Balls::new(self.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut BouncingBalls)| {
            let mut parameters = BouncingBalls::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.count = 0), Err("count".into()));
        assert_eq!(check(|p| p.mass = 0.0), Err("mass".into()));
        assert_eq!(check(|p| p.gravity = f64::NAN), Err("gravity".into()));
        assert_eq!(check(|p| p.height = 0.0), Err("height".into()));
        assert_eq!(check(|p| p.spacing = -1.0), Err("spacing".into()));
        assert_eq!(
            check(|p| p.contact = Contact::SpringDamper(SpringDamper { stiffness: 0.0, damping: 0.0 })),
            Err("contact.spring-damper.stiffness".into())
        );
        assert_eq!(
            check(|p| p.contact = Contact::Restitution(Restitution { coefficient: 1.5 })),
            Err("contact.restitution.coefficient".into())
        );
    }

    #[test]
    fn parameters_survive_a_file() {
        let parameters: BouncingBalls =
            serde_json::from_str(r#"{ "count": 3, "contact": { "spring-damper": { "damping": 16 } } }"#).unwrap();
        assert_eq!(parameters.contact, Contact::SpringDamper(SpringDamper { stiffness: 2e7, damping: 16.0 }));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<BouncingBalls>(&text).unwrap(), parameters);
        assert!(serde_json::from_str::<BouncingBalls>(r#"{ "contact": { "restitution": { "e": 1 } } }"#).is_err());
    }
}
