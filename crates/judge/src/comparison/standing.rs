//! The position of one method among all others, ranking by ranking.

use mbsbench_experiment::{Plan, RankingSpec};
use mbsbench_runs::pairs::median;

use super::curve::{Cost, Place, Point, cheapest, cost};
use super::entrants::{Entrant, curves, points};
use super::{Counts, is_about};

/// The position of a method in one ranking.
#[derive(Debug, Clone)]
pub struct Standing<'p> {
    /// The experiment.
    pub plan: &'p Plan,
    /// The ranking as requested by the experiment.
    pub spec: &'p RankingSpec,
    /// The method's own runs; zero if it was not run here.
    pub counts: Counts,
    /// For each accuracy and each kind of work, its rank.
    pub ranks: Vec<Vec<Rank>>,
}

/// The rank of a method at one accuracy, by one kind of work.
#[derive(Debug, Clone, PartialEq)]
pub enum Rank {
    /// It reaches the accuracy.
    Reached {
        /// One plus the number of other methods that cost less.
        rank: usize,
        /// The number of methods that reach the accuracy, including this one.
        of: usize,
        /// The cost of the method.
        cost: Cost,
        /// The cheapest method and its cost.
        best: (String, f64),
    },
    /// It does not reach the accuracy, but other methods do.
    NotReached {
        /// The number of other methods that reach it.
        by: usize,
    },
    /// The reference is not accurate enough for a decision.
    Unresolved,
    /// It reaches the accuracy without any of this work, like an explicit method without factorizations.
    Free,
    /// This kind of work was not measured for it.
    Unmeasured,
    /// It was not run here.
    Absent,
}

impl Rank {
    /// Its cost relative to the cost of the best method.
    pub fn ratio(&self) -> Option<f64> {
        match self {
            Self::Reached { cost, best, .. } => Some(cost.value / best.1),
            _ => None,
        }
    }
}

/// Ranks a method with its `own` runs among `others`, in a ranking of `plan`. Each method has one entry, the cheapest
/// of the ways in which it was run.
pub fn stand<'p>(plan: &'p Plan, spec: &'p RankingSpec, own: &[Entrant<'_>], others: &[Entrant<'_>]) -> Standing<'p> {
    let label = own.first().map_or("", |entrant| entrant.run.method_label.as_str());
    let own_points = points(own, spec);
    let curves = curves(others, spec, &[]);
    let candidates = || curves.iter().flat_map(|curve| &curve.points).chain(&own_points);
    let rank = |accuracy: f64, work: usize| {
        if own.is_empty() {
            return Rank::Absent;
        }
        if !candidates().filter_map(|point| point.candidate.as_ref()).any(|candidate| candidate.bound <= accuracy) {
            return Rank::Unresolved;
        }
        let places = cheapest(&curves, work, accuracy);
        let reaching =
            || own_points.iter().filter_map(|point| point.candidate.as_ref()).filter(|c| c.reaches(accuracy));
        let Some(own) = cost(&own_points, work, accuracy) else {
            return match reaching().next() {
                None => Rank::NotReached { by: places.len() },
                Some(_) if reaching().any(|candidate| candidate.work[work].is_some()) => Rank::Free,
                Some(_) => Rank::Unmeasured,
            };
        };
        let before = places.partition_point(|place| place.cost.value < own.value);
        let best = places[..before].first().map_or((label, own.value), |place| (place.method, place.cost.value));
        Rank::Reached { rank: 1 + before, of: 1 + places.len(), cost: own, best: (best.0.to_owned(), best.1) }
    };
    let counts = Counts::of(curves.len() + usize::from(!own.is_empty()), own);
    let of_accuracy = |&accuracy: &f64| (0..spec.work.0.len()).map(|work| rank(accuracy, work)).collect();
    Standing { plan, spec, counts, ranks: spec.accuracies.iter().map(of_accuracy).collect() }
}

/// Returns the methods that reach an accuracy, by one kind of work; see [`cheapest`].
pub fn places<'p>(entrants: &[Entrant<'p>], spec: &RankingSpec, work: usize, accuracy: f64) -> Vec<Place<'p>> {
    cheapest(&curves(entrants, spec, &[]), work, accuracy)
}

/// Work and error of all runs that have both positive, for a logarithmic plot; methods in the order of their names.
pub fn errors_and_costs(entrants: &[Entrant<'_>], spec: &RankingSpec, work: usize) -> Vec<[f64; 2]> {
    let measured = |point: &Point<'_>| {
        let candidate = point.candidate.as_ref()?;
        let cost = candidate.work[work].filter(|&cost| cost > 0.0)?;
        (candidate.error > 0.0).then_some([cost, candidate.error])
    };
    curves(entrants, spec, &[]).iter().flat_map(|curve| curve.points.iter().filter_map(measured)).collect()
}

/// A one-line summary of all standings of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// The number of models on which it was run.
    pub models: usize,
    /// Accuracies with the number of models on which it reaches them, by the first ranking of each model.
    pub reached: Vec<(f64, usize)>,
    /// For each kind of work, the median of its cost relative to the best method, over the models and accuracies that
    /// it reaches; `None` if it reaches none.
    pub ratios: Vec<(String, Option<f64>)>,
    /// The number of its runs.
    pub runs: usize,
    /// The number of its runs that failed or exhausted their budget.
    pub failed: usize,
}

impl Tally {
    /// Summarises standings in the order of their experiments. A model counts once, by the first of its rankings.
    pub fn of(standings: &[Standing<'_>]) -> Self {
        let mut tally = Self { models: 0, reached: Vec::new(), ratios: Vec::new(), runs: 0, failed: 0 };
        let mut ratios: Vec<(String, Vec<f64>)> = Vec::new();
        let mut known: Vec<&Standing<'_>> = Vec::new();
        for standing in standings.iter().filter(|standing| standing.counts.runs > 0) {
            if known.iter().any(|other| is_about(other, standing)) {
                continue;
            }
            known.push(standing);
            tally.models += 1;
            tally.runs += standing.counts.runs;
            tally.failed += standing.counts.failed;
            for (&accuracy, ranks) in standing.spec.accuracies.iter().zip(&standing.ranks) {
                let is_reached = ranks.iter().any(|rank| matches!(rank, Rank::Reached { .. } | Rank::Free));
                match tally.reached.iter_mut().find(|(known, _)| *known == accuracy) {
                    Some((_, count)) => *count += usize::from(is_reached),
                    None => tally.reached.push((accuracy, usize::from(is_reached))),
                }
                for ((work, _), rank) in standing.spec.work.0.iter().zip(ranks) {
                    let place = ratios.iter().position(|(known, _)| known == work);
                    let place = place.unwrap_or_else(|| {
                        ratios.push((work.clone(), Vec::new()));
                        ratios.len() - 1
                    });
                    ratios[place].1.extend(rank.ratio());
                }
            }
        }
        tally.ratios = ratios
            .into_iter()
            .map(|(work, ratios)| (work, (!ratios.is_empty()).then(|| median(&ratios).value)))
            .collect();
        tally
    }
}
