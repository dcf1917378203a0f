//! The equations of motion and the energy balance.

use mbsbench_problem::{ContactModel, OdeModel, Scalar};
use nalgebra::Vector3;

use super::bearing::{BALLS, CAGE, COORDINATES, INNER, OUTER, VELOCITIES};
use super::{Bearing, rotation};

/// Newton–Euler equations of each body in the state `(q ; v)`, body after body in both parts: `q` has `x` and a unit
/// quaternion, `v` the velocity and the angular velocity in the world frame.
///
/// The outer ring is at rest, and the angular velocity of the inner ring is held constant. Contact powers (modin2005,
/// Eq. 7) contain the contact forces only, because gravity and the axial load are part of the bodies' energies. For
/// the inner ring only the force counts, since its rotational energy is constant.
impl ContactModel for Bearing {
    fn coordinates(&self) -> usize {
        COORDINATES * self.bodies()
    }

    fn velocities(&self) -> usize {
        VELOCITIES * self.bodies()
    }

    fn bodies(&self) -> usize {
        Self::bodies(self)
    }

    fn position_rate<S: Scalar>(&self, q: &[S], v: &[S], q_rate: &mut [S]) {
        for (body, rate) in q_rate.chunks_exact_mut(COORDINATES).enumerate() {
            let v = &v[VELOCITIES * body..][..VELOCITIES];
            rate[..3].copy_from_slice(&v[..3]);
            rotation::rate(&q[COORDINATES * body + 3..][..4], &v[3..], &mut rate[3..]);
        }
    }

    fn accelerations<S: Scalar>(&self, _t: S, q: &[S], v: &[S], accelerations: &mut [S], powers: &mut [S]) {
        self.wrenches(q, v, accelerations);
        for (body, power) in powers.iter_mut().enumerate() {
            *power = self.power_of(body, accelerations, v) * self.power_scale;
        }
        self.accelerate(q, v, accelerations);
    }

    fn displace<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        for (body, moved) in moved.chunks_exact_mut(COORDINATES).enumerate() {
            let q = &q[COORDINATES * body..][..COORDINATES];
            let delta = &delta[VELOCITIES * body..][..VELOCITIES];
            for k in 0..3 {
                moved[k] = q[k] + delta[k];
            }
            rotation::turn(&q[3..], &delta[3..], &mut moved[3..]);
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    fn typical_sizes(&self, sizes: &mut [f64]) {
        self.fill(sizes, [1e-3, 1.0, 1.0, 100.0]);
    }

    fn tolerance_scales(&self, scales: &mut [f64]) {
        self.fill(scales, [1e-2, 1.0, 10.0, 1000.0]);
    }
}

impl Bearing {
    /// Writes one value for each kind of coordinate: positions, quaternions, velocities, angular velocities.
    fn fill(&self, values: &mut [f64], [x, quaternion, v, omega]: [f64; 4]) {
        let (q, v_part) = values.split_at_mut(COORDINATES * self.bodies());
        q.chunks_exact_mut(COORDINATES).for_each(|q| {
            q[..3].fill(x);
            q[3..].fill(quaternion);
        });
        v_part.chunks_exact_mut(VELOCITIES).for_each(|part| {
            part[..3].fill(v);
            part[3..].fill(omega);
        });
    }

    /// Writes the contact force on each body and the torque about its centre into `wrenches` (length of a velocity).
    #[inline]
    pub(super) fn wrenches<S: Scalar>(&self, q: &[S], v: &[S], wrenches: &mut [S]) {
        wrenches.fill(S::zero());
        self.for_each_contact(q, v, |contact| {
            let ball = &mut wrenches[VELOCITIES * (BALLS + contact.ball)..][..VELOCITIES];
            let torque = contact.arm.cross(&contact.force);
            for k in 0..3 {
                ball[k] += contact.force[k];
                ball[3 + k] += torque[k];
            }
            let partner = &mut wrenches[VELOCITIES * contact.partner..][..VELOCITIES];
            let torque = contact.partner_arm.cross(&contact.force);
            for k in 0..3 {
                partner[k] -= contact.force[k];
                partner[3 + k] -= torque[k];
            }
        });
    }

    /// Contact power of a body, W.
    #[inline]
    pub(super) fn power_of<S: Scalar>(&self, body: usize, wrenches: &[S], v: &[S]) -> S {
        let components = match body {
            OUTER => 0,
            INNER => 3,
            _ => VELOCITIES,
        };
        let of_body = VELOCITIES * body..VELOCITIES * body + components;
        wrenches[of_body.clone()].iter().zip(&v[of_body]).fold(S::zero(), |sum, (&force, &v)| sum + force * v)
    }

    /// Turns the forces and torques of contacts into accelerations.
    #[inline]
    fn accelerate<S: Scalar>(&self, q: &[S], v: &[S], wrenches: &mut [S]) {
        let (rings, others) = wrenches.split_at_mut(VELOCITIES * CAGE);
        let (cage, balls) = others.split_at_mut(VELOCITIES);
        let (outer, inner) = rings.split_at_mut(VELOCITIES);
        outer.fill(S::zero());
        inner[2] += self.axial_load;
        translate(inner, self.inner_mass, self.gravity);
        inner[3..].fill(S::zero());
        translate(cage, self.cage_mass, self.gravity);
        let angular = self.cage_spin(&q[COORDINATES * CAGE + 3..], &v[VELOCITIES * CAGE + 3..], &cage[3..]);
        cage[3..].copy_from_slice(angular.as_slice());
        for ball in balls.chunks_exact_mut(VELOCITIES) {
            translate(ball, self.ball_mass, self.gravity);
            for torque in &mut ball[3..] {
                *torque *= 1.0 / self.ball_inertia;
            }
        }
    }

    /// Angular acceleration of the cage, `I⁻¹ (T − ω × I ω)` with `I = J_t + (J_a − J_t) c cᵀ` and its axis `c`.
    fn cage_spin<S: Scalar>(&self, q: &[S], omega: &[S], torque: &[S]) -> Vector3<S> {
        let [transverse, axial] = self.cage_inertia;
        let axis = rotation::axis(q);
        let (omega, torque) =
            (Vector3::new(omega[0], omega[1], omega[2]), Vector3::new(torque[0], torque[1], torque[2]));
        let spin = omega.dot(&axis) * (axial - transverse);
        let moment = torque - omega.cross(&axis) * spin;
        moment * S::from(1.0 / transverse) + axis * (moment.dot(&axis) * (1.0 / axial - 1.0 / transverse))
    }
}

/// Turns a force into an acceleration, with gravity along `−y`.
#[inline]
fn translate<S: Scalar>(force: &mut [S], mass: f64, gravity: f64) {
    for force in &mut force[..3] {
        *force *= 1.0 / mass;
    }
    force[1] -= gravity;
}

/// Powers that leave and enter the bearing at a state, W.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power<S> {
    /// Power dissipated by damping and friction of all contacts; never negative.
    pub dissipated: S,
    /// Power of the torque that keeps the inner ring at its speed.
    pub drive: S,
}

impl Bearing {
    /// Kinetic energy, J, without the constant rotational energy of the inner ring.
    pub fn kinetic_energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let square =
            |body: usize, from: usize| v[VELOCITIES * body + from..][..3].iter().fold(S::zero(), |sum, &v| sum + v * v);
        let mut twice = square(INNER, 0) * self.inner_mass + square(CAGE, 0) * self.cage_mass;
        let omega = &v[VELOCITIES * CAGE + 3..];
        let spin = Vector3::new(omega[0], omega[1], omega[2]).dot(&rotation::axis(&q[COORDINATES * CAGE + 3..]));
        let [transverse, axial] = self.cage_inertia;
        twice += square(CAGE, 3) * transverse + spin * spin * (axial - transverse);
        for ball in BALLS..self.bodies() {
            twice += square(ball, 0) * self.ball_mass + square(ball, 3) * self.ball_inertia;
        }
        twice * 0.5
    }

    /// Elastic energy of the contacts, `2/5 K δ^2.5` each, J.
    pub fn elastic_energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let mut energy = S::zero();
        self.for_each_contact(q, v, |contact| energy += contact.elastic_force * contact.overlap * 0.4);
        energy
    }

    /// Potential energy of gravity and of the axial load, J; zero if all centres are at the origin.
    pub fn load_energy<S: Scalar>(&self, q: &[S]) -> S {
        let weight = (0..self.bodies()).skip(INNER).fold(S::zero(), |sum, body| {
            let mass = match body {
                INNER => self.inner_mass,
                CAGE => self.cage_mass,
                _ => self.ball_mass,
            };
            sum + q[COORDINATES * body + 1] * mass
        });
        weight * self.gravity - q[COORDINATES * INNER + 2] * self.axial_load
    }

    /// Kinetic and potential energy, J. It changes by the work of the [powers](Self::power).
    pub fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        self.kinetic_energy(q, v) + self.elastic_energy(q, v) + self.load_energy(q)
    }

    /// Returns the power dissipated by damping and friction and the power of the drive.
    pub fn power<S: Scalar>(&self, q: &[S], v: &[S]) -> Power<S> {
        let omega = &v[VELOCITIES * INNER + 3..];
        let omega = Vector3::new(omega[0], omega[1], omega[2]);
        let mut power = Power { dissipated: S::zero(), drive: S::zero() };
        self.for_each_contact(q, v, |contact| {
            let elastic = contact.elastic_force * contact.velocity.dot(&contact.normal);
            power.dissipated -= contact.force.dot(&contact.velocity) + elastic;
            if contact.partner == INNER {
                power.drive += contact.partner_arm.cross(&contact.force).dot(&omega);
            }
        });
        power
    }
}

/// The equations of motion with two more states, dissipated energy and work of the drive, J: energy + dissipated −
/// drive is constant.
///
/// The state is `(q ; v ; dissipated, drive)`. It is no longer a second-order system and has no contact powers.
impl OdeModel for Bearing {
    fn dimension(&self) -> usize {
        self.coordinates() + self.velocities() + 2
    }

    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        let (coordinates, velocities) = (self.coordinates(), self.velocities());
        let (q, v) = (&y[..coordinates], &y[coordinates..coordinates + velocities]);
        let (q_rate, rest) = dydt.split_at_mut(coordinates);
        let (v_rate, work) = rest.split_at_mut(velocities);
        self.position_rate(q, v, q_rate);
        self.accelerations(t, q, v, v_rate, &mut []);
        let power = self.power(q, v);
        work.copy_from_slice(&[power.dissipated, power.drive]);
    }

    fn is_autonomous(&self) -> bool {
        true
    }
}
