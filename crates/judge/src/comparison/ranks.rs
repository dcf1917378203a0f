//! The position of one method among all others, ranking by ranking.

use mbsbench_experiment::lists::{grouped, unique_by};
use mbsbench_experiment::{Plan, RankingSpec};
use mbsbench_runs::pairs::median;

use super::curve::{Cost, Curve, Place};
use super::{Counts, Ranked, is_about};

/// The position of a method in one ranking.
#[derive(Debug, Clone)]
pub struct MethodRanks<'p> {
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

impl<'p> Ranked<'p> {
    /// Separates the curves of a method, which may have been run in several ways, from those of all others.
    pub fn of_method(&self, name: &str) -> (Vec<&Curve<'p>>, Vec<&Curve<'p>>) {
        let is_own = |curve: &&Curve<'_>| {
            curve.method == name || curve.points.iter().any(|point| point.run.method.name() == name)
        };
        self.curves.iter().partition(is_own)
    }

    /// Ranks a method among all others. Each method has one entry, the cheapest of the ways in which it was run.
    pub fn standing(&self, name: &str) -> MethodRanks<'p> {
        let (own, others) = self.of_method(name);
        let rank = |level: usize, work: usize| {
            let Some(first) = own.first() else { return Rank::Absent };
            if !self.resolved[level] {
                return Rank::Unresolved;
            }
            let is_own = |place: &&Place<'_>| own.iter().any(|curve| curve.method == place.method);
            let (mine, places): (Vec<_>, Vec<_>) = self.places[level][work].iter().partition(is_own);
            let Some(Place { cost, .. }) = mine.first() else {
                let candidates =
                    own.iter().flat_map(|curve| &curve.points).filter_map(|point| point.candidate.as_ref());
                let reaching: Vec<_> = candidates.filter(|each| each.reaches(self.spec.accuracies[level])).collect();
                return match reaching.iter().any(|candidate| candidate.work[work].is_some()) {
                    _ if reaching.is_empty() => Rank::NotReached { by: places.len() },
                    true => Rank::Free,
                    false => Rank::Unmeasured,
                };
            };
            let before = places.partition_point(|place| place.cost.value < cost.value);
            let best = places[..before].first().map_or((first.method, cost.value), |p| (p.method, p.cost.value));
            Rank::Reached { rank: 1 + before, of: 1 + places.len(), cost: *cost, best: (best.0.to_owned(), best.1) }
        };
        let ranks = |level: usize| (0..self.spec.work.0.len()).map(|work| rank(level, work)).collect();
        MethodRanks {
            plan: self.plan,
            spec: self.spec,
            counts: Counts::of(others.len() + usize::from(!own.is_empty()), own.iter().copied()),
            ranks: (0..self.spec.accuracies.len()).map(ranks).collect(),
        }
    }
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
    pub fn of(standings: &[MethodRanks<'_>]) -> Self {
        let mut tally = Self { models: 0, reached: Vec::new(), ratios: Vec::new(), runs: 0, failed: 0 };
        let (mut reached, mut ratios) = (Vec::new(), Vec::new());
        let standings = standings.iter().filter(|standing| standing.counts.runs > 0);
        for standing in unique_by(standings, |one, other| is_about(one, other)) {
            tally.models += 1;
            tally.runs += standing.counts.runs;
            tally.failed += standing.counts.failed;
            for (&accuracy, ranks) in standing.spec.accuracies.iter().zip(&standing.ranks) {
                let is_reached = ranks.iter().any(|rank| matches!(rank, Rank::Reached { .. } | Rank::Free));
                reached.push((accuracy, usize::from(is_reached)));
                let works = standing.spec.work.0.iter().zip(ranks);
                ratios.extend(works.map(|((work, _), rank)| (work.clone(), rank.ratio())));
            }
        }
        tally.reached =
            grouped(reached).into_iter().map(|(accuracy, counts)| (accuracy, counts.iter().sum())).collect();
        let typical = |ratios: &[f64]| (!ratios.is_empty()).then(|| median(ratios).value);
        let of_work = |(work, ratios): (_, Vec<_>)| (work, typical(&ratios.into_iter().flatten().collect::<Vec<_>>()));
        tally.ratios = grouped(ratios).into_iter().map(of_work).collect();
        tally
    }
}
