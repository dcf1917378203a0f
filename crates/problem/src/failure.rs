//! The ways in which a run can end. A failed run is a result, not a crash.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as Unknown, StrDeserializer};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The outcome of a run, as given in the column `status` of `runs.csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The run reached its end.
    Ok,
    /// A step became too small to advance the time.
    StepTooSmall,
    /// Newton's method did not converge.
    NewtonDiverged,
    /// A state or derivative is infinite or not a number.
    NonFinite,
    /// A matrix is singular.
    SingularMatrix,
    /// A budget is exhausted.
    BudgetExhausted,
    /// An event could not be located.
    EventNotLocated,
    /// Jumps follow each other ever faster.
    EventsAccumulate,
    /// Steps creep along a discontinuity of the right-hand side.
    Chattering,
    /// A joint is open by more than the constraints in the equations can explain.
    JointOpen,
    /// A rule of `fails_when` is broken.
    Rule,
    /// An external solver gave up.
    SolverFailed,
    /// The machine lacks what the method needs.
    Unavailable,
    /// The method cannot be used on the problem or with these settings.
    NotApplicable,
    /// Not run: the model or method does not accept values that a study tries.
    Refused,
    /// The program panicked during the run, which is an error of the program.
    Panicked,
    /// The user interrupted the run.
    Interrupted,
    /// Not run: it needs more memory than allowed.
    Memory,
}

impl Status {
    /// The status of a run that ended with `failure`, or that reached its end.
    pub fn of(failure: Option<&Failure>) -> Self {
        failure.map_or(Self::Ok, Failure::status)
    }

    /// True if a method began to step, so that there are numbers until a failure. Otherwise counters are zero and
    /// observables have their initial values, which say nothing about the method.
    pub fn is_of_a_run(self) -> bool {
        !matches!(self, Self::Unavailable | Self::NotApplicable | Self::Refused) && !self.is_lost()
    }

    /// True if the program or the machine, and not the method, kept the run from its end. Such a run is repeated the
    /// next time, and enters no verdict.
    pub fn is_lost(self) -> bool {
        matches!(self, Self::Panicked | Self::Memory | Self::Interrupted)
    }
}

/// The name used in files.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Status {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let name: StrDeserializer<'_, Unknown> = name.into_deserializer();
        Self::deserialize(name)
    }
}

/// The reason why a solve stopped before its final time. Variants have the time at which it happened.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Failure {
    /// The error control asked for a step that no longer advances the time.
    #[error(
        "step size {step:e} at t = {} is too small to advance the time: a larger tolerance may help if the solution is \
         smooth there, but not if it has a singularity", Told(*time)
    )]
    StepTooSmall {
        /// Time of the last accepted state, in seconds.
        time: f64,
        /// The step that was requested, in seconds.
        step: f64,
    },
    /// Newton's method did not converge and the method cannot use a smaller step.
    #[error(
        "Newton's method did not converge at t = {} within {iterations} iterations: a smaller step or tolerance may \
         help", Told(*time)
    )]
    NewtonDiverged {
        /// Start of the step, in seconds.
        time: f64,
        /// Number of iterations.
        iterations: u64,
    },
    /// Newton's method for accelerations did not converge.
    #[error(
        "Newton's method did not converge at t = {time} within {iterations} iterations: the last one corrected the \
         acceleration of coordinate {coordinate} by {correction:.1e}, more than the accepted {tolerated:.1e}; use a \
         smaller step, or change `newton.tolerance` or `newton.max-iterations`"
    )]
    AccelerationsDiverged {
        /// Start of the step, in seconds.
        time: f64,
        /// Number of iterations.
        iterations: u64,
        /// Number of the coordinate with the largest correction of its acceleration, from 1.
        coordinate: usize,
        /// The last correction, in the unit of that acceleration.
        correction: f64,
        /// Largest correction at which the iteration would have ended.
        tolerated: f64,
    },
    /// Newton's method did not converge in one of the implicit stages of a step.
    #[error(
        "Newton's method did not converge in stage {stage} of the step from t = {} within {iterations} iterations: \
         the residual is {residual:e}; a smaller step may help", Told(*time)
    )]
    StageDiverged {
        /// Start of the step, in seconds.
        time: f64,
        /// Number of the implicit stage, from 1.
        stage: u32,
        /// Number of iterations.
        iterations: u64,
        /// Norm of the last residual.
        residual: f64,
    },
    /// The state or its derivative is infinite or not a number.
    #[error("state or derivative is not finite at t = {}: a smaller step or tolerance may help", Told(*time))]
    NonFinite {
        /// Start of the step (or time of the evaluation), in seconds.
        time: f64,
    },
    /// A function of the problem returned numbers that are infinite or not a number.
    #[error("{found} at t = {}: a smaller step or tolerance may avoid such states", Told(*time))]
    UndefinedValue {
        /// Time of the evaluation, in seconds.
        time: f64,
        /// The function and what it returned: "`rhs` returned nan in component 0".
        found: String,
    },
    /// A matrix that has to be inverted is singular to working precision.
    #[error("{matrix} is singular at t = {}", Told(*time))]
    SingularMatrix {
        /// Time of the evaluation, in seconds.
        time: f64,
        /// A name of the matrix for a reader: "mass matrix", "G B".
        matrix: &'static str,
    },
    /// A budget of the run is exhausted.
    #[error("budget of {limit} {counter} is exhausted at t = {}{}", Told(*time), setting(counter))]
    BudgetExhausted {
        /// Time of the last accepted state, in seconds.
        time: f64,
        /// The exhausted counter as named in [`Statistics`](crate::Statistics), or a sum of counters.
        counter: &'static str,
        /// Its limit.
        limit: u64,
    },
    /// An event could not be located within the allowed number of repeated steps.
    #[error(
        "event {index} after t = {} could not be located in {repeats} repeated steps; smaller steps may help",
        Told(*time)
    )]
    EventNotLocated {
        /// Start of the step, in seconds.
        time: f64,
        /// Number of the event function.
        index: usize,
        /// Number of repeated steps.
        repeats: u64,
    },
    /// Jumps follow each other ever faster, and the model does not define the motion after that.
    #[error("jumps accumulate at t = {time}: event {index} occurred more than {events} times within {window:e} s")]
    EventsAccumulate {
        /// Time of the last event, in seconds.
        time: f64,
        /// Number of the event function.
        index: usize,
        /// Number of events allowed in the window.
        events: u64,
        /// Length of the window, in seconds.
        window: f64,
    },
    /// The right-hand side jumps back and forth along the solution, so that steps cannot grow.
    #[error(
        "chattering at t = {}: steps of {step:.1e} s creep along a discontinuity, beyond which the right-hand side \
         points back; smooth the switch over a small width, or replace it by the motion along the discontinuity",
        Told(*time)
    )]
    Chattering {
        /// Time of the accepted state, in seconds.
        time: f64,
        /// Size of the last step, in seconds.
        step: f64,
    },
    /// A joint as described is open, although the constraints in the equations hold: the equations have lost one of
    /// its constraints.
    #[error(
        "joint `{joint}` is open by {by:.1e} at t = {}, although the constraints in the equations hold: the equations \
         do not enforce all constraints of the joint", Told(*time)
    )]
    JointOpen {
        /// Time of the accepted state, in seconds.
        time: f64,
        /// The joint's name.
        joint: String,
        /// Magnitude of its constraint, in m or rad.
        by: f64,
    },
    /// A rule stated in the experiment is broken (`fails_when`).
    #[error("rule `{rule}` is broken at t = {time}")]
    Rule {
        /// Time of the accepted state, in seconds.
        time: f64,
        /// The rule as written.
        rule: String,
    },
    /// An external solver gave up.
    #[error("{flag} at t = {time}: {reason}")]
    SolverFailed {
        /// Time of the last accepted state, in seconds.
        time: f64,
        /// The solver's own name for the failure: `CV_ERR_FAILURE`.
        flag: String,
        /// The solver's message.
        reason: String,
    },
    /// The method needs a package that is not installed on this machine. This says nothing about the method: a
    /// statement that depends on such a run cannot be tested here.
    #[error("unavailable: install {package}")]
    Unavailable {
        /// The Debian package that provides it.
        package: &'static str,
    },
    /// The user interrupted the run. This says nothing about the method.
    #[error("interrupted at t = {time}")]
    Interrupted {
        /// Time of the last accepted state, in seconds.
        time: f64,
    },
    /// The method cannot be used on this problem or with these settings.
    #[error("{reason}")]
    NotApplicable {
        /// The reason, and a remedy.
        reason: String,
    },
}

/// A time in readable form, without the zeros of 1e-300.
struct Told(f64);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(time) = *self;
        if time == 0.0 || (1e-6..1e16).contains(&time.abs()) { write!(f, "{time}") } else { write!(f, "{time:e}") }
    }
}

/// The setting that raises the limit of a counter, as the end of a message.
fn setting(counter: &str) -> &'static str {
    match counter {
        "steps_accepted + steps_rejected" => "; `settings: { max_steps }` raises the limit",
        "rhs_evaluations" => "; `settings: { max_rhs_evaluations }` raises the limit",
        _ => "",
    }
}

impl Failure {
    /// The status of a run that ends with this failure.
    pub fn status(&self) -> Status {
        match self {
            Self::StepTooSmall { .. } => Status::StepTooSmall,
            Self::NewtonDiverged { .. } | Self::AccelerationsDiverged { .. } | Self::StageDiverged { .. } => {
                Status::NewtonDiverged
            }
            Self::NonFinite { .. } | Self::UndefinedValue { .. } => Status::NonFinite,
            Self::SingularMatrix { .. } => Status::SingularMatrix,
            Self::BudgetExhausted { .. } => Status::BudgetExhausted,
            Self::EventNotLocated { .. } => Status::EventNotLocated,
            Self::EventsAccumulate { .. } => Status::EventsAccumulate,
            Self::Chattering { .. } => Status::Chattering,
            Self::JointOpen { .. } => Status::JointOpen,
            Self::Rule { .. } => Status::Rule,
            Self::SolverFailed { .. } => Status::SolverFailed,
            Self::Unavailable { .. } => Status::Unavailable,
            Self::Interrupted { .. } => Status::Interrupted,
            Self::NotApplicable { .. } => Status::NotApplicable,
        }
    }

    /// Time at which it happened, in seconds; none if the run could not start.
    pub fn time(&self) -> Option<f64> {
        self.clone().time_mut().copied()
    }

    /// The same time, mutable.
    pub(crate) fn time_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::StepTooSmall { time, .. }
            | Self::NewtonDiverged { time, .. }
            | Self::AccelerationsDiverged { time, .. }
            | Self::StageDiverged { time, .. }
            | Self::NonFinite { time }
            | Self::UndefinedValue { time, .. }
            | Self::SingularMatrix { time, .. }
            | Self::BudgetExhausted { time, .. }
            | Self::EventNotLocated { time, .. }
            | Self::EventsAccumulate { time, .. }
            | Self::Chattering { time, .. }
            | Self::JointOpen { time, .. }
            | Self::Rule { time, .. }
            | Self::SolverFailed { time, .. }
            | Self::Interrupted { time } => Some(time),
            Self::Unavailable { .. } | Self::NotApplicable { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_suggest_a_remedy() {
        let told = Failure::BudgetExhausted { time: 3e-300, counter: "steps_accepted + steps_rejected", limit: 50 };
        let words = "budget of 50 steps_accepted + steps_rejected is exhausted at t = 3e-300; \
                     `settings: { max_steps }` raises the limit";
        assert_eq!(told.to_string(), words);
        let diverged = Failure::NewtonDiverged { time: 0.25, iterations: 20 };
        assert!(
            diverged
                .to_string()
                .starts_with("Newton's method did not converge at t = 0.25 within 20 iterations: a smaller")
        );
    }

    #[test]
    fn statuses_round_trip_through_their_names() {
        for (status, name) in [(Status::Ok, "ok"), (Status::NotApplicable, "not-applicable")] {
            assert_eq!(status.to_string(), name);
            assert_eq!(name.parse(), Ok(status));
        }
        let begun = [
            Status::Unavailable,
            Status::NotApplicable,
            Status::Refused,
            Status::Panicked,
            Status::Memory,
            Status::Rule,
        ];
        assert_eq!(begun.map(Status::is_of_a_run), [false, false, false, false, false, true]);
        assert!("diverged".parse::<Status>().unwrap_err().to_string().contains("unknown variant `diverged`"));
    }
}
