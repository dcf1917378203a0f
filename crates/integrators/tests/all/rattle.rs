//! RATTLE and SHAKE: orders by class, conserved quantities, symmetry, counters, conformance.

use crate::common::conformance::{STEP, budgets_are_kept, is_watched, run, spans_are_kept};
use crate::common::constrained::{Cliff, GRAVITY, Manufactured, Odd, Pendulum, Record, distance, record, solve};
use crate::common::{Circle, constrained};
use mbsbench_integrators::{Rattle, Shake};
use mbsbench_problem::{
    AccelerationLevel, AsOde, Counted, Dimensions, Entries, Failure, MechanicalModel, Mechanics, MechanicsOf, Method,
    MethodDefinition, Ode, Scalar, Settings, Silent, Statistics, Task,
};

/// RATTLE with iterations converged to rounding.
fn sharp() -> Box<dyn Method> {
    Rattle { newton_tolerance: 1e-16, ..Rattle::default() }.method()
}

/// Largest errors of positions, velocities and multipliers over the second half of the run.
fn errors(method: &dyn Method, constrained: bool, steps: u32) -> [f64; 3] {
    let model = Manufactured { constrained };
    let (_, record) = record(&model, method, &Manufactured::exact(0.0), 2.0, steps);
    record.errors(&model)
}

/// Masses depend on positions here and forces on velocities, so that both halves of a step are implicit.
#[test]
fn orders_of_positions_velocities_and_multipliers() {
    for (constrained, expected) in [(true, &[2.0, 2.0, 1.0][..]), (false, &[2.0, 2.0])] {
        let [coarse, fine] = [1024, 2048].map(|steps| errors(&*Rattle::default().method(), constrained, steps));
        for (class, expected) in expected.iter().enumerate() {
            let order = (coarse[class] / fine[class]).log2();
            assert!((order - expected).abs() < 0.1, "class {class}, order {order:.3}, not {expected}");
        }
    }
}

/// A pendulum whose bob moves along `r = 1 + 0.3 cos θ`, in polar coordinates: the mass depends on positions, the
/// forces have gyroscopic terms, and the constraint is curved.
struct Track;

impl Track {
    /// At rest at θ = 1.2.
    fn start() -> [f64; 4] {
        [1.0 + 0.3 * 1.2f64.cos(), 1.2, 0.0, 0.0]
    }
}

impl MechanicalModel for Track {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 1)
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        (mass[(0, 0)], mass[(1, 1)]) = (S::from(1.0), q[0] * q[0]);
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let (sine, cosine) = q[1].sin_cos();
        forces[0] = q[0] * v[1] * v[1] + cosine * GRAVITY;
        forces[1] = q[0] * v[0] * v[1] * -2.0 - q[0] * sine * GRAVITY;
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] - q[1].cos() * 0.3 - 1.0;
    }
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) * 0.5 - q[0] * q[1].cos() * GRAVITY
    }
}

/// Largest change of the energy in the first and last tenth of 500 s, with steps of 1/50 s.
fn changes_of_energy<M: MechanicalModel>(model: &M, initial: &[f64], method: &dyn Method) -> [f64; 2] {
    let (_, record) = record(model, method, initial, 500.0, 25_000);
    let n = initial.len() / 2;
    let energy = |state: &[f64]| model.energy(&state[..n], &state[n..]);
    let start = energy(initial);
    let largest = |states: &[Vec<f64>]| states.iter().map(|y| (energy(y) - start).abs()).fold(0.0, f64::max);
    [largest(&record.states[..2500]), largest(&record.states[22_500..])]
}

/// The energy oscillates by O(h²) and does not drift over about 250 swings, with constant and with variable masses.
#[test]
fn the_energy_does_not_drift() {
    let methods = [Rattle::default().method(), Shake::default().method()];
    let on_circle = methods.iter().map(|method| changes_of_energy(&Pendulum, &Pendulum::START, &**method));
    let on_track = [changes_of_energy(&Track, &Track::start(), &*methods[0])];
    for [first, last] in on_circle.chain(on_track) {
        assert!(first > 1e-5 && first < 0.05 && last < 1.05 * first, "{first:e}, then {last:e}");
    }
}

/// Backwards from the end of a run, with reversed velocities, the run returns to its start up to rounding.
#[test]
fn steps_are_reversible() {
    fn there_and_back<M: MechanicalModel>(model: &M, initial: &[f64]) -> (f64, f64) {
        let turn = |mut state: Vec<f64>| {
            let n = state.len() / 2;
            state[n..].iter_mut().for_each(|v| *v = -*v);
            state
        };
        let go = |from: &[f64]| {
            let solution = solve(model, &*sharp(), from, [0.0, 20.0], Settings::fixed(1.0 / 32.0), &mut Silent);
            assert_eq!(solution.failure, None);
            solution.state
        };
        let there = go(initial);
        (distance(&turn(go(&turn(there.clone()))), initial), distance(&there, initial))
    }
    for (missed, moved) in [there_and_back(&Pendulum, &Pendulum::START), there_and_back(&Track, &Track::start())] {
        assert!(missed < 1e-11 && moved > 0.1, "{missed:e}");
    }
}

/// Two points of 1 kg and 3 kg on a rod of 1 m, and a third of 2 kg connected to both by springs, in the plane, without
/// external forces.
struct Flying;

impl Flying {
    const MASSES: [f64; 3] = [1.0, 3.0, 2.0];
    const START: [f64; 12] = [0.0, 0.0, 1.0, 0.0, 0.4, 0.9, 0.3, -0.5, 0.3, 0.8, -0.6, 0.2];

    /// Linear momenta, kg m/s, and angular momentum about the origin, kg m²/s.
    fn momenta(state: &[f64]) -> [f64; 3] {
        let mut momenta = [0.0; 3];
        for (i, mass) in Self::MASSES.iter().enumerate() {
            let ([x, y], [vx, vy]) = ([state[2 * i], state[2 * i + 1]], [state[6 + 2 * i], state[7 + 2 * i]]);
            momenta[0] += mass * vx;
            momenta[1] += mass * vy;
            momenta[2] += mass * (x * vy - y * vx);
        }
        momenta
    }
}

impl MechanicalModel for Flying {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(6, 1)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..6).for_each(|i| mass[(i, i)] = S::from(Self::MASSES[i / 2]));
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], _v: &[S], forces: &mut [S]) {
        forces.fill(S::zero());
        for end in 0..2 {
            let stretch = [q[4] - q[2 * end], q[5] - q[2 * end + 1]];
            // the spring stiffens with its length
            let stiffness = (stretch[0] * stretch[0] + stretch[1] * stretch[1]) * 20.0;
            for (k, &along) in stretch.iter().enumerate() {
                forces[4 + k] -= stiffness * along;
                forces[2 * end + k] += stiffness * along;
            }
        }
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let rod = [q[2] - q[0], q[3] - q[1]];
        phi[0] = (rod[0] * rod[0] + rod[1] * rod[1] - 1.0) * 0.5;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Constraint forces between bodies keep momenta balanced in each half step, and the formula is invariant to rotations.
#[test]
fn momenta_are_conserved_to_rounding() {
    let (solution, record) = record(&Flying, &*sharp(), &Flying::START, 40.0, 2000);
    let before = Flying::momenta(&Flying::START);
    let largest = record.states.iter().map(|state| distance(&Flying::momenta(state), &before)).fold(0.0, f64::max);
    assert!(largest < 1e-11, "{largest:e}");
    assert!(distance(&solution.state, &Flying::START) > 1.0, "it moves");
}

#[test]
fn constraints_hold_to_rounding() {
    for (method, velocities) in [(Rattle::default().method(), true), (Shake::default().method(), false)] {
        let (_, record) = record(&Pendulum, &*method, &Pendulum::START, 5.0, 640);
        let mut drift = [0.0f64; 2];
        for state in &record.states {
            drift[0] = drift[0].max((state[0] * state[0] + state[1] * state[1] - 1.0).abs());
            drift[1] = drift[1].max((state[0] * state[2] + state[1] * state[3]).abs());
        }
        assert!(drift[0] < 1e-14 && (drift[1] < 1e-13) == velocities, "{drift:?}");
    }
}

/// The constraints of [`Manufactured`] depend on time.
#[test]
fn moving_constraints_hold() {
    let (model, mut record) = (Manufactured { constrained: true }, Record::default());
    let settings = Settings::fixed(1.0 / 64.0);
    let (method, initial) = (Rattle::default().method(), Manufactured::exact(0.0));
    solve(&model, &*method, &initial, [0.0, 5.0], settings, &mut record);
    let mut mechanics = MechanicsOf::<_, f64>::new(&model);
    for (&t, state) in record.times.iter().zip(&record.states) {
        let ((q, v), mut values) = (state.split_at(3), [0.0; 2]);
        mechanics.constraint_values(t, q, v, &mut values);
        assert!(distance(&values, &[0.0; 2]) < 1e-12, "{values:?}");
        mechanics.velocity_constraints(t, q, v, &mut values);
        assert!(distance(&values, &[0.0; 2]) < 1e-12, "{values:?}");
    }
}

/// Positions are equal; the velocities and multipliers of SHAKE have order two.
#[test]
fn shake_has_the_positions_of_rattle() {
    let compare = |steps: u32| {
        let [rattle, shake] = [Rattle::default().method(), Shake::default().method()]
            .map(|method| record(&Pendulum, &*method, &Pendulum::START, 2.0, steps).1);
        let (mut apart, mut velocities) = (0.0f64, 0.0f64);
        for (a, b) in rattle.states.iter().zip(&shake.states) {
            apart = apart.max(distance(&a[..2], &b[..2]));
            velocities = velocities.max(distance(&a[2..], &b[2..]));
        }
        // M v' = D + Jᵀ λ on the circle: 2 λ = q·v' − q·g = −v² + g y
        let multiplier = |state: &[f64]| 0.5 * (GRAVITY * state[1] - state[2] * state[2] - state[3] * state[3]);
        let fine = record(&Pendulum, &*Rattle::default().method(), &Pendulum::START, 2.0, 16_384).1;
        let every = fine.states.len() / shake.states.len();
        let exact = fine.states.iter().skip(every - 1).step_by(every).map(|state| multiplier(state));
        let errors = shake.multipliers.iter().zip(exact).map(|(found, exact)| (found[0] - exact).abs());
        (apart, velocities, errors.fold(0.0, f64::max))
    };
    let (coarse, fine) = (compare(128), compare(256));
    assert!(coarse.0 < 1e-11 && fine.0 < 1e-11, "{:e}", fine.0);
    for (coarse, fine) in [(coarse.1, fine.1), (coarse.2, fine.2)] {
        assert!(((coarse / fine).log2() - 2.0).abs() < 0.1, "{coarse:e} to {fine:e}");
    }
}

#[test]
fn evaluations_and_factorizations_are_counted() {
    for (method, per_step, at_start) in [(Rattle::default().method(), 2, 0), (Shake::default().method(), 1, 1)] {
        let counted = run(&*method, [0.0, 2.0], Settings::fixed(STEP)).statistics;
        let iterations = counted.newton_iterations;
        assert!((2 * 128..=4 * 129).contains(&iterations), "{iterations}");
        let expected = Statistics {
            steps_accepted: 128,
            rhs_evaluations: 129,
            factorizations: per_step * 128 + at_start,
            newton_iterations: iterations,
            linear_solves: iterations + (per_step - 1) * 128, // RATTLE ends each step with one
            linear_algebra_flops: counted.linear_algebra_flops,
            ..Statistics::default()
        };
        assert_eq!(counted, expected);
        assert!(method.properties().counts_flops && counted.linear_algebra_flops.is_some_and(|flops| flops > 0));
    }
    let (model, initial) = (Manufactured { constrained: true }, Manufactured::exact(0.0));
    let general = solve(&model, &*Rattle::default().method(), &initial, [0.0, 2.0], Settings::fixed(STEP), &mut Silent);
    let Statistics { rhs_evaluations, jacobian_evaluations, newton_iterations, .. } = general.statistics;
    assert_eq!((rhs_evaluations, jacobian_evaluations), (newton_iterations + 128, 129));
}

#[test]
fn spans_watchers_and_budgets() {
    let rattle = Rattle::default().method();
    spans_are_kept("rattle", &*rattle);
    for (name, method) in [("rattle", rattle), ("shake", Shake::default().method())] {
        is_watched(name, &*method);
        budgets_are_kept(name, &*method);
        let settings = Settings::fixed(STEP);
        for t_end in [1e-9, 0.3, 1.01, 2.0] {
            let run = run(&*method, [0.0, t_end], settings);
            if name == "shake" && t_end != 2.0 {
                assert!(matches!(run.failure, Some(Failure::NotApplicable { .. })), "{:?}", run.failure);
                assert_eq!((run.t_reached, run.statistics), (0.0, Statistics::default()), "refused at once");
            } else {
                assert_eq!((run.failure, run.t_reached), (None, t_end), "the end is hit exactly");
            }
        }
        // Rounding errors of positions, 1e-16, divided by the step appear in the velocities.
        let tiny = run(&*method, [0.0, 1e-7], Settings::fixed(1e-9));
        assert_eq!((tiny.failure, tiny.t_reached, tiny.statistics.steps_accepted), (None, 1e-7, 100), "{name}");
        let exact = [1.0, -0.5 * GRAVITY * 1e-14, 0.0, -GRAVITY * 1e-7];
        assert!(distance(&tiny.state[..2], &exact[..2]) < 1e-14, "{name}: {:?}", tiny.state);
        assert!(distance(&tiny.state[2..], &exact[2..]) < 1e-6, "{name}: {:?}", tiny.state);
    }
}

#[test]
fn failures_are_reported() {
    for method in [Rattle::default().method(), Shake::default().method()] {
        let settings = Settings::fixed(STEP);
        let redundant = solve(&Odd::Redundant, &*method, &[0.0; 4], [0.0, 1.0], settings, &mut Silent);
        assert!(matches!(redundant.failure, Some(Failure::SingularMatrix { time: 0.0, .. })));
        let wild = run(&*method, [0.0, 1024.0], Settings::fixed(64.0));
        let told = matches!(wild.failure, Some(Failure::NewtonDiverged { .. } | Failure::SingularMatrix { .. }));
        assert!(told && wild.state.iter().all(|x| x.is_finite()), "{:?}", wild.failure);
    }
    let (method, settings) = (Rattle::default().method(), Settings::fixed(STEP));
    let cliff = solve(&Cliff, &*method, &Pendulum::START, [0.0, 2.0], settings, &mut Silent);
    assert_eq!(cliff.failure, Some(Failure::NonFinite { time: 1.0 }));
    assert_eq!((cliff.t_reached, cliff.state), (1.0, run(&*method, [0.0, 1.0], settings).state));
    let hasty = Rattle { max_iterations: 1, ..Rattle::default() }.method();
    let diverged = run(&*hasty, [0.0, 2.0], Settings::fixed(STEP));
    assert_eq!(diverged.failure, Some(Failure::NewtonDiverged { time: 0.0, iterations: 1 }));
    assert_eq!((diverged.t_reached, diverged.state), (0.0, Pendulum::START.to_vec()));
}

#[test]
fn unsuitable_problems_are_refused() {
    let refused = |method: &dyn Method, ode: &mut dyn Ode, initial: &[f64], settings: Settings, reason: &str| {
        let task = Task { t_start: 0.0, t_end: 1.0, initial, settings };
        let solution = method.solve(Counted::new(ode), &task, &mut Silent);
        let Some(Failure::NotApplicable { reason: given }) = solution.failure else { panic!("not refused") };
        assert!(given.contains(reason), "{given}");
        assert_eq!(solution.statistics, Statistics::default());
    };
    let fixed = Settings::fixed(STEP);
    for method in [Rattle::default().method(), Shake::default().method()] {
        refused(&*method, &mut AsOde(&Circle), &[1.0, 0.0], fixed, "differential equations only");
        let odd = |model| AccelerationLevel::new(MechanicsOf::new(model));
        refused(&*method, &mut odd(&Odd::Nonholonomic), &[0.0; 4], fixed, "1 nonholonomic");
        refused(&*method, &mut odd(&Odd::MorePositions), &[0.0; 5], fixed, "positions that are vectors");
        let tolerance = Settings::tolerance(1e-6, 1e-6);
        refused(&*method, &mut odd(&Odd::Redundant), &[0.0; 4], tolerance, "no error estimate");
    }
    let shake = Shake::default().method();
    let mut track = AccelerationLevel::new(MechanicsOf::new(&Track));
    refused(&*shake, &mut track, &Track::start(), fixed, "a constant mass matrix");
    // forces may branch on a velocity
    let mut cliff = AccelerationLevel::new(MechanicsOf::new(&Cliff));
    refused(&*shake, &mut cliff, &Pendulum::START, fixed, "or branch");
    let mut crank = AccelerationLevel::new(MechanicsOf::new(&constrained::SliderCrank));
    refused(&*shake, &mut crank, &constrained::SliderCrank::initial(), fixed, "forces of positions alone");
}
