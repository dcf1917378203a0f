//! Right-hand sides, mechanics and observations of the linkages, and of the small problems of gil2013,
//! allocate nothing.

use std::alloc::System;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mbsbench_models::squeezer::Rotations;
use mbsbench_models::{
    DoublePendulum, FlexibleSliderCrank, LinearTest, LinkageFormulation, OscillationInTime, SliderCrank, Squeezer,
    SqueezerFormulation, StiffDoublePendulum, TwoBouncingBalls,
};
use mbsbench_problem::dae::Point;
use mbsbench_problem::scalar::is_double;
use mbsbench_problem::{Dae, DoubleDouble, Form, Formulated, Model, ModelDefinition, Scalar};
use nalgebra::DMatrix;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A lock held by each test from start to end, because allocations of another test would be counted.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

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

fn equations<S: Scalar>(name: &str, model: &dyn Formulated<S>) {
    let y = model.initial_state();
    let mut rate = y.clone();
    let mut ode = model.ode();
    assert_eq!(fewest(|| ode.rhs(S::zero(), &y, &mut rate).expect("regular")), 0, "{name}: right-hand side");
    if let Ok(functions) = ode.form().events() {
        let mut g = vec![S::zero(); functions.count()];
        let all = fewest(|| {
            functions.values(S::zero(), &y, &mut g).expect("regular");
            functions.rates(S::zero(), &y, &rate, &mut g).expect("regular");
        });
        assert_eq!(all, 0, "{name}: event functions");
    }
    if is_double::<S>()
        && let Form::Implicit(dae) = ode.form()
    {
        implicit(name, dae, &y);
    }
    let Ok(mechanics) = ode.form().mechanics() else { return };
    let n = mechanics.dimensions().coordinates;
    let (q, v) = y.split_at(n);
    let zeros = |rows, columns| DMatrix::from_element(rows, columns, S::zero());
    let (mut mass, mut jacobian) = (zeros(n, n), zeros(mechanics.dimensions().constraints(), n));
    let mut bias = vec![S::zero(); mechanics.dimensions().constraints()];
    let all = fewest(|| {
        mechanics.mass(q, &mut mass);
        mechanics.forces(S::zero(), q, v, &mut rate[..n]);
        mechanics.constraint_jacobian(S::zero(), q, v, &mut jacobian);
        mechanics.acceleration_bias(S::zero(), q, v, &mut bias);
    });
    assert_eq!(all, 0, "{name}: mechanics");
}

fn implicit<S: Scalar>(name: &str, dae: &mut dyn Dae<S>, state: &[S]) {
    let zeros = |size| vec![S::zero(); size];
    let (n, all) = (dae.differential(), dae.differential() + dae.algebraic());
    let (mut chart, mut y, mut rates, mut residual) = (zeros(dae.chart_length()), zeros(n), zeros(all), zeros(all));
    let (mut centred, mut shown) = (chart.clone(), zeros(state.len()));
    let all = fewest(|| {
        dae.locate(state, &mut chart, &mut y);
        dae.kinematic(&chart, &y, &mut rates);
        dae.consistent(S::zero(), &chart, &y, &mut rates).expect("regular");
        let at = Point { t: S::zero(), chart: &chart, y: &y, rates: &rates };
        dae.residual(at, S::from(1e-4), &mut residual).expect("it exists");
        dae.factorize(at, S::from(1e-4)).expect("regular");
        dae.solve(&mut residual);
        dae.recentre(&chart, &y, &mut centred);
        dae.transport(&chart, &centred, &mut y, &mut rates);
        dae.state(&chart, &y, &mut shown);
    });
    assert_eq!(all, 0, "{name}: implicit equations");
}

fn check(name: &str, model: &dyn Model) {
    let region = Region::new(ALLOCATOR);
    let y = Formulated::<f64>::initial_state(model);
    assert!(region.change().allocations > 0, "the allocator is not instrumented");
    equations::<f64>(name, model);
    equations::<DoubleDouble>(name, model);
    let mut values = vec![0.0; model.observables().len()];
    let mut observation = model.observation();
    assert_eq!(fewest(|| observation.observe(0.0, &y, &mut values)), 0, "{name}: observation");
}

#[test]
fn linkages_allocate_nothing() {
    let _alone = alone();
    for formulation in [LinkageFormulation::Cartesian, LinkageFormulation::Minimal] {
        check("double-pendulum", &*DoublePendulum { formulation, ..Default::default() }.model());
        check("stiff-double-pendulum", &*StiffDoublePendulum { formulation, ..Default::default() }.model());
        check("slider-crank", &*SliderCrank { formulation, point_mass: 1.0, ..Default::default() }.model());
        check("flexible-slider-crank", &*FlexibleSliderCrank { formulation, modes: 8, ..Default::default() }.model());
    }
}

#[test]
fn the_squeezer_allocates_nothing() {
    let _alone = alone();
    let momenta = SqueezerFormulation::Momenta(Rotations::Rodrigues);
    for formulation in [SqueezerFormulation::Angles, SqueezerFormulation::Cartesian, momenta] {
        check("squeezer", &*Squeezer { formulation, ..Default::default() }.model());
    }
}

#[test]
fn small_problems_allocate_nothing() {
    let _alone = alone();
    check("oscillation-in-time", &*OscillationInTime::default().model());
    check("linear-test", &*LinearTest { ramp_1: 3.0, constant_2: 4.0, ..LinearTest::default() }.model());
    check("two-bouncing-balls", &*TwoBouncingBalls::default().model());
}
