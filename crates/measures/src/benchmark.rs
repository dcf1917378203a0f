//! Errors of several observables combined, as collections of benchmark problems define them.

use mbsbench_problem::{OutOfRange, parameters};

use super::comparison::{Norm, compare};
use super::simple::{not_empty, one_for_each};
use super::{Measure, MeasureContext, MeasureDefinition};

parameters! {
    /// The error measure of the library of multibody benchmarks of A Coruña over `K` equidistant outputs, the last of
    /// them at the end of the span:
    ///
    /// `e = √(1/K Σᵢ Σⱼ (|yⱼ(tᵢ) − rⱼ(tᵢ)| / max(|rⱼ(tᵢ)|, threshold))²)`
    ///
    /// A second column has the same norm of the bounds on the reference's own error. Source: M. González, D. Dopico,
    /// U. Lugrís, J. Cuadrado 2006, A benchmarking system for MBS simulation software, Multibody System Dynamics 16,
    /// 179–190. We could not establish from it if the library divides the inner sum by the number of observables;
    /// this measure does not, which never gives the smaller value.
    #[derive(Default)]
    pub struct BenchmarkError in snake_case where observables_are_there {
        /// Observables.
        of: Vec<String>,
        /// Number of outputs `K`.
        outputs: usize [from 1],
        /// Threshold in the observables' unit: errors are divided by the magnitude of the reference, but at least by
        /// this value.
        threshold: f64 [above 0.0],
    }
}

impl BenchmarkError {
    fn observables_are_there(&self) -> Result<(), OutOfRange> {
        not_empty("of", &self.of)
    }
}

impl MeasureDefinition for BenchmarkError {
    const NAME: &'static str = "benchmark_error";
    const SUMMARY: &'static str =
        "combined relative error of observables at equidistant outputs (multibody benchmark library, A Coruña)";

    fn columns(&self) -> Vec<String> {
        with_bound(Self::NAME)
    }
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        equidistant(span, self.outputs).skip(1).collect()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let weight = |_, expected: f64| expected.abs().max(self.threshold).recip();
        compare(context, indices(context, &self.of), self.reference_times(context.span), weight, Norm::RootMeanSquare)
    }
}

parameters! {
    /// The root mean square, over equidistant outputs including start and end, of the norm of the vector of errors,
    /// each divided by a size of its own:
    ///
    /// `e = √(1/(n + 1) Σᵢ₌₀ⁿ Σⱼ ((yⱼ(tᵢ) − rⱼ(tᵢ)) / sⱼ)²)`
    ///
    /// A second column has the same norm of the bounds on the reference's own error. The benchmark of the light
    /// cart-pole accepts solutions by this error (N. Parsons, light-cartpole-benchmark, proposed to the IFToMM
    /// library).
    #[derive(Default)]
    pub struct ScaledError in snake_case where sizes_fit {
        /// Observables.
        of: Vec<String>,
        /// Sizes `sⱼ` by which the errors are divided, one for each observable and in its unit.
        sizes: Vec<f64> [above 0.0],
        /// Number of intervals `n` between outputs.
        intervals: usize [from 1],
    }
}

impl ScaledError {
    fn sizes_fit(&self) -> Result<(), OutOfRange> {
        not_empty("of", &self.of)?;
        one_for_each("sizes", &self.sizes, &self.of)
    }
}

impl MeasureDefinition for ScaledError {
    const NAME: &'static str = "scaled_error";
    const SUMMARY: &'static str =
        "root mean square error of several observables at equidistant outputs, each divided by its own scale";

    fn columns(&self) -> Vec<String> {
        with_bound(Self::NAME)
    }
    fn reference_times(&self, span: [f64; 2]) -> Vec<f64> {
        equidistant(span, self.intervals).collect()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let weight = |j: usize, _| self.sizes[j].recip();
        compare(context, indices(context, &self.of), self.reference_times(context.span), weight, Norm::RootMeanSquare)
    }
}

fn with_bound(name: &str) -> Vec<String> {
    vec![name.to_owned(), format!("{name}_bound")]
}

/// Start of the span and ends of its equal parts, s.
fn equidistant([start, end]: [f64; 2], parts: usize) -> impl Iterator<Item = f64> {
    let at = move |k: usize| start + (end - start) * k as f64 / parts as f64;
    (0..=parts).map(move |k| if k == parts { end } else { at(k) })
}

fn indices(context: &MeasureContext<'_>, of: &[String]) -> Option<Vec<usize>> {
    of.iter().map(|name| context.index(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReferenceTrajectory;
    use crate::bound_of;
    use crate::tests::{against, ended};

    /// `q` and `v` at 0 to 4 s; at 2 s `q` is below the threshold 0.5 used in the tests.
    fn reference(digits: f64) -> ReferenceTrajectory {
        ReferenceTrajectory {
            observables: vec!["q".to_owned(), "v".to_owned()],
            times: (0..=4).map(f64::from).collect(),
            values: [[7.0, 9.0], [2.0, -4.0], [0.1, 1.0], [9.0, 9.0], [-5.0, 8.0]].map(Vec::from).to_vec(),
            bounds: [[9.0, 9.0], [9.0, 9.0], [0.5, 3.0], [9.0, 9.0], [0.0, 0.0]].map(Vec::from).to_vec(),
            digits,
            digits_asked: 8.0,
        }
    }

    /// Values with errors (3, 1) at 2 s and (10, 6) at 4 s, and none at the start; no test has outputs at 1 s and 3
    /// s.
    fn off(t: f64) -> Vec<f64> {
        match t as usize {
            0 => vec![7.0, 9.0],
            2 => vec![3.1, 2.0],
            4 => vec![5.0, 2.0],
            _ => vec![1e9, 1e9],
        }
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-14 * expected, "{found} and {expected}");
    }

    fn names() -> Vec<String> {
        vec!["q".to_owned(), "v".to_owned()]
    }

    fn measured(measure: &impl MeasureDefinition, steps: &[f64], digits: f64) -> [Option<f64>; 2] {
        ended(against(measure, steps, off, Some(&reference(digits))), false).try_into().unwrap()
    }

    /// By hand: ((3/0.5)² + (1/1)² + (10/5)² + (6/8)²)/2, and for the bounds ((0.5/0.5)² + (3/1)²)/2. The ends of
    /// steps do not matter.
    #[test]
    fn the_benchmarks_error_is_relative_to_the_reference() {
        let measure = BenchmarkError { of: names(), outputs: 2, threshold: 0.5 };
        for steps in [&[0.0, 2.0, 4.0][..], &[0.0, 1.5, 4.0], &[0.0, 4.0]] {
            let [error, bound] = measured(&measure, steps, 9.0).map(Option::unwrap);
            assert_close(error, (41.5625_f64 / 2.0).sqrt());
            assert_close(bound, 5.0_f64.sqrt());
        }
    }

    /// By hand: (0 + (3/2)² + (1/10)² + (10/2)² + (6/10)²)/3: the start counts.
    #[test]
    fn the_scaled_error_needs_a_scale_for_each_observable() {
        let measure = ScaledError { of: names(), sizes: vec![2.0, 10.0], intervals: 2 };
        let [error, bound] = measured(&measure, &[0.0, 2.0, 4.0], 9.0).map(Option::unwrap);
        assert_close(error, (27.62_f64 / 3.0).sqrt());
        let of_bounds = (9.0 / 2.0_f64).powi(2) + (9.0 / 10.0_f64).powi(2) + 0.25_f64.powi(2) + 0.3_f64.powi(2);
        assert_close(bound, (of_bounds / 3.0).sqrt());
    }

    #[test]
    fn incomplete_outputs_and_poor_references_have_no_error() {
        let measure = BenchmarkError { of: names(), outputs: 2, threshold: 0.5 };
        assert_eq!(measured(&measure, &[0.0, 4.0], 7.9)[1], Some(f64::INFINITY));
        assert_eq!(measured(&measure, &[0.0, 3.0], 9.0), [None; 2], "no reference at 1.5 s");
        assert_eq!(ended(against(&measure, &[0.0, 4.0], off, None), false), [None; 2]);
        let other = BenchmarkError { of: vec!["q".to_owned(), "w".to_owned()], ..measure };
        assert_eq!(measured(&other, &[0.0, 4.0], 9.0), [None; 2], "a missing observable");
    }

    #[test]
    fn lists_must_have_equal_lengths() {
        let sizes = |sizes: &[f64]| ScaledError { of: names(), sizes: sizes.to_vec(), intervals: 2 }.sizes_fit();
        assert!(sizes(&[1.0, 1.0]).is_ok() && sizes(&[1.0]).is_err());
        assert!(BenchmarkError { of: vec![], outputs: 1, threshold: 1.0 }.observables_are_there().is_err());
    }

    #[test]
    fn columns_are_followed_by_their_bounds() {
        for columns in [BenchmarkError::default().columns(), ScaledError::default().columns()] {
            assert_eq!(bound_of(&columns[0]).as_ref(), Some(&columns[1]));
        }
    }

    #[test]
    fn outputs_end_with_the_span() {
        let times: Vec<f64> = equidistant([1.0, 1.3], 3).collect();
        assert_eq!((times.len(), times[0], times[3]), (4, 1.0, 1.3));
        assert_close(times[1], 1.1);
    }
}
