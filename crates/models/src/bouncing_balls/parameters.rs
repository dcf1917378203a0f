//! The balls as an experiment file names them.

use mbsbench_problem::{Model, ModelDefinition, parameters};

use super::Balls;

parameters! {
    /// Balls that fall side by side on a floor and do not touch each other.
    ///
    /// The dissertation gives their number, the difference in height and that the contact is a spring with a damper;
    /// mass, stiffness, damping and height are this project's choice. The height follows from the printed 2.26e-10 s
    /// between events; the contact reproduces the printed counts of events.
    pub struct BouncingBalls {
        /// Number of balls; not so many that the full matrices of implicit methods fill a machine.
        pub count: usize [from 1, to 4000] = 100,
        /// Mass of a ball.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
        /// Height from which the first ball falls.
        pub height: f64 [above 0.0, unit "m"] = 1.0,
        /// Difference in height from each ball to the next.
        pub spacing: f64 [from 0.0, unit "m"] = 1e-9,
        /// What happens at the floor.
        pub contact: Contact = Contact::SpringDamper(SpringDamper::default()),
    }
}

parameters! {
    /// What happens where a ball meets the floor.
    #[derive(Copy)]
    pub enum Contact {
        /// The floor gives way: bilateral events, two for each bounce.
        SpringDamper(SpringDamper),
        /// The velocity jumps: unilateral events, one for each bounce. Only for methods that locate events.
        Restitution(Restitution),
    }
}

parameters! {
    /// A floor with force `F = −k y − c v` at `y < 0`; it may pull just before the ball leaves.
    #[derive(Copy)]
    pub struct SpringDamper {
        /// Stiffness `k`.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 2e7,
        /// Damping `c`.
        pub damping: f64 [from 0.0, unit "N s/m"] = 600.0,
    }
}

parameters! {
    /// A rigid floor: `v → −e v`.
    #[derive(Copy)]
    pub struct Restitution {
        /// Coefficient of restitution `e`, above 0 and at most 1.
        pub coefficient: f64 [above 0.0, to 1.0, unit "1"] = 0.8,
    }
}

impl ModelDefinition for BouncingBalls {
    const NAME: &'static str = "bouncing-balls";
    const SUMMARY: &'static str = "independent balls on a floor, with spring and damper or with restitution";
    const SOURCE: &'static str = "compere2001, section 5.3.3";

    fn model(&self) -> Box<dyn Model> {
        Box::new(Balls::new(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::Parameters;

    use super::*;

    /// A thousand million of them were accepted, and took the program down before its first run.
    #[test]
    fn more_balls_than_a_machine_holds_are_refused() {
        let check = |count| BouncingBalls { count, ..BouncingBalls::default() }.check();
        assert_eq!(check(4000), Ok(()));
        assert!(check(1_000_000_000).is_err_and(|error| error.field == "count"));
    }
}
