//! Right-hand sides, contact powers and displacements of the ball bearing allocate nothing.

use std::alloc::System;

use mbsbench_models::BallBearing;
use mbsbench_problem::{Formulated, ModelDefinition};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn the_bearing_allocates_nothing_in_a_step() {
    let region = Region::new(ALLOCATOR);
    let model = BallBearing::default().model();
    let y: Vec<f64> = model.initial_state();
    assert!(region.change().allocations > 0, "the allocator is not instrumented");
    let mut ode = Formulated::<f64>::ode(&*model);
    let (mut rate, mut powers, mut moved) = (y.clone(), vec![0.0; 12], y[..84].to_vec());
    let mut step = || {
        ode.rhs(0.0, &y, &mut rate).unwrap();
        let side = ode.form().contact_power().unwrap();
        side.accelerations(0.0, &y[..84], &y[84..], &mut rate[84..], &mut powers);
        side.displace(&y[..84], &y[84..], &mut moved);
    };
    // The test harness occasionally allocates in another thread, which can only increase the count.
    let fewest = (0..5).map(|_| {
        let region = Region::new(ALLOCATOR);
        step();
        region.change().allocations
    });
    assert_eq!(fewest.min(), Some(0));
}
