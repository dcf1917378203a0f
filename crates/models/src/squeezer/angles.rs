//! The squeezer in seven joint angles.

use mbsbench_problem::{ClosedForm, Dimensions, Entries, MechanicalModel, Scalar};
use nalgebra::DMatrix;

use super::links::Link;
use super::{Points, Squeezer, SqueezerEquations};
use crate::plane::{cross, sum, turned};

/// The coordinates are `q = (β, Θ, γ, Φ, δ, Ω, ε)`, with links at the angles from `+x`
///
/// ```text
/// O-F  β     E-F  β + Θ     E-B-D  γ     A-G  δ     G-E  δ + Φ − π/2     A-H  ε − π/2     H-E  ε + Ω
/// ```
///
/// The loops close at E:
///
/// ```text
/// e(α) = (cos α, sin α),   ê(α) = (sin α, −cos α),   E = ℓ_OF e(β) − ℓ_EF e(β + Θ)
/// 0 = ( E − B − ℓ_EB ê(γ),  E − A − ℓ_AG e(δ) − ℓ_GE ê(δ + Φ),  E − A − ℓ_AH ê(ε) − ℓ_HE e(ε + Ω) )
/// ```
///
/// A link on the end of an arm is at `α + ψ` if the arm is at `α`. With the arm's length `ℓ`, its inertia `J₁` about
/// the ground, the link's inertia `J₂` about the pin between them, and its centre of mass at `p` from that pin in a
/// frame at `α + ψ`, the two have the masses and gyroscopic forces
///
/// ```text
/// k = m₂ ℓ (p_x cos ψ − p_y sin ψ),   k' = dk/dψ
/// M_αα = J₁ + m₂ ℓ² + 2 k + J₂,   M_αψ = k + J₂,   M_ψψ = J₂
/// D_α = −k' ψ̇ (2 α̇ + ψ̇),         D_ψ = k' α̇²
/// ```
///
/// In addition, the torque acts on the crank, and the moment of the spring about B on the plate.
#[derive(Debug, Clone)]
pub struct SqueezerAngles(pub Squeezer);

/// An arm that turns about a pin on the ground, and a link on its end.
pub(super) struct Pair<S> {
    /// Numbers of the arm's angle `α` and of the link's angle `ψ`.
    pub(super) angles: [usize; 2],
    /// Inertia `J₁ + m₂ ℓ²`, kg m².
    pub(super) arm: S,
    /// Inertia `J₂`, kg m².
    pub(super) link: S,
    /// Coupling `m₂ ℓ p`, kg m².
    coupling: [S; 2],
}

impl<S: Scalar> Pair<S> {
    /// Returns the pair for a link whose centre of mass is at `lever` from the pin between the two.
    fn new(angles: [usize; 2], arm: S, length: f64, carried: &Link, lever: [S; 2]) -> Self {
        let [x, y] = lever;
        Self {
            angles,
            arm: arm + S::from(length) * length * carried.mass,
            link: (x * x + y * y) * carried.mass + carried.inertia,
            coupling: lever.map(|lever| lever * length * carried.mass),
        }
    }

    /// Returns `k` and `k'` at the link's angle, kg m².
    pub(super) fn coupling(&self, psi: S) -> (S, S) {
        self.coupling_at(psi.sin_cos())
    }

    /// Returns `k` and `k'` from the sine and cosine of the link's angle.
    pub(super) fn coupling_at(&self, psi: (S, S)) -> (S, S) {
        let [along, across] = turned(psi, self.coupling);
        (along, -across)
    }

    /// Returns `(M_αα, M_αψ, M_ψψ)`, kg m², for the coupling `k`.
    pub(super) fn masses(&self, k: S) -> [S; 3] {
        [self.arm + k * 2.0 + self.link, k + self.link, self.link]
    }

    /// Writes `∂M/∂ψ` for the slope `k'`.
    pub(super) fn write_mass_derivative(&self, slope: S, by_psi: &mut DMatrix<S>) {
        let [alpha, psi] = self.angles;
        by_psi[(alpha, alpha)] = slope * 2.0;
        by_psi[(alpha, psi)] = slope;
        by_psi[(psi, alpha)] = slope;
    }

    /// Writes the derivatives of `D_α` and `D_ψ` for the coupling `k` and its slope `k'`, with `k'' = −k`.
    pub(super) fn write_force_derivatives(
        &self,
        (k, slope): (S, S),
        v: &[S],
        by_position: &mut DMatrix<S>,
        by_velocity: &mut DMatrix<S>,
    ) {
        let [alpha, psi] = self.angles;
        let [of_slope, of_sum] = [slope * v[psi], v[alpha] * 2.0 + v[psi]];
        by_position[(alpha, psi)] = k * v[psi] * of_sum;
        by_position[(psi, psi)] = -(k * v[alpha] * v[alpha]);
        by_velocity[(alpha, alpha)] = -(of_slope * 2.0);
        by_velocity[(alpha, psi)] = -(slope * of_sum + of_slope);
        by_velocity[(psi, alpha)] = slope * v[alpha] * 2.0;
    }

    /// Returns `(D_α, D_ψ)`, N m, for the slope `k'`.
    pub(super) fn gyroscopic_forces(&self, slope: S, v: &[S]) -> [S; 2] {
        let [alpha, psi] = self.angles.map(|k| v[k]);
        [-(slope * psi * (alpha * 2.0 + psi)), slope * alpha * alpha]
    }
}

impl SqueezerAngles {
    pub(super) fn pairs<S: Scalar>(&self) -> [Pair<S>; 3] {
        let Squeezer { of, ef, he, ge, ag, ah, .. } = &self.0;
        let [upper_x, upper_y] = ge.centre.map(S::from);
        let [lower_x, lower_y] = he.centre.map(S::from);
        [
            Pair::new([0, 1], of.inertia_about_first_pin(), of.length, ef, ef.lever_about_second_pin()),
            // The frames at δ + Φ and at ε − π/2 + Ω are a quarter turn from those of the links.
            Pair::new([4, 3], ag.inertia_about_first_pin(), ag.length, ge, [upper_y, -upper_x]),
            Pair::new([6, 5], ah.inertia_about_first_pin(), ah.length, he, [-lower_y, lower_x]),
        ]
    }

    /// Vector from B to D at the angle γ with the given sine and cosine, m.
    fn spring_lever<S: Scalar>(&self, gamma: (S, S)) -> [S; 2] {
        turned(gamma, self.0.ebd.lever_about_b(self.0.ebd.spring))
    }

    /// Moment of the spring about B, N m.
    pub(super) fn spring_moment<S: Scalar>(&self, gamma: (S, S)) -> S {
        let lever = self.spring_lever(gamma);
        let (force, _) = self.0.spring(sum(lever, self.0.b.map(S::from)));
        cross(lever, force)
    }
}

impl MechanicalModel for SqueezerAngles {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(7, 6)
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        for pair in self.pairs() {
            let [alpha, psi] = pair.angles;
            let (k, _) = pair.coupling(q[psi]);
            let [first, mixed, second] = pair.masses(k);
            mass[(alpha, alpha)] = first;
            mass[(alpha, psi)] = mixed;
            mass[(psi, alpha)] = mixed;
            mass[(psi, psi)] = second;
        }
        mass[(2, 2)] = self.0.ebd.inertia_about_b();
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        for pair in self.pairs() {
            let [alpha, psi] = pair.angles;
            let (_, slope) = pair.coupling(q[psi]);
            [forces[alpha], forces[psi]] = pair.gyroscopic_forces(slope, v);
        }
        forces[0] += S::from(self.0.torque);
        forces[2] = self.spring_moment(q[2].sin_cos());
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let Squeezer { of, ef, he, ge, ag, ah, ebd, a, b, .. } = &self.0;
        let (crank_sin, crank_cos) = q[0].sin_cos();
        let (rod_sin, rod_cos) = (q[0] + q[1]).sin_cos();
        let e = [crank_cos * of.length - rod_cos * ef.length, crank_sin * of.length - rod_sin * ef.length];
        let (sin, cos) = q[2].sin_cos();
        phi[0] = e[0] - sin * ebd.length - b[0];
        phi[1] = e[1] + cos * ebd.length - b[1];
        let ((arm_sin, arm_cos), (sin, cos)) = (q[4].sin_cos(), (q[3] + q[4]).sin_cos());
        phi[2] = e[0] - arm_cos * ag.length - sin * ge.length - a[0];
        phi[3] = e[1] - arm_sin * ag.length + cos * ge.length - a[1];
        let ((arm_sin, arm_cos), (sin, cos)) = (q[6].sin_cos(), (q[5] + q[6]).sin_cos());
        phi[4] = e[0] - arm_sin * ah.length - cos * he.length - a[0];
        phi[5] = e[1] + arm_cos * ah.length - sin * he.length - a[1];
    }

    fn closed_form<S: Scalar>(&self) -> Option<&dyn ClosedForm<S>> {
        Some(self)
    }

    /// Kinetic energy and spring energy, J.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let mut twice = v[2] * v[2] * self.0.ebd.inertia_about_b::<S>();
        for pair in self.pairs() {
            let [alpha, psi] = pair.angles.map(|k| v[k]);
            let (k, _) = pair.coupling(q[pair.angles[1]]);
            let [first, mixed, second] = pair.masses(k);
            twice += alpha * alpha * first + alpha * psi * mixed * 2.0 + psi * psi * second;
        }
        let d = sum(self.spring_lever(q[2].sin_cos()), self.0.b.map(S::from));
        twice * 0.5 + self.0.spring(d).1
    }
}

impl SqueezerEquations for SqueezerAngles {
    fn squeezer(&self) -> &Squeezer {
        &self.0
    }

    fn coordinates_at<S: Scalar>(&self, angles: &[S; 7]) -> Vec<S> {
        angles.to_vec()
    }

    fn angles<S: Scalar>(&self, q: &[S]) -> [S; 7] {
        std::array::from_fn(|k| q[k])
    }

    fn angle_rates<S: Scalar>(&self, v: &[S]) -> [S; 7] {
        std::array::from_fn(|k| v[k])
    }

    fn points<S: Scalar>(&self, q: &[S]) -> Points<S> {
        self.0.points_at(&self.angles(q))
    }
}
