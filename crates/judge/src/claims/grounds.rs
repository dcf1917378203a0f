//! The inputs that checks depend on: the marks of all parameters of the runs that they select.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use mbsbench_experiment::undetermined::lies_below;
use mbsbench_experiment::{Plan, Provenance, RunSpec};

use super::{Check, Operand};

/// The marks behind the runs of some plans, collected once for each plan.
pub struct Grounds<'p> {
    plans: &'p [Plan],
    /// For each plan and each of its runs, the parameters that are not printed.
    weak: Vec<OnceLock<Vec<Marks>>>,
}

/// Parameters of a run with their marks.
type Marks = Vec<(String, Provenance)>;

/// The parameters behind a check that are not printed, by path, with their marks.
pub(super) type Ground = BTreeMap<String, Provenance>;

impl<'p> Grounds<'p> {
    /// Creates the lookup for `plans`.
    pub fn new(plans: &'p [Plan]) -> Self {
        Self { plans, weak: plans.iter().map(|_| OnceLock::new()).collect() }
    }

    /// Returns the marks behind a check of a paper, or `None` if the check uses no run.
    pub(super) fn of(&self, paper: &str, check: &Check) -> Option<Ground> {
        let selections = check.kind.selections();
        if selections.is_empty() {
            return None;
        }
        let operands = check.kind.all_operands();
        // Values at the start only, `initial(…)`.
        let is_at_start = |of: &Operand| of.columns().all(|column| column.starts_with("initial("));
        let is_of_start = |of: &&Operand| of.times.is_none() && is_at_start(of);
        let starts = operands.iter().map(is_of_start).chain(std::iter::repeat(false));
        // The runs of each experiment; the flag is true for runs of which only the start is used.
        let mut runs: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
        for ((experiment, filter), is_start) in selections.into_iter().zip(starts) {
            if let Some(index) = self.plans.iter().position(|plan| plan.experiment.is_called(experiment, paper)) {
                let meant = self.plans[index].meant(filter).map(|(run, _)| run);
                runs.entry((index, is_start)).or_default().extend(meant);
            }
        }
        let mut ground = Ground::new();
        for ((index, is_start), runs) in runs {
            let plan = &self.plans[index];
            let weak = self.weak[index].get_or_init(|| weak(plan));
            let gone_over = axes_gone_over(plan, &runs);
            let matters = |path: &str| !is_start || !AFTER_START.iter().any(|after| lies_below(path, after));
            for (path, mark) in runs.iter().flat_map(|&run| &weak[run]) {
                if matters(path) && !gone_over.contains(&path.as_str()) {
                    let present = ground.entry(path.clone()).or_insert(*mark);
                    *present = (*present).max(*mark);
                }
            }
        }
        Some(ground)
    }
}

/// Parameters on which a value at the start does not depend.
const AFTER_START: [&str; 5] = ["method", "settings", "span", "step", "tolerance"];

/// Returns the axes on which `runs` have several values. A check of these runs covers several values of such a
/// parameter, so it does not depend on any single choice.
fn axes_gone_over<'p>(plan: &'p Plan, runs: &[usize]) -> Vec<&'p str> {
    let goes_over = |(axis, name): (usize, &'p String)| {
        let mut labels = runs.iter().filter_map(|&run| plan.runs[run].cells[axis].as_ref());
        let first = labels.next()?;
        labels.any(|label| !label.same(first)).then_some(name.as_str())
    };
    let names: Vec<&str> = plan.axes.iter().enumerate().filter_map(goes_over).collect();
    let parts = |name: &'p str| match name {
        "tolerance" => vec!["tolerance.rel", "tolerance.abs"],
        "step_per_stage" => vec!["step"],
        name => vec![name],
    };
    names.into_iter().flat_map(parts).collect()
}

/// Returns the parameters of each run of a plan that are not printed. If the file does not mark any, the whole
/// experiment is our choice.
fn weak(plan: &Plan) -> Vec<Marks> {
    let of_run = |run: &RunSpec| {
        if plan.experiment.known.is_none() {
            return vec![(plan.experiment.id.clone(), Provenance::Chosen)];
        }
        let paths = run.paths();
        // A model or method counts by itself only if none of its parameters do, or if the whole is a stand-in.
        let is_whole = |path: &str| paths.iter().any(|other| other != path && lies_below(other, path));
        let marked = paths.iter().filter_map(|path| {
            let mark = plan.mark(run, path)?;
            let is_own = mark == Provenance::StandIn || !is_whole(path);
            (mark != Provenance::Printed && is_own).then(|| (path.clone(), mark))
        });
        marked.collect()
    };
    plan.runs.iter().map(of_run).collect()
}
