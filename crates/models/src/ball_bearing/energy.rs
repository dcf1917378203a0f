//! Energies, powers and the balance of both.

use mbsbench_problem::{ContactModel, OdeModel, Scalar};
use nalgebra::Vector3;

use super::bearing::{BALLS, CAGE, COORDINATES, INNER, VELOCITIES};
use super::{Bearing, rotation};

/// What leaves and enters the bearing at a state, W.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power<S> {
    /// Dissipated by damping and friction of all contacts; never below zero.
    pub dissipated: S,
    /// Of the torque that keeps the inner ring at its speed.
    pub drive: S,
}

impl Bearing {
    /// Kinetic energy without that of the inner ring's rotation, which is constant, J.
    pub fn kinetic_energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let square = |body: usize, from: usize| {
            v[VELOCITIES * body + from..][..3].iter().fold(S::nought(), |sum, &v| sum + v * v)
        };
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

    /// Energy of the springs in contact, `2/5 K δ^2.5` each, J.
    pub fn elastic_energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let mut energy = S::nought();
        self.for_each_contact(q, v, |contact| energy += contact.elastic_force * contact.overlap * 0.4);
        energy
    }

    /// Potentials of gravity and of the axial load, J; zero where all centres are at the origin.
    pub fn load_energy<S: Scalar>(&self, q: &[S]) -> S {
        let weight = (0..self.bodies()).skip(INNER).fold(S::nought(), |sum, body| {
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

    /// What damping and friction take and the drive gives.
    pub fn power<S: Scalar>(&self, q: &[S], v: &[S]) -> Power<S> {
        let omega = &v[VELOCITIES * INNER + 3..];
        let omega = Vector3::new(omega[0], omega[1], omega[2]);
        let mut power = Power { dissipated: S::nought(), drive: S::nought() };
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

/// The equations of motion with two more states, dissipated energy and work of the drive, J:
/// energy + dissipated − drive is constant.
///
/// The state is `(q ; v ; dissipated, drive)`. It is no second-order system any more and shows no contact powers.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyBalance(pub Bearing);

impl OdeModel for EnergyBalance {
    fn dimension(&self) -> usize {
        self.0.coordinates() + self.0.velocities() + 2
    }

    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        let (coordinates, velocities) = (self.0.coordinates(), self.0.velocities());
        let (q, v) = (&y[..coordinates], &y[coordinates..coordinates + velocities]);
        let (q_rate, rest) = dydt.split_at_mut(coordinates);
        let (v_rate, work) = rest.split_at_mut(velocities);
        self.0.position_rate(q, v, q_rate);
        self.0.accelerations(t, q, v, v_rate, &mut []);
        let power = self.0.power(q, v);
        work.copy_from_slice(&[power.dissipated, power.drive]);
    }

    fn is_autonomous(&self) -> bool {
        true
    }
}
