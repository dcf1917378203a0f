//! The behaviour of a method on the undamped oscillator `x″ + ω² x = 0` (zhang2022, section 4).
//!
//! A step of a linear method multiplies its initial data by the [amplification matrix](crate::Method::amplification),
//! whose eigenvalues are the characteristic roots. One of them, the *principal* root `ζ`, approximates `e^{iωh}`: it
//! is the root that tends to `e^{iωh}` as the step goes to zero. The others are spurious. With Eq. 22 the numerical
//! solution is
//!
//! ```text
//! x_k = e^{−ξ̄ω̄t_k} (c₁ cos ω̄_d t_k + c₂ sin ω̄_d t_k),   ω̄_d = ω̄ √(1 − ξ̄²),
//! ```
//!
//! hence `ln ζ = −ξ̄ω̄h + i ω̄_d h`, with the argument continued beyond π for steps with several stages, and
//!
//! ```text
//! ω̄h = |ln ζ|,   ξ̄ = −Re ln ζ / |ln ζ|,   (T̄ − T)/T = ωh/|ln ζ| − 1.
//! ```
//!
//! The spectral radius is the largest magnitude of all roots.

use nalgebra::{Complex, DMatrix, Schur};

use crate::Method;

/// The behaviour of a method at one frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Characteristics {
    /// Largest magnitude of a characteristic root.
    pub spectral_radius: f64,
    /// Damping and period of the principal root. None if it has met another root on the way from `ωh = 0`, as for
    /// Newmark's formulas with `γ > 1/2` on the negative real axis, where the numerical solution does not oscillate.
    pub principal: Option<Principal>,
}

/// Damping and period of the principal root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Principal {
    /// Numerical damping ratio `ξ̄`; negative if amplitudes grow.
    pub amplitude_decay: f64,
    /// `(T̄ − T)/T = ω/ω̄ − 1`; negative if the period is shortened.
    pub period_elongation: f64,
}

/// Computes the characteristics of `method` for steps `h` with `h/(nT)` equal to each of `abscissas`, which are
/// ascending and positive. `T = 2π/ω` is the period and `n` the number of implicit stages of a step, so that equal
/// abscissas mean equal cost. None for a method without an amplification matrix.
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
    /// Damping and period from the logarithm of the principal root.
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
/// Eigenvalues of a triangular matrix are exact; for other matrices, a root of multiplicity `m` has errors of about
/// `1e-16^{1/m}`. All are NaN if an entry of the matrix is.
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

/// Limit of the QR iteration; the matrices here have up to four rows and take about ten iterations.
const MOST_ITERATIONS: usize = 200;

/// The principal root along increasing `ωh`, with a continuous logarithm.
pub struct PrincipalRoot<A> {
    amplification: A,
    omega_h: f64,
    logarithm: Complex<f64>,
    /// `d ln ζ / d(ωh)` over the last piece.
    slope: Complex<f64>,
    lost: bool,
}

/// Length of the first pieces along which the root is followed; `ln ζ = iωh + O((ωh)²)` for every method.
const PIECE: f64 = 0.02;

/// Pieces grow with `ωh` beyond about one, since all methods are rational functions of `ωh`.
const GROWTH: f64 = 0.02;

/// If pieces become shorter than this fraction of `ωh`, roots have met.
const SHORTEST: f64 = 1e-7;

/// The chosen root must be nearer to the expected one than this multiple of the next root's distance.
const DISTINCT: f64 = 0.25;

/// Largest distance from the expected root, relative to it.
const NEAR: f64 = 0.1;

impl<A: Fn(f64) -> Option<DMatrix<Complex<f64>>>> PrincipalRoot<A> {
    /// The root at `ωh = 0`, where `ζ = 1`; `amplification` returns the matrix at `ωh`.
    pub fn new(amplification: A) -> Self {
        let slope = Complex::new(0.0, 1.0);
        Self { amplification, omega_h: 0.0, logarithm: Complex::new(0.0, 0.0), slope, lost: false }
    }

    /// `ln ζ` at `omega_h`, which must not be below the previous one. None once the root has met another one, and for
    /// a method without a matrix.
    pub fn advance(&mut self, omega_h: f64) -> Option<Complex<f64>> {
        while self.omega_h < omega_h && !self.lost {
            self.lost = self.next_piece(omega_h).is_none();
        }
        (!self.lost).then_some(self.logarithm)
    }

    /// Follows the root by one piece that does not pass `end`, halving its length until the root is distinct.
    fn next_piece(&mut self, end: f64) -> Option<()> {
        let mut length = (PIECE + GROWTH * self.omega_h).min(end - self.omega_h);
        loop {
            let next = if length == end - self.omega_h { end } else { self.omega_h + length };
            let expected = self.logarithm + self.slope * length;
            let roots = eigenvalues(&(self.amplification)(next)?);
            if let Some(root) = distinct_nearest(&roots, expected.exp()) {
                // relative to the expected root the argument is small, so the logarithm is on the right branch
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

/// The root nearest to the expected one, if it is near and the others are not.
fn distinct_nearest(roots: &[Complex<f64>], expected: Complex<f64>) -> Option<Complex<f64>> {
    let mut roots: Vec<_> = roots.iter().map(|&root| ((root - expected).norm(), root)).collect();
    roots.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let &(own, nearest) = roots.first()?;
    let is_near = own <= NEAR * expected.norm();
    let is_distinct = roots.get(1).is_none_or(|&(next, _)| own <= DISTINCT * next);
    (is_near && is_distinct).then_some(nearest)
}
