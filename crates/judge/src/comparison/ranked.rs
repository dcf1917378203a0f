//! Computation of rankings from the rows of an experiment.

use mbsbench_experiment::{Plan, RankingSpec};
use mbsbench_problem::Status;

use super::Unequal;
use super::curve::{Candidate, Curve, Place, cheapest};
use super::entrants::{Contending, Entrant, curves};
use crate::claims::Evidence;

/// A ranking of an experiment with its results.
#[derive(Debug, Clone)]
pub struct Ranked<'p> {
    /// The experiment.
    pub plan: &'p Plan,
    /// The ranking as requested by the experiment.
    pub spec: &'p RankingSpec,
    /// The numbers of methods and runs behind it.
    pub counts: Counts,
    /// Settings in which the methods differ.
    pub unequal: Vec<Unequal>,
    /// For each accuracy, true if the reference is accurate enough for a decision.
    pub resolved: Vec<bool>,
    /// For each accuracy, the number of methods that reach it.
    pub reached_by: Vec<usize>,
    /// For each accuracy and each kind of work, all methods that reach it, the cheapest first.
    pub places: Vec<Vec<Vec<Place<'p>>>>,
}

/// Numbers of methods and runs behind a ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of methods.
    pub methods: usize,
    /// The number of all runs.
    pub runs: usize,
    /// The number of runs that failed.
    pub failed: usize,
    /// The number of runs that could not be computed on this machine.
    pub unavailable: usize,
}

impl Counts {
    /// Counts the runs of `methods` methods.
    pub(super) fn of(methods: usize, entrants: &[Entrant<'_>]) -> Self {
        let with = |status: Status| entrants.iter().filter(|entrant| entrant.row.status == status).count();
        let (runs, unavailable) = (entrants.len(), with(Status::Unavailable));
        Self { methods, runs, failed: runs - with(Status::Ok) - unavailable, unavailable }
    }
}

/// Computes all rankings of an experiment from its rows and from the runs of contenders.
pub fn rank<'p>(plan: &'p Plan, evidence: &'p Evidence<'_>, contending: &'p Contending<'_>) -> Vec<Ranked<'p>> {
    let rankings = plan.experiment.rankings.iter();
    rankings
        .map(|ranking| {
            ranked(plan, &ranking.value, contending.names(), contending.among(plan, evidence, &ranking.value))
        })
        .collect()
}

fn ranked<'p>(plan: &'p Plan, spec: &'p RankingSpec, contenders: &[String], meant: Vec<Entrant<'p>>) -> Ranked<'p> {
    let curves = curves(&meant, spec, contenders);
    let has = |is_good: &dyn Fn(&Candidate) -> bool| {
        let reaching = |curve: &&Curve<'_>| curve.points.iter().filter_map(|p| p.candidate.as_ref()).any(is_good);
        curves.iter().filter(reaching).count()
    };
    let of_accuracy = |&accuracy: &f64| (0..spec.work.0.len()).map(|work| cheapest(&curves, work, accuracy)).collect();
    Ranked {
        plan,
        spec,
        counts: Counts::of(curves.len(), &meant),
        unequal: Unequal::all(meant.iter().map(|entrant| (entrant.run.method_label.as_str(), entrant.run))),
        resolved: spec.accuracies.iter().map(|&accuracy| has(&|each| each.bound <= accuracy) > 0).collect(),
        reached_by: spec.accuracies.iter().map(|&accuracy| has(&|each| each.reaches(accuracy))).collect(),
        places: spec.accuracies.iter().map(of_accuracy).collect(),
    }
}
