//! The squeezer in its joint angles with closed-form derivatives of the constraints, which share their sines and
//! cosines.

use mbsbench_problem::{ClosedForm, ClosedTerms, Derivatives, MechanicalModel, Scalar};
use num_dual::Dual;

use super::{Squeezer, SqueezerAngles};
use crate::plane::{difference, sum};

/// A link at an angle α of the loops.
struct Direction<S> {
    sin: S,
    cos: S,
    /// Terms `α̇² sin α` and `α̇² cos α`, which the second derivatives of `sin` and `cos` subtract, 1/s².
    sin_loss: S,
    cos_loss: S,
}

impl<S: Scalar> Direction<S> {
    /// Returns the link at the angle `alpha` (rad) with the rate `rate` (rad/s).
    fn new(alpha: S, rate: S) -> Self {
        let (sin, cos) = alpha.sin_cos();
        Self { sin, cos, sin_loss: rate * (rate * sin), cos_loss: rate * (rate * cos) }
    }
}

impl<S: Scalar> ClosedForm<S> for SqueezerAngles {
    fn terms(&self, q: &[S], v: &[S], terms: ClosedTerms<'_, S>) {
        let ClosedTerms { mass, forces, constraints, jacobian, bias } = terms;
        let plate = Direction::new(q[2], v[2]);
        mass.fill(S::zero());
        self.mass(q, mass);
        self.forces(S::zero(), q, v, forces);
        self.write_loops(q, v, &plate, constraints, jacobian.as_mut_slice(), bias);
    }

    fn derivatives(&self, q: &[S], v: &[S], forces: &mut [S], derivatives: &mut Derivatives<S>) {
        let pairs = self.pairs();
        let couplings: [_; 3] = std::array::from_fn(|i| pairs[i].coupling(q[pairs[i].angles[1]]));
        for (k, by_psi) in derivatives.mass_mut() {
            if let Some(i) = pairs.iter().position(|pair| pair.angles[1] == k) {
                pairs[i].write_mass_derivative(couplings[i].1, by_psi);
            }
        }
        let Derivatives { forces_by_position, forces_by_velocity, .. } = derivatives;
        let (forces_by_position, forces_by_velocity) = (forces_by_position.all_mut(), forces_by_velocity.all_mut());
        for (pair, coupling) in pairs.iter().zip(couplings) {
            pair.write_force_derivatives(coupling, v, forces_by_position, forces_by_velocity);
        }
        let (sin, cos) = q[2].sin_cos();
        let moment = self.spring_moment((Dual::new(sin, cos), Dual::new(cos, -sin)));
        (forces[2], forces_by_position[(2, 2)]) = (moment.re, moment.eps);
        self.write_curvature(q, derivatives);
    }

    /// Uses the elimination along the loops.
    fn accelerations(&self, q: &[S], v: &[S], accelerations: &mut [S], multipliers: &mut [S]) -> bool {
        let (Some(q), Some(v)) = (q.as_array(), v.as_array()) else { return false };
        let Some((found, forces)) = self.eliminate(q, v) else { return false };
        accelerations.copy_from_slice(&found);
        multipliers.copy_from_slice(forces.as_flattened());
        true
    }
}

impl SqueezerAngles {
    fn write_loops<S: Scalar>(
        &self,
        q: &[S],
        v: &[S],
        plate: &Direction<S>,
        phi: &mut [S],
        jacobian: &mut [S],
        bias: &mut [S],
    ) {
        let [crank_length, rod_length, plate_length] = [self.0.of.length, self.0.ef.length, self.0.ebd.length];
        let [upper_arm_length, upper_length] = [self.0.ag.length, self.0.ge.length];
        let [lower_arm_length, lower_length] = [self.0.ah.length, self.0.he.length];
        let [a, b] = [self.0.a, self.0.b];
        let crank = Direction::new(q[0], v[0]);
        let rod = Direction::new(q[0] + q[1], v[0] + v[1]);
        let upper_arm = Direction::new(q[4], v[4]);
        let upper = Direction::new(q[3] + q[4], v[3] + v[4]);
        let lower_arm = Direction::new(q[6], v[6]);
        let lower = Direction::new(q[5] + q[6], v[5] + v[6]);

        let e = [crank.cos * crank_length - rod.cos * rod_length, crank.sin * crank_length - rod.sin * rod_length];
        phi.copy_from_slice(&[
            e[0] - plate.sin * plate_length - b[0],
            e[1] + plate.cos * plate_length - b[1],
            e[0] - upper_arm.cos * upper_arm_length - upper.sin * upper_length - a[0],
            e[1] - upper_arm.sin * upper_arm_length + upper.cos * upper_length - a[1],
            e[0] - lower_arm.sin * lower_arm_length - lower.cos * lower_length - a[0],
            e[1] + lower_arm.cos * lower_arm_length - lower.sin * lower_length - a[1],
        ]);

        let e_loss = [
            rod.cos_loss * rod_length - crank.cos_loss * crank_length,
            rod.sin_loss * rod_length - crank.sin_loss * crank_length,
        ];
        bias.copy_from_slice(&[
            e_loss[0] + plate.sin_loss * plate_length,
            e_loss[1] - plate.cos_loss * plate_length,
            e_loss[0] + upper_arm.cos_loss * upper_arm_length + upper.sin_loss * upper_length,
            e_loss[1] + upper_arm.sin_loss * upper_arm_length - upper.cos_loss * upper_length,
            e_loss[0] + lower_arm.sin_loss * lower_arm_length + lower.cos_loss * lower_length,
            e_loss[1] - lower_arm.cos_loss * lower_arm_length + lower.sin_loss * lower_length,
        ]);

        let by_theta = [rod.sin * rod_length, -(rod.cos * rod_length)];
        let by_beta = [by_theta[0] - crank.sin * crank_length, by_theta[1] + crank.cos * crank_length];
        let by_phi = [-(upper.cos * upper_length), -(upper.sin * upper_length)];
        let by_omega = [lower.sin * lower_length, -(lower.cos * lower_length)];
        let by_gamma = [-(plate.cos * plate_length), -(plate.sin * plate_length)];
        let by_delta = [by_phi[0] + upper_arm.sin * upper_arm_length, by_phi[1] - upper_arm.cos * upper_arm_length];
        let by_epsilon =
            [by_omega[0] - lower_arm.cos * lower_arm_length, by_omega[1] - lower_arm.sin * lower_arm_length];
        let none = [S::zero(); 2];
        let columns = [
            [by_beta; 3],
            [by_theta; 3],
            [by_gamma, none, none],
            [none, by_phi, none],
            [none, by_delta, none],
            [none, none, by_omega],
            [none, none, by_epsilon],
        ];
        jacobian.copy_from_slice(columns.as_flattened().as_flattened());
    }

    /// Writes the second derivatives of the loops, those of E first.
    fn write_curvature<S: Scalar>(&self, q: &[S], derivatives: &mut Derivatives<S>) {
        let Squeezer { of, ef, ebd, ge, ag, he, ah, .. } = &self.0;
        let along = |angle: S, length: f64| {
            let (sin, cos) = angle.sin_cos();
            [cos * length, sin * length]
        };
        let (crank, rod) = (along(q[0], of.length), along(q[0] + q[1], ef.length));
        let plate = along(q[2], ebd.length);
        let (upper_arm, upper) = (along(q[4], ag.length), along(q[3] + q[4], ge.length));
        let (lower_arm, lower) = (along(q[6], ah.length), along(q[5] + q[6], he.length));
        let none = [S::zero(); 2];
        for (pair, second) in derivatives.second_mut() {
            let loops = match pair {
                (0, 0) => [difference(rod, crank); 3],
                (0 | 1, 1) => [rod; 3],
                (2, 2) => [across(plate), none, none],
                (3, 3 | 4) => [none, across(upper), none],
                (4, 4) => [none, sum(across(upper), upper_arm), none],
                (5, 5 | 6) => [none, none, lower],
                (6, 6) => [none, none, sum(lower, across(lower_arm))],
                _ => [none; 3],
            };
            second.copy_from_slice(loops.as_flattened());
        }
    }
}

/// Returns `(x, y)` rotated by minus a right angle.
fn across<S: Scalar>([x, y]: [S; 2]) -> [S; 2] {
    [y, -x]
}
