//! Settings for locating events, common to all methods that use this solver.

use super::Dode;

/// The way in which a possible zero crossing in a step is detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// A function has changed sides over a step so short that it has at most one zero in it; see
    /// [`Samples::share`](crate::events::Samples::share).
    Sampled,
    /// A function has changed sides, or its cubic Hermite interpolant indicates a crossing (compere2001, section
    /// 5.2.1).
    Interpolants,
    /// A function has changed sides (gil2013, Eq. 17). Two crossings of a function in one step are missed.
    Signs,
}

/// Rules of detection, location and restart.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Settings of the solver, without the pair.
    pub settings: Dode,
    /// How crossings are detected.
    pub detection: Detection,
    /// Largest step, s, while an event function is below zero at the start: in models of contact, while a contact is
    /// closed.
    pub contact_step: Option<f64>,
    /// True if the right-hand side is evaluated twice after an event, as in the published counts of compere2001.
    pub evaluates_twice: bool,
}
