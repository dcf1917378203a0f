//! The runs that checks speak of: whether there are any, and their columns.

use std::collections::BTreeMap;

use mbsbench_experiment::Problems;
use mbsbench_experiment::columns::TIMINGS;
use mbsbench_experiment::plan::{Plan, RunSpec};
use mbsbench_experiment::spec::AxisValue;
use mbsbench_input::{Node, Place, Problem};

use super::check::{Check, Kind};
use super::ledger::plan_of;
use super::spec::{Operand, Reduce};

/// Holds the operands of a check against the plans.
pub(super) fn check(check: &Check, node: &Node, paper: &str, plans: &[Plan], problems: &mut Problems) {
    let checker = Checker { check, node, paper, plans };
    match &check.kind {
        Kind::Value(tested) | Kind::Bound(tested) => checker.operand(check.kind.name(), "of", &tested.of, problems),
        Kind::Ratio(tested) | Kind::Difference(tested) => {
            checker.operand(check.kind.name(), "of", &tested.of[0], problems);
            checker.operand(check.kind.name(), "to", &tested.of[1], problems);
            checker.pairs(&tested.of, problems);
        }
        Kind::Order { of, x, .. } => checker.order(of, x, problems),
        Kind::Ordering { smallest_first, .. } => {
            for (index, operand) in smallest_first.iter().enumerate() {
                checker.operand("ordering", &format!("smallest_first.{index}"), operand, problems);
            }
        }
        Kind::Failure(failure) => {
            if let Some(plan) = checker.plan("failure.experiment", &failure.experiment, problems) {
                checker.runs(plan, "failure.where", &failure.filter, problems);
            }
        }
        Kind::Identity(identity) => {
            if let Some(plan) = checker.plan("identity.experiment", &identity.experiment, problems)
                && checker.runs(plan, "identity.where", &identity.filter, problems).is_some()
            {
                checker.column(plan, "identity.column", &identity.column, problems);
                for name in identity.terms.keys() {
                    checker.column(plan, &format!("identity.terms.{name}"), name, problems);
                }
            }
        }
        // Made of cells of tables, as which they have been found.
        Kind::Agreement { .. } => {}
        Kind::Shape(landmarks) => {
            for (index, (_, landmark)) in landmarks.iter().enumerate() {
                checker.operand("shape", &format!("landmarks.{index}.of"), &landmark.of, problems);
            }
        }
        Kind::Open(_) => {}
    }
}

/// The problem that no experiment has a name.
pub(super) fn unknown_experiment(place: Place, name: &str, plans: &[Plan]) -> Problem {
    let known = |plan: &'_ Plan| match plan.experiment.id.split_once('/') {
        // As the ledger names those of its own paper.
        Some((_, own)) if !name.contains('/') => own.to_owned(),
        _ => plan.experiment.id.clone(),
    };
    let known: Vec<String> = plans.iter().map(known).collect();
    Problem::unknown(place, "experiment", name, known.iter().map(String::as_str).collect::<Vec<_>>())
}

struct Checker<'c> {
    check: &'c Check,
    node: &'c Node,
    paper: &'c str,
    plans: &'c [Plan],
}

impl<'c> Checker<'c> {
    fn place(&self, path: &str) -> Place {
        // A cell of a table stands nowhere itself.
        if self.node.get("cells").is_some() { self.node.place_of("cells") } else { self.node.place_of(path) }
    }

    fn plan(&self, path: &str, name: &str, problems: &mut Problems) -> Option<&'c Plan> {
        let plan = plan_of(self.plans, self.paper, name);
        if plan.is_none() {
            problems.add(unknown_experiment(self.place(path), name, self.plans));
        }
        plan
    }

    /// The runs that a filter selects; a problem where its axes or values are unknown, or nothing is left.
    fn runs(
        &self,
        plan: &'c Plan,
        path: &str,
        filter: &BTreeMap<String, AxisValue>,
        problems: &mut Problems,
    ) -> Option<Vec<&'c RunSpec>> {
        for (name, value) in filter {
            let place = self.place(&format!("{path}.{name}"));
            let Some(axis) = plan.axis(name) else {
                let known: Vec<&str> = plan.axes.iter().map(String::as_str).collect();
                problems.add(Problem::unknown(place, "axis", name, known));
                return None;
            };
            let labels = || plan.runs.iter().filter_map(|run| run.cells[axis].as_ref());
            let each = if let AxisValue::Any(values) = value { values.as_slice() } else { std::slice::from_ref(value) };
            for value in each {
                if !labels().any(|label| value.matches(label)) {
                    let known: Vec<&str> = plan.values(axis).into_iter().map(|label| label.text.as_str()).collect();
                    let kind = format!("value of `{name}`");
                    problems.add(Problem::unknown(place, &kind, &value.to_string(), known));
                    return None;
                }
            }
        }
        let runs: Vec<&RunSpec> = plan.meant(filter).map(|(_, run)| run).collect();
        if runs.is_empty() {
            let problem = Problem::new(self.place(path), format!("no run of `{}` is meant", plan.experiment.id));
            problems.add(problem.help("accepted: a combination that is not excluded"));
            return None;
        }
        Some(runs)
    }

    fn operand(&self, kind: &str, key: &str, operand: &Operand, problems: &mut Problems) {
        let path = format!("{kind}.{key}");
        let Some(plan) = self.plan(&format!("{path}.experiment"), &operand.experiment, problems) else { return };
        let Some(runs) = self.runs(plan, &format!("{path}.where"), &operand.filter, problems) else { return };
        if operand.column.is_some() == operand.columns.is_some() {
            let problem = Problem::new(self.place(&path), "not one of `column` and `columns`");
            problems.add(problem.help("accepted: `column: NAME` or `columns: [NAME, …]`"));
            return;
        }
        if let Some(at) = &operand.at {
            self.column(plan, &format!("{path}.at.column"), &at.column, problems);
            self.operand(&format!("{path}.at"), "equals", &at.equals, problems);
        }
        for name in operand.columns() {
            let key = if operand.column.is_some() { "column" } else { "columns" };
            self.column(plan, &format!("{path}.{key}"), name, problems);
        }
        if let Some(times) = &operand.times
            && !runs.iter().all(|run| run.number_at(times).is_some())
        {
            self.column(plan, &format!("{path}.times"), times, problems);
        }
        let numbers = runs.len() * operand.columns().count();
        // What is taken pairwise is reduced with its partner.
        if operand.reduce == Reduce::Only && numbers != 1 && key != "to" && operand.at.is_none() {
            let message = format!("{numbers} numbers are meant where one is needed");
            let accepted = "accepted: a `where` that leaves one, or `reduce: max` and the like";
            problems.add(Problem::new(self.place(&path), message).help(accepted));
        }
    }

    fn column(&self, plan: &Plan, path: &str, name: &str, problems: &mut Problems) {
        let is_axis = plan.axis(name).is_some_and(|axis| plan.values(axis).iter().all(|label| label.number.is_some()));
        let is_timing = plan.experiment.timing.is_some() && TIMINGS.contains(&name);
        if is_axis || is_timing || name == "t_reached" || plan.columns.iter().any(|column| column == name) {
            return;
        }
        let timings = TIMINGS.into_iter().filter(|_| plan.experiment.timing.is_some());
        let known: Vec<&str> = plan.columns.iter().map(String::as_str).chain(["t_reached"]).chain(timings).collect();
        problems.add(Problem::unknown(self.place(path), "column", name, known));
    }

    /// What is subtracted or divided pairwise has as many numbers on both sides.
    fn pairs(&self, [of, to]: &[Operand; 2], problems: &mut Problems) {
        if to.reduce != Reduce::Only || of.at.is_some() || to.at.is_some() {
            return;
        }
        let count = |operand: &Operand| {
            let plan = plan_of(self.plans, self.paper, &operand.experiment)?;
            Some(plan.meant(&operand.filter).count() * operand.columns().count())
        };
        if let (Some(first), Some(second)) = (count(of), count(to))
            && first != second
            && second != 1
        {
            let message = format!("{first} numbers against {second} in `{}`", self.check.id);
            let accepted = "accepted: as many on both sides, or one in `to`";
            problems.add(Problem::new(self.place(self.check.kind.name()), message).help(accepted));
        }
    }

    fn order(&self, of: &Operand, x: &str, problems: &mut Problems) {
        let Some(plan) = self.plan("order.of.experiment", &of.experiment, problems) else { return };
        let Some(runs) = self.runs(plan, "order.of.where", &of.filter, problems) else { return };
        if of.column.is_none() || of.columns.is_some() {
            let problem = Problem::new(self.place("order.of"), "not one column");
            problems.add(problem.help("accepted: `column: NAME`"));
            return;
        }
        for name in of.columns() {
            self.column(plan, "order.of.column", name, problems);
        }
        self.column(plan, "order.x", x, problems);
        if runs.len() < 2 {
            let problem = Problem::new(self.place("order.of"), "one run has no slope");
            problems.add(problem.help("accepted: a `where` that leaves several runs"));
        }
    }
}
