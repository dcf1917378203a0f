//! The formulations in which a constrained model can be solved.

use crate::{OutOfRange, SlidingModeSettings, parameters};

parameters! {
    /// How a model's equations are put to a method.
    pub enum Formulation {
        /// As few coordinates and velocities as the motion has, without constraints.
        Minimal,
        /// Constraints differentiated to acceleration level (index 1), not stabilised.
        AccelerationLevel,
        /// Sliding surfaces with equivalent control and post-stabilisation (compere2001, chapter 3).
        SlidingMode(SlidingModeSettings),
    }
}

impl Formulation {
    /// Speed σ of the surfaces, 1/s; the default where the formulation has none of its own.
    pub fn sigma(&self) -> f64 {
        self.sliding_mode().map_or(SlidingModeSettings::default().sigma, |settings| settings.sigma)
    }

    /// The settings of sliding surfaces, if it has some.
    pub fn sliding_mode(&self) -> Option<&SlidingModeSettings> {
        match self {
            Self::SlidingMode(settings) => Some(settings),
            Self::Minimal | Self::AccelerationLevel => None,
        }
    }

    /// Fails unless there is a reaching gain for each of `surfaces` surfaces, or none at all.
    ///
    /// # Errors
    /// [`OutOfRange`] with the path of the field from the model on.
    pub fn check_surfaces(&self, surfaces: usize) -> Result<(), OutOfRange> {
        let Some(settings) = self.sliding_mode() else { return Ok(()) };
        settings.check_surfaces(surfaces).map_err(|error| error.within("formulation.sliding-mode"))
    }
}
