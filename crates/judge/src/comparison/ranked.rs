//! From the rows of an experiment to its rankings.

use mbsbench_experiment::{Plan, RankingSpec};
use mbsbench_problem::Status;

use super::Unequal;
use super::curve::{Candidate, Curve, Place, cheapest};
use super::entrants::{Contending, Entrant, curves};
use crate::claims::Evidence;

/// A ranking of an experiment with its answers.
#[derive(Debug, Clone)]
pub struct Ranked<'p> {
    /// The experiment.
    pub plan: &'p Plan,
    /// What was asked.
    pub spec: &'p RankingSpec,
    /// How many runs it rests on.
    pub counts: Counts,
    /// Settings in which the methods differ.
    pub unequal: Vec<Unequal>,
    /// For each accuracy, whether the reference is good enough to tell.
    pub resolved: Vec<bool>,
    /// For each accuracy, how many methods reach it.
    pub reached_by: Vec<usize>,
    /// For each accuracy and each kind of work, all methods that reach it, the cheapest first.
    pub places: Vec<Vec<Vec<Place<'p>>>>,
}

/// How many runs a ranking rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Methods.
    pub methods: usize,
    /// All runs.
    pub runs: usize,
    /// Runs that failed.
    pub failed: usize,
    /// Runs that could not be made on this machine.
    pub unavailable: usize,
}

impl Counts {
    /// Of some runs of so many methods.
    pub(super) fn of(methods: usize, entrants: &[Entrant<'_>]) -> Self {
        let with = |status: Status| entrants.iter().filter(|entrant| entrant.row.status == status).count();
        let (runs, unavailable) = (entrants.len(), with(Status::Unavailable));
        Self { methods, runs, failed: runs - with(Status::Ok) - unavailable, unavailable }
    }
}

/// The answers to all rankings of an experiment, from its rows and from the runs of contenders.
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
