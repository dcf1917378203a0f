//! The jar as the runner sees it.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsEventOde, Class, DoubleDouble, EventModel, Formulated, Model, Observable, Observation, Ode, View,
};

use super::initial::state;
use super::{Jar, MarbleJar, MarbleOde};
use crate::drawing::{MOST_DRAWN, upright};

/// The jar with parameters chosen. In double-double precision all pairs are looked at, whatever the parameters say.
#[derive(Debug, Clone)]
pub struct MarbleModel {
    parameters: MarbleJar,
    jar: Jar,
}

impl MarbleModel {
    /// The model for parameters in range.
    pub fn new(parameters: MarbleJar) -> Self {
        Self { jar: parameters.jar(), parameters }
    }
}

impl Formulated<f64> for MarbleModel {
    fn ode(&self) -> Box<dyn Ode<f64> + '_> {
        Box::new(MarbleOde::new(self.jar, self.parameters.candidates))
    }
    fn initial_state(&self) -> Vec<f64> {
        state(&self.parameters)
    }
}

impl Formulated<DoubleDouble> for MarbleModel {
    fn ode(&self) -> Box<dyn Ode<DoubleDouble> + '_> {
        Box::new(AsEventOde::new(&self.jar))
    }
    fn initial_state(&self) -> Vec<DoubleDouble> {
        state(&self.parameters)
    }
}

impl Model for MarbleModel {
    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new(
                "energy",
                "J",
                "kinetic energy, gravity from the floor on, and the springs of all contacts",
            ),
            Observable::new("kinetic_energy", "J", "kinetic energy"),
            Observable::new("height", "m", "height of the common centre of mass"),
            Observable::new("contacts", "1", "number of closed contacts"),
            Observable::new("penetration", "m", "largest depth of a contact"),
            Observable::new("top_speed", "m/s", "speed of the fastest marble"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(MarbleObservation { jar: self.jar, contacts: MarbleOde::new(self.jar, self.parameters.candidates) })
    }

    fn classes(&self) -> Vec<Class> {
        let n = self.jar.dimension() / 2;
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }

    /// Marbles and jar from the side, the jar as high as it is wide.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let Jar { count, radius, jar_radius, .. } = self.jar;
        if count > MOST_DRAWN {
            return Vec::new();
        }
        let (left, right, top) = (-jar_radius, jar_radius, 2.0 * jar_radius);
        let jar = Shape::Line(vec![[left, top], [left, 0.0], [right, 0.0], [right, top]]);
        let marble = |i: usize| ("marbles", Shape::Circle { centre: [y[i], y[2 * count + i]], radius });
        vec![upright(["x", "z"], std::iter::once(("jar", jar)).chain((0..count).map(marble)).collect())]
    }
}

struct MarbleObservation {
    jar: Jar,
    contacts: MarbleOde,
}

impl Observation for MarbleObservation {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let Jar { count: n, mass, gravity, stiffness, .. } = self.jar;
        let (mut springs, mut contacts, mut penetration) = (0.0, 0_u64, 0.0_f64);
        let seen = self.contacts.penetrations(t, y, |gap| {
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
    }
}
