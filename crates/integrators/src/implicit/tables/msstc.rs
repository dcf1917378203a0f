//! MSSTC(n): trapezoidal substeps, then a stage that minimises the damping at low frequencies.

use mbsbench_problem::{DoubleDouble, Scalar};
use num_dual::DualNum;

use super::{newton, number};
use crate::Tableau;

impl Tableau {
    /// MSSTC(n): `n − 1` trapezoidal substeps of length `2γh` and a last stage, order two, for `n ≥ 2` and
    /// `ρ_∞ = rho` in [0, 1].
    ///
    /// The formula with `n ≥ 2` implicit stages (H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020)
    /// 1939–1962) follows from its conditions.
    ///
    /// The stability function is `R(z) = N(z)/(1−γz)ⁿ`. Second order leaves `γ` and `n − 3` more coefficients of `N`
    /// free. They are chosen so that all powers of `ω` in `|1−iγω|²ⁿ − |N(iω)|²` vanish except the highest. With
    /// `s = γz` this means
    ///
    /// ```text
    /// N(s) N(−s) = (1 − s²)ⁿ − (1 − ρ²) (−s²)ⁿ
    /// ```
    ///
    /// whose zeros satisfy `1 − 1/s² = κ e^{2πik/n}`, `κⁿ = 1 − ρ²`, so that
    ///
    /// ```text
    /// N(s) = Πₖ (1 + s √(1 − κ e^{2πik/n})),   k = 0 … n−1
    /// ```
    ///
    /// Its coefficient of `s` must be `1/γ − n`, which gives `γ`. The last row of the tableau follows from `N`.
    pub fn msstc(n: u32, rho: f64) -> Self {
        assert!(n >= 2, "MSSTC has a trapezoidal substep and a last stage");
        let numerator = numerator(n, rho);
        let gamma = (numerator[1] + f64::from(n)).recip();
        let zero = number(0.0);
        let mut rows = vec![vec![zero]];
        let mut nodes = vec![zero];
        for i in 1..n as usize {
            let mut row = vec![gamma * 2.0; i + 1];
            (row[0], row[i]) = (gamma, gamma);
            rows.push(row);
            nodes.push(gamma * (2 * i) as f64);
        }
        nodes.push(number(1.0));
        let mut last = last_row(n, &numerator, gamma);
        last.push(gamma);
        rows.push(last);
        let source =
            "H. Zhang, R. Zhang, Y. Xing, P. Masarati, Nonlinear Dyn. 102 (2020) 1939–1962; zhang2022, section 2.3";
        Self::dirk(format!("MSSTC({n})"), source, 2, nodes, rows)
    }
}

/// Coefficients of `N(s)`, `s = γz`, ascending. Conjugate factors are multiplied in pairs, `1 + 2 Re(r) s + |r|² s²`.
fn numerator(n: u32, rho: f64) -> Vec<DoubleDouble> {
    let kappa = root((-number(rho) + 1.0) * (number(rho) + 1.0), n);
    let one = number(1.0);
    let mut product = vec![one, (one - kappa).sqrt()];
    if n.is_multiple_of(2) {
        product = times(&product, &[one, (one + kappa).sqrt()]);
    }
    for k in 1..n.div_ceil(2) {
        let (sin, cos) = (DoubleDouble::pi() * f64::from(2 * k) / f64::from(n)).sin_cos();
        let (re, im) = (one - kappa * cos, -kappa * sin);
        let modulus = (re * re + im * im).sqrt();
        product = times(&product, &[one, ((modulus + re) * 2.0).sqrt(), modulus]);
    }
    product
}

/// `q₀ … q_{n−1}`: with `T = (1+s)/(1−s)` the factor of a trapezoidal substep, the last stage is
/// `(1−s) R = 1 + (s/γ) Σⱼ qⱼ Tʲ`, hence
///
/// ```text
/// M(s) = (N(s) − (1−s)^{n−1})/s = (1/γ) Σⱼ qⱼ (1+s)ʲ (1−s)^{n−1−j}
/// ```
///
/// and with `s = (x−1)/(x+1)` the `qⱼ` are the coefficients of `γ 2^{1−n} (x+1)^{n−1} M((x−1)/(x+1))`.
fn last_row(n: u32, numerator: &[DoubleDouble], gamma: DoubleDouble) -> Vec<DoubleDouble> {
    let degree = n as usize - 1;
    let binomials = |sign: f64, exponent: usize| power(&[number(sign), number(1.0)], exponent);
    let mut trapezoidal = power(&[number(1.0), number(-1.0)], degree);
    trapezoidal.push(number(0.0));
    let mut q = vec![number(0.0); degree + 1];
    for k in 0..=degree {
        let m = numerator[k + 1] - trapezoidal[k + 1];
        let basis = times(&binomials(-1.0, k), &binomials(1.0, degree - k));
        for (q, basis) in q.iter_mut().zip(basis) {
            *q += gamma * m * basis * 0.5f64.powi(degree as i32);
        }
    }
    q
}

/// `x^{1/n}` for `x` in [0, 1].
fn root(x: DoubleDouble, n: u32) -> DoubleDouble {
    if x <= 0.0 {
        return number(0.0);
    }
    let exponent = n as i32;
    newton(x.value().powf(1.0 / f64::from(n)), |r| (r.powi(exponent) - x, r.powi(exponent - 1) * f64::from(n)))
}

/// Product of two polynomials.
fn times(a: &[DoubleDouble], b: &[DoubleDouble]) -> Vec<DoubleDouble> {
    let mut product = vec![number(0.0); a.len() + b.len() - 1];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            product[i + j] += a * b;
        }
    }
    product
}

/// Power of a polynomial.
fn power(base: &[DoubleDouble], exponent: usize) -> Vec<DoubleDouble> {
    (0..exponent).fold(vec![number(1.0)], |product, _| times(&product, base))
}
