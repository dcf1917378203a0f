//! From the rows of an experiment to its rankings.

use std::sync::Arc;

use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_experiment::registry::CONTROLS;
use mbsbench_experiment::{Label, RankingSpec};
use mbsbench_measures::bound_of;
use mbsbench_problem::{Status, StepControl};

use super::contending::Contending;
use super::rank::{Candidate, Place, cheapest};
use super::standing::curves;
use super::{Entrant, Unequal};
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
    rankings.map(|ranking| ranked(plan, &ranking.value, evidence, contending)).collect()
}

fn ranked<'p>(
    plan: &'p Plan,
    spec: &'p RankingSpec,
    evidence: &'p Evidence<'_>,
    contending: &'p Contending<'_>,
) -> Ranked<'p> {
    let meant: Vec<Entrant<'p>> = contending.among(plan, evidence, spec);
    let curves = curves(&meant, spec, contending.names());
    let has = |is_good: &dyn Fn(&Candidate) -> bool| {
        let reaching =
            |curve: &&super::Curve<'_>| curve.points.iter().filter_map(|p| p.candidate.as_ref()).any(is_good);
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

/// A run that went to its end; none where it has no error, since there is no reference for it.
pub(super) fn candidate(spec: &RankingSpec, &Entrant { plan, run, results, row }: &Entrant<'_>) -> Option<Candidate> {
    let number = |column: &str| results.number(row, column);
    Some(Candidate {
        setting: setting(plan, run),
        error: number(&spec.error)? / spec.scale,
        bound: bound_of(&spec.error).and_then(|bound| number(&bound)).unwrap_or(0.0) / spec.scale,
        work: spec.work.0.iter().map(|(_, column)| number(column)).collect(),
        run: run.key().to_string(),
    })
}

/// The step or the tolerance of a run and the parameters of its method that vary: `step 2^-8`, `epsilon 0.01`.
fn setting(plan: &Plan, run: &RunSpec) -> String {
    let parameter = |(axis, cell): (&String, &Option<Arc<Label>>)| {
        let varies = plan.axis(axis).is_some_and(|axis| plan.varies(axis));
        let name = axis.strip_prefix("method.").filter(|_| varies)?;
        Some(format!("{name} {}", cell.as_ref()?))
    };
    let parameters = plan.axes.iter().zip(&run.cells).filter_map(parameter);
    control(plan, run).into_iter().chain(parameters).collect::<Vec<_>>().join(", ")
}

/// The step or the tolerance; none where there is a tolerance that the method does not look at.
fn control(plan: &Plan, run: &RunSpec) -> Option<String> {
    let is_idle =
        matches!(run.settings.control, StepControl::Tolerance { .. }) && !run.method.object().method().adapts();
    if is_idle {
        return None;
    }
    if let Some((name, node)) = run.method.own_control() {
        return Some(format!("{name} {}", node.spelling().unwrap_or_default()));
    }
    CONTROLS.into_iter().find_map(|name| {
        let label = run.cells[plan.axis(name)?].as_ref()?;
        Some(format!("{name} {label}").replace('_', " "))
    })
}
