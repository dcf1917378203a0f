//! One ball on a spring-damper floor: a stand-in for the second problem of Birta, Ören and Kettenis.

use mbsbench_problem::{Model, ModelDefinition, parameters};

use crate::bouncing_balls::{BouncingBalls, Contact, SpringDamper};

parameters! {
    /// A ball that falls on a floor with spring and damper; a stand-in for the second problem of Birta, Ören and
    /// Kettenis, whose definition was not found.
    ///
    /// Like the original, it has two states, one bilateral function, and damped motion with events that come ever
    /// closer, 16 of them in [0, 5.5] s. Equations and closed form are the same as in
    /// [`bouncing_balls`](crate::bouncing_balls).
    pub struct SpringDamperBall {
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Height from which the ball falls.
        pub height: f64 [above 0.0, unit "m"] = 1.0,
        /// Stiffness `k` of the floor.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 1000.0,
        /// Damping `c` of the floor.
        pub damping: f64 [from 0.0, unit "N s/m"] = 2.0,
    }
}

impl ModelDefinition for SpringDamperBall {
    const NAME: &'static str = "spring-damper-ball";
    const SUMMARY: &'static str = "ball on a soft floor; stand-in for Birta, Ören and Kettenis' second problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.1; our own definition";

    fn model(&self) -> Box<dyn Model> {
        let Self { mass, gravity, height, stiffness, damping } = *self;
        let contact = Contact::SpringDamper(SpringDamper { stiffness, damping });
        Box::new(BouncingBalls { count: 1, mass, gravity, height, spacing: 0.0, contact })
    }
}
