//! The jar as an experiment file describes it, and as a benchmark model.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, Class, DoubleDouble, Formulated, Model, ModelDefinition, Observable, Observation, Ode, OutOfRange,
    View, parameters,
};

use super::initial::state;
use super::{Arrangement, MarbleOde, Poured};
use crate::drawing::{MOST_DRAWN, upright};

/// Largest number of marbles for which all pairs are checked; they have eight million pairs.
const MOST_FOR_ALL: usize = 4000;

parameters! {
    /// Marbles that are poured into a jar, with frictionless spring-damper contacts.
    ///
    /// The dissertation gives only the number of marbles and the shape of the jar; the other values are chosen here.
    /// The height of the first marble makes ten marbles lose the printed 0.294 J; the stiffness gives counts of
    /// evaluations near the printed ones in 4 s.
    #[derive(Copy)]
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
        /// Damping `c` of each contact; zero by default (damped runs of this project use 5).
        pub damping: f64 [from 0.0, unit "N s/m"] = 0.0,
        /// Initial positions of the marbles.
        pub arrangement: Arrangement = Arrangement::Poured(Poured::default()),
        /// Number of the initial state within an ensemble; 0 is the state that is compared with printed numbers. All
        /// states have the same heights.
        pub seed: u32 = 0,
        /// Pairs that are checked for contact.
        pub candidates: Candidates = Candidates::All,
    }

    /// Pairs that are checked, for forces and for events.
    #[derive(Copy, Eq)]
    pub enum Candidates {
        /// All pairs, as in the dissertation: `N (N + 3)/2` event functions.
        All,
        /// For forces, the pairs that a cell grid finds near each other; for events, those that can touch within the
        /// step. Forces are bitwise the same, and time and memory are linear in the number of marbles.
        Near,
    }
}

impl MarbleJar {
    fn all_pairs_are_few(&self) -> Result<(), OutOfRange> {
        let few = self.candidates == Candidates::Near || self.count <= MOST_FOR_ALL;
        let accepted = format!("at most {MOST_FOR_ALL} unless `candidates` is `near`");
        OutOfRange::unless(few, "count", self.count, accepted)
    }

    /// Fails unless the jar is wider than a marble.
    fn a_marble_fits(&self) -> Result<(), OutOfRange> {
        let fits = self.jar_radius > self.radius;
        OutOfRange::unless(fits, "jar-radius", self.jar_radius, "a finite number above `radius`")
    }
}

impl ModelDefinition for MarbleJar {
    const NAME: &'static str = "marble-jar";
    const SUMMARY: &'static str = "marbles poured into a jar, with springs and dampers at their contacts";
    const SOURCE: &'static str = "compere2001, section 5.3.4";

    fn model(&self) -> Box<dyn Model> {
        Box::new(*self)
    }
}

impl Formulated<f64> for MarbleJar {
    fn ode(&self) -> Box<dyn Ode<f64> + '_> {
        Box::new(MarbleOde::new(*self))
    }
    fn initial_state(&self) -> Vec<f64> {
        state(self)
    }
}

/// Checks all pairs, regardless of the parameters.
impl Formulated<DoubleDouble> for MarbleJar {
    fn ode(&self) -> Box<dyn Ode<DoubleDouble> + '_> {
        Box::new(AsEventOde::new(self))
    }
    fn initial_state(&self) -> Vec<DoubleDouble> {
        state(self)
    }
}

impl Model for MarbleJar {
    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new(
                "energy",
                "J",
                "kinetic energy, potential energy of gravity from the floor up, and energy of the contact springs",
            ),
            Observable::new("kinetic_energy", "J", "kinetic energy"),
            Observable::new("height", "m", "height of the common centre of mass"),
            Observable::new("contacts", "1", "number of closed contacts"),
            Observable::new("penetration", "m", "largest penetration at a contact"),
            Observable::new("top_speed", "m/s", "speed of the fastest marble"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let mut ode = MarbleOde::new(*self);
        Box::new(move |t: f64, y: &[f64], values: &mut [f64]| {
            let Self { count: n, mass, gravity, stiffness, .. } = *self;
            let (mut springs, mut contacts, mut penetration) = (0.0, 0_u64, 0.0_f64);
            let seen = ode.penetrations(t, y, |gap| {
                springs += 0.5 * stiffness * gap * gap;
                contacts += 1;
                penetration = penetration.max(-gap);
            });
            if seen.is_err() {
                values.fill(f64::NAN);
                return;
            }
            let square = |i: usize| (3..6).map(|axis| y[axis * n + i].powi(2)).sum::<f64>();
            let kinetic = (0..n).map(|i| 0.5 * mass * square(i)).sum::<f64>();
            let heights = y[2 * n..3 * n].iter().sum::<f64>();
            let fastest = (0..n).map(square).fold(0.0, f64::max).sqrt();
            let energy = kinetic + mass * gravity * heights + springs;
            values.copy_from_slice(&[energy, kinetic, heights / n as f64, contacts as f64, penetration, fastest]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        let n = 3 * self.count;
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }

    /// Marbles and jar from the side; the jar is drawn as high as it is wide.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let Self { count, radius, jar_radius, .. } = *self;
        if count > MOST_DRAWN {
            return Vec::new();
        }
        let (left, right, top) = (-jar_radius, jar_radius, 2.0 * jar_radius);
        let jar = Shape::Line(vec![[left, top], [left, 0.0], [right, 0.0], [right, top]]);
        let marble = |i: usize| ("marbles", Shape::Circle { centre: [y[i], y[2 * count + i]], radius });
        vec![upright(["x", "z"], std::iter::once(("jar", jar)).chain((0..count).map(marble)).collect())]
    }
}
