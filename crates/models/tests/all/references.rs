//! Reference states in double-double arithmetic: each is computed by two unrelated methods, Fehlberg's eighth-order
//! formula and extrapolation of the modified midpoint rule, which must agree to 18 digits.
//!
//! No state is a stored constant; the test computes both and prints the state on which they agree (`cargo test
//! --release -p mbsbench-models --test all references -- --nocapture`).

#![allow(clippy::print_stdout)] // the agreed states are what this test is run for

use crate::common;

use crate::common::swing::Swing;
use crate::common::{pendulum, spheres};
use mbsbench_integrators::{Gbs, Rk8};
use mbsbench_models::{
    FlexibleSliderCrank, LinkageFormulation, SliderCrank, Squeezer, SqueezerStart, StiffDoublePendulum,
};
use mbsbench_problem::{
    Counted, DoubleDouble, Formulated, Formulation, MethodDefinition, Model, ModelDefinition, Scalar, Settings, Silent,
    Task,
};
use num_dual::DualNum;

fn state(model: &dyn Model, definition: &impl MethodDefinition, step: f64, t_end: f64) -> Vec<DoubleDouble> {
    let method = definition.precise().expect("it works in double-double");
    let initial: Vec<DoubleDouble> = Formulated::<DoubleDouble>::initial_state(model);
    let mut ode = Formulated::<DoubleDouble>::ode(model);
    let task = Task {
        t_start: DoubleDouble::from(0.0),
        t_end: DoubleDouble::from(t_end),
        initial: &initial,
        settings: Settings::fixed(step),
    };
    let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    solution.state
}

/// Digits to which the states agree, relative to the component or one, whichever is larger.
fn agreed_digits(a: &[DoubleDouble], b: &[DoubleDouble]) -> f64 {
    let largest = a.iter().zip(b).map(|(a, b)| (*a - *b).value().abs() / a.value().abs().max(1.0)).fold(0.0, f64::max);
    -largest.log10()
}

fn agree(name: &str, model: &dyn Model, step: f64, t_end: f64) -> Vec<DoubleDouble> {
    let one_step = state(model, &Rk8::default(), step, t_end);
    let extrapolated = state(model, &Gbs { order: 16 }, 8.0 * step, t_end);
    let digits = agreed_digits(&one_step, &extrapolated);
    println!("{name} at t = {t_end} s, {digits:.1} digits agreed:");
    for x in &extrapolated {
        println!("    {x:?}");
    }
    assert!(digits >= 18.0, "{name}: {digits} digits");
    extrapolated
}

#[test]
fn pendulum_at_5_s() {
    let model = pendulum(Formulation::Minimal).model();
    let reference = agree("pendulum", &*model, 2f64.powi(-9), 5.0);
    // A third, unrelated method: elliptic functions, limited by sines and cosines of double-doubles, which are
    // accurate to 1e-21 and whose errors grow about tenfold in the transformations.
    let frequency = (DoubleDouble::from(9.81) * 3.0 / 2.0).sqrt();
    let theta = DoubleDouble::from(20.0) * DoubleDouble::pi() / 180.0;
    let swing = Swing::new(frequency, theta, DoubleDouble::from(1.0)).expect("it swings");
    let (theta, omega) = swing.at(DoubleDouble::from(5.0));
    let digits = agreed_digits(&reference, &[theta, omega]);
    println!("    {digits:.1} digits agreed with the elliptic functions");
    assert!(digits >= 18.0, "{digits} digits");
}

#[test]
fn spheres_at_8_s() {
    let model = spheres(Formulation::Minimal).model();
    agree("rolling spheres", &*model, 2f64.powi(-9), 8.0);
}

/// Both readings of the start: crank down, and crank across with the spring unstrained at the slider's position.
#[test]
fn slider_cranks_at_2_s() {
    let minimal = SliderCrank { formulation: LinkageFormulation::Minimal, ..SliderCrank::default() };
    agree("slider crank, down", &*minimal.model(), 2f64.powi(-10), 2.0);
    let across = SliderCrank { crank_angle: std::f64::consts::PI, free_position: 0.3, ..minimal };
    agree("slider crank, across", &*across.model(), 2f64.powi(-10), 2.0);
}

/// The second mode, 6658 rad/s, requires these steps for extrapolation, whose first column is two steps of
/// the midpoint rule.
#[test]
fn flexible_slider_cranks_at_half_a_second() {
    let minimal = FlexibleSliderCrank { formulation: LinkageFormulation::Minimal, ..FlexibleSliderCrank::default() };
    agree("flexible slider crank, down", &*minimal.model(), 2f64.powi(-16), 0.5);
    let across = FlexibleSliderCrank { crank_angle: std::f64::consts::PI, ..minimal };
    agree("flexible slider crank, across", &*across.model(), 2f64.powi(-16), 0.5);
}

/// The spring's mode has 242.76 rad/s. Ten digits of the angles are those of another implementation, in body
/// coordinates and by the pair of Dormand and Prince.
#[test]
fn stiff_double_pendulum_at_5_s() {
    let minimal = StiffDoublePendulum { formulation: LinkageFormulation::Minimal, ..StiffDoublePendulum::default() };
    let state = agree("stiff double pendulum", &*minimal.model(), 2f64.powi(-14), 5.0);
    for (found, expected) in state.iter().zip([-2.015_246_115, -2.015_314_502]) {
        assert!((found.value() - expected).abs() < 0.51e-9, "{found:?} instead of {expected}");
    }
}

/// Both starts, in the seven angles at acceleration level, which is not stabilised: the constraints stay as accurate
/// as the steps. Ten digits of the crank at the end are those of another implementation.
#[test]
fn squeezers_at_30_ms() {
    let paper = Squeezer::default();
    let state = agree("squeezer", &*paper.model(), 2f64.powi(-17), 0.03);
    assert!((state[0].value() - 15.800_174_670_7).abs() < 1e-9, "{:?}", state[0]);
    let test_set = Squeezer { start: SqueezerStart::TestSet, ..paper };
    let state = agree("squeezer of the test set", &*test_set.model(), 2f64.powi(-17), 0.03);
    assert!((state[0].value() - 15.810_771_195_16).abs() < 1e-9, "{:?}", state[0]);
}

/// The references are for minimal formulations; the sliding-mode form in double-double arithmetic reaches
/// the same state.
#[test]
fn sliding_mode_form_in_double_double() {
    let minimal = state(&*spheres(Formulation::Minimal).model(), &Gbs { order: 16 }, 0.05, 1.0);
    let hybrid = state(&*spheres(common::sliding(|_| ())).model(), &Gbs { order: 16 }, 0.05, 1.0);
    let same = [&hybrid[1..6], &hybrid[9..]].concat();
    // ρ(0) = 0.6 and R + r differ by the roundoff of these doubles, 1e-17. The first correction removes this from ρ,
    // and the other coordinates are not affected: only ρ̈ depends on it to first order.
    let digits = agreed_digits(&minimal, &same);
    assert!(digits >= 18.0, "{digits} digits");
}
