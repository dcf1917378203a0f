//! The jar as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arrangement, Jar, MarbleModel, Poured};
use crate::range::not_negative;

/// Most marbles of which all pairs are looked at: 200 million of them.
const MOST_FOR_ALL: usize = 20_000;

/// Marbles that are poured into a jar, with frictionless contacts of spring and damper.
///
/// The dissertation gives the number of marbles and the shape of the jar, nothing else; the values are this project's
/// choice. The height of the first marble makes ten marbles lose the printed 0.294 J; stiffness was chosen for counts of
/// evaluations near the printed ones in 4 s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MarbleJar {
    /// Number of marbles.
    pub count: usize,
    /// Radius of a marble, m.
    pub radius: f64,
    /// Mass of a marble, kg.
    pub mass: f64,
    /// Inner radius of the jar, m.
    pub jar_radius: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Stiffness `k` of each contact, N/m.
    pub stiffness: f64,
    /// Damping `c` of each contact, N s/m; none by default (damped runs of this project: 5).
    pub damping: f64,
    /// Where the marbles are at the start.
    pub arrangement: Arrangement,
    /// Which of the initial positions of an ensemble; 0 is the one whose numbers are compared with printed ones.
    /// All have the same heights.
    pub seed: u32,
    /// Which pairs are looked at.
    pub candidates: Candidates,
}

/// Pairs that are looked at, for forces and for events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Candidates {
    /// All, as in the dissertation: `N (N + 3)/2` discontinuity functions.
    All,
    /// For forces, those that a cell grid finds near each other; for events, those that can touch within the step. The same
    /// forces to the last bit, and time and memory linear in the number of marbles.
    Near,
}

impl Default for MarbleJar {
    fn default() -> Self {
        Self {
            count: 10,
            radius: 0.01,
            mass: 0.01,
            jar_radius: 0.05,
            gravity: 9.81,
            stiffness: 3e6,
            damping: 0.0,
            arrangement: Arrangement::Poured(Poured::default()),
            seed: 0,
            candidates: Candidates::All,
        }
    }
}

impl MarbleJar {
    /// Geometry and contact law.
    #[must_use]
    pub fn jar(&self) -> Jar {
        let Self { count, radius, mass, jar_radius, gravity, stiffness, damping, .. } = *self;
        Jar { count, radius, mass, jar_radius, gravity, stiffness, damping }
    }
}

impl Parameters for MarbleJar {
    fn check(&self) -> Result<(), OutOfRange> {
        if self.count == 0 || self.count > u32::MAX as usize {
            return Err(OutOfRange::new("count", self.count, "from one to 2³² − 1"));
        }
        if self.candidates == Candidates::All && self.count > MOST_FOR_ALL {
            return Err(OutOfRange::new(
                "count",
                self.count,
                format!("at most {MOST_FOR_ALL} unless `candidates` is `near`"),
            ));
        }
        OutOfRange::unless_positive("radius", self.radius)?;
        OutOfRange::unless_positive("mass", self.mass)?;
        // A marble that fits, with room to move
        if !(self.jar_radius.is_finite() && self.jar_radius > self.radius) {
            return Err(OutOfRange::new("jar-radius", self.jar_radius, "a finite number above `radius`"));
        }
        not_negative("gravity", self.gravity)?;
        OutOfRange::unless_positive("stiffness", self.stiffness)?;
        not_negative("damping", self.damping)?;
        self.arrangement.check().map_err(|error| error.within("arrangement"))
    }
}

impl ModelDefinition for MarbleJar {
    const NAME: &'static str = "marble-jar";
    const SUMMARY: &'static str = "marbles poured into a jar, with springs and dampers where they touch";
    const SOURCE: &'static str = "compere2001, section 5.3.4";

    fn model(&self) -> Box<dyn Model> {
        Box::new(MarbleModel::new(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut MarbleJar)| {
            let mut parameters = MarbleJar::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.count = 0), Err("count".into()));
        assert_eq!(check(|p| p.count = 20_001), Err("count".into()));
        assert_eq!(check(|p| (p.count, p.candidates) = (20_001, Candidates::Near)), Ok(()));
        assert_eq!(check(|p| p.radius = 0.0), Err("radius".into()));
        assert_eq!(check(|p| p.mass = -1.0), Err("mass".into()));
        assert_eq!(check(|p| p.jar_radius = 0.01), Err("jar-radius".into()));
        assert_eq!(check(|p| p.gravity = -1.0), Err("gravity".into()));
        assert_eq!(check(|p| p.stiffness = 0.0), Err("stiffness".into()));
        assert_eq!(check(|p| p.damping = f64::NAN), Err("damping".into()));
        assert_eq!(
            check(|p| p.arrangement = serde_json::from_str(r#"{ "packed": { "spacing": 0 } }"#).unwrap()),
            Err("arrangement.packed.spacing".into())
        );
        assert_eq!(
            check(|p| p.arrangement = serde_json::from_str(r#"{ "poured": { "speed": -1 } }"#).unwrap()),
            Err("arrangement.poured.speed".into())
        );
    }

    #[test]
    fn parameters_survive_a_file() {
        let parameters: MarbleJar = serde_json::from_str(
            r#"{ "count": 1000, "jar-radius": 0.2, "candidates": "near", "arrangement": { "packed": { "spacing": 1.01 } } }"#,
        )
        .unwrap();
        assert_eq!((parameters.count, parameters.candidates), (1000, Candidates::Near));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<MarbleJar>(&text).unwrap(), parameters);
    }
}
