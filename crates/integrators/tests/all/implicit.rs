//! The implicit formulas: orders on ordinary differential equations, on index-3 mechanics by class of component, and on
//! a manifold.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::common::constrained::{Manufactured, Pendulum, Record, record};
use crate::common::{Circle, Cubic, Known, constrained, solve};
use mbsbench_integrators::implicit::{
    Charts, Implicit, InitialDerivatives, LinearMultistep, Multistep, Options, Prediction, Start,
};
use mbsbench_integrators::{MethodFromFile, for_each_implicit_method, implicit::definitions::*};
use mbsbench_problem::dae::{Dae, Point};
use mbsbench_problem::linalg::{Singular, System};
use mbsbench_problem::{
    AsOde, Counted, Failure, Form, Method, MethodDefinition, Observer, Ode, Parameters, Settings, Step, Task,
};
use nalgebra::{Complex, DMatrix, DVector};
use serde_json::{Value, json};

/// Newton's tolerance on ordinary differential equations, near rounding.
const SHARP: f64 = 1e-13;
/// Newton's tolerance on constrained mechanics, where the rounding of positions is divided by the step.
const DIVIDED: f64 = 1e-10;

macro_rules! methods {
    ($tolerance:expr; $($name:literal: $type:ident { $($field:ident: $value:expr),* }),* $(,)?) => {
        vec![$(($name, $type { $($field: $value,)* newton_tolerance: $tolerance, ..$type::default() }.method())),*]
    };
}

/// Every method with its defaults, and those with adjustable damping with more and less of it.
fn all(tolerance: f64) -> Vec<(&'static str, Box<dyn Method>)> {
    macro_rules! defaults {
        ($($type:ident)*) => {
            vec![$(($type::NAME, $type { newton_tolerance: tolerance, ..$type::default() }.method())),*]
        };
    }
    let mut all = for_each_implicit_method!(defaults);
    all.extend(methods![
        tolerance;
        "lms2, 0": Lms2 { rho_inf: 0.0 },
        "lms3, 0": Lms3 { rho_inf: 0.0 },
        "lms4, 0": Lms4 { rho_inf: 0.0 },
        "lms4, ladder": Lms4 { start: Start::Ladder },
        "ss2, 0": Ss2 { rho_inf: 0.0 },
        "ss3, 0": Ss3 { rho_inf: 0.0 },
        "ss4, 0": Ss4 { rho_inf: 0.0 },
        "bathe, 0": Bathe { rho_inf: 0.0 },
        "bathe, 1": Bathe { rho_inf: 1.0 },
        "msstc3, 0": Msstc3 { rho_inf: 0.0 },
        "msstc4, 0": Msstc4 { rho_inf: 0.0 },
        "msstc5, 0": Msstc5 { rho_inf: 0.0 },
        "mssth3, 0.6": Mssth3 { rho_inf: 0.6 },
        "mssth4, 0.6": Mssth4 { rho_inf: 0.6 },
        "mssth5, 0.6": Mssth5 { rho_inf: 0.6 },
        "substep3, 0.2": Substep3 { rho_inf: 0.2 },
        "substep4, 0": Substep4 { rho_inf: 0.0 },
        "substep4, 0.9": Substep4 { rho_inf: 0.9 },
        "substep5, 0": Substep5 { rho_inf: 0.0 },
        "substep5, 0.9": Substep5 { rho_inf: 0.9 },
    ]);
    all
}

/// Largest error at `t = 2` with `steps` steps.
fn ode_error(model: &impl Known, method: &dyn Method, steps: u32) -> f64 {
    let solution = solve(model, method, 2.0, Settings::fixed(2.0 / f64::from(steps)));
    assert_eq!(solution.failure, None);
    largest_difference(&solution.state, &model.exact(2.0))
}

/// Largest errors of positions, velocities and multipliers over the second half of the run.
fn errors(method: &dyn Method, steps: u32) -> [f64; 3] {
    let model = Manufactured { constrained: true };
    let (_, record) = record(&model, method, &Manufactured::exact(0.0), 2.0, steps);
    let mut errors = [0.0f64; 3];
    for (i, &t) in record.times.iter().enumerate().filter(|&(_, &t)| t > 1.0) {
        let (exact, state) = (Manufactured::exact(t), &record.states[i]);
        errors[0] = errors[0].max(largest_difference(&state[..3], &exact[..3]));
        errors[1] = errors[1].max(largest_difference(&state[3..], &exact[3..]));
        errors[2] = errors[2].max(largest_difference(&record.multipliers[i], &model.multipliers(t)));
    }
    errors
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Order of convergence from the errors with `steps` steps and twice as many.
fn order(error: impl Fn(u32) -> f64, steps: u32) -> f64 {
    (error(steps) / error(2 * steps)).log2()
}

/// On ordinary differential equations the formulas have their own order, at steps for which neither the next term of
/// the error nor rounding is visible.
#[test]
fn orders_on_differential_equations() {
    for (name, method) in all(SHARP) {
        let expected = f64::from(method.order());
        let steps = match method.order() {
            ..=3 => 256,
            4 => 64,
            _ => 32,
        };
        let order = order(|steps| ode_error(&Cubic, &*method, steps), steps);
        assert!((order - expected).abs() < 0.1, "{name}: order {order:.3}, not {expected}");
    }
}

/// On index-3 mechanics, positions and velocities have order two, whatever the order of the formula: stages of order
/// two and constraints on positions only do not allow more. Multipliers have order two in formulas of one stage and
/// order one in formulas of several stages, whose internal stages have multipliers of their own. They do not converge
/// if nothing damps the alternation that starts with the initial values, or if the stages have order one as in SDIRK4,
/// whose positions and velocities have order one.
#[test]
fn orders_on_constrained_mechanics() {
    for (name, method) in all(DIVIDED) {
        // In positions, errors of the formula's own order compete with errors of order two.
        // With ρ∞ = 0.6, the term of order two is small in substep4: an independent program measures 2.26, too.
        let margin = if name.starts_with("substep4") { 0.3 } else { 0.2 };
        let (steps, margin) = if method.order() == 2 { (1024, 0.1) } else { (4096, margin) };
        for (class, what) in ["positions", "velocities"].into_iter().enumerate() {
            let order = order(|steps| errors(&*method, steps)[class], steps);
            let expected = if name == "sdirk4" { 1.0 } else { 2.0 };
            assert!((order - expected).abs() < margin, "{name}: {what} of order {order:.3}, not {expected}");
        }
        let of_multipliers = order(|steps| errors(&*method, steps)[2], 512);
        let expected = match (name, method.implicit_stages()) {
            ("trapezoidal" | "bathe, 1" | "sdirk4", _) => 0.0,
            (_, 1) => 2.0,
            _ => 1.0,
        };
        assert!((of_multipliers - expected).abs() < 0.1, "{name}: multipliers of order {of_multipliers:.3}");
    }
}

/// A formula from a file.
fn from_file(rows: Value, weights: Value) -> Box<dyn Method> {
    let file = json!({ "runge-kutta": { "rows": rows, "weights": weights }, "newton-tolerance": DIVIDED });
    let file: MethodFromFile = serde_json::from_value(file).unwrap();
    assert_eq!(file.check(), Ok(()));
    file.method()
}

/// Files may have an implicit first stage and several diagonal coefficients. Both formulas have order two and
/// `R(z) = (1 + 5 z/12)/((1 − z/3) (1 − z/4))`; the stages of the first have order one, those of the second order two.
#[test]
fn diagonal_coefficients_may_differ() {
    let z = Complex::new(0.0, 0.7);
    let factor = (z * 5.0 / 12.0 + 1.0) / ((-z / 3.0 + 1.0) * (-z / 4.0 + 1.0));
    let implicit = (json!([["1/3"], ["3/4", "1/4"]]), json!(["3/4", "1/4"]), 1.0);
    let explicit = (json!([[], ["1/3", "1/3"], ["3/8", "3/8", "1/4"]]), json!(["3/8", "3/8", "1/4"]), 2.0);
    for (rows, weights, on_index_3) in [implicit, explicit] {
        let method = &*from_file(rows, weights);
        assert_eq!(method.implicit_stages(), 2);
        assert!(method.details().contains(&"gamma           0.3333333333333333, 0.25".to_owned()));
        assert!((method.amplification(0.7).unwrap()[0] - factor).norm() < 1e-15);
        assert!((turning(method, 0.7, 1)[1] - factor).norm() < 1e-9);
        let on_equations = order(|steps| ode_error(&Cubic, method, steps), 256);
        assert!((on_equations - 2.0).abs() < 0.1, "order {on_equations:.3}");
        for (class, expected) in [(0, on_index_3), (1, on_index_3), (2, on_index_3 - 1.0)] {
            let order = order(|steps| errors(method, steps)[class], 512);
            assert!((order - expected).abs() < 0.1, "class {class}: order {order:.3}, not {expected}");
        }
    }
}

/// If the motion starts with an acceleration, a run that begins without accelerations lags behind.
#[test]
fn a_start_without_accelerations_is_of_first_order() {
    let initial_derivatives = InitialDerivatives::Zero;
    let late = methods![
        DIVIDED;
        "trapezoidal": Trapezoidal { initial_derivatives: initial_derivatives },
        "lms4": Lms4 { initial_derivatives: initial_derivatives },
        "ss4": Ss4 { initial_derivatives: initial_derivatives },
        "msstc4": Msstc4 { initial_derivatives: initial_derivatives },
        "mssth4": Mssth4 { initial_derivatives: initial_derivatives },
    ];
    for (name, method) in late {
        for class in [0, 1] {
            let order = order(|steps| errors(&*method, steps)[class], 512);
            assert!((order - 1.0).abs() < 0.1, "{name}: order {order:.3}");
        }
    }
}

/// First guesses affect the iterations but not the solution, unless charts are centred at predictions.
#[test]
fn predictors_change_only_the_iterations() {
    let with = |prediction: Prediction| {
        methods![
            SHARP;
            "lms3": Lms3 { prediction: prediction },
            "ss3": Ss3 { prediction: prediction },
            "msstc3": Msstc3 { prediction: prediction },
            "mssth4": Mssth4 { rho_inf: 0.0, prediction: prediction },
        ]
    };
    let end = |method: &dyn Method| {
        let solution = solve(&Cubic, method, 2.0, Settings::fixed(0.03));
        assert_eq!(solution.failure, None);
        (solution.state, solution.statistics.newton_iterations)
    };
    let [paper, constant, second] = [Prediction::Paper, Prediction::Constant, Prediction::SecondOrder].map(with);
    for ((paper, constant), second) in paper.iter().zip(&constant).zip(&second) {
        let name = paper.0;
        let [paper, constant, second] = [paper, constant, second].map(|(_, method)| end(&**method));
        for (state, _) in [&constant, &second] {
            assert!(largest_difference(state, &paper.0) < 1e-12, "{name}");
        }
        assert!(second.1 < constant.1, "{name}: {} iterations, {} with a constant guess", second.1, constant.1);
        let like = if name == "ss3" { constant.1 } else { second.1 };
        assert!(name == "mssth4" || paper.1 == like, "{name}: {} iterations", paper.1);
    }
}

/// States of a run on `q'' = −q` as complex numbers `w = q − i v` with `w' = i w`, the initial one first.
fn turning(method: &dyn Method, h: f64, steps: u32) -> Vec<Complex<f64>> {
    let mut record = Record::default();
    let settings = Settings::fixed(h);
    let task = Task { t_start: 0.0, t_end: h * f64::from(steps), initial: &[1.0, 0.0], settings };
    let solution = method.solve(Counted::new(&mut AsOde(&Circle)), &task, &mut record);
    assert_eq!(solution.failure, None);
    let initial = [vec![1.0, 0.0]];
    initial.iter().chain(&record.states).map(|state| Complex::new(state[0], -state[1])).collect()
}

/// A run on the oscillator follows the amplification matrix, and a single-step formula follows its equivalent
/// multistep formula.
#[test]
fn steps_on_the_oscillator_match_the_amplification_matrix() {
    let all = all(SHARP);
    let multistep = |name: &str| all.iter().find(|(other, _)| *other == name.replace("ss", "lms"));
    for (name, method) in &all {
        let h = 0.5;
        let matrix = match name.starts_with("ss") {
            true => multistep(name).and_then(|(_, method)| method.amplification(h)),
            false => method.amplification(h),
        };
        let matrix = matrix.expect("it is linear");
        let r = matrix.nrows();
        let states = turning(&**method, h, 20);
        // The first r − 1 steps are those of the start; the auxiliaries of r steps originate before the start.
        let first = if name.starts_with("ss") { r } else { 0 };
        for window in states[first..].windows(r + 1) {
            let past = DVector::from_iterator(r, window[..r].iter().rev().copied());
            let error = ((&matrix * past)[0] - window[r]).norm();
            // Newton's tolerance divided by h
            assert!(error < 1e-9, "{name}: {error:e}");
        }
    }
}

/// A last step of a different size does not reduce the order.
#[test]
fn a_shorter_last_step_keeps_the_order() {
    for (name, method) in all(SHARP).into_iter().filter(|(name, _)| name.starts_with("lms")) {
        let error = |steps: u32| {
            // the last of these steps is 0.3 of the others
            let settings = Settings::fixed(2.0 / (f64::from(steps) - 0.7));
            let solution = solve(&Cubic, &*method, 2.0, settings);
            assert_eq!((solution.failure, solution.statistics.steps_accepted), (None, u64::from(steps)), "{name}");
            largest_difference(&solution.state, &Cubic.exact(2.0))
        };
        let order = order(error, 256);
        assert!((order - 2.0).abs() < 0.1, "{name}: order {order:.3}");
    }
}

/// Largest condition number of Newton's matrix in eight steps of size `h`.
fn condition(method: &dyn Method, h: f64) -> f64 {
    let mut record = Record { watches_matrices: true, ..Record::default() };
    let (span, initial) = ([0.0, 8.0 * h], [0.6, -0.8, 0.8, 0.6]);
    let solution = constrained::solve(&Pendulum, method, &initial, span, Settings::fixed(h), &mut record);
    assert_eq!(solution.failure, None);
    assert_eq!(record.conditions.len() as u64, solution.statistics.newton_iterations, "one in every iteration");
    record.conditions.iter().fold(0.0, |largest, &x| largest.max(x))
}

/// An observer may watch Newton's matrices. With constraints divided by `c` their condition is O(1/c); otherwise it
/// would be O(1/c²).
#[test]
fn condition_numbers_grow_as_the_inverse_of_the_step() {
    for (name, method) in methods![DIVIDED; "lms4": Lms4 {}, "ss3": Ss3 {}, "mssth4": Mssth4 {}] {
        let growth = (condition(&*method, 2f64.powi(-12)) / condition(&*method, 2f64.powi(-6))).log2() / 6.0;
        assert!((growth - 1.0).abs() < 0.05, "{name}: {growth}");
    }
}

/// The backward differentiation formula of order four, started by the trapezoidal rule.
fn bdf4(charts: Charts) -> Implicit<Multistep> {
    let alpha = [48.0, -36.0, 16.0, -3.0].map(|x| x / 25.0).to_vec();
    let rule = Multistep::new(LinearMultistep { alpha, beta: vec![12.0 / 25.0, 0.0, 0.0, 0.0, 0.0] });
    Implicit { rule, options: Options { tolerance: SHARP, charts, ..Options::default() } }
}

/// A start of order two leaves its own error, of order three, with charts as well.
#[test]
fn a_multistep_formula_keeps_the_order_of_its_start() {
    let method = bdf4(Charts::Step);
    assert_eq!(method.order(), 4, "of the formula");
    let of_plain = order(|steps| ode_error(&Cubic, &method, steps), 64);
    assert!((of_plain - 3.0).abs() < 0.2, "order {of_plain:.3}");
    for charts in [Charts::Step, Charts::Stage, Charts::Prediction, Charts::Moving] {
        let order = order(|steps| rotor_error(&bdf4(charts), steps, "bdf4").0, 128);
        assert!((order - 3.0).abs() < 0.2, "{charts:?}: order {order:.3}");
    }
}

/// BDF7 has a root outside the unit circle.
#[test]
fn formulas_that_are_not_zero_stable_are_refused() {
    let bdf7 = [2940.0, -4410.0, 4900.0, -3675.0, 1764.0, -490.0, 60.0].map(|x| x / 1089.0).to_vec();
    let rule = Multistep::new(LinearMultistep { alpha: bdf7, beta: [&[420.0 / 1089.0][..], &[0.0; 7]].concat() });
    let bdf7 = Implicit { rule, options: Options::default() };
    assert_eq!(bdf7.order(), 7);
    let end = |method: Box<dyn Method>| solve(&Cubic, &*method, 1.0, Settings::fixed(0.125)).failure;
    let damped = [Lms3 { rho_inf: 1.0, ..Lms3::default() }.method(), Lms4 { rho_inf: 1.0, ..Lms4::default() }.method()];
    for method in damped.into_iter().chain([Box::new(bdf7) as Box<dyn Method>]) {
        let Some(Failure::NotApplicable { reason }) = end(method) else { panic!("not refused") };
        assert!(reason.contains("not zero-stable"), "{reason}");
    }
    assert_eq!(end(Lms2 { rho_inf: 1.0, ..Lms2::default() }.method()), None);
    assert_eq!(end(Ss4 { rho_inf: 1.0, ..Ss4::default() }.method()), None);
}

/// A rotor about a fixed axis, driven so that `θ = 3 sin t`, as a problem on a manifold: the state is
/// `(cos θ, sin θ, ω)`, the chart is a reference angle, and the local coordinates are `(2 tan(δ/2), ω)` with the
/// angle `δ` from the reference (Cayley–Gibbs–Rodrigues).
struct Rotor {
    system: System,
    charts: Cell<u32>,
}

impl Rotor {
    fn new() -> Self {
        Self { system: System::new(2), charts: Cell::new(0) }
    }

    fn exact(t: f64) -> [f64; 3] {
        let angle = 3.0 * t.sin();
        [angle.cos(), angle.sin(), 3.0 * t.cos()]
    }

    /// The driving torque, with a spring towards the prescribed motion.
    fn torque(t: f64, angle: f64) -> f64 {
        -3.0 * t.sin() - 4.0 * (angle - 3.0 * t.sin()).sin()
    }

    fn form(&mut self, at: Point<'_>, c: f64) {
        let [g, omega] = [at.y[0], at.y[1]];
        let angle = at.chart[0] + 2.0 * (0.5 * g).atan();
        let of_angle = -4.0 * (angle - 3.0 * at.t.sin()).cos();
        let rate = 1.0 + 0.25 * g * g;
        self.system.matrix.copy_from_slice(&[1.0 - c * 0.5 * g * omega, -c * of_angle / rate, -c * rate, 1.0]);
    }
}

impl Dae for Rotor {
    fn differential(&self) -> usize {
        2
    }
    fn algebraic(&self) -> usize {
        0
    }
    fn state_dimension(&self) -> usize {
        3
    }
    fn chart_length(&self) -> usize {
        1
    }
    fn locate(&self, state: &[f64], chart: &mut [f64], y: &mut [f64]) {
        chart[0] = state[1].atan2(state[0]);
        y.copy_from_slice(&[0.0, state[2]]);
    }
    fn state(&self, chart: &[f64], y: &[f64], state: &mut [f64]) {
        let angle = chart[0] + 2.0 * (0.5 * y[0]).atan();
        state.copy_from_slice(&[angle.cos(), angle.sin(), y[1]]);
    }
    fn recentre(&self, chart: &[f64], y: &[f64], centred: &mut [f64]) {
        self.charts.set(self.charts.get() + 1);
        centred[0] = chart[0] + 2.0 * (0.5 * y[0]).atan();
    }
    fn transport(&self, from: &[f64], to: &[f64], y: &mut [f64], rates: &mut [f64]) {
        let turned = 2.0 * (0.5 * (from[0] - to[0] + 2.0 * (0.5 * y[0]).atan())).tan();
        rates[0] *= (1.0 + 0.25 * turned * turned) / (1.0 + 0.25 * y[0] * y[0]);
        y[0] = turned;
    }
    fn follow(&mut self, d: &[f64], c: f64, y: &mut [f64]) {
        let fixed = y[0];
        for _ in 0..50 {
            y[0] = fixed - 0.25 * c * d[0] * y[0] * y[0];
        }
    }
    fn residual(&mut self, at: Point<'_>, _c: f64, residual: &mut [f64]) -> Result<(), Failure> {
        let angle = at.chart[0] + 2.0 * (0.5 * at.y[0]).atan();
        residual[0] = at.rates[0] - (1.0 + 0.25 * at.y[0] * at.y[0]) * at.y[1];
        residual[1] = at.rates[1] - Self::torque(at.t, angle);
        Ok(())
    }
    fn factorize(&mut self, at: Point<'_>, c: f64) -> Result<(), Singular> {
        self.form(at, c);
        self.system.factorize()
    }
    fn solve(&mut self, x: &mut [f64]) {
        self.system.solve(x);
    }
    fn jacobian(&mut self, at: Point<'_>, c: f64, matrix: &mut DMatrix<f64>) {
        self.form(at, c);
        matrix.copy_from(&self.system.matrix);
    }
    fn consistent(&mut self, t: f64, chart: &[f64], y: &[f64], rates: &mut [f64]) -> Result<(), Failure> {
        rates.copy_from_slice(&[(1.0 + 0.25 * y[0] * y[0]) * y[1], Self::torque(t, chart[0])]);
        Ok(())
    }
    fn kinematic(&self, _chart: &[f64], y: &[f64], rates: &mut [f64]) {
        rates.copy_from_slice(&[(1.0 + 0.25 * y[0] * y[0]) * y[1], 0.0]);
    }
}

impl Ode for Rotor {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs(&mut self, _t: f64, _y: &[f64], _dydt: &mut [f64]) -> Result<(), Failure> {
        panic!("the problem is given in implicit form")
    }
    fn form(&mut self) -> Form<'_> {
        Form::Implicit(self)
    }
}

/// Compares states inside steps with the exact ones.
#[derive(Default)]
struct Inside {
    largest: f64,
}

impl Observer for Inside {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        let (t, mut state) = (0.5 * (step.t_start + step.t_end), [0.0; 3]);
        step.within.state_at(t, &mut state).expect("no evaluation is needed");
        self.largest = self.largest.max(largest_difference(&state, &Rotor::exact(t)));
        ControlFlow::Continue(())
    }
}

/// The error at the end, and the number of charts.
fn rotor_error(method: &dyn Method, steps: u32, name: &str) -> (f64, u32) {
    let settings = Settings::fixed(2.5 / f64::from(steps));
    let task = Task { t_start: 0.0, t_end: 2.5, initial: &Rotor::exact(0.0), settings };
    let (mut rotor, mut inside) = (Rotor::new(), Inside::default());
    let solution = method.solve(Counted::new(&mut rotor), &task, &mut inside);
    assert_eq!(solution.failure, None, "{name}");
    assert!(inside.largest < 1e-2, "{name}: {:e} inside a step", inside.largest);
    (largest_difference(&solution.state, &Rotor::exact(2.5)), rotor.charts.get())
}

/// The formulas keep their orders with one chart per step, one per stage, and one per correction, fixed or moving.
/// The rotor turns further than a single chart can represent.
#[test]
fn orders_on_a_manifold() {
    let (by_stage, corrected, moving) = (Charts::Stage, Charts::Prediction, Charts::Moving);
    let cases = methods![
        SHARP;
        "lms2": Lms2 {},
        "lms4": Lms4 {},
        "ss4": Ss4 {},
        "msstc4": Msstc4 {},
        "esdirk436l2sa2": Esdirk436l2sa2 {},
        "mssth4": Mssth4 {},
        "msstc4, charts by stage": Msstc4 { charts: by_stage },
        "esdirk436l2sa2, charts by stage": Esdirk436l2sa2 { charts: by_stage },
        "lms2, charts at predictions": Lms2 { charts: corrected },
        "lms4, charts at predictions": Lms4 { charts: corrected },
        "ss4, charts at predictions": Ss4 { charts: corrected },
        "msstc4, charts at predictions": Msstc4 { charts: corrected },
        "esdirk436l2sa2, charts at predictions": Esdirk436l2sa2 { charts: corrected },
        "lms4, charts moving with predictions": Lms4 { charts: moving },
        "ss4, charts moving with predictions": Ss4 { charts: moving },
        "msstc4, charts moving with predictions": Msstc4 { charts: moving },
        "esdirk436l2sa2, charts moving with predictions": Esdirk436l2sa2 { charts: moving },
    ];
    for (name, method) in cases {
        let stages = method.implicit_stages();
        let charts_a_step = match name.rsplit(' ').next() {
            Some("stage") => stages,
            Some("predictions") => 2 * stages,
            _ => 1,
        };
        let error = |steps: u32| {
            let (error, charts) = rotor_error(&*method, steps, name);
            assert_eq!(charts, steps * charts_a_step, "{name}");
            error
        };
        let steps = if method.order() == 2 { 512 } else { 128 };
        let (order, expected) = (order(error, steps), f64::from(method.order()));
        assert!((order - expected).abs() < 0.1, "{name}: order {order:.3}, not {expected}");
    }
}
