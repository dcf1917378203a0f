//! Vectors and angles in the plane.

use mbsbench_problem::Scalar;

/// Returns `vector` rotated by the angle with this sine and cosine.
pub(crate) fn turned<S: Scalar>((sin, cos): (S, S), vector: [S; 2]) -> [S; 2] {
    [cos * vector[0] - sin * vector[1], sin * vector[0] + cos * vector[1]]
}

/// The sum of two vectors.
pub(crate) fn sum<S: Scalar>(a: [S; 2], b: [S; 2]) -> [S; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

/// Returns `a − b`.
pub(crate) fn difference<S: Scalar>(a: [S; 2], b: [S; 2]) -> [S; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

/// Returns `a × b`, which is positive if `b` is to the left of `a`.
pub(crate) fn cross<S: Scalar>(a: [S; 2], b: [S; 2]) -> S {
    a[0] * b[1] - a[1] * b[0]
}

/// Returns `a · b`.
pub(crate) fn dot<S: Scalar>(a: [S; 2], b: [S; 2]) -> S {
    a[0] * b[0] + a[1] * b[1]
}

/// A vector times a factor.
pub(crate) fn times<S: Scalar>(x: [S; 2], factor: S) -> [S; 2] {
    x.map(|x| x * factor)
}

/// The angle within ±π with this sine and cosine: the nearest double, and one Newton step in the scalar's precision.
/// First and second derivatives by dual numbers are correct; third derivatives are not.
pub(crate) fn angle<S: Scalar>(sine: S, cosine: S) -> S {
    let near = S::from(sine.value().atan2(cosine.value()));
    let (sin, cos) = near.sin_cos();
    near + (sine * cos - cosine * sin)
}
