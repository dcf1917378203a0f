//! Time of 1000 constant steps of each method, of error-controlled runs of the MATLAB suite's codes, of step sizes from
//! contact power, and of error-controlled runs compared with the crate `ode_solvers`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mbsbench_integrators::{
    Bs32, ContactPower, Dop853, Dopri5, Gbs, Llm, Ode15s, Ode23s, Ode45, Rk3, Rk4, Rk5, Rk8, SemiExplicit,
    StormerVerlet,
};
use mbsbench_problem::{
    AsContactOde, AsOde, ContactModel, Counted, Method, MethodDefinition, OdeModel, Scalar, Settings, Silent, Solution,
    Task,
};
use ode_solvers::{OutputType, System, Vector2};

/// `q'' = −q`.
struct Oscillator;

impl OdeModel for Oscillator {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = -y[0];
    }
}

/// The compound pendulum of compere2001, θ'' = −(3 g / 2 l) sin θ with l = 1 m.
struct Pendulum;

impl OdeModel for Pendulum {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = y[0].sin() * (-1.5 * 9.81);
    }
}

impl System<f64, Vector2<f64>> for Pendulum {
    fn system(&self, t: f64, y: &Vector2<f64>, dydt: &mut Vector2<f64>) {
        self.rhs(t, y.as_slice(), dydt.as_mut_slice());
    }
}

fn initial() -> [f64; 2] {
    [20f64.to_radians(), 1.0]
}

fn solve(model: &impl OdeModel, method: &dyn Method, settings: Settings, t_end: f64) -> Solution {
    let initial = initial();
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    method.solve(Counted::new(&mut AsOde(model)), &task, &mut Silent)
}

fn constant_steps<D: MethodDefinition>(criterion: &mut Criterion) {
    let method = D::default().method();
    let settings = Settings::fixed(0.001);
    let mut group = criterion.benchmark_group("1000 constant steps");
    group.bench_function(format!("oscillator/{}", D::NAME), |b| {
        b.iter(|| solve(black_box(&Oscillator), &*method, settings, 1.0));
    });
    group.bench_function(format!("pendulum/{}", D::NAME), |b| {
        b.iter(|| solve(black_box(&Pendulum), &*method, settings, 1.0));
    });
}

fn tableaux(criterion: &mut Criterion) {
    constant_steps::<Rk3>(criterion);
    constant_steps::<Bs32>(criterion);
    constant_steps::<Rk4>(criterion);
    constant_steps::<Rk5>(criterion);
    constant_steps::<Dopri5>(criterion);
    constant_steps::<Rk8>(criterion);
    constant_steps::<Dop853>(criterion);
    constant_steps::<Gbs>(criterion);
    constant_steps::<Llm>(criterion);
    constant_steps::<Ode23s>(criterion);
}

/// Runs at MATLAB's default tolerances; the throughput is that of accepted steps.
fn suite(criterion: &mut Criterion) {
    controlled_steps::<Ode45>(criterion);
    controlled_steps::<Ode23s>(criterion);
    controlled_steps::<Ode15s>(criterion);
}

fn controlled_steps<D: MethodDefinition>(criterion: &mut Criterion) {
    let (method, settings, t_end) = (D::default().method(), Settings::tolerance(1e-3, 1e-6), 50.0);
    let steps = solve(&Pendulum, &*method, settings, t_end).statistics.steps_accepted;
    let mut group = criterion.benchmark_group("pendulum at default tolerances");
    group.throughput(Throughput::Elements(steps));
    group.bench_function(D::NAME, |b| b.iter(|| solve(black_box(&Pendulum), &*method, settings, t_end)));
}

/// The bouncing ball of modin2005: `q'' = f − g` with `f = −k min(q, 0)`.
struct Ball;

impl ContactModel for Ball {
    fn coordinates(&self) -> usize {
        1
    }
    fn bodies(&self) -> usize {
        1
    }
    fn accelerations<S: Scalar>(&self, _t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]) {
        let force = if q[0].value() < 0.0 { q[0] * -1e7 } else { S::zero() };
        accelerations[0] = force - 9.81;
        for power in powers {
            *power = force * v[0];
        }
    }
}

/// Steps of Algorithm 1 for the ball (one bounce), and of its formulas with constant steps.
fn contact_power(criterion: &mut Criterion) {
    fn solve(method: &dyn Method, settings: Settings) -> Solution {
        let task = Task { t_start: 0.0, t_end: 1.0, initial: &[1.0, 0.0], settings };
        method.solve(Counted::new(&mut AsContactOde(black_box(&Ball))), &task, &mut Silent)
    }
    let mut group = criterion.benchmark_group("bouncing ball for 1 s");
    let own = Settings::tolerance(0.0, 1.0);
    let methods = [
        ("contact-power", ContactPower::default().method(), own),
        ("stormer-verlet", StormerVerlet::default().method(), Settings::fixed(0.001)),
        ("semi-explicit", SemiExplicit::default().method(), Settings::fixed(0.001)),
    ];
    for (name, method, settings) in &methods {
        let Solution { statistics, failure, .. } = solve(&**method, *settings);
        assert_eq!(failure, None);
        let cost = format!("{} steps, {} evaluations", statistics.steps_accepted, statistics.rhs_evaluations);
        group.bench_function(format!("{name} ({cost})"), |b| b.iter(|| solve(&**method, *settings)));
    }
}

/// Solves the same pendulum with this crate and with `ode_solvers`, over the same span with the same tolerances: the
/// numbers of steps are equal.
fn published_codes(criterion: &mut Criterion) {
    let (t_end, tolerance) = (50.0, 1e-8);
    let start = || Vector2::from_row_slice(&initial());
    let mut group = criterion.benchmark_group("pendulum to a tolerance of 1e-8");
    let settings = Settings::tolerance(tolerance, tolerance);
    let dopri5 = Dopri5::default().method();
    group.bench_function("dopri5", |b| b.iter(|| solve(black_box(&Pendulum), &*dopri5, settings, t_end)));
    group.bench_function("dopri5 of ode_solvers", |b| {
        b.iter(|| {
            let mut theirs =
                ode_solvers::Dopri5::new(black_box(Pendulum), 0.0, t_end, 0.0, start(), tolerance, tolerance);
            theirs.set_output(OutputType::Sparse);
            theirs.integrate()
        });
    });
    let dop853 = Dop853::default().method();
    group.bench_function("dop853", |b| b.iter(|| solve(black_box(&Pendulum), &*dop853, settings, t_end)));
    group.bench_function("dop853 of ode_solvers", |b| {
        b.iter(|| {
            let mut theirs =
                ode_solvers::Dop853::new(black_box(Pendulum), 0.0, t_end, 0.0, start(), tolerance, tolerance);
            theirs.set_output(OutputType::Sparse);
            theirs.integrate()
        });
    });
}

criterion_group!(benches, tableaux, suite, contact_power, published_codes);
criterion_main!(benches);
