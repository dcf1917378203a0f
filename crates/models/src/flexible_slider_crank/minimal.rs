//! The flexible slider crank in the crank's angle and the modal coordinates.

use mbsbench_problem::Scalar;

use super::{Deflection, FlexibleSliderCrank, MODES};
use crate::linkage::{FollowingRod, Linkage, LinkageFormulation, dot};

/// `u = (θ, e₁, …)`. With primes for derivatives by `θ`, `R` the crank pin, `r = θ₂'`, the rod's velocities are
/// `(Ṙ, ω₂, ė) = (R' θ̇, r θ̇, ė)` and its equations, multiplied from the left by the transpose of that, are
///
/// ```text
/// [ m₁ L₁²/3 + m₂ R'·R' + 2 r R'·(A J p) + r² M_θθ   R'·A(0, S_k) + r B_k ] [θ̈  ]   [ R'·F_R + r F_θ − m₁ g L₁ cos θ/2 ]
/// [ R'·A(0, S_k) + r B_k                             m_k                  ] [ë_k] = [ F_k                              ]
/// F = D − M (R'', r', 0) θ̇²
/// ```
///
/// The block of the modes is diagonal, so that they are eliminated without a factorization.
impl Linkage for FlexibleSliderCrank {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn freedoms(&self) -> usize {
        1 + self.modes
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        let bent = match self.deflection {
            Deflection::Straight => None,
            // Where there is none the parameters are out of range, which `check` has said.
            Deflection::QuasiStatic => self.quasi_static(),
        };
        bent.unwrap_or_else(|| self.straight())
    }

    fn reduced_rhs<S: Scalar>(&self, y: &[S], dydt: &mut [S]) {
        let f = self.freedoms();
        let (e, omega, e_rate) = (&y[1..f], y[f], &y[f + 1..]);
        let modes = self.rod_modes::<S>();
        let rod = FollowingRod::new(y[0], self.crank_length, self.rod_length);
        let [_, pin, pin_rate] = rod.point(self.crank_length, 0.0);
        let ([sin, cos], ratio, ratio_rate) = (rod.rod, rod.ratio, rod.ratio_rate);
        let half = S::from(self.rod_mass) * self.rod_length * 0.5;
        let moment = modes.moment(e);
        let turned = [-(sin * half) - cos * moment, cos * half - sin * moment];
        let about_pin = S::from(self.rod_mass) * self.rod_length * self.rod_length / 3.0 + modes.product(e, e);
        let square = omega * omega;

        let mut forces = [S::nought(); 3 + MODES];
        self.rod_forces(rod.rod, ratio * omega, e, e_rate, &mut forces);
        for i in 0..2 {
            forces[i] -= (pin_rate[i] * self.rod_mass + turned[i] * ratio_rate) * square;
        }
        forces[2] -= (dot(turned, pin_rate) + about_pin * ratio_rate) * square;

        let crank = S::from(self.crank_mass) * self.crank_length;
        let mut inertia = crank * self.crank_length / 3.0
            + dot(pin, pin) * self.rod_mass
            + ratio * dot(pin, turned) * 2.0
            + ratio * ratio * about_pin;
        let mut force = dot(pin, [forces[0], forces[1]]) + ratio * forces[2];
        force -= crank * self.gravity * 0.5 * rod.crank[1];
        // (−sin θ₂, cos θ₂) is the direction of the deflection.
        let (across, across_rate) = (pin[1] * cos - pin[0] * sin, pin_rate[1] * cos - pin_rate[0] * sin);
        let mut couplings = [S::nought(); MODES];
        for (k, mode) in modes.as_slice().iter().enumerate() {
            couplings[k] = across * mode.first_moment + ratio * mode.coupling;
            forces[3 + k] -= (across_rate * mode.first_moment + mode.coupling * ratio_rate) * square;
            inertia -= couplings[k] * couplings[k] / modes.mass;
            force -= couplings[k] * forces[3 + k] / modes.mass;
        }
        dydt[..f].copy_from_slice(&y[f..]);
        dydt[f] = force / inertia;
        for k in 0..self.modes {
            dydt[f + 1 + k] = (forces[3 + k] - couplings[k] * dydt[f]) / modes.mass;
        }
    }

    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let (n, f) = (6 + self.modes, self.freedoms());
        let (theta, omega) = (y[0], y[f]);
        let rod = FollowingRod::new(theta, self.crank_length, self.rod_length);
        let [sin, cos] = rod.crank;
        let (length, half) = (self.crank_length, 0.5 * self.crank_length);
        let (q, v) = full.split_at_mut(n);
        q[..6].copy_from_slice(&[cos * half, sin * half, theta, cos * length, sin * length, rod.angle()]);
        q[6..].copy_from_slice(&y[1..f]);
        let (x, y_rate) = (-(sin * omega), cos * omega);
        v[..6].copy_from_slice(&[x * half, y_rate * half, omega, x * length, y_rate * length, rod.ratio * omega]);
        v[6..].copy_from_slice(&y[f + 1..]);
    }

    fn pin_distances(&self) -> [f64; 2] {
        [0.5 * self.crank_length, 0.0]
    }

    fn slider_distance(&self) -> Option<f64> {
        Some(self.rod_length)
    }
}
