//! The stiff double pendulum of gil2013, section 2, with masses, lengths and initial state consistent with its figures,
//! compared with the numbers of an independent implementation.

use std::ops::ControlFlow;

use crate::common::constrained;
use mbsbench_integrators::{Llm, Ode15s, Ode23s, Ode45};
use mbsbench_problem::{
    Dimensions, Entries, Failure, MechanicalModel, MethodDefinition, Observer, Scalar, Settings, Solution, Step,
    StepControl,
};

/// Two uniform rods of 10 kg and 2 m, horizontal and in line, with a torsion spring between them; `q = (x, y, θ)` of
/// both centres.
struct Rods;

impl Rods {
    const MASS: f64 = 10.0;
    const LENGTH: f64 = 2.0;
    /// 3000 N m per degree.
    const STIFFNESS: f64 = 3000.0 * 180.0 / std::f64::consts::PI;
    const START: [f64; 12] = [1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

    /// The initial state with the second rod turned by some rounding units of a radian.
    fn start_beside(roundings: u32) -> [f64; 12] {
        let mut start = Self::START;
        start[5] += f64::from(roundings) * f64::EPSILON;
        start
    }
}

impl MechanicalModel for Rods {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(6, 4)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        let inertia = Self::MASS * Self::LENGTH * Self::LENGTH / 12.0;
        for (i, entry) in [Self::MASS, Self::MASS, inertia].into_iter().cycle().take(6).enumerate() {
            mass[(i, i)] = S::from(entry);
        }
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], _v: &[S], forces: &mut [S]) {
        let weight = S::from(-Self::MASS * 9.81);
        let torque = (q[5] - q[2]) * Self::STIFFNESS;
        forces.copy_from_slice(&[S::zero(), weight, torque, S::zero(), weight, -torque]);
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let half = Self::LENGTH / 2.0;
        let ((s1, c1), (s2, c2)) = (q[2].sin_cos(), q[5].sin_cos());
        phi[0] = q[0] - c1 * half;
        phi[1] = q[1] - s1 * half;
        phi[2] = q[0] + c1 * half - q[3] + c2 * half;
        phi[3] = q[1] + s1 * half - q[4] + s2 * half;
    }
    fn is_autonomous(&self) -> bool {
        true
    }
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let inertia = Self::MASS * Self::LENGTH * Self::LENGTH / 12.0;
        let kinetic = (v[0] * v[0] + v[1] * v[1] + v[3] * v[3] + v[4] * v[4]) * Self::MASS
            + (v[2] * v[2] + v[5] * v[5]) * inertia;
        let bend = q[5] - q[2];
        (kinetic + bend * bend * Self::STIFFNESS) * 0.5 + (q[1] + q[4]) * (Self::MASS * 9.81)
    }
}

/// The largest errors of energy, J, and of the constraints, m, at the ends of steps, and the step sizes.
#[derive(Default)]
struct Drift {
    energy: f64,
    constraints: f64,
    sizes: Vec<f64>,
}

impl Observer for Drift {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let (q, v) = step.end.split_at(6);
        // The initial energy is zero.
        self.energy = self.energy.max(Rods.energy(q, v).abs());
        let mut phi = [0.0; 4];
        Rods.holonomic_constraints(step.t_end, q, &mut phi);
        self.constraints = self.constraints.max(phi.iter().map(|phi| phi * phi).sum::<f64>().sqrt());
        self.sizes.push(step.t_end - step.t_start);
        ControlFlow::Continue(())
    }
}

fn run(method: &impl MethodDefinition, settings: Settings) -> (Solution, Drift) {
    run_from(&Rods::START, method, settings)
}

fn run_from(start: &[f64; 12], method: &impl MethodDefinition, settings: Settings) -> (Solution, Drift) {
    let mut drift = Drift::default();
    let solution = constrained::solve(&Rods, &*method.method(), start, [0.0, 5.0], settings, &mut drift);
    assert_eq!(solution.failure, None);
    (solution, drift)
}

/// Energy, constraints and angles all have order two; each number in the table has at least two digits.
#[test]
fn constant_steps() {
    let table = [
        (0.02, 0.272, 1.165e-3, 7.2e-4),
        (0.01, 0.067, 2.8e-4, 1.8e-4),
        (0.005, 0.0167, 6.9e-5, 4.6e-5),
        (0.0025, 4.15e-3, 1.72e-5, 1.17e-5),
    ];
    for (h, energy, constraints, angle) in table {
        let (solution, drift) = run(&Llm::default(), Settings::fixed(h));
        let steps = (5.0 / h) as u64;
        assert_eq!((solution.statistics.steps_accepted, solution.statistics.matrix_exponentials), (steps, steps));
        assert!((drift.energy / energy - 1.0).abs() < 0.02, "{h}: {} J", drift.energy);
        assert!((drift.constraints / constraints - 1.0).abs() < 0.02, "{h}: {} m", drift.constraints);
        let end = [(2, -2.015246115), (5, -2.015314502)];
        let error = end.iter().map(|&(i, exact)| (solution.state[i] - exact).abs()).fold(0.0, f64::max);
        assert!((error / angle - 1.0).abs() < 0.03, "{h}: {error} rad");
    }
}

/// Figure 7, error per unit step, over 16 initial states that differ by rounding. Step sizes far from the h² law
/// amplify rounding from step to step: at 0.025 the counts range from 310 to 342. The counts of the other
/// implementation lie within our range; the largest step agrees in all its digits for every initial state, and the
/// smallest for some.
#[test]
fn controlled_steps() {
    let table = [
        (0.2, 76, 15, 0.0200, 0.1066),
        (0.1, 131, 87, 0.0200, 0.0757),
        (0.05, 162, 52, 0.0200, 0.0533),
        (0.025, 342, 233, 0.0062, 0.0387),
        (0.0125, 708, 355, 0.0042, 0.0268),
    ];
    for (tol, accepted, rejected, smallest, largest) in table {
        let runs = (0..16).map(|roundings| {
            let start = Rods::start_beside(roundings);
            let (solution, drift) =
                run_from(&start, &Llm { tol: Some(tol), ..Llm::default() }, Settings::tolerance(0.0, 1.0));
            let statistics = solution.statistics;
            // The last step is the rest of the span.
            let sizes = &drift.sizes[..drift.sizes.len() - 1];
            let (low, high) = sizes.iter().fold((f64::MAX, 0.0f64), |(low, high), &h| (low.min(h), high.max(h)));
            ([statistics.steps_accepted, statistics.steps_rejected], [low, high])
        });
        let (counts, sizes): (Vec<[u64; 2]>, Vec<[f64; 2]>) = runs.unzip();
        for (place, other) in [accepted, rejected].into_iter().enumerate() {
            let counts = || counts.iter().map(|run| run[place]);
            let among = counts().min()..=counts().max();
            assert!(among.contains(&Some(other)), "{tol}: {other} is not in {among:?}");
        }
        let is_close = |ours: f64, other: f64| (ours - other).abs() <= 5e-5;
        assert!(sizes.iter().all(|&[_, high]| is_close(high, largest)), "{tol}: {sizes:?}");
        assert!(sizes.iter().any(|&[low, _]| is_close(low, smallest)), "{tol}: {sizes:?}");
    }
}

/// The default tolerances of ode45: steps and evaluations equal those of the other implementation.
#[test]
fn ode45_at_its_default_tolerances() {
    let (solution, drift) = run(&Ode45 {}, Settings::tolerance(1e-3, 1e-6));
    let statistics = solution.statistics;
    let counts = [statistics.steps_accepted, statistics.steps_rejected, statistics.rhs_evaluations];
    assert_eq!(counts, [918, 178, 6577]);
    assert!((drift.energy / 0.284 - 1.0).abs() < 0.005, "{} J", drift.energy);
    assert!((drift.constraints / 3.85e-3 - 1.0).abs() < 0.005, "{} m", drift.constraints);
}

/// The other implementation took 292 steps, rejected 56, and had errors of 3.72 J and 3.57e-2 m. Its first step is
/// unknown, and these numbers depend on it, because the fast motion is not resolved.
#[test]
fn ode23s_at_its_default_tolerances() {
    for initial_step in [None, Some(1e-8), Some(1e-6), Some(1e-4), Some(1e-3), Some(1e-2), Some(1e-1)] {
        let control = StepControl::Tolerance { rel: 1e-3, abs: 1e-6, initial_step, max_step: None };
        let (solution, drift) = run(&Ode23s {}, Settings { control, ..Settings::fixed(1.0) });
        let statistics = solution.statistics;
        let (accepted, rejected) = (statistics.steps_accepted, statistics.steps_rejected);
        let numbers = format!("{initial_step:?}: {accepted}, {rejected}, {} J, {} m", drift.energy, drift.constraints);
        assert!((290..320).contains(&accepted) && (45..70).contains(&rejected), "{numbers}");
        assert!((3.2..5.2).contains(&drift.energy) && (3.5e-2..4.7e-2).contains(&drift.constraints), "{numbers}");
        let attempts = accepted + rejected;
        let costs = [statistics.jacobian_evaluations, statistics.factorizations, statistics.linear_solves];
        assert_eq!((costs, statistics.rhs_evaluations), ([accepted, attempts, 3 * attempts], 2 * attempts + 1));
    }
}

/// The number of steps of ode15s depends on whether it happens to damp the fast motion; it drifts further than ode45 in
/// any case.
#[test]
fn ode15s_at_its_default_tolerances() {
    let (_, drift) = run(&Ode15s::default(), Settings::tolerance(1e-3, 1e-6));
    assert!(drift.energy > 2.0 * 0.284 && drift.constraints > 3.85e-3, "{} J, {} m", drift.energy, drift.constraints);
}
