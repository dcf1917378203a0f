//! Expands axes: every combination of their values is a run.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use mbsbench_input::{BadInput, Key, Node, Place, Problem};
use mbsbench_problem::{Settings, StepControl};

use super::exclusions;
use super::stored::StoredFiles;
use super::{Guest, MOST_RUNS, Plan, ReferencePlan, RunKey, RunSpec, Solved, key};
use crate::lists::{unique, unique_by};
use crate::registry::{Choice, Entry, Kind, MeasureKind, MethodKind, ModelKind, Registry, choose};
use crate::{
    Axis, Case, Control, Experiment, ExternalReference, ExternalReferenceSpec, Label, Origin, Problems, Recording,
    ReferenceSpec, Role, Rule, SolverSpec, read_settings, spec,
};

/// The largest number of different models or methods of an experiment, whose parameters dominate the memory of a plan.
const MOST_CHOICES: usize = 40_000;

/// The number of invalid runs after which the expansion of a case ends.
const ENOUGH_WRONG: usize = 1000;

pub(super) fn expand(experiment: Experiment, registry: &Registry) -> Result<Plan, BadInput> {
    let mut problems = Problems::default();
    let axes = axis_columns(&experiment);
    let columns = unique(experiment.cases.iter().flat_map(Case::columns));
    exclusions::check(&experiment, &axes, &mut problems);
    let size = experiment.cases.iter().map(|case| points(case.axes.iter())).fold(0_usize, usize::saturating_add);
    if size > MOST_RUNS {
        let root = &experiment.document.root;
        let problem = Problem::new(root.place_of("matrix"), format!("the matrix has {size} combinations"));
        problems.add(problem.help(format!("accepted: at most {MOST_RUNS}; split the experiment")));
    }
    for (what, roles) in
        [("models", [Role::Model, Role::ModelParameter]), ("methods", [Role::Method, Role::MethodParameter])]
    {
        let different = |case: &Case| points(case.axes.iter().filter(|axis| roles.contains(&axis.role)));
        let different = experiment.cases.iter().map(different).fold(0_usize, usize::saturating_add);
        if size <= MOST_RUNS && different > MOST_CHOICES {
            let root = &experiment.document.root;
            let problem = Problem::new(root.place_of("matrix"), format!("the matrix has {different} different {what}"));
            problems.add(problem.help(format!("accepted: at most {MOST_CHOICES}; split the experiment")));
        }
    }
    let mut runs = Vec::with_capacity(size.min(MOST_RUNS));
    if problems.is_empty() {
        let (folder, mut files) = (experiment.document.source.folder(), StoredFiles::default());
        for case in &experiment.cases {
            Expansion::new(folder, case, registry, &axes, &mut files).runs(&mut runs, &mut problems);
        }
    }
    if problems.is_empty() && runs.is_empty() {
        let place = experiment.document.root.place_of("exclude");
        problems.refuse(place, "every combination is excluded", "exclude fewer combinations");
    }
    problems.into_result(&experiment.document)?;
    Ok(Plan { experiment, axes, columns, runs, notes: Vec::new(), guest: Guest::default() })
}

/// The number of combinations of the values of some axes.
fn points<'a>(axes: impl Iterator<Item = &'a Axis>) -> usize {
    axes.fold(1, |size: usize, axis| size.saturating_mul(axis.points.len()))
}

/// The columns of the axes: `case`, then the axes of all cases, by role and then in the order of the file.
fn axis_columns(experiment: &Experiment) -> Vec<String> {
    let axes = experiment.cases.iter().flat_map(|case| &case.axes);
    let mut axes = unique_by(axes, |one, other| one.name == other.name);
    axes.sort_by_key(|axis| axis.role);
    let case = experiment.cases.iter().any(|case| case.name.is_some()).then_some("case");
    case.into_iter().chain(axes.into_iter().map(|axis| axis.name.as_str())).map(str::to_owned).collect()
}

/// The expansion of one case.
pub(super) struct Expansion<'e> {
    /// The folder from which relative names in the file start.
    folder: &'e Path,
    case: &'e Case,
    /// The name of the case, shared by the cells of its runs.
    name: Option<Arc<Label>>,
    registry: &'e Registry,
    /// For each column: true if it contains the name of the case, and the index of its axis in this case.
    columns: Vec<(bool, Option<usize>)>,
    measures: Arc<[Choice<MeasureKind>]>,
    rules: Arc<[Rule]>,
    models: Choices<ModelKind>,
    methods: Choices<MethodKind>,
    settings: HashMap<usize, Result<spec::Settings, Problem>>,
    references: HashMap<*const Choice<ModelKind>, Option<Arc<ReferencePlan>>>,
    stored: &'e mut StoredFiles,
}

/// The values of a step's axis.
type Controls = Vec<(Control, Place)>;

impl<'e> Expansion<'e> {
    pub(super) fn new(
        folder: &'e Path,
        case: &'e Case,
        registry: &'e Registry,
        columns: &'e [String],
        stored: &'e mut StoredFiles,
    ) -> Self {
        let axis = |name: &String| case.axes.iter().position(|axis| axis.name == *name);
        Self {
            folder,
            case,
            name: exclusions::named(case).map(Arc::new),
            registry,
            columns: columns.iter().map(|name| (name == "case", axis(name))).collect(),
            measures: case.measures.iter().map(|measure| measure.value.clone()).collect(),
            rules: case.rules.iter().map(|rule| rule.value.clone()).collect(),
            models: Choices::new(Role::Model, Role::ModelParameter),
            methods: Choices::new(Role::Method, Role::MethodParameter),
            settings: HashMap::new(),
            references: HashMap::new(),
            stored,
        }
    }

    pub(super) fn runs(mut self, runs: &mut Vec<RunSpec>, problems: &mut Problems) {
        let Some(controls) = self.controls(problems) else { return };
        let axes = &self.case.axes;
        let is_first = |(axis, &index): (&Axis, &usize)| axis.role != Role::Control || index == 0;
        let mut at = vec![0; axes.len()];
        let mut wrong = 0;
        for is_excluded in exclusions::excluded(self.case) {
            if !is_excluded {
                match self.run(&at, &controls) {
                    // A method with its own step is not repeated for each step of the axis.
                    Ok(run) if run.method.own_control().is_some() && !axes.iter().zip(&at).all(is_first) => {}
                    Ok(run) => runs.push(run),
                    // One wrong parameter invalidates many runs but is one problem: equal problems are shown once.
                    Err(problem) => {
                        problems.add(problem);
                        wrong += 1;
                    }
                }
            }
            // The last axis varies fastest, like the last digit of a number.
            let next = (0..axes.len()).rev().find(|&axis| at[axis] + 1 < axes[axis].points.len());
            let Some(next) = next.filter(|_| wrong < ENOUGH_WRONG) else { return };
            at[next] += 1;
            at[next + 1..].fill(0);
        }
    }

    fn controls(&self, problems: &mut Problems) -> Option<Controls> {
        let axis = self.case.axes.iter().find(|axis| axis.role == Role::Control).expect("a case has a step");
        let read = |node: &Node| Some((problems.keep(Control::read(&axis.name, node))?, node.place));
        let controls: Vec<_> = axis.points.iter().map(|point| &point.node).map(read).collect();
        controls.into_iter().collect()
    }

    fn run(&mut self, at: &[usize], controls: &Controls) -> Result<RunSpec, Problem> {
        let case = self.case;
        let model = self.models.at(at, case, case.model.as_ref(), self.registry.models())?;
        let method = self.methods.at(at, case, None, self.registry.methods())?;
        let of_case = case.axes.iter().zip(at).find(|(axis, _)| axis.role == Role::Control);
        let (control, place) = of_case.map(|(_, &index)| controls[index]).expect("a case has a step");
        let read = self.settings(at)?;
        let own = method.own_control();
        let (control, place) = match own {
            Some((name, node)) => (Control::read(name, node)?, node.place),
            None => (control, place),
        };
        let is_shared = own.is_none();
        let control = control.for_method(&method, case.span, &read, place)?;
        let reference = self.reference(&model, &read)?;
        let cell = |&(is_case, axis): &(bool, Option<usize>)| {
            let of_axis = axis.map(|axis| (&case.axes[axis], at[axis]));
            let shown = of_axis.filter(|(axis, _)| is_shared || axis.role != Role::Control);
            self.name.clone().filter(|_| is_case).or(shown.map(|(axis, point)| axis.points[point].label.clone()))
        };
        let label = case.axes.iter().zip(at).find(|(axis, _)| axis.role == Role::Method);
        Ok(RunSpec {
            cells: self.columns.iter().map(cell).collect(),
            method_label: label.map_or_else(String::new, |(axis, &index)| axis.points[index].label.text.clone()),
            settings: settings(&read, control),
            model,
            method,
            span: case.span,
            breaks: Arc::clone(&case.breaks),
            measures: Arc::clone(&self.measures),
            reference,
            rules: Arc::clone(&self.rules),
            expected: Arc::clone(&case.expected),
            recording: Recording::default(),
            key: OnceLock::new(),
            set_up: OnceLock::new(),
        })
    }

    /// Returns the settings, which are read once for each combination of their axes.
    fn settings(&mut self, at: &[usize]) -> Result<spec::Settings, Problem> {
        let case = self.case;
        let read = || read_settings(&varied(&case.settings, None, case, at, Role::Setting));
        self.settings.entry(combination(case, at, |role| role == Role::Setting)).or_insert_with(read).clone()
    }

    /// Returns the reference of a model, which is planned once for all of its runs.
    fn reference(
        &mut self,
        model: &Arc<Choice<ModelKind>>,
        read: &spec::Settings,
    ) -> Result<Option<Arc<ReferencePlan>>, Problem> {
        let Some(spec) = &self.case.reference else { return Ok(None) };
        if let Some(known) = self.references.get(&Arc::as_ptr(model)) {
            return Ok(known.clone());
        }
        // Budgets and clock apply to the runs only; a reference may take as long as it needs.
        let own = spec::Settings { initial_step: read.initial_step, ..spec::Settings::default() };
        let reference = self.planned_reference(spec, model, &own)?;
        let reference = Some(Arc::new(reference));
        self.references.insert(Arc::as_ptr(model), reference.clone());
        Ok(reference)
    }

    fn planned_reference(
        &mut self,
        spec: &ReferenceSpec,
        model: &Arc<Choice<ModelKind>>,
        own: &spec::Settings,
    ) -> Result<ReferencePlan, Problem> {
        let span = self.case.span;
        let solved = match &spec.origin {
            Origin::Solved(solved) => solved,
            Origin::File(given) => return self.given(given, model),
        };
        let solver = |solver: &SolverSpec| -> Result<Settings, Problem> {
            let control: StepControl = solver.control.for_method(&solver.method, span, own, solver.control_place)?;
            Ok(settings(own, control))
        };
        let model = match &spec.model {
            None => Arc::clone(model),
            Some(over) => {
                let entry = self.registry.models().iter().find(|entry| entry.name == model.name());
                let entry = entry.expect("a chosen model is in the registry");
                let parameters = Node::from_json(&model.parameters, over.place).merged(over);
                Arc::new(entry.choose(&parameters, None)?)
            }
        };
        let check = solved.check.as_ref().map(|check| Ok((check.clone(), solver(check)?))).transpose()?;
        let mut reference = ReferencePlan {
            model,
            span,
            breaks: Arc::clone(&self.case.breaks),
            origin: Origin::Solved(Solved {
                precision: solved.precision,
                settings: solver(&solved.solver)?,
                solver: solved.solver.clone(),
                check,
                digits: solved.digits,
            }),
            stored: None,
            key: RunKey::default(),
        };
        reference.key = key::of_reference(&reference);
        let stored = solved.stored.as_ref();
        reference.stored = stored.map(|(file, place)| self.stored.at(self.folder.join(file), *place));
        Ok(reference)
    }

    /// Plans a reference from a file.
    fn given(&self, spec: &ExternalReferenceSpec, model: &Arc<Choice<ModelKind>>) -> Result<ReferencePlan, Problem> {
        let path = self.folder.join(&spec.file);
        let bytes = mbsbench_input::read_file(&path, mbsbench_input::LARGEST_DATA).map_err(|error| {
            let problem = Problem::new(spec.place, format!("`{}`: {error}", path.display()));
            problem.help("accepted: the path of a CSV file, relative to the folder of this file")
        })?;
        let given = ExternalReference::read(&path, &bytes, spec, &model.object.model().observables());
        let origin = Origin::File(given.map(Arc::new));
        let (model, span, breaks) = (Arc::clone(model), self.case.span, Arc::clone(&self.case.breaks));
        let mut reference = ReferencePlan { model, span, breaks, origin, stored: None, key: RunKey::default() };
        reference.key = key::of_reference(&reference);
        Ok(reference)
    }
}

/// Returns the settings of the file with the given step control.
fn settings(read: &spec::Settings, control: StepControl) -> Settings {
    let spec::Settings { clock, max_steps, max_rhs_evaluations, matrices, events, .. } = *read;
    Settings { control, clock, max_steps, max_rhs_evaluations, matrices, events }
}

/// Returns the number of a combination of axis values, whose digits are the indices of the values.
fn combination(case: &Case, at: &[usize], is_meant: impl Fn(Role) -> bool) -> usize {
    let axes = case.axes.iter().zip(at).filter(|(axis, _)| is_meant(axis.role));
    axes.fold(0, |number, (axis, &index)| number * axis.points.len() + index)
}

/// Returns a node with the values of all axes of a role inserted, below a name if there is one.
fn varied(base: &Node, name: Option<&Key>, case: &Case, at: &[usize], role: Role) -> Node {
    let axes = case.axes.iter().zip(at).filter(|(axis, _)| axis.role == role);
    axes.fold(base.clone(), |node, (axis, &index)| {
        let path: Vec<Key> = name.into_iter().chain(&axis.path).cloned().collect();
        node.with(&path, &axis.points[index].node)
    })
}

/// The models or methods chosen so far, so that each combination of their axes is read once.
struct Choices<K: Kind> {
    name: Role,
    parameter: Role,
    known: HashMap<usize, Result<Arc<Choice<K>>, Problem>>,
}

impl<K: Kind> Choices<K> {
    fn new(name: Role, parameter: Role) -> Self {
        Self { name, parameter, known: HashMap::new() }
    }

    fn at(
        &mut self,
        at: &[usize],
        case: &Case,
        single: Option<&Node>,
        entries: &[Entry<K>],
    ) -> Result<Arc<Choice<K>>, Problem> {
        let (name, parameter) = (self.name, self.parameter);
        let combination = combination(case, at, |role| role == name || role == parameter);
        let make = || {
            let axis = case.axes.iter().zip(at).find(|(axis, _)| axis.role == name);
            let node = single.or(axis.map(|(axis, &index)| &axis.points[index].node));
            let node = node.expect("a case has a model and a method");
            // A node that is neither `name` nor `{ name: { … } }` is refused without the values of its axes.
            let Some(named) = node.named() else { return choose(entries, node).map(Arc::new) };
            choose(entries, &varied(node, Some(&named.key), case, at, parameter)).map(Arc::new)
        };
        self.known.entry(combination).or_insert_with(make).clone()
    }
}
