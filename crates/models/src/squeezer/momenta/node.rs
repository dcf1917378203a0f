//! A link by the motion of its origin and its momenta about it, and local coordinates for its angle.

use mbsbench_problem::{Scalar, parameters};

use crate::plane::{angle, cross, difference, sum, turned};
use crate::squeezer::links::Body;

/// Position and velocity of a link: those of one of its points, then those of its angle; m, rad, m/s, rad/s.
#[derive(Clone, Copy)]
pub(super) struct Motion<S> {
    pub(super) position: [S; 2],
    pub(super) angle: S,
    pub(super) velocity: [S; 2],
    pub(super) spin: S,
}

/// Position `(x, y, φ)` of a link's origin and its momenta: β (kg m/s) and γ about the origin (kg m²/s).
#[derive(Clone, Copy)]
pub(super) struct Node<S> {
    pub(super) position: [S; 2],
    pub(super) angle: S,
    pub(super) beta: [S; 2],
    pub(super) gamma: S,
}

impl<S: Scalar> Node<S> {
    /// Converts from the motion of the centre of mass: `β = m v_C`, `γ = s × β + I ω` with `s` from the
    /// origin to the centre.
    pub(super) fn of_centre(body: &Body, centre: &Motion<S>) -> Self {
        let lever = lever(centre.angle, body.centre);
        let beta = centre.velocity.map(|velocity| velocity * body.mass);
        Self {
            position: difference(centre.position, lever),
            angle: centre.angle,
            beta,
            gamma: cross(lever, beta) + centre.spin * body.inertia,
        }
    }

    /// Returns the motion of the centre of mass.
    pub(super) fn centre(&self, body: &Body) -> Motion<S> {
        let lever = lever(self.angle, body.centre);
        Motion {
            position: sum(self.position, lever),
            angle: self.angle,
            velocity: self.beta.map(|beta| beta / body.mass),
            spin: (self.gamma - cross(lever, self.beta)) / body.inertia,
        }
    }

    /// Velocity of the origin and angular velocity.
    pub(super) fn velocities(&self, body: &Body) -> ([S; 2], S) {
        let Motion { velocity, spin, .. } = self.centre(body);
        let lever = lever(self.angle, body.centre);
        (difference(velocity, across(lever).map(|x| x * spin)), spin)
    }
}

/// Vector from the origin of a link at `angle` to a point of its frame.
pub(super) fn lever<S: Scalar>(angle: S, point: [f64; 2]) -> [S; 2] {
    turned(angle.sin_cos(), point.map(S::from))
}

/// The vector rotated to the left by a right angle: the rate of a lever at unit angular velocity.
pub(super) fn across<S: Scalar>([x, y]: [S; 2]) -> [S; 2] {
    [-y, x]
}

parameters! {
    /// The local coordinate `g` of a link's angle `φ` from a reference.
    #[derive(Copy, Default, Eq)]
    pub enum Rotations {
        /// The angle itself, `g = φ`.
        #[default]
        Angles,
        /// The Cayley–Gibbs–Rodrigues parameter in the plane, `g = 2 tan(φ/2)`.
        Rodrigues,
    }
}

impl Rotations {
    /// Returns the angle of `g`, rad; within ±π.
    pub(super) fn angle<S: Scalar>(self, g: S) -> S {
        match self {
            Self::Angles => g,
            Self::Rodrigues => {
                let (square, slope) = (g * g * 0.25, self.slope(g));
                angle(g * slope, (-square + 1.0) * slope)
            }
        }
    }

    /// Returns the local coordinate of an angle.
    pub(super) fn coordinate<S: Scalar>(self, angle: S) -> S {
        match self {
            Self::Angles => angle,
            Self::Rodrigues => {
                let (sin, cos) = (angle * 0.5).sin_cos();
                sin / cos * 2.0
            }
        }
    }

    /// Returns `dφ/dg`, which is `1/(1 + g²/4)` for `Rodrigues`.
    pub(super) fn slope<S: Scalar>(self, g: S) -> S {
        match self {
            Self::Angles => S::from(1.0),
            Self::Rodrigues => (g * g * 0.25 + 1.0).recip(),
        }
    }

    /// Returns `d²φ/dg²`.
    pub(super) fn curvature<S: Scalar>(self, g: S) -> S {
        match self {
            Self::Angles => S::zero(),
            Self::Rodrigues => -(g * self.slope(g).powi(2) * 0.5),
        }
    }
}
