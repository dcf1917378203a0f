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
    Approximant { bound: 1.495585217958292e-2, coefficients: &[120.0, 60.0, 12.0, 1.0] },
    Approximant { bound: 2.53939833006323e-1, coefficients: &[30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0] },
    Approximant {
        bound: 9.504178996162932e-1,
        coefficients: &[17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0],
    },
    Approximant {
        bound: 2.097847961257068,
        coefficients: &[
            17643225600.0,
            8821612800.0,
            2075673600.0,
            302702400.0,
            30270240.0,
            2162160.0,
            110880.0,
            3960.0,
            90.0,
            1.0,
        ],
    },
];

/// Degree 13.
pub(super) const DEGREE_13: Approximant = Approximant {
    bound: 5.371920351148152,
    coefficients: &[
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
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_match_the_formula() {
        for approximant in LOW_DEGREES.iter().chain([&DEGREE_13]) {
            let b = approximant.coefficients;
            let m = b.len() as u128 - 1;
            // b_j / b_{j+1} = (2m−j) (j+1) / (m−j), in integers
            assert_eq!(b[m as usize], 1.0);
            for j in 0..m {
                let (present, next) = (b[j as usize] as u128, b[j as usize + 1] as u128);
                assert_eq!(present * (m - j), next * (2 * m - j) * (j + 1), "degree {m}, j = {j}");
            }
        }
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
