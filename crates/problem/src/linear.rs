//! What a method does to the undamped oscillator `x″ + ω² x = 0`; zhang2022, Sect. 4.
//!
//! A step of a linear method multiplies what it starts from with the
//! [amplification matrix](crate::Method::amplification), whose eigenvalues are the characteristic roots. One of them,
//! the *principal* root `ζ`, is the method's `e^{iωh}`: it is the one that is connected with `e^{iωh}` as the step goes to
//! zero. The others are spurious. With Eq. 22 the numerical solution is
//!
//! ```text
//! x_k = e^{−ξ̄ω̄t_k} (c₁ cos ω̄_d t_k + c₂ sin ω̄_d t_k),   ω̄_d = ω̄ √(1 − ξ̄²),
//! ```
//!
//! hence `ln ζ = −ξ̄ω̄h + i ω̄_d h` with the argument continued beyond π where a step has several stages, and
//!
//! ```text
//! ω̄h = |ln ζ|,   ξ̄ = −Re ln ζ / |ln ζ|,   (T̄ − T)/T = ωh/|ln ζ| − 1.
//! ```
//!
//! The largest root in magnitude, whichever it is, is the spectral radius.

use nalgebra::{Complex, DMatrix, Schur};

use crate::Method;

/// How a method treats one frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Characteristics {
    /// Largest magnitude of a characteristic root.
    pub spectral_radius: f64,
    /// Damping and period of the principal root; none where it has met another root on the way from `ωh = 0`, as those of
    /// Newmark's formulas with `γ > 1/2` do on the negative real axis, where the numerical solution is no oscillation.
    pub principal: Option<Principal>,
}

/// Damping and period of the principal root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Principal {
    /// Numerical damping ratio `ξ̄`; negative where amplitudes grow.
    pub amplitude_decay: f64,
    /// `(T̄ − T)/T = ω/ω̄ − 1`; negative where the period is shortened.
    pub period_elongation: f64,
}

/// Characteristics of `method` at steps of `h` with `h/(nT)` each of `abscissas`, ascending and positive, where `T = 2π/ω` is
/// the period and `n` the number of implicit stages of a step, so that equal abscissas mean equal cost. None for a method
/// that has no amplification matrix.
///
/// The principal root is followed from one abscissa to the next.
pub fn characteristics(method: &dyn Method, abscissas: &[f64]) -> Option<Vec<Characteristics>> {
    let omega_h = |abscissa: f64| std::f64::consts::TAU * f64::from(method.implicit_stages()) * abscissa;
    let mut root = PrincipalRoot::new(|omega_h| method.amplification(omega_h));
    abscissas.iter().map(|&abscissa| at(method, &mut root, omega_h(abscissa))).collect()
}

fn at<A: Fn(f64) -> Option<DMatrix<Complex<f64>>>>(
    method: &dyn Method,
    root: &mut PrincipalRoot<A>,
    omega_h: f64,
) -> Option<Characteristics> {
    let spectral_radius = spectral_radius(&method.amplification(omega_h)?);
    Some(Characteristics { spectral_radius, principal: root.advance(omega_h).map(|log| Principal::new(omega_h, log)) })
}

impl Principal {
    /// From the logarithm of the principal root.
    pub fn new(omega_h: f64, logarithm: Complex<f64>) -> Self {
        let size = logarithm.norm();
        Self { amplitude_decay: -logarithm.re / size, period_elongation: omega_h / size - 1.0 }
    }
}

/// Largest magnitude of an eigenvalue.
pub fn spectral_radius(matrix: &DMatrix<Complex<f64>>) -> f64 {
    eigenvalues(matrix).iter().fold(0.0, |largest, root| root.norm().max(largest))
}

/// The eigenvalues of a small matrix.
///
/// Those of a triangular matrix are exact; of others a root of multiplicity `m` has errors of about `1e-16^{1/m}`. Not a
/// number where the matrix has entries that are none.
pub fn eigenvalues(matrix: &DMatrix<Complex<f64>>) -> Vec<Complex<f64>> {
    let is_zero = |i: usize, j: usize| matrix[(i, j)] == Complex::default();
    let n = matrix.nrows();
    if (0..n).all(|i| (i + 1..n).all(|j| is_zero(i, j))) || (0..n).all(|i| (0..i).all(|j| is_zero(i, j))) {
        return matrix.diagonal().iter().copied().collect();
    }
    // near multiple roots the iteration may never reach rounding
    let schur = |k: i32| Schur::try_new(matrix.clone(), f64::EPSILON * 4f64.powi(k), MOST_ITERATIONS);
    let Some(schur) = (0..20).find_map(schur) else {
        return vec![Complex::new(f64::NAN, f64::NAN); n];
    };
    schur.unpack().1.diagonal().iter().copied().collect()
}

/// Of the QR iteration; matrices here have up to four rows and take about ten.
const MOST_ITERATIONS: usize = 200;

/// The principal root along growing `ωh`, with the logarithm continued.
pub struct PrincipalRoot<A> {
    amplification: A,
    omega_h: f64,
    logarithm: Complex<f64>,
    /// `d ln ζ / d(ωh)` over the last piece.
    slope: Complex<f64>,
    lost: bool,
}

/// Length of the first pieces along which the root is followed; `ln ζ = iωh + O((ωh)²)` at the least.
const PIECE: f64 = 0.02;

/// Pieces grow with `ωh`, beyond about one: all methods are rational functions of it.
const GROWTH: f64 = 0.02;

/// Pieces shorter than this part of `ωh` mean that roots have met.
const SHORTEST: f64 = 1e-7;

/// The root that is continued must be this much nearer to where it is expected than the next one.
const DISTINCT: f64 = 0.25;

/// Largest distance from where it is expected, relative to the root.
const NEAR: f64 = 0.1;

impl<A: Fn(f64) -> Option<DMatrix<Complex<f64>>>> PrincipalRoot<A> {
    /// At `ωh = 0`, where `ζ = 1`; `amplification` gives the matrix at `ωh`.
    pub fn new(amplification: A) -> Self {
        let slope = Complex::new(0.0, 1.0);
        Self { amplification, omega_h: 0.0, logarithm: Complex::new(0.0, 0.0), slope, lost: false }
    }

    /// `ln ζ` at `omega_h`, not below the one before. None from where the root has met another one on, and for a method without
    /// a matrix.
    pub fn advance(&mut self, omega_h: f64) -> Option<Complex<f64>> {
        while self.omega_h < omega_h && !self.lost {
            self.lost = self.next_piece(omega_h).is_none();
        }
        (!self.lost).then_some(self.logarithm)
    }

    /// Follows the root by one piece that does not pass `end`, of half the length again and again until the root is distinct.
    fn next_piece(&mut self, end: f64) -> Option<()> {
        let mut length = (PIECE + GROWTH * self.omega_h).min(end - self.omega_h);
        loop {
            let next = if length == end - self.omega_h { end } else { self.omega_h + length };
            let expected = self.logarithm + self.slope * length;
            let roots = eigenvalues(&(self.amplification)(next)?);
            if let Some(root) = distinct_nearest(&roots, expected.exp()) {
                // relative to what is expected the argument is small, hence on the right branch
                let logarithm = expected + (root / expected.exp()).ln();
                self.slope = (logarithm - self.logarithm) / length;
                (self.logarithm, self.omega_h) = (logarithm, next);
                return Some(());
            }
            length /= 2.0;
            if length <= SHORTEST * next {
                return None;
            }
        }
    }
}

/// The root nearest to what is expected, where it is near and the others are not.
fn distinct_nearest(roots: &[Complex<f64>], expected: Complex<f64>) -> Option<Complex<f64>> {
    let mut roots: Vec<_> = roots.iter().map(|&root| ((root - expected).norm(), root)).collect();
    roots.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let &(own, nearest) = roots.first()?;
    let is_near = own <= NEAR * expected.norm();
    let is_distinct = roots.get(1).is_none_or(|&(next, _)| own <= DISTINCT * next);
    (is_near && is_distinct).then_some(nearest)
}
