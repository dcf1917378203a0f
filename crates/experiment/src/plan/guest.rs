//! A guest: a method of the user beside those of an experiment, on their terms.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mbsbench_input::{BadInput, Entry, Key, Node, Place, Problem, Value};
use mbsbench_problem::Formulated;

use super::expand::Expansion;
use super::stored::StoredFiles;
use super::{Plan, RunSpec, gather, outputs};
use crate::every::{Fitted, takes};
use crate::registry::{Choice, Contender, LABEL, MethodKind, Registry, choose};
use crate::spec::{AxisValue, Filter};
use crate::{AxisPoint, Case, Label, Problems, Role};

/// Label of the run with which an experiment compares its methods; it is not a method of the paper.
pub const REFERENCE: &str = "reference";

/// The part that a guest has in a plan.
#[derive(Debug, Clone, Default)]
pub struct Guest {
    /// The label of its runs; `None` if the plan has no guest.
    pub label: Option<String>,
    /// The cases in which it does not take part, one line for each reason.
    pub left_out: Vec<String>,
}

impl Guest {
    /// Returns the part of a method without runs.
    pub(super) fn new(guest: &Contender) -> Self {
        let name = guest.parameters.get(LABEL).and_then(Node::text).unwrap_or(&guest.method);
        Self { label: Some(format!("{name} (guest)")), left_out: Vec::new() }
    }

    /// True if this is the label of the guest.
    pub fn is_called(&self, label: &str) -> bool {
        self.label.as_deref() == Some(label)
    }

    /// Adds the guest to a filter that selects methods.
    pub(super) fn admit(&self, filter: &mut Filter) {
        if let Some(methods) = filter.get_mut("method") {
            let own = self.label.clone().map(AxisValue::Text);
            *methods = AxisValue::Any([methods.clone()].into_iter().chain(own).collect());
        }
    }

    /// Adds the guest to the tables and figures of a plan.
    pub(super) fn show(self, mut plan: Plan) -> Plan {
        let experiment = &mut plan.experiment;
        experiment.tables.iter_mut().for_each(|table| self.admit(&mut table.value.filter));
        let panels = experiment.plots.iter_mut().flat_map(|figure| &mut figure.value.panels);
        panels.for_each(|panel| self.admit(&mut panel.filter));
        Plan { guest: self, ..plan }
    }
}

impl Plan {
    /// Adds runs of a guest, `NAME (guest)`, to each case, and shows them in all tables and figures. The guest has the
    /// steps or tolerances of the case and the parameters on which its methods agree. A guest without error control has
    /// the first constant step of a single method in a case with tolerances.
    ///
    /// # Errors
    /// Fails if an experiment whose runs are gathered is not valid.
    pub fn with_guest(mut self, guest: &Contender, registry: &Registry) -> Result<Self, BadInput> {
        if !self.experiment.gathers.is_empty() {
            return gather::gather(self.experiment, Some(guest), registry);
        }
        let mut part = Guest::new(guest);
        let folder = self.experiment.document.source.folder();
        let (mut own, mut reasons) = (Vec::new(), BTreeMap::<String, Vec<&str>>::new());
        for case in &self.experiment.cases {
            let (mut runs, mut problems) = (Vec::new(), Problems::default());
            match seated(case, guest, &part, registry) {
                Ok(None) => {}
                Ok(Some(case)) => Expansion::new(folder, &case, registry, &self.axes, &mut StoredFiles::default())
                    .runs(&mut runs, &mut problems),
                Err(reason) => problems.add(Problem::new(case.place, reason)),
            }
            own.extend(suitable(runs, &mut problems));
            let wrong = problems.into_result(&self.experiment.document).err();
            for problem in wrong.iter().flat_map(BadInput::problems) {
                reasons.entry(problem.message.clone()).or_default().extend(case.name.as_deref());
            }
        }
        let all = self.experiment.cases.len();
        part.left_out.extend(reasons.into_iter().map(|(reason, cases)| match cases.len() {
            count if count == all || count == 0 => reason,
            _ => format!("{reason} (in {})", cases.join(", ")),
        }));
        let theirs = std::mem::replace(&mut self.runs, own);
        let own = self.runs_with(&self.experiment.set, registry).into_iter().filter_map(Result::ok);
        self.runs = theirs.into_iter().chain(own.collect::<Vec<_>>()).collect();
        outputs::with_drawings(part.show(self))
    }

    /// True if this is a run of the guest.
    pub fn is_of_guest(&self, run: &RunSpec) -> bool {
        self.guest.is_called(&run.method_label)
    }
}

/// Returns a case with the guest in place of its methods, or the reason for which it cannot take part. `None` for the
/// case of a reference.
fn seated(case: &Case, guest: &Contender, part: &Guest, registry: &Registry) -> Result<Option<Case>, String> {
    let methods = &case.axis("method").expect("a case has methods").points;
    if methods.iter().all(|point| point.label.text == REFERENCE) {
        return Ok(None);
    }
    let entry = registry.methods().iter().find(|method| method.name == guest.method);
    let entry = entry.ok_or_else(|| format!("there is no method `{}`", guest.method))?;
    let rivals: Vec<Choice<MethodKind>> =
        methods.iter().filter_map(|point| choose(registry.methods(), &point.node).ok()).collect();
    let own = guest.parameters.without(LABEL);
    let mut parameters = Fitted::new(entry, &own, &shared(methods, &rivals), registry).node;
    let method = entry.choose(&parameters, None).map_err(|problem| problem.message)?.object.method();
    let is_possible = |control: &str| control != "tolerance" || method.properties().adapts;
    let control = case.axes.iter().find(|axis| axis.role == Role::Control).expect("a case has a step");
    let place = Place::new(0, 0);
    let key = |name: &str| Key { name: name.to_owned(), place };
    if !is_possible(&control.name) || rivals.iter().all(|rival| rival.own_control().is_some()) {
        let mut own = rivals.iter().filter_map(Choice::own_control);
        let (name, value) = own
            .find(|(name, _)| is_possible(name))
            .ok_or("it has no error control, and no method here has a constant step")?;
        parameters = parameters.with(&[key(name)], value);
    }
    let mut case = case.clone();
    for axis in &mut case.axes {
        let is_taken = |point: &AxisPoint| takes(entry, &parameters.with(&axis.path, &point.node));
        match axis.role {
            Role::Method => {
                let named = Entry { key: key(entry.name), value: parameters.clone() };
                let text = part.label.clone().unwrap_or_default();
                let label = Arc::new(Label { text, number: None });
                axis.points = vec![AxisPoint { node: Node::new(Value::Map(vec![named]), place), label }];
            }
            // A parameter that the guest does not have changes nothing: only the first axis of methods has an effect.
            Role::MethodParameter if !axis.points.iter().all(is_taken) => axis.role = Role::Method,
            _ => {}
        }
    }
    Ok(Some(case))
}

/// Returns the parameters that a method of a case sets if all its methods that have them agree.
fn shared(methods: &[AxisPoint], rivals: &[Choice<MethodKind>]) -> Vec<Entry> {
    let set = methods.iter().filter_map(|point| point.node.named()).flat_map(|named| named.value.entries().to_vec());
    set.filter(|Entry { key, .. }| {
        let mut values = rivals.iter().filter(|rival| rival.has(&key.name)).map(|rival| rival.parameter(&key.name));
        values.next().is_some_and(|first| values.all(|value| value == first))
    })
    .collect()
}

/// Returns the runs whose methods apply to their models, and adds the reasons for which the others do not.
fn suitable(runs: Vec<RunSpec>, problems: &mut Problems) -> Vec<RunSpec> {
    let mut known = HashMap::new();
    let is_suitable = |run: &RunSpec| {
        *known.entry((Arc::as_ptr(&run.model), Arc::as_ptr(&run.method))).or_insert_with(|| {
            let (model, method) = (run.model.object.model(), run.method.object.method());
            let applies = method.applies_to(Formulated::<f64>::ode(&*model).as_mut(), run.settings.events);
            let why = |why| Problem::new(Place::new(0, 0), format!("cannot solve `{}`: {why}", run.model.name()));
            problems.keep(applies.map_err(why)).is_some()
        })
    };
    runs.into_iter().filter(is_suitable).collect()
}
