//! The squeezer as an experiment file describes it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use super::links::{Link, Plate};
use super::{Rotations, SqueezerAngles, SqueezerBodies, SqueezerModel};

parameters! {
    /// Coordinates and constraints of the squeezer.
    #[derive(Copy, Default, Eq)]
    pub enum SqueezerFormulation {
        /// Seven joint angles, six constraints: the three loops close at E.
        #[default]
        Angles,
        /// As `angles`, but with accelerations and multipliers among 27 unknowns of `M y' = f(t, y)`, and constraints
        /// on positions. This is the form of the test set for IVP solvers.
        Index3,
        /// As `index3`, with constraints on velocities.
        Index2,
        /// As `index3`, with constraints on accelerations.
        Index1,
        /// Centres of mass and angles of the seven links, twenty constraints: two for each of the ten pins.
        Cartesian,
        /// Origins of the links' frames, rotations (`angles` or `rodrigues`) and momenta about the origins, with the
        /// same twenty constraints, for methods that solve implicit equations. For methods that solve explicit
        /// equations it equals `cartesian`.
        Momenta(Rotations),
    }

    /// Initial configuration of the squeezer, at rest.
    #[derive(Copy, Default, Eq)]
    pub enum SqueezerStart {
        /// Starts at the crank's angle `crank-angle` (zhang2022).
        #[default]
        Paper,
        /// Starts with crank and rod in line, Θ = 0, which determines β₀ = −0.0617138900142765 (test set for IVP
        /// solvers, Bari).
        TestSet,
    }
}

const fn link(length: f64, mass: f64, centre: [f64; 2], inertia: f64) -> Link {
    Link { length, mass, centre, inertia }
}

parameters! {
    /// Seven links in the plane with a spring between a link and the ground; a constant torque drives the crank
    /// O-F. No gravity.
    ///
    /// Source: zhang2022, Table 2 and the text above it; with shifted origins these are the parameters of the test
    /// set for IVP solvers (Bari).
    pub struct Squeezer where links_meet {
        /// The unknowns: seven angles with six constraints, or seven bodies with twenty.
        pub formulation: SqueezerFormulation = SqueezerFormulation::Angles,
        /// Initial configuration.
        pub start: SqueezerStart = SqueezerStart::Paper,
        /// Initial angle β₀ of the crank O-F from `+x`, for the start `paper`.
        pub crank_angle: f64 [unit "rad"] = -0.0620,
        /// The crank O-F.
        pub of: Link = link(0.007, 0.043_25, [0.000_92, 0.0], 2.194e-6),
        /// The crank's rod E-F.
        pub ef: Link = link(0.028, 0.003_65, [0.0165, 0.0], 4.410e-7),
        /// The link H-E.
        pub he: Link = link(0.020, 0.007_06, [0.005_79, 0.0], 5.667e-7),
        /// The link G-E.
        pub ge: Link = link(0.020, 0.007_06, [0.005_79, 0.0], 5.667e-7),
        /// The arm A-G.
        pub ag: Link = link(0.040, 0.070_50, [0.023_08, 0.009_16], 1.169e-5),
        /// The arm A-H.
        pub ah: Link = link(0.040, 0.054_98, [0.012_28, -0.004_49], 1.912e-5),
        /// The plate E-B-D.
        pub ebd: Plate = Plate {
            length: 0.035,
            spring: [0.020, 0.017],
            mass: 0.023_73,
            centre: [0.010_43, 0.016_26],
            inertia: 5.255e-6,
        },
        /// Position of the ground pin A; O is the origin.
        pub a: [f64; 2] [unit "m"] = [-0.069_34, -0.002_27],
        /// Position of the ground pin B.
        pub b: [f64; 2] [unit "m"] = [-0.036_35, 0.032_73],
        /// Position of the spring's end C on the ground.
        pub c: [f64; 2] [unit "m"] = [0.014_00, 0.072_00],
        /// Stiffness of the spring.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 4530.0,
        /// Length of the unloaded spring.
        pub free_length: f64 [above 0.0, unit "m"] = 0.077_85,
        /// Torque on the crank.
        pub torque: f64 [unit "N m"] = 0.033,
    }
}

impl Squeezer {
    /// Fails if the links are too short or too long to meet at the start.
    fn links_meet(&self) -> Result<(), OutOfRange> {
        let (field, found) = match self.start {
            SqueezerStart::Paper => ("crank-angle", self.crank_angle.to_string()),
            SqueezerStart::TestSet => ("start", "test-set".to_owned()),
        };
        let meet = self.start_angles::<f64>().iter().all(|angle| angle.is_finite());
        OutOfRange::unless(meet, field, found, "links that can be pinned together at this position")
    }
}

impl ModelDefinition for Squeezer {
    const NAME: &'static str = "squeezer";
    const SUMMARY: &'static str = "Andrews' squeezer: seven links and three loops, driven by a torque against a spring";
    const SOURCE: &'static str = "zhang2022, section 5.1";

    fn model(&self) -> Box<dyn Model> {
        match self.formulation {
            SqueezerFormulation::Cartesian | SqueezerFormulation::Momenta(_) => {
                Box::new(SqueezerModel(SqueezerBodies(self.clone())))
            }
            _ => Box::new(SqueezerModel(SqueezerAngles(self.clone()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::Parameters;

    #[test]
    fn links_that_do_not_meet_are_out_of_range() {
        let short = Squeezer { he: Link { length: 0.001, ..Squeezer::default().he }, ..Squeezer::default() };
        assert_eq!(short.check().map_err(|error| error.field), Err("crank-angle".into()));
        let short = Squeezer { start: SqueezerStart::TestSet, ..short };
        assert_eq!(short.check().map_err(|error| error.field), Err("start".into()));
    }
}
