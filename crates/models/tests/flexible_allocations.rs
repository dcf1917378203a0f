//! Newton iterations and changes of chart on flexible mechanisms allocate nothing.

use std::alloc::System;

use mbsbench_models::{FlexibleFourBar, LateralBuckling, RotatingShaft};
use mbsbench_problem::dae::Point;
use mbsbench_problem::{Form, Formulated, Model, ModelDefinition};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The fewest allocations of five repetitions; the test harness occasionally allocates in another thread, which can
/// only increase the count.
fn fewest(mut work: impl FnMut()) -> usize {
    let repetitions = (0..5).map(|_| {
        let region = Region::new(ALLOCATOR);
        work();
        let change = region.change();
        change.allocations + change.reallocations
    });
    repetitions.min().expect("five repetitions")
}

fn equations(name: &str, model: &dyn Formulated) {
    let mut state = model.initial_state();
    let mut ode = model.ode();
    let Form::Implicit(dae) = ode.form() else { panic!("it has no other form") };
    let (n, m) = (dae.differential(), dae.algebraic());
    let zeros = |count: usize| vec![0.0; count];
    let (mut chart, mut centred) = (zeros(dae.chart_length()), zeros(dae.chart_length()));
    let (mut y, mut rates, mut x) = (zeros(n), zeros(n + m), zeros(n + m));
    let c = 1e-3;
    let all = fewest(|| {
        dae.locate(&state, &mut chart, &mut y);
        dae.kinematic(&chart, &y, &mut rates);
        let at = Point { t: 0.0, chart: &chart, y: &y, rates: &rates };
        dae.residual(at, c, &mut x).expect("it exists");
        dae.factorize(at, c).expect("it is regular");
        dae.solve(&mut x);
        dae.recentre(&chart, &y, &mut centred);
        dae.transport(&chart, &centred, &mut y, &mut rates[..n]);
        dae.state(&centred, &y, &mut state);
    });
    assert_eq!(all, 0, "{name}");
}

fn check(name: &str, model: &dyn Model) {
    let region = Region::new(ALLOCATOR);
    let state = Formulated::<f64>::initial_state(model);
    assert!(!state.is_empty() && region.change().allocations > 0, "the allocator is not instrumented");
    equations(name, model);
}

#[test]
fn a_newton_iteration_allocates_nothing() {
    check("four-bar mechanism", &*FlexibleFourBar::default().model());
    check("buckling beam", &*LateralBuckling::default().model());
    check("rotating shaft", &*RotatingShaft::default().model());
}
