//! Half-explicit methods: orders by class, constraints, counters, conformance.

use crate::common;

use crate::common::conformance::{STEP, both_controls_keep_spans, both_controls_tell_failures, run};
use crate::common::constrained::{Cliff, Manufactured, Odd, Pendulum, Record, Watcher, distance};
use crate::common::{Circle, constrained};
use mbsbench_integrators::{Dopri5, Hedop5, Hem4};
use mbsbench_problem::{
    AccelerationLevel, AsOde, Counted, DoubleDouble, Failure, Further, Mechanics, MechanicsOf, MethodDefinition,
    Observer, Ode, Scalar, Settings, Silent, SlidingMode, SlidingModeSettings, Statistics, Step, Task,
};

/// Largest errors of positions, velocities and multipliers after 1/2 s, in double-double precision.
#[derive(Default)]
struct Errors([f64; 3]);

impl Observer<DoubleDouble> for Errors {
    fn step(&mut self, step: &mut Step<'_, DoubleDouble>) -> std::ops::ControlFlow<Failure> {
        if step.t_end > DoubleDouble::from(0.5) {
            let [q, v, _] = Manufactured::motion(step.t_end);
            let lambda = Manufactured { constrained: true }.multipliers(step.t_end);
            let Further { multipliers, .. } = step.further;
            let (found_q, found_v) = step.end.split_at(3);
            for (error, (found, exact)) in
                self.0.iter_mut().zip([(found_q, &q[..]), (found_v, &v[..]), (multipliers, &lambda[..])])
            {
                assert_eq!(found.len(), exact.len());
                found.iter().zip(exact).for_each(|(&a, &b)| *error = error.max((a - b).value().abs()));
            }
        }
        std::ops::ControlFlow::Continue(())
    }
}

fn errors(definition: &impl MethodDefinition, steps: u32) -> [f64; 3] {
    let method = definition.precise().expect("generic over the scalar");
    let [q, v, _] = Manufactured::motion(DoubleDouble::from(0.0));
    let initial = [q, v].concat();
    let settings = Settings::fixed(1.0 / f64::from(steps));
    let task = Task { t_start: 0.0.into(), t_end: 1.0.into(), initial: &initial, settings };
    let model = Manufactured { constrained: true };
    let mut ode = AccelerationLevel::<DoubleDouble>::new(MechanicsOf::new(&model));
    let mut errors = Errors::default();
    let solution = method.solve(Counted::new(&mut ode), &task, &mut errors);
    assert_eq!((solution.failure, solution.t_reached), (None, 1.0.into()));
    errors.0
}

/// Checks that the measured order lies within 0.1 of the expected one; the next term of the error's expansion at
/// these steps is smaller.
fn check_orders(definition: &impl MethodDefinition, expected: [f64; 3]) {
    let (coarse, fine) = (errors(definition, 512), errors(definition, 1024));
    let orders = [0, 1, 2].map(|class: usize| (coarse[class] / fine[class]).log2());
    let deviates = orders.iter().zip(expected).any(|(order, expected)| (order - expected).abs() > 0.1);
    assert!(!deviates, "{orders:.3?}, not {expected:?}");
}

#[test]
fn orders_of_positions_velocities_and_multipliers() {
    check_orders(&Hem4 {}, [4.0, 4.0, 2.0]);
    check_orders(&Hedop5 {}, [5.0, 5.0, 4.0]);
}

/// Errors at the end of a run with controlled steps.
fn error_at(tolerance: f64) -> f64 {
    let model = Manufactured { constrained: true };
    let (method, settings) = (Hedop5 {}.method(), Settings::tolerance(tolerance, tolerance));
    let initial = Manufactured::exact(0.0);
    let solution = constrained::solve(&model, &*method, &initial, [0.0, 2.0], settings, &mut Silent);
    assert_eq!((solution.failure, solution.t_reached), (None, 2.0));
    distance(&solution.state, &Manufactured::exact(2.0))
}

#[test]
fn errors_follow_the_tolerance() {
    let found = [1e-4, 1e-6, 1e-8, 1e-10].map(error_at);
    assert!(found.windows(2).all(|pair| pair[1] < 0.1 * pair[0]) && found[3] < 1e-8, "{found:?}");
}

/// Velocities satisfy their constraints to rounding, positions to the error of the method.
#[test]
fn velocities_satisfy_constraints_and_positions_drift() {
    for (method, bound) in [(Hem4 {}.method(), 1e-3), (Hedop5 {}.method(), 1e-4)] {
        let model = Manufactured { constrained: true };
        let mut mechanics = MechanicsOf::<_, f64>::new(&model);
        let (mut record, initial) = (Record::default(), Manufactured::exact(0.0));
        let settings = Settings::fixed(0.1);
        constrained::solve(&model, &*method, &initial, [0.0, 10.0], settings, &mut record);
        let (mut drift, mut rate) = (0.0f64, 0.0f64);
        for (&t, state) in record.times.iter().zip(&record.states) {
            let ((q, v), mut values) = (state.split_at(3), [0.0; 2]);
            mechanics.constraint_values(t, q, v, &mut values);
            drift = drift.max(distance(&values, &[0.0; 2]));
            mechanics.velocity_constraints(t, q, v, &mut values);
            rate = rate.max(distance(&values, &[0.0; 2]));
        }
        assert!(rate < 1e-13 && (1e-9..bound).contains(&drift), "{rate:e} and {drift:e}");
    }
}

/// Without constraints, only the matrix distinguishes the method from its underlying formula: the steps are the same.
#[test]
fn hedop5_is_dopri5_without_constraints() {
    let model = Manufactured { constrained: false };
    let settings = Settings::tolerance(1e-7, 1e-7);
    let [half, whole] = [Hedop5 {}.method(), Dopri5::default().method()].map(|method| {
        constrained::solve(&model, &*method, &Manufactured::exact(0.0), [0.0, 5.0], settings, &mut Silent)
    });
    let counts =
        |statistics: Statistics| (statistics.steps_accepted, statistics.steps_rejected, statistics.rhs_evaluations);
    assert_eq!(counts(half.statistics), counts(whole.statistics));
    assert!(half.statistics.steps_accepted > 20 && distance(&half.state, &whole.state) < 1e-13);
}

#[test]
fn evaluations_and_factorizations_are_counted() {
    for (method, stages, first) in [(Hem4 {}.method(), 5, 0), (Hedop5 {}.method(), 6, 1)] {
        let counted = run(&*method, [0.0, 2.0], Settings::fixed(STEP)).statistics;
        let of_each = stages * 128 + first;
        let expected = Statistics {
            steps_accepted: 128,
            rhs_evaluations: of_each,
            factorizations: of_each,
            linear_solves: of_each,
            linear_algebra_flops: counted.linear_algebra_flops,
            ..Statistics::default()
        };
        assert_eq!(counted, expected);
        assert!(method.properties().counts_flops && counted.linear_algebra_flops.is_some_and(|flops| flops > 0));
    }
}

#[test]
fn hedop5_keeps_spans_and_reports_failures() {
    let method = Hedop5 {}.method();
    both_controls_keep_spans(&*method, Watcher::default);
    both_controls_tell_failures(&*method, STEP);
}

#[test]
fn hem4_keeps_spans_and_reports_failures() {
    let method = Hem4 {}.method();
    common::conformance::spans_are_kept("hem4", &*method);
    common::conformance::is_watched("hem4", &*method);
    for limit in [0, 4, 5, 17] {
        let few = run(&*method, [0.0, 2.0], Settings { max_rhs_evaluations: limit, ..Settings::fixed(STEP) });
        let time = few.t_reached;
        assert_eq!(few.failure, Some(Failure::BudgetExhausted { time, counter: "rhs_evaluations", limit }));
        assert_eq!(few.statistics.rhs_evaluations, limit / 5 * 5, "whole steps");
    }
    let settings = Settings::fixed(STEP);
    let cliff = constrained::solve(&Cliff, &*method, &Pendulum::START, [0.0, 2.0], settings, &mut Silent);
    assert!(matches!(cliff.failure, Some(Failure::NonFinite { .. })), "{:?}", cliff.failure);
    assert!(cliff.t_reached > 1.0 - 2.0 * STEP && cliff.t_reached <= 1.0 && cliff.state.iter().all(|x| x.is_finite()));
    let redundant = constrained::solve(&Odd::Redundant, &*method, &[0.0; 4], [0.0, 1.0], settings, &mut Silent);
    assert!(matches!(redundant.failure, Some(Failure::SingularMatrix { time: 0.0, .. })));
}

/// States that an observer requests come from shorter steps and are as accurate as the others.
#[test]
fn states_inside_steps_have_the_order_of_the_method() {
    for method in [Hem4 {}.method(), Hedop5 {}.method()] {
        let middle = |h: f64| {
            let mut watcher = Watcher::default();
            let settings = Settings::fixed(h);
            constrained::solve(&Pendulum, &*method, &Pendulum::START, [0.0, 2.0], settings, &mut watcher);
            watcher.middle
        };
        let order = (middle(1.0 / 32.0) / middle(1.0 / 64.0)).log2();
        assert!(order > f64::from(method.order()) - 0.5, "order {order:.3}");
    }
}

#[test]
fn positions_on_manifolds_are_accepted() {
    for method in [Hem4 {}.method(), Hedop5 {}.method()] {
        for (model, initial) in [(Odd::MorePositions, vec![0.0; 5]), (Odd::TurnedRates, vec![0.0; 4])] {
            let settings = Settings::fixed(STEP);
            let solution = constrained::solve(&model, &*method, &initial, [0.0, 1.0], settings, &mut Silent);
            assert_eq!((solution.failure, solution.t_reached), (None, 1.0));
            let fall = solution.state[solution.state.len() - 1];
            assert!((fall + constrained::GRAVITY).abs() < 1e-12, "{fall}");
        }
    }
}

#[test]
fn unsuitable_problems_are_refused() {
    for method in [Hem4 {}.method(), Hedop5 {}.method()] {
        let refused = |ode: &mut dyn Ode, initial: &[f64], reason: &str| {
            assert!(method.suits(ode).is_err_and(|unsuitable| unsuitable.to_string().contains(reason)));
            let task = Task { t_start: 0.0, t_end: 1.0, initial, settings: Settings::fixed(STEP) };
            let solution = method.solve(Counted::new(ode), &task, &mut Silent);
            let Some(Failure::NotApplicable { reason: given }) = solution.failure else { panic!("not refused") };
            assert!(given.contains(reason), "{given}");
            assert_eq!(solution.statistics, Statistics::default());
        };
        refused(&mut AsOde(&Circle), &[1.0, 0.0], "differential equations only");
        refused(&mut AccelerationLevel::new(MechanicsOf::new(&Odd::Nonholonomic)), &[0.0; 4], "1 nonholonomic");
        let sliding = SlidingModeSettings::default();
        let mut sliding = SlidingMode::new(MechanicsOf::new(&Pendulum), sliding, 0.0, &Pendulum::START);
        refused(&mut sliding, &Pendulum::START, "differential equations only");
    }
}
