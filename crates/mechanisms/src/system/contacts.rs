//! Bodies that push each other where they overlap.

use mbsbench_problem::Scalar;

use super::loads::At;
use super::relations::{Fixed, dot, minus};
use super::space::{Space, Vector};
use crate::formula::tanh;

/// Stiffness, exponent, damping; coefficient of friction and the speed at which sliding is full.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pushing {
    /// `k`, N/mⁿ.
    pub stiffness: f64,
    /// `n`.
    pub exponent: f64,
    /// `d`, s/m.
    pub damping: f64,
    /// `μ`.
    pub friction: f64,
    /// `v₀`, m/s.
    pub slip_speed: f64,
}

impl Pushing {
    /// `k δⁿ⁺¹/(n + 1)`, J.
    pub(super) fn stored<S: Scalar>(&self, overlap: S) -> S {
        if overlap.re() <= 0.0 {
            return S::nought();
        }
        overlap.powf(self.exponent + 1.0) * (self.stiffness / (self.exponent + 1.0))
    }
}

impl<S: Scalar, X: Space> At<'_, S, X> {
    /// How far two balls overlap, m; below zero where they do not.
    pub(super) fn overlap_of_balls(&self, [a, b]: [&Fixed; 2], [of_a, of_b]: &[f64; 2], inside: bool) -> S {
        let d = minus(&self.moving(b).at, &self.moving(a).at);
        let square = dot::<S, X>(&d, &d);
        // a distance of nought has no derivative, and is none at which one ball in another touches it
        let distance = if square.re() == 0.0 { S::nought() } else { square.sqrt() };
        if inside { distance - (of_a - of_b) } else { -(distance - (of_a + of_b)) }
    }

    /// How far a ball reaches below a plane, m; below zero where it does not.
    pub(super) fn overlap_of_floor(&self, [a, b]: [&Fixed; 2], normal: &[f64; 3], radius: f64) -> S {
        let normal = self.direction(&Fixed { body: a.body, at: *normal });
        let d = minus(&self.moving(b).at, &self.moving(a).at);
        -(dot::<S, X>(&normal, &d) - radius)
    }

    /// Adds what a plane does to a ball.
    pub(super) fn add_floor(
        &self,
        [a, b]: [&Fixed; 2],
        normal: &[f64; 3],
        radius: f64,
        pushing: &Pushing,
        forces: &mut [S],
    ) {
        let overlap = self.overlap_of_floor([a, b], normal, radius);
        let normal = self.direction(&Fixed { body: a.body, at: *normal });
        self.push([a.body, b.body], &self.moving(b).at, radius, &normal, overlap, pushing, forces);
    }

    /// Adds what two balls do to each other.
    pub(super) fn add_balls(
        &self,
        [a, b]: [&Fixed; 2],
        radii: &[f64; 2],
        inside: bool,
        pushing: &Pushing,
        forces: &mut [S],
    ) {
        let at_b = self.moving(b).at;
        let d = minus(&at_b, &self.moving(a).at);
        let square = dot::<S, X>(&d, &d);
        // where the centres meet there is no direction, and no overlap of balls of which one is inside
        if square.re() == 0.0 {
            return;
        }
        let distance = square.sqrt();
        let sign = if inside { -1.0 } else { 1.0 };
        // the second is pushed along the normal
        let normal = d.map(|x| x / distance * sign);
        self.push(
            [a.body, b.body],
            &at_b,
            radii[1],
            &normal,
            self.overlap_of_balls([a, b], radii, inside),
            pushing,
            forces,
        );
    }

    /// Adds what two bodies do to each other that overlap, at the point of the second ball's surface against the normal.
    fn push(
        &self,
        [a, b]: [Option<usize>; 2],
        centre: &Vector<S>,
        radius: f64,
        normal: &Vector<S>,
        overlap: S,
        pushing: &Pushing,
        forces: &mut [S],
    ) {
        if overlap.re() <= 0.0 {
            return;
        }
        let mut touched = *centre;
        (0..X::DIMENSION).for_each(|i| touched[i] -= normal[i] * radius);
        let (arm_a, velocity_a) = self.carried(a, &touched);
        let (arm_b, velocity_b) = self.carried(b, &touched);
        let relative = minus(&velocity_b, &velocity_a);
        let parting = dot::<S, X>(normal, &relative);
        let size = overlap.powf(pushing.exponent) * pushing.stiffness * (-(parting * pushing.damping) + 1.0);
        // bodies do not pull
        if size.re() <= 0.0 {
            return;
        }
        let mut force = normal.map(|x| x * size);
        if pushing.friction > 0.0 {
            let sliding: Vector<S> = std::array::from_fn(|i| relative[i] - normal[i] * parting);
            let square = dot::<S, X>(&sliding, &sliding) / (pushing.slip_speed * pushing.slip_speed);
            // tanh(x)/x is 1 − x²/3 + … where x has no square root to differentiate
            let per_speed =
                if square.re() < 1e-8 { -(square / 3.0) + 1.0 } else { tanh(square.sqrt()) / square.sqrt() };
            let by = size * per_speed * (pushing.friction / pushing.slip_speed);
            (0..X::DIMENSION).for_each(|i| force[i] -= sliding[i] * by);
        }
        let none = [S::nought(); 3];
        self.apply(b, Some(&arm_b), &force, &none, forces);
        self.apply(a, Some(&arm_a), &force.map(|x| -x), &none, forces);
    }

    /// Arm from the centre of mass to a point of the ground, and how fast the body is there.
    fn carried(&self, body: Option<usize>, point: &Vector<S>) -> (Vector<S>, Vector<S>) {
        let zero = [S::nought(); 3];
        let Some(number) = body else { return (zero, zero) };
        let own = self.own(number, self.q);
        let mut arm = zero;
        (0..X::DIMENSION).for_each(|i| arm[i] = point[i] - own[i]);
        let twist = self.twist(body);
        let turning = X::cross(&twist.spin, &arm);
        let mut velocity = twist.velocity;
        (0..X::DIMENSION).for_each(|i| velocity[i] += turning[i]);
        (arm, velocity)
    }
}
