//! Angles from their sines and cosines, in any scalar.

use mbsbench_problem::Scalar;

/// The angle within ±π with this sine and cosine: the double nearest to it, and one Newton step in the scalar's
/// precision. First and second derivatives by dual numbers are those of the arc; third ones are not.
pub(crate) fn angle<S: Scalar>(sine: S, cosine: S) -> S {
    let near = S::from(sine.value().atan2(cosine.value()));
    let (sin, cos) = near.sin_cos();
    near + (sine * cos - cosine * sin)
}
