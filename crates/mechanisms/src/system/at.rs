//! A state, with the quantities that forces depend on.

use mbsbench_problem::Scalar;

use crate::space::{Fixed, Space, Twist, Vector, minus};

/// The angle of a second marker from a first: about a common axis, from directions `x` and `y` of the first to `x` of
/// the second. In the plane it follows from the angles of the bodies and the `offset` of the markers (rad).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turning {
    /// Direction `x` of the first marker.
    pub x: Fixed,
    /// Direction `y` of the first marker.
    pub y: Fixed,
    /// The axis, as a direction of the first marker.
    pub axis: Fixed,
    /// Direction `x` of the second marker.
    pub second: Fixed,
    /// Angle of the second marker minus that of the first at equal angles of the bodies, in the plane, rad.
    pub offset: f64,
}

/// A state, with derived quantities.
pub struct At<'s, S, X> {
    /// Time, s.
    pub t: S,
    /// Coordinates.
    pub q: &'s [S],
    /// Rates.
    pub v: &'s [S],
    space: std::marker::PhantomData<X>,
}

/// A moving point: its arm from the centre of mass of its body, its position and its velocity.
pub(super) struct Moving<S> {
    pub(super) arm: Vector<S>,
    pub(super) at: Vector<S>,
    pub(super) velocity: Vector<S>,
}

impl<'s, S: Scalar, X: Space> At<'s, S, X> {
    /// Returns the state.
    pub fn new(t: S, q: &'s [S], v: &'s [S]) -> Self {
        Self { t, q, v, space: std::marker::PhantomData }
    }

    pub(super) fn twist(&self, body: Option<usize>) -> Twist<S> {
        match body {
            Some(body) => X::twist(&self.q[X::own(body)], &self.v[X::own(body)]),
            None => Twist { velocity: [S::zero(); 3], spin: [S::zero(); 3] },
        }
    }

    pub(super) fn moving(&self, point: &Fixed) -> Moving<S> {
        let zero = [S::zero(); 3];
        let Some(body) = point.body else { return Moving { arm: zero, at: point.at.map(S::from), velocity: zero } };
        let frame = X::frame(&self.q[X::own(body)]);
        let twist = self.twist(point.body);
        if point.at == [0.0; 3] {
            return Moving { arm: zero, at: frame.centre, velocity: twist.velocity };
        }
        let arm = X::turned(&frame.turn, &point.at);
        let turning = X::cross(&twist.spin, &arm);
        let (mut at, mut velocity) = (frame.centre, twist.velocity);
        for i in 0..X::DIMENSION {
            at[i] += arm[i];
            velocity[i] += turning[i];
        }
        Moving { arm, at, velocity }
    }

    pub(super) fn direction(&self, direction: &Fixed) -> Vector<S> {
        match direction.body {
            Some(body) => X::turned(&X::frame(&self.q[X::own(body)]).turn, &direction.at),
            None => direction.at.map(S::from),
        }
    }

    /// Adds a force at a point with the given arm, and a torque.
    pub(super) fn apply(
        &self,
        body: Option<usize>,
        arm: Option<&Vector<S>>,
        force: &Vector<S>,
        torque: &Vector<S>,
        forces: &mut [S],
    ) {
        let Some(body) = body else { return };
        let mut torque = *torque;
        if let Some(arm) = arm {
            let lever = X::cross(arm, force);
            (0..3).for_each(|i| torque[i] += lever[i]);
        }
        X::apply(&self.q[X::own(body)], force, &torque, &mut forces[X::own(body)]);
    }

    /// Adds a force at one point and the opposite force at another.
    pub(super) fn apart(&self, [a, b]: [&Fixed; 2], [at_a, at_b]: [&Moving<S>; 2], on_a: &Vector<S>, forces: &mut [S]) {
        let none = [S::zero(); 3];
        self.apply(a.body, (a.at != [0.0; 3]).then_some(&at_a.arm), on_a, &none, forces);
        self.apply(b.body, (b.at != [0.0; 3]).then_some(&at_b.arm), &on_a.map(|x| -x), &none, forces);
    }

    /// Direction from `a` to `b`, distance, and rate of the distance.
    pub(super) fn line(&self, a: &Moving<S>, b: &Moving<S>) -> (Vector<S>, S, S) {
        let d = minus(&b.at, &a.at);
        let length = X::dot(&d, &d).sqrt();
        let along = d.map(|x| x / length);
        let rate = X::dot(&along, &minus(&b.velocity, &a.velocity));
        (along, length, rate)
    }

    /// Angle of the second marker from the first, and its rate.
    pub fn turning(&self, turning: &Turning) -> (S, S) {
        let (first, second) = (turning.x.body, turning.second.body);
        if X::DIMENSION == 2 {
            let of = |body: Option<usize>, x: &[S]| body.map(|body| x[body * X::COORDINATES + 2]);
            let difference = |x: &[S]| match (of(first, x), of(second, x)) {
                (Some(first), Some(second)) => second - first,
                (Some(first), None) => -first,
                (None, second) => second.unwrap_or_else(S::zero),
            };
            return (difference(self.q) + turning.offset, difference(self.v));
        }
        let (x, y, of_second) =
            (self.direction(&turning.x), self.direction(&turning.y), self.direction(&turning.second));
        let spin = minus(&self.twist(second).spin, &self.twist(first).spin);
        let angle = X::dot(&y, &of_second).atan2(X::dot(&x, &of_second));
        (angle, X::dot(&self.direction(&turning.axis), &spin))
    }
}
