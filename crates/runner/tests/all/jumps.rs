//! Models with jumps at events, under methods that do not locate them.

use std::fs;

use mbsbench::Registry;
use mbsbench::cli::Exit;
use mbsbench_problem::{Counted, Events, Failure, Formulated, Method, Model, Settings, Silent, Task};

use super::bad_input::with;

/// The failure of a solve with the first kind of step control that the method accepts.
fn failure(method: &dyn Method, model: &dyn Model, events: Events) -> Option<Failure> {
    let initial = Formulated::<f64>::initial_state(model);
    let control = if method.properties().adapts { Settings::tolerance(1e-6, 1e-6) } else { Settings::fixed(1e-3) };
    let task = Task { t_start: 0.0, t_end: 1e-2, initial: &initial, settings: Settings { events, ..control } };
    method.solve(Counted::new(Formulated::<f64>::ode(model).as_mut()), &task, &mut Silent).failure
}

/// Every registered method except those that locate events refuses every registered model with jumps. If events are
/// ignored, no method is refused because of jumps. The models are found by their event functions.
#[test]
fn methods_without_events_refuse_every_model_that_jumps() {
    let registry = Registry::builtin();
    let mut found = Vec::new();
    for entry in registry.models() {
        let model = entry.default_choice().object.model();
        let mut ode = Formulated::<f64>::ode(&*model);
        if !ode.form().jumps() {
            continue;
        }
        found.push(entry.name);
        for entry in registry.methods().iter().filter(|entry| !entry.is_written_out) {
            let method = entry.default_choice().object.method();
            let suits = method.suits(ode.as_mut()).is_ok();
            let applies = method.applies_to(ode.as_mut(), Events::Located).is_ok();
            assert_eq!(applies, suits && ["dode", "llm"].contains(&entry.name), "{}", entry.name);
            let is_refused = matches!(failure(&*method, &*model, Events::Located), Some(Failure::NotApplicable { .. }));
            // SUNDIALS reports a missing library first
            let is_there = !matches!(failure(&*method, &*model, Events::Ignored), Some(Failure::Unavailable { .. }));
            assert_eq!(is_refused, !applies && is_there, "{} on {}", entry.name, found[found.len() - 1]);
            let ignored = failure(&*method, &*model, Events::Ignored);
            let is_refused = matches!(ignored, Some(Failure::NotApplicable { .. }));
            assert_eq!(is_refused, !suits && is_there, "{}: {ignored:?}", entry.name);
        }
    }
    found.sort_unstable();
    assert_eq!(found, ["ball-and-tank", "ball-between-walls", "diode-branches", "thermostat"]);
}

fn file(method: &str, rest: &str) -> String {
    format!(
        "id: mine/jumps\nmodel: thermostat\nspan: [0, 3]\ntolerance: 1e-6\nmethod: {method}\n{rest}measures: [events]\n"
    )
}

#[test]
fn methods_without_events_are_refused_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jumps.yaml");
    let arguments = ["check", path.to_str().unwrap()];
    fs::write(&path, file("[dode, dopri5, { dode: { label: smooth, events: false } }]", "")).unwrap();
    let (exit, _, err) = with(&Registry::builtin(), &arguments);
    assert_eq!(exit, Exit::BadInput);
    for expected in ["jumps.yaml:5:16: `dopri5` cannot solve `thermostat`", "`dode` cannot solve `thermostat`"] {
        assert!(err.contains(expected), "{err}");
    }
    assert!(err.contains("jumps at its events") && err.contains("settings: { events: ignored }"), "{err}");
    fs::write(&path, file("[dode, dopri5]", "settings: { events: ignored }\n")).unwrap();
    let (exit, out, err) = with(&Registry::builtin(), &arguments);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    assert!(out.contains("with 2 runs"), "{out}");
}

#[test]
fn every_names_the_methods_it_leaves_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jumps.yaml");
    let arguments = ["check", path.to_str().unwrap()];
    let every = "{ every: { with: { radau5: {} }, except: { bs32: the file says why } } }";
    fs::write(&path, file(every, "")).unwrap();
    let (exit, out, err) = with(&Registry::builtin(), &arguments);
    assert_eq!(exit, Exit::Done);
    assert!(out.contains("with 2 runs"), "{out}");
    assert!(err.contains("mine/jumps: left out: ") && err.contains("dopri5, ") && err.contains("radau5"), "{err}");
    assert!(err.contains("jumps at its events, which only a method that locates events can follow"), "{err}");
    assert!(!err.contains("newmark"), "the model has no constraints: {err}");
    assert!(!err.contains("bs32") && out.contains(" 1 by `except`, "), "the file says why: {out}{err}");
    fs::write(&path, file("every", "settings: { events: ignored }\n")).unwrap();
    let (exit, out, err) = with(&Registry::builtin(), &arguments);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    assert!(!out.contains("with 2 runs"), "{out}");
}
