//! The squeezer as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::links::{Link, Plate};
use super::{Rotations, SqueezerAngles, SqueezerBodies, SqueezerModel, SqueezerMomentaModel};

/// In which coordinates the squeezer moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SqueezerFormulation {
    /// Seven angles of joints, six constraints: the three loops close in E.
    #[default]
    Angles,
    /// Centres of mass and angles of the seven links, twenty constraints: two in each of the ten pins.
    Cartesian,
    /// Origins of the links' frames, rotations (`angles` or `rodrigues`) and momenta about the origins, with the same
    /// constraints, for methods that solve implicit equations; for those with explicit ones as `cartesian`.
    Momenta(Rotations),
}

/// Where the squeezer starts, at rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SqueezerStart {
    /// From the crank's angle `crank-angle` (zhang2022).
    #[default]
    Paper,
    /// From crank and rod in line, Θ = 0, which determines β₀ = −0.0617138900142765 (test set for IVP solvers, Bari).
    TestSet,
}

/// Seven links in the plane, of which the crank O-F is driven by a constant torque, with a spring between a link and the
/// ground; no gravity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Squeezer {
    /// The unknowns: seven angles with six constraints, or seven bodies with twenty.
    pub formulation: SqueezerFormulation,
    /// Where it starts.
    pub start: SqueezerStart,
    /// Angle β₀ of the crank O-F at the start `paper`, rad from `+x`.
    pub crank_angle: f64,
    /// The crank O-F.
    pub of: Link,
    /// The crank's rod E-F.
    pub ef: Link,
    /// The link H-E.
    pub he: Link,
    /// The link G-E.
    pub ge: Link,
    /// The arm A-G.
    pub ag: Link,
    /// The arm A-H.
    pub ah: Link,
    /// The plate E-B-D.
    pub ebd: Plate,
    /// Where A is fixed to the ground, m; O is the origin.
    pub a: [f64; 2],
    /// Where B is fixed to the ground, m.
    pub b: [f64; 2],
    /// Where the spring's end C is fixed to the ground, m.
    pub c: [f64; 2],
    /// Stiffness of the spring, N/m.
    pub stiffness: f64,
    /// Length of the spring without load, m.
    pub free_length: f64,
    /// Torque on the crank, N m.
    pub torque: f64,
}

/// zhang2022, Table 2 and the text above it; with the origins moved these are the parameters of the test set for IVP solvers
/// (Bari).
impl Default for Squeezer {
    fn default() -> Self {
        let link = |length, mass, centre, inertia| Link { length, mass, centre, inertia };
        Self {
            formulation: SqueezerFormulation::Angles,
            start: SqueezerStart::Paper,
            crank_angle: -0.0620,
            of: link(0.007, 0.043_25, [0.000_92, 0.0], 2.194e-6),
            ef: link(0.028, 0.003_65, [0.0165, 0.0], 4.410e-7),
            he: link(0.020, 0.007_06, [0.005_79, 0.0], 5.667e-7),
            ge: link(0.020, 0.007_06, [0.005_79, 0.0], 5.667e-7),
            ag: link(0.040, 0.070_50, [0.023_08, 0.009_16], 1.169e-5),
            ah: link(0.040, 0.054_98, [0.012_28, -0.004_49], 1.912e-5),
            ebd: Plate {
                length: 0.035,
                spring: [0.020, 0.017],
                mass: 0.023_73,
                centre: [0.010_43, 0.016_26],
                inertia: 5.255e-6,
            },
            a: [-0.069_34, -0.002_27],
            b: [-0.036_35, 0.032_73],
            c: [0.014_00, 0.072_00],
            stiffness: 4530.0,
            free_length: 0.077_85,
            torque: 0.033,
        }
    }
}

impl Parameters for Squeezer {
    fn check(&self) -> Result<(), OutOfRange> {
        let links = [
            ("of", &self.of),
            ("ef", &self.ef),
            ("he", &self.he),
            ("ge", &self.ge),
            ("ag", &self.ag),
            ("ah", &self.ah),
        ];
        links.into_iter().try_for_each(|(name, link)| link.check().map_err(|error| error.within(name)))?;
        self.ebd.check().map_err(|error| error.within("ebd"))?;
        for (name, point) in [("a", self.a), ("b", self.b), ("c", self.c)] {
            point.iter().try_for_each(|&x| OutOfRange::unless_finite(name, x))?;
        }
        OutOfRange::unless_positive("stiffness", self.stiffness)?;
        OutOfRange::unless_positive("free-length", self.free_length)?;
        OutOfRange::unless_finite("torque", self.torque)?;
        OutOfRange::unless_finite("crank-angle", self.crank_angle)?;
        self.check_assembly()
    }
}

impl Squeezer {
    /// Fails where the links are too short, or too long, to meet at the start.
    fn check_assembly(&self) -> Result<(), OutOfRange> {
        if self.start_angles::<f64>().iter().all(|angle| angle.is_finite()) {
            return Ok(());
        }
        let accepted = "links that can be pinned together there";
        Err(match self.start {
            SqueezerStart::Paper => OutOfRange::new("crank-angle", self.crank_angle, accepted),
            SqueezerStart::TestSet => OutOfRange::new("start", "test-set", accepted),
        })
    }
}

impl ModelDefinition for Squeezer {
    const NAME: &'static str = "squeezer";
    const SUMMARY: &'static str = "Andrews' squeezer: seven links, three loops, a torque against a spring";
    const SOURCE: &'static str = "zhang2022, section 5.1";

    fn model(&self) -> Box<dyn Model> {
        match self.formulation {
            SqueezerFormulation::Angles => Box::new(SqueezerModel(SqueezerAngles(self.clone()))),
            SqueezerFormulation::Cartesian => Box::new(SqueezerModel(SqueezerBodies(self.clone()))),
            SqueezerFormulation::Momenta(rotations) => Box::new(SqueezerMomentaModel::new(self.clone(), rotations)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut Squeezer)| {
            let mut parameters = Squeezer::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.start = SqueezerStart::TestSet), Ok(()));
        assert_eq!(check(|p| p.torque = -1.0), Ok(()));
        assert_eq!(check(|p| p.of.mass = 0.0), Err("of.mass".into()));
        assert_eq!(check(|p| p.ef.length = -0.1), Err("ef.length".into()));
        assert_eq!(check(|p| p.he.inertia = f64::NAN), Err("he.inertia".into()));
        assert_eq!(check(|p| p.ge.centre[1] = f64::NAN), Err("ge.centre".into()));
        assert_eq!(check(|p| p.ag.mass = f64::INFINITY), Err("ag.mass".into()));
        assert_eq!(check(|p| p.ah.inertia = 0.0), Err("ah.inertia".into()));
        assert_eq!(check(|p| p.ebd.length = 0.0), Err("ebd.length".into()));
        assert_eq!(check(|p| p.ebd.spring[0] = f64::NAN), Err("ebd.spring".into()));
        assert_eq!(check(|p| p.a[0] = f64::NAN), Err("a".into()));
        assert_eq!(check(|p| p.b[1] = f64::INFINITY), Err("b".into()));
        assert_eq!(check(|p| p.c[1] = f64::NAN), Err("c".into()));
        assert_eq!(check(|p| p.stiffness = 0.0), Err("stiffness".into()));
        assert_eq!(check(|p| p.free_length = -1.0), Err("free-length".into()));
        assert_eq!(check(|p| p.torque = f64::NAN), Err("torque".into()));
        assert_eq!(check(|p| p.crank_angle = f64::NAN), Err("crank-angle".into()));
    }

    #[test]
    fn links_that_do_not_meet_are_out_of_range() {
        let short = Squeezer { he: Link { length: 0.001, ..Squeezer::default().he }, ..Squeezer::default() };
        assert_eq!(short.check().map_err(|error| error.field), Err("crank-angle".into()));
        let short = Squeezer { start: SqueezerStart::TestSet, ..short };
        assert_eq!(short.check().map_err(|error| error.field), Err("start".into()));
    }
}
