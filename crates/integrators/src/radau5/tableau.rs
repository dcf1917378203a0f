//! Coefficients of the Radau IIA formula of order 5.

use nalgebra::{Complex, Matrix3, Vector3};

const SQRT_6: f64 = 2.449_489_742_783_178;

/// Nodes `c`, the zeros of the Radau polynomial of degree 3 (Hairer, Wanner, table IV.5.6).
pub const NODES: [f64; 3] = [(4.0 - SQRT_6) / 10.0, (4.0 + SQRT_6) / 10.0, 1.0];

/// Rows of `A`; the last row equals the weights (same table).
pub const ROWS: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * SQRT_6) / 360.0, (296.0 - 169.0 * SQRT_6) / 1800.0, (-2.0 + 3.0 * SQRT_6) / 225.0],
    [(296.0 + 169.0 * SQRT_6) / 1800.0, (88.0 + 7.0 * SQRT_6) / 360.0, (-2.0 - 3.0 * SQRT_6) / 225.0],
    [(16.0 - SQRT_6) / 36.0, (16.0 + SQRT_6) / 36.0, 1.0 / 9.0],
];

/// `γ̂`, the real eigenvalue of `A⁻¹`: `30/(6 + 81^(1/3) − 9^(1/3))`.
pub const REAL: f64 = 3.637_834_252_744_496;

/// `α̂ + iβ̂`, the complex eigenvalue of `A⁻¹` in the upper half plane.
pub const COMPLEX: Complex<f64> = Complex::new(2.681_082_873_627_752, 3.050_430_199_247_411);

/// `T`: its first column is the eigenvector of `γ̂`, of length one. The others are the real part and the negative
/// imaginary part of the eigenvector of `α̂ + iβ̂` whose last component is one (section IV.8). With `γ̂` and `Λ` on the
/// diagonal,
///
/// ```text
/// T⁻¹ A⁻¹ T = diag(γ̂, Λ),   Λ = (α̂ −β̂ ; β̂ α̂)
/// ```
pub const TO_STAGES: [[f64; 3]; 3] = [
    [0.091_232_394_870_892_94, -0.141_255_295_020_954_2, -0.030_029_194_105_147_424],
    [0.241_717_932_707_107, 0.204_129_352_293_799_93, 0.382_942_112_757_261_9],
    [0.966_048_182_615_093, 1.0, 0.0],
];

/// `T⁻¹`.
pub const FROM_STAGES: [[f64; 3]; 3] = [
    [4.325_579_890_063_155, 0.339_199_251_815_809_87, 0.541_770_539_935_874_9],
    [-4.178_718_591_551_905, -0.327_682_820_761_062_4, 0.476_623_554_500_550_45],
    [-0.502_872_634_945_786_9, 2.571_926_949_855_605, -0.596_039_204_828_224_9],
];

/// `e` of the error estimate `(γ̂/h M − J)⁻¹ (f(t₀, y₀) + M Σ eᵢ zᵢ/h)`, Eq. IV.8.19 with both sides divided by
/// `h γ₀ = h/γ̂`.
pub const ERROR: [f64; 3] = [(-13.0 - 7.0 * SQRT_6) / 3.0, (-13.0 + 7.0 * SQRT_6) / 3.0, -1.0 / 3.0];

/// `R(z) = 1 + z bᵀ (1 − z A)⁻¹ 𝟙`, the stability function.
pub fn stability(z: Complex<f64>) -> Complex<f64> {
    let rows = Matrix3::from_fn(|i, j| Complex::from(ROWS[i][j]));
    let ones = Vector3::from_element(Complex::from(1.0));
    let matrix = Matrix3::identity() - rows * z;
    let stages = matrix.lu().solve(&ones).expect("the poles of R lie in the right half plane");
    Complex::from(1.0) + z * rows.row(2).transpose().dot(&stages)
}
