//! Checks that need the chosen models and methods.

use std::collections::HashSet;
use std::sync::Arc;

use mbsbench_input::{Key, Problem};
use mbsbench_measures::{LinearAlgebraFlops, MeasureDefinition};
use mbsbench_problem::{Events, Formulated, Model, StepControl};

use super::Plan;
use super::observables::{Observables, each_model};
use crate::lists::unique;
use crate::provenance::Marked;
use crate::registry::{Choice, MeasureKind};
use crate::undetermined::lies_below;
use crate::{Case, Placed, Problems, Provenance, Varies};

/// Checks everything except the references of tables and plots, and returns the observables that these may refer to.
pub(super) fn check(plan: &Plan, problems: &mut Problems) -> Observables {
    let mut observables = Observables::default();
    each_model(plan, |model, runs| {
        observables.add(model, runs);
        check_methods(plan, model, runs, problems);
    });
    check_measures(plan, &observables, problems);
    check_undetermined(plan, problems);
    check_known(plan, problems);
    check_study(plan, problems);
    check_timing(plan, problems);
    observables
}

/// Returns the runs of a case.
pub(super) fn runs_of<'p>(plan: &'p Plan, case: &'p Case) -> impl Iterator<Item = &'p super::RunSpec> {
    let column = plan.axis("case");
    plan.runs.iter().filter(move |run| match column {
        Some(column) => run.cells[column].as_ref().map(|label| &label.text) == case.name.as_ref(),
        None => true,
    })
}

fn check_measures(plan: &Plan, observables: &Observables, problems: &mut Problems) {
    let mut refused = HashSet::new();
    for case in &plan.experiment.cases {
        let needs =
            |measure: &&Placed<Choice<MeasureKind>>| !measure.value.object.reference_times(case.span).is_empty();
        if let Some(measure) = case.measures.iter().find(|measure| case.reference.is_none() && needs(measure)) {
            let message = format!("`{}` has no reference to compare with", measure.value.name());
            problems.refuse(measure.node.place, message, "add `reference:`, with a method and its step, or a file");
        }
        let mut seen = HashSet::new();
        for run in runs_of(plan, case) {
            if !seen.insert((Arc::as_ptr(&run.model), Arc::as_ptr(&run.method))) {
                continue;
            }
            for Placed { value: measure, node } in &case.measures {
                let method = &run.method;
                let is_counted =
                    measure.name() != LinearAlgebraFlops::NAME || method.object.method().properties().counts_flops;
                if !is_counted && refused.insert(Arc::as_ptr(method)) {
                    let message = format!("`{}` does not count the operations of its linear algebra", method.name());
                    let help = "`factorizations` and `linear_solves` are counted by every method";
                    problems.refuse(node.place, message, help);
                }
                for name in measure.object.observables() {
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
        let mut seen = HashSet::new();
        for run in plan.runs.iter().filter(|run| seen.insert(Arc::as_ptr(&run.model))) {
            problems.keep(observables.require(run, name, node.place));
        }
    }
}

/// Checks that each method of these runs can be used on their model.
fn check_methods(plan: &Plan, model: &dyn Model, runs: &[&super::RunSpec], problems: &mut Problems) {
    let mut ode = Formulated::<f64>::ode(model);
    let mut seen = HashSet::new();
    for run in runs.iter().filter(|run| seen.insert((Arc::as_ptr(&run.method), run.settings.events))) {
        let method = run.method.object.method();
        if let Err(unsuitable) = method.applies_to(ode.as_mut(), run.settings.events) {
            let message = format!("`{}` cannot solve `{}`", run.method.name(), run.model.name());
            let place = run.method.place.unwrap_or(plan.experiment.document.root.place);
            let mut help = format!("{unsuitable}; leave the pair out with `exclude`");
            if method.applies_to(ode.as_mut(), Events::Ignored).is_ok() {
                help += ", or run it without the jumps with `settings: { events: ignored }`";
            }
            problems.refuse(place, message, help);
        }
    }
}

/// Checks that undetermined parameters exist and are set to a value within their range.
fn check_undetermined(plan: &Plan, problems: &mut Problems) {
    for (key, undetermined) in &plan.experiment.undetermined {
        match &undetermined.varies {
            Varies::Over(range) => check_range(plan, key, *range, problems),
            Varies::Readings(readings) => {
                for (key, _) in readings.iter().flat_map(|reading| &reading.sets) {
                    if plan.runs.iter().all(|run| !has_path(run, &key.name)) {
                        problems.add(unknown_path(plan, key, "parameter"));
                    }
                }
            }
        }
    }
}

fn check_range(plan: &Plan, key: &Key, [low, high]: [f64; 2], problems: &mut Problems) {
    if plan.runs.iter().all(|run| run.number_at(&key.name).is_none()) {
        problems.add(unknown_path(plan, key, "number"));
        return;
    }
    // An axis shows the parameter at several values, some of them deliberately outside the plausible range.
    let is_axis = plan.axis(&key.name).is_some_and(|axis| plan.varies(axis));
    // With `--quick` the values need not be those of the paper.
    let is_nominal = !is_axis && !plan.experiment.quick;
    let values = if is_nominal { plan.numbers_at(&key.name) } else { Vec::new() };
    if let Some(value) = values.into_iter().find(|value| !(low..=high).contains(value)) {
        let message = format!("`{}` is {value}, outside of its range from {low} to {high}", key.name);
        problems.refuse(key.place, message, "accepted: a range that contains the value set in the file");
    }
}

pub(super) fn unknown_path(plan: &Plan, key: &Key, kind: &str) -> Problem {
    let known: Vec<String> = match kind {
        "number" => known_paths(plan, |run, path| value_at(run, path).is_some()),
        _ => known_paths(plan, |_, _| true),
    };
    Problem::unknown(key.place, kind, &key.name, known)
}

/// Checks that marks belong to existing parameters and axes, that all parameters have one, and that no undetermined
/// parameter is marked as printed.
fn check_known(plan: &Plan, problems: &mut Problems) {
    let Some(known) = &plan.experiment.known else { return };
    let paths = known_paths(plan, |_, _| true);
    for (key, marks) in &known.entries {
        if !paths.iter().any(|path| lies_below(path, &key.name)) {
            problems.add(unknown_path(plan, key, "parameter"));
        }
        for axis in marks.iter().flat_map(|marked| marked.filter.keys()) {
            if plan.axis(axis).is_none() && !plan.experiment.quick {
                problems.add(Problem::unknown(key.place, "axis", axis, &plan.axes));
            }
        }
    }
    let unmarked = |run: &super::RunSpec| run.paths().into_iter().find(|path| plan.mark(run, path).is_none());
    if let Some(path) = plan.runs.iter().find_map(unmarked) {
        let place = plan.experiment.document.root.place_of("known");
        let message = format!("the origin of `{path}` is not stated");
        problems.refuse(place, message, "add it to `known:`, or add `defaults:`");
    }
    for (key, _) in plan.experiment.sampled() {
        let is_printed = |(known, marks): &(Key, Vec<Marked>)| {
            known.name == key.name
                && marks.iter().any(|marked| marked.is == Provenance::Printed && marked.filter.is_empty())
        };
        if let Some((known, _)) = known.entries.iter().find(|entry| is_printed(entry)) {
            let problem =
                Problem::new(known.place, format!("`{}` is marked as both printed and undetermined", key.name));
            problems.add(problem.help("a printed value has no range: remove one of the two, or give `readings:`"));
        }
    }
}

/// Checks that the cases of a study exist and that its runs have the operands of its features.
fn check_study(plan: &Plan, problems: &mut Problems) {
    // `--quick` may leave out columns and cases.
    if plan.experiment.quick {
        return;
    }
    let known_cases: Vec<&str> = plan.experiment.cases.iter().filter_map(|case| case.name.as_deref()).collect();
    let place = |path: String| plan.experiment.document.root.place_of(&format!("study.{path}"));
    for (index, name) in plan.experiment.study.cases.iter().enumerate() {
        if !known_cases.contains(&name.as_str()) {
            problems.add(Problem::unknown(place(format!("cases.{index}")), "case", name, &known_cases));
            return;
        }
    }
    for (index, feature) in plan.experiment.study.features.iter().enumerate() {
        let place = |key: &str| place(format!("features.{index}.{key}"));
        let Some(run) = plan.runs.iter().find(|run| plan.is_studied(run) && plan.is_meant(run, &feature.filter)) else {
            let message = "no run of the study has all of these values";
            problems.refuse(place("where"), message, "accepted: values of the axes in the cases under `study:`");
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
                let paths = known_paths(plan, |run, path| value_at(run, path).is_some());
                let known = measured.iter().chain(&paths).map(String::as_str).chain(["t_reached"]);
                problems.add(Problem::unknown(place(key), "column", name, known));
            }
        }
    }
}

/// Returns the number at a path of a run: `model.…`, `method.…`, `step`, `tolerance.…`, `settings.…`, `span.start`,
/// `span.end`.
pub(super) fn value_at(run: &super::RunSpec, path: &str) -> Option<f64> {
    match (path.split_once('.'), run.settings.control) {
        (Some(("model", path)), _) => run.model.parameter(path)?.as_f64(),
        (Some(("method", path)), _) => run.method.parameter(path)?.as_f64(),
        (Some(("span", "start")), _) => Some(run.span[0]),
        (Some(("span", "end")), _) => Some(run.span[1]),
        (None, StepControl::Fixed { step }) if path == "step" => Some(step),
        (Some(("tolerance", "rel")), StepControl::Tolerance { rel, .. }) => Some(rel),
        (Some(("tolerance", "abs")), StepControl::Tolerance { abs, .. }) => Some(abs),
        (Some(("settings", "initial_step")), StepControl::Tolerance { initial_step, .. }) => initial_step,
        (Some(("settings", "max_step")), StepControl::Tolerance { max_step, .. }) => max_step,
        _ => None,
    }
}

/// True if a run has a value, numeric or not, at a path.
pub(super) fn has_path(run: &super::RunSpec, path: &str) -> bool {
    match path.split_once('.') {
        Some(("model", path)) => run.model.has(path),
        Some(("method", path)) => run.method.has(path),
        Some(("settings", "initial_step" | "max_step")) => {
            matches!(run.settings.control, StepControl::Tolerance { .. })
        }
        Some(("settings", "clock")) => matches!(run.settings.control, StepControl::Fixed { .. }),
        _ => value_at(run, path).is_some(),
    }
}

/// Returns the distinct paths of the selected runs.
fn known_paths(plan: &Plan, is_meant: impl Fn(&super::RunSpec, &str) -> bool) -> Vec<String> {
    let paths = plan.runs.iter().flat_map(|run| run.paths().into_iter().map(move |path| (run, path)));
    unique(paths.filter(|(run, path)| is_meant(run, path)).map(|(_, path)| path))
}

fn check_timing(plan: &Plan, problems: &mut Problems) {
    let Some(timing) = &plan.experiment.timing else { return };
    let place = |key: &str| plan.experiment.document.root.place_of(&format!("timing.{key}"));
    if let Some(per) = timing.per.as_ref().filter(|per| plan.runs.iter().any(|run| value_at(run, per).is_none())) {
        let message = format!("some runs do not have a number `{per}`");
        problems.refuse(place("per"), message, "accepted: a parameter of all runs, such as `model.count`");
    }
    let Some(label) = &timing.relative_to else { return };
    let column = plan.axis("method").expect("every case has a method");
    let labels = plan.values(column);
    if !labels.iter().any(|known| &known.text == label) {
        problems.add(Problem::unknown(place("relative_to"), "method of this experiment", label, labels));
    }
}
