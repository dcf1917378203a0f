//! Audits: repetitions of runs at a higher accuracy.

use mbsbench_experiment::RunSpec;
use mbsbench_problem::{Class, Settings, StepControl};

use super::collect::solved;
use super::panics::catch_panic;
use super::reference::scales;
use super::run::is_of_method;
use crate::memory::{self, Memory};

/// The result of an audit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Audit {
    /// The largest difference between the positions and velocities at both ends, each relative to its largest magnitude
    /// over the run.
    pub difference: f64,
    /// The larger tolerance of the run; `None` for constant steps.
    pub asked: Option<f64>,
}

/// Repeats a run at a tenth of its tolerances or at half its constant step, and compares the states at the end. The
/// repetition may take ten times as many steps and evaluations.
///
/// Returns `None` if the run has no solve, if it or its repetition does not reach the end, or if memory is lacking.
pub fn audit(run: &RunSpec, memory: &Memory) -> Option<Audit> {
    const PARTS: u32 = 8;
    if is_of_method(run) {
        return None;
    }
    let _reserved = memory.reserve(memory::of_run(run)).ok()?;
    let [start, end] = run.span;
    let mut times: Vec<f64> = (0..PARTS).map(|k| start + (end - start) * f64::from(k) / f64::from(PARTS)).collect();
    times.push(end);
    times.sort_by(f64::total_cmp);
    let (asked, control) = match run.settings.control {
        StepControl::Fixed { step } => (None, StepControl::Fixed { step: step / 2.0 }),
        StepControl::Tolerance { rel, abs, initial_step, max_step } => {
            (Some(rel.max(abs)), StepControl::Tolerance { rel: rel / 10.0, abs: abs / 10.0, initial_step, max_step })
        }
    };
    let [max_steps, max_rhs_evaluations] =
        [run.settings.max_steps, run.settings.max_rhs_evaluations].map(|limit| limit.saturating_mul(10));
    let finer = Settings { control, max_steps, max_rhs_evaluations, ..run.settings };
    let states = |settings| catch_panic(|| solved(run, settings, &times)).ok();
    let end_of = |states: &[Option<Vec<f64>>]| if start < end { states.last() } else { states.first() }?.clone();
    let (first, second) = (states(run.settings)?, states(finer)?);
    let (one, other) = (end_of(&first)?, end_of(&second)?);
    let classes = run.model.object.model().classes();
    let first: Vec<Vec<f64>> = first.into_iter().flatten().collect();
    let components = one.iter().zip(&other).zip(scales(&first, &classes)).zip(&classes);
    let differences = components.filter(|(_, class)| **class != Class::Multiplier).map(|(((one, other), scale), _)| {
        let difference = (one - other).abs();
        if scale > 0.0 { difference / scale } else { difference }
    });
    Some(Audit { difference: differences.fold(0.0, f64::max), asked })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_experiment::{Plan, Registry};

    use super::*;

    fn audited(method: &str) -> Audit {
        let text = format!(
            "id: mine/decay\nmodel: {{ equations: {{ states: {{ y: 1 }}, rates: {{ y: '-y' }} }} }}\nspan: [0, 1]\n\
             {method}\nmeasures: [rhs_evaluations]\n"
        );
        let plan = Plan::read(Path::new("decay.yaml"), text.as_bytes(), &Registry::builtin(), false);
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        audit(&plan.runs[0], &Memory::new(u64::MAX)).unwrap()
    }

    #[test]
    fn the_difference_is_that_to_half_the_step_or_a_tenth_of_the_tolerance() {
        let Audit { difference, asked } = audited("method: rk4\nstep: 0.1");
        let end = |h: f64, steps| (1.0 - h + h * h / 2.0 - h.powi(3) / 6.0 + h.powi(4) / 24.0).powi(steps);
        // The largest magnitude is the one at the start, 1.
        let expected = (end(0.1, 10) - end(0.05, 20)).abs();
        assert!((difference / expected - 1.0).abs() < 1e-6 && asked.is_none(), "{difference:e}, {expected:e}");
        let Audit { difference, asked } = audited("method: dopri5\ntolerance: { rel: 1e-4, abs: 1e-6 }");
        assert!(difference > 0.0 && difference < 1e-3 && asked == Some(1e-4), "{difference:e}");
    }
}
