//! Solves a model by a method with a name, and observes the final state.

use mbsbench_problem::{Counted, Formulated, Method, MethodDefinition, Model, Settings, Silent, Solution, Task};

/// A method with its name.
pub type Named = (&'static str, Box<dyn Method>);

/// Returns the method of a definition, with its name.
pub fn named<D: MethodDefinition>(definition: D) -> Named {
    (D::NAME, definition.method())
}

/// Returns the solution from zero to `t_end`, complete or not.
pub fn solve(model: &dyn Model, method: &Named, t_end: f64, settings: Settings) -> Solution {
    let initial = Formulated::<f64>::initial_state(model);
    let mut ode = model.ode();
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    method.1.solve(Counted::new(&mut *ode), &task, &mut Silent)
}

/// All observables at a state.
pub fn observed(model: &dyn Model, t: f64, state: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; model.observables().len()];
    model.observation().observe(t, state, &mut values);
    values
}
