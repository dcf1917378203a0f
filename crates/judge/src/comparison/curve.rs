//! The cost of an accuracy for each method, interpolated between its runs, and the methods that reach it, the cheapest
//! first. All tables, pages and commands use this definition.

use mbsbench_experiment::RunSpec;
use mbsbench_problem::Status;

/// A run of a method. Runs are ordered as in the experiment.
#[derive(Debug, Clone)]
pub struct Point<'p> {
    /// The run.
    pub run: &'p RunSpec,
    /// The case of the run, if its experiment has cases.
    pub case: Option<&'p str>,
    /// Its status.
    pub status: Status,
    /// True if it contradicts its own equations.
    pub is_refuted: bool,
    /// Its error and work; `None` if it failed, is refuted or has no error.
    pub candidate: Option<Candidate>,
}

/// The cost of an accuracy for a method, and how reliable it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The work.
    pub value: f64,
    /// The cost of the neighbouring run that misses the accuracy. `None` if the cost is that of a single run, an upper
    /// bound because the run has no cheaper neighbour to interpolate with.
    pub at_least: Option<f64>,
    /// The cost of the run that reaches the accuracy.
    pub at_most: f64,
    /// True if the error does not decrease steadily: a more expensive run of the same sequence misses the accuracy.
    pub is_unsteady: bool,
    /// The index of the run that misses the accuracy, and of the run that reaches it.
    pub(super) runs: (Option<usize>, usize),
}

impl Cost {
    /// True if the cost is that of a single run, which may be more accurate than required, and therefore an upper
    /// bound. Otherwise it is interpolated between two runs.
    pub fn is_of_run(&self) -> bool {
        self.at_least.is_none()
    }
}

/// Returns the least work with which a method reaches an accuracy: the work of a run, or a value interpolated linearly
/// in both logarithms between two neighbouring runs, one of which reaches it and one of which does not. Returns `None`
/// if no run reaches it with this kind of work; there is no extrapolation. Runs without this kind of work are skipped.
pub fn cost(points: &[Point<'_>], work: usize, accuracy: f64) -> Option<Cost> {
    let measured = |point: &Point<'_>| {
        let candidate = point.candidate.as_ref()?;
        let cost = candidate.work[work].filter(|&cost| cost > 0.0)?;
        Some([candidate.error + candidate.bound, cost])
    };
    let measured: Vec<Option<[f64; 2]>> = points.iter().map(measured).collect();
    // Consecutive runs of a sequence differ in exactly one setting.
    let mut sequence = vec![0; points.len()];
    for index in 1..points.len() {
        let settings = points[index - 1].run.cells.iter().zip(&points[index].run.cells);
        sequence[index] = sequence[index - 1] + usize::from(settings.filter(|(a, b)| a != b).count() != 1);
    }
    let of_runs = measured.iter().enumerate().filter_map(|(fine, point)| {
        let [_, value] = point.filter(|[error, _]| *error <= accuracy)?;
        Some((value, None, fine))
    });
    let pairs = (1..points.len()).filter(|&index| sequence[index] == sequence[index - 1]);
    let between = pairs.flat_map(|index| [(index - 1, index), (index, index - 1)]).filter_map(|(coarse, fine)| {
        Some((crossing(measured[coarse]?, measured[fine]?, accuracy)?, Some(coarse), fine))
    });
    let (value, coarse, fine) = of_runs.chain(between).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let at_most = measured[fine]?[1];
    let misses = |index: usize| {
        let is_worse = |[error, work]: [f64; 2]| error > accuracy && work > at_most;
        sequence[index] == sequence[fine] && measured[index].is_some_and(is_worse)
    };
    let at_least = coarse.and_then(|coarse| Some(measured[coarse]?[1]));
    Some(Cost { value, at_least, at_most, is_unsteady: (0..points.len()).any(misses), runs: (coarse, fine) })
}

/// Interpolates the work at an accuracy between the points `[error, work]` of a run that misses it and a run that
/// reaches it.
fn crossing([e0, w0]: [f64; 2], [e1, w1]: [f64; 2], accuracy: f64) -> Option<f64> {
    // An error of zero has no logarithm, so that nothing can be interpolated.
    (e0 > accuracy && accuracy >= e1 && e1 > 0.0 && e0.is_finite())
        .then(|| w0 * (w1 / w0).powf((accuracy / e0).ln() / (e1 / e0).ln()))
}

/// Differences in cost up to this factor are not significant: steps and tolerances are tried on a grid with larger
/// differences between neighbouring runs, and costs in between are interpolated linearly.
pub const APART: f64 = 2.0;

/// The result and the cost of a completed run.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Step or tolerance, as in the experiment file: `step 2^-8`.
    pub setting: String,
    /// Its error, relative to the scale of the ranking.
    pub error: f64,
    /// Bound on the error of the reference, relative to the same scale.
    pub bound: f64,
    /// Its cost by each kind of work; `None` if it was not measured.
    pub work: Vec<Option<f64>>,
}

impl Candidate {
    /// True if its error is at most `accuracy` even if the error of the reference is at its bound.
    pub fn reaches(&self, accuracy: f64) -> bool {
        self.error + self.bound <= accuracy
    }
}

/// A method that reaches an accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct Place<'p> {
    /// The name of the method.
    pub method: &'p str,
    /// The cost of the accuracy.
    pub cost: Cost,
    /// The settings of the runs between which the cost was interpolated, or of the single run:
    /// `tolerance 1e-5 to 1e-7`. If the method was run in several cases, the case comes first.
    pub setting: String,
    /// Key of the run that reaches the accuracy.
    pub run: String,
    /// True for a method from outside that is compared with all others; it is highlighted.
    pub is_contender: bool,
}

/// A method with its runs.
#[derive(Debug, Clone)]
pub struct Curve<'p> {
    /// The name of the method.
    pub method: &'p str,
    /// Its family.
    pub family: &'static str,
    /// True for a method from outside that is compared with all others.
    pub is_contender: bool,
    /// Its runs.
    pub points: Vec<Point<'p>>,
}

/// Combines two settings: `tolerance 1e-5 to 1e-7`.
fn span(coarse: &str, fine: &str) -> String {
    let is_same = |name: &&str| fine.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    match coarse.split_once(' ').filter(|(name, _)| is_same(name)) {
        Some((name, _)) => format!("{coarse} to {}", fine[name.len()..].trim_start()),
        None => format!("{coarse} to {fine}"),
    }
}

impl<'p> Curve<'p> {
    /// The least cost of an accuracy, by one kind of work.
    pub fn cost(&self, work: usize, accuracy: f64) -> Option<Cost> {
        cost(&self.points, work, accuracy)
    }

    /// Returns the entry of the method in a ranking, given its cost.
    fn place(&self, cost: Cost) -> Place<'p> {
        let (coarse, fine) = cost.runs;
        let fine = &self.points[fine];
        let said = |point: &Point<'_>| point.candidate.as_ref().map_or_else(String::new, |each| each.setting.clone());
        let setting = match coarse {
            Some(coarse) => span(&said(&self.points[coarse]), &said(fine)),
            None => said(fine),
        };
        let is_in_several = self.points.iter().any(|point| point.case != fine.case);
        let setting = match fine.case.filter(|_| is_in_several) {
            Some(case) if setting.is_empty() => case.to_owned(),
            Some(case) => format!("{case}: {setting}"),
            None => setting,
        };
        Place { method: self.method, cost, setting, run: fine.run.key().to_string(), is_contender: self.is_contender }
    }
}

/// Returns the methods that reach an accuracy, with their costs by one kind of work, the cheapest first, and by name if
/// costs are equal. Each method has one entry, the cheapest of the ways in which it was run. Methods without this kind
/// of work are left out: an explicit method does not have the fewest factorizations, it has none.
pub fn cheapest<'p>(curves: &[Curve<'p>], work: usize, accuracy: f64) -> Vec<Place<'p>> {
    let reaching = curves.iter().filter_map(|curve| Some((curve, curve.cost(work, accuracy)?)));
    let mut places: Vec<Place<'p>> = reaching.map(|(curve, cost)| curve.place(cost)).collect();
    places.sort_by(|a, b| a.cost.value.total_cmp(&b.cost.value).then(a.method.cmp(b.method)));
    places
}

/// Returns the first methods in the order of `cheapest`, up to a factor of [`APART`] above the cheapest.
pub fn near<'a, 'p>(places: &'a [Place<'p>]) -> &'a [Place<'p>] {
    let Some(least) = places.first().map(|place| place.cost.value) else { return places };
    &places[..places.partition_point(|place| place.cost.value <= APART * least)]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_experiment::Registry;
    use mbsbench_experiment::plan::Plan;

    use super::*;

    #[test]
    fn interpolation_is_linear_in_both_logarithms() {
        // error = 1/work²
        let work = crossing([1e-2, 10.0], [1e-6, 1000.0], 1e-4).unwrap();
        assert!((work - 100.0).abs() < 1e-10, "{work}");
        assert_eq!(crossing([1e-6, 1000.0], [1e-2, 10.0], 1e-4), None, "the other way round");
        assert_eq!(crossing([1e-2, 10.0], [1e-6, 1000.0], 1e-6), Some(1000.0));
    }

    #[test]
    fn nothing_is_extrapolated_or_read_without_logarithm() {
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

    /// Cost for a method run with five consecutive steps and the given errors and costs; `None` marks a failed run.
    fn at(points: [Option<[f64; 2]>; 5], accuracy: f64) -> Option<Cost> {
        let text = "schema: 2\nid: mine/a\ntitle: a\nmodel: pendulum\nspan: [0, 1]\nmethod: rk4\n\
                    step: [0.1, 0.05, 0.02, 0.01, 0.005]\nmeasures: [steps_accepted]\n";
        let plan = Plan::read(Path::new("a.yaml"), text.as_bytes(), &Registry::builtin(), false).unwrap();
        let candidate =
            |[error, work]: [f64; 2]| Candidate { setting: String::new(), error, bound: 0.0, work: vec![Some(work)] };
        let runs = plan.runs.iter().zip(points);
        let points: Vec<Point<'_>> = runs
            .map(|(run, point)| Point {
                run,
                case: None,
                status: Status::Ok,
                is_refuted: false,
                candidate: point.map(candidate),
            })
            .collect();
        cost(&points, 0, accuracy)
    }

    #[test]
    fn an_interpolated_cost_lies_between_its_neighbours() {
        let steady = [[1e-1, 10.0], [1e-2, 20.0], [1e-4, 50.0], [1e-6, 100.0], [1e-8, 200.0]].map(Some);
        let found = at(steady, 1e-3).unwrap();
        assert_eq!((found.at_least, found.at_most, found.is_unsteady), (Some(20.0), 50.0, false));
        assert!((found.value - (20.0f64 * 50.0).sqrt()).abs() < 1e-12, "{found:?}");
        // The coarsest run is more accurate than required; the cost of a coarser one is unknown.
        let found = at(steady, 0.5).unwrap();
        assert_eq!((found.value, found.at_least, found.at_most), (10.0, None, 10.0));
        assert!(found.is_of_run());
        assert_eq!(at(steady, 1e-9), None, "nothing is extrapolated");
    }

    #[test]
    fn the_cheapest_crossing_counts_and_a_miss_is_reported() {
        let lucky = [[1e-1, 10.0], [1e-5, 20.0], [1e-2, 50.0], [1e-6, 100.0], [1e-8, 200.0]].map(Some);
        let found = at(lucky, 1e-3).unwrap();
        assert_eq!((found.at_least, found.at_most, found.is_unsteady), (Some(10.0), 20.0, true));
        assert!(!at(lucky, 1e-7).unwrap().is_unsteady);
        // Rounding errors dominate at the smallest steps.
        let rounded = [[1e-1, 10.0], [1e-3, 20.0], [1e-6, 50.0], [1e-9, 100.0], [1e-4, 200.0]].map(Some);
        assert!(at(rounded, 1e-5).unwrap().is_unsteady && !at(rounded, 1e-2).unwrap().is_unsteady);
    }

    #[test]
    fn nothing_is_interpolated_across_a_failed_run() {
        let failed = [Some([1e-1, 10.0]), None, Some([1e-4, 50.0]), None, None];
        let found = at(failed, 1e-2).unwrap();
        assert_eq!((found.value, found.at_least, found.is_unsteady), (50.0, None, false));
    }
}
