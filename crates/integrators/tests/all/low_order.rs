//! The low-order formulas for constrained mechanics: orders by class of component, violation of the velocity
//! constraints, and equality of the solutions with and without elimination of unknowns.

use crate::common::constrained::{GRAVITY, Manufactured, Pendulum, Record, StiffDoublePendulum, record, solve};
use mbsbench_integrators::low_order::{FirstGuess, JacobianUse, LinearAlgebra, MassAt, NewtonSettings, PairAlgebra};
use mbsbench_integrators::{
    GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HhtAdd, HhtI3, HhtSi2, Newmark, Nstiff, NstiffSi2,
};
use mbsbench_problem::{Failure, Method, MethodDefinition, Settings, Silent, Solution};

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Largest errors of positions, velocities and multipliers over the second half of the run.
fn errors(model: &Manufactured, method: &dyn Method, steps: u32) -> [f64; 3] {
    let (_, record) = record(model, method, &Manufactured::exact(0.0), 2.0, steps);
    let mut errors = [0.0f64; 3];
    for (i, &t) in record.times.iter().enumerate().filter(|&(_, &t)| t > 1.0) {
        let (exact, state) = (Manufactured::exact(t), &record.states[i]);
        errors[0] = errors[0].max(largest_difference(&state[..3], &exact[..3]));
        errors[1] = errors[1].max(largest_difference(&state[3..], &exact[3..]));
        errors[2] = errors[2].max(largest_difference(&record.multipliers[i], &model.multipliers(t)));
    }
    errors
}

/// Checks that measured orders lie within 0.1 of the expected ones, to allow for the next term of the error expansion.
fn check_orders(name: &str, method: &dyn Method, constrained: bool, expected: [f64; 3]) {
    let model = Manufactured { constrained };
    let (coarse, fine) = (errors(&model, method, 1024), errors(&model, method, 2048));
    let classes = if constrained { 3 } else { 2 };
    for i in 0..classes {
        let order = (coarse[i] / fine[i]).log2();
        assert!((order - expected[i]).abs() < 0.1, "{name}: class {i}, order {order:.3}, not {}", expected[i]);
    }
}

#[test]
fn orders_of_positions_velocities_and_multipliers() {
    let (first, second, added) = ([1.0; 3], [2.0; 3], [2.0, 2.0, 1.0]);
    let even = Newmark { gamma: 0.5, beta: Some(0.4), ..Newmark::default() };
    let shifted = HhtI3 { mass: MassAt::Shifted, ..HhtI3::default() };
    check_orders("newmark", &*Newmark::default().method(), true, first);
    // Accelerations in the directions of constraint forces satisfy a recurrence with the polynomial β z² + (1/2 + γ − 2
    // β) z + 1/2 − γ + β, whose roots lie on the unit circle here: errors of λ from the first steps are not damped.
    check_orders("newmark, γ = 1/2, β = 0.4", &*even.method(), true, added);
    check_orders("hht-i3 as printed", &*HhtI3::default().method(), true, first);
    check_orders("hht-i3, shifted mass", &*shifted.method(), true, second);
    check_orders("nstiff", &*Nstiff::default().method(), true, second);
    check_orders("hht-si2", &*HhtSi2::default().method(), true, second);
    check_orders("nstiff-si2", &*NstiffSi2::default().method(), true, second);
    for rho_inf in [0.0, 0.5, 0.8] {
        let generalized = GeneralizedAlpha { rho_inf, ..GeneralizedAlpha::default() };
        check_orders(&format!("generalized-alpha, ρ = {rho_inf}"), &*generalized.method(), true, second);
        let velocities = GeneralizedAlphaI2 { rho_inf, ..GeneralizedAlphaI2::default() };
        check_orders(&format!("generalized-alpha-i2, ρ = {rho_inf}"), &*velocities.method(), true, second);
        let both = GeneralizedAlphaSi2 { rho_inf, ..GeneralizedAlphaSi2::default() };
        check_orders(&format!("generalized-alpha-si2, ρ = {rho_inf}"), &*both.method(), true, second);
    }
    for b in [0.0, 1.0 / 3.0, 1.0] {
        check_orders(&format!("hht-add, b = {b}"), &*HhtAdd { b, ..HhtAdd::default() }.method(), true, added);
    }
}

#[test]
fn orders_without_constraints() {
    let (first, second) = ([1.0; 3], [2.0; 3]);
    let shifted = HhtI3 { mass: MassAt::Shifted, ..HhtI3::default() };
    check_orders("newmark", &*Newmark::default().method(), false, first);
    check_orders("hht-i3, shifted mass", &*shifted.method(), false, second);
    check_orders("nstiff", &*Nstiff::default().method(), false, second);
    check_orders("generalized-alpha", &*GeneralizedAlpha::default().method(), false, second);
    check_orders("generalized-alpha-i2", &*GeneralizedAlphaI2::default().method(), false, second);
    check_orders("generalized-alpha-si2", &*GeneralizedAlphaSi2::default().method(), false, second);
    check_orders("hht-add", &*HhtAdd::default().method(), false, second);
    check_orders("hht-si2", &*HhtSi2::default().method(), false, second);
    check_orders("nstiff-si2", &*NstiffSi2::default().method(), false, second);
}

/// `J v = C h² J q'''` (largest deviation relative to the largest violation), where on the circle
/// `J q''' = −6 v·v' = 6 g v_y`; the first steps, in which errors from the start decay, are skipped.
fn drift_deviation(method: &dyn Method, constant: f64, steps: u32) -> f64 {
    let (_, record) = record(&Pendulum, method, &Pendulum::START, 2.0, steps);
    let h = 2.0 / f64::from(steps);
    let (mut deviation, mut size) = (0.0f64, 0.0f64);
    for state in &record.states[100..] {
        let violation = 2.0 * (state[0] * state[2] + state[1] * state[3]);
        let law = constant * h * h * 6.0 * GRAVITY * state[3];
        (deviation, size) = (deviation.max((violation - law).abs()), size.max(law.abs()));
    }
    deviation / size
}

#[test]
fn velocity_constraint_drift_follows_its_law() {
    let newmark = |gamma: f64, beta: f64| 1.0 / 6.0 + 0.5 * (gamma - 0.5) - beta;
    let hht = |alpha: f64| newmark(0.5 - alpha, 0.25 * (1.0 - alpha) * (1.0 - alpha));
    let mild = HhtI3 { alpha: -0.05, ..HhtI3::default() };
    // At these steps both the next term, O(h), and the rounding of positions, O(1/h³) relative to the law, are small.
    // γ = 1/2 − α_m + α_f, with β of Newmark's formulas
    let generalized = |rho: f64| 0.5 + (1.0 - rho) / (1.0 + rho);
    let law = |rho: f64| newmark(generalized(rho), 0.25 * (generalized(rho) + 0.5) * (generalized(rho) + 0.5));
    let strong = GeneralizedAlpha { rho_inf: 0.5, ..GeneralizedAlpha::default() };
    let cases: [(&str, Box<dyn Method>, f64, u32); 6] = [
        ("generalized-alpha", GeneralizedAlpha::default().method(), law(0.8), 8192),
        ("generalized-alpha, ρ = 0.5", strong.method(), law(0.5), 8192),
        ("newmark", Newmark::default().method(), newmark(0.7, 0.36), 16384),
        ("hht-i3", HhtI3::default().method(), hht(-0.3), 16384),
        ("hht-i3, α = −0.05", mild.method(), hht(-0.05), 8192),
        ("nstiff", Nstiff::default().method(), -1.0 / 3.0, 32768),
    ];
    for (name, method, constant, steps) in cases {
        let deviation = drift_deviation(&*method, constant, steps);
        assert!(deviation < 1e-3, "{name}: {deviation:e}");
    }
}

#[test]
fn constraints_hold_to_rounding() {
    let cases: [(Box<dyn Method>, bool); 8] = [
        (GeneralizedAlpha::default().method(), false),
        (Newmark::default().method(), false),
        (HhtI3::default().method(), false),
        (Nstiff::default().method(), false),
        (HhtAdd::default().method(), true),
        (HhtSi2::default().method(), true),
        (NstiffSi2::default().method(), true),
        (GeneralizedAlphaSi2::default().method(), true),
    ];
    for (i, (method, velocities)) in cases.iter().enumerate() {
        let (_, record) = record(&Pendulum, &**method, &Pendulum::START, 5.0, 5120);
        for state in &record.states {
            let position = state[0] * state[0] + state[1] * state[1] - 1.0;
            assert!(position.abs() < 1e-14, "method {i}: {position:e}");
            let velocity = 2.0 * (state[0] * state[2] + state[1] * state[3]);
            assert!(!velocities || velocity.abs() < 1e-13, "method {i}: {velocity:e}");
        }
    }
}

/// With constraints on velocities only, these hold to rounding, and positions drift with the order of the method.
#[test]
fn positions_drift_if_only_velocities_are_constrained() {
    let drift = |steps: u32| {
        let method = GeneralizedAlphaI2::default().method();
        let (_, record) = record(&Pendulum, &*method, &Pendulum::START, 5.0, steps);
        let violations = |state: &Vec<f64>| {
            [state[0] * state[0] + state[1] * state[1] - 1.0, 2.0 * (state[0] * state[2] + state[1] * state[3])]
        };
        let largest = |k: usize| record.states.iter().map(|state| violations(state)[k].abs()).fold(0.0, f64::max);
        assert!(largest(1) < 1e-12, "{:e}", largest(1));
        largest(0)
    };
    let order = (drift(1280) / drift(2560)).log2();
    assert!((order - 2.0).abs() < 0.1, "{order:.3}");
}

/// Checks that the eliminated and the dense system, and Newton's method with a matrix kept over a step, have the same
/// solution, with at most `more` additional iterations.
fn check_same_solution<D: MethodDefinition>(dense: &D, structured: &D, modified: &D, more: u64) {
    let compare = |a: &[f64], b: &[f64], what: &str, bound: f64| {
        let difference = largest_difference(a, b);
        assert!(difference < bound, "{}, {what}: {difference:e}", D::NAME);
    };
    let run = |definition: &D, pendulum: bool| {
        let method = definition.method();
        if pendulum {
            record(&Pendulum, &*method, &Pendulum::START, 2.0, 128)
        } else {
            record(&Manufactured { constrained: true }, &*method, &Manufactured::exact(0.0), 2.0, 128)
        }
    };
    for pendulum in [false, true] {
        let [dense, structured, modified] = [dense, structured, modified].map(|definition| run(definition, pendulum));
        let iterations = [&dense, &structured, &modified].map(|run| run.0.statistics.newton_iterations);
        for (other, what) in [(&structured, "structured"), (&modified, "modified")] {
            compare(&dense.0.state, &other.0.state, what, 1e-12);
            let last = dense.1.multipliers.len() - 1;
            // λ changes with the accelerations, whose last correction is below 1e-12
            compare(&dense.1.multipliers[last], &other.1.multipliers[last], what, 1e-9);
        }
        let dense = iterations[0];
        assert!((dense - 2..=dense + more).contains(&iterations[1]), "{iterations:?}");
    }
}

#[test]
fn elimination_leaves_the_solution_unchanged() {
    let newton = NewtonSettings { tolerance: 1e-12, ..NewtonSettings::default() };
    let kept = NewtonSettings { jacobian: JacobianUse::Modified, ..newton };
    let dense = LinearAlgebra::Dense;
    // At such large steps and with this tolerance, kept blocks cost one further iteration per step, and a shared matrix
    // two.
    let (rounding, kept_blocks, shared_matrix) = (2, 128, 256);
    let exact = HhtSi2 { newton, linear_algebra: PairAlgebra::Dense, ..HhtSi2::default() };
    let structured = HhtSi2 { linear_algebra: PairAlgebra::Structured, ..exact };
    check_same_solution(&exact, &structured, &HhtSi2 { newton: kept, ..structured }, kept_blocks);
    let shared = HhtSi2 { linear_algebra: PairAlgebra::Shared, ..exact };
    check_same_solution(&exact, &shared, &HhtSi2 { newton: kept, ..shared }, shared_matrix);
    let bdf = NstiffSi2 { newton, ..NstiffSi2::default() };
    check_same_solution(
        &NstiffSi2 { linear_algebra: dense, ..bdf },
        &bdf,
        &NstiffSi2 { newton: kept, ..bdf },
        kept_blocks,
    );
    let generalized = GeneralizedAlphaSi2 { newton, ..GeneralizedAlphaSi2::default() };
    check_same_solution(
        &GeneralizedAlphaSi2 { linear_algebra: dense, ..generalized },
        &generalized,
        &GeneralizedAlphaSi2 { newton: kept, ..generalized },
        kept_blocks,
    );
    let velocities = GeneralizedAlphaI2 { newton, ..GeneralizedAlphaI2::default() };
    check_same_solution(&velocities, &velocities, &GeneralizedAlphaI2 { newton: kept, ..velocities }, rounding);
    for b in [0.0, 1.0 / 3.0, 1.0] {
        let added = HhtAdd { b, newton, linear_algebra: PairAlgebra::Structured, ..HhtAdd::default() };
        check_same_solution(
            &HhtAdd { linear_algebra: PairAlgebra::Dense, ..added },
            &added,
            &HhtAdd { newton: kept, ..added },
            rounding,
        );
    }
    let plain = HhtI3 { newton, ..HhtI3::default() };
    check_same_solution(&plain, &plain, &HhtI3 { newton: kept, ..plain }, rounding);
}

/// Initial algorithmic accelerations are accelerations at an earlier time, to O(h²), so that the velocities of the
/// first step have an error O(h³). Multipliers begin with an error O(h), because initial velocities satisfy their
/// constraints and later ones do not, unless the formula imposes the velocity constraints.
#[test]
fn generalized_alpha_starts_with_shifted_accelerations() {
    for rho_inf in [0.0, 0.5, 0.8] {
        let methods = [
            GeneralizedAlpha { rho_inf, ..GeneralizedAlpha::default() }.method(),
            GeneralizedAlphaI2 { rho_inf, ..GeneralizedAlphaI2::default() }.method(),
            GeneralizedAlphaSi2 { rho_inf, ..GeneralizedAlphaSi2::default() }.method(),
        ];
        let first_step = |method: usize, constrained: bool, steps: u32| {
            let model = Manufactured { constrained };
            let (_, record) = record(&model, &*methods[method], &Manufactured::exact(0.0), 0.125, steps);
            let t = record.times[0];
            let velocity = largest_difference(&record.states[0][3..], &Manufactured::exact(t)[3..]);
            [velocity, largest_difference(&record.multipliers[0], &model.multipliers(t))]
        };
        let cases = [(0, false, 0, 3.0), (0, true, 1, 1.0), (1, true, 1, 2.0), (2, true, 1, 2.0)];
        for (method, constrained, class, expected) in cases {
            let [coarse, fine] = [64, 128].map(|steps| first_step(method, constrained, steps)[class]);
            let order = (coarse / fine).log2();
            assert!((order - expected).abs() < 0.1, "{method}, ρ = {rho_inf}: order {order:.3}, not {expected}");
        }
    }
}

/// Largest condition number of Newton's matrix in eight steps.
fn condition(method: &dyn Method, exponent: i32) -> f64 {
    let mut record = Record { watches_matrices: true, ..Record::default() };
    let h = 2f64.powi(exponent);
    let initial = [0.6, -0.8, 0.8, 0.6];
    let solution = solve(&Pendulum, method, &initial, [0.0, 8.0 * h], Settings::fixed(h), &mut record);
    assert_eq!(solution.failure, None);
    assert_eq!(record.conditions.len() as u64, solution.statistics.jacobian_evaluations, "none is that of the start");
    record.conditions.iter().fold(0.0, |largest, &x| largest.max(x))
}

#[test]
fn the_scaled_matrix_stays_well_conditioned() {
    let cases: [Box<dyn Method>; 9] = [
        GeneralizedAlpha::default().method(),
        GeneralizedAlphaI2::default().method(),
        GeneralizedAlphaSi2::default().method(),
        Newmark::default().method(),
        HhtI3::default().method(),
        Nstiff::default().method(),
        HhtAdd::default().method(),
        HhtSi2::default().method(),
        NstiffSi2::default().method(),
    ];
    for (i, method) in cases.iter().enumerate() {
        let (coarse, fine) = (condition(&**method, -6), condition(&**method, -18));
        assert!(fine < 1.1 * coarse && coarse < 100.0, "method {i}: {coarse} to {fine}");
    }
}

/// Largest error of both angles of the stiff double pendulum at 2 s.
fn stiff_error(method: &dyn Method, exponent: i32) -> Result<f64, Failure> {
    let settings = Settings::fixed(2f64.powi(exponent));
    let initial = StiffDoublePendulum::initial();
    let Solution { state, failure, .. } =
        solve(&StiffDoublePendulum, method, &initial, [0.0, 2.0], settings, &mut Silent);
    let [first, second, ..] = StiffDoublePendulum::END;
    failure.map_or(Ok((state[2] - first).abs().max((state[5] - second).abs())), Err)
}

#[test]
fn steps_exceed_the_period_of_a_stiff_spring() {
    let cases: [(&str, Box<dyn Method>, f64); 9] = [
        ("generalized-alpha", GeneralizedAlpha::default().method(), 2.0),
        ("generalized-alpha-i2", GeneralizedAlphaI2::default().method(), 2.0),
        ("generalized-alpha-si2", GeneralizedAlphaSi2::default().method(), 2.0),
        ("newmark", Newmark::default().method(), 1.0),
        ("hht-i3", HhtI3::default().method(), 2.0),
        ("nstiff", Nstiff::default().method(), 2.0),
        ("hht-add", HhtAdd::default().method(), 2.0),
        ("hht-si2", HhtSi2::default().method(), 2.0),
        ("nstiff-si2", NstiffSi2::default().method(), 2.0),
    ];
    for (name, method, expected) in cases {
        let errors = [-9, -10, -11, -12].map(|exponent| stiff_error(&*method, exponent).expect("it converges"));
        for (coarse, fine) in errors.iter().zip(&errors[1..]) {
            let order = (coarse / fine).log2();
            // the reference has nine digits
            let certain = (order - expected).abs() < 0.15 || *coarse < 1e-6;
            assert!(certain && *fine < 1e-4, "{name}: {coarse:e} and {fine:e}, order {order:.3}");
        }
    }
}

/// The second spring makes initial accelerations of 4e5 rad/s², from which the iteration of the first step diverges.
#[test]
fn the_first_guess_decides_whether_a_large_stiff_step_converges() {
    let newton = NewtonSettings { first_guess: FirstGuess::Zero, ..NewtonSettings::default() };
    let failure = stiff_error(&*Nstiff::default().method(), -8).expect_err("it is led astray");
    assert!(matches!(failure, Failure::AccelerationsDiverged { time: 0.0, iterations: 20, .. }), "{failure}");
    let error = stiff_error(&*Nstiff { newton }.method(), -8).expect("it converges");
    assert!(error < 1e-5, "{error:e}");
}

#[test]
fn coefficients_of_the_generalized_alpha_formulas_are_described() {
    for (rho_inf, radius, gamma) in [(0.5, "0.500", 0.5 + 1.0 / 3.0), (0.0, "0.000", 1.5)] {
        let details = GeneralizedAlpha { rho_inf, ..GeneralizedAlpha::default() }.method().details();
        assert!(details[0].contains("2, as gamma = 1/2 - alpha_m + alpha_f"), "{details:?}");
        assert!(details[1].ends_with("yes"), "{details:?}");
        let found: f64 = details[2].rsplit(' ').next().and_then(|radius| radius.parse().ok()).expect("a number");
        assert!((found - radius.parse::<f64>().expect("a number")).abs() < 2e-3, "{details:?}");
        let last: f64 =
            details.last().and_then(|line| line.strip_prefix("  gamma = ")?.parse().ok()).expect("a number");
        assert!((last - gamma).abs() < 1e-15, "{details:?}");
    }
}
