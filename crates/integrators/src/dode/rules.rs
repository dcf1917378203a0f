//! What a solve that locates events has to be told, whichever method makes its steps.

use super::{Cel, Dode, ErrorProne, RegionOfConcurrency};

/// How it is noticed that a function may have crossed zero in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// It has changed sides, or its cubic Hermite interpolant says so (compere2001, section 5.2.1).
    Interpolants,
    /// It has changed sides (gil2013, Eq. 17). Two crossings in a step go unseen.
    Signs,
}

/// Rules of detection, location and restart.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Whether events are located at all.
    pub events: bool,
    /// How crossings are noticed.
    pub detection: Detection,
    /// ε_d: largest magnitude of an offset function at a located event, in the function's unit.
    pub event_tolerance: f64,
    /// On which side of zero.
    pub cel: Cel,
    /// Which error-prone functions are looked at.
    pub error_prone: ErrorProne,
    /// Region of concurrency, where there is one.
    pub region: Option<RegionOfConcurrency>,
    /// Largest step, s, where the task names none.
    pub max_step: f64,
    /// Largest factor by which a step may exceed the one before.
    pub growth: Option<f64>,
    /// Largest step, s, that starts where a function is below zero: in models of contact, while one is closed.
    pub contact_step: Option<f64>,
    /// Whether the right-hand side is evaluated twice after an event, as the published counts of compere2001 have it.
    pub evaluates_twice: bool,
}

impl From<&Dode> for Rules {
    fn from(settings: &Dode) -> Self {
        Self {
            events: settings.events,
            detection: Detection::Interpolants,
            event_tolerance: settings.event_tolerance,
            cel: settings.cel,
            error_prone: settings.error_prone,
            region: settings.region_of_concurrency,
            max_step: settings.max_step,
            growth: settings.growth,
            contact_step: None,
            evaluates_twice: true,
        }
    }
}
