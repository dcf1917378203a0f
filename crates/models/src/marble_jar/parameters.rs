//! The jar as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use super::{Arrangement, Jar, MarbleModel, Poured};

/// Most marbles of which all pairs are looked at: eight million of them.
const MOST_FOR_ALL: usize = 4000;

parameters! {
    /// Marbles that are poured into a jar, with frictionless contacts of spring and damper.
    ///
    /// The dissertation gives the number of marbles and the shape of the jar, nothing else; the values are this
    /// project's choice. The height of the first marble makes ten marbles lose the printed 0.294 J; stiffness was
    /// chosen for counts of evaluations near the printed ones in 4 s.
    pub struct MarbleJar where all_pairs_are_few, a_marble_fits {
        /// Number of marbles.
        pub count: usize [from 1, to 1_000_000] = 10,
        /// Radius of a marble.
        pub radius: f64 [above 0.0, unit "m"] = 0.01,
        /// Mass of a marble.
        pub mass: f64 [above 0.0, unit "kg"] = 0.01,
        /// Inner radius of the jar.
        pub jar_radius: f64 [above 0.0, unit "m"] = 0.05,
        /// Acceleration of gravity.
        pub gravity: f64 [from 0.0, unit "m/s²"] = 9.81,
        /// Stiffness `k` of each contact.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 3e6,
        /// Damping `c` of each contact; none by default (damped runs of this project: 5).
        pub damping: f64 [from 0.0, unit "N s/m"] = 0.0,
        /// Where the marbles are at the start.
        pub arrangement: Arrangement = Arrangement::Poured(Poured::default()),
        /// Which of the initial positions of an ensemble; 0 is the one whose numbers are compared with printed ones.
        /// All have the same heights.
        pub seed: u32 = 0,
        /// Which pairs are looked at.
        pub candidates: Candidates = Candidates::All,
    }
}

parameters! {
    /// Pairs that are looked at, for forces and for events.
    #[derive(Copy, Eq)]
    pub enum Candidates {
        /// All, as in the dissertation: `N (N + 3)/2` event functions.
        All,
        /// For forces, those that a cell grid finds near each other; for events, those that can touch within the step.
        /// The same forces to the last bit, and time and memory linear in the number of marbles.
        Near,
    }
}

impl MarbleJar {
    /// Geometry and contact law.
    pub fn jar(&self) -> Jar {
        let Self { count, radius, mass, jar_radius, gravity, stiffness, damping, .. } = *self;
        Jar { count, radius, mass, jar_radius, gravity, stiffness, damping }
    }

    fn all_pairs_are_few(&self) -> Result<(), OutOfRange> {
        if self.candidates == Candidates::Near || self.count <= MOST_FOR_ALL {
            return Ok(());
        }
        Err(OutOfRange::new("count", self.count, format!("at most {MOST_FOR_ALL} unless `candidates` is `near`")))
    }

    /// With room to move.
    fn a_marble_fits(&self) -> Result<(), OutOfRange> {
        if self.jar_radius > self.radius {
            return Ok(());
        }
        Err(OutOfRange::new("jar-radius", self.jar_radius, "a finite number above `radius`"))
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
