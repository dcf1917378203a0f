//! Checks that the runs selected by a check exist, and that they have the columns it uses.

use mbsbench_experiment::columns::TIMINGS;
use mbsbench_experiment::{AxisValue, Filter, Plan, RunSpec};
use mbsbench_input::{Place, Problem};

use super::{Check, Kind, Operand, Order, Reader, Reduce, plan_of};

impl<'r> Reader<'r> {
    /// Checks the operands against the plans.
    pub(super) fn check_runs(&self, check: &Check) -> Result<(), Problem> {
        let name = check.kind.name();
        match &check.kind {
            Kind::Value(of) | Kind::Bound(of) => self.operand(name, "of", &of.of),
            Kind::Ratio(measurement) | Kind::Difference(measurement) => {
                let Some(to) = &measurement.to else { return Ok(()) };
                self.operand(name, "of", &measurement.of)?;
                self.operand(name, "to", to)?;
                self.pairs(check, &measurement.of, to)
            }
            Kind::Order(order) => self.order(order),
            Kind::Ordering(ordering) => {
                let mut operands = ordering.smallest_first.iter().enumerate();
                operands.try_for_each(|(k, operand)| self.operand(name, &format!("smallest_first.{k}"), operand))
            }
            Kind::Failure(failure) => {
                let plan = self.plan("failure.experiment", &failure.experiment)?;
                self.runs(plan, "failure.where", &failure.filter).map(drop)
            }
            Kind::Identity(identity) => {
                let plan = self.plan("identity.experiment", &identity.experiment)?;
                self.runs(plan, "identity.where", &identity.filter)?;
                self.column(plan, "identity.column", &identity.column)?;
                let mut names = identity.terms.keys();
                names.try_for_each(|name| self.column(plan, &format!("identity.terms.{name}"), name))
            }
            Kind::Shape(shape) => {
                let mut landmarks = shape.landmarks.iter().enumerate();
                landmarks.try_for_each(|(k, landmark)| self.operand(name, &format!("landmarks.{k}.of"), &landmark.of))
            }
            // The cells of tables were found when their checks were made.
            Kind::Agreement(_) | Kind::Cells(_) | Kind::Open(_) => Ok(()),
        }
    }

    pub(super) fn place(&self, path: &str) -> Place {
        // A cell of a table has no place of its own.
        let kind = path.split('.').next().unwrap_or(path);
        self.node.place_of(if self.node.get(kind).is_some() { path } else { "cells" })
    }

    /// Returns the plan of an experiment that is named at `path`.
    pub(super) fn plan(&self, path: &str, name: &str) -> Result<&'r Plan, Problem> {
        plan_of(self.plans, self.paper, name).ok_or_else(|| {
            let known = self.plans.iter().map(|plan| match plan.experiment.id.split_once('/') {
                // Experiments of the ledger's own paper are named without the paper.
                Some((_, own)) if !name.contains('/') => own,
                _ => plan.experiment.id.as_str(),
            });
            Problem::unknown(self.place(path), "experiment", name, known.collect::<Vec<_>>())
        })
    }

    /// Returns the runs that a filter selects. Fails if an axis or a value is unknown, or if no run is left.
    fn runs(&self, plan: &'r Plan, path: &str, filter: &Filter) -> Result<Vec<&'r RunSpec>, Problem> {
        for (name, value) in filter {
            let place = self.place(&format!("{path}.{name}"));
            let Some(axis) = plan.axis(name) else {
                return Err(Problem::unknown(place, "axis", name, plan.axes.iter().map(String::as_str)));
            };
            let labels = || plan.runs.iter().filter_map(|run| run.cells[axis].as_ref());
            let each = if let AxisValue::Any(values) = value { values.as_slice() } else { std::slice::from_ref(value) };
            if let Some(value) = each.iter().find(|value| !labels().any(|label| value.matches(label))) {
                let known: Vec<&str> = plan.values(axis).into_iter().map(|label| label.text.as_str()).collect();
                return Err(Problem::unknown(place, &format!("value of `{name}`"), &value.to_string(), known));
            }
        }
        let runs: Vec<&RunSpec> = plan.meant(filter).map(|(_, run)| run).collect();
        let message = format!("no run of `{}` has all of these values", plan.experiment.id);
        self.ensure(!runs.is_empty(), path, message, "accepted: a combination that is not excluded")?;
        Ok(runs)
    }

    fn operand(&self, kind: &str, key: &str, operand: &Operand) -> Result<(), Problem> {
        let path = format!("{kind}.{key}");
        let plan = self.plan(&format!("{path}.experiment"), &operand.experiment)?;
        let runs = self.runs(plan, &format!("{path}.where"), &operand.filter)?;
        let message = "the operand needs either `column` or `columns`";
        let is_one = operand.column.is_some() != operand.columns.is_some();
        self.ensure(is_one, &path, message, "accepted: `column: NAME` or `columns: [NAME, …]`")?;
        if let Some(at) = &operand.at {
            self.column(plan, &format!("{path}.at.column"), &at.column)?;
            self.operand(&format!("{path}.at"), "equals", &at.equals)?;
        }
        for name in operand.columns() {
            let key = if operand.column.is_some() { "column" } else { "columns" };
            self.column(plan, &format!("{path}.{key}"), name)?;
        }
        if let Some(times) = &operand.times
            && !runs.iter().all(|run| run.number_at(times).is_some())
        {
            self.column(plan, &format!("{path}.times"), times)?;
        }
        let numbers = runs.len() * operand.columns().count();
        // Pairwise operands are reduced after they are combined.
        let is_reduced = operand.reduce != Reduce::Only || numbers == 1 || key == "to" || operand.at.is_some();
        let message = format!("{numbers} numbers are selected, but only one is needed");
        let accepted = "accepted: a `where` that selects one, or a reduction such as `reduce: max`";
        self.ensure(is_reduced, &path, message, accepted)
    }

    fn column(&self, plan: &Plan, path: &str, name: &str) -> Result<(), Problem> {
        let is_axis = plan.axis(name).is_some_and(|axis| plan.values(axis).iter().all(|label| label.number.is_some()));
        let timings = TIMINGS.into_iter().filter(|_| plan.experiment.timing.is_some());
        let known: Vec<&str> = plan.columns.iter().map(String::as_str).chain(["t_reached"]).chain(timings).collect();
        if is_axis || known.contains(&name) {
            return Ok(());
        }
        let axes = plan.axes.iter().map(String::as_str);
        Err(Problem::unknown(self.place(path), "column", name, axes.chain(known)))
    }

    /// Checks that a pairwise difference or ratio has equally many numbers on both sides.
    fn pairs(&self, check: &Check, of: &Operand, to: &Operand) -> Result<(), Problem> {
        let count = |operand: &Operand| {
            let plan = plan_of(self.plans, self.paper, &operand.experiment);
            plan.map_or(0, |plan| plan.meant(&operand.filter).count() * operand.columns().count())
        };
        let is_pairwise = to.reduce == Reduce::Only && of.at.is_none() && to.at.is_none();
        let (first, second) = (count(of), count(to));
        let message = format!("{first} numbers cannot be paired with {second} in `{}`", check.id);
        let accepted = "accepted: equally many on both sides, or one in `to`";
        self.ensure(!is_pairwise || first == second || second == 1, check.kind.name(), message, accepted)
    }

    fn order(&self, Order { of, x, .. }: &Order) -> Result<(), Problem> {
        let plan = self.plan("order.of.experiment", &of.experiment)?;
        let runs = self.runs(plan, "order.of.where", &of.filter)?;
        let is_column = of.column.is_some() && of.columns.is_none();
        self.ensure(is_column, "order.of", "an order needs exactly one column", "accepted: `column: NAME`")?;
        for name in of.columns() {
            self.column(plan, "order.of.column", name)?;
        }
        self.column(plan, "order.x", x)?;
        let accepted = "accepted: a `where` that selects several runs";
        self.ensure(runs.len() > 1, "order.of", "a single run has no slope", accepted)
    }
}
