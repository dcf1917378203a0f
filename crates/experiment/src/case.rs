//! Cases: sets of runs, with the axes over which they vary.

use std::sync::Arc;

use mbsbench_input::{Key, Node, Place, Problem, Value, read, refuse};
use mbsbench_problem::Deviation;

use super::account::Account;
use super::axis::{self, Axis, Role};
use super::columns::FIXED;
use super::every::Methods;
use super::keys::{self, CASE, RUN};
use super::merge::RunDefinition;
use super::reference::ReferenceSpec;
use super::spec::{AxisValue, Settings};
use super::{Placed, Problems, Rule, list};
use crate::registry::{CONTROLS, Choice, MeasureKind, MethodKind, ModelKind, Registry, choose};

/// One case of an experiment.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name; `None` if the file has no `cases`.
    pub name: Option<String>,
    /// The model with its parameters as in the file, before the axes of its parameters apply. `None` if the model is an
    /// axis.
    pub model: Option<Node>,
    /// The axes in the order of columns. There is always one for the method and one for the step.
    pub axes: Vec<Axis>,
    /// The start and end times, s.
    pub span: [f64; 2],
    /// The break points, s.
    pub breaks: Arc<[f64]>,
    /// The settings before the axes of settings apply.
    pub settings: Node,
    /// The measures.
    pub measures: Vec<Placed<Choice<MeasureKind>>>,
    /// The combinations that are left out.
    pub exclude: Vec<Exclusion>,
    /// The methods and parameters that `every` leaves out.
    pub account: Account,
    /// The definition of the reference.
    pub reference: Option<ReferenceSpec>,
    /// The rules that a run must not break.
    pub rules: Vec<Placed<Rule>>,
    /// The properties of methods that leave no run unvouched.
    pub expected: Arc<[Deviation]>,
    /// The place of the case in the file.
    pub place: Place,
}

/// Leaves out the combinations that have all of these values.
#[derive(Debug, Clone)]
pub struct Exclusion {
    /// An axis and its values; a combination matches if it has any of them.
    pub values: Vec<(Key, Vec<Placed<AxisValue>>)>,
}

/// Reads all cases and adds all errors to `problems`.
pub(super) fn read_cases(root: &Node, registry: &Registry, quick: bool, problems: &mut Problems) -> Vec<Case> {
    let run = keys::names(&[RUN]);
    let base = RunDefinition::of(&root.with_keys(|key| run.contains(&key)), problems);
    let overrides = root.get("quick").map(|node| {
        check_keys(node, problems);
        RunDefinition::of(node, problems)
    });
    let finish = |shape: RunDefinition| match &overrides {
        Some(overrides) if quick => shape.quickened(overrides),
        _ => shape,
    };
    let Some(nodes) = problems.keep(list(root, "cases")) else { return Vec::new() };
    if nodes.is_empty() {
        if let Some(cases) = root.get("cases") {
            problems.refuse(cases.place, "`cases` is empty", "add `- { case: name, … }`, or remove `cases`");
        }
        return Case::read(None, &finish(base), root.place, registry, problems).into_iter().collect();
    }
    let mut cases: Vec<Case> = Vec::new();
    for node in nodes {
        check_keys(node, problems);
        let Some(name) = problems.keep(case_name(node)) else { continue };
        if cases.iter().any(|case| case.name.as_ref() == Some(&name)) {
            let message = format!("duplicate case `{name}`");
            problems.refuse(node.place_of("case"), message, "the names of cases must differ");
        }
        let over = RunDefinition::of(&node.without("case"), problems);
        cases.extend(Case::read(Some(name), &finish(base.merged(&over)), node.place, registry, problems));
    }
    cases
}

fn check_keys(node: &Node, problems: &mut Problems) {
    if !matches!(node.value, Value::Map(_)) {
        problems.add(Problem::found(node).help("accepted: a map of keys"));
    }
    problems.extend(keys::unknown(node, "key of a case", &keys::names(&[CASE, RUN])));
}

fn case_name(node: &Node) -> Result<String, Problem> {
    let Some(name) = node.get("case") else {
        return refuse(node.place, "the case has no name", "add `case: name`");
    };
    let text: String = read(name)?;
    if text.trim().is_empty() {
        return refuse(name.place, "the name of the case is empty", "accepted: a text that is not empty");
    }
    Ok(text)
}

impl Case {
    fn read(
        name: Option<String>,
        shape: &RunDefinition,
        place: Place,
        registry: &Registry,
        problems: &mut Problems,
    ) -> Option<Self> {
        // Every part is read before any result is used, so that all problems are found.
        let mut shape = shape.clone();
        // A case without methods has no axes to read.
        let account = write_out_methods(&mut shape, registry, problems)?;
        let axes = read_axes(&shape, place, registry, problems);
        let rest = &shape.rest;
        let span = problems.keep(read_span(rest, place));
        let breaks = problems.keep(list(rest, "breaks").and_then(|times| times.iter().map(read).collect()));
        let measures = read_measures(rest, registry, problems);
        let exclude = problems.keep(read_exclusions(rest));
        let reference =
            problems.keep(rest.get("reference").map(|node| ReferenceSpec::read(node, registry)).transpose());
        let rules = problems.keep(super::items(rest, "fails_when", Rule::read));
        let expected = rest.get("expects").map_or(&[][..], Node::one_or_many);
        let expected = problems.keep(expected.iter().map(read).collect());
        let settings = rest.get("settings").cloned().unwrap_or_else(|| Node::empty(place));
        problems.keep(read_settings(&settings))?;
        let (model, axes) = axes?;
        Some(Self {
            name,
            model,
            axes,
            span: span?,
            breaks: breaks?,
            settings,
            measures: measures?,
            exclude: exclude?,
            account,
            reference: reference?,
            rules: rules?,
            expected: expected?,
            place,
        })
    }

    /// Returns the axis of that name.
    pub fn axis(&self, name: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == name)
    }

    /// Returns the columns that the measures fill.
    pub fn columns(&self) -> Vec<String> {
        self.measures.iter().flat_map(|measure| measure.value.object.columns()).collect()
    }
}

/// Replaces `every` by the methods that it selects, and returns the account of the methods left out. `None` if there
/// are no methods and therefore no case.
fn write_out_methods(shape: &mut RunDefinition, registry: &Registry, problems: &mut Problems) -> Option<Account> {
    let to_tolerance = shape.axes.iter().any(|axis| axis.key.name == "tolerance");
    // An error in a model is reported by its own axis.
    let chosen = |node: &Node| choose::<ModelKind>(registry.models(), node).ok();
    let model = shape.axes.iter().find(|axis| axis.key.name == "model").map(|axis| axis.value.clone());
    let models = || model.iter().flat_map(Node::one_or_many).filter_map(chosen).collect();
    let Some(axis) = shape.axes.iter_mut().find(|axis| axis.key.name == "method") else {
        return Some(Account::default());
    };
    let events = shape.rest.get("settings").and_then(|settings| read(settings.get("events")?).ok()).unwrap_or_default();
    let methods = problems.keep(Methods::read(&axis.value, models, (to_tolerance, events), registry))??;
    axis.value = methods.node;
    Some(methods.account)
}

/// Reads the model (unless it is an axis) and the axes in the order of columns.
fn read_axes(
    shape: &RunDefinition,
    place: Place,
    registry: &Registry,
    problems: &mut Problems,
) -> Option<(Option<Node>, Vec<Axis>)> {
    let find = |name: &str| shape.axes.iter().find(|axis| axis.key.name == name);
    let mut complete = true;
    let mut miss = |problem: Problem| {
        problems.add(problem);
        complete = false;
    };
    if find("model").is_none() {
        miss(axis::missing::<ModelKind>(place, registry.models().iter().map(|entry| entry.name).collect()));
    }
    if find("method").is_none() {
        miss(axis::missing::<MethodKind>(place, registry.methods().iter().map(|entry| entry.name).collect()));
    }
    if !CONTROLS.iter().any(|name| find(name).is_some()) {
        miss(
            Problem::new(place, "the step is missing").help("accepted: one of `step`, `step_per_stage` or `tolerance`"),
        );
    }
    let single_model = find("model").filter(|entry| !matches!(entry.value.value, Value::List(_)));
    let mut axes = Vec::new();
    for entry in &shape.axes {
        if single_model.is_some() && entry.key.name == "model" {
            complete &= problems.keep(choose::<ModelKind>(registry.models(), &entry.value)).is_some();
            continue;
        }
        match problems.keep(Axis::read(&entry.key, &entry.value, registry)) {
            Some(axis) => axes.push(axis),
            None => complete = false,
        }
    }
    axes.sort_by_key(|axis: &Axis| axis.role);
    debug_assert!(axes.is_sorted_by_key(|axis| axis.role) && axes.iter().all(|axis| axis.role >= Role::Model));
    complete.then(|| (single_model.map(|entry| entry.value.clone()), axes))
}

fn read_span(rest: &Node, place: Place) -> Result<[f64; 2], Problem> {
    const ACCEPTED: &str = "accepted: `[start, end]` in seconds, two different times";
    let Some(node) = rest.get("span") else {
        return refuse(place, "the key `span` is missing", ACCEPTED);
    };
    let [start, end]: [f64; 2] = read(node)?;
    if start != end && (end - start).is_finite() {
        return Ok([start, end]);
    }
    refuse(node.place, format!("the span from {start} to {end} does not have a positive length"), ACCEPTED)
}

/// Reads settings and checks their ranges.
pub fn read_settings(node: &Node) -> Result<Settings, Problem> {
    let settings: Settings = read(node)?;
    let steps = [("initial_step", settings.initial_step), ("max_step", settings.max_step)];
    let steps = steps.into_iter().filter_map(|(key, step)| Some((key, step?, "a number above zero, s")));
    let budgets = [("max_steps", settings.max_steps), ("max_rhs_evaluations", settings.max_rhs_evaluations)];
    let budgets = budgets.map(|(key, budget)| (key, budget as f64, "a whole number from 1"));
    match steps.chain(budgets).find(|&(_, value, _)| value <= 0.0) {
        Some((key, value, accepted)) => {
            refuse(node.place_of(key), format!("`{key}` is {value}"), format!("accepted: {accepted}"))
        }
        None => Ok(settings),
    }
}

fn read_measures(
    rest: &Node,
    registry: &Registry,
    problems: &mut Problems,
) -> Option<Vec<Placed<Choice<MeasureKind>>>> {
    let nodes = problems.keep(list(rest, "measures"))?;
    let mut measures = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    for node in nodes {
        let Some(measure) = problems.keep(choose::<MeasureKind>(registry.measures(), node)) else { continue };
        for column in measure.object.columns() {
            if columns.contains(&column) || FIXED.contains(&column.as_str()) {
                let message = format!("duplicate column `{column}`");
                problems.refuse(node.place, message, "measures must fill different columns");
            }
            columns.push(column);
        }
        measures.push(Placed { value: measure, node: node.clone() });
    }
    (measures.len() == nodes.len()).then_some(measures)
}

fn read_exclusions(rest: &Node) -> Result<Vec<Exclusion>, Problem> {
    let read_one = |node: &Node| {
        let Value::Map(entries) = &node.value else {
            return Err(Problem::found(node).help("accepted: a map of values, `{ method: rk3, step: 0.1 }`"));
        };
        if entries.is_empty() {
            let message = "an empty exclusion would leave out every run";
            return refuse(node.place, message, "accepted: a map with at least one axis");
        }
        let values = entries.iter().map(|entry| {
            let nodes = entry.value.one_or_many();
            let values: Result<Vec<_>, Problem> =
                nodes.iter().map(|node| Ok(Placed { value: read(node)?, node: node.clone() })).collect();
            Ok((entry.key.clone(), values?))
        });
        Ok(Exclusion { values: values.collect::<Result<_, Problem>>()? })
    };
    list(rest, "exclude")?.iter().map(read_one).collect()
}
