//! The number of correct digits at the end, as defined by the test set for IVP solvers.

use mbsbench_problem::{OutOfRange, parameters};

use super::simple::{at_end, one_for_each};
use super::{Measure, MeasureContext, MeasureDefinition};

parameters! {
    /// The number of significant correct digits at the end, `−log₁₀ maxᵢ |yᵢ − rᵢ|/|rᵢ|` over the chosen observables:
    /// the digits of the least accurate component (test set for IVP solvers). Components whose reference is zero are
    /// left out. The result is at most 15.95, if all components are equal to the reference.
    pub struct Scd in snake_case where values_belong {
        /// Column name in brackets; the column is called `scd` if the name is empty.
        name: String = String::new(),
        /// Observables; by default all that belong to a class (positions, velocities, multipliers).
        of: Vec<String> = Vec::new(),
        /// Published values `rᵢ` in the order of the observables; by default those of the experiment's reference. In
        /// that case a column `scd_limit` has the number of digits that the bound on the reference's own error
        /// allows.
        values: Vec<f64> = Vec::new(),
    }
}

parameters! {
    /// The mixed-error significant correct digits at the end, `−log₁₀ maxᵢ |yᵢ − rᵢ|/(floor + |rᵢ|)` over the chosen
    /// observables, where `floor` is the ratio of absolute to relative tolerance (test set for IVP solvers). For
    /// components below `floor`, the absolute error counts.
    pub struct Mescd in snake_case where values_belong {
        /// Column name in brackets; the column is called `mescd` if the name is empty.
        name: String = String::new(),
        /// Observables; by default all that belong to a class (positions, velocities, multipliers).
        of: Vec<String> = Vec::new(),
        /// Published values `rᵢ` in the order of the observables; by default those of the experiment's reference. In
        /// that case a column `mescd_limit` has the number of digits that the bound on the reference's own error
        /// allows.
        values: Vec<f64> = Vec::new(),
        /// The ratio `atol/rtol`, in the units of the observables.
        floor: f64 [above 0.0] = 1.0,
    }
}

/// The smallest error that is assumed: rounding of a double.
const LEAST: f64 = f64::EPSILON / 2.0;

/// Checks that there is a published value for each observable, if there are any.
fn values_belong(of: &[String], values: &[f64]) -> Result<(), OutOfRange> {
    if values.is_empty() { Ok(()) } else { one_for_each("values", values, of) }
}

/// Returns the columns of one of the two measures.
fn columns(column: &str, name: &str, values: &[f64]) -> Vec<String> {
    let named = |column: String| if name.is_empty() { column } else { format!("{column}({name})") };
    let limit = values.is_empty().then(|| named(format!("{column}_limit")));
    std::iter::once(named(column.to_owned())).chain(limit).collect()
}

/// Starts one of the two measures.
fn start(of: &[String], values: &[f64], floor: f64, context: &MeasureContext<'_>) -> Box<dyn Measure> {
    let indices: Option<Vec<usize>> = if of.is_empty() {
        Some((0..context.classes.len()).filter(|&index| context.classes[index].is_some()).collect())
    } else {
        of.iter().map(|name| context.index(name)).collect()
    };
    let is_published = !values.is_empty();
    let expected = |(k, index): (usize, usize)| {
        if is_published {
            return Some(Expected { index, value: values[k], bound: 0.0 });
        }
        let reference = context.reference?;
        let (value, bound) = reference.value(context.span[1], reference.column(&context.observables[index])?)?;
        Some(Expected { index, value, bound: if reference.is_certified() { bound } else { f64::INFINITY } })
    };
    let expected: Option<Vec<Expected>> =
        indices.and_then(|indices| indices.into_iter().enumerate().map(expected).collect());
    let columns = if is_published { 1 } else { 2 };
    at_end(move |ending| {
        let found = expected.as_ref().filter(|_| ending.failure.is_none()).map(|expected| {
            let error = |each: &Expected| (ending.observables[each.index] - each.value).abs();
            [digits(expected, floor, error), digits(expected, floor, |each| each.bound)]
        });
        (0..columns).map(|column| found.map(|found| found[column])).collect()
    })
}

macro_rules! digits {
    ($name:ident, $column:literal, $summary:literal, $floor:expr) => {
        impl $name {
            fn values_belong(&self) -> Result<(), OutOfRange> {
                values_belong(&self.of, &self.values)
            }
        }

        impl MeasureDefinition for $name {
            const NAME: &'static str = $column;
            const SUMMARY: &'static str = $summary;

            fn columns(&self) -> Vec<String> {
                columns($column, &self.name, &self.values)
            }
            fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
                if self.values.is_empty() { vec![span[1]] } else { Vec::new() }
            }
            fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
                let floor: fn(&Self) -> f64 = $floor;
                start(&self.of, &self.values, floor(self), context)
            }
        }
    };
}

digits!(Scd, "scd", "significant correct digits of the worst component at the end", |_| 0.0);
digits!(Mescd, "mescd", "mixed-error correct digits of the worst component at the end", |mescd| mescd.floor);

/// The expected value of an observable at the end.
struct Expected {
    index: usize,
    value: f64,
    bound: f64,
}

/// The digits of the worst component, for the given errors.
fn digits(expected: &[Expected], floor: f64, error: impl Fn(&Expected) -> f64) -> f64 {
    let scaled = expected.iter().map(|each| (error(each), floor + each.value.abs()));
    let counted = scaled.filter(|(_, size)| *size > 0.0).map(|(error, size)| error / size);
    // `max` would drop a NaN
    let worst = counted.fold(LEAST, |worst, error| if error <= worst { worst } else { error });
    -worst.log10()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::context;
    use crate::{Ending, ReferenceTrajectory};
    use mbsbench_problem::{Parameters, Statistics};

    fn reference(digits: f64) -> ReferenceTrajectory {
        ReferenceTrajectory {
            observables: vec!["q".to_owned(), "v".to_owned()],
            times: vec![2.0],
            values: vec![vec![100.0, -1e-3]],
            bounds: vec![vec![1e-6, 1e-9]],
            digits,
            digits_asked: 8.0,
        }
    }

    fn of(names: [&str; 2]) -> Vec<String> {
        names.map(str::to_owned).to_vec()
    }

    /// Measures a run that ends with these values at 2 s.
    fn measured(
        measure: &impl MeasureDefinition,
        end: [f64; 2],
        reference: Option<&ReferenceTrajectory>,
    ) -> Vec<Option<f64>> {
        let names = of(["q", "v"]);
        measure.start(&context(&names, [0.0, 2.0], reference)).finish(&Ending {
            t_reached: 2.0,
            statistics: &Statistics::default(),
            observables: &end,
            failure: None,
            states: 2,
            functions: 0,
        })
    }

    /// Errors of 1e-3 in 100 and of 1e-6 in 1e-3: five and three digits; with a floor of 1, five and six.
    #[test]
    fn digits_are_counted_for_the_worst_component() {
        let end = [100.0 + 1e-3, -1e-3 - 1e-6];
        let scd = Scd { of: of(["q", "v"]), ..Scd::default() };
        assert_eq!(scd.columns(), ["scd", "scd_limit"]);
        let [Some(digits), Some(limit)] = measured(&scd, end, Some(&reference(9.0)))[..] else { panic!("no digits") };
        assert!((digits - 3.0).abs() < 1e-9 && (limit - 6.0).abs() < 1e-9, "{digits} {limit}");
        let few = measured(&scd, end, Some(&reference(7.0)));
        assert_eq!(few[1], Some(f64::NEG_INFINITY), "a reference with fewer digits than required certifies none");
        let mescd = Mescd { of: of(["q", "v"]), ..Mescd::default() };
        let digits = measured(&mescd, end, Some(&reference(9.0)))[0].expect("there is a reference");
        assert!((digits - (101.0f64 / 1e-3).log10()).abs() < 1e-9, "{digits}");
    }

    #[test]
    fn published_values_need_no_reference_and_zeros_do_not_enter() {
        let scd = Scd { of: of(["q", "v"]), values: vec![10.0, 0.0], name: "published".to_owned() };
        assert_eq!(scd.columns(), ["scd(published)"]);
        let digits = |end| measured(&scd, end, None)[0].expect("values are given");
        assert!((digits([10.0 + 1e-6, 5.0]) - 7.0).abs() < 1e-8);
        assert!((digits([10.0, 5.0]) - 15.95).abs() < 0.01);
        assert!(digits([f64::NAN, 5.0]).is_nan());
        assert!(Scd { values: vec![1.0], ..scd.clone() }.check().is_err());
    }

    #[test]
    fn no_reference_means_no_digits() {
        let scd = Scd { of: of(["q", "v"]), ..Scd::default() };
        assert_eq!(measured(&scd, [1.0; 2], None), [None, None]);
    }
}
