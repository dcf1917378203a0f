//! Solves and observes mechanisms from JSON.
#![allow(dead_code)] // each test file uses its own part

use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::{
    Counted, Formulated, Method, MethodDefinition, Model, ModelDefinition, Parameters, Settings, Silent, Task,
};
use serde_json::Value;

/// Reads a valid mechanism.
#[track_caller]
pub fn mechanism(written: Value) -> Mechanism {
    let mechanism: Mechanism = serde_json::from_value(written).expect("a mechanism");
    mechanism.check().unwrap_or_else(|error| panic!("{error}"));
    mechanism
}

/// States at times, from the initial one on.
pub fn states(model: &dyn Model, method: &dyn Method, times: &[f64], settings: Settings) -> Vec<Vec<f64>> {
    let mut state = Formulated::<f64>::initial_state(model);
    let mut t_start = 0.0;
    let one = |&t_end: &f64| {
        let mut ode = model.ode();
        let task = Task { t_start, t_end, initial: &state, settings };
        let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
        assert_eq!(solution.failure, None, "to {t_end}");
        state.clone_from(&solution.state);
        t_start = t_end;
        solution.state
    };
    times.iter().map(one).collect()
}

/// The observables with these names at a state.
pub fn observed(model: &dyn Model, t: f64, state: &[f64], names: &[&str]) -> Vec<f64> {
    let all = model.observables();
    let mut values = vec![f64::NAN; all.len()];
    model.observation().observe(t, state, &mut values);
    let of = |name: &&str| {
        let index = all.iter().position(|observable| observable.name == *name);
        values[index.unwrap_or_else(|| panic!("no observable {name}"))]
    };
    names.iter().map(of).collect()
}

/// Observables of a mechanism at times, by a method.
pub fn motion<D: MethodDefinition>(
    mechanism: &Mechanism,
    method: &D,
    settings: Settings,
    times: &[f64],
    names: &[&str],
) -> Vec<Vec<f64>> {
    let model = mechanism.model();
    let states = states(&*model, &*method.method(), times, settings);
    times.iter().zip(states).map(|(&t, state)| observed(&*model, t, &state, names)).collect()
}
