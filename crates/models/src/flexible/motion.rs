//! Positions, orientations and velocities of nodes, and loads on them.

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::so3::{rotation, skew, tangent, tangent_derivative};
use super::{RigidBody, Twist, Wrench};

/// Number of a node's position unknowns: `x`, `g`.
pub(super) const POSITIONS: usize = 6;

/// Number of a node's unknowns: `x`, `g`, momentum β, angular momentum γ.
pub(super) const UNKNOWNS: usize = 12;

/// Pose of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pose<S> {
    /// Position, m.
    pub x: Vector3<S>,
    /// Orientation; columns are axes of the node.
    pub r: Matrix3<S>,
}

/// Pose and velocities of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Motion<S> {
    /// Pose.
    pub pose: Pose<S>,
    /// Velocities.
    pub twist: Twist<S>,
    /// Parameters `g` of the rotation from the chart.
    pub g: Vector3<S>,
    /// Rates of the parameters.
    pub g_rate: Vector3<S>,
    /// Tangent map `G(g)`, from rates to angular velocity.
    pub tangent: Matrix3<S>,
}

impl<S: Scalar> Pose<S> {
    /// The origin and axes of the ground.
    pub fn ground() -> Self {
        Self { x: Vector3::from_element(S::zero()), r: identity() }
    }
}

impl<S: Scalar> Motion<S> {
    /// Returns the motion of a node with reference orientation `reference`, from its positions `(x, g)`
    /// and their rates.
    pub fn new(reference: &Matrix3<S>, positions: &[S], rates: &[S]) -> Self {
        let ((x, g), (x_rate, g_rate)) = (pair(positions), pair(rates));
        let tangent = tangent(&g);
        let pose = Pose { x, r: rotation(&g) * reference };
        Self { pose, twist: Twist { linear: x_rate, angular: tangent * g_rate }, g, g_rate, tangent }
    }

    /// Returns the motion of a node at rest, in a chart about its pose.
    pub fn still(pose: &Pose<S>) -> Self {
        let zeros = [S::zero(); POSITIONS];
        Self { pose: *pose, ..Self::new(&pose.r, &zeros, &zeros) }
    }

    /// Converts derivatives by displacements and rotations of the node (columns 1 to 3 and 4 to 6) into derivatives
    /// by `x` and `g`.
    #[inline]
    pub fn in_chart(&self, matrix: &mut Matrix6<S>) {
        for i in 0..POSITIONS {
            let row = Vector3::new(matrix[(i, 3)], matrix[(i, 4)], matrix[(i, 5)]);
            let turned = self.tangent.tr_mul(&row);
            (0..3).for_each(|k| matrix[(i, 3 + k)] = turned[k]);
        }
    }
}

/// Splits six numbers into two vectors.
#[inline]
pub(super) fn pair<S: Scalar>(numbers: &[S]) -> (Vector3<S>, Vector3<S>) {
    (Vector3::from_column_slice(&numbers[..3]), Vector3::from_column_slice(&numbers[3..6]))
}

/// Joins two vectors.
#[inline]
pub(super) fn stacked<S: Scalar>(first: &Vector3<S>, second: &Vector3<S>) -> Vector6<S> {
    Vector6::new(first.x, first.y, first.z, second.x, second.y, second.z)
}

/// Joins four blocks.
#[inline]
pub(super) fn blocks<S: Scalar>(rows: [[Matrix3<S>; 2]; 2]) -> Matrix6<S> {
    Matrix6::from_fn(|i, j| rows[i / 3][j / 3][(i % 3, j % 3)])
}

/// The unit matrix.
#[inline]
pub(super) fn identity<S: Scalar>() -> Matrix3<S> {
    Matrix3::from_diagonal_element(S::from(1.0))
}

/// The zero matrix.
#[inline]
pub(super) fn zeros<S: Scalar>() -> Matrix3<S> {
    Matrix3::from_element(S::zero())
}

/// The inertia of all bodies on a node, in the node frame or, [`turned`](Inertia::turned), in the ground frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inertia<S> {
    /// Mass, kg.
    pub mass: S,
    /// First moment of mass about the node, kg m: `S₀`, or `S = R S₀` in the ground frame.
    pub first: Vector3<S>,
    /// Inertia about the node, kg m²: `J₀`, or `J = R J₀ Rᵀ` in the ground frame.
    pub second: Matrix3<S>,
}

/// Derivatives of the momenta of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MomentumDerivatives<S> {
    /// Derivatives by the rates `(x', g')`.
    pub by_rates: Matrix6<S>,
    /// Derivatives by the positions `(x, g)`.
    pub by_positions: Matrix6<S>,
}

impl<S: Scalar> Inertia<S> {
    /// No inertia.
    pub fn zero() -> Self {
        Self { mass: S::zero(), first: Vector3::from_element(S::zero()), second: zeros() }
    }

    /// Adds a body.
    pub fn with(mut self, body: &RigidBody) -> Self {
        let (mass, offset) = (S::from(body.mass), body.offset.map(S::from));
        let arm = skew(&offset);
        self.mass += mass;
        self.first += offset * mass;
        self.second += body.inertia.map(S::from) - arm * arm * mass;
        self
    }

    /// Returns the inertia in the ground frame, for a node with orientation `r`.
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

    /// Returns the velocities that belong to momenta.
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

    /// Derivative of the moment of [`weight`](Self::weight) by a small rotation of the node; that of the force is zero.
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

/// The inverse of a non-singular matrix of order three.
fn inverse<S: Scalar>(matrix: &Matrix3<S>) -> Matrix3<S> {
    let [a, b, c] = [0, 1, 2].map(|j| matrix.column(j).into_owned());
    let rows = [b.cross(&c), c.cross(&a), a.cross(&b)];
    let scale = a.dot(&rows[0]).recip();
    Matrix3::from_fn(|i, j| rows[i][j] * scale)
}
