//! Tests the two bouncing balls of gil2013: equations against the energy, the closed-form motion against the method
//! that locates events, and both against events and states of another implementation.

use std::ops::ControlFlow;

use approx::assert_relative_eq;
use mbsbench_integrators::dode::PairName;
use mbsbench_integrators::{Dode, Llm};
use mbsbench_models::TwoBouncingBalls;
use mbsbench_problem::{
    Counted, Failure, Formulated, MethodDefinition, ModelDefinition, Observer, Ode, Parameters, Settings, Step, Task,
};

use crate::common::bounces::bisect;

/// A contact that closes or opens.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Event {
    /// Time, s.
    time: f64,
    /// Number of the overlap: 0 between the balls, 1 between lower ball and ground.
    index: usize,
    /// True if the contact closes.
    closes: bool,
}

/// The motion between two events: `m y'' = −k y + f` in the eigenvectors of `k`.
struct Phase {
    closed: [bool; 2],
    /// Orthonormal eigenvectors of `k`, as rows.
    modes: [[f64; 2]; 2],
    /// Eigenvalues of `k/m`, 1/s².
    squares: [f64; 2],
    /// Loads `f/m` in the modes, m/s².
    loads: [f64; 2],
    /// Amplitudes of the modes and their rates at the start of the phase.
    start: [[f64; 2]; 2],
}

impl Phase {
    fn new(balls: &TwoBouncingBalls, closed: [bool; 2], state: [f64; 4]) -> Self {
        let spring = balls.stiffness / balls.mass;
        let [pair, ground] = closed.map(|closed| if closed { spring } else { 0.0 });
        // k/m = [[a, −a], [−a, a + b]]; a zero eigenvalue is computed exactly.
        let (mean, half) = (pair + 0.5 * ground, (0.5 * ground).hypot(pair));
        let squares = [mean - half, mean + half];
        let angle = 0.5 * (2.0 * pair).atan2(ground);
        let modes = [[angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]];
        let load = [
            2.0 * balls.radius * pair - balls.gravity,
            balls.radius * ground - 2.0 * balls.radius * pair - balls.gravity,
        ];
        let project = |x: [f64; 2]| modes.map(|mode| mode[0] * x[0] + mode[1] * x[1]);
        let [y1, y2, v1, v2] = state;
        Self { closed, modes, squares, loads: project(load), start: [project([y1, y2]), project([v1, v2])] }
    }

    /// The state at the time `tau` (s) after the start of the phase.
    fn at(&self, tau: f64) -> [f64; 4] {
        let mut state = [0.0; 4];
        for k in 0..2 {
            let (square, load) = (self.squares[k], self.loads[k]);
            let (x, v) = (self.start[0][k], self.start[1][k]);
            let (x, v) = if square == 0.0 {
                (x + tau * (v + 0.5 * load * tau), v + load * tau)
            } else {
                let omega = square.sqrt();
                let (sin, cos) = (omega * tau).sin_cos();
                let (rest, rate) = (load / square, v / omega);
                (rest + (x - rest) * cos + rate * sin, omega * (rate * cos - (x - rest) * sin))
            };
            for ball in 0..2 {
                state[ball] += self.modes[k][ball] * x;
                state[2 + ball] += self.modes[k][ball] * v;
            }
        }
        state
    }

    /// The first event up to `span` (s) after the start, as the time after the start and the number of the overlap.
    fn first_event(&self, balls: &TwoBouncingBalls, span: f64) -> Option<(f64, usize)> {
        // In flight Ψ₁ is linear and Ψ₂ convex, so that the signs at the ends suffice. In contact, a hundredth of the
        // period of the fastest mode, ω² = (3 + √5) K/(2 m), is short enough.
        let fastest = (balls.stiffness / balls.mass * 0.5 * (3.0 + 5f64.sqrt())).sqrt();
        let flight = self.closed == [false, false];
        let step = if flight { span } else { (0.02 * std::f64::consts::PI / fastest).min(span) };
        let changed = |index: usize, tau: f64| (overlaps(balls, &self.at(tau))[index] > 0.0) != self.closed[index];
        let mut low = 0.0;
        while low < span {
            let high = (low + step).min(span);
            let first = (0..2)
                .filter(|&index| changed(index, high))
                .map(|index| (bisect(low, high, |tau| !changed(index, tau))[1], index))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if first.is_some() {
                return first;
            }
            low = high;
        }
        None
    }
}

/// Overlaps of the balls and of lower ball and ground (gil2013, Eq. 19), m; positive in contact.
fn overlaps(balls: &TwoBouncingBalls, y: &[f64; 4]) -> [f64; 2] {
    [y[1] - y[0] + 2.0 * balls.radius, balls.radius - y[1]]
}

/// The events up to `t_end` (s), in order, and the final state `(y₁, y₂, y₁', y₂')` (m, m/s).
///
/// Roundoff grows with the number of events; in 3 s of the default motion it stays below 1e-9 m and 1e-9 m/s.
fn exact(balls: &TwoBouncingBalls, t_end: f64) -> (Vec<Event>, [f64; 4]) {
    let (mut time, mut closed) = (0.0, [false; 2]);
    let mut state = [balls.height_1, balls.height_2, 0.0, 0.0];
    let mut events = Vec::new();
    loop {
        let phase = Phase::new(balls, closed, state);
        let Some((tau, index)) = phase.first_event(balls, t_end - time) else {
            return (events, phase.at(t_end - time));
        };
        time += tau;
        state = phase.at(tau);
        closed[index] = !closed[index];
        events.push(Event { time, index, closes: closed[index] });
    }
}

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
    let (exact, end) = exact(&balls, 3.0);
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
    let (exact, end) = exact(&balls, 3.0);
    for (step, contact_step) in [(0.1, Some(2e-3)), (0.02, None), (5e-3, None), (1e-3, None)] {
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
}

/// While the balls touch and the lower one is off the ground, their distance is an oscillator of mass `m/2`, so that
/// each such contact takes `π/√(2K/m)`, however they meet; its closed form conserves the energy.
#[test]
fn contacts_between_the_balls_take_the_same_time() {
    for balls in [TwoBouncingBalls::default(), TwoBouncingBalls { mass: 2.5, stiffness: 4e4, ..Default::default() }] {
        let (events, end) = exact(&balls, 3.0);
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
    let (exact, end) = exact(&balls, 0.6);
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
