//! What can be checked only when models and methods are chosen.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use mbsbench_problem::Formulated;

use super::{Plan, outputs};
use crate::execute::stepwise::{self, drawable};
use crate::experiment::{Case, Placed, Problems};
use crate::input::{BadInput, Place, Problem};
use crate::measures::{LinearAlgebraFlops, MeasureDefinition};
use crate::registry::{Choice, ModelKind};

/// Names of what can be drawn of the models, their observables first, each model made once.
pub(super) struct Observables(HashMap<*const Choice<ModelKind>, Vec<String>>);

impl Observables {
    pub(super) fn of(plan: &Plan) -> Self {
        let mut names = HashMap::new();
        for run in &plan.runs {
            names.entry(Arc::as_ptr(&run.model)).or_insert_with(|| {
                drawable(&*run.model.object().model()).into_iter().map(|observable| observable.name).collect()
            });
        }
        Self(names)
    }

    /// What can be drawn of a run.
    pub(super) fn at(&self, run: &super::RunSpec) -> &[String] {
        &self.0[&Arc::as_ptr(&run.model)]
    }

    /// A problem where a run's model has no such observable.
    fn require_of_model(&self, run: &super::RunSpec, name: &str, place: Place) -> Result<(), Problem> {
        let all = self.at(run);
        Self::require_among(&all[..all.len() - stepwise::COUNT], run, name, place)
    }

    /// A problem where nothing of that name can be drawn of a run.
    pub(super) fn require(&self, run: &super::RunSpec, name: &str, place: Place) -> Result<(), Problem> {
        Self::require_among(self.at(run), run, name, place)
    }

    fn require_among(known: &[String], run: &super::RunSpec, name: &str, place: Place) -> Result<(), Problem> {
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let kind = format!("observable of `{}`", run.model.name());
        Err(Problem::unknown(place, &kind, name, known.iter().map(String::as_str).collect::<Vec<_>>()))
    }
}

pub(super) fn check(plan: &Plan) -> Result<(), BadInput> {
    let mut problems = Problems::default();
    let observables = Observables::of(plan);
    check_measures(plan, &observables, &mut problems);
    check_methods(plan, &mut problems);
    check_undetermined(plan, &mut problems);
    check_study(plan, &mut problems);
    check_timing(plan, &mut problems);
    outputs::check(plan, &observables, &mut problems);
    problems.into_result(&plan.experiment.document)
}

/// The runs of a case.
fn runs_of<'p>(plan: &'p Plan, case: &'p Case) -> impl Iterator<Item = &'p super::RunSpec> {
    let column = plan.axis("case");
    plan.runs.iter().filter(move |run| match column {
        Some(column) => run.cells[column].as_ref().map(|label| &label.text) == case.name.as_ref(),
        None => true,
    })
}

fn check_measures(plan: &Plan, observables: &Observables, problems: &mut Problems) {
    let mut refused = HashSet::new();
    for case in &plan.experiment.cases {
        for run in runs_of(plan, case) {
            for Placed { value: measure, node } in &case.measures {
                let method = &run.method;
                let is_counted = measure.name() != LinearAlgebraFlops::NAME || method.object().method().counts_flops();
                if !is_counted && refused.insert(Arc::as_ptr(method)) {
                    let message = format!("`{}` does not count the operations of its linear algebra", method.name());
                    let help = "`factorizations` and `linear_solves` are counted by every method";
                    problems.add(Problem::new(node.place, message).help(help));
                }
                for name in measure.object().observables() {
                    problems.keep(observables.require_of_model(run, &name, node.place));
                }
            }
            for rule in &case.rules {
                problems.keep(observables.require_of_model(
                    run,
                    &rule.value.observable,
                    rule.node.place_of("observable"),
                ));
            }
        }
    }
    for Placed { value: name, node } in &plan.experiment.trajectories {
        for run in &plan.runs {
            problems.keep(observables.require(run, name, node.place));
        }
    }
}

/// Each method can be used on the models that it is to solve.
fn check_methods(plan: &Plan, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for run in &plan.runs {
        if !seen.insert((Arc::as_ptr(&run.model), Arc::as_ptr(&run.method))) {
            continue;
        }
        let (model, method) = (run.model.object().model(), run.method.object().method());
        let suits = method.suits(Formulated::<f64>::ode(&*model).as_mut());
        if let Err(unsuitable) = suits {
            let message = format!("`{}` cannot solve `{}`", run.method.name(), run.model.name());
            let place = run.method.place().unwrap_or(plan.experiment.document.root.place);
            problems.add(Problem::new(place, message).help(format!("{unsuitable}; leave the pair out with `exclude`")));
        }
    }
}

/// Undetermined parameters exist, are numbers, and are set to a value within their range.
fn check_undetermined(plan: &Plan, problems: &mut Problems) {
    for (key, undetermined) in &plan.experiment.undetermined {
        if plan.runs.iter().all(|run| run.number_at(&key.name).is_none()) {
            let known = known_paths(plan);
            problems.add(Problem::unknown(
                key.place,
                "number",
                &key.name,
                known.iter().map(String::as_str).collect::<Vec<_>>(),
            ));
            continue;
        }
        let [low, high] = undetermined.range;
        // An axis shows the parameter at several values, some of them beyond what is plausible on purpose.
        let is_axis = plan.axis(&key.name).is_some_and(|axis| plan.varies(axis));
        // `--quick` is no experiment of the paper.
        let is_nominal = !is_axis && !plan.experiment.quick;
        let values = if is_nominal { plan.numbers_at(&key.name) } else { Vec::new() };
        if let Some(value) = values.into_iter().find(|value| !(low..=high).contains(value)) {
            let message = format!("`{}` is {value}, outside of its range from {low} to {high}", key.name);
            problems.add(Problem::new(key.place, message).help("accepted: a range that holds the value set"));
        }
    }
}

/// The cases of a study exist, and its features are made of what their runs have.
fn check_study(plan: &Plan, problems: &mut Problems) {
    // `--quick` may leave out columns and cases.
    if plan.experiment.quick {
        return;
    }
    let known_cases: Vec<&str> = plan.experiment.cases.iter().filter_map(|case| case.name.as_deref()).collect();
    for Placed { value: name, node } in &plan.experiment.study.cases {
        if !known_cases.contains(&name.as_str()) {
            problems.add(Problem::unknown(node.place, "case", name, known_cases.clone()));
            return;
        }
    }
    for Placed { value: feature, node } in &plan.experiment.study.features {
        let Some(run) = plan.runs.iter().find(|run| plan.is_studied(run) && plan.is_meant(run, &feature.filter)) else {
            let problem = Problem::new(node.place_of("where"), "no run of the study is meant");
            problems.add(problem.help("accepted: values that axes have in the cases of the study"));
            continue;
        };
        let is_number = |axis: usize| run.cells[axis].as_ref().is_some_and(|label| label.number.is_some());
        let measured = run.columns();
        for (key, name) in feature.operands() {
            let is_known = name == "t_reached"
                || measured.iter().any(|column| column == name)
                || plan.axis(name).is_some_and(is_number)
                || value_at(run, name).is_some();
            if !is_known {
                let paths = known_paths(plan);
                let known = measured.iter().chain(&paths).map(String::as_str).chain(["t_reached"]);
                problems.add(Problem::unknown(node.place_of(key), "column", name, known.collect::<Vec<_>>()));
            }
        }
    }
}

/// The number at a path of a run: `model.…`, `method.…`, `step`, `span.start`, `span.end`.
pub(super) fn value_at(run: &super::RunSpec, path: &str) -> Option<f64> {
    use mbsbench_problem::StepControl;
    match path.split_once('.') {
        Some(("model", path)) => run.model.parameter(path)?.as_f64(),
        Some(("method", path)) => run.method.parameter(path)?.as_f64(),
        Some(("span", "start")) => Some(run.span[0]),
        Some(("span", "end")) => Some(run.span[1]),
        None if path == "step" => match run.settings.control {
            StepControl::Fixed { step } => Some(step),
            StepControl::Tolerance { .. } => None,
        },
        _ => None,
    }
}

fn known_paths(plan: &Plan) -> Vec<String> {
    let mut paths: Vec<String> = ["step", "span.start", "span.end"].map(str::to_owned).to_vec();
    for run in &plan.runs {
        let model = run.model.paths().into_iter().map(|path| format!("model.{path}"));
        for path in model.chain(run.method.paths().into_iter().map(|path| format!("method.{path}"))) {
            if !paths.contains(&path) && value_at(run, &path).is_some() {
                paths.push(path);
            }
        }
    }
    paths
}

fn check_timing(plan: &Plan, problems: &mut Problems) {
    let Some(timing) = &plan.experiment.timing else { return };
    let place = |key: &str| plan.experiment.document.root.place_of(&format!("timing.{key}"));
    if let Some(per) = timing.per.as_ref().filter(|per| plan.runs.iter().any(|run| value_at(run, per).is_none())) {
        let message = format!("not every run has a number `{per}`");
        problems
            .add(Problem::new(place("per"), message).help("accepted: a parameter of all runs, such as `model.count`"));
    }
    let Some(label) = &timing.relative_to else { return };
    let column = plan.axis("method").expect("every case has a method");
    let labels = plan.values(column);
    if !labels.iter().any(|known| &known.text == label) {
        let known: Vec<&str> = labels.iter().map(|label| label.text.as_str()).collect();
        problems.add(Problem::unknown(place("relative_to"), "method of this experiment", label, known));
    }
}
