//! Step sizes under tolerances: the first step, the controller's choices, the end of the span.

use mbsbench_problem::grid::Grid;
use mbsbench_problem::{Counted, Failure, Run, Scalar, StepControl, Task};

use crate::control::{Controller, ControllerSettings};

/// The tolerances of a task.
#[derive(Debug, Clone, Copy)]
pub struct Tolerances {
    pub rel: f64,
    pub abs: f64,
    /// First step, s, if the task gives one.
    pub initial_step: Option<f64>,
    /// Largest step, s, if the task gives one.
    pub max_step: Option<f64>,
}

impl Tolerances {
    /// Reads the tolerances of a task, for a method without constant steps.
    ///
    /// # Errors
    /// Returns [`Failure::NotApplicable`] if the task prescribes constant steps.
    pub fn of(task: &Task<'_>) -> Result<Self, Failure> {
        match task.settings.control {
            StepControl::Tolerance { rel, abs, initial_step, max_step } => {
                Ok(Self { rel, abs, initial_step, max_step })
            }
            StepControl::Fixed { .. } => {
                let reason = "the method chooses its order together with its step; give tolerances instead of a \
                              constant step";
                Err(Failure::NotApplicable { reason: reason.to_owned() })
            }
        }
    }
}

/// Refuses a span that is not a whole number of constant steps, for a method that needs equal steps.
///
/// # Errors
/// Returns [`Failure::NotApplicable`] if the last step would be shorter.
pub fn check_equal_steps(task: &Task<'_>) -> Result<(), Failure> {
    let (StepControl::Fixed { step }, Some(grid)) = (task.settings.control, Grid::of(task)) else { return Ok(()) };
    let span = task.t_end - task.t_start;
    if span > 0.0 && !grid.is_even() {
        let reason = format!("the method needs equal steps, but the span of {span} s is not a multiple of {step} s");
        return Err(Failure::NotApplicable { reason });
    }
    Ok(())
}

/// Step-size control under tolerances.
pub struct Controlled {
    controller: Controller,
    /// Relative and absolute tolerance.
    pub tolerances: (f64, f64),
    /// Largest step, s.
    pub max_step: f64,
    /// See [`ControllerSettings::stretch`].
    stretch: f64,
    /// Size of the next attempt, s; none before the first one is chosen.
    pub size: Option<f64>,
}

impl Controlled {
    /// Creates the control of a task; none for constant steps.
    pub fn new<S: Scalar>(control: ControllerSettings, error_order: Option<u32>, task: &Task<'_, S>) -> Option<Self> {
        let StepControl::Tolerance { rel, abs, initial_step, max_step } = task.settings.control else { return None };
        let span = (task.t_end - task.t_start).value();
        let max_step = max_step.unwrap_or(span).min(span);
        let order = error_order.expect("checked before the first step");
        let (controller, stretch) = (Controller::new(control, order, max_step), control.stretch);
        let size = initial_step.map(|step| step.min(max_step));
        Some(Self { controller, tolerances: (rel, abs), max_step, stretch, size })
    }

    /// End and size of the next step from `y`, which [contacts](mbsbench_problem::Ode::step_limit) may limit; the
    /// constant step without control.
    ///
    /// # Errors
    /// Returns [`Failure::StepTooSmall`] if the step would hardly advance the time.
    #[inline]
    pub fn next<S: Scalar>(
        controlled: Option<&Self>,
        run: &mut Run<'_, Counted<'_, S>, S>,
        y: &[S],
    ) -> Result<(S, S), Failure> {
        let Some(Self { size, max_step, stretch, .. }) = controlled else { return Ok(run.constant_step()) };
        let (t, t_end) = (run.t, run.task.t_end);
        let size = size.unwrap_or(*max_step).min(run.problem.step_limit(t, y));
        if 0.1 * size <= f64::EPSILON * t.value().abs() || size < f64::MIN_POSITIVE {
            return Err(Failure::StepTooSmall { time: t.value(), step: size });
        }
        let is_last = (t + *stretch * size - t_end).value() > 0.0;
        let h = if is_last { t_end - t } else { S::from(size) };
        Ok((if is_last { t_end } else { t + h }, h))
    }

    /// Accepts or rejects a step of size `h` (s) with this estimated error, in the norm of the tolerances, and sets the
    /// size of the next attempt. Returns true if the step is accepted.
    #[inline]
    pub fn accepts(&mut self, error: f64, h: f64) -> bool {
        let (is_accepted, next) = self.controller.judge(error, h);
        self.size = Some(next);
        is_accepted
    }

    /// Limits the next attempt to `size`, s.
    pub fn limit(&mut self, size: f64) {
        self.size = self.size.map(|next| next.min(size));
    }

    /// True if the next attempt is too small to succeed, after an attempt whose end was not finite.
    pub fn is_hopeless(&self) -> bool {
        self.size.is_some_and(|size| size <= f64::EPSILON * self.max_step)
    }
}
