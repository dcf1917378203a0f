//! Sources of Jacobians, their costs, and the effect of component sizes.

use mbsbench_problem::{AsOde, Counted, Failure, MethodDefinition, Ode, OdeModel, Silent, Solution, StepControl, Task};
use mbsbench_sundials::{CvodeAdams, CvodeBdf, Ida, Iteration, Jacobian, Sizes};

use crate::problems::{Oscillator, Robertson, VanDerPol, distance, settings, solve, tolerance};

const SOURCES: [Jacobian; 3] = [Jacobian::Exact, Jacobian::FiniteDifference, Jacobian::Internal];

fn all_with(jacobian: Jacobian) -> [Box<dyn mbsbench_problem::Method>; 3] {
    [
        CvodeBdf { jacobian, ..CvodeBdf::default() }.method(),
        CvodeAdams { jacobian, iteration: Iteration::Newton, ..CvodeAdams::default() }.method(),
        Ida { jacobian, ..Ida::default() }.method(),
    ]
}

/// Newton's method converges to the same solution with each source; different counts show that each source is used.
#[test]
fn all_sources_lead_to_the_same_solution() {
    let tol = 1e-8;
    for kind in 0..3 {
        let run = |jacobian| -> Solution {
            let method = &all_with(jacobian)[kind];
            solve(&**method, &VanDerPol(5.0), &[2.0, 0.0], 10.0, tolerance(tol), &mut Silent)
        };
        let [exact, differences, internal] = SOURCES.map(run);
        for other in [&differences, &internal] {
            let multiple = distance(&exact.state, &other.state) / tol;
            assert!(multiple < 300.0, "{kind}: {multiple}");
            assert_ne!(exact.state, other.state, "{kind}: not the same matrix to the last bit");
        }
        assert_ne!(differences.state, internal.state, "{kind}: other increments");
    }
}

#[test]
fn evaluations_for_jacobians_are_counted_separately() {
    for kind in 0..3 {
        for jacobian in SOURCES {
            let method = &all_with(jacobian)[kind];
            let start = Robertson::START;
            let statistics = solve(&**method, &Robertson, &start, 4.0, tolerance(1e-6), &mut Silent).statistics;
            let columns = if jacobian == Jacobian::Exact { 0 } else { 3 };
            assert!(statistics.jacobian_evaluations > 0);
            assert_eq!(statistics.jacobian_rhs_evaluations, columns * statistics.jacobian_evaluations, "{kind}");
            // One evaluation for each iteration, at most one for the start of each step, and a few for the first step.
            let rest = statistics.rhs_evaluations.checked_sub(statistics.newton_iterations);
            assert!(rest.is_some_and(|rest| rest < 10), "{kind}, {jacobian:?}: {statistics:?}");
            assert!(statistics.factorizations >= statistics.jacobian_evaluations);
            assert_eq!(statistics.linear_solves, statistics.newton_iterations);
        }
    }
}

#[test]
fn functional_iteration_has_no_jacobian() {
    let method = CvodeAdams::default().method();
    let statistics = solve(&*method, &Oscillator, &[1.0, 0.0], 4.0, tolerance(1e-6), &mut Silent).statistics;
    assert!(statistics.rhs_evaluations > statistics.steps_accepted);
    let newton = [statistics.jacobian_evaluations, statistics.factorizations, statistics.newton_iterations];
    assert_eq!((newton, statistics.jacobian_rhs_evaluations), ([0; 3], 0));
}

/// Keeps the states at which it is evaluated.
struct Spy {
    states: Vec<[f64; 2]>,
}

impl Ode for Spy {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        self.states.push([y[0], y[1]]);
        Oscillator.rhs(t, y, dydt);
        Ok(())
    }
}

#[test]
fn increments_scale_with_the_larger_magnitude() {
    let typical = [100.0, 1e-9];
    for increment in [1e-7, 1e-5] {
        let bdf = CvodeBdf {
            jacobian: Jacobian::FiniteDifference,
            increment,
            typical: Sizes::Components(typical.to_vec()),
            ..CvodeBdf::default()
        };
        let mut spy = Spy { states: Vec::new() };
        let initial = [1.0, 0.5];
        let task = Task { t_start: 0.0, t_end: 1.0, initial: &initial, settings: settings(tolerance(1e-6)) };
        let statistics = bdf.method().solve(Counted::new(&mut spy), &task, &mut Silent).statistics;
        let moves = spy.states.windows(3).filter_map(|window| {
            // Two columns follow the state itself; the states of two successive columns differ in both components.
            let (first, second) = (window[1], window[2]);
            let [a, b] = [first[0] - second[0], second[1] - first[1]];
            let expected =
                [typical[0].max(second[0].abs()), typical[1].max(first[1].abs())].map(|size| increment * size);
            let rounding = 2.0 * f64::EPSILON;
            ((a - expected[0]).abs() <= rounding && (b - expected[1]).abs() <= rounding).then_some(())
        });
        assert_eq!(moves.count() as u64, statistics.jacobian_evaluations);
        assert!(statistics.jacobian_evaluations > 0);
    }
}

fn run(bdf: &CvodeBdf, rel: f64, abs: f64) -> Solution {
    let control = StepControl::Tolerance { rel, abs, initial_step: None, max_step: None };
    solve(&*bdf.method(), &Oscillator, &[1.0, 0.0], 5.0, control, &mut Silent)
}

#[test]
fn absolute_tolerance_is_scaled_component_by_component() {
    let scaled = |absolute_scale| CvodeBdf { absolute_scale, ..CvodeBdf::default() };
    let plain = run(&scaled(Sizes::Uniform), 1e-6, 1e-6);
    let by_pattern = run(&scaled(Sizes::Components(vec![4.0])), 1e-6, 0.25e-6);
    assert_eq!((plain.state, plain.statistics), (by_pattern.state, by_pattern.statistics));
    let stated = run(&scaled(Sizes::Problem), 1e-6, 1e-6);
    let written = run(&scaled(Sizes::Components(vec![100.0, 0.01])), 1e-6, 1e-6);
    assert_eq!((&stated.state, stated.statistics), (&written.state, written.statistics));
    assert_ne!(stated.state, run(&CvodeBdf::default(), 1e-6, 1e-6).state);
}

#[test]
fn mismatched_sizes_do_not_panic() {
    let bdf = CvodeBdf { absolute_scale: Sizes::Components(vec![1.0; 3]), ..CvodeBdf::default() };
    let failure = run(&bdf, 1e-6, 1e-6).failure;
    assert!(matches!(failure, Some(Failure::NotApplicable { ref reason }) if reason.contains('3')), "{failure:?}");
}

#[test]
fn exact_jacobians_are_requested_only_if_available() {
    let exact = CvodeBdf { jacobian: Jacobian::Exact, ..CvodeBdf::default() }.method();
    assert!(exact.suits(&mut AsOde(&Oscillator)).is_ok());
    let mut spy = Spy { states: Vec::new() };
    assert!(exact.suits(&mut spy).is_err());
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &[1.0, 0.0], settings: settings(tolerance(1e-6)) };
    let failure = exact.solve(Counted::new(&mut spy), &task, &mut Silent).failure;
    assert!(matches!(failure, Some(Failure::NotApplicable { .. })), "{failure:?}");
    assert!(spy.states.is_empty());
    // The problem is not asked for a Jacobian without Newton's method.
    let adams = CvodeAdams { jacobian: Jacobian::Exact, ..CvodeAdams::default() }.method();
    assert!(adams.suits(&mut spy).is_ok());
}

#[test]
fn an_exact_jacobian_costs_as_much_as_differences() {
    let cost = |jacobian| {
        let bdf = CvodeBdf { jacobian, ..CvodeBdf::default() };
        let statistics = run(&bdf, 1e-6, 1e-6).statistics;
        assert!(statistics.jacobian_evaluations > 0);
        [statistics.jacobian_columns, statistics.jacobian_rhs_evaluations]
            .map(|count| count as f64 / statistics.jacobian_evaluations as f64)
    };
    assert_eq!(cost(Jacobian::Exact), [2.0, 0.0]);
    assert_eq!(cost(Jacobian::FiniteDifference), [0.0, 2.0]);
}
