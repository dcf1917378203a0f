//! Tests the two bouncing balls of gil2013: equations against the energy, the closed-form motion against the method
//! that locates events, and both against events and states of another implementation.

use std::ops::ControlFlow;

use approx::assert_relative_eq;
use mbsbench_integrators::dode::PairName;
use mbsbench_integrators::{Dode, Llm};
use mbsbench_models::TwoBouncingBalls;
use mbsbench_models::two_bouncing_balls::Event;
use mbsbench_problem::{
    Counted, Failure, Formulated, MethodDefinition, ModelDefinition, Observer, Ode, Parameters, Settings, Step, Task,
};

/// Events of the default motion: time, `B` between the balls or `G` at the ground, and true if the contact closes;
/// from another implementation by the local linearisation method.
const EVENTS: [(f64, char, bool); 12] = [
    (0.349_748_708, 'G', true),
    (0.359_740_479, 'G', false),
    (0.440_950_389, 'B', true),
    (0.447_975_204, 'B', false),
    (0.499_632_213, 'G', true),
    (0.509_606_830, 'G', false),
    (0.638_693_084, 'B', true),
    (0.645_717_899, 'B', false),
    (1.055_098_528, 'G', true),
    (1.065_090_983, 'G', false),
    (1.369_487_987, 'B', true),
    (1.376_512_801, 'B', false),
];

/// The state at 3 s from the same implementation.
const AT_3_S: [f64; 4] = [1.521_855_869, 0.516_502_121, 0.326_408_224, -1.750_678_125];

/// Events as the method reports them, and the largest change of energy over the ends of steps, relative to the energy.
struct Watch<'m> {
    balls: &'m TwoBouncingBalls,
    initial_energy: f64,
    events: Vec<(f64, usize)>,
    energy_change: f64,
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.events.extend(step.further.events.iter().map(|&index| (step.t_end, index)));
        let change = (self.balls.energy(step.end) - self.initial_energy).abs() / self.initial_energy;
        self.energy_change = self.energy_change.max(change);
        ControlFlow::Continue(())
    }
}

/// Solves to `t_end` with Runge–Kutta steps and event location; returns the events, the final state and the
/// change of energy.
fn solve(balls: &TwoBouncingBalls, t_end: f64) -> (Vec<(f64, usize)>, Vec<f64>, f64) {
    let dode = Dode { pair: PairName::Rk8, event_tolerance: 1e-14, ..Dode::default() };
    solve_with(&dode, Settings::tolerance(1e-13, 1e-13), balls, t_end)
}

/// Solves to `t_end` with any method.
fn solve_with(
    method: &impl MethodDefinition,
    settings: Settings,
    balls: &TwoBouncingBalls,
    t_end: f64,
) -> (Vec<(f64, usize)>, Vec<f64>, f64) {
    balls.check().unwrap();
    let model = balls.model();
    let initial: Vec<f64> = model.initial_state();
    let mut ode: Box<dyn Ode + '_> = model.ode();
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    let mut watch = Watch { balls, initial_energy: balls.energy(&initial), events: Vec::new(), energy_change: 0.0 };
    let solution = method.method().solve(Counted::new(&mut *ode), &task, &mut watch);
    assert_eq!(solution.failure, None);
    (watch.events, solution.state, watch.energy_change)
}

#[test]
fn events_and_state_at_3_s() {
    let balls = TwoBouncingBalls::default();
    let (exact, end) = balls.exact(3.0);
    let (located, state, energy_change) = solve(&balls, 3.0);
    assert_eq!((exact.len(), located.len()), (26, 26));
    assert_eq!(exact.iter().filter(|event| event.index == 0).count(), 12);
    for (event, &(time, index)) in exact.iter().zip(&located) {
        assert_eq!(event.index, index);
        assert!((event.time - time).abs() < 1e-11, "{} and {time}", event.time);
    }
    for (event, (time, contact, closes)) in exact.iter().zip(EVENTS) {
        assert_eq!((['B', 'G'][event.index], event.closes), (contact, closes));
        assert!((event.time - time).abs() < 0.51e-9, "{} and {time}", event.time);
    }
    for k in 0..4 {
        assert!((end[k] - state[k]).abs() < 1e-9, "{} and {}", end[k], state[k]);
        assert!((end[k] - AT_3_S[k]).abs() < 0.51e-9, "{} and {}", end[k], AT_3_S[k]);
    }
    assert!(energy_change < 1e-11, "{energy_change:e}");
    assert_relative_eq!(balls.energy(&[1.5, 0.7, 0.0, 0.0]), 21.582, max_relative = 1e-14);
}

/// The motion is linear from event to event, and the local linearisation method is exact for it.
#[test]
fn local_linearisation_is_exact_for_any_step() {
    let balls = TwoBouncingBalls::default();
    let (exact, end) = balls.exact(3.0);
    for (step, contact_step) in [(0.1, Some(2e-3)), (5e-3, None), (1e-3, None)] {
        let llm = Llm { contact_step, ..Llm::default() };
        let (located, state, energy_change) = solve_with(&llm, Settings::fixed(step), &balls, 3.0);
        assert_eq!(located.len(), 26, "step {step}");
        for (event, &(time, index)) in exact.iter().zip(&located) {
            assert_eq!(event.index, index);
            assert!((event.time - time).abs() < 1e-10, "{} and {time}", event.time);
        }
        for k in 0..4 {
            assert!((end[k] - state[k]).abs() < 1e-9, "{} and {}", end[k], state[k]);
        }
        assert!(energy_change < 1e-10, "{energy_change:e}");
    }
    // A contact that closes and opens within a step is not detected. The balls then overlap slightly without a force
    // and so without a change of the energy, which does not reveal this.
    let (located, state, energy_change) = solve_with(&Llm::default(), Settings::fixed(0.02), &balls, 3.0);
    assert_eq!(located.len(), 24);
    assert!((end[0] - state[0]).abs() > 0.1 && energy_change < 1e-10, "{state:?}, {energy_change:e}");
}

/// While the balls touch and the lower one is off the ground, their distance is an oscillator of mass `m/2`, so that
/// each such contact takes `π/√(2K/m)`, however they meet; its closed form conserves the energy.
#[test]
fn contacts_between_the_balls_take_the_same_time() {
    for balls in [TwoBouncingBalls::default(), TwoBouncingBalls { mass: 2.5, stiffness: 4e4, ..Default::default() }] {
        let (events, end) = balls.exact(3.0);
        let time = std::f64::consts::PI / (2.0 * balls.stiffness / balls.mass).sqrt();
        let mut alone = 0;
        for pair in events.windows(2) {
            if let [Event { index: 0, closes: true, time: from }, Event { index: 0, closes: false, time: to }] = pair {
                assert_relative_eq!(to - from, time, max_relative = 1e-11);
                alone += 1;
            }
        }
        assert!(alone >= 6, "{alone} contacts");
        let start = balls.energy(&[balls.height_1, balls.height_2, 0.0, 0.0]);
        assert_relative_eq!(balls.energy(&end), start, max_relative = 1e-12);
    }
    let default = TwoBouncingBalls::default();
    let time = std::f64::consts::PI / (2.0 * default.stiffness).sqrt();
    assert!((time - 7.0248e-3).abs() < 0.51e-7);
}

/// A start from which the upper ball meets the lower one on the ground: both contacts are closed at the same time.
#[test]
fn both_contacts_at_once() {
    let balls = TwoBouncingBalls { height_1: 1.0, height_2: 0.79, ..TwoBouncingBalls::default() };
    let (exact, end) = balls.exact(0.6);
    let mut closed = [false; 2];
    let both = exact.iter().any(|event| {
        closed[event.index] = event.closes;
        closed == [true, true]
    });
    assert!(both, "{exact:?}");
    let (located, state, energy_change) = solve(&balls, 0.6);
    assert_eq!(located.len(), exact.len());
    for (event, &(time, index)) in exact.iter().zip(&located) {
        assert_eq!(event.index, index);
        assert!((event.time - time).abs() < 1e-11, "{} and {time}", event.time);
    }
    for k in 0..4 {
        assert!((end[k] - state[k]).abs() < 1e-9, "{} and {}", end[k], state[k]);
    }
    assert!(energy_change < 1e-11, "{energy_change:e}");
}

/// Compares the power of gravity and springs with the change of kinetic energy, in each of the four configurations.
#[test]
fn energy_is_kept_in_every_configuration() {
    let balls = TwoBouncingBalls { mass: 1.7, radius: 0.2, ..TwoBouncingBalls::default() };
    let model = balls.model();
    let mut ode = Formulated::<f64>::ode(&*model);
    for (y1, y2) in [(0.9, 0.4), (0.75, 0.4), (0.9, 0.19), (0.55, 0.19)] {
        let y = [y1, y2, 1.3, -0.7];
        let mut rate = [0.0; 4];
        ode.rhs(0.0, &y, &mut rate).unwrap();
        assert_eq!(rate[..2], y[2..]);
        // Central differences of a piecewise quadratic function are exact except for roundoff.
        let along = |s: f64| balls.energy(&[0, 1, 2, 3].map(|k| y[k] + s * rate[k]));
        let scale = 1e-6 * balls.energy(&y) * rate[2].abs().max(rate[3].abs());
        assert!((along(1e-6) - along(-1e-6)).abs() < 1e-9 * scale, "{y1} {y2}");
    }
}

#[test]
fn observables_at_an_overlap() {
    let model = TwoBouncingBalls::default().model();
    let names: Vec<_> = model.observables().into_iter().map(|observable| observable.name).collect();
    let mut values = vec![f64::NAN; names.len()];
    model.observation().observe(0.0, &[0.25, 0.09, 1.0, -2.0], &mut values);
    let value = |name: &str| values[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))];
    assert_eq!(["y1", "y2", "v1", "v2"].map(value), [0.25, 0.09, 1.0, -2.0]);
    assert_relative_eq!(value("overlap_balls"), 0.04, max_relative = 1e-14);
    assert_relative_eq!(value("overlap_ground"), 0.01, max_relative = 1e-14);
    assert_relative_eq!(value("energy"), 2.5 + 9.81 * 0.34 + 0.5e5 * (0.0016 + 0.0001), max_relative = 1e-14);
    assert_relative_eq!(value("energy_change"), value("energy") - 21.582, max_relative = 1e-13);
}
