//! Tests of the coefficients.

use nalgebra::{Complex, Matrix3};

use super::collocation::Collocation;
use super::tableau::{COMPLEX, ERROR, FROM_STAGES, NODES, REAL, ROWS, TO_STAGES, stability};
use crate::conditions::order;

fn matrix(rows: &[[f64; 3]; 3]) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| rows[i][j])
}

#[test]
fn the_formula_has_order_five_and_not_six() {
    let rows: Vec<Vec<f64>> = ROWS.iter().map(|row| row.to_vec()).collect();
    for tolerance in [1e-15, 1e-4] {
        assert_eq!(order(&rows, &ROWS[2], 7, tolerance), 5);
    }
}

/// `Σⱼ aᵢⱼ cⱼ^{q−1} = cᵢ^q/q` holds for `q` up to 3, so that the stages are collocation points, and fails for 4.
#[test]
fn the_stages_have_order_three_and_not_four() {
    let residual = |q: i32| {
        let of_stage = |row: &[f64; 3], node: f64| {
            let sum: f64 = row.iter().zip(NODES).map(|(a, c)| a * c.powi(q - 1)).sum();
            (sum - node.powi(q) / f64::from(q)).abs()
        };
        ROWS.iter().zip(NODES).map(|(row, node)| of_stage(row, node)).fold(0.0, f64::max)
    };
    for q in 1..=3 {
        assert!(residual(q) < 1e-15, "{q}: {:e}", residual(q));
    }
    assert!(residual(4) > 1e-3);
}

#[test]
fn the_transformation_block_diagonalises_the_inverse() {
    let (to, from) = (matrix(&TO_STAGES), matrix(&FROM_STAGES));
    assert!((from * to - Matrix3::identity()).amax() < 1e-14);
    let inverse = matrix(&ROWS).try_inverse().expect("it is regular");
    let blocks = Matrix3::new(REAL, 0.0, 0.0, 0.0, COMPLEX.re, -COMPLEX.im, 0.0, COMPLEX.im, COMPLEX.re);
    let residual = from * inverse * to - blocks;
    assert!(residual.amax() < 3e-14, "{residual}");
    let cube = |x: f64| x.cbrt();
    assert!((REAL - 30.0 / (6.0 + cube(81.0) - cube(9.0))).abs() < 1e-15);
    let length: f64 = TO_STAGES.iter().map(|row| row[0] * row[0]).sum();
    assert!((length - 1.0).abs() < 1e-14);
}

/// The Padé approximation of the exponential with numerator degree two and denominator degree three.
#[test]
fn the_stability_function_is_a_subdiagonal_pade_approximation() {
    for z in [Complex::new(-1.0, 0.5), Complex::new(0.0, 3.0), Complex::new(-30.0, 7.0)] {
        let above = 1.0 + z * 0.4 + z * z / 20.0;
        let below = 1.0 - z * 0.6 + z * z * 0.15 - z * z * z / 60.0;
        assert!((stability(z) - above / below).norm() < 1e-14, "{z}");
    }
}

#[test]
fn the_formula_is_l_stable() {
    // the poles are the eigenvalues of A⁻¹, in the right half plane; the maximum principle implies the rest
    let inverse = matrix(&ROWS).try_inverse().expect("it is regular");
    assert!(inverse.complex_eigenvalues().iter().all(|root| root.re > 0.0));
    for k in 0..=1100 {
        let omega = 10f64.powf(f64::from(k) / 100.0 - 3.0);
        assert!(stability(Complex::new(0.0, omega)).norm() <= 1.0 + 1e-14, "{omega}");
    }
    for z in [1e4, 1e6, 1e8] {
        assert!(stability(Complex::new(-z, 0.0)).norm() < 4.0 / z, "{z}");
    }
}

/// With `Σ eᵢ cᵢ^q = 0` for `q` = 2 and 3 and `Σ eᵢ cᵢ = −1`, the estimate is `O(h⁴)`.
#[test]
fn the_error_estimate_is_of_order_three() {
    let moment = |q: i32| ERROR.iter().zip(NODES).map(|(e, c)| e * c.powi(q)).sum::<f64>();
    assert!((moment(1) + 1.0).abs() < 1e-14);
    assert!(moment(2).abs() < 1e-14 && moment(3).abs() < 1e-14);
    assert!(moment(4).abs() > 1e-2);
}

#[test]
fn the_polynomial_through_the_stages_is_exact_for_cubics() {
    let cubic = |x: f64| 1.0 + x * (2.0 - x * (0.7 - 0.3 * x));
    let (start, h) = (0.4, 0.25);
    let mut collocation = Collocation::new(1);
    collocation.take(h, &NODES.map(|node| vec![cubic(start + node * h) - cubic(start)]));
    for s in [-1.0, -0.6, 0.0, 1.5] {
        let mut change = [f64::NAN];
        collocation.change(s, &mut change);
        let expected = cubic(start + (1.0 + s) * h) - cubic(start + h);
        // rounding of the values, up to 400 times as large at s = 1.5
        assert!((change[0] - expected).abs() < 1e-13, "{s}");
    }
}
