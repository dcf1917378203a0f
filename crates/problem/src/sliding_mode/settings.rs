//! Settings of the sliding-mode form.

use crate::{OutOfRange, parameters};

parameters! {
    /// Settings of the sliding-mode form of a constrained mechanical system.
    ///
    /// The default is the hybrid method of compere2001 (section 3.2.4) from consistent initial values. The alternatives
    /// are the variants with which the dissertation compares it, and other readings of its text.
    pub struct SlidingModeSettings where always_has_gains {
        /// Speed σ of the holonomic surfaces `Φ̇ + σ Φ` (compere2001, Eq. 3.21; 10 in section 3.5.2).
        pub sigma: f64 [from 0.0, unit "1/s"] = 10.0,
        /// Reaching gains η of the surfaces, nonholonomic first. If the list is empty, there is no reaching phase,
        /// and all surfaces are held from the start. With one gain for each surface, `u = −η sgn(s)` drives the
        /// surfaces that do not hold initially to zero (compere2001, section 3.2.4; the values are not printed).
        pub eta: Vec<f64> [above 0.0, unit "of the multipliers"] = Vec::new(),
        /// The times at which the equivalent control is evaluated (compere2001, section 3.4.2).
        pub equivalent_control: EquivalentControl = EquivalentControl::default(),
        /// True if the accelerations of each stage are corrected to `Ṡ = 0` (compere2001, section 3.4.2).
        pub acceleration_stabilization: bool = true,
        /// Number of passes that correct positions and velocities after each step: 0, 1 or 2 (2 in compere2001,
        /// Eqs. 3.27–3.30).
        pub post_stabilization_passes: u32 [to 2] = 2,
        /// Metric in which the corrections after a step are minimal.
        pub metric: Metric = Metric::default(),
        /// The constraints that the correction of the positions removes.
        pub position_correction: PositionCorrection = PositionCorrection::default(),
        /// The time for which the discontinuous control `−η sgn(s)` is active (compere2001, section 3.2.4).
        pub robust_control: RobustControl = RobustControl::default(),
        /// The quantity to which the gains η apply.
        pub gain: Gain = Gain::default(),
    }

    /// The times at which the equivalent control `u_eq` is evaluated.
    #[derive(Copy, Default, Eq)]
    pub enum EquivalentControl {
        /// At every stage, at the stage's own state.
        #[default]
        EveryStage,
        /// Once, at the start of the step, and held for all stages, while `f` and `B` are evaluated at each stage.
        /// Without the correction at acceleration level this gives the wrong motion of compere2001, figure 3.8.
        Frozen,
    }

    /// Metric of the corrections after a step.
    #[derive(Copy, Default, Eq)]
    pub enum Metric {
        /// `F = Jᵀ (J Jᵀ)⁻¹`, as printed (compere2001, section 3.4.1).
        #[default]
        Identity,
        /// `F = M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹`, which removes no tangential momentum.
        Mass,
    }

    /// The constraints that the correction of the positions removes.
    #[derive(Copy, Default, Eq)]
    pub enum PositionCorrection {
        /// All of `(Γ ; Φ)`, as printed (compere2001, Eq. 3.27), although the nonholonomic rows are velocities.
        #[default]
        All,
        /// `(0 ; Φ)`: holonomic constraints only.
        Holonomic,
    }

    /// The time for which the discontinuous control `−η sgn(s)` is active.
    #[derive(Copy, Default, Eq)]
    pub enum RobustControl {
        /// Until a surface is reached; from then on post-stabilisation holds it (the hybrid method).
        #[default]
        UntilReached,
        /// Always, with the sign of the surface at each evaluation: sliding-mode control without the hybrid method.
        /// No surface is ever held, and nothing is corrected, neither at the accelerations nor after a step.
        Always,
    }

    /// The quantity to which the gains η of the discontinuous control apply.
    #[derive(Copy, Default, Eq)]
    pub enum Gain {
        /// The control itself, a multiplier: `u_rob = −η sgn(s)`, as printed, so that `Ṡ = −GB η sgn(s)`.
        #[default]
        Control,
        /// The rate of the surfaces, as the sliding equation (3.19) requires: `u_rob = −(GB)⁻¹ η sgn(s)`, so that
        /// `Ṡ = −η sgn(s)`.
        Rate,
    }
}

impl SlidingModeSettings {
    fn always_has_gains(&self) -> Result<(), OutOfRange> {
        let has_gains = self.robust_control == RobustControl::UntilReached || !self.eta.is_empty();
        let accepted = "one gain for each surface, since `robust-control` is `always`";
        OutOfRange::unless(has_gains, "eta", "an empty list", accepted)
    }

    /// Fails unless `eta` is empty or has one gain for each of `surfaces` surfaces.
    ///
    /// # Errors
    /// Returns [`OutOfRange`] for `eta`.
    pub fn check_surfaces(&self, surfaces: usize) -> Result<(), OutOfRange> {
        let found = format!("a list of length {}", self.eta.len());
        let accepted = format!("an empty list, or one gain for each of the {surfaces} surfaces");
        OutOfRange::unless(self.eta.is_empty() || self.eta.len() == surfaces, "eta", found, accepted)
    }
}
