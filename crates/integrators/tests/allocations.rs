//! No heap allocation inside a step, and no memory that grows with the number of steps.

mod common;

use std::alloc::System;

use common::{Cubic, solve};
use mbsbench_integrators::{Bs32, Dop853, Dopri5, Gbs, Rk3, Rk4, Rk5, Rk8};
use mbsbench_problem::{MethodDefinition, Settings};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn check<D: MethodDefinition>() {
    let method = D::default().method();
    let once = |settings: Settings, t_end: f64| {
        let region = Region::new(ALLOCATOR);
        let solution = solve(&Cubic, &*method, t_end, settings);
        let change = region.change();
        assert_eq!(solution.failure, None);
        let allocated = (change.allocations + change.reallocations, change.bytes_allocated);
        (allocated, solution.statistics.steps_accepted)
    };
    // The test harness allocates in another thread now and then, which can only add.
    let count = |settings, t_end| (0..5).map(|_| once(settings, t_end)).min().expect("five counts");
    let (short, few) = count(Settings::fixed(0.01), 1.0);
    let (long, many) = count(Settings::fixed(0.01), 100.0);
    assert_eq!((few, many), (100, 10_000));
    assert!(short.0 > 0, "the allocator is not instrumented");
    assert_eq!(short, long, "{} with constant steps", D::NAME);
    if method.adapts() {
        let (short, few) = count(Settings::tolerance(1e-8, 1e-8), 1.0);
        let (long, many) = count(Settings::tolerance(1e-8, 1e-8), 1000.0);
        assert!(many > 50 * few, "{}: {few} and {many} steps", D::NAME);
        assert_eq!(short, long, "{} with controlled steps", D::NAME);
    }
}

/// One test for all methods: the counters are those of the process.
#[test]
fn allocations_do_not_depend_on_the_number_of_steps() {
    check::<Rk3>();
    check::<Bs32>();
    check::<Rk4>();
    check::<Rk5>();
    check::<Dopri5>();
    check::<Rk8>();
    check::<Dop853>();
    check::<Gbs>();
}
