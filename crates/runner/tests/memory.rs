//! The memory of a run, its measures and its recorded trajectory does not grow with the number of steps.

use std::alloc::System;
use std::path::Path;

use mbsbench::Registry;
use mbsbench::execute::run::execute;
use mbsbench::plan::Plan;
use mbsbench_problem::Status;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const EXPERIMENT: &str = "\
id: memory/pendulum
model: { pendulum: { formulation: sliding-mode } }
method: rk5
step: 0.01
span: [0.0, END]
measures: [energy_variation, constraint_max, { extrema: { of: theta, count: 4 } }, { sample: { of: theta, at: [1] } }]
plots:
  - { id: swing, x: t, y: [theta, energy] }
";

/// Number of bytes that a run allocates up to its end at `end` seconds.
fn bytes(end: f64) -> usize {
    let text = EXPERIMENT.replace("END", &format!("{end:.1}"));
    let plan = Plan::read(Path::new("memory.yaml"), text.as_bytes(), &Registry::builtin(), false).unwrap();
    let [run] = plan.runs.as_slice() else { panic!("one run is planned") };
    let region = Region::new(ALLOCATOR);
    let record = execute(run, None);
    let change = region.change();
    assert_eq!((record.status, record.t_reached), (Status::Ok, end));
    change.bytes_allocated
}

#[test]
fn memory_does_not_grow_with_the_number_of_steps() {
    // Both runs fill the recorder of the trajectory, which is then thinned in place.
    let (short, long) = (bytes(500.0), bytes(10_000.0));
    assert!(short > 1000, "the allocator is not instrumented");
    // There are twenty times as many steps; the number of points kept for drawing may differ.
    assert!(long < short + short / 4, "{short} bytes for 500 s, {long} bytes for 10 000 s");
}
