//! Discontinuous problems with known event times.
#![allow(dead_code, reason = "each test file uses its share")]

use std::ops::ControlFlow;

use mbsbench_integrators::dode::{Dode, EventRules, PairName};
use mbsbench_problem::{
    AsEventOde, Counted, EventKind, EventModel, Failure, MethodDefinition, Observer, Scalar, Settings, Solution, Step,
    Task,
};

pub const GRAVITY: f64 = 9.81;

/// The explicit pairs, each with its number of evaluations per step.
pub const PAIRS: [(PairName, u64); 4] =
    [(PairName::Bs32, 3), (PairName::Dopri5, 6), (PairName::Rk5, 6), (PairName::Rk8, 13)];

/// `N` balls above the ground: the state contains heights and speeds, the event functions are the heights, and the
/// force `−k y − c v` acts on balls below the ground.
pub struct Balls {
    pub count: usize,
    pub stiffness: f64,
    pub damping: f64,
}

impl EventModel for Balls {
    fn sizes(&self) -> [usize; 2] {
        [2 * self.count, self.count]
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let n = self.count;
        for (i, &above) in configuration.iter().enumerate() {
            let (height, speed) = (y[i], y[n + i]);
            dydt[i] = speed;
            let force = if above { S::zero() } else { -(height * self.stiffness + speed * self.damping) };
            dydt[n + i] = force - GRAVITY;
        }
    }
    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g.copy_from_slice(&y[..self.count]);
    }
}

/// A ball that leaves the ground with the fraction `restitution` of its speed.
pub struct Restitution {
    pub restitution: f64,
}

impl EventModel for Restitution {
    fn sizes(&self) -> [usize; 2] {
        [2, 1]
    }
    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Unilateral
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], _configuration: &[bool], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = S::from(-GRAVITY);
    }
    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g[0] = y[0];
    }
    fn jump<S: Scalar>(&self, _index: usize, _t: S, y: &mut [S]) {
        y[1] = -y[1] * self.restitution;
    }
}

/// A located event as observed.
#[derive(Debug, Clone)]
pub struct Located {
    pub t: f64,
    pub functions: Vec<usize>,
    /// The state before a jump.
    pub before: Vec<f64>,
}

/// Records all events, and requests a state inside each step, which must not change the run.
#[derive(Debug, Default)]
pub struct Record(pub Vec<Located>);

impl Observer for Record {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let mut inside = step.start.to_vec();
        step.within.state_at(0.5 * (step.t_start + step.t_end), &mut inside).expect("a state inside the step");
        if !step.further.events.is_empty() {
            let (functions, before) = (step.further.events.to_vec(), step.before_projection().to_vec());
            self.0.push(Located { t: step.t_end, functions, before });
        }
        ControlFlow::Continue(())
    }
}

/// Solves to `t_end` with tolerance `tol`.
pub fn run(model: &impl EventModel, dode: &Dode, initial: &[f64], t_end: f64, tol: f64) -> (Solution, Vec<Located>) {
    let mut ode = AsEventOde::new(model);
    let task = Task { t_start: 0.0, t_end, initial, settings: Settings::tolerance(tol, tol) };
    let mut record = Record::default();
    let solution = dode.method().solve(Counted::new(&mut ode), &task, &mut record);
    (solution, record.0)
}

/// The rules of the dissertation, whose counts are published.
pub fn published() -> Dode {
    Dode { rules: EventRules::Compere2001, ..Dode::default() }
}

/// Checks that the run succeeded and, for an explicit pair and published rules, the accounting identity
/// `Nrhs = s (Nacc + Nrej + Nit) + 1 + 2 Nev`.
pub fn check_identity(dode: &Dode, solution: &Solution) {
    check_identity_with(dode, solution, solution.statistics.events);
}

/// Checks the same identity if an event may coincide with the end of the span: no step follows it, and its two
/// evaluations are not made.
pub fn check_identity_of(dode: &Dode, solution: &Solution, located: &[Located]) {
    let followed = located.iter().filter(|event| event.t < solution.t_reached).count();
    assert!(solution.statistics.events - followed as u64 <= 1);
    check_identity_with(dode, solution, followed as u64);
}

fn check_identity_with(dode: &Dode, solution: &Solution, events: u64) {
    assert_eq!(solution.failure, None);
    if dode.rules == EventRules::Sampled {
        return;
    }
    let Some((_, stages)) = PAIRS.iter().find(|(pair, _)| *pair == dode.pair) else { return };
    let c = &solution.statistics;
    let trials = c.steps_accepted + c.steps_rejected + c.location_iterations;
    assert_eq!(c.rhs_evaluations, stages * trials + 1 + 2 * events, "{dode:?}: {c:?}");
}

/// Stiff balls at rest at heights from one metre on, with differences of a nanometre.
pub fn close_balls(count: usize) -> (Balls, Vec<f64>) {
    let balls = Balls { count, stiffness: 2e7, damping: 600.0 };
    let heights = (0..count).map(|i| 1.0 + 1e-9 * i as f64);
    (balls, heights.chain(std::iter::repeat_n(0.0, count)).collect())
}
