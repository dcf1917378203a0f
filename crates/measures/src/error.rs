//! Errors with respect to a certified reference.

use mbsbench_problem::model::Class;
use mbsbench_problem::parameters;

use super::comparison::{Norm, compare};
use super::{Measure, MeasureContext, MeasureDefinition};

parameters! {
    /// The error of an observable with respect to the experiment's reference at the final time or, with `every`, the
    /// largest error over a grid of times, with the bound on the reference's own error at the same times. The bound is
    /// `inf` if the reference has fewer digits than required.
    #[derive(Default)]
    pub struct MaximumError in snake_case {
        /// Observable.
        of: String,
        /// Distance between the times of the grid, s, from the start of the span; by default, only the final time is
        /// used.
        every: Option<f64> [above 0.0],
    }
}

impl MeasureDefinition for MaximumError {
    const NAME: &'static str = "error";
    const SUMMARY: &'static str = "error of an observable at the end, or with `every` the largest over a grid of times";

    fn columns(&self) -> Vec<String> {
        vec![format!("error({})", self.of), format!("error_bound({})", self.of)]
    }

    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        grid(span, self.every)
    }

    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        compare_one(context, &self.of, self.every, Norm::Largest)
    }
}

parameters! {
    /// The root mean square error of an observable with respect to the experiment's reference over a grid of times,
    /// with the same norm of the bounds on the reference's own error.
    #[derive(Default)]
    pub struct RmsError in snake_case {
        /// Observable.
        of: String,
        /// Distance between the times of the grid, s, from the start of the span.
        every: f64 [above 0.0],
    }
}

impl MeasureDefinition for RmsError {
    const NAME: &'static str = "rms_error";
    const SUMMARY: &'static str = "root mean square error of an observable with respect to the reference over a grid";

    fn columns(&self) -> Vec<String> {
        vec![format!("rms_error({})", self.of), format!("rms_error_bound({})", self.of)]
    }
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        grid(span, Some(self.every))
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        compare_one(context, &self.of, Some(self.every), Norm::RootMeanSquare)
    }
}

/// Returns the column with the bound on the reference's own error for a column of errors, `error(theta)` or
/// `position_error`; none for a column without such errors.
pub fn bound_of(column: &str) -> Option<String> {
    for kind in ["error", "rms_error", "relative_error"] {
        if let Some(observable) = column.strip_prefix(kind).and_then(|rest| rest.strip_prefix('(')) {
            return Some(format!("{kind}_bound({observable}"));
        }
    }
    column.ends_with("_error").then(|| format!("{column}_bound"))
}

/// Returns the times `every` seconds apart, counted from the start, and the end; only the end if `every` is not
/// given.
pub(super) fn grid(span: [f64; 2], every: Option<f64>) -> Vec<f64> {
    let Some(every) = every else { return vec![span[1]] };
    // A grid point within rounding of the end is the end.
    let every = every.copysign(span[1] - span[0]);
    let inner = ((span[1] - span[0]) / every - 1e-9).floor().max(0.0) as usize;
    (1..=inner).map(|k| span[0] + k as f64 * every).chain([span[1]]).collect()
}

fn compare_one(context: &MeasureContext<'_>, of: &str, every: Option<f64>, norm: Norm) -> Box<dyn Measure> {
    let index = context.index(of).map(|index| vec![index]);
    compare(context, index, grid(context.span, every), |_, _| 1.0, norm)
}

macro_rules! class_errors {
    ($($name:ident $last:ident $class:ident $column:literal $what:literal;)*) => {$(
        parameters! {
            #[doc = concat!("Error of the ", $what, " (as classified by the model) with respect to the experiment's")]
            /// reference at the final time or, with `every`, the largest error over a grid of times, with the bound on
            /// the reference's own error at the same times. Angles and lengths are combined, in rad and m, as in the
            /// papers.
            #[derive(Default)]
            pub struct $name in snake_case {
                /// Distance between the times of the grid, s, from the start of the span; by default, only the final
                /// time is used.
                every: Option<f64> [above 0.0],
            }
        }

        impl MeasureDefinition for $name {
            const NAME: &'static str = $column;
            const SUMMARY: &'static str =
                concat!("error of the ", $what, " at the end, or with `every` the largest over a grid of times");

            fn columns(&self) -> Vec<String> {
                [$column, concat!($column, "_bound")].map(str::to_owned).to_vec()
            }
            fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
                grid(span, self.every)
            }
            fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
                let indices = Some(context.of_class(Class::$class));
                compare(context, indices, grid(context.span, self.every), |_, _| 1.0, Norm::Largest)
            }
        }

        parameters! {
            #[doc = concat!("Like [`", stringify!($name), "`], at the final time only.")]
            pub struct $last {}
        }

        impl MeasureDefinition for $last {
            const NAME: &'static str = concat!("final_", $column);
            const SUMMARY: &'static str =
                concat!("largest error of the ", $what, " with respect to the reference at the end");

            fn columns(&self) -> Vec<String> {
                [concat!("final_", $column), concat!("final_", $column, "_bound")].map(str::to_owned).to_vec()
            }
            fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
                grid(span, None)
            }
            fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
                $name { every: None }.start(context)
            }
        }
    )*};
}

class_errors! {
    PositionError FinalPositionError Position "position_error" "positions";
    VelocityError FinalVelocityError Velocity "velocity_error" "velocities";
    MultiplierError FinalMultiplierError Multiplier "multiplier_error" "multipliers";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReferenceTrajectory;
    use crate::tests::{against, ended};

    #[test]
    fn a_reference_with_too_few_digits_gives_no_bound() {
        let reference = |digits| ReferenceTrajectory {
            observables: vec!["q".to_owned()],
            times: vec![2.0],
            values: vec![vec![1.0]],
            bounds: vec![vec![1e-9]],
            digits,
            digits_asked: 8.0,
        };
        let measure = MaximumError { of: "q".to_owned(), every: None };
        let bound = |digits, end| {
            let measured = against(&measure, &[0.0, end], |_| vec![1.0], Some(&reference(digits)));
            ended(measured, false)[1]
        };
        assert_eq!([bound(9.0, 2.0), bound(7.9, 2.0)], [Some(1e-9), Some(f64::INFINITY)]);
        assert_eq!(bound(9.0, 1.0), None, "no reference at that time");
    }

    #[test]
    fn every_error_is_followed_by_its_bound() {
        let error = |of: &str| MaximumError { of: of.to_owned(), every: None }.columns();
        let rms = RmsError { of: "theta".to_owned(), every: 1.0 }.columns();
        let columns = [error("theta"), error("ring_error"), rms, PositionError::default().columns()];
        let classes = [VelocityError::default().columns(), FinalVelocityError {}.columns()];
        for pair in columns.iter().chain(&classes) {
            assert_eq!(bound_of(&pair[0]).as_ref(), Some(&pair[1]));
            assert_eq!(bound_of(&pair[1]), None, "a column of bounds has no bound itself");
        }
        assert_eq!(bound_of("energy_variation"), None);
    }

    #[test]
    fn an_error_that_vanishes_at_the_end_is_seen_over_the_span() {
        let times: Vec<f64> = (0..=4).map(f64::from).collect();
        let reference = ReferenceTrajectory {
            observables: vec!["q".to_owned()],
            times: times.clone(),
            values: vec![vec![0.0]; 5],
            bounds: [0.0, 3e-9, 0.0, 0.0, 1e-9].map(|bound| vec![bound]).to_vec(),
            digits: 9.0,
            digits_asked: 8.0,
        };
        let error = |t: f64| vec![t * (4.0 - t)];
        let over = ended(against(&PositionError { every: Some(1.0) }, &times, error, Some(&reference)), false);
        assert_eq!(over, [Some(4.0), Some(3e-9)]);
        let last = ended(against(&FinalPositionError {}, &times, error, Some(&reference)), false);
        assert_eq!(last, [Some(0.0), Some(1e-9)]);
    }

    #[test]
    fn root_mean_square_of_a_known_error_is_exact() {
        let times: Vec<f64> = (0..=4).map(f64::from).collect();
        let reference = ReferenceTrajectory {
            observables: vec!["q".to_owned()],
            times: times.clone(),
            values: vec![vec![0.0]; 5],
            bounds: [0.0, 1.0, 1.0, 1.0, 5.0].map(|bound| vec![bound]).to_vec(),
            digits: 9.0,
            digits_asked: 8.0,
        };
        let measure = RmsError { of: "q".to_owned(), every: 1.0 };
        let errors = |t: f64| vec![[9.0, -1.0, 2.0, 2.0, 4.0][t as usize]];
        let of = |times: &[f64]| ended(against(&measure, times, errors, Some(&reference)), false);
        // The start is not part of the grid: (1 + 4 + 4 + 16)/4 and (3 + 25)/4.
        assert_eq!(of(&times), [Some(2.5), Some(7.0_f64.sqrt())]);
        assert_eq!(ended(against(&measure, &times, errors, None), false), [None; 2]);
    }
}
