//! What an accuracy costs each method, between the runs that it made, and the methods that reach it, the cheapest first: the one definition
//! behind every table, page and command.

use mbsbench_experiment::RunSpec;

/// A run of a method, in the order of its experiment.
#[derive(Debug, Clone)]
pub struct Point<'p> {
    /// The run.
    pub run: &'p RunSpec,
    /// The case that it is of, if its experiment has cases.
    pub case: Option<&'p str>,
    /// Its error and its work; none if it failed, or has no error.
    pub candidate: Option<Candidate>,
}

/// What an accuracy costs a method, and how well the runs tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The work.
    pub value: f64,
    /// What the neighbouring run costs that misses the accuracy. None if the cost is that of a run, which is an upper
    /// bound: the run has no cheaper neighbour to interpolate with.
    pub at_least: Option<f64>,
    /// What the run costs that reaches the accuracy.
    pub at_most: f64,
    /// Whether the error does not fall steadily: another run of the same kind costs more and misses the accuracy.
    pub is_unsteady: bool,
    /// The place of the run that misses the accuracy, and of the one that reaches it.
    pub(super) runs: (Option<usize>, usize),
}

impl Cost {
    /// Whether it is that of a run, which may be more accurate than was asked: an upper bound. Otherwise it is read off
    /// between two.
    pub fn is_of_run(&self) -> bool {
        self.at_least.is_none()
    }
}

/// The least work with which one method reaches an accuracy: that of a run, or read off a straight line in both logarithms between two
/// neighbours, one of which reaches it and one does not. None if no run reaches it by this kind of work: nothing is
/// extrapolated.
/// Runs that cost nothing by it are passed over.
pub fn cost(points: &[Point<'_>], work: usize, accuracy: f64) -> Option<Cost> {
    let measured = |point: &Point<'_>| {
        let candidate = point.candidate.as_ref()?;
        let cost = candidate.work[work].filter(|&cost| cost > 0.0)?;
        Some([candidate.error + candidate.bound, cost])
    };
    let measured: Vec<Option<[f64; 2]>> = points.iter().map(measured).collect();
    // Runs of a sequence differ from one to the next in one setting.
    let mut sequence = vec![0; points.len()];
    for index in 1..points.len() {
        let is_new = !are_neighbours(points[index - 1].run, points[index].run);
        sequence[index] = sequence[index - 1] + usize::from(is_new);
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

/// Whether two runs differ in one setting and nothing else.
fn are_neighbours(one: &RunSpec, other: &RunSpec) -> bool {
    one.cells.iter().zip(&other.cells).filter(|(a, b)| a != b).count() == 1
}

/// The work at an accuracy between the points `[error, work]` of a run that misses it and of one that reaches it.
fn crossing([e0, w0]: [f64; 2], [e1, w1]: [f64; 2], accuracy: f64) -> Option<f64> {
    // An error of zero has no logarithm, and says nothing of what is between.
    (e0 > accuracy && accuracy >= e1 && e1 > 0.0 && e0.is_finite())
        .then(|| w0 * (w1 / w0).powf((accuracy / e0).ln() / (e1 / e0).ln()))
}

/// Methods whose costs differ by no more than this factor are not told apart: steps and tolerances are tried on a grid
/// on which the costs of neighbouring runs differ by more, and between these they are read off a straight line.
pub const APART: f64 = 2.0;

/// A run that went to its end, with what it gave and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Step or tolerance, as in the experiment file: `step 2^-8`.
    pub setting: String,
    /// Its error, over the scale of the ranking.
    pub error: f64,
    /// Bound on the reference's own error, over the same scale.
    pub bound: f64,
    /// What it cost, by each kind of work; none where that was not measured.
    pub work: Vec<Option<f64>>,
}

impl Candidate {
    /// Whether its error is surely at most `accuracy`, whatever the reference's own error.
    pub fn reaches(&self, accuracy: f64) -> bool {
        self.error + self.bound <= accuracy
    }
}

/// A method that reaches an accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct Place<'p> {
    /// What the method is called.
    pub method: &'p str,
    /// What the accuracy costs it.
    pub cost: Cost,
    /// The settings of the runs that the cost is of, or between which it was read off: `tolerance 1e-5 to 1e-7`; after
    /// the case, if the method was run in several.
    pub setting: String,
    /// Key of the run that reaches the accuracy.
    pub run: String,
    /// Whether somebody puts it beside all others: it stands out.
    pub is_contender: bool,
}

/// A method with its runs.
#[derive(Debug, Clone)]
pub struct Curve<'p> {
    /// What the method is called.
    pub method: &'p str,
    /// Its family.
    pub family: &'static str,
    /// Whether somebody puts it beside all others.
    pub is_contender: bool,
    /// Its runs.
    pub points: Vec<Point<'p>>,
}

/// `tolerance 1e-5 to 1e-7` from both settings.
fn span(coarse: &str, fine: &str) -> String {
    let is_same = |name: &&str| fine.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    match coarse.split_once(' ').filter(|(name, _)| is_same(name)) {
        Some((name, _)) => format!("{coarse} to {}", fine[name.len()..].trim_start()),
        None => format!("{coarse} to {fine}"),
    }
}

impl<'p> Curve<'p> {
    /// The least work for an accuracy, by one kind of work.
    pub fn cost(&self, work: usize, accuracy: f64) -> Option<Cost> {
        cost(&self.points, work, accuracy)
    }

    /// Where it stands if it costs so much.
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

/// The methods that reach an accuracy with what it costs them by one kind of work, the cheapest first, methods at the
/// same cost by name. Each stands once, with the cheapest of the ways in which it was run. Methods that have none of
/// this work are not among them: an explicit method is not the one with the fewest factorizations, but has none.
pub fn cheapest<'p>(curves: &[Curve<'p>], work: usize, accuracy: f64) -> Vec<Place<'p>> {
    let reaching = curves.iter().filter_map(|curve| Some((curve, curve.cost(work, accuracy)?)));
    let mut places: Vec<Place<'p>> = reaching.map(|(curve, cost)| curve.place(cost)).collect();
    places.sort_by(|a, b| a.cost.value.total_cmp(&b.cost.value).then(a.method.cmp(b.method)));
    places
}

/// Of methods in the order of [`cheapest`] those that cannot be told from the first: within a factor of [`APART`].
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
    fn between_two_runs_the_line_is_straight_in_both_logarithms() {
        // error = 1/work²
        let work = crossing([1e-2, 10.0], [1e-6, 1000.0], 1e-4).unwrap();
        assert!((work - 100.0).abs() < 1e-10, "{work}");
        assert_eq!(crossing([1e-6, 1000.0], [1e-2, 10.0], 1e-4), None, "the other way round");
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

    /// A method with five steps in a row and the given errors and costs; none failed.
    fn at(points: [Option<[f64; 2]>; 5], accuracy: f64) -> Option<Cost> {
        let text = "schema: 2\nid: mine/a\ntitle: a\nmodel: pendulum\nspan: [0, 1]\nmethod: rk4\n\
                    step: [0.1, 0.05, 0.02, 0.01, 0.005]\nmeasures: [steps_accepted]\n";
        let plan = Plan::read(Path::new("a.yaml"), text.as_bytes(), &Registry::builtin(), false).unwrap();
        let candidate =
            |[error, work]: [f64; 2]| Candidate { setting: String::new(), error, bound: 0.0, work: vec![Some(work)] };
        let runs = plan.runs.iter().zip(points);
        let points: Vec<Point<'_>> =
            runs.map(|(run, point)| Point { run, case: None, candidate: point.map(candidate) }).collect();
        cost(&points, 0, accuracy)
    }

    #[test]
    fn a_cost_lies_between_those_of_the_runs_beside_it() {
        let steady = [[1e-1, 10.0], [1e-2, 20.0], [1e-4, 50.0], [1e-6, 100.0], [1e-8, 200.0]].map(Some);
        let found = at(steady, 1e-3).unwrap();
        assert_eq!((found.at_least, found.at_most, found.is_unsteady), (Some(20.0), 50.0, false));
        assert!((found.value - (20.0f64 * 50.0).sqrt()).abs() < 1e-12, "{found:?}");
        // The coarsest run is more accurate than asked: nobody knows how much less would do.
        let found = at(steady, 0.5).unwrap();
        assert_eq!((found.value, found.at_least, found.at_most), (10.0, None, 10.0));
        assert!(found.is_of_run());
        assert_eq!(at(steady, 1e-9), None, "nothing is extrapolated");
    }

    #[test]
    fn the_cheapest_crossing_counts_and_a_later_miss_is_told() {
        let lucky = [[1e-1, 10.0], [1e-5, 20.0], [1e-2, 50.0], [1e-6, 100.0], [1e-8, 200.0]].map(Some);
        let found = at(lucky, 1e-3).unwrap();
        assert_eq!((found.at_least, found.at_most, found.is_unsteady), (Some(10.0), 20.0, true));
        assert!(!at(lucky, 1e-7).unwrap().is_unsteady);
        // Rounding at the smallest steps.
        let rounded = [[1e-1, 10.0], [1e-3, 20.0], [1e-6, 50.0], [1e-9, 100.0], [1e-4, 200.0]].map(Some);
        assert!(at(rounded, 1e-5).unwrap().is_unsteady && !at(rounded, 1e-2).unwrap().is_unsteady);
    }

    #[test]
    fn nothing_is_read_off_across_a_run_that_failed() {
        let failed = [Some([1e-1, 10.0]), None, Some([1e-4, 50.0]), None, None];
        let found = at(failed, 1e-2).unwrap();
        assert_eq!((found.value, found.at_least, found.is_unsteady), (50.0, None, false));
    }
}
