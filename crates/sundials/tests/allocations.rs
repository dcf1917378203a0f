//! Steps allocate no heap memory on our side: the library's callbacks reuse their memory.

use std::alloc::System;

use mbsbench_models::RodChain;
use mbsbench_problem::{
    Counted, Formulated, Method, MethodDefinition, ModelDefinition, Settings, Silent, StepControl, Task,
};
use mbsbench_sundials::{CvodeAdams, CvodeBdf, Form, Ida, Iteration, LinearSolver, version};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn check(name: &str, method: &dyn Method, rods: usize) {
    let model = RodChain { rods, ..RodChain::default() }.model();
    let initial = Formulated::<f64>::initial_state(&*model);
    let once = |t_end: f64| {
        let control = StepControl::Tolerance { rel: 1e-6, abs: 1e-6, initial_step: Some(1e-4), max_step: None };
        let settings = Settings { control, ..Settings::tolerance(1.0, 1.0) };
        let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
        let mut ode = Formulated::<f64>::ode(&*model);
        let mut problem = Counted::new(ode.as_mut());
        // problems allocate the memory of derivatives at the first request
        drop(problem.mechanics().map(|mut mechanics| mechanics.structure()));
        let region = Region::new(ALLOCATOR);
        let solution = method.solve(problem, &task, &mut Silent);
        let change = region.change();
        assert_eq!(solution.failure, None, "{name}");
        let kept = change.bytes_allocated as isize - change.bytes_deallocated as isize + change.bytes_reallocated;
        ((change.allocations, kept), solution.statistics)
    };
    // The test harness sometimes allocates in another thread, which can only increase the count.
    let count = |t_end: f64| {
        let runs: Vec<_> = (0..5).map(|_| once(t_end)).collect();
        (runs.iter().map(|(counted, _)| *counted).min().expect("five runs"), runs[0].1)
    };
    let ((short, few), (long, many)) = (count(0.02), count(1.5));
    let [few, many] = [few, many].map(|statistics| (statistics.steps_accepted, statistics.factorizations));
    assert!(many.0 > 3 * few.0 && many.1 > few.1 + 3, "{name}: {few:?} and {many:?} steps and factorizations");
    assert_eq!(short, long, "{name} with {rods} rods");
}

/// One test for all methods, because the counters belong to the process.
#[test]
fn allocations_do_not_depend_on_the_number_of_steps() {
    if version().is_none() {
        return;
    }
    let adams = CvodeAdams { iteration: Iteration::Newton, ..CvodeAdams::default() }.method();
    for (name, method) in [("cvode-bdf", CvodeBdf::default().method()), ("cvode-adams", adams)] {
        check(name, &*method, 3);
        check(name, &*method, 12);
    }
    for form in [Form::Index1, Form::Ggl, Form::Index3] {
        let ida = |linear_solver| Ida { form, linear_solver, ..Ida::default() }.method();
        check("ida", &*ida(LinearSolver::Automatic), 3);
        check("ida", &*ida(LinearSolver::Automatic), 12);
        check("ida, dense", &*ida(LinearSolver::Dense), 3);
    }
}
