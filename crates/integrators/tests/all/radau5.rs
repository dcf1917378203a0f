//! RADAU5: the steps of the published code, orders by class of component, constrained mechanics.

use crate::common;

use std::ops::ControlFlow;

use crate::common::conformance::{STEP, both_controls_keep_spans, both_controls_tell_failures};
use crate::common::constrained::{Manufactured, Odd, Record, Watcher, distance};
use crate::common::{Cubic, Known, constrained};
use mbsbench_integrators::Radau5;
use mbsbench_problem::{
    AccelerationLevel, AsOde, Counted, Failure, MechanicsOf, Method, MethodDefinition, Observer, Ode, OdeModel,
    Parameters, Properties, Scalar, Settings, Silent, Solution, Statistics, Step, StepControl, Task,
};
use nalgebra::DMatrix;

fn radau5() -> Box<dyn Method> {
    Radau5::default().method()
}

/// Tolerances and first step of the published runs.
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

/// The counters that RADAU5 prints: evaluations, Jacobians, factorizations, solves, steps, accepted steps.
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

/// Van der Pol's equation `ε y'' = (1 − y²) y' − y` with `ε = 1e-6`, the example supplied with RADAU5.
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

/// An amplifier with one transistor and five voltages. Capacitors couple two pairs of them, so that the mass matrix is
/// singular (Hairer, Wanner, Solving ODEs II, section VI.1).
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
    fn properties(&self) -> Properties<'_> {
        Properties { has_jacobian: true, mass: Some(&self.mass), ..Properties::default() }
    }
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        AsOde(&*self).jacobian(t, y, jacobian)
    }
}

/// Counts and final states of runs with radau5.f, as recorded in the tests of the crate `russell_ode`. Its number of
/// evaluations is larger by one: the evaluation at the end of the span, which is not needed.
#[test]
fn steps_match_the_published_code() {
    let van_der_pol = solve(&mut AsOde(&VanDerPol), &[2.0, -0.6], 2.0, published(1e-4, 1e-4));
    let [evaluations, jacobians, factorizations, rest @ ..] = printed(&van_der_pol.statistics);
    assert_eq!((evaluations, jacobians, rest), (2248 - 1, 162, [668, 280, 242]));
    // it may differ by one from the 253 of the published code
    assert!((252..=253).contains(&factorizations), "{factorizations}");
    assert!(distance(&van_der_pol.state, &[1.706_163_410_178_079, -0.892_797_128_930_117_5]) < 1e-12);

    let robertson = solve(&mut AsOde(&Robertson), &[1.0, 0.0, 0.0], 0.3, published(1e-2, 1e-8));
    assert_eq!(printed(&robertson.statistics), [88 - 1, 8, 15, 24, 17, 15]);
    let end = [0.988_674_013_849_988_4, 3.447_720_471_782_07e-5, 1.129_150_894_529_39e-2];
    assert!(distance(&robertson.state, &end) < 1e-15, "{:?}", robertson.state);

    let amplifier = solve(&mut Amplifier::new(), &[0.0, 3.0, 3.0, 6.0, 0.0], 0.05, published(1e-4, 1e-4));
    assert_eq!(printed(&amplifier.statistics), [1511 - 1, 126, 166, 461, 166, 127]);
    let end = [
        -2.226_517_868_073_645e-2,
        3.068_700_099_735_197,
        2.898_340_496_450_958,
        2.033_525_366_489_69,
        -2.269_179_823_457_655,
    ];
    // a rounding effect: the other crate finds the same difference
    assert!(distance(&amplifier.state, &end) < 1e-8, "{:?}", amplifier.state);
}

/// Largest errors of positions, velocities and multipliers over the second half of the run.
fn errors(method: &dyn Method, settings: Settings) -> [f64; 3] {
    let model = Manufactured { constrained: true };
    let mut record = Record::default();
    let solution = constrained::solve(&model, method, &Manufactured::exact(0.0), [0.0, 2.0], settings, &mut record);
    assert_eq!((solution.failure, solution.t_reached), (None, 2.0));
    record.errors(&model)
}

/// Hairer, Wanner, Solving ODEs II, section VII.4.
#[test]
fn orders_of_positions_velocities_and_multipliers() {
    let [coarse, fine] = [32.0, 64.0].map(|steps| errors(&*radau5(), Settings::fixed(2.0 / steps)));
    for (i, expected) in [5.0, 3.0, 2.0].into_iter().enumerate() {
        let order = (coarse[i] / fine[i]).log2();
        assert!((order - expected).abs() < 0.1, "class {i}: order {order:.3}, not {expected}");
    }
}

#[test]
fn order_on_differential_equations() {
    let error = |steps: f64| {
        let state = common::solve(&Cubic, &*radau5(), 2.0, Settings::fixed(2.0 / steps)).state;
        distance(&state, &Cubic.exact(2.0))
    };
    for steps in [8.0, 16.0] {
        let order = (error(steps) / error(2.0 * steps)).log2();
        assert!((order - 5.0).abs() < 0.05, "{steps}: order {order:.3}");
    }
}

/// Errors of velocities are controlled to `1/h` times the tolerance and those of multipliers to `1/h²` times it, and
/// steps scale with its power 1/6: a hundredth of the tolerance reduces errors by less than a factor of a hundred.
#[test]
fn errors_on_index_three_follow_the_tolerance() {
    let found = [1e-4, 1e-6, 1e-8, 1e-10].map(|tol| errors(&*radau5(), Settings::tolerance(tol, tol)));
    for (class, last) in [1e-7, 1e-6, 1e-3].into_iter().enumerate() {
        assert!(found.windows(2).all(|pair| pair[1][class] < 0.4 * pair[0][class]), "class {class}: {found:?}");
        assert!(found[3][class] < last, "class {class}: {found:?}");
    }
}

/// Largest error of states at one and two thirds of a step.
struct Thirds(f64);

impl Observer for Thirds {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        for share in [1.0 / 3.0, 2.0 / 3.0] {
            let t = step.t_start + share * (step.t_end - step.t_start);
            let mut state = [0.0; 6];
            step.within.state_at(t, &mut state).expect("no evaluation is needed");
            self.0 = self.0.max(distance(&state[..3], &Manufactured::exact(t)[..3]));
        }
        ControlFlow::Continue(())
    }
}

/// The collocation polynomial has order three, with errors `O(h⁴)`, in addition to the errors at the ends, `O(h⁵)`.
#[test]
fn positions_inside_a_step() {
    let model = Manufactured { constrained: true };
    let error = |steps: f64| {
        let mut thirds = Thirds(0.0);
        let settings = Settings::fixed(2.0 / steps);
        constrained::solve(&model, &*radau5(), &Manufactured::exact(0.0), [0.0, 2.0], settings, &mut thirds);
        thirds.0
    };
    let order = (error(64.0) / error(128.0)).log2();
    assert!(order > 3.9, "{order}");
}

#[test]
fn spans_of_constrained_mechanics() {
    both_controls_keep_spans(&*radau5(), Watcher::default);
}

#[test]
fn failures_on_constrained_mechanics() {
    both_controls_tell_failures(&*radau5(), 0.0);
}

#[test]
fn unsuitable_problems_are_refused() {
    struct Locked;
    impl Ode for Locked {
        fn dimension(&self) -> usize {
            4
        }
        fn properties(&self) -> Properties<'_> {
            Properties { locks: true, ..Properties::default() }
        }
        fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            dydt.copy_from_slice(y);
            Ok(())
        }
    }
    let refused = |mut ode: Box<dyn Ode + '_>, initial: &[f64], reason: &str| {
        let method = radau5();
        assert!(method.suits(&mut *ode).is_err_and(|unsuitable| unsuitable.to_string().contains(reason)));
        let task = Task { t_start: 0.0, t_end: 1.0, initial, settings: Settings::fixed(STEP) };
        let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
        let Some(Failure::NotApplicable { reason: given }) = solution.failure else { panic!("not refused") };
        assert!(given.contains(reason), "{given}");
        assert_eq!(solution.statistics, Statistics::default());
    };
    let odd = |model| Box::new(AccelerationLevel::new(MechanicsOf::new(model)));
    refused(Box::new(Locked), &[0.0; 4], "changes states or equations");
    refused(odd(&Odd::Nonholonomic), &[0.0; 4], "1 nonholonomic");
    // Without constraints, positions that are not vectors make differential equations.
    for model in [&Odd::MorePositions, &Odd::TurnedRates] {
        assert!(radau5().suits(&mut *odd(model)).is_ok());
    }
    assert!(Radau5 { newton_tolerance: 0.0 }.check().is_err());
}

#[test]
fn properties_are_described() {
    let details = radau5().details();
    let value = |name: &str| details.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
    for (name, expected) in
        [("order ", "5 by the order conditions"), ("stage order", "3"), ("error estimate", "order 3")]
    {
        assert_eq!(value(name), Some(expected), "{name}");
    }
    assert_eq!((value("A-stable"), value("R(infinity)")), (Some("yes"), Some("0")));
    let tableau = details.iter().position(|line| line == "tableau").expect("it is listed");
    assert!(details[tableau + 3].starts_with("  1 "), "{details:?}");
}
