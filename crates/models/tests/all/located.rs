//! The models with events under the solver that locates them: numbers of events, final states, and the jar with pairs
//! near each other against all pairs.

use mbsbench_integrators::Dode;
use mbsbench_models::marble_jar::Candidates;
use mbsbench_models::{
    BallBetweenWalls, BouncingBalls, DampedCosineThreshold, DiodeBranches, MarbleJar, RectifiedSine, SpringDamperBall,
    Thermostat,
};
use mbsbench_problem::{
    Counted, MethodDefinition, ModelDefinition, Ode, Settings, Silent, Solution, StepControl, Task,
};

fn solve(definition: &impl ModelDefinition, t_end: f64, tolerance: f64) -> Solution {
    solve_with(&Dode::default(), definition, t_end, tolerance, None)
}

fn solve_with(
    dode: &Dode,
    definition: &impl ModelDefinition,
    t_end: f64,
    tolerance: f64,
    max_step: Option<f64>,
) -> Solution {
    let model = definition.model();
    let initial: Vec<f64> = model.initial_state();
    let mut ode: Box<dyn Ode + '_> = model.ode();
    let mut settings = Settings::tolerance(tolerance, tolerance);
    settings.control = StepControl::Tolerance { rel: tolerance, abs: tolerance, initial_step: None, max_step };
    settings.max_rhs_evaluations = 5_000_000;
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    let solution = dode.method().solve(Counted::new(&mut *ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    solution
}

/// Events as in closed form, and the state of that component within `error` of it.
fn check(definition: &impl ModelDefinition, t_end: f64, events: usize, component: usize, exact: f64, error: f64) {
    let solution = solve(definition, t_end, 1e-8);
    assert_eq!(solution.statistics.events, events as u64);
    let found = solution.state[component];
    assert!((found - exact).abs() < error, "{found} instead of {exact}");
}

#[test]
fn stand_ins_have_the_events_of_their_closed_forms() {
    let sine = RectifiedSine::default();
    check(&sine, 0.9, 3, 0, sine.exact(0.9), 1e-6);
    let thermostat = Thermostat::default();
    check(&thermostat, 3.75, 7, 0, thermostat.exact(3.75), 1e-6);
    let branches = DiodeBranches::default();
    check(&branches, 3.75, 22, 0, branches.exact(0, 3.75), 1e-6);
    for threshold in [0.35, 0.40, 0.41, 0.45] {
        let cosine = DampedCosineThreshold { threshold, ..DampedCosineThreshold::default() };
        check(&cosine, 3.0, cosine.events(3.0).len(), 2, cosine.exact(3.0), 1e-6);
    }
    let ball = SpringDamperBall::default();
    check(&ball, 5.5, 16, 0, ball.exact(5.5).0, 1e-5);
    let walls = BallBetweenWalls::default();
    check(&walls, 3.64, 20, 0, walls.exact(3.64)[0], 1e-6);
}

#[test]
fn hundred_balls_have_twelve_hundred_events() {
    assert_eq!(solve(&BouncingBalls::default(), 3.0, 1e-3).statistics.events, 1200);
}

/// Which distances pass a minimum far from contact is seen with all pairs only, and costs steps there. Between contacts
/// the marbles fly on parabolas, over which a step may be as long as the flight at any tolerance, and a short contact
/// within a long step is seen or not as such false alarms cut the step or do not. With steps short beside a contact both
/// see every one, until the last bits that differ have grown. A damper's force jumps where contact ends, so that where
/// within its tolerance an event is located is seen in the velocities.
#[test]
fn near_and_all_locate_the_same_events() {
    for (count, damping, seed) in [(4, 0.0, 0), (4, 5.0, 1), (10, 0.0, 2), (32, 5.0, 0), (64, 0.0, 1), (64, 5.0, 2)] {
        let of = |candidates| MarbleJar { count, damping, seed, candidates, ..MarbleJar::default() };
        let dode = Dode { event_tolerance: 1e-14, ..Dode::default() };
        let [all, near] = [Candidates::All, Candidates::Near].map(|c| solve_with(&dode, &of(c), 0.3, 1e-9, Some(1e-3)));
        assert!(all.statistics.events >= 20, "{} events", all.statistics.events);
        assert_eq!(near.statistics.events, all.statistics.events);
        assert_eq!(near.statistics.sign_changes, all.statistics.sign_changes);
        assert!(near.statistics.steps_rejected <= all.statistics.steps_rejected);
        for (near, all) in near.state.iter().zip(&all.state) {
            assert!((near - all).abs() < 1e-7 * all.abs().max(1.0), "{near} and {all}");
        }
    }
}
