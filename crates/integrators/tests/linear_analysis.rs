//! Linear analysis on the undamped oscillator against closed forms and expansions.

use std::f64::consts::TAU;

use mbsbench_integrators::implicit::linear::{Principal, PrincipalRoot, characteristics};
use mbsbench_integrators::implicit::{Esdirk, LinearMultistep, SingleStep};
use mbsbench_integrators::{Dopri5, Rk3, Rk4};
use mbsbench_problem::{Method, MethodDefinition};
use nalgebra::{Complex, DMatrix};

/// Decay and elongation at each of `ωh`, ascending.
fn follow(amplification: impl Fn(Complex<f64>) -> DMatrix<Complex<f64>>, omega_h: &[f64]) -> Vec<Principal> {
    let mut root = PrincipalRoot::new(|omega_h| Some(amplification(Complex::new(0.0, omega_h))));
    omega_h.iter().map(|&w| Principal::new(w, root.advance(w).expect("the root is distinct"))).collect()
}

fn once(amplification: impl Fn(Complex<f64>) -> DMatrix<Complex<f64>>, omega_h: f64) -> Principal {
    follow(amplification, &[omega_h])[0]
}

fn grid() -> Vec<f64> {
    (0..60).map(|k| 10f64.powf(f64::from(k) * 0.1 - 3.0)).collect()
}

/// `ζ = (1 + iωh/2)/(1 − iωh/2)` has the magnitude one and the argument `2 atan(ωh/2)`.
#[test]
fn trapezoidal_rule() {
    let rules = [LinearMultistep::trapezoidal(), LinearMultistep::lms2(1.0)];
    for rule in rules {
        for (found, omega_h) in follow(|z| rule.amplification(z), &grid()).iter().zip(grid()) {
            let expected = 0.5 * omega_h / (0.5 * omega_h).atan() - 1.0;
            assert!(found.amplitude_decay.abs() < 1e-12, "{omega_h}: {found:?}");
            assert!((found.period_elongation - expected).abs() < 1e-11 * (1.0 + omega_h), "{omega_h}: {found:?}");
        }
    }
}

/// With `ρ_∞ = 1` all second-order formulas are the trapezoidal rule on equal parts of the step.
#[test]
fn undamped_formulas_are_the_trapezoidal_rule() {
    for omega_h in [0.1, 0.5, 1.0, 2.0, 3.0] {
        let expected = 0.5 * omega_h / f64::atan(0.5 * omega_h) - 1.0;
        let mut found: Vec<Principal> = vec![
            once(|z| LinearMultistep::lms3(1.0).amplification(z), omega_h),
            once(|z| LinearMultistep::lms4(1.0).amplification(z), omega_h),
            once(|z| SingleStep::ss4(1.0).amplification(z), omega_h),
        ];
        for n in 2..=5 {
            let formula = Esdirk::msstc(n, 1.0).rounded::<f64>();
            // arguments beyond π, hence the logarithm on its continued branch
            found.push(once(|z| formula.amplification(z), omega_h * f64::from(n)));
        }
        for found in found {
            assert!(found.amplitude_decay.abs() < 1e-12, "{omega_h}: {found:?}");
            assert!((found.period_elongation - expected).abs() < 1e-12, "{omega_h}: {found:?}");
        }
    }
}

/// `ln ζ = z + z³/3 − z⁴/4 + …` for BDF2, from `z = 3/2 − 2/ζ + 1/(2ζ²)`.
#[test]
fn expansion_of_bdf2() {
    for omega_h in [0.01, 0.02, 0.05] {
        let found = once(|z| LinearMultistep::lms2(0.0).amplification(z), omega_h);
        assert!((found.amplitude_decay / (omega_h.powi(3) / 4.0) - 1.0).abs() < 5.0 * omega_h.powi(2));
        assert!((found.period_elongation / (omega_h.powi(2) / 3.0) - 1.0).abs() < 5.0 * omega_h.powi(2));
    }
}

/// `ln R = z − z⁵/120 + z⁶/144 + …` for the classical rule, which damps below `ωh = √8` and grows above.
#[test]
fn classical_rule() {
    let method = Rk4::default().method();
    let omega_h = [0.02, 0.05, 0.1];
    let abscissas = omega_h.map(|w| w / TAU);
    let found = characteristics(&*method, &abscissas).expect("a Runge–Kutta method");
    for (found, omega_h) in found.iter().zip(omega_h) {
        let principal = found.principal.expect("the only root");
        assert!((principal.amplitude_decay / (omega_h.powi(5) / 144.0) - 1.0).abs() < omega_h.powi(2), "{found:?}");
        assert!((principal.period_elongation / (omega_h.powi(4) / 120.0) - 1.0).abs() < omega_h.powi(2), "{found:?}");
        let square = 1.0 - omega_h.powi(6) / 72.0 + omega_h.powi(8) / 576.0;
        assert!((found.spectral_radius - square.sqrt()).abs() < 1e-15, "{found:?}");
    }
    let radius = |omega_h: f64| characteristics(&*method, &[omega_h / TAU]).expect("as above")[0].spectral_radius;
    assert!((radius(8f64.sqrt()) - 1.0).abs() < 1e-14 && radius(2.8) < 1.0 && radius(2.9) > 1.0);
}

/// `|ζ − e^{iωh}|` is of one order more than the method.
#[test]
fn principal_root_has_the_order_of_the_method() {
    let mut methods: Vec<(f64, Box<dyn Fn(f64) -> Complex<f64>>)> = Vec::new();
    for method in [Rk3::default().method(), Rk4::default().method(), Dopri5::default().method()] {
        methods.push((f64::from(method.order()), Box::new(move |w| method.amplification(w).expect("explicit")[0])));
    }
    for formula in [
        Esdirk::bathe(0.6),
        Esdirk::msstc(4, 0.0),
        Esdirk::mssth(3, 0.0).expect("known"),
        Esdirk::mssth(4, 0.6).expect("known"),
        Esdirk::mssth(5, 1.0).expect("known"),
        Esdirk::esdirk436l2sa2(),
    ] {
        let order = f64::from(formula.order);
        let formula = formula.rounded::<f64>();
        methods.push((order, Box::new(move |w| formula.stability(Complex::new(0.0, w)))));
    }
    for (order, root) in methods {
        let error = |w: f64| (root(w) - Complex::new(0.0, w).exp()).norm();
        let observed = (error(0.2) / error(0.1)).log2();
        assert!((observed - order - 1.0).abs() < 0.1, "{observed} for order {order}");
    }
}

/// zhang2022, Sect. 4: MSSTH(4) shortens the period (but from `h/(nT)` of 0.05 on does not), MSSTH(5) and two formulas of
/// Kennedy and Carpenter have a very small elongation up to 0.05, LMS4 damps less than LMS2.
#[test]
fn sentences_of_the_paper() {
    let at = |formula: Esdirk, abscissa: f64| {
        let omega_h = TAU * abscissa * f64::from(formula.implicit_stages());
        let formula = formula.rounded::<f64>();
        once(|z| formula.amplification(z), omega_h)
    };
    let mssth = |n: u32| Esdirk::mssth(n, 0.0).expect("known");
    assert!(at(mssth(4), 0.02).period_elongation < -1e-3);
    let of_second_order = at(Esdirk::msstc(5, 0.0), 0.05);
    for formula in [mssth(5), Esdirk::esdirk325l2sa(), Esdirk::esdirk436l2sa2()] {
        let found = at(formula, 0.05);
        assert!(found.period_elongation.abs() < 5e-3, "{found:?}");
        assert!(found.period_elongation < 0.6 * of_second_order.period_elongation, "{found:?}, {of_second_order:?}");
    }
    let decay = |formula: LinearMultistep| once(|z| formula.amplification(z), TAU * 0.1).amplitude_decay;
    assert!(decay(LinearMultistep::lms4(0.0)) < 0.5 * decay(LinearMultistep::lms2(0.0)));
}

/// The equivalents have the roots of the multistep formulas, so also the principal one.
#[test]
fn equivalents_have_the_same_characteristics() {
    let grid: Vec<f64> = grid().into_iter().filter(|&w| w < 3.0).collect();
    let of_lms = follow(|z| LinearMultistep::lms4(0.6).amplification(z), &grid);
    let of_ss = follow(|z| SingleStep::ss4(0.6).amplification(z), &grid);
    for ((lms, ss), omega_h) in of_lms.iter().zip(&of_ss).zip(grid) {
        // roots are good to some roundings, and ln ζ is about iωh
        let rounding = 2e-14 / omega_h;
        assert!((lms.amplitude_decay - ss.amplitude_decay).abs() < rounding, "{lms:?}, {ss:?}");
        assert!((lms.period_elongation - ss.period_elongation).abs() < rounding, "{lms:?}, {ss:?}");
    }
}

/// A pair of roots that meets on the real axis, at `ωh = 1`.
#[test]
fn root_that_meets_another_is_lost() {
    // roots 1 − 2x ± √((1 − 2x)² − 1 + 2x) with x = (ωh)²/2, a pair up to x = 1/2
    let matrix = |omega_h: f64| {
        let x = 0.5 * omega_h * omega_h;
        let real = |value: f64| Complex::new(value, 0.0);
        Some(DMatrix::from_row_slice(2, 2, &[real(2.0 - 4.0 * x), real(2.0 * x - 1.0), real(1.0), real(0.0)]))
    };
    let mut root = PrincipalRoot::new(matrix);
    assert!(root.advance(0.9).is_some());
    assert!(root.advance(1.1).is_none());
    assert!(root.advance(2.0).is_none());
}

#[test]
fn methods_without_a_matrix_have_none() {
    struct Without;
    impl Method for Without {
        fn order(&self) -> u32 {
            1
        }
        fn adapts(&self) -> bool {
            false
        }
        fn solve(
            &self,
            _: mbsbench_problem::Counted<'_>,
            _: &mbsbench_problem::Task<'_>,
            _: &mut dyn mbsbench_problem::Observer,
        ) -> mbsbench_problem::Solution {
            unreachable!("only its spectrum is asked for")
        }
    }
    assert!(characteristics(&Without, &[0.1]).is_none());
}
