//! Compares the squeezer in origins and momenta with dual numbers, with the equations of centres of mass, and with
//! motions of the code that has these unknowns.

use std::array::from_fn;

use crate::common::{Record, run, run_with};
use approx::assert_relative_eq;
use mbsbench_integrators::Rk8;
use mbsbench_integrators::implicit::{
    Bathe, Charts, Esdirk324l2sa, Esdirk436l2sa2, InitialDerivatives, Lms4, Mssth3, Mssth4,
};
use mbsbench_models::squeezer::{Rotations, SqueezerBodies, SqueezerEquations, SqueezerMomenta};
use mbsbench_models::{Squeezer, SqueezerFormulation};
use mbsbench_problem::dae::Point;
use mbsbench_problem::{
    AccelerationLevel, Dae, Form, Formulated, MechanicsOf, Method, MethodDefinition, ModelDefinition, Ode,
};
use nalgebra::{DMatrix, DVector};
use num_dual::{Dual, Dual64};
use proptest::collection::vec;
use proptest::prelude::*;

const ROTATIONS: [Rotations; 2] = [Rotations::Angles, Rotations::Rodrigues];
const C: f64 = 1.7e-4;
/// Number of differential unknowns, and of all unknowns.
const N: usize = 42;
const ALL: usize = 62;

fn bodies() -> SqueezerBodies {
    SqueezerBodies(Squeezer::default())
}

/// The state `(q ; v)` of centres of mass on the motion with the given crank angle and rate.
fn state(model: &SqueezerBodies, beta: f64, omega: f64) -> Vec<f64> {
    let q = model.coordinates_at(&model.squeezer().angles_at(Dual64::new(beta, omega)));
    q.iter().map(|q| q.re).chain(q.iter().map(|q| q.eps)).collect()
}

/// Newton's matrix by dual numbers: `y = ŷ + c y'` changes with `y'`.
fn by_duals(rotations: Rotations, chart: &[f64], y: &[f64], rates: &[f64]) -> DMatrix<f64> {
    let model = bodies();
    let mut dae = SqueezerMomenta::<Dual64>::new(&model, rotations);
    let chart: Vec<_> = chart.iter().map(|&x| Dual::from_re(x)).collect();
    let mut matrix = DMatrix::zeros(ALL, ALL);
    let mut residual = vec![Dual::from_re(0.0); ALL];
    for k in 0..ALL {
        let seeded = |values: &[f64], direction: f64| -> Vec<_> {
            values.iter().enumerate().map(|(i, &x)| Dual::new(x, if i == k { direction } else { 0.0 })).collect()
        };
        let (y, rates) = (seeded(y, C), seeded(rates, 1.0));
        let at = Point { t: Dual::from_re(0.0), chart: &chart, y: &y, rates: &rates };
        dae.residual(at, Dual::from_re(C), &mut residual).expect("it exists");
        matrix.column_mut(k).iter_mut().zip(&residual).for_each(|(entry, row)| *entry = row.eps);
    }
    matrix
}

proptest! {
    #[test]
    fn the_matrix_is_the_derivative(
        chart in vec(-3.0..3.0f64, 7),
        y in vec(-0.5..0.5f64, N),
        rates in vec(-100.0..100.0f64, ALL),
    ) {
        let model = bodies();
        for rotations in ROTATIONS {
            let mut dae = SqueezerMomenta::new(&model, rotations);
            let at = Point { t: 0.0, chart: &chart, y: &y, rates: &rates };
            let mut matrix = DMatrix::from_element(ALL, ALL, f64::NAN);
            Dae::jacobian(&mut dae, at, C, &mut matrix);
            let expected = by_duals(rotations, &chart, &y, &rates);
            // roundoff of entries up to 100
            assert_relative_eq!(&matrix, &expected, max_relative = 1e-12, epsilon = 1e-14);
            let right: Vec<f64> = (0..ALL).map(|i| (i as f64).sin()).collect();
            let mut solution = right.clone();
            dae.factorize(at, C).expect("regular");
            dae.solve(&mut solution);
            let back = &matrix * DVector::from_vec(solution.clone());
            let scale = solution.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
            for (back, right) in back.iter().zip(&right) {
                prop_assert!((back - right).abs() < 1e-10 * scale, "{back} for {right}, of {scale:e}");
            }
        }
    }

    /// The residual vanishes if the motion satisfies the equations in centres of mass, with their multipliers.
    #[test]
    fn consistent_rates_satisfy_the_equations(beta in -20.0..20.0f64, omega in -1e3..1e3f64) {
        let model = bodies();
        let state = state(&model, beta, omega);
        for rotations in ROTATIONS {
            let mut dae = SqueezerMomenta::new(&model, rotations);
            let (mut chart, mut y, mut rates) = ([f64::NAN; 7], [f64::NAN; N], [f64::NAN; ALL]);
            dae.locate(&state, &mut chart, &mut y);
            dae.consistent(0.0, &chart, &y, &mut rates).expect("regular");
            let mut residual = [f64::NAN; ALL];
            dae.residual(Point { t: 0.0, chart: &chart, y: &y, rates: &rates }, 1.0, &mut residual).expect("it exists");
            let scale = rates.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
            prop_assert!(residual.iter().all(|row| row.abs() < 1e-14 * scale), "{residual:?} of {scale:e}");
            let mut explicit = AccelerationLevel::new(MechanicsOf::new(&model));
            explicit.rhs(0.0, &state, &mut [f64::NAN; N]).expect("regular");
            for (found, expected) in rates[N..].iter().zip(explicit.multipliers()) {
                prop_assert!((found - expected).abs() < 1e-12 * scale, "λ = {found} for {expected}");
            }
            let mut kinematic = [f64::NAN; ALL];
            dae.kinematic(&chart, &y, &mut kinematic);
            for (k, (kinematic, rate)) in kinematic.into_iter().zip(rates).enumerate() {
                let expected = if k < N / 2 { rate } else { 0.0 };
                prop_assert!((kinematic - expected).abs() < 1e-11 * omega.abs().max(1.0), "{kinematic} for {expected}");
            }
        }
    }

    /// Positions and velocities of a point are the same in any chart.
    #[test]
    fn charts_describe_the_same_motion(
        beta in -20.0..20.0f64, omega in -1e3..1e3f64, turns in vec(-1.5..1.5f64, 7), g in vec(-0.7..0.7f64, 7),
    ) {
        let model = bodies();
        for rotations in ROTATIONS {
            let dae = SqueezerMomenta::<Dual64>::new(&model, rotations);
            let state: Vec<_> = state(&model, beta, omega).into_iter().map(Dual::from_re).collect();
            let (mut chart, mut y) = ([Dual::from_re(f64::NAN); 7], [Dual::from_re(f64::NAN); N]);
            dae.locate(&state, &mut chart, &mut y);
            let mut rates: [Dual64; N] = from_fn(|k| Dual::from_re((k as f64).cos()));
            for (body, &g) in g.iter().enumerate() {
                y[3 * body + 2].re = g;
            }
            // the state along the rates, before and after the change of charts
            let along = |y: &[Dual64; N], rates: &[Dual64; N]| from_fn(|k| Dual::new(y[k].re, rates[k].re));
            let shown = |chart: &[Dual64], y: [Dual64; N]| {
                let mut shown = [Dual::from_re(f64::NAN); N];
                dae.state(chart, &y, &mut shown);
                shown
            };
            let before = shown(&chart, along(&y, &rates));
            let to: [Dual64; 7] = from_fn(|body| chart[body] + turns[body]);
            dae.transport(&chart, &to, &mut y, &mut rates);
            let after = shown(&to, along(&y, &rates));
            // Velocities are sums of terms that are proportional to `omega`, and may cancel.
            let rounding = 1e-14 * omega.abs().max(1.0);
            for (before, after) in before.iter().zip(&after) {
                assert_relative_eq!(before.re, after.re, max_relative = 1e-12, epsilon = rounding);
                assert_relative_eq!(before.eps, after.eps, max_relative = 1e-12, epsilon = 1e-12);
            }
            let mut centred = to;
            dae.recentre(&to, &y, &mut centred);
            for (body, centred) in centred.iter().enumerate() {
                assert_relative_eq!(centred.re, after[3 * body + 2].re, max_relative = 1e-14, epsilon = 1e-14);
            }
        }
    }

    #[test]
    fn states_round_trip(beta in -20.0..20.0f64, omega in -1e3..1e3f64) {
        let model = bodies();
        let state = state(&model, beta, omega);
        let dae = SqueezerMomenta::<f64>::new(&model, Rotations::Rodrigues);
        let (mut chart, mut y, mut back) = ([f64::NAN; 7], [f64::NAN; N], [f64::NAN; N]);
        dae.locate(&state, &mut chart, &mut y);
        dae.state(&chart, &y, &mut back);
        for (state, back) in state.iter().zip(back) {
            assert_relative_eq!(*state, back, max_relative = 1e-12, epsilon = 1e-13 * omega.abs().max(1.0));
        }
    }
}

fn model(rotations: Rotations) -> Squeezer {
    Squeezer { formulation: SqueezerFormulation::Momenta(rotations), ..Squeezer::default() }
}

/// The motion equals that in the angles: to 1e-8 by extrapolation from two small steps, with energy and constraints
/// conserved. The formula of order four has order two here, because positions are constrained.
#[test]
fn small_steps_give_the_same_motion() {
    let t_end = 0.01;
    let angles = run_with::<Rk8>(&Squeezer::default(), 1e-5, t_end);
    let method = Esdirk436l2sa2 { newton_tolerance: 1e-10, ..Default::default() }.method();
    for rotations in ROTATIONS {
        let [whole, half] = [5e-6, 2.5e-6].map(|step| run(&*model(rotations).model(), &*method, step, t_end));
        let extrapolated = |name: &str| (4.0 * half.at(name, t_end) - whole.at(name, t_end)) / 3.0;
        for name in ["beta", "theta", "gamma", "phi", "delta", "omega", "phi_rate", "x_d", "y_h", "energy"] {
            let (found, expected) = (extrapolated(name), angles.at(name, t_end));
            assert!((found / expected - 1.0).abs() < 1e-8, "{name}: {found} against {expected}");
        }
        assert!(extrapolated("energy_balance").abs() < 1e-9, "{:e} J", extrapolated("energy_balance"));
        assert!(half.largest("constraint") < 1e-14, "{:e} m", half.largest("constraint"));
    }
}

/// Explicit methods solve for the accelerations of the same state; the mechanics in index-3 form are not available.
#[test]
fn explicit_equations_match_the_centres_of_mass() {
    let cartesian = Squeezer { formulation: SqueezerFormulation::Cartesian, ..Squeezer::default() };
    let [one, other] = [cartesian, model(Rotations::Rodrigues)].map(|model| run_with::<Rk8>(&model, 1e-5, 1e-3));
    assert_eq!(one.rows, other.rows);
    let model = model(Rotations::Rodrigues).model();
    let mut ode = Formulated::<f64>::ode(&*model);
    assert!(matches!(ode.form(), Form::Implicit(_)));
}

/// Largest error of ω at the ends of steps on [0, 0.05] s, rad/s, with steps of 1e-4 s for each stage.
fn largest_error(exact: &Record, method: &dyn Method) -> f64 {
    let stages = f64::from(method.implicit_stages());
    let record = run(&*model(Rotations::Rodrigues).model(), method, 1e-4 * stages, 0.05);
    let ends = record.times.iter().zip(record.column("omega"));
    // the last step may go beyond the span
    ends.filter(|&(&t, _)| t < 0.05 + 1e-9).map(|(&t, omega)| (omega - exact.at("omega", t)).abs()).fold(0.0, f64::max)
}

/// Errors of the code behind zhang2022 on its own input, 2025: largest errors of figures 9 and 10, in its unknowns
/// and with its charts, from consistent initial derivatives and from zero ones.
#[test]
fn the_published_code_has_these_errors() {
    let exact = run_with::<Rk8>(&Squeezer::default(), 1e-5, 0.05);
    macro_rules! error {
        ($type:ident { $($field:ident: $value:expr),* }, $initial:ident) => {{
            let initial_derivatives = InitialDerivatives::$initial;
            let charts = Charts::Prediction;
            let method = $type { $($field: $value,)* charts, initial_derivatives, ..$type::default() };
            largest_error(&exact, &*method.method())
        }};
    }
    for (name, found, expected) in [
        ("MSSTH(3)", error!(Mssth3 { rho_inf: 0.0 }, Consistent), 282.0),
        ("MSSTH(4)", error!(Mssth4 { rho_inf: 0.0 }, Consistent), 395.0),
        ("ESDIRK3(2)4L[2]SA", error!(Esdirk324l2sa {}, Consistent), 294.0),
        ("Bathe", error!(Bathe { rho_inf: 0.6 }, Consistent), 141.0),
        ("LMS4", error!(Lms4 { rho_inf: 0.6 }, Consistent), 6.0),
        ("MSSTH(3)", error!(Mssth3 { rho_inf: 0.0 }, Zero), 262.0),
        ("MSSTH(4)", error!(Mssth4 { rho_inf: 0.0 }, Zero), 392.0),
        ("ESDIRK3(2)4L[2]SA", error!(Esdirk324l2sa {}, Zero), 277.0),
        ("Bathe", error!(Bathe { rho_inf: 0.6 }, Zero), 154.0),
    ] {
        // its reference with zero derivatives is late by 5e-7 s, which changes ω by up to 0.6 rad/s
        assert!((found - expected).abs() < 1.2, "{name}: {found} rad/s against {expected}");
    }
}
