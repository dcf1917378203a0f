//! No heap allocation inside a step, and no memory that grows with the number of steps.

mod common;

use std::alloc::System;

use common::discontinuous::{Balls, PAIRS};
use common::{Cubic, constrained, contacts, solve};
use mbsbench_integrators::contact_power::Inner;
use mbsbench_integrators::dode::PairName;
use mbsbench_integrators::implicit::Start;
use mbsbench_integrators::low_order::{LinearAlgebra, MassAt, PairAlgebra};
use mbsbench_integrators::{
    Bliedf, Bs32, ContactPower, Dode, Dop853, Dop853Projected, Dopri5, Esdirk436l2sa2, Gbs, GeneralizedAlpha,
    GeneralizedAlphaI2, GeneralizedAlphaSi2, HalfImplicitEuler, Hedop5, Hem4, HhtAdd, HhtI3, HhtSi2,
    LieGeneralizedAlpha, Llm, Lms2, Lms4, Mebdf, Msstc4, Mssth5, Newmark, Nstiff, NstiffSi2, Ode15s, Ode23s, Ode45,
    Radau5, Rattle, Rk3, Rk4, Rk5, Rk8, Shake, Ss4, Trapezoidal,
};
use mbsbench_problem::{
    AsEventOde, AsOde, Counted, MethodDefinition, OdeModel, Scalar, Settings, Silent, Statistics, Task,
};
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
    // The test harness occasionally allocates in another thread, which can only add.
    let count = |settings, t_end| (0..5).map(|_| once(settings, t_end)).min().expect("five counts");
    let (short, few) = count(Settings::fixed(0.01), 1.0);
    let (long, many) = count(Settings::fixed(0.01), 100.0);
    assert_eq!((few, many), (100, 10_000));
    assert!(short.0 > 0, "the allocator is not instrumented");
    assert_eq!(short, long, "{} with constant steps", D::NAME);
    if method.properties().adapts {
        let (short, few) = count(Settings::tolerance(1e-8, 1e-8), 1.0);
        let (long, many) = count(Settings::tolerance(1e-8, 1e-8), 1000.0);
        assert!(many > 50 * few, "{}: {few} and {many} steps", D::NAME);
        assert_eq!(short, long, "{} with controlled steps", D::NAME);
    }
}

/// Checks runs with events: balls that bounce without loss.
fn check_events(pair: PairName) {
    let balls = Balls { count: 3, stiffness: 1e4, damping: 0.0 };
    let method = Dode { pair, ..Dode::default() }.method();
    let once = |t_end: f64| {
        let mut ode = AsEventOde::new(&balls);
        let initial = [1.0, 1.0 + 1e-9, 0.5, 0.0, 0.0, 0.0];
        let task = Task { t_start: 0.0, t_end, initial: &initial, settings: Settings::tolerance(1e-4, 1e-4) };
        let region = Region::new(ALLOCATOR);
        let solution = method.solve(Counted::new(&mut ode), &task, &mut Silent);
        let change = region.change();
        assert_eq!(solution.failure, None);
        ((change.allocations + change.reallocations, change.bytes_allocated), solution.statistics.events)
    };
    let count = |t_end| (0..5).map(|_| once(t_end)).min().expect("five counts");
    let (short, few) = count(1.0);
    let (long, many) = count(30.0);
    assert!(few >= 6 && many > 15 * few, "{few} and {many} events");
    assert_eq!(short, long, "{pair:?} with events");
}

/// Checks constrained mechanics.
fn check_mechanics<D: MethodDefinition>(definition: &D) {
    let method = definition.method();
    let once = |steps: u32| {
        let (model, h) = (constrained::Manufactured { constrained: true }, 2f64.powi(-9));
        let initial = constrained::Manufactured::exact(0.0);
        let region = Region::new(ALLOCATOR);
        let span = [0.0, f64::from(steps) * h];
        let solution = constrained::solve(&model, &*method, &initial, span, Settings::fixed(h), &mut Silent);
        let change = region.change();
        assert_eq!((solution.failure, solution.statistics.steps_accepted), (None, u64::from(steps)));
        (change.allocations + change.reallocations, change.bytes_allocated)
    };
    let count = |steps| (0..5).map(|_| once(steps)).min().expect("five counts");
    assert_eq!(count(2), count(1000), "{}", D::NAME);
}

/// Checks a pendulum, whose masses are constant.
fn check_pendulum<D: MethodDefinition>(definition: &D) {
    let method = definition.method();
    let once = |steps: u32| {
        let region = Region::new(ALLOCATOR);
        let (span, settings) = ([0.0, f64::from(steps) / 512.0], Settings::fixed(1.0 / 512.0));
        let (model, initial) = (constrained::Pendulum, constrained::Pendulum::START);
        let solution = constrained::solve(&model, &*method, &initial, span, settings, &mut Silent);
        let change = region.change();
        assert_eq!((solution.failure, solution.statistics.steps_accepted), (None, u64::from(steps)));
        (change.allocations + change.reallocations, change.bytes_allocated)
    };
    let count = |steps| (0..5).map(|_| once(steps)).min().expect("five counts");
    assert_eq!(count(2), count(1000), "{}", D::NAME);
}

/// Checks constrained mechanics with controlled steps, some of them rejected.
fn check_controlled_mechanics<D: MethodDefinition>(definition: &D) {
    let method = definition.method();
    let once = |t_end: f64| {
        let (model, initial) = (constrained::Manufactured { constrained: true }, constrained::Manufactured::exact(0.0));
        let settings = Settings::tolerance(1e-6, 1e-6);
        let region = Region::new(ALLOCATOR);
        let solution = constrained::solve(&model, &*method, &initial, [0.0, t_end], settings, &mut Silent);
        let change = region.change();
        assert_eq!(solution.failure, None);
        let Statistics { steps_accepted, steps_rejected, .. } = solution.statistics;
        ((change.allocations + change.reallocations, change.bytes_allocated), steps_accepted, steps_rejected)
    };
    let count = |t_end| (0..5).map(|_| once(t_end)).min().expect("five counts");
    let ((short, few, _), (long, many, rejected)) = (count(0.01), count(20.0));
    assert!(many > 50 * few && rejected > 0, "{}: {few} and {many} steps, {rejected} rejected", D::NAME);
    assert_eq!(short, long, "{} with controlled steps", D::NAME);
}

/// Checks the implicit formulas, on constrained mechanics and on differential equations.
fn check_implicit() {
    check_mechanics(&Trapezoidal::default());
    check_mechanics(&Lms2::default());
    check_mechanics(&Lms4 { start: Start::Ladder, ..Lms4::default() });
    check_mechanics(&Ss4::default());
    check_mechanics(&Msstc4::default());
    check_mechanics(&Mssth5::default());
    check_mechanics(&Esdirk436l2sa2::default());
    check::<Lms4>();
    check::<Ss4>();
    check::<Esdirk436l2sa2>();
}

/// Checks a method without constant steps, or one of low order that needs too many steps for the tolerance above.
fn check_controlled<D: MethodDefinition>() {
    let method = D::default().method();
    let once = |t_end: f64| {
        let region = Region::new(ALLOCATOR);
        let solution = solve(&Cubic, &*method, t_end, Settings::tolerance(0.0, 1e-4));
        let change = region.change();
        assert_eq!(solution.failure, None);
        ((change.allocations + change.reallocations, change.bytes_allocated), solution.statistics.steps_accepted)
    };
    let count = |t_end| (0..5).map(|_| once(t_end)).min().expect("five counts");
    let ((short, few), (long, many)) = (count(0.2), count(200.0));
    assert!(many > 50 * few, "{}: {few} and {many} steps", D::NAME);
    assert_eq!(short, long, "{} with controlled steps", D::NAME);
}

/// Checks steps chosen by contact power: a ball that bounces, with and without a force that jumps.
fn check_contact_power() {
    for (dashpot, inner) in [(0.0, Inner::StormerVerlet), (2000.0, Inner::SemiExplicit)] {
        let ball = contacts::Ball { dashpot, ..contacts::Ball::ELASTIC };
        let method = ContactPower { inner, ..ContactPower::default() }.method();
        let once = |t_end: f64, settings: Settings| {
            let region = Region::new(ALLOCATOR);
            let solution = contacts::solve(&ball, &*method, &[1.0, 0.0], [0.0, t_end], settings, &mut Silent);
            let change = region.change();
            assert_eq!(solution.failure, None);
            ((change.allocations + change.reallocations, change.bytes_allocated), solution.statistics.steps_accepted)
        };
        for (settings, spans) in [(Settings::tolerance(0.0, 1.0), [0.1, 2.0]), (Settings::fixed(1e-4), [1e-3, 1.0])] {
            let [(short, few), (long, many)] =
                spans.map(|t_end| (0..5).map(|_| once(t_end, settings)).min().expect("five counts"));
            assert!(many > 50 * few, "{few} and {many} steps");
            assert_eq!(short, long, "contact-power, {inner:?}, {settings:?}");
        }
    }
}

/// Oscillators in a ring, with enough states for matrices that are factorized by panels.
struct Ring;

impl Ring {
    const STATES: usize = 120;
}

impl OdeModel for Ring {
    fn dimension(&self) -> usize {
        Self::STATES
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let (q, v) = y.split_at(Self::STATES / 2);
        let (q_rate, v_rate) = dydt.split_at_mut(q.len());
        q_rate.copy_from_slice(v);
        for (k, rate) in v_rate.iter_mut().enumerate() {
            *rate = q[(k + 1) % q.len()] - q[k] * 3.0 - q[k] * q[k];
        }
    }
}

/// Checks large matrices.
fn check_large<D: MethodDefinition>() {
    let method = D::default().method();
    let once = |steps: u32| {
        let initial: Vec<f64> = (0..Ring::STATES).map(|k| 0.1 * (k as f64).sin()).collect();
        let settings = Settings::tolerance(1e-3, 1e-3);
        let task = Task { t_start: 0.0, t_end: 0.5 * f64::from(steps), initial: &initial, settings };
        let region = Region::new(ALLOCATOR);
        let solution = method.solve(Counted::new(&mut AsOde(&Ring)), &task, &mut Silent);
        let change = region.change();
        assert_eq!(solution.failure, None);
        let kept = change.bytes_allocated as isize - change.bytes_deallocated as isize;
        (kept + change.bytes_reallocated, solution.statistics.steps_accepted)
    };
    let count = |steps| (0..3).map(|_| once(steps)).min().expect("three counts");
    let ((short, few), (long, many)) = (count(1), count(30));
    assert!(many > 10 * few, "{}: {few} and {many} steps", D::NAME);
    assert_eq!(short, long, "{} with {} states", D::NAME, Ring::STATES);
}

/// One test for all methods, because the counters belong to the process.
#[test]
fn allocations_do_not_depend_on_the_number_of_steps() {
    check::<Rk3>();
    check::<Bs32>();
    check::<Rk4>();
    check::<Rk5>();
    check::<Dopri5>();
    check::<Ode45>();
    check::<Rk8>();
    check::<Dop853>();
    check::<Gbs>();
    check::<Dode>();
    check_controlled::<Llm>();
    check_controlled::<Ode23s>();
    check_controlled::<Ode15s>();
    check_controlled::<Mebdf>();
    check_controlled_mechanics(&Mebdf::default());
    check_controlled::<Radau5>();
    check_mechanics(&Radau5::default());
    check_mechanics(&Dop853Projected::default());
    check_mechanics(&Hem4::default());
    check_mechanics(&Hedop5::default());
    check_controlled_mechanics(&Hedop5::default());
    check_mechanics(&Rattle::default());
    check_pendulum(&Rattle::default());
    check_pendulum(&Shake::default());
    check_mechanics(&LieGeneralizedAlpha::default());
    check_mechanics(&Bliedf::default());
    check_mechanics(&HalfImplicitEuler::default());
    check_mechanics(&GeneralizedAlphaI2::default());
    check_mechanics(&GeneralizedAlpha::default());
    check_mechanics(&Llm::default());
    check_mechanics(&Ode23s::default());
    check_mechanics(&Newmark::default());
    check_mechanics(&HhtI3::default());
    check_mechanics(&HhtI3 { mass: MassAt::Shifted, ..HhtI3::default() });
    check_controlled_mechanics(&HhtI3 { mass: MassAt::Shifted, ..HhtI3::default() });
    check_controlled_mechanics(&GeneralizedAlpha::default());
    check_mechanics(&Nstiff::default());
    for linear_algebra in [PairAlgebra::Shared, PairAlgebra::Structured, PairAlgebra::Dense] {
        check_mechanics(&HhtSi2 { linear_algebra, ..HhtSi2::default() });
        check_mechanics(&HhtAdd { linear_algebra, ..HhtAdd::default() });
    }
    for linear_algebra in [LinearAlgebra::Structured, LinearAlgebra::Dense] {
        check_mechanics(&NstiffSi2 { linear_algebra, ..NstiffSi2::default() });
        check_mechanics(&GeneralizedAlphaSi2 { linear_algebra, ..GeneralizedAlphaSi2::default() });
    }
    check_large::<Llm>();
    check_large::<Ode23s>();
    check_large::<Ode15s>();
    check_implicit();
    check_contact_power();
    for pair in PAIRS.map(|(pair, _)| pair).into_iter().chain([PairName::Sdirk4]) {
        check_events(pair);
    }
}
