//! Steps on a chain of rods allocate nothing. This is a program of its own because allocations are counted for
//! the whole program.

mod common;

use std::alloc::System;

use common::solving::{Named, named, solve};
use mbsbench_integrators::{
    Dopri5, GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HhtAdd, HhtI3, HhtSi2, Lms2, NstiffSi2, Ode15s,
    Ode23s, Radau5, Trapezoidal,
};
use mbsbench_models::{LinkageFormulation, RodChain};
use mbsbench_problem::{ModelDefinition, Settings};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations of a method until the end of a span: their number and their size in bytes.
fn allocations(method: &Named, t_end: f64, settings: &Settings) -> (usize, u64) {
    let chain = RodChain { formulation: LinkageFormulation::Cartesian, rods: 20, damping: 1e-3, ..RodChain::default() };
    let model = chain.model();
    let once = || {
        let region = Region::new(ALLOCATOR);
        let solution = solve(&*model, method, t_end, *settings);
        let change = region.change();
        assert_eq!(solution.failure, None, "{}", method.0);
        (change.allocations + change.reallocations, solution.statistics.steps_accepted)
    };
    (0..5).map(|_| once()).min().expect("five times")
}

#[test]
fn steps_on_many_bodies_allocate_nothing() {
    let constant = Settings::fixed(1e-3);
    let methods: [Named; 9] = [
        named(HhtI3::default()),
        named(HhtAdd::default()),
        named(HhtSi2::default()),
        named(NstiffSi2::default()),
        named(GeneralizedAlphaI2::default()),
        named(GeneralizedAlphaSi2::default()),
        named(Lms2::default()),
        named(Trapezoidal::default()),
        named(Dopri5::default()),
    ];
    for method in methods {
        let (short, few) = allocations(&method, 0.02, &constant);
        let (long, many) = allocations(&method, 0.2, &constant);
        assert!(many > 5 * few);
        // Factors grow when pivots change, and then double their memory.
        assert!(long <= short + 8, "{}: {short} and {long} allocations", method.0);
    }
    let controlled = Settings::tolerance(1e-7, 1e-7);
    let methods: [Named; 5] = [
        named(Radau5::default()),
        named(Ode15s::default()),
        named(Ode23s::default()),
        named(HhtI3::default()),
        named(GeneralizedAlpha::default()),
    ];
    for method in methods {
        let ((short, few), (long, many)) =
            (allocations(&method, 0.05, &controlled), allocations(&method, 0.4, &controlled));
        let name = method.0;
        assert!(
            many > 3 * few && long <= short + 8,
            "{name}: {short} and {long} allocations in {few} and {many} steps"
        );
    }
}
