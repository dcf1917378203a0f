//! Constrained mechanics: three forms for IDA, sparse systems for both solvers.

use mbsbench_integrators::Dop853;
use mbsbench_models::{Pendulum, RodChain, SliderCrank};
use mbsbench_problem::{
    AccelerationLevel, Counted, Dimensions, Entries, Failure, Formulated, Formulation, MechanicalModel, MechanicsOf,
    Method, MethodDefinition, Model, ModelDefinition, Observer, Scalar, Settings, Silent, Solution, Task,
};
use mbsbench_sundials::{CvodeAdams, CvodeBdf, Form, Ida, Iteration, Jacobian, LinearSolver};

use crate::problems::distance;
use crate::shared::constrained::{Manufactured, Record};

const FORMS: [Form; 3] = [Form::Index1, Form::Ggl, Form::Index3];

fn run(method: &dyn Method, model: &dyn Model, t_end: f64, settings: Settings) -> Solution {
    let initial = Formulated::<f64>::initial_state(model);
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    method.solve(Counted::new(Formulated::<f64>::ode(model).as_mut()), &task, &mut Silent)
}

fn ida(form: Form) -> Ida {
    Ida { form, ..Ida::default() }
}

fn chain(rods: usize) -> Box<dyn Model> {
    RodChain { rods, ..RodChain::default() }.model()
}

fn manufactured(method: &dyn Method, t_end: f64, tol: f64, observer: &mut dyn Observer) -> Solution {
    let (model, initial) = (Manufactured { constrained: true }, Manufactured::exact(0.0));
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings: Settings::tolerance(tol, tol) };
    method.solve(Counted::new(&mut AccelerationLevel::new(MechanicsOf::new(&model))), &task, observer)
}

/// A curved and a moving constraint, masses that depend on positions, a damper: errors are multiples of the tolerance
/// over four decades, measured 5 to 35. With index 3, whose error test contains positions only, the multiple grows as
/// the tolerance decreases, 1700 to 15 000: a velocity is as accurate as the change of positions divided by the step.
#[test]
fn errors_of_each_form_are_multiples_of_the_tolerance() {
    let exact = Manufactured::exact(2.0);
    for (form, most) in FORMS.into_iter().zip([100.0, 100.0, 4e4]) {
        let tolerances = [1e-5, 1e-7, 1e-9];
        let errors = tolerances.map(|tol| {
            let solution = manufactured(&*ida(form).method(), 2.0, tol, &mut Silent);
            assert_eq!(solution.failure, None, "{form:?}");
            distance(&solution.state, &exact)
        });
        for (error, tol) in errors.into_iter().zip(tolerances) {
            assert!((1.0..most).contains(&(error / tol)), "{form:?} at {tol:e}: {error:e}");
        }
        assert!(errors[2] < 2e-3 * errors[0], "{form:?}: {errors:?}");
    }
}

/// Compares λ of each accepted step with the exact one. λ behaves like a second derivative of positions: its error is
/// that of positions divided by the square of the step.
#[test]
fn multipliers_are_shown() {
    for (form, bound) in [(Form::Ggl, 1e-3), (Form::Index3, 5e-2)] {
        let mut record = Record::default();
        let solution = manufactured(&*ida(form).method(), 2.0, 1e-8, &mut record);
        assert_eq!(solution.failure, None);
        assert!(record.times.len() > 50);
        for (&t, lambda) in record.times.iter().zip(&record.multipliers).skip(10) {
            let exact = Manufactured { constrained: true }.multipliers(t);
            assert!(distance(lambda, &exact) < bound, "{form:?} at {t}: {lambda:?} {exact:?}");
        }
    }
}

/// Value of an observable at the end.
fn observed(model: &dyn Model, solution: &Solution, name: &str) -> f64 {
    let observables = model.observables();
    let mut values = vec![0.0; observables.len()];
    model.observation().observe(solution.t_reached, &solution.state, &mut values);
    values[observables.iter().position(|observable| observable.name == name).expect(name)]
}

/// The references come from an explicit method of high order, for the pendulum in minimal coordinates. Measured: 0.6 to
/// 20 times the tolerance, and 230 to 3600 times with index 3.
#[test]
fn pendulum_and_slider_crank_agree_with_an_explicit_method() {
    let minimal = Pendulum { formulation: Formulation::Minimal, ..Pendulum::default() }.model();
    let absolute = Pendulum { formulation: Formulation::AccelerationLevel, ..Pendulum::default() }.model();
    let crank = SliderCrank::default().model();
    let tight = Settings::tolerance(1e-12, 1e-12);
    let angle = observed(&*minimal, &run(&*Dop853::default().method(), &*minimal, 2.0, tight), "theta");
    let of_crank = run(&*Dop853::default().method(), &*crank, 1.0, tight).state;
    let n = of_crank.len() / 2;
    for (form, most) in FORMS.into_iter().zip([60.0, 60.0, 1e4]) {
        for tol in [1e-5, 1e-8] {
            let settings = Settings::tolerance(tol, tol);
            let solution = run(&*ida(form).method(), &*absolute, 2.0, settings);
            assert_eq!(solution.failure, None, "{form:?}");
            let multiple = (observed(&*absolute, &solution, "theta") - angle).abs() / tol;
            assert!(multiple < most, "{form:?}, pendulum at {tol:e}: {multiple}");
            let solution = run(&*ida(form).method(), &*crank, 1.0, settings);
            assert_eq!(solution.failure, None, "{form:?}");
            let multiple = distance(&solution.state[..n], &of_crank[..n]) / tol;
            assert!(multiple < most, "{form:?}, slider crank at {tol:e}: {multiple}");
        }
    }
}

#[test]
fn each_form_keeps_its_constraints() {
    let model = chain(5);
    let tol = 1e-5;
    let [index1, ggl, index3] = FORMS.map(|form| {
        let solution = run(&*ida(form).method(), &*model, 1.0, Settings::tolerance(tol, tol));
        assert_eq!(solution.failure, None);
        ["constraint", "velocity_constraint"].map(|name| observed(&*model, &solution, name))
    });
    // to the accuracy of Newton's method
    assert!(ggl.into_iter().all(|violation| violation < 0.1 * tol), "{ggl:?}");
    assert!(index3[0] < 0.1 * tol && index3[1] > tol, "{index3:?}");
    assert!(index1.into_iter().all(|violation| violation > tol), "{index1:?}");
}

/// Creates a method with this Jacobian and this solver of linear systems.
type Maker = dyn Fn(Jacobian, LinearSolver) -> Box<dyn Method>;

/// Different matrices leave different rounding errors in the equations of a step; otherwise the steps agree.
#[test]
fn dense_sparse_and_differenced_systems_give_the_same_answers() {
    let tol = 1e-7;
    let solvers = [
        (Jacobian::Exact, LinearSolver::Sparse),
        (Jacobian::Exact, LinearSolver::Dense),
        (Jacobian::Internal, LinearSolver::Automatic),
    ];
    let model = chain(12);
    let bdf = |jacobian, linear_solver| CvodeBdf { jacobian, linear_solver, ..CvodeBdf::default() }.method();
    let adams = |jacobian, linear_solver| {
        CvodeAdams { iteration: Iteration::Newton, jacobian, linear_solver, ..CvodeAdams::default() }.method()
    };
    let forms = FORMS
        .map(|form| move |jacobian, linear_solver| Ida { form, jacobian, linear_solver, ..Ida::default() }.method());
    let makers: [(&str, &Maker); 5] = [
        ("cvode-bdf", &bdf),
        ("cvode-adams", &adams),
        ("index1", &forms[0]),
        ("ggl", &forms[1]),
        ("index3", &forms[2]),
    ];
    for (name, make) in makers {
        let solve = |(jacobian, linear_solver)| {
            let solution = run(&*make(jacobian, linear_solver), &*model, 0.2, Settings::tolerance(tol, tol));
            assert_eq!(solution.failure, None, "{name}");
            solution
        };
        let [sparse, dense, differenced] = solvers.map(solve);
        let n = sparse.state.len() / 2;
        for other in [&dense, &differenced] {
            let error = distance(&sparse.state[..n], &other.state[..n]);
            assert!(error < 30.0 * tol, "{name}: {error:e}");
            assert_ne!(sparse.state, other.state, "{name}: not the same arithmetic");
        }
        let of = |solution: &Solution| solution.statistics.steps_accepted as f64;
        assert!((of(&dense) / of(&sparse) - 1.0).abs() < 0.15, "{name}: {} and {}", of(&dense), of(&sparse));
        assert_eq!(sparse.statistics.jacobian_rhs_evaluations, 0);
        let automatic =
            run(&*make(Jacobian::Automatic, LinearSolver::Automatic), &*model, 0.2, Settings::tolerance(tol, tol));
        assert_eq!(automatic.state, sparse.state, "{name}: exact and sparse where nothing else is said");
    }
}

#[test]
fn evaluations_are_counted() {
    let model = chain(12);
    for (form, unknowns) in [(Form::Ggl, 120), (Form::Index3, 96)] {
        let of = |jacobian| {
            let method = Ida { form, jacobian, ..Ida::default() }.method();
            run(&*method, &*model, 0.1, Settings::tolerance(1e-6, 1e-6)).statistics
        };
        let (exact, internal) = (of(Jacobian::Automatic), of(Jacobian::Internal));
        for statistics in [exact, internal] {
            assert_eq!(statistics.factorizations, statistics.jacobian_evaluations, "a matrix for each new c_j");
            assert_eq!(statistics.linear_solves, statistics.newton_iterations);
            assert!(statistics.factorizations < statistics.steps_accepted);
            // one for each iteration, one for the start, and one for each step whose iteration is restarted
            let rest = statistics.rhs_evaluations - statistics.newton_iterations;
            assert!(rest >= 1 && rest <= 2 + statistics.steps_rejected, "{form:?}: {statistics:?}");
        }
        assert_eq!(exact.jacobian_rhs_evaluations, 0);
        assert_eq!(internal.jacobian_rhs_evaluations, unknowns * internal.jacobian_evaluations);
    }
    let bdf = run(&*CvodeBdf::default().method(), &*model, 0.1, Settings::tolerance(1e-6, 1e-6)).statistics;
    let kept = 3 * bdf.jacobian_evaluations;
    assert!(bdf.jacobian_evaluations > 0 && bdf.factorizations > kept, "CVODE keeps its Jacobians: {bdf:?}");
}

#[test]
fn a_budget_of_evaluations_is_kept_with_constraints() {
    let model = chain(2);
    for form in FORMS {
        for limit in 1..40 {
            let settings = Settings { max_rhs_evaluations: limit, ..Settings::tolerance(1e-8, 1e-8) };
            let solution = run(&*ida(form).method(), &*model, 10.0, settings);
            assert!(matches!(solution.failure, Some(Failure::BudgetExhausted { .. })), "{:?}", solution.failure);
            assert_eq!(solution.statistics.rhs_evaluations, limit, "{form:?}");
        }
    }
}

/// Chains of lengths at which an earlier version gave up.
#[test]
fn long_chains_complete() {
    let model = chain(100);
    for form in FORMS {
        for tol in [1e-4, 1e-6] {
            let solution = run(&*ida(form).method(), &*model, 0.1, Settings::tolerance(tol, tol));
            assert_eq!((solution.failure, solution.t_reached), (None, 0.1), "{form:?} at {tol:e}");
            assert!(solution.statistics.steps_accepted < 2000, "{form:?}: {}", solution.statistics.steps_accepted);
        }
    }
}

/// A rolling wheel: its constraint acts on velocities.
struct Rolling;

impl MechanicalModel for Rolling {
    fn dimensions(&self) -> Dimensions {
        Dimensions { nonholonomic: 1, ..Dimensions::vectors(2, 0) }
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..2).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.copy_from_slice(&[S::from(1.0), S::zero()]);
    }
    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, _q: &[S], v: &[S], gamma: &mut [S]) {
        gamma[0] = v[0] - v[1];
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

#[test]
fn unsupported_problems_of_a_form_are_reported() {
    let mut rolling = AccelerationLevel::new(MechanicsOf::new(&Rolling));
    assert_eq!(ida(Form::Index1).method().suits(&mut rolling), Ok(()));
    for form in [Form::Ggl, Form::Index3] {
        let refused = ida(form).method().suits(&mut rolling).expect_err("it has no such form").to_string();
        assert!(refused.contains("holonomic constraints"), "{refused}");
    }
    let model = chain(2);
    let mut ode = Formulated::<f64>::ode(&*model);
    for ida in [
        Ida { jacobian: Jacobian::FiniteDifference, ..Ida::default() },
        Ida { jacobian: Jacobian::Internal, linear_solver: LinearSolver::Sparse, ..Ida::default() },
    ] {
        let refused = ida.method().suits(ode.as_mut()).expect_err("no such systems").to_string();
        assert!(refused.contains("jacobian: exact"), "{refused}");
    }
    let sparse = CvodeBdf { linear_solver: LinearSolver::Sparse, ..CvodeBdf::default() }.method();
    let refused = sparse.suits(ode.as_mut()).expect_err("two rods are few").to_string();
    assert!(refused.contains("linear-solver: automatic"), "{refused}");
}

#[test]
fn a_start_that_violates_the_constraints_is_reported() {
    let chain = chain(2);
    let consistent = Formulated::<f64>::initial_state(&*chain);
    for (index, which) in [(1, "constraint 4 on positions"), (7, "constraint 4 on velocities")] {
        let mut initial = consistent.clone();
        initial[index] += 0.1;
        let task = Task { t_start: 0.0, t_end: 1.0, initial: &initial, settings: Settings::tolerance(1e-6, 1e-6) };
        for form in [Form::Ggl, Form::Index3] {
            let mut ode = Formulated::<f64>::ode(&*chain);
            let failure = ida(form).method().solve(Counted::new(ode.as_mut()), &task, &mut Silent).failure;
            let Some(Failure::NotApplicable { reason }) = failure else { panic!("{form:?}: {failure:?}") };
            assert!(reason.contains(which) && reason.contains("1.0e-1"), "{reason}");
        }
    }
}
