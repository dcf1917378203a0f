//! Stiffness of an elliptic contact by Hertz's theory, with complete elliptic integrals (K. L. Johnson, Contact
//! Mechanics, section 4.2).

use std::f64::consts::PI;

use crate::iteration::bisect;

/// Complete elliptic integrals of the first and second kind, `K(m)` and `E(m)` with the parameter `m = e²` below one,
/// computed to roundoff by the arithmetic-geometric mean.
pub fn complete_elliptic(m: f64) -> (f64, f64) {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    let (mut sum, mut weight) = (0.5 * m, 1.0);
    // Convergence is quadratic: six iterations suffice for every double below one, and the rest only change roundoff.
    for _ in 0..8 {
        let half = 0.5 * (a - b);
        sum += weight * half * half;
        weight *= 2.0;
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let first = 0.5 * PI / a;
    (first, first * (1.0 - sum))
}

/// Returns the stiffness `k` (N/m^1.5) of a contact with the force `k δ^1.5`.
///
/// `modulus` is the contact modulus `E*` (Pa) of both bodies, `1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂`; `curvatures` are
/// half the sums of the principal curvatures of both bodies, `A` and `B` in `z = A x² + B y²` (1/m), both positive.
/// With the eccentricity `e` of the ellipse, for which `(E/(1 − e²) − K)/(K − E) = B/A`,
///
/// ```text
/// k = 2π/3 E* √((K − E)/A) / (e K^1.5),   A ≤ B
/// ```
pub fn stiffness(modulus: f64, curvatures: [f64; 2]) -> f64 {
    let (a, b) = (curvatures[0].min(curvatures[1]), curvatures[0].max(curvatures[1]));
    if b <= a * (1.0 + 1e-7) {
        return 4.0 / 3.0 * modulus * (0.5 / (a * b).sqrt()).sqrt(); // a circle; K − E has lost its digits there
    }
    let m = eccentricity_square(b / a);
    let (first, second) = complete_elliptic(m);
    2.0 * PI / 3.0 * modulus * ((first - second) / (a * m)).sqrt() / first.powf(1.5)
}

/// Returns `e²` of the ellipse for a ratio of curvatures above one, by bisection in the ratio of its axes.
fn eccentricity_square(ratio: f64) -> f64 {
    let curvature_ratio = |axes: f64| {
        let m = (1.0 - axes) * (1.0 + axes);
        let (first, second) = complete_elliptic(m);
        (second / (axes * axes) - first) / (first - second)
    };
    let [low, high] = bisect(1e-9, 1.0, |axes| curvature_ratio(axes) > ratio);
    let middle = 0.5 * (low + high);
    (1.0 - middle) * (1.0 + middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// Abramowitz and Stegun, tables 17.1 and 17.2.
    #[test]
    fn complete_integrals_match_tables() {
        let table = [
            (0.0, 0.5 * PI, 0.5 * PI),
            (0.1, 1.612_441_348_720_219, 1.530_757_636_897_763),
            (0.5, 1.854_074_677_301_372, 1.350_643_881_047_675),
            (0.9, 2.578_092_113_348_173, 1.104_774_732_704_073),
            (0.99, 3.695_637_362_989_875, 1.015_993_545_025_224),
        ];
        for (m, first, second) in table {
            let (k, e) = complete_elliptic(m);
            assert_relative_eq!(k, first, max_relative = 1e-15);
            assert_relative_eq!(e, second, max_relative = 1e-14);
        }
    }

    /// Legendre's relation `E K' + E' K − K K' = π/2`.
    #[test]
    fn integrals_keep_the_relation_of_legendre() {
        for m in [1e-6, 0.01, 0.3, 0.7, 0.999] {
            let ((k, e), (k_dual, e_dual)) = (complete_elliptic(m), complete_elliptic(1.0 - m));
            assert_relative_eq!(e * k_dual + e_dual * k - k * k_dual, 0.5 * PI, max_relative = 1e-13);
        }
    }

    #[test]
    fn a_sphere_on_a_plane_is_the_limit_of_a_circle() {
        let radius = 0.02;
        let expected = 4.0 / 3.0 * 1e11 * f64::sqrt(radius);
        assert_relative_eq!(stiffness(1e11, [0.5 / radius; 2]), expected, max_relative = 1e-15);
        let nearly = stiffness(1e11, [0.5 / radius, 0.5 / radius * 1.0001]);
        assert_relative_eq!(nearly, expected * 1.0001f64.powf(-0.25), max_relative = 1e-7);
    }

    /// Fits by B. J. Hamrock and D. Dowson, accurate to three per cent: `k_ell = 1.0339 r^0.636`,
    /// `E = 1.0003 + 0.5968/r`, `F = 1.5277 + 0.6023 ln r` with the ratio `r` of radii.
    #[test]
    fn ellipses_are_near_published_fits() {
        for ratio in [2.0, 10.0, 50.0] {
            let (a, b) = (10.0, 10.0 * ratio);
            let radius = 0.5 / (a + b);
            let axes = 1.0339 * f64::powf(ratio, 0.636);
            let (second, first): (f64, f64) = (1.0003 + 0.5968 / ratio, 1.5277 + 0.6023 * f64::ln(ratio));
            let fit = PI * axes * 2.0 * (2.0 * second * radius / (9.0 * first.powi(3))).sqrt();
            assert_relative_eq!(stiffness(1.0, [a, b]), fit, max_relative = 0.03);
        }
    }
}
