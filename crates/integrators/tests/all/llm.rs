//! The local linearisation method: exact for linear equations, of order two, and with the published error estimate.

use std::ops::ControlFlow;

use crate::common::constrained::{self, Manufactured};
use crate::common::{Circle, Cubic, Known};
use mbsbench_integrators::exponential::{LlmController, LlmNorm};
use mbsbench_integrators::{Llm, LlmStepper, Stepper};
use mbsbench_problem::{
    AsOde, Counted, EventFunctions, Failure, Form, Method, MethodDefinition, Observer, Ode, OdeModel, Properties,
    Scalar, Settings, Silent, Solution, Step, StepControl, Task,
};
use nalgebra::DMatrix;

fn fixed() -> Box<dyn Method> {
    Llm::default().method()
}

fn solve(method: &dyn Method, ode: &mut dyn Ode, initial: &[f64], t_end: f64, settings: Settings) -> Solution {
    let task = Task { t_start: 0.0, t_end, initial, settings };
    let solution = method.solve(Counted::new(ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    solution
}

/// `y' = A y + b t + c` with `b = −A p`, `c = p − A r`, so that `y = p t + r` is a solution.
struct Linear {
    a: [[f64; 2]; 2],
    p: [f64; 2],
    r: [f64; 2],
}

impl OdeModel for Linear {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        let deviation = [0, 1].map(|i| y[i] - t * self.p[i] - self.r[i]);
        for i in 0..2 {
            dydt[i] = deviation[0] * self.a[i][0] + deviation[1] * self.a[i][1] + self.p[i];
        }
    }
}

#[test]
fn linear_equations_are_solved_exactly() {
    let (p, r) = ([0.3, -0.7], [1.1, 0.4]);
    // The deviation at t = 2 from the particular solution, starting at (1, 1).
    type Deviation = fn(f64) -> [f64; 2];
    let cases: [(&str, [[f64; 2]; 2], f64, Deviation); 4] = [
        ("mild", [[-1.0, 0.5], [0.0, -2.0]], 0.1, |t| {
            // eigenvectors (1, 0), (−1, 2)
            [1.5 * (-t).exp() - 0.5 * (-2.0 * t).exp(), (-2.0 * t).exp()]
        }),
        ("stiff", [[-1.0, 0.0], [3.0, -1e6]], 0.1, |t| [(-t).exp(), 3.0 / (1e6 - 1.0) * (-t).exp()]),
        ("oscillatory", [[0.0, 242.76], [-242.76, 0.0]], 0.02, |t| {
            let (s, c) = (242.76 * t).sin_cos();
            [c + s, c - s]
        }),
        ("growing", [[1.0, 0.0], [1.0, 1.0]], 0.25, |t| [t.exp(), (1.0 + t) * t.exp()]),
    ];
    for (name, a, h, deviation) in cases {
        let linear = Linear { a, p, r };
        let initial = [0, 1].map(|i| r[i] + 1.0);
        let solution = solve(&*fixed(), &mut AsOde(&linear), &initial, 2.0, Settings::fixed(h));
        let exact = deviation(2.0);
        for i in 0..2 {
            let expected = exact[i] + 2.0 * p[i] + r[i];
            let error = (solution.state[i] - expected).abs() / 1.0f64.max(expected.abs());
            assert!(error < 1e-12, "{name}, component {i}: {error:e}");
        }
    }
}

/// `q'' = −ω² q`, where positions and velocities differ in size by ω: without balancing, 8 squarings per step cost two
/// digits.
#[test]
fn balancing_makes_fast_oscillators_exact() {
    let omega = 242.76f64;
    let linear = Linear { a: [[0.0, 1.0], [-omega * omega, 0.0]], p: [0.0; 2], r: [0.0; 2] };
    let method = Llm { balance: true, ..Llm::default() }.method();
    let state = solve(&*method, &mut AsOde(&linear), &[1.0, 0.0], 2.0, Settings::fixed(0.02)).state;
    let (s, c) = (2.0 * omega).sin_cos();
    let errors = [(state[0] - c).abs(), (state[1] / omega + s).abs()];
    assert!(errors.iter().all(|&error| error < 1e-12), "{errors:?}");
}

/// `q_k'' = q_{k+1} + q_{k−1} − 3 q_k`, in a ring of forty.
struct Ring;

impl OdeModel for Ring {
    fn dimension(&self) -> usize {
        80
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let (q, v) = y.split_at(40);
        for k in 0..40 {
            (dydt[k], dydt[40 + k]) = (v[k], q[(k + 1) % 40] + q[(k + 39) % 40] - q[k] * 3.0);
        }
    }
}

/// The mode `q_k = cos(α k) cos(ω t)`, `ω² = 3 − 2 cos α`: short steps need no exponential, long ones do.
#[test]
fn many_linear_equations_are_solved_exactly() {
    let alpha = 7.0 * std::f64::consts::TAU / 40.0;
    let omega = (3.0 - 2.0 * alpha.cos()).sqrt();
    let mode: Vec<f64> = (0..40).map(|k| (alpha * f64::from(k)).cos()).collect();
    let initial = [mode.clone(), vec![0.0; 40]].concat();
    for (h, exponentials) in [(0.25, 0), (40.0, 2)] {
        let solution = solve(&*fixed(), &mut AsOde(&Ring), &initial, 80.0, Settings::fixed(h));
        assert_eq!(solution.statistics.matrix_exponentials, exponentials, "{h}");
        let (sin, cos) = (80.0 * omega).sin_cos();
        for (k, mode) in mode.iter().enumerate() {
            let errors = [solution.state[k] - mode * cos, solution.state[40 + k] + mode * omega * sin];
            assert!(errors.iter().all(|error| error.abs() < 1e-12), "{h}, oscillator {k}: {errors:?}");
        }
    }
}

fn slopes(errors: &[[f64; 2]]) -> impl Iterator<Item = f64> {
    errors.windows(2).flat_map(|pair| [0, 1].map(|i| (pair[0][i] / pair[1][i]).log2()))
}

#[test]
fn order_two_in_positions_and_velocities() {
    let errors = [40, 80, 160, 320].map(|steps| {
        let settings = Settings::fixed(2.0 / f64::from(steps));
        let state = solve(&*fixed(), &mut AsOde(&Cubic), &Cubic.exact(0.0), 2.0, settings).state;
        let exact = Cubic.exact(2.0);
        [0, 1].map(|i| (state[i] - exact[i]).abs())
    });
    for slope in slopes(&errors) {
        assert!((slope - 2.0).abs() < 0.1, "{slope} from {errors:?}");
    }
}

#[test]
fn order_two_with_constraints_and_forces_in_time() {
    for constrained in [true, false] {
        let model = Manufactured { constrained };
        let errors = [160u32, 320, 640].map(|steps| {
            let initial = Manufactured::exact(0.0);
            let settings = Settings::fixed(1.0 / f64::from(steps));
            let solution = constrained::solve(&model, &*fixed(), &initial, [0.0, 1.0], settings, &mut Silent);
            assert_eq!(solution.failure, None);
            let statistics = solution.statistics;
            let counts = [statistics.rhs_evaluations, statistics.jacobian_evaluations, statistics.matrix_exponentials];
            assert_eq!(counts, [steps; 3].map(u64::from));
            let exact = Manufactured::exact(1.0);
            [0, 3].map(|first| (first..first + 3).map(|i| (solution.state[i] - exact[i]).abs()).fold(0.0, f64::max))
        });
        for slope in slopes(&errors) {
            assert!((slope - 2.0).abs() < 0.15, "{slope} from {errors:?}");
        }
    }
}

/// The same equations, which may or may not be declared autonomous.
struct Pendulum {
    autonomous: bool,
}

impl OdeModel for Pendulum {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt.copy_from_slice(&[y[1], -y[0].sin()]);
    }
    fn is_autonomous(&self) -> bool {
        self.autonomous
    }
}

#[test]
fn autonomous_problems_skip_the_time_derivative() {
    let run = |autonomous| {
        solve(&*fixed(), &mut AsOde(&Pendulum { autonomous }), &[1.0, 0.5], 3.0, Settings::fixed(0.1)).state
    };
    let (with, without) = (run(false), run(true));
    for i in 0..2 {
        assert!((with[i] - without[i]).abs() < 1e-14, "thirty steps of rounding: {with:?} {without:?}");
    }
}

/// gil2013, Eq. 35, as printed.
struct Chirp;

impl OdeModel for Chirp {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: Scalar>(&self, _t: S, x: &[S], dxdt: &mut [S]) {
        let square = x[2] * x[2];
        dxdt.copy_from_slice(&[-x[1] / square, x[0] / square, S::from(1.0)]);
    }
    fn is_autonomous(&self) -> bool {
        true
    }
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Figure 6: exact and estimated local error of one step from `t = 1/π`; the values were computed with 40 digits.
#[test]
fn local_errors_of_figure_6() {
    let table = [
        (1e-4, 2.259859e-10, 2.259562e-10),
        (2e-4, 1.807175e-9, 1.806700e-9),
        (1e-3, 2.251866e-7, 2.248910e-7),
        (2e-3, 1.794426e-6, 1.789721e-6),
        (5e-3, 2.771050e-5, 2.752930e-5),
        (1e-2, 2.174177e-4, 2.145853e-4),
        (5e-2, 2.340331e-2, 2.190226e-2),
        (1e-1, 1.571873e-1, 1.369129e-1),
    ];
    let t = std::f64::consts::FRAC_1_PI;
    let start = [0.0, -1.0, t];
    for (h, exact_norm, estimated_norm) in table {
        let mut ode = AsOde(&Chirp);
        let mut stepper = LlmStepper::new(Llm::default(), true, 3, true);
        let mut end = [0.0; 3];
        stepper.step(&mut Counted::new(&mut ode), t, h, &start, &mut end).unwrap();
        let exact = [(1.0 / (t + h)).sin(), (1.0 / (t + h)).cos(), t + h];
        let error = size(&[0, 1, 2].map(|i| exact[i] - end[i]));
        let estimate = size(stepper.error_estimate());
        // Rounding of exact errors: a few 1e-16 times numbers of size one. The estimate contains r, whose size is at
        // least 1e-6 and whose rounding error is 1e-15, multiplied by h/3.
        assert!((error / exact_norm - 1.0).abs() < 5e-5 + 1e-15 / exact_norm, "{h}: {error:e}");
        assert!((estimate / estimated_norm - 1.0).abs() < 5e-5 + 3e-15 * h / estimated_norm, "{h}: {estimate:e}");
    }
}

/// One component: Eqs. 31–34 in closed form, `l = 2 v (e^z − 1 − z − z²/2)/a³`, `z = a h`.
#[test]
fn the_estimate_is_the_closed_form_for_one_component() {
    struct Scalar1;
    impl OdeModel for Scalar1 {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
            dydt[0] = y[0] * y[0] * 0.5 - y[0] * 3.0 + t * t;
        }
    }
    for h in [0.3f64, 0.7, 1.5, 4.0] {
        let y = 0.8;
        let (a, f) = (y - 3.0, 0.5 * y * y - 3.0 * y);
        let mut stepper = LlmStepper::new(Llm::default(), true, 1, false);
        let mut end = [0.0];
        stepper.step(&mut Counted::new(&mut AsOde(&Scalar1)), 0.0, h, &[y], &mut end).unwrap();
        let z: f64 = a * h;
        let increment = f * z.exp_m1() / a;
        assert!((end[0] - y - increment).abs() < 1e-14, "{h}");
        let v = (0.5 * increment * increment + h * h) / (h * h);
        let expected = 2.0 * v * (z.exp_m1() - z - 0.5 * z * z) / (a * a * a);
        let estimate = stepper.error_estimate()[0];
        assert!((estimate / expected - 1.0).abs() < 1e-14, "{h}: {estimate:e} for {expected:e}");
    }
}

fn to_tolerance(abs: f64) -> Settings {
    let mut settings = Settings::tolerance(0.0, abs);
    if let StepControl::Tolerance { initial_step, .. } = &mut settings.control {
        *initial_step = Some(0.02);
    }
    settings
}

#[test]
fn the_global_error_follows_the_tolerance() {
    for controller in [LlmController::Elementary, LlmController::Pi] {
        for per_unit_step in [true, false] {
            let method = Llm { per_unit_step, controller, ..Llm::default() }.method();
            let run = |tolerance| {
                let solution = solve(&*method, &mut AsOde(&Cubic), &Cubic.exact(0.0), 6.0, to_tolerance(tolerance));
                let exact = Cubic.exact(6.0);
                let statistics = solution.statistics;
                let attempts = statistics.steps_accepted + statistics.steps_rejected;
                assert_eq!(statistics.matrix_exponentials, 2 * attempts, "two exponentials an attempt");
                assert_eq!(statistics.rhs_evaluations, statistics.steps_accepted + attempts);
                assert_eq!(statistics.jacobian_evaluations, statistics.steps_accepted);
                (statistics.steps_accepted, size(&[0, 1].map(|i| solution.state[i] - exact[i])))
            };
            let ((few, coarse), (many, fine)) = (run(1e-5), run(1e-7));
            // The number of steps is proportional to tol^(−1/k), global errors to tol (per unit step) or tol^(2/3).
            let exponent = if per_unit_step { 1.0 } else { 2.0 / 3.0 };
            let steps = (many as f64 / few as f64).log(100.0);
            assert!((steps - 0.5 * exponent).abs() < 0.05, "{few} and {many} steps");
            let errors = (coarse / fine).log(100.0);
            assert!((errors - exponent).abs() < 0.15, "{coarse:e} and {fine:e}");
        }
    }
}

/// Records the step sizes.
#[derive(Default)]
struct Sizes(Vec<f64>);

impl Observer for Sizes {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        self.0.push(step.t_end - step.t_start);
        ControlFlow::Continue(())
    }
}

#[test]
fn an_own_tolerance_overrides_the_tasks() {
    let steps = |method: Llm, settings| {
        solve(&*method.method(), &mut AsOde(&Cubic), &Cubic.exact(0.0), 5.0, settings).statistics.steps_accepted
    };
    let own = Llm { tol: Some(1e-3), ..Llm::default() };
    assert_eq!(steps(own, Settings::tolerance(1e-9, 1e-9)), steps(Llm::default(), to_tolerance(1e-3)));
}

/// No component exceeds the Euclidean norm, so that the same bound on the largest component admits longer steps.
#[test]
fn the_norm_of_an_error_is_a_choice() {
    let steps = |norm| {
        let method = Llm { norm, ..Llm::default() }.method();
        solve(&*method, &mut AsOde(&Cubic), &Cubic.exact(0.0), 5.0, to_tolerance(1e-5)).statistics.steps_accepted
    };
    assert!(steps(LlmNorm::Largest) < steps(LlmNorm::Euclidean));
}

/// A linear problem has no error: the step grows immediately to the end of the span.
#[test]
fn steps_without_error_grow_without_bound() {
    let mut sizes = Sizes::default();
    let task = Task { t_start: 0.0, t_end: 100.0, initial: &[1.0, 0.0], settings: Settings::tolerance(1e-6, 1e-6) };
    let solution = fixed().solve(Counted::new(&mut AsOde(&Circle)), &task, &mut sizes);
    assert_eq!(solution.failure, None);
    assert_eq!(sizes.0[0], 0.02, "the first step where the task names none");
    assert!(sizes.0.len() < 5, "{:?}", sizes.0);
    // Angles of up to 100 have rounding errors of 1e-14, and the exponential is squared five times.
    assert!((solution.state[0] - 100f64.cos()).abs() < 1e-12);
}

/// A ball above a spring, as in gil2013: `q'' = −1 + k max(0, −q)`, piecewise linear, so that exact event location
/// makes the method exact.
struct Ball {
    touches: bool,
}

impl Ball {
    const STIFFNESS: f64 = 1e4;
}

impl Ode for Ball {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        dydt[0] = y[1];
        dydt[1] = if self.touches { -1.0 - Self::STIFFNESS * y[0] } else { -1.0 };
        Ok(())
    }
    fn properties(&self) -> Properties<'_> {
        Properties { has_jacobian: true, is_autonomous: true, ..Properties::default() }
    }
    fn jacobian(&mut self, _t: f64, _y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        jacobian.fill(0.0);
        jacobian[(0, 1)] = 1.0;
        jacobian[(1, 0)] = if self.touches { -Self::STIFFNESS } else { 0.0 };
        Ok(())
    }
    fn form(&mut self) -> Form<'_> {
        Form::Events(self)
    }
}

impl EventFunctions for Ball {
    fn count(&self) -> usize {
        1
    }
    fn is_watched(&self, _index: usize) -> bool {
        true
    }
    fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g[0] = y[0];
        Ok(())
    }
    fn rates(&mut self, _t: f64, y: &[f64], _dydt: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
        rates[0] = y[1];
        Ok(())
    }
    fn tolerance(&self, _step: f64, _order: u32) -> f64 {
        1e-14
    }
    fn jump(&mut self, _index: usize, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
        self.touches = !self.touches;
        Ok(())
    }
}

/// Requests the state in the middle of each step and records the largest error of the energy.
#[derive(Default)]
struct Energy {
    largest: f64,
    events: u64,
}

impl Observer for Energy {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let mut middle = [0.0; 2];
        step.within.state_at(0.5 * (step.t_start + step.t_end), &mut middle).expect("no failures");
        self.events += step.further.events.len() as u64;
        let q = step.end[0];
        let energy = 0.5 * step.end[1] * step.end[1] + q + 0.5 * Ball::STIFFNESS * q.min(0.0).powi(2);
        self.largest = self.largest.max((energy - 0.5).abs());
        ControlFlow::Continue(())
    }
}

#[test]
fn piecewise_linear_contact_keeps_its_energy() {
    let mut energy = Energy::default();
    let task = Task { t_start: 0.0, t_end: 20.0, initial: &[0.5, 0.0], settings: Settings::fixed(0.01) };
    let solution = fixed().solve(Counted::new(&mut Ball { touches: false }), &task, &mut energy);
    assert_eq!(solution.failure, None);
    // The ball falls for one second, rises for one, and in between touches for little more than π/100 = 0.0314.
    assert_eq!((solution.statistics.events, energy.events), (20, 20));
    // Events are located to 1e-14 m at a velocity of 1 m/s, and forces differ by 1e-10 N there.
    assert!(energy.largest < 1e-11, "{:e}", energy.largest);
}

/// The method needs a Jacobian.
#[test]
fn a_problem_without_jacobian_is_refused() {
    struct Plain;
    impl Ode for Plain {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            dydt[0] = -y[0];
            Ok(())
        }
    }
    assert!(fixed().suits(&mut Plain).is_err());
    let task = Task { t_start: 0.0, t_end: 1.0, initial: &[1.0], settings: Settings::fixed(0.1) };
    let refused = fixed().solve(Counted::new(&mut Plain), &task, &mut Silent);
    assert!(matches!(refused.failure, Some(Failure::NotApplicable { .. })), "{:?}", refused.failure);
    assert_eq!((refused.t_reached, refused.state), (0.0, vec![1.0]));
}
