//! Computation of rankings from the rows of an experiment.

use std::collections::BTreeSet;

use mbsbench_experiment::{Plan, RankingSpec};
use mbsbench_problem::Status;

use super::Unequal;
use super::curve::{Candidate, Curve, Place, cheapest};
use super::entrants::{Contending, Entrant, among, curves};
use crate::claims::Evidence;

/// A ranking of an experiment with its results.
#[derive(Debug, Clone)]
pub struct Ranked<'p> {
    /// The experiment.
    pub plan: &'p Plan,
    /// The ranking as requested by the experiment.
    pub spec: &'p RankingSpec,
    /// The methods with their runs, by name.
    pub curves: Vec<Curve<'p>>,
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
    /// The number of runs that failed or are refuted.
    pub failed: usize,
    /// The number of refuted ones among them.
    pub refuted: usize,
    /// The number of runs that could not be computed on this machine.
    pub unavailable: usize,
}

impl Ranked<'_> {
    /// The families of methods that occur, each once.
    pub fn families(&self) -> Vec<&'static str> {
        let families: BTreeSet<&str> = self.curves.iter().map(|curve| curve.family).collect();
        families.into_iter().collect()
    }

    /// The index of a kind of work among those of this ranking.
    pub fn work(&self, name: &str) -> Option<usize> {
        self.spec.work.0.iter().position(|(own, _)| own == name)
    }
}

impl Counts {
    /// Counts the runs of `methods` methods.
    pub(super) fn of<'c>(methods: usize, curves: impl IntoIterator<Item = &'c Curve<'c>>) -> Self {
        let mut counts = Self { methods, ..Self::default() };
        for point in curves.into_iter().flat_map(|curve| &curve.points) {
            counts.runs += 1;
            counts.refuted += usize::from(point.is_refuted);
            match point.status {
                Status::Ok if !point.is_refuted => {}
                Status::Unavailable => counts.unavailable += 1,
                _ => counts.failed += 1,
            }
        }
        counts
    }
}

/// Computes all rankings of an experiment from its rows and from the runs of contenders.
pub fn rank<'p>(plan: &'p Plan, evidence: &'p Evidence<'_>, contending: &[&'p Contending<'_>]) -> Vec<Ranked<'p>> {
    let rankings = plan.experiment.rankings.iter().map(|ranking| &ranking.value);
    rankings.map(|spec| ranked(plan, spec, contending, &among(plan, evidence, contending, spec))).collect()
}

fn ranked<'p>(
    plan: &'p Plan,
    spec: &'p RankingSpec,
    contending: &[&Contending<'_>],
    entrants: &[Entrant<'p>],
) -> Ranked<'p> {
    let curves = curves(entrants, spec, contending);
    let has = |is_good: &dyn Fn(&Candidate) -> bool| {
        let reaching = |curve: &&Curve<'_>| curve.points.iter().filter_map(|p| p.candidate.as_ref()).any(is_good);
        curves.iter().filter(reaching).count()
    };
    let of_accuracy = |&accuracy: &f64| (0..spec.work.0.len()).map(|work| cheapest(&curves, work, accuracy)).collect();
    Ranked {
        plan,
        spec,
        counts: Counts::of(curves.len(), &curves),
        unequal: Unequal::all(entrants.iter().map(|entrant| (entrant.run.method_label.as_str(), entrant.run))),
        resolved: spec.accuracies.iter().map(|&accuracy| has(&|each| each.bound <= accuracy) > 0).collect(),
        reached_by: spec.accuracies.iter().map(|&accuracy| has(&|each| each.reaches(accuracy))).collect(),
        places: spec.accuracies.iter().map(of_accuracy).collect(),
        curves,
    }
}
