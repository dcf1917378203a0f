//! Comparisons with known solutions and with other kinds of methods.

use mbsbench_integrators::{Dop853, Dopri5, Ode15s};
use mbsbench_models::Pendulum;
use mbsbench_problem::{
    Counted, Failure, Formulated, Formulation, Method, MethodDefinition, ModelDefinition, Settings, Silent, Solution,
    StepControl, Task,
};
use mbsbench_sundials::{CvodeBdf, Equations, Form, Ida, Jacobian, Kind, Options, Point, Sizes, Solver, Systems};

use crate::problems::{Oscillator, Robertson, VanDerPol, distance, methods, solve, tolerance};

/// Errors of local steps accumulate, so that the global error is a multiple of the tolerance. The multiple stays about
/// the same over six decades. Measured: 2 to 300.
#[test]
fn oscillator_to_a_multiple_of_its_tolerance() {
    let t_end = 10.0_f64;
    for (name, method) in methods() {
        for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
            let solution = solve(&*method, &Oscillator, &[1.0, 0.0], t_end, tolerance(tol), &mut Silent);
            assert_eq!((solution.failure, solution.t_reached), (None, t_end), "{name}");
            let multiple = distance(&solution.state, &[t_end.cos(), -t_end.sin()]) / tol;
            assert!((0.5..500.0).contains(&multiple), "{name} at {tol:e}: {multiple}");
        }
    }
}

/// Measured: 6 to 140 times the tolerance.
#[test]
fn van_der_pol_agrees_with_an_explicit_method() {
    let (model, start) = (VanDerPol(5.0), [2.0, 0.0]);
    let reference = solve(&*Dop853::default().method(), &model, &start, 20.0, tolerance(1e-13), &mut Silent);
    for (name, method) in methods() {
        for tol in [1e-5, 1e-7, 1e-9] {
            let solution = solve(&*method, &model, &start, 20.0, tolerance(tol), &mut Silent);
            assert_eq!(solution.failure, None, "{name}");
            let multiple = distance(&solution.state, &reference.state) / tol;
            assert!(multiple < 300.0, "{name} at {tol:e}: {multiple}");
        }
    }
}

/// Stiff by a factor of 10⁶: hundreds of steps are enough, where an explicit method would need about 10⁶.
#[test]
fn stiff_van_der_pol_takes_long_steps() {
    let model = VanDerPol(1e3);
    for method in [CvodeBdf::default().method(), Ida::default().method()] {
        let solution = solve(&*method, &model, &[2.0, 0.0], 2000.0, tolerance(1e-6), &mut Silent);
        assert_eq!(solution.failure, None);
        let steps = solution.statistics.steps_accepted;
        assert!((200..3000).contains(&steps), "{steps}");
    }
}

/// The second component is small; its absolute tolerance is scaled by its size. Measured relative errors: 0.5 to 25
/// times the tolerance.
#[test]
fn robertson() {
    let (jacobian, absolute_scale) = (Jacobian::Exact, Sizes::Components(vec![1.0, 1e-5, 1.0]));
    let methods = [
        CvodeBdf { absolute_scale: absolute_scale.clone(), jacobian, ..CvodeBdf::default() }.method(),
        Ida { absolute_scale, jacobian, ..Ida::default() }.method(),
    ];
    for method in methods {
        for tol in [1e-6, 1e-8, 1e-10] {
            let solution = solve(&*method, &Robertson, &Robertson::START, 40.0, tolerance(tol), &mut Silent);
            assert_eq!(solution.failure, None);
            for (computed, exact) in solution.state.iter().zip(Robertson::AT_40) {
                let multiple = (computed / exact - 1.0).abs() / tol;
                assert!(multiple < 50.0, "{tol:e}: {multiple}");
            }
        }
    }
}

/// Compares the project's own stiff code, of the same family, with the library's at a tolerance a hundred times
/// smaller.
#[test]
fn ode15s_agrees_with_the_library_on_robertson() {
    let cvode = CvodeBdf { absolute_scale: Sizes::Components(vec![1.0, 1e-5, 1.0]), ..CvodeBdf::default() };
    let reference = solve(&*cvode.method(), &Robertson, &Robertson::START, 40.0, tolerance(1e-11), &mut Silent);
    for tol in [1e-5, 1e-7, 1e-9] {
        let control = StepControl::Tolerance { rel: tol, abs: 1e-5 * tol, initial_step: None, max_step: None };
        let solution = solve(&*Ode15s::default().method(), &Robertson, &Robertson::START, 40.0, control, &mut Silent);
        assert_eq!(solution.failure, None);
        for (own, theirs) in solution.state.iter().zip(&reference.state) {
            let multiple = (own / theirs - 1.0).abs() / tol;
            assert!(multiple < 50.0, "{tol:e}: {multiple}");
        }
    }
}

/// Robertson's problem with the conservation of mass in place of its third equation: index 1.
struct ConservedRobertson;

impl Equations for ConservedRobertson {
    fn dimension(&self) -> usize {
        3
    }
    fn evaluate(&mut self, Point { y, rate, .. }: Point<'_>, residual: &mut [f64]) -> Result<(), Failure> {
        residual[0] = rate[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
        residual[1] = rate[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
        residual[2] = y[0] + y[1] + y[2] - 1.0;
        Ok(())
    }
    fn jacobian(&mut self, at: Point<'_>, _residual: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        let Point { y, factor: c_j, .. } = at;
        let first = [c_j + 0.04, -0.04, 1.0];
        let second = [-1e4 * y[2], c_j + 1e4 * y[2] + 6e7 * y[1], 1.0];
        let third = [-1e4 * y[1], 1e4 * y[1], 1.0];
        jacobian.copy_from_slice([first, second, third].as_flattened());
        Ok(())
    }
}

#[test]
fn robertson_agrees_as_algebraic_and_differential_equation() {
    let tol = 1e-9;
    let absolute_scale = Sizes::Components(vec![1.0, 1e-5, 1.0]);
    let bdf = CvodeBdf { absolute_scale, ..CvodeBdf::default() }.method();
    let ordinary = solve(&*bdf, &Robertson, &Robertson::START, 40.0, tolerance(tol), &mut Silent);
    for systems in [Systems::Dense, Systems::Differences] {
        let options = Options {
            kind: Kind::Ida(Form::Index1),
            max_order: 5,
            systems,
            tested: &[true; 3],
            rel: tol,
            abs: &[tol, 1e-5 * tol, tol],
            initial_step: None,
            max_step: None,
            t_stop: 40.0,
        };
        let rate = [-0.04, 0.04, 0.0];
        let mut solver = Solver::new(ConservedRobertson, 0.0, (&Robertson::START, &rate), &options).unwrap();
        while solver.step().unwrap().t < 40.0 {}
        let y = solver.state();
        let conserved = (y[0] + y[1] + y[2] - 1.0).abs();
        assert!(conserved < tol, "the algebraic equation holds as far as Newton's method is converged: {conserved:e}");
        // Each solution is within 25 tolerances of the exact one.
        for i in 0..3 {
            let multiple = (y[i] / ordinary.state[i] - 1.0).abs() / tol;
            assert!(multiple < 50.0, "component {i}: {multiple}");
        }
        let counters = solver.counters();
        let columns = if systems == Systems::Dense { 0 } else { 3 };
        assert_eq!(counters.jacobian_rhs_evaluations, columns * counters.jacobian_evaluations);
    }
}

/// A rod whose end is held by two constraints, at acceleration level.
#[test]
fn implicit_and_explicit_methods_agree_on_the_pendulum() {
    let model = Pendulum { formulation: Formulation::AccelerationLevel, ..Pendulum::default() }.model();
    let run = |method: &dyn Method, tol: f64| -> Solution {
        let initial = Formulated::<f64>::initial_state(&*model);
        let task = Task { t_start: 0.0, t_end: 2.0, initial: &initial, settings: Settings::tolerance(tol, tol) };
        method.solve(Counted::new(Formulated::<f64>::ode(&*model).as_mut()), &task, &mut Silent)
    };
    let reference = run(&*Dopri5::default().method(), 1e-13);
    let exact = CvodeBdf { jacobian: Jacobian::Exact, ..CvodeBdf::default() };
    let others = [("cvode-bdf with exact Jacobian", exact.method()), ("ode15s", Ode15s::default().method())];
    for (name, method) in methods().into_iter().chain(others) {
        let solution = run(&*method, 1e-12);
        assert_eq!(solution.failure, None, "{name}");
        let error = distance(&solution.state, &reference.state);
        assert!(error < 1e-9, "{name}: {error:e}");
    }
}
