//! What a solve that locates events has to be told, whichever method makes its steps.

use super::Dode;

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
    /// Settings of the solver, without the pair.
    pub settings: Dode,
    /// How crossings are noticed.
    pub detection: Detection,
    /// Largest step, s, that starts where a function is below zero: in models of contact, while one is closed.
    pub contact_step: Option<f64>,
    /// Whether the right-hand side is evaluated twice after an event, as the published counts of compere2001 have it.
    pub evaluates_twice: bool,
}
