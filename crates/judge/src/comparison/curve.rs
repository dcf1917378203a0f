//! What an accuracy costs a method, between the runs that it made.

use mbsbench_experiment::plan::RunSpec;

use super::Candidate;

/// A run of a method, in the order of its experiment.
#[derive(Debug, Clone)]
pub struct Point<'p> {
    /// The run.
    pub run: &'p RunSpec,
    /// What it gave; none where it failed, or has no error.
    pub candidate: Option<Candidate>,
}

/// What an accuracy costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The work.
    pub value: f64,
    /// Whether it is that of a run, which may be more accurate than was asked: an upper bound. Else it was read off between two.
    pub is_of_run: bool,
}

/// The least work with which one method reaches an accuracy: that of a run, or read off a straight line in both logarithms between two
/// neighbours, one of which reaches it and one does not. None where no run reaches it by this kind of work: nothing is extrapolated.
/// Runs that cost nothing by it are passed over.
#[must_use]
pub fn cost(points: &[Point<'_>], work: usize, accuracy: f64) -> Option<Cost> {
    let measured = |point: &Point<'_>| {
        let candidate = point.candidate.as_ref()?;
        let cost = candidate.work[work].filter(|&cost| cost > 0.0)?;
        Some([candidate.error + candidate.bound, cost])
    };
    let of_runs = points.iter().filter_map(measured).filter(|[error, _]| *error <= accuracy);
    let of_runs = of_runs.map(|[_, value]| Cost { value, is_of_run: true });
    let between = points.windows(2).filter(|pair| are_neighbours(pair[0].run, pair[1].run)).filter_map(|pair| {
        let value = crossing(measured(&pair[0])?, measured(&pair[1])?, accuracy)?;
        Some(Cost { value, is_of_run: false })
    });
    of_runs.chain(between).min_by(|a, b| a.value.total_cmp(&b.value))
}

/// Whether two runs differ in one setting and nothing else.
fn are_neighbours(one: &RunSpec, other: &RunSpec) -> bool {
    one.cells.iter().zip(&other.cells).filter(|(a, b)| a != b).count() == 1
}

/// The work at an accuracy between two points `[error, work]`, on either side of it.
fn crossing(one: [f64; 2], other: [f64; 2], accuracy: f64) -> Option<f64> {
    let ([e0, w0], [e1, w1]) = if one[0] > other[0] { (one, other) } else { (other, one) };
    // An error of zero has no logarithm, and says nothing of what is between.
    (e0 > accuracy && accuracy >= e1 && e1 > 0.0 && e0.is_finite())
        .then(|| w0 * (w1 / w0).powf((accuracy / e0).ln() / (e1 / e0).ln()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_runs_the_line_is_straight_in_both_logarithms() {
        // error = 1/work²
        let work = crossing([1e-2, 10.0], [1e-6, 1000.0], 1e-4).unwrap();
        assert!((work - 100.0).abs() < 1e-10, "{work}");
        assert_eq!(crossing([1e-6, 1000.0], [1e-2, 10.0], 1e-4), Some(work), "either way round");
        assert_eq!(crossing([1e-2, 10.0], [1e-6, 1000.0], 1e-6), Some(1000.0));
    }

    #[test]
    fn nothing_is_read_off_beyond_two_runs_or_beside_what_has_no_logarithm() {
        for (one, other) in [
            ([1e-2, 1.0], [1e-3, 2.0]),
            ([1e-6, 1.0], [1e-5, 2.0]),
            ([1.0, 1.0], [0.0, 9.0]),
            ([f64::INFINITY, 1.0], [1e-9, 2.0]),
        ] {
            assert_eq!(crossing(one, other, 1e-4), None, "{one:?} {other:?}");
        }
        assert_eq!(crossing([f64::NAN, 1.0], [1e-9, 2.0], 1e-4), None);
    }
}
