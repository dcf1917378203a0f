//! The links of the squeezer, in their local frames.

use mbsbench_problem::{Scalar, parameters};

parameters! {
    /// A link with two pins: the first in the origin of its frame, the second on the `x` axis.
    #[derive(Copy)]
    pub struct Link {
        /// Distance of the two pins.
        pub length: f64 [above 0.0, unit "m"],
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"],
        /// Centre of mass in the local frame.
        pub centre: [f64; 2] [unit "m"],
        /// Moment of inertia about the centre of mass.
        pub inertia: f64 [above 0.0, unit "kg m²"],
    }
}

impl Link {
    /// Moment of inertia (kg m²) about the first pin.
    pub(super) fn inertia_about_first_pin<S: Scalar>(&self) -> S {
        about_point(self.mass, self.inertia, self.centre.map(S::from))
    }

    /// From the second pin to the centre of mass, in the local frame, m.
    pub(super) fn lever_about_second_pin<S: Scalar>(&self) -> [S; 2] {
        let [x, y] = self.centre.map(S::from);
        [x - self.length, y]
    }
}

parameters! {
    /// The link E-B-D with three pins: E in the origin of its frame, B on the `y` axis.
    #[derive(Copy)]
    pub struct Plate {
        /// Distance from E to B.
        pub length: f64 [above 0.0, unit "m"],
        /// The point D, where the spring is, in the local frame.
        pub spring: [f64; 2] [unit "m"],
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"],
        /// Centre of mass in the local frame.
        pub centre: [f64; 2] [unit "m"],
        /// Moment of inertia about the centre of mass.
        pub inertia: f64 [above 0.0, unit "kg m²"],
    }
}

impl Plate {
    /// Moment of inertia (kg m²) about B.
    pub(super) fn inertia_about_b<S: Scalar>(&self) -> S {
        about_point(self.mass, self.inertia, self.lever_about_b(self.centre))
    }

    /// From B to a point of the local frame, m.
    pub(super) fn lever_about_b<S: Scalar>(&self, [x, y]: [f64; 2]) -> [S; 2] {
        [S::from(x), S::from(y) - self.length]
    }
}

/// Moment of inertia (kg m²) about a point whose distance from the centre of mass is `lever`.
fn about_point<S: Scalar>(mass: f64, inertia: f64, lever: [S; 2]) -> S {
    (lever[0] * lever[0] + lever[1] * lever[1]) * mass + inertia
}

/// `vector` turned by the angle of this sine and cosine.
pub(super) fn turned<S: Scalar>((sin, cos): (S, S), vector: [S; 2]) -> [S; 2] {
    [cos * vector[0] - sin * vector[1], sin * vector[0] + cos * vector[1]]
}

/// The sum of two vectors.
pub(super) fn sum<S: Scalar>(a: [S; 2], b: [S; 2]) -> [S; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

/// `a − b`.
pub(super) fn difference<S: Scalar>(a: [S; 2], b: [S; 2]) -> [S; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

/// `a × b`, which is positive where `b` is on the left of `a`.
pub(super) fn cross<S: Scalar>(a: [S; 2], b: [S; 2]) -> S {
    a[0] * b[1] - a[1] * b[0]
}

/// `a · b`.
pub(super) fn dot<S: Scalar>(a: [S; 2], b: [S; 2]) -> S {
    a[0] * b[0] + a[1] * b[1]
}
