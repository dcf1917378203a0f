//! Runs that end early report the cause as data.

use mbsbench_problem::{
    Counted, Failure, Method, MethodDefinition, Ode, Properties, Settings, Silent, Solution, Status, StepControl, Task,
};
use mbsbench_sundials::{CvodeBdf, Equations, Ida, Jacobian, Kind, Options, Point, Sizes, Solver, Systems};

use crate::problems::{Oscillator, VanDerPol, methods, settings, solve, tolerance};

/// `y' = f(t, y)` in one component.
struct Scalar<F>(F);

impl<F: FnMut(f64, f64) -> Result<f64, Failure>> Ode for Scalar<F> {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        dydt[0] = (self.0)(t, y[0])?;
        Ok(())
    }
}

fn run(method: &dyn Method, ode: &mut dyn Ode, t_end: f64, settings: Settings) -> Solution {
    let initial = vec![1.0; ode.dimension()];
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    method.solve(Counted::new(ode), &task, &mut Silent)
}

#[test]
fn a_failure_of_the_problem_is_passed_on() {
    let singular = |t| Failure::SingularMatrix { time: t, matrix: "mass matrix" };
    for (name, method) in methods() {
        let mut late = Scalar(|t, y: f64| if t > 0.5 { Err(singular(0.5)) } else { Ok(-y) });
        let solution = run(&*method, &mut late, 1.0, settings(tolerance(1e-6)));
        assert_eq!(solution.failure, Some(singular(0.5)), "{name}");
        assert!(solution.t_reached > 0.0 && solution.t_reached <= 0.5, "{name}: {}", solution.t_reached);
        assert!((solution.state[0] - (-solution.t_reached).exp()).abs() < 1e-4, "{name}: the last good state");
        assert!(solution.statistics.steps_accepted > 0, "{name}");

        let mut at_once = Scalar(|t, _| Err(singular(t)));
        let solution = run(&*method, &mut at_once, 1.0, settings(tolerance(1e-6)));
        assert_eq!((solution.failure, solution.t_reached), (Some(singular(0.0)), 0.0), "{name}");
    }
}

#[test]
fn non_finite_states_ahead_end_the_run() {
    for (name, method) in methods() {
        let mut cliff = Scalar(|t, _| Ok(if t > 0.5 { f64::NAN } else { 1.0 }));
        let solution = run(&*method, &mut cliff, 1.0, settings(tolerance(1e-6)));
        let failure = solution.failure.expect("no way on");
        assert!(matches!(failure, Failure::NonFinite { .. }), "{name}: {failure}");
        assert!(solution.t_reached <= 0.5 && solution.state[0].is_finite(), "{name}");

        let mut nowhere = Scalar(|_, _| Ok(f64::NAN));
        let failure = run(&*method, &mut nowhere, 1.0, settings(tolerance(1e-6))).failure;
        assert!(matches!(failure, Some(Failure::NonFinite { .. })), "{name}: {failure:?}");
    }
}

/// A shorter step avoids states that are not numbers.
#[test]
fn a_shorter_step_avoids_non_finite_states() {
    let mut root = Scalar(|_, y: f64| Ok(-y.sqrt()));
    let control = StepControl::Tolerance { rel: 1e-6, abs: 1e-6, initial_step: Some(1.9), max_step: None };
    let solution = run(&*CvodeBdf::default().method(), &mut root, 1.9, settings(control));
    assert_eq!(solution.failure, None);
    let exact = (1.0 - 0.5 * 1.9_f64).powi(2);
    assert!((solution.state[0] - exact).abs() < 1e-4, "{}", solution.state[0]);
}

/// `y' = y²` is infinite at `t = 1`.
#[test]
fn a_pole_ends_the_run() {
    for (name, method) in methods() {
        let mut pole = Scalar(|_, y: f64| Ok(y * y));
        let mut settings = settings(tolerance(1e-6));
        settings.max_steps = 100_000;
        let solution = run(&*method, &mut pole, 2.0, settings);
        assert!(solution.failure.is_some(), "{name}");
        assert!((solution.t_reached - 1.0).abs() < 1e-3, "{name}: {}", solution.t_reached);
    }
}

/// The library says what is wrong with the tolerances, under its own name for it.
#[test]
fn flag_and_message_of_the_library_are_kept() {
    let control = StepControl::Tolerance { rel: 1e-18, abs: 1e-18, initial_step: None, max_step: None };
    for (method, flag) in
        [(CvodeBdf::default().method(), "CV_TOO_MUCH_ACC"), (Ida::default().method(), "IDA_TOO_MUCH_ACC")]
    {
        let failure = solve(&*method, &Oscillator, &[1.0, 1.0], 1.0, control, &mut Silent).failure.expect("too small");
        let Failure::SolverFailed { time, flag: found, reason } = &failure else { panic!("{failure:?}") };
        assert_eq!((*time, found.as_str()), (0.0, flag));
        assert!(reason.contains("too much accuracy"), "{reason}");
        assert_eq!(failure.status(), Status::SolverFailed);
    }
    let refused = Options {
        kind: Kind::CvodeBdf,
        max_order: 6,
        systems: Systems::Differences,
        tested: &[true],
        rel: 1e-6,
        abs: &[1e-6],
        initial_step: None,
        max_step: None,
        t_stop: 1.0,
    };
    let failure = Solver::new(Still, 0.0, (&[1.0], &[]), &refused).err();
    assert!(matches!(failure, Some(Failure::SolverFailed { ref flag, .. }) if flag == "CV_ILL_INPUT"), "{failure:?}");
}

/// `y' = 0`.
struct Still;

impl Equations for Still {
    fn dimension(&self) -> usize {
        1
    }
    fn evaluate(&mut self, _at: Point<'_>, rate: &mut [f64]) -> Result<(), Failure> {
        rate[0] = 0.0;
        Ok(())
    }
    fn jacobian(&mut self, _at: Point<'_>, _rate: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        jacobian[0] = 0.0;
        Ok(())
    }
}

/// After a jump, and with a rate that changes at each evaluation: the library's message comes with a possible remedy.
#[test]
fn library_failures_suggest_a_remedy() {
    for (flips, flag, remedy) in [(false, "IDA_ERR_FAIL", "a larger tolerance"), (true, "IDA_CONV_FAIL", "`max_step`")]
    {
        let mut sign = 1.0;
        let mut harsh = Scalar(|t, _| {
            if flips {
                sign = -sign;
            }
            Ok(if t > 0.1 { sign * 1e8 } else { 0.0 })
        });
        let failure = run(&*Ida::default().method(), &mut harsh, 1.0, settings(tolerance(1e-6))).failure;
        let Some(Failure::SolverFailed { flag: found, reason, .. }) = failure else { panic!("{failure:?}") };
        assert_eq!(found, flag);
        assert!(reason.contains("failed repeatedly") && reason.contains(remedy), "{reason}");
    }
}

/// The library's messages in these tests appear in their failures and not on the terminal.
#[test]
fn the_library_prints_nothing() {
    for test in [
        "failures::flag_and_message_of_the_library_are_kept",
        "failures::non_finite_states_ahead_end_the_run",
        "events::a_function_that_stays_zero_is_not_an_event",
    ] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture", "--test-threads", "1"])
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && out.contains("1 passed"), "{test}: {out}");
        assert_eq!(err, "", "{test}");
        // The only output is a few lines of the test harness.
        assert!(out.lines().filter(|line| !line.is_empty()).count() <= 3, "{test}: {out}");
    }
}

#[test]
fn a_budget_of_steps_is_kept() {
    for (name, method) in methods() {
        let settings = Settings { max_steps: 20, ..settings(tolerance(1e-8)) };
        let task = Task { t_start: 0.0, t_end: 100.0, initial: &[2.0, 0.0], settings };
        let solution = method.solve(Counted::new(&mut mbsbench_problem::AsOde(&VanDerPol(5.0))), &task, &mut Silent);
        let failure = solution.failure.expect("twenty steps are too few");
        assert!(matches!(failure, Failure::BudgetExhausted { limit: 20, .. }), "{name}: {failure}");
        assert_eq!(failure.time(), Some(solution.t_reached), "{name}");
        let made = solution.statistics.steps_accepted + solution.statistics.steps_rejected;
        // The library itself repeats a rejected step.
        assert!((20..30).contains(&made), "{name}: {made}");
    }
}

#[test]
fn a_budget_of_evaluations_is_kept_to_the_last_one() {
    for jacobian in [Jacobian::Exact, Jacobian::FiniteDifference, Jacobian::Internal] {
        let methods =
            [CvodeBdf { jacobian, ..CvodeBdf::default() }.method(), Ida { jacobian, ..Ida::default() }.method()];
        for (method, limit) in methods.iter().flat_map(|method| (1..60).map(move |limit| (method, limit))) {
            let settings = Settings { max_rhs_evaluations: limit, ..settings(tolerance(1e-8)) };
            let task = Task { t_start: 0.0, t_end: 100.0, initial: &[2.0, 0.0], settings };
            let mut ode = mbsbench_problem::AsOde(&VanDerPol(5.0));
            let solution = method.solve(Counted::new(&mut ode), &task, &mut Silent);
            let failure = solution.failure.expect("too few");
            assert!(matches!(failure, Failure::BudgetExhausted { counter: "rhs_evaluations", .. }), "{failure}");
            assert_eq!(failure.time(), Some(solution.t_reached));
            let statistics = solution.statistics;
            assert_eq!(statistics.rhs_evaluations + statistics.jacobian_rhs_evaluations, limit, "{jacobian:?}");
        }
    }
}

#[test]
fn unsolvable_problems_are_not_applicable() {
    struct Locked;
    impl Ode for Locked {
        fn dimension(&self) -> usize {
            1
        }
        fn properties(&self) -> Properties<'_> {
            Properties { locks: true, ..Properties::default() }
        }
        fn rhs(&mut self, _t: f64, _y: &[f64], _dydt: &mut [f64]) -> Result<(), Failure> {
            panic!("it is not to be solved")
        }
    }
    let not_applicable = |failure| matches!(failure, Some(Failure::NotApplicable { .. }));
    for (name, method) in methods() {
        assert!(method.suits(&mut Locked).is_err(), "{name}");
        assert!(not_applicable(run(&*method, &mut Locked, 1.0, settings(tolerance(1e-6))).failure), "{name}");
        let fixed = StepControl::Fixed { step: 0.1 };
        assert!(not_applicable(solve(&*method, &Oscillator, &[1.0, 0.0], 1.0, fixed, &mut Silent).failure), "{name}");
        assert!(
            not_applicable(solve(&*method, &Oscillator, &[1.0], 1.0, tolerance(1e-6), &mut Silent).failure),
            "{name}"
        );
    }
    let bdf = CvodeBdf { typical: Sizes::Components(vec![1.0; 5]), ..CvodeBdf::default() }.method();
    assert!(not_applicable(solve(&*bdf, &Oscillator, &[1.0, 0.0], 1.0, tolerance(1e-6), &mut Silent).failure));
}

/// `M y' = f` with a mass matrix that the methods do not support.
struct Weighted(nalgebra::DMatrix<f64>);

impl Ode for Weighted {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&mut self, _t: f64, _y: &[f64], _dydt: &mut [f64]) -> Result<(), Failure> {
        panic!("it is not to be solved")
    }
    fn properties(&self) -> Properties<'_> {
        Properties { mass: Some(&self.0), ..Properties::default() }
    }
}

#[test]
fn cvode_refuses_equations_with_a_mass_matrix() {
    for (name, method) in methods().into_iter().filter(|(name, _)| *name != "ida") {
        let mut weighted = Weighted(nalgebra::DMatrix::identity(2, 2));
        assert!(method.suits(&mut weighted).is_err(), "{name}");
        let failure = run(&*method, &mut weighted, 1.0, settings(tolerance(1e-6))).failure;
        assert!(matches!(failure, Some(Failure::NotApplicable { .. })), "{name}: {failure:?}");
    }
}
