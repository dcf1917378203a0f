//! Compares the closed forms of the test equations with matrix exponentials and an explicit method, and the local
//! error of one step of the local linearisation method with gil2013, figure 6.

use crate::common::run_with;
use approx::assert_relative_eq;
use mbsbench_integrators::Rk8;
use mbsbench_models::{LinearTest, OscillationInTime};
use mbsbench_problem::{DoubleDouble, ModelDefinition, OdeModel, Parameters, Scalar};
use nalgebra::DMatrix;
use num_dual::Dual64;

/// The matrix whose exponential the local linearisation method uses (gil2013, Eqs. 1–6): columns `∂f/∂y`, `∂f/∂t` and
/// `f` at `(t, y)` in a matrix of order `n + 2`; the further rows carry the time.
fn generator(model: &impl OdeModel, t: f64, y: &[f64]) -> DMatrix<f64> {
    let n = y.len();
    let mut generator = DMatrix::zeros(n + 2, n + 2);
    let mut rate = vec![Dual64::from(0.0); n];
    let seed = |value: f64, seeded: bool| Dual64::new(value, if seeded { 1.0 } else { 0.0 });
    for j in 0..=n {
        let seeded: Vec<_> = (0..n).map(|k| seed(y[k], k == j)).collect();
        model.rhs(seed(t, j == n), &seeded, &mut rate);
        for (i, rate) in rate.iter().enumerate() {
            generator[(i, j)] = rate.eps;
            generator[(i, n + 1)] = rate.re;
        }
    }
    generator[(n, n + 1)] = 1.0;
    generator
}

/// One step of size `h` (s) of the local linearisation method.
fn linearised(model: &impl OdeModel, t: f64, y: &[f64], h: f64) -> Vec<f64> {
    let exponential = (generator(model, t, y) * h).exp();
    (0..y.len()).map(|i| y[i] + exponential[(i, y.len() + 1)]).collect()
}

/// Error of one step from `1/π`, in 40 digits from another implementation; the components at 1e-2 have four digits.
#[test]
fn local_error_of_one_linearised_step() {
    let model = OscillationInTime::default();
    let start: Vec<f64> = model.model().initial_state();
    let error = |h: f64| {
        let step = linearised(&model, 0.0, &start, h);
        assert_relative_eq!(step[2], start[2] + h, max_relative = 1e-15);
        let exact = OscillationInTime::exact(start[2] + h);
        [exact[0] - step[0], exact[1] - step[1]]
    };
    let norms = [
        (1e-3, 2.251_866e-7),
        (2e-3, 1.794_426e-6),
        (5e-3, 2.771_050e-5),
        (1e-2, 2.174_177e-4),
        (5e-2, 2.340_331e-2),
        (1e-1, 1.571_873e-1),
    ];
    for (h, expected) in norms {
        let [e1, e2] = error(h);
        // half a unit of the last digit of the smallest mantissa, and roundoff
        assert!((e1.hypot(e2) - expected).abs() < 5e-7 * expected + 2e-15, "{h}: {:e}", e1.hypot(e2));
    }
    let [e1, e2] = error(1e-2);
    assert!((e1 - 1.061e-4).abs() < 0.51e-7 && (e2 + 1.898e-4).abs() < 0.51e-7, "{e1:e} {e2:e}");
}

#[test]
fn oscillation_has_its_initial_state() {
    let model = OscillationInTime::default().model();
    let start: Vec<f64> = model.initial_state();
    assert_eq!(start, [0.0, -1.0, 1.0 / std::f64::consts::PI]);
    let precise: Vec<DoubleDouble> = model.initial_state();
    let inverse = precise[2] * DoubleDouble::pi();
    assert!((inverse - 1.0).value().abs() < 1e-30, "{inverse:?}");
    for half_turns in 1..6 {
        let definition = OscillationInTime { half_turns };
        definition.check().unwrap();
        let y: Vec<f64> = definition.model().initial_state();
        let exact = OscillationInTime::exact(y[2]);
        // the sine of a number that is nearly a multiple of π has the roundoff of that number
        assert!((y[0] - exact[0]).abs() < 4e-15 && (y[1] - exact[1]).abs() < 1e-15, "{y:?} {exact:?}");
    }
}

/// The span of the paper's equation, from `1/π` to one.
#[test]
fn oscillation_follows_its_closed_form() {
    for half_turns in [1, 4] {
        let model = OscillationInTime { half_turns };
        let start: Vec<f64> = model.model().initial_state();
        let record = run_with::<Rk8>(&model, 2f64.powi(-11), 1.0 - start[2]);
        // the roundoff of the initial state grows with the derivative of 1/t
        assert!(record.largest("error") < 1e-12, "{:e}", record.largest("error"));
        let last = record.rows.last().expect("some steps");
        assert_relative_eq!(last[3], f64::sin(1.0 / last[2]), max_relative = 1e-15);
        assert_relative_eq!(last[4], f64::cos(1.0 / last[2]), max_relative = 1e-15);
    }
}

fn linear_tests() -> Vec<LinearTest> {
    let default = LinearTest::default();
    let ramp = LinearTest { ramp_1: 3.0, ramp_2: -2.0, constant_1: -1.0, constant_2: 4.0, ..default.clone() };
    vec![
        LinearTest { rate: -100.0, frequency: 0.0, ..default.clone() },
        LinearTest { rate: 0.0, frequency: 100.0, ..default.clone() },
        LinearTest { rate: 1.0, ..default.clone() },
        default,
        LinearTest { initial_2: -0.4, ..ramp.clone() },
        LinearTest { rate: 0.0, frequency: 0.0, ..ramp.clone() },
        LinearTest { rate: 1e-5, frequency: 1e-7, ..ramp.clone() },
        LinearTest { rate: 0.3, frequency: 0.0, ..ramp },
    ]
}

/// One step of the local linearisation method, of any size, gives the solution.
#[test]
fn linear_tests_have_no_error_of_linearisation() {
    for model in linear_tests() {
        model.check().unwrap();
        for (from, to) in [(0.0, 0.02), (0.0, 0.5), (0.3, 1.0)] {
            let start = model.exact(from);
            let step = linearised(&model, from, &start, to - from);
            let exact = model.exact(to);
            // The roundoff of the exponential is that of the norm of the generator times the step, some hundreds.
            let scale = start[0].hypot(start[1]).max(exact[0].hypot(exact[1])).max(1e-3);
            for k in 0..2 {
                assert!((step[k] - exact[k]).abs() < 2e-13 * scale, "{model:?} {from} {to}: {step:?} {exact:?}");
            }
        }
    }
}

#[test]
fn linear_tests_follow_their_closed_forms() {
    for model in linear_tests() {
        let record = run_with::<Rk8>(&model, 2f64.powi(-10), 0.5);
        assert!(record.largest("error") < 1e-11, "{model:?}: {:e}", record.largest("error"));
        let last = record.rows.last().expect("some steps");
        assert_eq!([last[2], last[3]], model.exact(0.5));
        assert_relative_eq!(record.at("relative_error", 0.5) * last[2].hypot(last[3]), record.at("error", 0.5));
    }
}
