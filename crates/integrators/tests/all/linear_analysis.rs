//! Linear analysis on the undamped oscillator, compared with closed forms and expansions.

use std::f64::consts::TAU;

use crate::common::constrained::record;
use mbsbench_integrators::implicit::{LinearMultistep, SingleStep};
use mbsbench_integrators::{
    Bliedf, Bs32, Dop853, Dop853Projected, Dopri5, GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2,
    HalfImplicitEuler, HhtAdd, HhtI3, HhtSi2, Newmark, Nstiff, NstiffSi2, Ode45, Radau5, Rk3, Rk4, Rk5, Rk8, Tableau,
    tableaux,
};
use mbsbench_problem::linear::{Principal, PrincipalRoot, characteristics, eigenvalues};
use mbsbench_problem::{
    Counted, Dimensions, Entries, MechanicalModel, Method, MethodDefinition, Observer, Scalar, Solution, Task,
};
use nalgebra::{Complex, DMatrix};

/// Amplitude decay and period elongation at each `ωh`, in ascending order.
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

/// `ζ = (1 + iωh/2)/(1 − iωh/2)` has magnitude one and argument `2 atan(ωh/2)`.
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

/// With `ρ_∞ = 1` all second-order formulas equal the trapezoidal rule on equal parts of the step.
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
            let formula = Tableau::msstc(n, 1.0).rounded::<f64>();
            // arguments exceed π, which requires the continued branch of the logarithm
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

/// `ln R = z − z⁵/120 + z⁶/144 + …` for the classical rule, which damps below `ωh = √8` and amplifies above.
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

/// `|ζ − e^{iωh}|` has an order one higher than the method.
#[test]
fn principal_root_has_the_order_of_the_method() {
    let check = |order: u32, root: &dyn Fn(f64) -> Complex<f64>| {
        let error = |w: f64| (root(w) - Complex::new(0.0, w).exp()).norm();
        let observed = (error(0.2) / error(0.1)).log2();
        assert!((observed - f64::from(order) - 1.0).abs() < 0.1, "{observed} for order {order}");
    };
    for method in [Rk3::default().method(), Rk4::default().method(), Dopri5::default().method()] {
        check(method.order(), &|w| method.amplification(w).expect("explicit")[0]);
    }
    for formula in [
        Tableau::bathe(0.6),
        Tableau::msstc(4, 0.0),
        Tableau::mssth(3, 0.0).expect("known"),
        Tableau::mssth(4, 0.6).expect("known"),
        Tableau::mssth(5, 1.0).expect("known"),
        tableaux::ESDIRK436L2SA2.clone(),
    ] {
        let formula = formula.rounded::<f64>();
        check(formula.formula.order, &|w| formula.stability(Complex::new(0.0, w)));
    }
}

/// zhang2022, Sect. 4: MSSTH(4) shortens the period, though no longer from `h/(nT)` = 0.05 on; MSSTH(5) and two
/// formulas of Kennedy and Carpenter have a very small elongation up to 0.05; LMS4 damps less than LMS2.
#[test]
fn statements_of_the_paper_hold() {
    let at = |formula: Tableau, abscissa: f64| {
        let omega_h = TAU * abscissa * f64::from(formula.implicit_stages());
        let formula = formula.rounded::<f64>();
        once(|z| formula.amplification(z), omega_h)
    };
    let mssth = |n: u32| Tableau::mssth(n, 0.0).expect("known");
    assert!(at(mssth(4), 0.02).period_elongation < -1e-3);
    let of_second_order = at(Tableau::msstc(5, 0.0), 0.05);
    for formula in [mssth(5), tableaux::ESDIRK325L2SA.clone(), tableaux::ESDIRK436L2SA2.clone()] {
        let found = at(formula, 0.05);
        assert!(found.period_elongation.abs() < 5e-3, "{found:?}");
        assert!(found.period_elongation < 0.6 * of_second_order.period_elongation, "{found:?}, {of_second_order:?}");
    }
    let decay = |formula: LinearMultistep| once(|z| formula.amplification(z), TAU * 0.1).amplitude_decay;
    assert!(decay(LinearMultistep::lms4(0.0)) < 0.5 * decay(LinearMultistep::lms2(0.0)));
}

/// The equivalents have the roots of the multistep formulas, including the principal one.
#[test]
fn equivalents_have_the_same_characteristics() {
    let grid: Vec<f64> = grid().into_iter().filter(|&w| w < 3.0).collect();
    let of_lms = follow(|z| LinearMultistep::lms4(0.6).amplification(z), &grid);
    let of_ss = follow(|z| SingleStep::ss4(0.6).amplification(z), &grid);
    for ((lms, ss), omega_h) in of_lms.iter().zip(&of_ss).zip(grid) {
        // roots are accurate to some rounding errors, and ln ζ is about iωh
        let rounding = 2e-14 / omega_h;
        assert!((lms.amplitude_decay - ss.amplitude_decay).abs() < rounding, "{lms:?}, {ss:?}");
        assert!((lms.period_elongation - ss.period_elongation).abs() < rounding, "{lms:?}, {ss:?}");
    }
}

/// A pair of roots that meets on the real axis at `ωh = 1`.
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

/// The matrices of SS3 and SS4 with `ρ_∞ = 1` have a multiple root −1, at which an eigenvalue iteration may not end.
#[test]
fn eigenvalues_of_defective_matrices() {
    for rho in [0.6, 1.0 - 1e-6, 1.0] {
        for formula in [SingleStep::ss3(rho), SingleStep::ss4(rho)] {
            for k in 0..=110 {
                let z = Complex::new(0.0, 10f64.powf(f64::from(k) * 0.1 - 3.0));
                let radius = eigenvalues(&formula.amplification(z)).iter().map(|root| root.norm()).fold(0.0, f64::max);
                assert!(radius > rho - 1e-2 && radius < 1.0 + 1e-2, "{rho}, {z}: {radius}");
            }
        }
    }
    let nothing = DMatrix::from_element(2, 2, Complex::new(f64::NAN, 0.0));
    assert!(eigenvalues(&nothing).iter().all(|root| root.re.is_nan()));
}

#[test]
fn methods_without_a_matrix_have_none() {
    struct Without;
    impl Method for Without {
        fn order(&self) -> u32 {
            1
        }
        fn solve(&self, _: Counted<'_>, _: &Task<'_>, _: &mut dyn Observer) -> Solution {
            unreachable!("only its spectrum is asked for")
        }
    }
    assert!(characteristics(&Without, &[0.1]).is_none());
}

/// `x″ = −x` as a mechanical system.
struct Oscillator;

impl MechanicalModel for Oscillator {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(1, 0)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..self.dimensions().velocities).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], _v: &[S], forces: &mut [S]) {
        forces[0] = -q[0];
    }
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        (q[0] * q[0] + v[0] * v[0]) / 2.0
    }
}

/// Coefficients, ascending, of the real polynomial with these roots and their conjugates.
fn polynomial(roots: &[Complex<f64>]) -> Vec<f64> {
    let mut product = vec![Complex::new(1.0, 0.0)];
    for root in roots.iter().flat_map(|root| [*root, root.conj()]) {
        product.insert(0, Complex::new(0.0, 0.0));
        for k in 0..product.len() - 1 {
            let next = product[k + 1];
            product[k] -= root * next;
        }
    }
    product.iter().map(|coefficient| coefficient.re).collect()
}

/// Methods behave as their matrices predict: the positions of a run satisfy the recurrence with the characteristic
/// roots.
#[test]
fn runs_show_the_roots_of_the_amplification_matrix() {
    let half = Newmark { gamma: 0.5, beta: Some(0.25), ..Newmark::default() };
    let generalized = |rho_inf: f64| GeneralizedAlpha { rho_inf, ..GeneralizedAlpha::default() }.method();
    let methods: [(&str, Box<dyn Method>); 24] = [
        ("rk3", Rk3::default().method()),
        ("bs32", Bs32::default().method()),
        ("rk4", Rk4::default().method()),
        ("rk5", Rk5::default().method()),
        ("dopri5", Dopri5::default().method()),
        ("rk8", Rk8::default().method()),
        ("dop853", Dop853::default().method()),
        ("dop853-projected", Dop853Projected::default().method()),
        ("ode45", Ode45::default().method()),
        ("newmark", Newmark::default().method()),
        ("newmark, γ = 1/2", half.method()),
        ("hht-i3", HhtI3::default().method()),
        ("hht-i3, α = -0.1", HhtI3 { alpha: -0.1, ..HhtI3::default() }.method()),
        ("hht-add", HhtAdd::default().method()),
        ("hht-si2", HhtSi2::default().method()),
        ("nstiff", Nstiff::default().method()),
        ("nstiff-si2", NstiffSi2::default().method()),
        ("generalized-alpha", generalized(0.8)),
        ("generalized-alpha-i2", GeneralizedAlphaI2::default().method()),
        ("generalized-alpha-si2", GeneralizedAlphaSi2::default().method()),
        ("bliedf", Bliedf::default().method()),
        ("half-implicit-euler", HalfImplicitEuler::default().method()),
        ("generalized-alpha, ρ = 0", generalized(0.0)),
        ("radau5", Radau5::default().method()),
    ];
    let steps = 20;
    for omega_h in [0.3, 1.0] {
        for (name, method) in &methods {
            let (_, run) = record(&Oscillator, &**method, &[1.0, 0.3], f64::from(steps) * omega_h, steps);
            let roots = eigenvalues(&method.amplification(omega_h).expect("written down"));
            let coefficients = polynomial(&roots);
            // the first step of BDF uses another formula
            for window in run.states[1..].windows(coefficients.len()) {
                let residual: f64 = window.iter().zip(&coefficients).map(|(state, c)| state[0] * c).sum();
                assert!(residual.abs() < 1e-11, "{name}, {omega_h}: {residual:e}");
            }
        }
    }
}

/// The spectral radius of the Hilber–Hughes–Taylor formulas at infinite frequency is `(1 + α)/(1 − α)`, with α from
/// −1/3 to 0; that of Newmark's formulas without damping is one at every frequency.
#[test]
fn known_spectral_radii_of_the_low_order_formulas() {
    let radius = |method: Box<dyn Method>, abscissa: f64| {
        characteristics(&*method, &[abscissa]).expect("written down")[0].spectral_radius
    };
    let half = Newmark { gamma: 0.5, beta: Some(0.25), ..Newmark::default() };
    for abscissa in [0.01, 0.1, 1.0, 10.0] {
        assert!((radius(half.method(), abscissa) - 1.0).abs() < 1e-12);
        assert!(radius(HhtI3::default().method(), abscissa) < 1.0);
    }
    for alpha in [-0.05, -0.2, -0.3] {
        let found = radius(HhtI3 { alpha, ..HhtI3::default() }.method(), 1e5);
        assert!((found - (1.0 + alpha) / (1.0 - alpha)).abs() < 1e-4, "{alpha}: {found}");
    }
    for rho_inf in [0.0, 0.4, 0.8, 1.0] {
        let found = radius(GeneralizedAlpha { rho_inf, ..GeneralizedAlpha::default() }.method(), 1e5);
        // the root at infinity has multiplicity three, so that finite frequencies and rounding enter with the power 1/3
        assert!((found - rho_inf).abs() < 1e-3, "{rho_inf}: {found}");
    }
}

/// Newmark's formulas with `γ > 1/2` and small β do not oscillate at high frequencies: the roots meet.
#[test]
fn principal_root_of_newmark_is_lost_if_roots_meet() {
    let newmark = Newmark { gamma: 0.7, beta: Some(0.3), ..Newmark::default() }.method();
    let found = characteristics(&*newmark, &[0.1, 10.0]).expect("written down");
    assert!(found[0].principal.is_some_and(|principal| principal.amplitude_decay > 0.0));
    assert_eq!(found[1].principal, None);
}
