//! Settings of a solve, with the axes that vary them.

use mbsbench_problem::{Settings, StepControl};

use crate::spec;

/// Returns the settings of the file with the given step control.
pub(super) fn settings(read: &spec::Settings, control: StepControl) -> Settings {
    let spec::Settings { clock, max_steps, max_rhs_evaluations, matrices, events, .. } = *read;
    Settings { control, clock, max_steps, max_rhs_evaluations, matrices, events }
}
