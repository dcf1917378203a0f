//! The two balls as an experiment file names them.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

parameters! {
    /// Two equal balls fall from rest, one above the other, onto each other and onto the ground; all contacts are
    /// springs without damping, so that the motion is linear from event to event and the energy is kept.
    ///
    /// The paper prints stiffness and unit masses. Radius and heights are chosen: with them there are 26 events in 3 s,
    /// 12 of them between the balls.
    pub struct TwoBouncingBalls where all_are_apart {
        /// Radius `R` of each ball.
        pub radius: f64 [above 0.0, unit "m"] = 0.1,
        /// Height from which the centre of the upper ball falls; the balls start apart.
        pub height_1: f64 [unit "m"] = 1.5,
        /// Height from which the centre of the lower ball falls; it starts above the ground.
        pub height_2: f64 [unit "m"] = 0.7,
        /// Stiffness `K` of each contact.
        pub stiffness: f64 [above 0.0, unit "N/m"] = 1e5,
        /// Mass of each ball.
        pub mass: f64 [above 0.0, unit "kg"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [above 0.0, unit "m/s²"] = 9.81,
    }
}

impl TwoBouncingBalls {
    fn all_are_apart(&self) -> Result<(), OutOfRange> {
        let [balls, ground] = self.overlaps(&[self.height_1, self.height_2]);
        if ground >= 0.0 {
            return Err(OutOfRange::new("height-2", self.height_2, "a height above the radius"));
        }
        if balls >= 0.0 {
            let accepted = "a height above that of the lower ball by more than two radii";
            return Err(OutOfRange::new("height-1", self.height_1, accepted));
        }
        Ok(())
    }
}

impl ModelDefinition for TwoBouncingBalls {
    const NAME: &'static str = "two-bouncing-balls";
    const SUMMARY: &'static str = "two balls, one above the other, bounce on springs without damping";
    const SOURCE: &'static str = "gil2013, section 3, Eqs. 19–21";

    fn model(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
