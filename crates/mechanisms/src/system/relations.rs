//! Constraints of joints on the coordinates of bodies.

use mbsbench_problem::Scalar;

use crate::formula::Tree;
use crate::space::{Fixed, Frame, Space, Vector, minus};

/// A function of time; its only variable is the time.
pub type Law = Tree<()>;

/// One or several holonomic constraints.
#[derive(Debug, Clone, PartialEq)]
pub enum Relation {
    /// Common point: `p_a − p_b = 0`.
    Coincide(Fixed, Fixed),
    /// Distance: `(|p_a − p_b|² − L²)/(2 L) = 0`.
    Distance(Fixed, Fixed, f64),
    /// Displacement along a direction of the body of `a`: `u_a · (p_b − p_a) − f(t) = 0`.
    Along(Fixed, Fixed, Fixed, Law),
    /// Right angle between directions of two bodies, in space: `u_a · w_b = 0`.
    Square(Fixed, Fixed),
    /// Rotation of the second marker by `f` about a common axis, in space: `x_b · (y_a cos f(t) − x_a sin f(t)) = 0`,
    /// with directions `x`, `y` of the first marker and `x` of the second.
    Turned(Fixed, Fixed, Fixed, Law),
    /// Linear relation of angles, in the plane: `Σ cᵢ θᵢ − offset − f(t) = 0`.
    Angles(Vec<(usize, f64)>, f64, Law),
    /// Contact of a disk with the plane `z = 0`, from its centre and axis: `z − R √(1 − n_z²) = 0`.
    Standing(Fixed, Fixed, f64),
}

/// The last requested frames of bodies: successive joints mostly have a body in common.
pub struct Frames<'q, S, X> {
    pub(super) q: &'q [S],
    known: [(usize, Frame<S>); 2],
    next: usize,
    space: std::marker::PhantomData<X>,
}

impl<'q, S: Scalar, X: Space> Frames<'q, S, X> {
    /// Returns the frames of bodies with these coordinates.
    pub fn new(q: &'q [S]) -> Self {
        let zero = S::zero();
        let nothing = Frame { centre: [zero; 3], turn: [[zero; 3]; 3] };
        Self { q, known: [(usize::MAX, nothing); 2], next: 0, space: std::marker::PhantomData }
    }

    /// Returns the frame of a body.
    pub fn of(&mut self, body: usize) -> &Frame<S> {
        if let Some(k) = self.known.iter().position(|(known, _)| *known == body) {
            return &self.known[k].1;
        }
        let k = self.next;
        self.next = 1 - k;
        self.known[k] = (body, X::frame(&self.q[X::own(body)]));
        &self.known[k].1
    }

    /// Converts a direction of a body into the ground's axes.
    pub fn direction(&mut self, direction: &Fixed) -> Vector<S> {
        match direction.body {
            Some(body) => X::turned(&self.of(body).turn, &direction.at),
            None => direction.at.map(S::from),
        }
    }

    /// Position of a point, m.
    pub fn point(&mut self, point: &Fixed) -> Vector<S> {
        let Some(body) = point.body else { return point.at.map(S::from) };
        let frame = self.of(body);
        let mut at = frame.centre;
        for i in 0..X::DIMENSION {
            for j in 0..X::DIMENSION {
                if point.at[j] != 0.0 {
                    at[i] += frame.turn[i][j] * point.at[j];
                }
            }
        }
        at
    }
}

impl Relation {
    /// The points in the relation.
    pub fn points(&self) -> impl Iterator<Item = &Fixed> {
        let points = match self {
            Self::Coincide(a, b) | Self::Distance(a, b, _) | Self::Along(a, _, b, _) => [Some(a), Some(b)],
            Self::Standing(centre, ..) => [Some(centre), None],
            Self::Square(..) | Self::Turned(..) | Self::Angles(..) => [None; 2],
        };
        points.into_iter().flatten()
    }

    /// Numbers of the bodies in the relation, possibly with repetitions.
    pub fn bodies(&self) -> Vec<usize> {
        match self {
            Self::Angles(terms, ..) => terms.iter().map(|&(body, _)| body).collect(),
            Self::Square(a, b) | Self::Turned(a, _, b, _) => a.body.into_iter().chain(b.body).collect(),
            _ => self.points().filter_map(|point| point.body).collect(),
        }
    }

    /// Number of constraints in the relation.
    pub fn rows<X: Space>(&self) -> usize {
        if matches!(self, Self::Coincide(..)) { X::DIMENSION } else { 1 }
    }

    /// Writes the constraints.
    pub fn write<S: Scalar, X: Space>(&self, t: S, frames: &mut Frames<'_, S, X>, phi: &mut [S]) {
        match self {
            Self::Coincide(a, b) => {
                let (a, b) = (frames.point(a), frames.point(b));
                for i in 0..X::DIMENSION {
                    phi[i] = a[i] - b[i];
                }
            }
            Self::Distance(a, b, length) => {
                let d = minus(&frames.point(a), &frames.point(b));
                phi[0] = (X::dot(&d, &d) - length * length) * (0.5 / length);
            }
            Self::Along(a, axis, b, law) => {
                let d = minus(&frames.point(b), &frames.point(a));
                phi[0] = X::dot(&frames.direction(axis), &d) - law.evaluate(&mut |()| t);
            }
            Self::Square(a, b) => {
                let (a, b) = (frames.direction(a), frames.direction(b));
                phi[0] = X::dot(&a, &b);
            }
            Self::Turned(x, y, second, law) => {
                let (x, y, second) = (frames.direction(x), frames.direction(y), frames.direction(second));
                let (sin, cos) = law.evaluate(&mut |()| t).sin_cos();
                phi[0] = X::dot(&y, &second) * cos - X::dot(&x, &second) * sin;
            }
            Self::Angles(terms, offset, law) => {
                phi[0] = terms.iter().fold(-law.evaluate(&mut |()| t) - *offset, |sum, &(body, factor)| {
                    sum + frames.q[body * X::COORDINATES + 2] * factor
                });
            }
            Self::Standing(centre, axis, radius) => {
                let height = frames.point(centre)[2];
                let axis = frames.direction(axis);
                phi[0] = height - (S::from(1.0) - axis[2] * axis[2]).sqrt() * *radius;
            }
        }
    }

    /// True if the relation depends on time.
    pub fn is_rheonomic(&self) -> bool {
        match self {
            Self::Along(.., law) | Self::Turned(.., law) | Self::Angles(.., law) => law.any(&mut |()| true),
            _ => false,
        }
    }
}

/// Nonholonomic constraints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// The velocity of a point along a direction of its body is zero.
    Across(Fixed, [f64; 3]),
    /// A disk rolls: the point below its centre rests, along `x` and `y`. Centre, axis, radius.
    Rolls(Fixed, [f64; 3], f64),
}

impl Rate {
    /// Number of constraints.
    pub fn rows(&self) -> usize {
        match self {
            Self::Across(..) => 1,
            Self::Rolls(..) => 2,
        }
    }

    /// Writes the constraints.
    pub fn write<S: Scalar, X: Space>(&self, q: &[S], v: &[S], gamma: &mut [S]) {
        let (Self::Across(point, axis) | Self::Rolls(point, axis, _)) = self;
        let Some(body) = point.body else { return gamma.fill(S::zero()) };
        let own = X::own(body);
        let (frame, twist) = (X::frame(&q[own.clone()]), X::twist(&q[own.clone()], &v[own]));
        let axis = X::turned(&frame.turn, axis);
        let mut arm = X::turned(&frame.turn, &point.at);
        if let Self::Rolls(_, _, radius) = self {
            // vector from the centre down along the disk: −R (k − n_z n)/√(1 − n_z²)
            let down = (S::from(1.0) - axis[2] * axis[2]).sqrt().recip() * -*radius;
            let vertical = [S::zero(), S::zero(), S::from(1.0)];
            for i in 0..3 {
                arm[i] += (vertical[i] - axis[i] * axis[2]) * down;
            }
        }
        let turning = X::cross(&twist.spin, &arm);
        let velocity: Vector<S> = std::array::from_fn(|i| twist.velocity[i] + turning[i]);
        match self {
            Self::Across(..) => gamma[0] = X::dot(&axis, &velocity),
            Self::Rolls(..) => gamma[..2].copy_from_slice(&velocity[..2]),
        }
    }
}
