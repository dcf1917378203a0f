//! Forces and events of marbles allocate nothing once the lists have reached their size, even if lists are rebuilt.

use std::alloc::System;

use mbsbench_models::MarbleJar;
use mbsbench_models::marble_jar::{Arrangement, Candidates, MarbleOde};
use mbsbench_problem::{EventFunctions, ModelDefinition, Ode};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn marbles_allocate_only_while_their_lists_grow() {
    let arrangement: Arrangement = serde_json::from_str(r#"{ "packed": { "spacing": 0.999 } }"#).unwrap();
    let definition =
        MarbleJar { count: 200, arrangement, candidates: Candidates::Near, damping: 5.0, ..MarbleJar::default() };
    let start: Vec<f64> = definition.model().initial_state();
    let region = Region::new(ALLOCATOR);
    let mut ode = MarbleOde::new(definition);
    assert!(region.change().allocations > 0, "the allocator is not instrumented");
    let (mut y, mut dydt) = (start.clone(), start.clone());
    let (mut g, mut rates, mut open) = (vec![0.0; 40_000], vec![0.0; 40_000], vec![false; 40_000]);
    // Sideways and back, farther than a list allows, with long and short steps ahead.
    let mut cycle = || {
        for part in 0..20 {
            for i in 0..200 {
                y[i] = start[i] + 2e-3 * f64::from(part % 10) * (i as f64).sin();
            }
            for horizon in [1e-6, 1e-3] {
                ode.prepare(0.0, &y, horizon).unwrap();
                let count = ode.count();
                ode.lock(None);
                ode.rhs(0.0, &y, &mut dydt).unwrap();
                ode.values(0.0, &y, &mut g[..count]).unwrap();
                ode.rates(0.0, &y, &dydt, &mut rates[..count]).unwrap();
                open.iter_mut().zip(&g[..count]).for_each(|(open, g)| *open = *g >= 0.0);
                ode.lock(Some(&open[..count]));
                ode.rhs(0.0, &y, &mut dydt).unwrap();
            }
        }
        ode.neighbours.rebuilds
    };
    let first = cycle();
    // The test harness occasionally allocates in another thread, which can only increase the count.
    let fewest = (0..5).map(|_| {
        let region = Region::new(ALLOCATOR);
        let rebuilds = cycle();
        let change = region.change();
        (change.allocations + change.reallocations, rebuilds)
    });
    let (allocations, rebuilds) = fewest.min().expect("five cycles");
    assert!(rebuilds > first && first >= 10, "lists are made again: {first}, {rebuilds}");
    assert_eq!(allocations, 0);
}
