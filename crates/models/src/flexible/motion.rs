//! Positions, orientations and velocities of nodes, and loads on them.

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::Twist;
use super::so3::{rotation, tangent};

/// Unknowns of a node that are positions: `x`, `g`.
pub(super) const POSITIONS: usize = 6;

/// Unknowns of a node: `x`, `g`, momentum β, angular momentum γ.
pub(super) const UNKNOWNS: usize = 12;

/// Where a node is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pose<S> {
    /// Position, m.
    pub x: Vector3<S>,
    /// Orientation; columns are axes of the node.
    pub r: Matrix3<S>,
}

/// Where a node is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Motion<S> {
    /// Where it is.
    pub pose: Pose<S>,
    /// Its velocities.
    pub twist: Twist<S>,
    /// Parameters of the rotation from the chart.
    pub g: Vector3<S>,
    /// Their rates.
    pub g_rate: Vector3<S>,
    /// `G(g)`, from rates to angular velocity.
    pub tangent: Matrix3<S>,
}

impl<S: Scalar> Pose<S> {
    /// The origin and axes of the ground.
    pub fn ground() -> Self {
        Self { x: Vector3::from_element(S::nought()), r: identity() }
    }
}

impl<S: Scalar> Motion<S> {
    /// A node with reference orientation `reference`, from its positions `(x, g)` and their rates.
    pub fn new(reference: &Matrix3<S>, positions: &[S], rates: &[S]) -> Self {
        let ((x, g), (x_rate, g_rate)) = (pair(positions), pair(rates));
        let tangent = tangent(&g);
        let pose = Pose { x, r: rotation(&g) * reference };
        Self { pose, twist: Twist { linear: x_rate, angular: tangent * g_rate }, g, g_rate, tangent }
    }

    /// A node that does not move, in a chart about where it is.
    pub fn still(pose: &Pose<S>) -> Self {
        let zeros = [S::nought(); POSITIONS];
        Self { pose: *pose, ..Self::new(&pose.r, &zeros, &zeros) }
    }

    /// Derivatives by displacements and turns of the node, in columns 1 to 3 and 4 to 6, as derivatives by `x` and `g`.
    #[inline]
    pub fn in_chart(&self, matrix: &mut Matrix6<S>) {
        for i in 0..POSITIONS {
            let row = Vector3::new(matrix[(i, 3)], matrix[(i, 4)], matrix[(i, 5)]);
            let turned = self.tangent.tr_mul(&row);
            (0..3).for_each(|k| matrix[(i, 3 + k)] = turned[k]);
        }
    }
}

/// The two vectors that six numbers are.
#[inline]
pub(super) fn pair<S: Scalar>(numbers: &[S]) -> (Vector3<S>, Vector3<S>) {
    (Vector3::from_column_slice(&numbers[..3]), Vector3::from_column_slice(&numbers[3..6]))
}

/// Two vectors as one.
#[inline]
pub(super) fn stacked<S: Scalar>(first: &Vector3<S>, second: &Vector3<S>) -> Vector6<S> {
    Vector6::new(first.x, first.y, first.z, second.x, second.y, second.z)
}

/// The matrix of four blocks.
#[inline]
pub(super) fn blocks<S: Scalar>(rows: [[Matrix3<S>; 2]; 2]) -> Matrix6<S> {
    let [[a, b], [c, d]] = rows;
    let columns = |upper: Matrix3<S>, lower: Matrix3<S>, j: usize| {
        stacked(&upper.column(j).into_owned(), &lower.column(j).into_owned())
    };
    Matrix6::from_columns(&[
        columns(a, c, 0),
        columns(a, c, 1),
        columns(a, c, 2),
        columns(b, d, 0),
        columns(b, d, 1),
        columns(b, d, 2),
    ])
}

/// The unit matrix.
#[inline]
pub(super) fn identity<S: Scalar>() -> Matrix3<S> {
    Matrix3::from_diagonal_element(S::from(1.0))
}

/// Zeros.
#[inline]
pub(super) fn zeros<S: Scalar>() -> Matrix3<S> {
    Matrix3::from_element(S::nought())
}
