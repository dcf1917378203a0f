//! The initial state: axial equilibrium and kinematic rolling.

use std::f64::consts::TAU;

use mbsbench_problem::ContactModel;
use nalgebra::{Matrix3, Vector3};
use num_dual::{Dual64, DualNum};

use super::bearing::{BALLS, CAGE, COORDINATES, INNER, VELOCITIES};
use super::{BallBearing, Bearing};

/// Cosine of the contact angle used to estimate the centrifugal force on a ball.
const COSINE: f64 = 0.97;

/// Axisymmetric equilibrium of orbiting balls under an axial load, without gravity, friction and damping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equilibrium {
    /// Distance of a ball from the axis, m.
    pub distance: f64,
    /// Axial position of the balls, m.
    pub ball: f64,
    /// Axial position of the inner ring, m.
    pub inner: f64,
    /// Normal force of a ball on the outer ring, N.
    pub outer_force: f64,
    /// Normal force of a ball on the inner ring, N.
    pub inner_force: f64,
    /// Radial and axial component of the normal towards the outer ring.
    pub outer_normal: [f64; 2],
    /// Radial and axial component of the normal towards the inner ring.
    pub inner_normal: [f64; 2],
}

/// Orbit and spin of balls that do not slide around the axis on either race and do not spin about the outer normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rolling {
    /// Speed of the orbit, rad/s.
    pub orbit: f64,
    /// Spin about the radius, rad/s.
    pub radial: f64,
    /// Spin about the bearing's axis, rad/s.
    pub axial: f64,
}

impl Bearing {
    /// Returns the equilibrium under the axial load `load` (N) by Newton's method, or `None` if the iteration
    /// does not converge.
    pub fn equilibrium(&self, load: f64) -> Option<Equilibrium> {
        let mut unknowns = self.first_guess(load);
        for _ in 0..50 {
            let residual = self.imbalance(&unknowns.map(Dual64::from_re), load).map(|force| force.re);
            let mut jacobian = Matrix3::zeros();
            for k in 0..3 {
                let mut seeded = unknowns.map(Dual64::from_re);
                seeded[k].eps = 1.0;
                jacobian.set_column(k, &self.imbalance(&seeded, load).map(|force| force.eps));
            }
            let mut correction = jacobian.lu().solve(&residual)?;
            // Contacts stay closed, because forces have a slope only there.
            if !correction.norm().is_finite() {
                return None; // so soft or so light that numbers run out
            }
            while self.contact_forces(&(unknowns - correction).map(Dual64::from_re)).is_none() {
                correction *= 0.5;
                if correction.amax() < f64::EPSILON * self.ball_radius {
                    return None;
                }
            }
            unknowns -= correction;
            // Convergence is quadratic: after so small a correction the remaining error is roundoff.
            if correction.amax() < 1e-12 * self.ball_radius {
                return self.settled(&unknowns);
            }
        }
        None
    }

    /// First guess of the balls' distance from the axis and the axial positions of balls and inner ring: the
    /// equilibrium without centrifugal forces, in which both contacts have the same force and angle.
    fn first_guess(&self, load: f64) -> Vector3<f64> {
        let between = self.inner.centre_radius - self.outer.centre_radius;
        let clearances = self.outer.clearance + self.inner.clearance;
        let [outer, inner] = [&self.outer, &self.inner].map(|groove| groove.law.stiffness.powf(-2.0 / 3.0));
        let force = |angle: f64| ((between / angle.cos() - clearances).max(0.0) / (outer + inner)).powf(1.5);
        let (mut low, mut high) = (0.0, 1.5);
        for _ in 0..60 {
            let angle: f64 = 0.5 * (low + high);
            if self.balls as f64 * force(angle) * angle.sin() < load { low = angle } else { high = angle }
        }
        let overlap = force(high).powf(2.0 / 3.0);
        let ball = (self.outer.clearance + outer * overlap) * high.sin();
        let inner_ring = ball + (self.inner.clearance + inner * overlap) * high.sin();
        Vector3::new(self.outer.centre_radius + ball / high.tan(), ball, inner_ring)
    }

    /// Elastic force and normal (radial, axial) of the contacts with the outer and the inner ring; `None` if a
    /// contact is open.
    fn contact_forces(&self, unknowns: &Vector3<Dual64>) -> Option<[(Dual64, [Dual64; 2]); 2]> {
        let at = |groove, axial| {
            let offset = Vector3::new(unknowns[0], Dual64::from_re(0.0), axial);
            let (overlap, normal) = Self::race_overlap(groove, &offset);
            (overlap.re > 0.0).then(|| (overlap * overlap.sqrt() * groove.law.stiffness, [normal[0], normal[2]]))
        };
        Some([at(&self.outer, unknowns[1])?, at(&self.inner, unknowns[1] - unknowns[2])?])
    }

    /// Radial and axial force on a ball and axial force on the inner ring, N.
    fn imbalance(&self, unknowns: &Vector3<Dual64>, load: f64) -> Vector3<Dual64> {
        let Some([(outer, outer_normal), (inner, inner_normal)]) = self.contact_forces(unknowns) else {
            return Vector3::repeat(Dual64::from_re(f64::NAN));
        };
        let orbit = 0.5 * self.inner_speed * (1.0 - COSINE * self.ball_radius / self.pitch_radius);
        Vector3::new(
            unknowns[0] * (self.ball_mass * orbit * orbit) - outer * outer_normal[0] - inner * inner_normal[0],
            -(outer * outer_normal[1]) - inner * inner_normal[1],
            inner * inner_normal[1] * self.balls as f64 + load,
        )
    }

    fn settled(&self, unknowns: &Vector3<f64>) -> Option<Equilibrium> {
        let [(outer, outer_normal), (inner, inner_normal)] = self.contact_forces(&unknowns.map(Dual64::from_re))?;
        Some(Equilibrium {
            distance: unknowns[0],
            ball: unknowns[1],
            inner: unknowns[2],
            outer_force: outer.re,
            inner_force: inner.re,
            outer_normal: outer_normal.map(|n| n.re),
            inner_normal: inner_normal.map(|n| n.re),
        })
    }

    /// Returns the rolling motion at an equilibrium, or `None` if the contact angles do not determine it.
    pub fn rolling(&self, equilibrium: &Equilibrium) -> Option<Rolling> {
        let &Equilibrium { distance, outer_normal: outer, inner_normal: inner, .. } = equilibrium;
        let radius = self.ball_radius;
        // Tangential velocities at both contacts, spin about the outer normal; unknowns (orbit, radial, axial).
        #[rustfmt::skip]
        let matrix = Matrix3::new(
            distance, -radius * outer[1], radius * outer[0],
            distance, -radius * inner[1], radius * inner[0],
            0.0, outer[0], outer[1],
        );
        let speeds = Vector3::new(0.0, self.inner_speed * (distance + radius * inner[0]), 0.0);
        let [orbit, radial, axial] = matrix.lu().solve(&speeds)?.into();
        Some(Rolling { orbit, radial, axial })
    }

    /// Returns the initial state `(q ; v)`: balls are off their places by at most `scatter` (m), and the cage is
    /// slower than the balls by the fraction `slip`.
    pub fn start(&self, equilibrium: &Equilibrium, rolling: &Rolling, scatter: f64, slip: f64) -> Vec<f64> {
        let coordinates = self.coordinates();
        let mut state = vec![0.0; coordinates + self.velocities()];
        let (q, v) = state.split_at_mut(coordinates);
        q.chunks_exact_mut(COORDINATES).for_each(|q| q[3] = 1.0);
        q[COORDINATES * INNER + 2] = equilibrium.inner;
        v[VELOCITIES * INNER + 5] = self.inner_speed;
        q[COORDINATES * CAGE + 2] = equilibrium.ball;
        v[VELOCITIES * CAGE + 5] = (1.0 - slip) * rolling.orbit;
        let places = q[COORDINATES * BALLS..].chunks_exact_mut(COORDINATES);
        for (j, (q, v)) in places.zip(v[VELOCITIES * BALLS..].chunks_exact_mut(VELOCITIES)).enumerate() {
            let place = j as f64;
            let off = scatter / self.pitch_radius * (2.4 * place + 0.3).sin();
            let (sin, cos) = (TAU * place / self.balls as f64 + off).sin_cos();
            let speed = rolling.orbit * equilibrium.distance;
            q[..3].copy_from_slice(&[equilibrium.distance * cos, equilibrium.distance * sin, equilibrium.ball]);
            v.copy_from_slice(&[
                -speed * sin,
                speed * cos,
                0.0,
                rolling.radial * cos,
                rolling.radial * sin,
                rolling.axial,
            ]);
        }
        state
    }

    /// Returns the initial state for the parameters, or `None` if there is no equilibrium.
    pub(super) fn start_of(&self, parameters: &BallBearing) -> Option<Vec<f64>> {
        let equilibrium = self.equilibrium(parameters.start_load)?;
        let rolling = self.rolling(&equilibrium)?;
        Some(self.start(&equilibrium, &rolling, parameters.scatter, parameters.cage_slip))
    }
}
