//! What checks rest on: the marks of all parameters of the runs that they select.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use mbsbench_experiment::undetermined::lies_below;
use mbsbench_experiment::{Mark, Plan, RunSpec};

use super::{Check, Operand};

/// What the runs of some plans rest on, looked up once a plan.
pub struct Grounds<'p> {
    plans: &'p [Plan],
    /// For each plan and each of its runs, the parameters that are not printed.
    weak: Vec<OnceLock<Vec<Marks>>>,
}

/// Parameters of a run with their marks.
type Marks = Vec<(String, Mark)>;

/// What a check rests on: the parameters that are not printed, by path.
pub(super) type Ground = BTreeMap<String, Mark>;

impl<'p> Grounds<'p> {
    /// Of these plans.
    pub fn new(plans: &'p [Plan]) -> Self {
        Self { plans, weak: plans.iter().map(|_| OnceLock::new()).collect() }
    }

    /// What a check of a paper rests on; none where it rests on no run.
    pub(super) fn of(&self, paper: &str, check: &Check) -> Option<Ground> {
        let selections = check.kind.selections();
        if selections.is_empty() {
            return None;
        }
        let operands = check.kind.all_operands();
        let starts = operands.iter().map(|operand| is_of_start(operand)).chain(std::iter::repeat(false));
        // Runs of each experiment: those of which a result counts, and those of which only the start does.
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

/// Whether an operand takes values at the start only, `initial(…)`.
fn is_of_start(operand: &Operand) -> bool {
    operand.times.is_none() && operand.columns().all(|column| column.starts_with("initial("))
}

/// The parameters that are axes on which runs have several values: a check of these runs goes over them, and hangs on
/// no single choice.
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

/// For each run of a plan, its parameters that are not printed. Where the file says nothing, all of it is our choice.
fn weak(plan: &Plan) -> Vec<Marks> {
    let of_run = |run: &RunSpec| {
        if plan.experiment.known.is_none() {
            return vec![(plan.experiment.id.clone(), Mark::Chosen)];
        }
        let paths = run.paths();
        // Which model or method it is stands for itself where it has no parameters that do, or where the whole is a
        // stand-in.
        let is_whole = |path: &str| paths.iter().any(|other| other != path && lies_below(other, path));
        let marked = paths.iter().filter_map(|path| {
            let mark = plan.mark(run, path)?;
            let is_own = mark == Mark::StandIn || !is_whole(path);
            (mark != Mark::Printed && is_own).then(|| (path.clone(), mark))
        });
        marked.collect()
    };
    plan.runs.iter().map(of_run).collect()
}
