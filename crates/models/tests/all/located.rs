//! Models with events, solved by the method that locates them: numbers of events, final states, and the jar with
//! nearby pairs compared with all pairs.

use std::ops::ControlFlow;

use mbsbench_integrators::dode::{EventRules, PairName};
use mbsbench_integrators::exponential::LlmRules;
use mbsbench_integrators::{Dode, Llm};
use mbsbench_models::marble_jar::Candidates;
use mbsbench_models::{
    BallAndTank, BallBetweenWalls, BouncingBalls, DampedCosineThreshold, DiodeBranches, DrivenRelaxation, MarbleJar,
    RectifiedSine, SpringDamperBall, Thermostat,
};
use mbsbench_problem::{
    Counted, Failure, Formulated, Method, MethodDefinition, Model, ModelDefinition, Observation, Observer, Ode,
    Settings, Silent, Solution, Step, StepControl, Task,
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

/// Checks the number of events, and that the given component of the final state is within `error` of its exact value.
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
    for (threshold, events) in [(0.35, 3), (0.40, 3), (0.41, 1), (0.45, 1)] {
        let cosine = DampedCosineThreshold { threshold, ..DampedCosineThreshold::default() };
        check(&cosine, 3.0, events, 2, cosine.exact(3.0), 1e-6);
    }
    let ball = SpringDamperBall::default();
    check(&ball, 5.5, 16, 0, 0.082_526_7, 1e-5);
    let walls = BallBetweenWalls::default();
    check(&walls, 3.64, 20, 0, walls.exact(3.64)[0], 1e-6);
}

/// The events, the largest observed error and the evaluations of a solve over 2.993 s.
fn fast_sine(method: &dyn Method, frequency: f64, settings: Settings) -> (u64, f64, u64) {
    let (solution, error) = observed(&*RectifiedSine { frequency }.model(), method, 2.993, settings);
    assert_eq!(solution.failure, None);
    (solution.statistics.events, error, solution.statistics.rhs_evaluations)
}

/// The function oscillates in time while the step control sees a solution that returns to its slope.
#[test]
fn no_event_of_a_fast_function_is_missed() {
    let pairs = [PairName::Bs32, PairName::Dopri5, PairName::Rk5, PairName::Rk8, PairName::Sdirk4];
    for (frequency, events) in [(5.0, 29), (10.0, 59), (100.0, 598)] {
        for pair in pairs {
            for tolerance in [1e-3, 1e-6, 1e-9] {
                let dode = Dode { pair, ..Dode::default() };
                let settings = Settings::tolerance(tolerance, tolerance);
                let (found, error, evaluations) = fast_sine(&*dode.method(), frequency, settings);
                eprintln!("{pair:?} {frequency} Hz {tolerance}: {found} events, {error:e}, {evaluations} evaluations");
                assert_eq!(found, events, "{pair:?} {frequency} Hz {tolerance}");
                // the estimate of Fehlberg's pair 7(8) is zero for integrals of functions of time
                let relative = if pair == PairName::Rk8 { 1e-4 } else { 1000.0 * tolerance };
                // the solution grows by two from one event to the next
                let bound = relative * 2.0 * events as f64;
                assert!(error < bound, "{pair:?} {frequency} Hz {tolerance}: {error:e}");
            }
        }
    }
    // constant steps of more than a period, and the local linearisation method
    assert_eq!(fast_sine(&*Dode::default().method(), 10.0, Settings::fixed(0.13)).0, 59);
    assert_eq!(fast_sine(&*Llm::default().method(), 10.0, Settings::fixed(0.13)).0, 59);
    for tolerance in [1e-3, 1e-6] {
        assert_eq!(fast_sine(&*Llm::default().method(), 10.0, Settings::tolerance(tolerance, tolerance)).0, 59);
    }
    let published = Llm { rules: LlmRules::Gil2013, ..Llm::default() };
    assert!(fast_sine(&*published.method(), 10.0, Settings::fixed(0.13)).0 < 59);
}

#[test]
fn hundred_balls_have_twelve_hundred_events() {
    let published = Dode { rules: EventRules::Compere2001, ..Dode::default() };
    let solution = solve_with(&published, &BouncingBalls::default(), 3.0, 1e-3, None);
    assert_eq!(solution.statistics.events, 1200);
    // balls whose heights agree to the tolerance of events share one
    let statistics = solve(&BouncingBalls::default(), 3.0, 1e-3).statistics;
    assert_eq!(statistics.sign_changes, 1200);
    assert!(statistics.events > 1190);
}

/// Only a run with all pairs notices distances that pass a minimum far from contact, and these cost steps. Between
/// contacts the marbles fly on parabolas, over which a step may be as long as the flight at any tolerance. If a short
/// contact within such a long step is found depends on these false alarms cutting the step. With steps short compared
/// to a contact, both variants find every contact until differences in the last bits have grown. A damper's force
/// jumps at the end of a contact, so that the velocities depend on the located time of the event within its
/// tolerance.
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

/// The largest error that a model observes of itself, over the ends of steps.
struct Worst<'m> {
    observation: Box<dyn Observation + 'm>,
    values: Vec<f64>,
    place: usize,
    largest: f64,
}

impl Observer for Worst<'_> {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.observation.observe(step.t_end, step.end, &mut self.values);
        self.largest = self.largest.max(self.values[self.place].abs());
        ControlFlow::Continue(())
    }
}

/// Includes events, at which a state that jumps may be on either side of the closed form's jump.
fn observed(model: &dyn Model, method: &dyn Method, t_end: f64, settings: Settings) -> (Solution, f64) {
    let names = model.observables();
    let place = names.iter().position(|observable| observable.name == "error").expect("it has one");
    let mut worst = Worst { observation: model.observation(), values: vec![0.0; names.len()], place, largest: 0.0 };
    let initial = Formulated::<f64>::initial_state(model);
    let mut ode = Formulated::<f64>::ode(model);
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    (method.solve(Counted::new(&mut *ode), &task, &mut worst), worst.largest)
}

fn observed_error(definition: &impl ModelDefinition, t_end: f64, dode: &Dode, tolerance: f64) -> f64 {
    let settings = Settings::tolerance(tolerance, tolerance);
    let (solution, error) = observed(&*definition.model(), &*dode.method(), t_end, settings);
    assert_eq!(solution.failure, None);
    error
}

#[test]
fn observed_errors_are_small_at_every_step() {
    for event_tolerance in [1e-10, 1e-6, 1e-3] {
        let dode = Dode { event_tolerance, ..Dode::default() };
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let error = observed_error(&BallAndTank::default(), 1.0, &dode, tolerance);
            assert!(error < 10.0 * event_tolerance, "{event_tolerance} {tolerance}: {error}");
        }
    }
    let dode = Dode::default();
    let errors = [
        observed_error(&BallAndTank::default(), 3.64, &dode, 1e-8),
        observed_error(&BallBetweenWalls::default(), 3.64, &dode, 1e-8),
        observed_error(&DampedCosineThreshold::default(), 3.0, &dode, 1e-8),
        observed_error(&DiodeBranches::default(), 3.75, &dode, 1e-8),
        observed_error(&DrivenRelaxation::default(), 3.75, &dode, 1e-8),
        observed_error(&RectifiedSine::default(), 0.9, &dode, 1e-8),
        observed_error(&Thermostat::default(), 3.75, &dode, 1e-8),
    ];
    assert!(errors.iter().all(|&error| error < 1e-6), "{errors:?}");
}

/// The error of a tank that is never filled is its distance below the bottom, and that of one that is filled all the
/// time is its distance above the brim.
#[test]
fn a_tank_that_misses_fillings_has_an_error() {
    let tank = BallAndTank::default();
    let model = tank.model();
    let mut values = vec![0.0; model.observables().len()];
    let [y, v, _] = tank.exact(2.0);
    for (z, least) in [(0.9 - 2.0, 0.9), (0.9 + 0.7, 0.7), (0.7 - 0.3, 0.3), (0.7 + 0.2 + 1e-6, 0.2)] {
        model.observation().observe(2.0, &[y, v, z], &mut values);
        assert!((values[3] - least).abs() < 1e-5, "a level of {z} is off by {}", values[3]);
    }
}
