//! The methods that reach an accuracy, the cheapest first: the one definition behind every table, page and command.

use super::curve::{Cost, Point, cost};

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
