//! Compares, for the ball of modin2005, contact power with the energy, and the closed-form motion with an integration.

use approx::assert_relative_eq;
use mbsbench_integrators::Dop853;
use mbsbench_models::PenaltyBall;
use mbsbench_problem::{
    Counted, Formulated, MethodDefinition, Model, ModelDefinition, Parameters, Settings, Silent, Task,
};

fn observed(model: &dyn Model, y: &[f64], name: &str) -> f64 {
    let names: Vec<_> = model.observables().into_iter().map(|observable| observable.name).collect();
    let mut values = vec![f64::NAN; names.len()];
    model.observation().observe(0.0, y, &mut values);
    values[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))]
}

#[test]
fn contact_power_matches_the_work_of_the_floor() {
    let ball = PenaltyBall { mass: 2.0, damping: 300.0, ..PenaltyBall::default() };
    let model = ball.model();
    let mut ode = Formulated::<f64>::ode(&*model);
    let side = ode.form().contact_power().expect("second-order form");
    assert_eq!((side.coordinates(), side.velocities(), side.bodies()), (1, 1, 1));
    for (q, v) in [(0.3, -2.0), (-1e-3, -2.0), (-1e-3, 1.5)] {
        let (mut acceleration, mut power) = ([f64::NAN], [f64::NAN]);
        side.accelerations(0.0, &[q], &[v], &mut acceleration, &mut power).unwrap();
        // d/dt (m v²/2 + m g q)
        assert_relative_eq!(power[0], 2.0 * v * (acceleration[0] + 9.81), max_relative = 1e-13);
        assert_eq!(observed(&*model, &[q, v], "contact_power"), power[0]);
        if q > 0.0 {
            assert_eq!(power[0], 0.0);
        }
    }
    assert_relative_eq!(observed(&*model, &[-1e-3, 0.0], "contact_force"), 1e4, max_relative = 1e-15);
    assert_relative_eq!(observed(&*model, &[0.25, 2.0], "energy"), 4.0 + 0.5 * 9.81, max_relative = 1e-15);
    assert_relative_eq!(observed(&*model, &[0.0, 4.429_446_918_070_017], "top_height"), 1.0, max_relative = 1e-14);
}

/// Without gravity `P = (m v² ω/2) sin 2ωt`: 31.0 kW.
#[test]
fn the_largest_contact_power_occurs_in_half_a_period() {
    let ball = PenaltyBall::default();
    let model = ball.model();
    let touch = ball.events(1.0)[0].time;
    let steps = 1000;
    let largest = (0..=steps)
        .map(|k| ball.exact(touch + ball.elastic_contact_time() * f64::from(k) / f64::from(steps)))
        .map(|(q, v)| observed(&*model, &[q, v], "contact_power"))
        .fold(0.0, f64::max);
    assert!((largest - 0.5 * 19.62 * 1e7f64.sqrt()).abs() < 0.002 * largest, "{largest}");
}

/// Integrates from touch to touch, so that the force is smooth except at the ends.
#[test]
fn the_closed_form_matches_an_integration() {
    for damping in [0.0, 2000.0] {
        let ball = PenaltyBall { damping, height: 0.02, velocity: -4.4, ..PenaltyBall::default() };
        ball.check().unwrap();
        let model = ball.model();
        let t_end = ball.events(3.0)[1].time + 0.05;
        let initial: Vec<f64> = model.initial_state();
        let mut ode = Formulated::<f64>::ode(&*model);
        let task = Task { t_start: 0.0, t_end, initial: &initial, settings: Settings::tolerance(1e-12, 1e-12) };
        let solution = Dop853::default().method().solve(Counted::new(&mut *ode), &task, &mut Silent);
        assert_eq!(solution.failure, None);
        let (q, v) = ball.exact(t_end);
        assert_relative_eq!(solution.state[0], q, max_relative = 1e-8);
        assert_relative_eq!(solution.state[1], v, max_relative = 1e-8);
    }
}
