//! Measures of one or two lines: functions of the end of a run, or of a state that each step updates.

use mbsbench_problem::OutOfRange;

use super::{Ending, Measure, Observed};

/// A measure that depends on the end of a run alone.
pub(super) fn at_end(finish: impl FnOnce(&Ending<'_>) -> Vec<Option<f64>> + 'static) -> Box<dyn Measure> {
    over_steps((), |(), _| {}, |(), ending| finish(ending))
}

/// A measure with a state that each step updates and that gives the values at the end.
pub(super) fn over_steps<T: 'static>(
    state: T,
    step: impl FnMut(&mut T, &mut Observed<'_>) + 'static,
    finish: impl FnOnce(T, &Ending<'_>) -> Vec<Option<f64>> + 'static,
) -> Box<dyn Measure> {
    struct OverSteps<T, S, F> {
        state: T,
        step: S,
        finish: F,
    }
    impl<T, S, F> Measure for OverSteps<T, S, F>
    where
        S: FnMut(&mut T, &mut Observed<'_>),
        F: FnOnce(T, &Ending<'_>) -> Vec<Option<f64>>,
    {
        fn step(&mut self, step: &mut Observed<'_>) {
            (self.step)(&mut self.state, step);
        }
        fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
            (self.finish)(self.state, ending)
        }
    }
    Box::new(OverSteps { state, step, finish })
}

/// Fails if a list, the value of `field`, is empty.
pub(super) fn not_empty<T>(field: &str, list: &[T]) -> Result<(), OutOfRange> {
    if list.is_empty() {
        return Err(OutOfRange::new(field, "an empty list", "a list with at least one item"));
    }
    Ok(())
}

/// Fails unless a list, the value of `field`, has one item for each observable in `of`.
pub(super) fn one_for_each<T>(field: &str, list: &[T], of: &[String]) -> Result<(), OutOfRange> {
    if list.len() == of.len() {
        return Ok(());
    }
    let accepted = format!("one for each of the {} observables in `of`", of.len());
    Err(OutOfRange::new(field, format!("a list of length {}", list.len()), accepted))
}

/// Declares measures without parameters, each with one column that has the measure's name.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident $text:literal $about:literal, $start:expr;)*) => {$(
        mbsbench_problem::parameters! {
            $(#[$doc])*
            pub struct $name {}
        }

        impl $crate::MeasureDefinition for $name {
            const NAME: &'static str = $text;
            const SUMMARY: &'static str = $about;
            fn start(&self, context: &$crate::MeasureContext<'_>) -> Box<dyn $crate::Measure> {
                let start: fn(&$crate::MeasureContext<'_>) -> Box<dyn $crate::Measure> = $start;
                start(context)
            }
        }
    )*};
}

/// Declares measures whose only parameter is an observable; columns are called `name(observable)`.
macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident $text:literal [$($column:literal),+] $about:literal, $start:expr;)*) => {$(
        mbsbench_problem::parameters! {
            $(#[$doc])*
            #[derive(Default)]
            pub struct $name in snake_case {
                /// Observable.
                of: String,
            }
        }

        impl $crate::MeasureDefinition for $name {
            const NAME: &'static str = $text;
            const SUMMARY: &'static str = $about;
            fn columns(&self) -> Vec<String> {
                vec![$(format!(concat!($column, "({})"), self.of)),+]
            }
            fn start(&self, context: &$crate::MeasureContext<'_>) -> Box<dyn $crate::Measure> {
                let start: fn(Option<usize>) -> Box<dyn $crate::Measure> = $start;
                start(context.index(&self.of))
            }
        }
    )*};
}

pub(super) use {of_one, plain};
