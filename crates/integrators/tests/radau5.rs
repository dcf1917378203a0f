//! RADAU5: the steps of the published code, orders by class of component, constrained mechanics.

mod common;

use common::constrained::{Cliff, GRAVITY, Manufactured, Odd, Pendulum, Watcher, distance, record};
use common::{Cubic, Known, constrained};
use mbsbench_integrators::Radau5;
use mbsbench_problem::{
    AccelerationLevel, AsOde, Clock, Counted, Failure, MechanicsOf, Method, MethodDefinition, Ode, OdeModel,
    Parameters, Scalar, Settings, Silent, Solution, Statistics, StepControl, Task,
};
use nalgebra::DMatrix;

fn radau5() -> Box<dyn Method> {
    Radau5::default().method()
}

/// Tolerances and the first step of the published runs.
fn published(rel: f64, abs: f64) -> Settings {
    let control = StepControl::Tolerance { rel, abs, initial_step: Some(1e-6), max_step: None };
    Settings { control, ..Settings::tolerance(rel, abs) }
}

fn solve(ode: &mut dyn Ode, initial: &[f64], t_end: f64, settings: Settings) -> Solution {
    let task = Task { t_start: 0.0, t_end, initial, settings };
    let solution = radau5().solve(Counted::new(ode), &task, &mut Silent);
    assert_eq!((&solution.failure, solution.t_reached), (&None, t_end));
    solution
}

/// What RADAU5 prints of a run: evaluations, Jacobians, factorisations, solutions, steps, accepted ones.
fn printed(counted: &Statistics) -> [u64; 6] {
    let steps = counted.steps_accepted + counted.steps_rejected;
    [
        counted.rhs_evaluations,
        counted.jacobian_evaluations,
        counted.factorizations,
        counted.newton_iterations,
        steps,
        counted.steps_accepted,
    ]
}

/// Van der Pol's equation `ε y'' = (1 − y²) y' − y` with `ε = 1e-6`, the example that RADAU5 comes with.
struct VanDerPol;

impl OdeModel for VanDerPol {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = ((-y[0] * y[0] + 1.0) * y[1] - y[0]) / 1e-6;
    }
}

struct Robertson;

impl OdeModel for Robertson {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[0] * -0.04 + y[1] * y[2] * 1e4;
        dydt[2] = y[1] * y[1] * 3e7;
        dydt[1] = -dydt[0] - dydt[2];
    }
}

/// An amplifier with one transistor: five voltages, of which capacitors couple two pairs, so that the matrix before the
/// rates is singular (Hairer, Wanner, Solving ODEs II, section VI.1).
struct Amplifier {
    mass: DMatrix<f64>,
}

impl Amplifier {
    fn new() -> Self {
        let mut mass = DMatrix::zeros(5, 5);
        for (i, j, capacity) in [(0, 1, 1e-6), (3, 4, 3e-6)] {
            (mass[(i, i)], mass[(j, j)], mass[(i, j)], mass[(j, i)]) = (-capacity, -capacity, capacity, capacity);
        }
        mass[(2, 2)] = -2e-6;
        Self { mass }
    }
}

impl OdeModel for Amplifier {
    fn dimension(&self) -> usize {
        5
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], f: &mut [S]) {
        let (supply, gain, small, large) = (6.0, 0.99, 1000.0, 9000.0);
        let input = (t * (200.0 * std::f64::consts::PI)).sin() * 0.4;
        let current = (((y[1] - y[2]) / 0.026).exp() - 1.0) * 1e-6;
        f[0] = (y[0] - input) / small;
        f[1] = (y[1] * 2.0 - supply) / large + current * (1.0 - gain);
        f[2] = y[2] / large - current;
        f[3] = (y[3] - supply) / large + current * gain;
        f[4] = y[4] / large;
    }
}

impl Ode for Amplifier {
    fn dimension(&self) -> usize {
        5
    }
    fn rhs(&mut self, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Failure> {
        AsOde(&*self).rhs(t, y, f)
    }
    fn has_jacobian(&mut self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        AsOde(&*self).jacobian(t, y, jacobian)
    }
    fn mass(&self) -> Option<&DMatrix<f64>> {
        Some(&self.mass)
    }
}

/// Counts and ends of runs with radau5.f, as the tests of the crate `russell_ode` record them.
#[test]
fn steps_are_those_of_the_published_code() {
    let run = solve(&mut AsOde(&VanDerPol), &[2.0, -0.6], 2.0, published(1e-4, 1e-4));
    println!("vdp {:?} {:?} {:?}", printed(&run.statistics), run.state, run.statistics);
    let rob = solve(&mut AsOde(&Robertson), &[1.0, 0.0, 0.0], 0.3, published(1e-2, 1e-8));
    println!("rob {:?} {:?}", printed(&rob.statistics), rob.state);
    let amp = solve(&mut Amplifier::new(), &[0.0, 3.0, 3.0, 6.0, 0.0], 0.05, published(1e-4, 1e-4));
    println!("amp {:?} {:?}", printed(&amp.statistics), amp.state);
}

/// Largest errors of positions, velocities and multipliers over the second half of the run.
fn errors(steps: u32) -> [f64; 3] {
    let model = Manufactured { constrained: true };
    let (_, record) = record(&model, &*radau5(), &Manufactured::exact(0.0), 2.0, steps);
    let mut errors = [0.0f64; 3];
    for (i, &t) in record.times.iter().enumerate().filter(|&(_, &t)| t > 1.0) {
        let (exact, state) = (Manufactured::exact(t), &record.states[i]);
        errors[0] = errors[0].max(distance(&state[..3], &exact[..3]));
        errors[1] = errors[1].max(distance(&state[3..], &exact[3..]));
        errors[2] = errors[2].max(distance(&record.multipliers[i], &model.multipliers(t)));
    }
    errors
}

#[test]
fn orders_on_index_three() {
    for steps in [32, 64, 128, 256, 512] {
        let (coarse, fine) = (errors(steps), errors(2 * steps));
        println!("{steps} {coarse:?} {:?}", [0, 1, 2].map(|i| (coarse[i] / fine[i]).log2()));
    }
    for steps in [8.0, 16.0, 32.0, 64.0, 128.0] {
        let e = |steps: f64| {
            let s = common::solve(&Cubic, &*radau5(), 2.0, Settings::fixed(2.0 / steps)).state;
            let x: [f64; 2] = Cubic.exact(2.0);
            distance(&s, &x)
        };
        println!("{steps} {:e} {}", e(steps), (e(steps) / e(2.0 * steps)).log2());
    }
}
