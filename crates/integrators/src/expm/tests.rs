//! Known exponentials, and random ones compared with double-double arithmetic.

use mbsbench_problem::{DoubleDouble, Scalar};

use super::*;

fn exponential(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let mut workspace = MatrixExponential::new(matrix.nrows(), false);
    let mut result = DMatrix::from_element(matrix.nrows(), matrix.nrows(), f64::NAN);
    workspace.evaluate(matrix, &mut result).unwrap();
    result
}

fn norm(matrix: &DMatrix<f64>) -> f64 {
    matrix.column_iter().map(|column| column.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

fn distance(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    norm(&(a - b)) / norm(b)
}

/// The exponential by a Taylor series of the matrix over 2ˢ and squarings, in double-double precision.
fn reference(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let n = matrix.nrows();
    let product = |a: &DMatrix<DoubleDouble>, b: &DMatrix<DoubleDouble>| {
        DMatrix::from_fn(n, n, |i, j| (0..n).map(|k| a[(i, k)] * b[(k, j)]).sum::<DoubleDouble>())
    };
    let squarings = (norm(matrix).log2().ceil() as i32 + 2).max(0);
    let scaled = matrix.map(|x| DoubleDouble::from(x) * 2f64.powi(-squarings));
    let identity = DMatrix::from_fn(n, n, |i, j| DoubleDouble::from(f64::from(i == j)));
    let (mut sum, mut term) = (identity.clone(), identity);
    // 2⁻²ᵏ/k! is below 1e-32 from k = 20 on
    for k in 1..=24 {
        term = product(&term, &scaled).map(|x| x / f64::from(k));
        sum.zip_apply(&term, |sum, term| *sum += term);
    }
    for _ in 0..squarings {
        sum = product(&sum, &sum);
    }
    sum.map(Scalar::value)
}

/// Pseudo-random numbers in [−1, 1].
fn noise(n: usize, seed: u64) -> DMatrix<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    DMatrix::from_fn(n, n, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / 2f64.powi(52) - 1.0
    })
}

#[test]
fn nilpotent() {
    // e^N = I + N + N²/2 + N³/6
    let n = DMatrix::from_fn(4, 4, |i, j| if j == i + 1 { (i + 1) as f64 * 3.0 } else { 0.0 });
    let expected = DMatrix::identity(4, 4) + &n + &n * &n / 2.0 + &n * &n * &n / 6.0;
    assert!(distance(&exponential(&n), &expected) < 1e-14);
    assert_eq!(exponential(&DMatrix::zeros(3, 3)), DMatrix::identity(3, 3));
    assert_eq!(exponential(&DMatrix::zeros(0, 0)).nrows(), 0);
}

#[test]
fn rotations() {
    for angle in [1e-3, 0.2, 0.9, 2.0, 4.8, 30.0] {
        let generator = DMatrix::from_row_slice(2, 2, &[0.0, -angle, angle, 0.0]);
        let (s, c): (f64, f64) = f64::sin_cos(angle);
        let expected = DMatrix::from_row_slice(2, 2, &[c, -s, s, c]);
        // a relative error of 2⁻⁵³ in the angle is amplified by the condition of the problem
        assert!(distance(&exponential(&generator), &expected) < 1e-15 * (4.0 + angle), "{angle}");
    }
}

#[test]
fn known_eigenvectors() {
    // C. Moler, C. Van Loan, SIAM Review 45 (2003) 3–49, section 3: eigenvalues −1 and −17, for which the Taylor
    // series fails
    let a = DMatrix::from_row_slice(2, 2, &[-49.0, 24.0, -64.0, 31.0]);
    let (slow, fast) = ((-1f64).exp(), (-17f64).exp());
    let entries = [3.0 * fast - 2.0 * slow, 1.5 * (slow - fast), 4.0 * (fast - slow), 3.0 * slow - 2.0 * fast];
    // condition: the eigenvectors (1 2), (3 4) magnify the rounding of A, 113 · 1.1e-16, by about ten
    assert!(distance(&exponential(&a), &DMatrix::from_row_slice(2, 2, &entries)) < 1e-13);
    let diagonal = DMatrix::from_diagonal(&nalgebra::DVector::from_row_slice(&[-700.0, -3.0, 0.0, 1e-20, 2.0]));
    let result = exponential(&diagonal);
    for i in 0..5 {
        let expected = diagonal[(i, i)].exp();
        // 2⁻⁵³ in the exponent, which is up to 700, and eight squarings
        assert!((result[(i, i)] - expected).abs() <= 1e-13 * expected, "{i}");
    }
}

#[test]
fn defective() {
    for lambda in [-30.0, -1.0, 0.5, 6.0] {
        let jordan = DMatrix::from_fn(3, 3, |i, j| match j.wrapping_sub(i) {
            0 => lambda,
            1 => 1.0,
            _ => 0.0,
        });
        let e = f64::exp(lambda);
        let expected = DMatrix::from_row_slice(3, 3, &[e, e, e / 2.0, 0.0, e, e, 0.0, 0.0, e]);
        // λ carries a relative error of 2⁻⁵³, and each of up to three squarings doubles that of the result
        assert!(distance(&exponential(&jordan), &expected) < 1e-14 * (1.0 + f64::abs(lambda) / 4.0), "{lambda}");
    }
}

#[test]
fn badly_scaled() {
    // e^(1 b; 0 −1) = (e, b sinh 1; 0, 1/e)
    for b in [1e3, 1e6, 1e9] {
        let a = DMatrix::from_row_slice(2, 2, &[1.0, b, 0.0, -1.0]);
        let one = 1f64;
        let expected = DMatrix::from_row_slice(2, 2, &[one.exp(), b * one.sinh(), 0.0, (-one).exp()]);
        // Overscaling: s squarings of numbers near one lose 2ˢ · 2⁻⁵³ ≈ b/5 · 1e-16.
        assert!(distance(&exponential(&a), &expected) < 1e-14 + 1e-16 * b, "{b:e}");
    }
}

#[test]
fn random_matrices_of_all_degrees() {
    let mut seed = 0;
    for n in [1, 2, 5, 9, 13] {
        for size in [1e-5, 0.01, 0.2, 0.8, 1.9, 4.0, 20.0] {
            seed += 1;
            let a = noise(n, seed);
            let a = &a * (size / norm(&a));
            let error = distance(&exponential(&a), &reference(&a));
            // e^20: the denominator at 5 has 75-fold cancellation, fully visible in a 1 × 1 matrix, and two squarings
            // follow.
            let limit = if n == 1 && size > 5.0 { 4e-14 } else { 1e-14 };
            assert!(error < limit, "{n} × {n} of norm {size}: {error:e}");
            let back = exponential(&a) * exponential(&-&a);
            let conditioned = norm(&exponential(&a)) * norm(&exponential(&-&a));
            assert!(norm(&(back - DMatrix::identity(n, n))) < 1e-14 * conditioned, "{n} × {n} of norm {size}");
        }
    }
}

#[test]
fn counts_its_operations() {
    let mut workspace = MatrixExponential::new(3, false);
    let mut result = DMatrix::zeros(3, 3);
    let mut costs = |norm: f64| {
        let before = workspace.costs;
        workspace.evaluate(&DMatrix::from_diagonal_element(3, 3, norm), &mut result).unwrap();
        let after = workspace.costs;
        assert_eq!(
            (after.matrix_exponentials - before.matrix_exponentials, after.linear_solves - before.linear_solves),
            (1, 3)
        );
        (after.matrix_products - before.matrix_products, after.matrix_squarings - before.matrix_squarings)
    };
    assert_eq!(costs(0.014), (2, 0));
    assert_eq!(costs(0.25), (3, 0));
    assert_eq!(costs(0.95), (4, 0));
    assert_eq!(costs(2.09), (5, 0));
    assert_eq!(costs(5.37), (6, 0));
    assert_eq!(costs(5.38), (6, 1));
    assert_eq!(costs(43.0), (6, 4), "43 > 8 θ₁₃");
}

#[test]
fn non_finite_matrices_have_no_exponential() {
    let mut workspace = MatrixExponential::new(2, false);
    let mut result = DMatrix::zeros(2, 2);
    for entry in [f64::NAN, f64::INFINITY, f64::MAX] {
        assert!(workspace.evaluate(&DMatrix::from_element(2, 2, entry), &mut result).is_err());
    }
}

#[test]
fn balancing_keeps_the_digits_of_fast_oscillations() {
    for omega in [1.0f64, 242.76, 1e5] {
        let h = 3.7 / omega;
        let a = DMatrix::from_row_slice(2, 2, &[0.0, h, -h * omega * omega, 0.0]);
        let (s, c) = (h * omega).sin_cos();
        let mut workspace = MatrixExponential::new(2, true);
        let mut result = DMatrix::zeros(2, 2);
        workspace.evaluate(&a, &mut result).unwrap();
        assert_eq!(workspace.costs.matrix_squarings, 0);
        let expected = [c, s / omega, -omega * s, c];
        let scales = [1.0, 1.0 / omega, omega, 1.0];
        for (k, (expected, scale)) in expected.into_iter().zip(scales).enumerate() {
            // eight roundings of numbers of this scale, and one of the angle 3.7
            assert!((result[(k / 2, k % 2)] - expected).abs() < 4e-15 * scale, "{omega}, entry {k}");
        }
    }
    for seed in 1..20 {
        let random = noise(6, seed);
        let a = DMatrix::from_fn(6, 6, |i, j| random[(i, j)] * 10f64.powi(i as i32 - j as i32));
        let mut result = DMatrix::zeros(6, 6);
        let mut workspace = MatrixExponential::new(6, true);
        workspace.evaluate(&a, &mut result).unwrap();
        let expected = reference(&a);
        for i in 0..6 {
            for j in 0..6 {
                // each entry relative to its own scale
                let error = (result[(i, j)] - expected[(i, j)]).abs() * 10f64.powi(j as i32 - i as i32);
                assert!(error < 1e-13, "{seed}: {error:e}");
            }
        }
    }
}
