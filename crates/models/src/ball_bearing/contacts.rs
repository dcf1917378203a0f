//! Contacts between bodies, and their forces.

use mbsbench_problem::Scalar;
use nalgebra::Vector3;

use super::bearing::{BALLS, CAGE, COORDINATES, INNER, OUTER, VELOCITIES};
use super::rotation::{axes, axis};
use super::{Bearing, ContactLaw, Groove};

/// A contact of a ball with overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<S: Scalar> {
    /// Number of the ball, from zero.
    pub ball: usize,
    /// Number of the body that the ball touches.
    pub partner: usize,
    /// Stiffness of the contact law, N/m^1.5.
    pub stiffness: f64,
    /// Overlap, m.
    pub overlap: S,
    /// Unit normal out of the ball.
    pub normal: Vector3<S>,
    /// Point at which the forces act, from the ball's centre, m.
    pub arm: Vector3<S>,
    /// The same point from the partner's centre, m.
    pub partner_arm: Vector3<S>,
    /// Velocity of the ball relative to its partner at that point, m/s.
    pub velocity: Vector3<S>,
    /// Magnitude of the normal force, N.
    pub normal_force: S,
    /// Elastic part of the normal force, N.
    pub elastic_force: S,
    /// Force on the ball, N; its opposite acts on the partner.
    pub force: Vector3<S>,
}

/// Position and velocities of a body.
#[derive(Clone, Copy)]
struct Motion<S> {
    position: Vector3<S>,
    velocity: Vector3<S>,
    angular: Vector3<S>,
}

impl<S: Scalar> Motion<S> {
    #[inline]
    fn of(body: usize, q: &[S], v: &[S]) -> Self {
        let q = &q[COORDINATES * body..][..3];
        let v = &v[VELOCITIES * body..][..VELOCITIES];
        Self {
            position: Vector3::new(q[0], q[1], q[2]),
            velocity: Vector3::new(v[0], v[1], v[2]),
            angular: Vector3::new(v[3], v[4], v[5]),
        }
    }
}

impl ContactLaw {
    /// Normal force, its elastic part, and the force on the body whose outward normal is `normal`.
    #[inline]
    fn forces<S: Scalar>(&self, overlap: S, normal: &Vector3<S>, velocity: &Vector3<S>) -> (S, S, Vector3<S>) {
        let approach = velocity.dot(normal);
        let elastic = overlap * overlap.sqrt() * self.stiffness;
        let push = elastic * (approach * self.damping + 1.0);
        if push.value() <= 0.0 {
            return (S::zero(), elastic, Vector3::repeat(S::zero()));
        }
        let sliding = velocity - normal * approach;
        let speed = (sliding.dot(&sliding) + self.slip_speed * self.slip_speed).sqrt();
        (push, elastic, -(normal * push) - sliding * (push * self.friction / speed))
    }
}

impl Groove {
    /// Vector from the nearest centre of the profile to the ball's centre, which lies at `offset` from the ring's
    /// centre.
    #[inline]
    fn eccentricity<S: Scalar>(&self, offset: &Vector3<S>, axis: &Vector3<S>) -> Vector3<S> {
        let along = axis * offset.dot(axis);
        let radial = offset - along;
        let distance = radial.dot(&radial).sqrt();
        radial * ((distance - self.centre_radius) / distance) + along
    }
}

impl Bearing {
    /// Calls `visit` with every contact, ball by ball: with the outer ring, the inner ring and the cage.
    #[inline]
    pub(super) fn for_each_contact<S: Scalar>(&self, q: &[S], v: &[S], mut visit: impl FnMut(&Contact<S>)) {
        let [outer, inner, cage] = [OUTER, INNER, CAGE].map(|body| Motion::of(body, q, v));
        let [outer_axis, inner_axis] = [OUTER, INNER].map(|body| axis(&q[COORDINATES * body + 3..]));
        let cage_axes = axes(&q[COORDINATES * CAGE + 3..]);
        for (index, &[x, y]) in self.pockets.centres.iter().enumerate() {
            let ball = Motion::of(BALLS + index, q, v);
            let from_outer = self.outer.eccentricity(&(ball.position - outer.position), &outer_axis);
            let from_inner = self.inner.eccentricity(&(ball.position - inner.position), &inner_axis);
            let pocket = cage_axes[0] * S::from(x) + cage_axes[1] * S::from(y);
            let from_pocket = ball.position - cage.position - pocket;
            let pairs = [
                (OUTER, &outer, from_outer, self.outer.clearance, &self.outer.law),
                (INNER, &inner, from_inner, self.inner.clearance, &self.inner.law),
                (CAGE, &cage, from_pocket, self.pockets.clearance, &self.pockets.law),
            ];
            for (partner, motion, eccentricity, clearance, law) in pairs {
                let square = eccentricity.dot(&eccentricity);
                if square.value() <= clearance * clearance {
                    continue; // before the root, which has no derivative in the middle of a pocket
                }
                let distance = square.sqrt();
                let overlap = distance - clearance;
                if overlap.value() <= 0.0 {
                    continue;
                }
                let normal = eccentricity * distance.recip();
                let arm = normal * S::from(self.ball_radius);
                let partner_arm = ball.position + arm - motion.position;
                let velocity =
                    ball.velocity - motion.velocity + ball.angular.cross(&arm) - motion.angular.cross(&partner_arm);
                let (normal_force, elastic_force, force) = law.forces(overlap, &normal, &velocity);
                visit(&Contact {
                    ball: index,
                    partner,
                    stiffness: law.stiffness,
                    overlap,
                    normal,
                    arm,
                    partner_arm,
                    velocity,
                    normal_force,
                    elastic_force,
                    force,
                });
            }
        }
    }

    /// Returns all contacts at a state.
    pub fn contacts<S: Scalar>(&self, q: &[S], v: &[S]) -> Vec<Contact<S>> {
        let mut contacts = Vec::new();
        self.for_each_contact(q, v, |contact| contacts.push(*contact));
        contacts
    }

    /// Overlap (m; negative across a gap) and outward unit normal of a ball at rest, at `offset` from the centre of a
    /// ring whose axis is `z`.
    pub(super) fn race_overlap<S: Scalar>(groove: &Groove, offset: &Vector3<S>) -> (S, Vector3<S>) {
        let eccentricity = groove.eccentricity(offset, &Vector3::new(S::zero(), S::zero(), S::from(1.0)));
        let distance = eccentricity.dot(&eccentricity).sqrt();
        (distance - groove.clearance, eccentricity * distance.recip())
    }
}
