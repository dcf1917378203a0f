//! Settings of a solve, with the axes that vary them.

use mbsbench_problem::{Clock, Settings, StepControl};

use crate::spec;

/// Settings of the file with a step decided on.
pub(super) fn settings(read: &spec::Settings, control: StepControl) -> Settings {
    Settings {
        control,
        clock: read.clock.into(),
        max_steps: read.max_steps,
        max_rhs_evaluations: read.max_rhs_evaluations,
    }
}

impl From<spec::Clock> for Clock {
    fn from(clock: spec::Clock) -> Self {
        match clock {
            spec::Clock::Exact => Self::Exact,
            spec::Clock::Accumulating => Self::Accumulating,
        }
    }
}
