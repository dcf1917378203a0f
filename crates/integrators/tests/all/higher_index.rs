//! `M y' = f(t, y)` with a singular matrix: orders of each class of component, tolerances, refusals.

use crate::common::constrained::{Manufactured, Record, distance, solve};
use crate::common::higher_index::{Exponentials, exponential_errors, manufactured_errors};
use mbsbench_integrators::mebdf::Rates;
use mbsbench_integrators::{Dopri5, Lms2, Mebdf, Ode15s, Ode23s, Radau5};
use mbsbench_problem::{
    Counted, Descriptor, Failure, Level, MechanicsOf, Method, MethodDefinition, Ode, Settings, Silent, Statistics,
    StepControl, Task,
};

fn radau5() -> Box<dyn Method> {
    Radau5::default().method()
}

fn mebdf() -> Box<dyn Method> {
    Mebdf::default().method()
}

/// Hairer, Wanner, Solving ODEs II, theorems VII.4.5 and VII.4.6 with VII.6: for three stages, order `2s − 1` for
/// differential components, `s` for index 2, and 5, 3, 2 for index 3.
#[test]
fn orders_by_index() {
    let check = |name: &str, coarse: &[f64], fine: &[f64], expected: &[f64]| {
        for (i, expected) in expected.iter().enumerate() {
            let order = (coarse[i] / fine[i]).log2();
            assert!((order - expected).abs() < 0.2, "{name}, class {i}: order {order:.3}, not {expected}");
        }
    };
    let settings = [32.0, 64.0].map(|steps| Settings::fixed(1.0 / steps));
    let [coarse, fine] = settings.map(|settings| exponential_errors(&*radau5(), settings, true).0);
    check("exponentials", &coarse, &fine, &[5.0, 3.0]);
    for (level, expected) in
        [(Level::Position, [5.0, 3.0, 2.0]), (Level::Velocity, [5.0, 5.0, 3.0]), (Level::Acceleration, [5.0; 3])]
    {
        let [coarse, fine] = settings.map(|settings| manufactured_errors(&*radau5(), settings, level).0);
        check(&format!("{level:?}"), &coarse, &fine, &expected);
    }
}

/// The structure of mechanisms affects only the linear algebra of RADAU5: the steps are the same.
#[test]
fn mechanics_without_its_structure_have_the_same_steps() {
    let model = Manufactured { constrained: true };
    // a first step of 1e-6 s would pass on the rounding of multipliers to the steps after it
    let control = StepControl::Tolerance { rel: 1e-7, abs: 1e-7, initial_step: Some(1e-2), max_step: None };
    let settings = Settings { control, ..Settings::tolerance(1.0, 1.0) };
    for method in [radau5(), mebdf()] {
        let ([..], general) = manufactured_errors(&*method, settings, Level::Position);
        let mut record = Record::default();
        let structured = solve(&model, &*method, &Manufactured::exact(0.0), [0.0, 2.0], settings, &mut record);
        let counts = |s: &Statistics| (s.steps_accepted, s.steps_rejected, s.factorizations);
        assert_eq!(counts(&general.statistics), counts(&structured.statistics));
        assert!(distance(&general.state[..6], &structured.state) < 1e-9);
    }
}

/// Formulas of order 2 to 8 are chosen together with the step size. A hundredth of the tolerance reduces the error
/// over all classes by more than a factor of ten; single classes may have been more accurate before by chance.
#[test]
fn errors_of_variable_order_follow_the_tolerance() {
    for rates in [Rates::Taken, Rates::Evaluated] {
        let method = Mebdf { rates, ..Mebdf::default() }.method();
        for level in [Level::Position, Level::Velocity, Level::Acceleration] {
            let found = [1e-4, 1e-6, 1e-8, 1e-10].map(|tol| {
                let (errors, solution) = manufactured_errors(&*method, Settings::tolerance(tol, tol), level);
                assert_eq!(solution.failure, None, "{level:?}");
                errors
            });
            for class in 0..3 {
                assert!(found[3][class] < 1e-3 * found[0][class], "{rates:?} {level:?} {class}: {found:?}");
            }
        }
        let found =
            [1e-4, 1e-6, 1e-8, 1e-10].map(|tol| exponential_errors(&*method, Settings::tolerance(tol, tol), true).0);
        for class in 0..2 {
            assert!(found[3][class] < 1e-3 * found[0][class], "{rates:?} {class}: {found:?}");
        }
    }
}

/// A step has three evaluations at first guesses. Those of the first and the last stage are saved if the step has the
/// size of the previous one.
#[test]
fn given_rates_save_evaluations() {
    let [taken, evaluated] = [Rates::Taken, Rates::Evaluated].map(|rates| {
        let method = Mebdf { rates, ..Mebdf::default() }.method();
        let statistics = exponential_errors(&*method, Settings::tolerance(1e-8, 1e-8), true).1.statistics;
        statistics.rhs_evaluations as f64 / statistics.steps_accepted as f64
    });
    assert!(taken + 1.5 < evaluated, "{taken} and {evaluated} in a step");
}

/// Steps grow as the power 1/6 of the tolerance at best, and errors of index 2 and 3 follow only in part.
#[test]
fn errors_follow_the_tolerance() {
    for level in [Level::Position, Level::Velocity, Level::Acceleration] {
        let found = [1e-4, 1e-6, 1e-8, 1e-10].map(|tol| {
            let (errors, solution) = manufactured_errors(&*radau5(), Settings::tolerance(tol, tol), level);
            assert_eq!(solution.failure, None, "{level:?}");
            errors
        });
        for class in 0..3 {
            assert!(found.windows(2).all(|pair| pair[1][class] < 0.4 * pair[0][class]), "{level:?} {class}: {found:?}");
        }
    }
}

/// A multiplier of index 2 that is tested like a differential component reduces the order of the step-size control
/// from 3 to 2.
#[test]
fn an_undeclared_index_costs_steps() {
    let steps = |tells| {
        let (_, solution) = exponential_errors(&*radau5(), Settings::tolerance(1e-9, 1e-9), tells);
        solution.statistics.steps_accepted + solution.statistics.steps_rejected
    };
    let (told, untold) = (steps(true), steps(false));
    assert!(untold > 2 * told, "{told} and {untold}");
}

#[test]
fn methods_for_index_one_refuse_higher_indices() {
    let model = Manufactured { constrained: true };
    let mut index_3 = Descriptor::new(MechanicsOf::<_, f64>::new(&model), Level::Position).expect("vectors");
    let mut index_2 = Exponentials::new(true);
    for problem in [&mut index_3 as &mut dyn Ode, &mut index_2] {
        let initial = vec![0.0; problem.dimension()];
        for method in [
            Dopri5::default().method(),
            Lms2::default().method(),
            Ode15s::default().method(),
            Ode23s::default().method(),
        ] {
            assert!(method.suits(problem).is_err());
            let task = Task { t_start: 0.0, t_end: 1.0, initial: &initial, settings: Settings::tolerance(1e-6, 1e-6) };
            let failure = method.solve(Counted::new(problem), &task, &mut Silent).failure;
            assert!(matches!(failure, Some(Failure::NotApplicable { .. })), "{failure:?}");
        }
        assert_eq!(radau5().suits(problem), Ok(()));
        assert_eq!(mebdf().suits(problem), Ok(()));
    }
}
