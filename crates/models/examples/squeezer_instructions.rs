//! One solution of Andrews' squeezer, whose instructions an instrumenting tool counts: see `scripts/instructions.sh`.
//!
//! The mechanism is in its seven angles and starts as in the test set for IVP solvers (Bari), which asks for the
//! state at 0.03 s with equal relative and absolute tolerances. DOP853 solves the equations at acceleration level,
//! RADAU5 those of index 3; both choose their own first step.
#![expect(clippy::print_stdout, reason = "the counters are what the example is for")]

use std::process::ExitCode;

use mbsbench_integrators::{Dop853, Radau5};
use mbsbench_models::squeezer::{SqueezerAngles, SqueezerEquations};
use mbsbench_models::{Squeezer, SqueezerStart};
use mbsbench_problem::{
    AccelerationLevel, Counted, MechanicsOf, Method, MethodDefinition, Ode, Settings, Silent, Solution, Task,
};

/// Solves the task. Instructions are counted from the beginning to the end of this function, which is
/// therefore not inlined.
#[inline(never)]
fn solve_counted(method: &dyn Method, equations: &mut dyn Ode, task: &Task<'_>) -> Solution {
    method.solve(Counted::new(equations), task, &mut Silent)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let method: Option<Box<dyn Method>> = match arguments.next().as_deref() {
        Some("dop853") => Some(Dop853::default().method()),
        Some("radau5") => Some(Radau5::default().method()),
        _ => None,
    };
    let tolerance = arguments.next().and_then(|tolerance| tolerance.parse().ok());
    let (Some(method), Some(tolerance)) = (method, tolerance) else {
        println!("squeezer_instructions dop853|radau5 TOLERANCE");
        return ExitCode::FAILURE;
    };
    let model = SqueezerAngles(Squeezer { start: SqueezerStart::TestSet, ..Squeezer::default() });
    let initial = model.initial::<f64>();
    let mut equations = AccelerationLevel::new(MechanicsOf::new(&model));
    let task =
        Task { t_start: 0.0, t_end: 0.03, initial: &initial, settings: Settings::tolerance(tolerance, tolerance) };
    let Solution { state, statistics, failure, .. } = solve_counted(&*method, &mut equations, &task);
    if let Some(failure) = failure {
        println!("{failure}");
        return ExitCode::FAILURE;
    }
    println!(
        "{} + {} steps, {} evaluations, {} Jacobians, {} factorizations, {} iterations, beta = {:.12}",
        statistics.steps_accepted,
        statistics.steps_rejected,
        statistics.rhs_evaluations,
        statistics.jacobian_evaluations,
        statistics.factorizations,
        statistics.newton_iterations,
        state[0],
    );
    ExitCode::SUCCESS
}
