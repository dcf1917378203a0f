//! The formulations in which a constrained model can be solved.

use crate::{OutOfRange, SlidingModeSettings, parameters};

parameters! {
    /// The form in which a model's equations are solved.
    pub enum Formulation {
        /// Minimal coordinates: as many coordinates and velocities as degrees of freedom, and no constraints.
        Minimal,
        /// Constraints differentiated to acceleration level (index 1), not stabilised.
        AccelerationLevel,
        /// Sliding surfaces with equivalent control and post-stabilisation (compere2001, chapter 3).
        SlidingMode(SlidingModeSettings),
    }
}

impl Formulation {
    /// Speed σ of the surfaces, 1/s; the default if the formulation has no surfaces.
    pub fn sigma(&self) -> f64 {
        self.sliding_mode().map_or(SlidingModeSettings::default().sigma, |settings| settings.sigma)
    }

    /// The settings of the sliding surfaces, if there are any.
    pub fn sliding_mode(&self) -> Option<&SlidingModeSettings> {
        match self {
            Self::SlidingMode(settings) => Some(settings),
            Self::Minimal | Self::AccelerationLevel => None,
        }
    }

    /// Fails unless there is one reaching gain for each of `surfaces` surfaces, or none at all.
    ///
    /// # Errors
    /// Returns [`OutOfRange`] with the path of the field relative to the model.
    pub fn check_surfaces(&self, surfaces: usize) -> Result<(), OutOfRange> {
        let Some(settings) = self.sliding_mode() else { return Ok(()) };
        settings.check_surfaces(surfaces).map_err(|error| error.within("formulation.sliding-mode"))
    }
}
