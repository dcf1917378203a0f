//! How a rotation in the plane is described by a number.

use mbsbench_problem::{Scalar, parameters};

use crate::plane::angle;

parameters! {
    /// The local coordinate `g` of a link's angle `φ` from a reference.
    #[derive(Copy, Default, Eq)]
    pub enum Rotations {
        /// `g = φ`.
        #[default]
        Angles,
        /// `g = 2 tan(φ/2)`, which is what Cayley–Gibbs–Rodrigues parameters are in the plane.
        Rodrigues,
    }
}

impl Rotations {
    /// The angle that `g` stands for, rad; between ±π.
    pub(super) fn angle<S: Scalar>(self, g: S) -> S {
        match self {
            Self::Angles => g,
            Self::Rodrigues => {
                let (square, slope) = (g * g * 0.25, self.slope(g));
                angle(g * slope, (-square + 1.0) * slope)
            }
        }
    }

    /// The local coordinate of an angle.
    pub(super) fn coordinate<S: Scalar>(self, angle: S) -> S {
        match self {
            Self::Angles => angle,
            Self::Rodrigues => {
                let (sin, cos) = (angle * 0.5).sin_cos();
                sin / cos * 2.0
            }
        }
    }

    /// `dφ/dg`, which for Rodrigues is `1/(1 + g²/4)`.
    pub(super) fn slope<S: Scalar>(self, g: S) -> S {
        match self {
            Self::Angles => S::from(1.0),
            Self::Rodrigues => (g * g * 0.25 + 1.0).recip(),
        }
    }

    /// `d²φ/dg²`.
    pub(super) fn curvature<S: Scalar>(self, g: S) -> S {
        match self {
            Self::Angles => S::nought(),
            Self::Rodrigues => -(g * self.slope(g).powi(2) * 0.5),
        }
    }
}
