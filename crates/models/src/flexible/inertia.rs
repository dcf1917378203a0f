//! Inertia of the bodies on a node.

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Matrix6, Vector3};

use super::motion::{Motion, blocks, identity, zeros};
use super::so3::{skew, tangent_derivative};
use super::{RigidBody, Twist, Wrench};

/// All bodies on a node as one, in the node frame or, [`turned`](Inertia::turned), in the ground frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inertia<S> {
    /// Mass, kg.
    pub mass: S,
    /// First moment of mass about the node, kg m: `S₀`, turned `S = R S₀`.
    pub first: Vector3<S>,
    /// Inertia about the node, kg m²: `J₀`, turned `J = R J₀ Rᵀ`.
    pub second: Matrix3<S>,
}

/// Derivatives of the momenta of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MomentumDerivatives<S> {
    /// By the rates `(x', g')`.
    pub by_rates: Matrix6<S>,
    /// By the positions `(x, g)`.
    pub by_positions: Matrix6<S>,
}

impl<S: Scalar> Inertia<S> {
    /// Nothing.
    pub fn zero() -> Self {
        Self { mass: S::nought(), first: Vector3::from_element(S::nought()), second: zeros() }
    }

    /// The same with a further body.
    pub fn with(mut self, body: &RigidBody) -> Self {
        let (mass, offset) = (S::from(body.mass), body.offset.map(S::from));
        let arm = skew(&offset);
        self.mass += mass;
        self.first += offset * mass;
        self.second += body.inertia.map(S::from) - arm * arm * mass;
        self
    }

    /// In the ground frame, for a node with orientation `r`.
    #[inline]
    pub fn turned(&self, r: &Matrix3<S>) -> Self {
        Self { mass: self.mass, first: r * self.first, second: r * self.second * r.transpose() }
    }

    /// Momentum `m v + ω × S` and angular momentum about the node `S × v + J ω`.
    #[inline]
    pub fn momentum(&self, twist: &Twist<S>) -> Wrench<S> {
        let Twist { linear: v, angular: omega } = twist;
        Wrench { force: v * self.mass + omega.cross(&self.first), moment: self.first.cross(v) + self.second * omega }
    }

    /// The velocities that have these momenta.
    pub fn twist(&self, momentum: &Wrench<S>) -> Twist<S> {
        let arm = skew(&self.first);
        let mass = self.mass.recip();
        let about_centre = self.second + arm * arm * mass;
        let angular = inverse(&about_centre) * (momentum.moment - self.first.cross(&momentum.force) * mass);
        Twist { linear: (momentum.force - angular.cross(&self.first)) * mass, angular }
    }

    /// Accelerations `v'`, `ω'` under rates of the momenta.
    pub fn acceleration(&self, twist: &Twist<S>, rates: &Wrench<S>) -> Twist<S> {
        let Twist { linear: v, angular: omega } = twist;
        let first_rate = omega.cross(&self.first);
        let steady = Wrench {
            force: omega.cross(&first_rate),
            moment: first_rate.cross(v) + omega.cross(&(self.second * omega)),
        };
        self.twist(&Wrench { force: rates.force - steady.force, moment: rates.moment - steady.moment })
    }

    /// Weight in the field `gravity`, m/s².
    #[inline]
    pub fn weight(&self, gravity: &Vector3<S>) -> Wrench<S> {
        Wrench { force: gravity * self.mass, moment: self.first.cross(gravity) }
    }

    /// Derivative of the moment of [`weight`](Self::weight) by a small turn of the node; the force has none.
    pub fn weight_by_turn(&self, gravity: &Vector3<S>) -> Matrix3<S> {
        skew(gravity) * skew(&self.first)
    }

    /// Derivatives of the [`momentum`](Self::momentum) by coordinates and rates in the chart.
    pub fn derivatives(&self, motion: &Motion<S>) -> MomentumDerivatives<S> {
        let Motion { twist: Twist { linear: v, angular: omega }, g, g_rate, tangent, .. } = motion;
        let (arm, spin) = (skew(&self.first), skew(omega));
        let omega_by_g = tangent_derivative(g, g_rate);
        let by_turn = skew(v) * arm - skew(&(self.second * omega)) + self.second * spin;
        MomentumDerivatives {
            by_rates: blocks([[identity() * self.mass, -arm * tangent], [arm, self.second * tangent]]),
            by_positions: blocks([
                [zeros(), -arm * omega_by_g - spin * arm * tangent],
                [zeros(), self.second * omega_by_g + by_turn * tangent],
            ]),
        }
    }
}

/// The inverse of a symmetric matrix of rank three.
fn inverse<S: Scalar>(matrix: &Matrix3<S>) -> Matrix3<S> {
    let [a, b, c] = [0, 1, 2].map(|j| matrix.column(j).into_owned());
    let rows = [b.cross(&c), c.cross(&a), a.cross(&b)];
    let scale = a.dot(&rows[0]).recip();
    Matrix3::from_fn(|i, j| rows[i][j] * scale)
}
