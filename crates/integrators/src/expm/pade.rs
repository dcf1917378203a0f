//! Diagonal Padé approximants of the exponential.

/// The approximant `p(A)/p(−A)` of degree `m`, `p(x) = Σ b_j xʲ`.
pub(super) struct Approximant {
    /// θ_m: the largest norm with a backward error below 2⁻⁵³.
    pub(super) bound: f64,
    /// `b_j = (2m−j)! m! / (j! (m−j)!)`, divided by the last one.
    pub(super) coefficients: &'static [f64],
}

/// Degrees 3, 5, 7 and 9. Higham 2005, table 2.3 and (2.11).
pub(super) const LOW_DEGREES: [Approximant; 4] = [
    Approximant { bound: 1.495585217958292e-2, coefficients: &coefficients::<4>() },
    Approximant { bound: 2.53939833006323e-1, coefficients: &coefficients::<6>() },
    Approximant { bound: 9.504178996162932e-1, coefficients: &coefficients::<8>() },
    Approximant { bound: 2.097847961257068, coefficients: &coefficients::<10>() },
];

/// Degree 13.
pub(super) const DEGREE_13: Approximant = Approximant { bound: 5.371920351148152, coefficients: &coefficients::<14>() };

/// Returns the coefficients of degree `N − 1`, in integers by `b_j / b_{j+1} = (2m−j) (j+1) / (m−j)`.
const fn coefficients<const N: usize>() -> [f64; N] {
    let (m, mut integer, mut coefficients) = (N as u64 - 1, 1, [1.0; N]);
    let mut j = N - 1;
    while j > 0 {
        j -= 1;
        integer = integer * (2 * m - j as u64) * (j as u64 + 1) / (m - j as u64);
        coefficients[j] = integer as f64;
    }
    coefficients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_match_published_values() {
        assert_eq!(LOW_DEGREES[0].coefficients, [120.0, 60.0, 12.0, 1.0]);
        let of_degree_13 = [
            64764752532480000.0,
            32382376266240000.0,
            7771770303897600.0,
            1187353796428800.0,
            129060195264000.0,
            10559470521600.0,
            670442572800.0,
            33522128640.0,
            1323241920.0,
            40840800.0,
            960960.0,
            16380.0,
            182.0,
            1.0,
        ];
        assert_eq!(DEGREE_13.coefficients, of_degree_13);
    }

    /// The first term of `log(e⁻ˣ r(x)) = Σ c_k x^k`, `c_{2m+1} = (−1)^m (m!)²/((2m)! (2m+1)!)`, approximates the
    /// backward error `|c| θ^{2m+1} / θ` from below: it must be below 2⁻⁵³ and close to it.
    #[test]
    fn bounds_match_the_leading_term() {
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        for approximant in LOW_DEGREES.iter().chain([&DEGREE_13]) {
            let m = approximant.coefficients.len() as u32 - 1;
            let leading = factorial(m).powi(2) / (factorial(2 * m) * factorial(2 * m + 1));
            let error = leading * approximant.bound.powi(2 * m as i32);
            // The remaining terms have the same sign at worst; their weight grows with θ.
            assert!(error <= 0.5 * f64::EPSILON && error > 0.01 * f64::EPSILON, "degree {m}: {error:e}");
        }
    }
}
