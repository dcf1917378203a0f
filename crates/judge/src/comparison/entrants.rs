//! The runs that enter a ranking: the stored ones, and the runs of methods from outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use mbsbench_experiment::registry::CONTROLS;
use mbsbench_experiment::{Label, Plan, RankingSpec, RunSpec};
use mbsbench_measures::bound_of;
use mbsbench_problem::StepControl;
use mbsbench_runs::{ResultSet, Row};

use super::curve::{Candidate, Curve, Point};
use crate::claims::Evidence;

/// A run with its row and its plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entrant<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The run.
    pub run: &'p RunSpec,
    /// The results that contain its row.
    pub results: &'p ResultSet,
    /// Its row.
    pub row: &'p Row,
}

/// Runs of methods from outside, computed to compare them with the stored runs of all others.
#[derive(Debug)]
pub struct Contending<'c> {
    names: Vec<String>,
    plans: &'c [Plan],
    evidence: Evidence<'c>,
}

impl<'c> Contending<'c> {
    /// Wraps methods by name with the plans of their runs; `evidence` has the rows of these plans. A method that is
    /// already among the stored results has a name but no plans.
    pub fn new(names: Vec<String>, plans: &'c [Plan], evidence: Evidence<'c>) -> Self {
        Self { names, plans, evidence }
    }
}

/// All runs that enter a ranking: the stored runs of `plan`, and those of contenders, which replace stored methods of
/// the same name.
pub(super) fn among<'s>(
    plan: &'s Plan,
    stored: &'s Evidence<'_>,
    contending: &[&'s Contending<'_>],
    spec: &RankingSpec,
) -> Vec<Entrant<'s>> {
    let mut all = entrants(plan, stored, spec);
    for contending in contending {
        let plans = contending.plans.iter().filter(|own| own.experiment.id == plan.experiment.id);
        let own: Vec<Entrant<'_>> = plans.flat_map(|own| entrants(own, &contending.evidence, spec)).collect();
        all.retain(|each| own.iter().all(|one| one.run.method_label != each.run.method_label));
        all.extend(own);
    }
    all
}

/// The runs of a plan that enter a ranking, with their rows.
fn entrants<'p>(plan: &'p Plan, evidence: &'p Evidence<'_>, spec: &RankingSpec) -> Vec<Entrant<'p>> {
    let Some(results) = evidence.results(plan) else { return Vec::new() };
    plan.meant(&spec.filter).map(|(place, run)| Entrant { plan, run, results, row: &results.rows[place] }).collect()
}

/// Groups the runs by method, in the order of the names, and marks contenders by name.
pub(super) fn curves<'p>(
    entrants: &[Entrant<'p>],
    spec: &RankingSpec,
    contending: &[&Contending<'_>],
) -> Vec<Curve<'p>> {
    let mut methods: BTreeMap<&str, Vec<Entrant<'p>>> = BTreeMap::new();
    for entrant in entrants {
        methods.entry(&entrant.run.method_label).or_default().push(*entrant);
    }
    let of = |(method, entrants): (&'p str, Vec<Entrant<'p>>)| Curve {
        method,
        family: entrants[0].run.method.entry.family,
        is_contender: contending.iter().flat_map(|each| &each.names).any(|name| name == method),
        points: entrants.iter().map(|entrant| point(entrant, spec)).collect(),
    };
    methods.into_iter().map(of).collect()
}

/// Converts a run into a point with its error and costs.
fn point<'p>(entrant: &Entrant<'p>, spec: &RankingSpec) -> Point<'p> {
    let &Entrant { plan, run, row, .. } = entrant;
    let case = plan.axis("case").and_then(|axis| run.cells[axis].as_ref()).map(|label| label.text.as_str());
    let candidate = row.is_ok().then(|| candidate(spec, entrant)).flatten();
    Point { run, case, status: row.status, is_refuted: row.is_refuted(), candidate }
}

/// Returns the result of a completed run, or `None` if it has no error because it has no reference.
fn candidate(spec: &RankingSpec, &Entrant { plan, run, results, row }: &Entrant<'_>) -> Option<Candidate> {
    let number = |column: &str| results.number(row, column);
    Some(Candidate {
        setting: setting(plan, run),
        error: number(&spec.error)? / spec.scale,
        bound: bound_of(&spec.error).and_then(|bound| number(&bound)).unwrap_or(0.0) / spec.scale,
        work: spec.work.0.iter().map(|(_, column)| number(column)).collect(),
    })
}

/// The step or tolerance of a run and the parameters of its method that vary: `step 2^-8`, `epsilon 0.01`.
fn setting(plan: &Plan, run: &RunSpec) -> String {
    let parameter = |(axis, cell): (&String, &Option<Arc<Label>>)| {
        let name = axis.strip_prefix("method.")?;
        plan.axis(axis).filter(|&axis| plan.varies(axis))?;
        Some(format!("{name} {}", cell.as_ref()?))
    };
    let parameters = plan.axes.iter().zip(&run.cells).filter_map(parameter);
    control(plan, run).into_iter().chain(parameters).collect::<Vec<_>>().join(", ")
}

/// The step or tolerance; `None` for a tolerance that the method ignores.
fn control(plan: &Plan, run: &RunSpec) -> Option<String> {
    let is_idle = matches!(run.settings.control, StepControl::Tolerance { .. })
        && !run.method.object.method().properties().adapts;
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
