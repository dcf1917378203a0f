use mbsbench_integrators::Radau5;
use mbsbench_models::{Squeezer, SqueezerStart};
use mbsbench_problem::{Counted, Formulated, MethodDefinition, ModelDefinition, Settings, Silent, StepControl, Task};
#[test]
fn squeezer() {
    let parameters = Squeezer { start: SqueezerStart::TestSet, ..Squeezer::default() };
    let model = parameters.model();
    for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
        for h in [1e-2 * tol, tol, 1e-6, 1e-7, 1e-10] {
            let initial = <_ as Formulated<f64>>::initial_state(&*model);
            let mut ode = <_ as Formulated<f64>>::ode(&*model);
            let control = StepControl::Tolerance { rel: tol, abs: tol, initial_step: Some(h), max_step: None };
            let settings = Settings { control, ..Settings::tolerance(tol, tol) };
            let task = Task { t_start: 0.0, t_end: 0.03, initial: &initial, settings };
            let s = Radau5::default().method().solve(Counted::new(&mut *ode), &task, &mut Silent);
            let c = s.statistics;
            println!(
                "{tol:e} {h:e} {:?} steps {} accepted {} nc {} f {} jac {} lu {} it {} beta err {:e}",
                s.failure,
                c.steps_accepted + c.steps_rejected,
                c.steps_accepted,
                c.convergence_failures,
                c.rhs_evaluations,
                c.jacobian_evaluations,
                c.factorizations,
                c.newton_iterations,
                s.state[0] - 15.81077119629904
            );
        }
    }
}
