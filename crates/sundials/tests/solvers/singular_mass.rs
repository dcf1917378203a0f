//! IDA on `M y' = f(t, y)` with a singular matrix.

use mbsbench_problem::{Level, Method, MethodDefinition, Settings};
use mbsbench_sundials::{Ida, Jacobian};

use crate::shared::higher_index::{exponential_errors, manufactured_errors};

fn ida(jacobian: Jacobian) -> Box<dyn Method> {
    Ida { jacobian, ..Ida::default() }.method()
}

/// Components of index 2 are in no error test but affect the tested ones: measured errors are 3 to 1.5e4 tolerances,
/// the largest with constraints on positions.
#[test]
fn errors_of_mechanics_follow_the_tolerance() {
    for (level, most) in [(Level::Acceleration, 1e3), (Level::Velocity, 1e3), (Level::Position, 1e5)] {
        for tol in [1e-4, 1e-6, 1e-8] {
            let (errors, solution) = manufactured_errors(&*ida(Jacobian::Exact), Settings::tolerance(tol, tol), level);
            assert_eq!(solution.failure, None, "{level:?} {tol:e}");
            assert!(errors[0].max(errors[1]) < most * tol, "{level:?} {tol:e}: {errors:?}");
        }
    }
}

/// If the equations are nonlinear in the components of index 2, formulas of variable step have order one only: errors
/// are proportional to the square root of the tolerance, with every source of the Jacobian.
#[test]
fn errors_scale_as_the_root_of_the_tolerance() {
    for jacobian in [Jacobian::Exact, Jacobian::FiniteDifference, Jacobian::Internal] {
        let errors = [1e-5, 1e-7].map(|tol| {
            let (errors, solution) = exponential_errors(&*ida(jacobian), Settings::tolerance(tol, tol), true);
            assert_eq!(solution.failure, None, "{jacobian:?} {tol:e}");
            errors[0]
        });
        assert!(errors[0] < 4e-3 && errors[1] < 0.2 * errors[0], "{jacobian:?}: {errors:?}");
    }
}
