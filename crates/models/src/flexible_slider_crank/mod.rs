//! A slider crank with a flexible rod, in a floating frame of reference (negrut2007, section 3c).
//!
//! The frame is the chord through both pins; the deflection across it is a sum of sines, which vanish there.

mod quasi_static;

use std::f64::consts::PI;

use mbsbench_problem::{
    Dimensions, Entries, MechanicalModel, Model, ModelDefinition, Ode, OutOfRange, Scalar, parameters,
};

use crate::linkage::{FollowingRod, Linkage, LinkageFormulation, ReducedOde, TwoRods, TwoRodsModel, slender};
use crate::plane::dot;
use crate::slider_crank::longer_than_crank;

/// Largest number of modes; sums over the modes are kept in arrays of this size.
pub const MODES: usize = 8;

parameters! {
    /// A rigid crank on a pin at the origin and a flexible rod, whose far end slides along the `x` axis without
    /// spring or mass.
    ///
    /// The bending frequencies of the paper's rod are 1665 rad/s and more. The paper does not say which modes it
    /// keeps, nor how the rod is bent at the start. Its area of the cross-section, 5.74e-6 m², would matter only for
    /// an axial mode, which this model does not have.
    pub struct FlexibleSliderCrank where rod_is_longer, deflection_exists {
        /// The equations: six coordinates and those of the modes with five constraints, or the crank's
        /// angle and the modes.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the crank.
        pub crank_mass: f64 [above 0.0, unit "kg"] = 3.0,
        /// Length of the crank.
        pub crank_length: f64 [above 0.0, unit "m"] = 0.3,
        /// Mass of the rod.
        pub rod_mass: f64 [above 0.0, unit "kg"] = 0.9,
        /// Length of the rod; longer than the crank.
        pub rod_length: f64 [above 0.0, unit "m"] = 0.6,
        /// Number of bending modes, from 0 (a rigid rod) to 8.
        pub modes: usize [to MODES as u32] = 2,
        /// Young's modulus of the rod.
        pub young_modulus: f64 [above 0.0, unit "Pa"] = 200e9,
        /// Second moment of area of the rod's cross-section.
        pub second_moment: f64 [above 0.0, unit "m⁴"] = 2.765e-8,
        /// Damping of each mode as a fraction of its critical damping.
        pub modal_damping: f64 [from 0.0, unit "1"] = 0.0,
        /// Initial deflection of the rod.
        pub deflection: Deflection = Deflection::QuasiStatic,
        /// Initial angle of the crank from `+x`.
        pub crank_angle: f64 [unit "rad"] = 1.5 * PI,
        /// Initial angular velocity of the crank.
        pub crank_rate: f64 [unit "rad/s"] = 1.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }

    /// Initial deflection of the rod.
    #[derive(Copy, Default, Eq)]
    pub enum Deflection {
        /// Straight, with the modes at rest: the rod will vibrate.
        Straight,
        /// The deflection for which the second and third derivatives of the modal coordinates are zero: the modes
        /// follow the slow motion, and nothing vibrates.
        #[default]
        QuasiStatic,
    }
}

impl FlexibleSliderCrank {
    fn rod_is_longer(&self) -> Result<(), OutOfRange> {
        longer_than_crank(self.rod_length, self.crank_length)
    }

    fn deflection_exists(&self) -> Result<(), OutOfRange> {
        let accepted = "`straight`, since a rod this soft has no quasi-static deflection within its length";
        let exists = self.deflection == Deflection::Straight || self.quasi_static::<f64>().is_some();
        OutOfRange::unless(exists, "deflection", "quasi-static", accepted)
    }
}

impl ModelDefinition for FlexibleSliderCrank {
    const NAME: &'static str = "flexible-slider-crank";
    const SUMMARY: &'static str = "slider crank with a flexible rod in a floating frame of reference, five constraints";
    const SOURCE: &'static str = "negrut2007, section 3c";

    fn model(&self) -> Box<dyn Model> {
        Box::new(TwoRodsModel { linkage: self.clone(), spring_frequency: None })
    }
}

/// A sine mode of the rod, `sin(k π x/L₂)`, with `μ = m₂/L₂`.
#[derive(Debug, Clone, Copy)]
struct Mode<S> {
    /// `S_k = μ L₂ (1 − cos k π)/(k π)`, kg: the share in the rod's first moment.
    pub first_moment: S,
    /// `B_k = −μ L₂² cos(k π)/(k π)`, kg m: the coupling with the rod's rotation.
    pub coupling: S,
    /// `K_k = E I (k π/L₂)⁴ L₂/2`, N/m.
    pub stiffness: S,
    /// `c_k = 2 ζ √(K_k m_k)`, N s/m.
    pub damping: S,
}

/// The modes in use, and the mass `m_k = μ L₂/2` (kg) of each.
struct Modes<S> {
    modes: [Mode<S>; MODES],
    count: usize,
    pub mass: S,
}

impl<S: Scalar> Modes<S> {
    pub fn as_slice(&self) -> &[Mode<S>] {
        &self.modes[..self.count]
    }

    /// First moment of the deflected rod about its chord, `Σ S_k e_k`, kg m; or its rate, given the rates of `e`.
    pub fn moment(&self, e: &[S]) -> S {
        self.as_slice().iter().zip(e).fold(S::zero(), |sum, (mode, &e)| sum + mode.first_moment * e)
    }

    /// `Σ m_k a_k b_k` for two sets of modal coordinates or rates.
    pub fn product(&self, a: &[S], b: &[S]) -> S {
        a.iter().zip(b).fold(S::zero(), |sum, (&a, &b)| sum + a * b) * self.mass
    }
}

impl FlexibleSliderCrank {
    /// Returns the constants of the modes, computed in the scalar's own precision.
    fn rod_modes<S: Scalar>(&self) -> Modes<S> {
        let mass = S::from(0.5 * self.rod_mass);
        let unused = Mode { first_moment: S::zero(), coupling: S::zero(), stiffness: S::zero(), damping: S::zero() };
        let mut modes = [unused; MODES];
        for (index, mode) in modes[..self.modes].iter_mut().enumerate() {
            let k = index as f64 + 1.0;
            let wave = S::pi() * k;
            let cos = if index % 2 == 0 { -1.0 } else { 1.0 };
            let square = wave * wave / self.rod_length / self.rod_length;
            let stiffness = S::from(self.young_modulus) * self.second_moment * square * square * 0.5 * self.rod_length;
            *mode = Mode {
                first_moment: S::from(self.rod_mass) * (1.0 - cos) / wave,
                coupling: -(S::from(self.rod_mass) * self.rod_length * cos / wave),
                stiffness,
                damping: (stiffness * mass).sqrt() * 2.0 * self.modal_damping,
            };
        }
        Modes { modes, count: self.modes, mass }
    }
}

/// The coordinates are `q = (x₁, y₁, θ₁, X, Y, θ₂, e₁, …)`: crank pin `(X, Y)`, chord angle `θ₂`, deflection
/// `w(x) = Σ e_k sin(k π x/L₂)`. With the rotation `A` of the chord, its derivative `A J`,
/// `p = (m₂ L₂/2, Σ S_k e_k)`, and the constants of the modes (`S_k`, `B_k`, `m_k`, `K_k`, `c_k`), the contribution
/// of the rod to mass matrix and forces is
///
/// ```text
/// M_RR = m₂ I,   M_Rθ = A J p,   M_Rk = A (0, S_k),   M_θθ = m₂ L₂²/3 + Σ m_k e_k²,   M_θk = B_k,   M_kk = m_k
/// D_R = ω₂² A p + 2 ω₂ A (Σ S_k ė_k, 0) + (0, −m₂ g)
/// D_θ = −2 ω₂ Σ m_k e_k ė_k − g (m₂ L₂/2 cos θ₂ − Σ S_k e_k sin θ₂)
/// D_k = ω₂² m_k e_k − g cos θ₂ S_k − K_k e_k − c_k ė_k
/// Φ = ( x₁ − l₁ cos θ₁, y₁ − l₁ sin θ₁, x₁ + l₁ cos θ₁ − X, y₁ + l₁ sin θ₁ − Y, Y + L₂ sin θ₂ )
/// ```
///
/// This is our own derivation, because the paper prints no equations of its models.
impl MechanicalModel for FlexibleSliderCrank {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(6 + self.modes, 5)
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        let modes = self.rod_modes::<S>();
        let (sin, cos) = q[5].sin_cos();
        let (e, half) = (&q[6..], S::from(self.rod_mass) * self.rod_length * 0.5);
        let moment = modes.moment(e);
        for i in 0..2 {
            mass[(i, i)] = S::from(self.crank_mass);
            mass[(i + 3, i + 3)] = S::from(self.rod_mass);
        }
        mass[(2, 2)] = slender(self.crank_mass, self.crank_length);
        let mut set = |i: usize, j: usize, entry: S| {
            mass[(i, j)] = entry;
            mass[(j, i)] = entry;
        };
        set(3, 5, -(sin * half) - cos * moment);
        set(4, 5, cos * half - sin * moment);
        set(5, 5, slender::<S>(self.rod_mass, self.rod_length) * 4.0 + modes.product(e, e));
        for (k, mode) in modes.as_slice().iter().enumerate() {
            set(3, 6 + k, -(sin * mode.first_moment));
            set(4, 6 + k, cos * mode.first_moment);
            set(5, 6 + k, mode.coupling);
            set(6 + k, 6 + k, modes.mass);
        }
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces[0] = S::zero();
        forces[1] = -(S::from(self.crank_mass) * self.gravity);
        forces[2] = S::zero();
        let (sin, cos) = q[5].sin_cos();
        self.rod_forces([sin, cos], v[5], &q[6..], &v[6..], &mut forces[3..]);
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        let half = 0.5 * self.crank_length;
        phi[0] = q[0] - cos * half;
        phi[1] = q[1] - sin * half;
        phi[2] = q[0] + cos * half - q[3];
        phi[3] = q[1] + sin * half - q[4];
        phi[4] = q[4] + q[5].sin() * self.rod_length;
    }

    /// Kinetic energy, gravity and bending energy, J; gravity's potential is zero at the height of the origin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let modes = self.rod_modes::<S>();
        let (sin, cos) = q[5].sin_cos();
        let (e, e_rate) = (&q[6..], &v[6..]);
        let (moment, moment_rate) = (modes.moment(e), modes.moment(e_rate));
        let half = S::from(self.rod_mass) * self.rod_length * 0.5;
        let crank = (v[0] * v[0] + v[1] * v[1]) * self.crank_mass
            + v[2] * v[2] * slender::<S>(self.crank_mass, self.crank_length);
        // The pin's velocity in the axes of the chord.
        let (along, across) = (v[3] * cos + v[4] * sin, v[4] * cos - v[3] * sin);
        let rod = (v[3] * v[3] + v[4] * v[4]) * self.rod_mass
            + (across * half - along * moment) * v[5] * 2.0
            + across * moment_rate * 2.0
            + (slender::<S>(self.rod_mass, self.rod_length) * 4.0 + modes.product(e, e)) * v[5] * v[5]
            + modes.product(e_rate, e_rate);
        let mut energy = (crank + rod) * 0.5
            + (q[1] * self.crank_mass + q[4] * self.rod_mass + half * sin + moment * cos) * self.gravity;
        for (k, mode) in modes.as_slice().iter().enumerate() {
            energy += mode.stiffness * e[k] * e[k] * 0.5 + v[5] * mode.coupling * e_rate[k];
        }
        energy
    }
}

impl FlexibleSliderCrank {
    /// Writes `D_R`, `D_θ` and `D_k` for the sine and cosine of the chord's angle, its rate, and the modal coordinates.
    fn rod_forces<S: Scalar>(&self, rod: [S; 2], omega: S, e: &[S], e_rate: &[S], forces: &mut [S]) {
        let modes = self.rod_modes::<S>();
        let [sin, cos] = rod;
        let half = S::from(self.rod_mass) * self.rod_length * 0.5;
        let (moment, moment_rate) = (modes.moment(e), modes.moment(e_rate));
        let square = omega * omega;
        let along = square * half + omega * moment_rate * 2.0;
        let across = square * moment;
        forces[0] = cos * along - sin * across;
        forces[1] = sin * along + cos * across - S::from(self.rod_mass) * self.gravity;
        forces[2] = -(omega * modes.product(e, e_rate) * 2.0) - (half * cos - moment * sin) * self.gravity;
        for (k, mode) in modes.as_slice().iter().enumerate() {
            forces[3 + k] = square * modes.mass * e[k]
                - cos * mode.first_moment * self.gravity
                - mode.stiffness * e[k]
                - mode.damping * e_rate[k];
        }
    }
}

/// The coordinates are `u = (θ, e₁, …)`. With primes for derivatives by `θ`, `R` the crank pin, and `r = θ₂'`, the
/// rod's velocities are `(Ṙ, ω₂, ė) = (R' θ̇, r θ̇, ė)`. Its equations, multiplied from the left by the transpose
/// of that map, are
///
/// ```text
/// [ m₁ L₁²/3 + m₂ R'·R' + 2 r R'·(A J p) + r² M_θθ   R'·A(0, S_k) + r B_k ] [θ̈  ]   [ f   ]
/// [ R'·A(0, S_k) + r B_k                             m_k                  ] [ë_k] = [ F_k ]
/// f = R'·F_R + r F_θ − m₁ g L₁ cos θ/2,   F = D − M (R'', r', 0) θ̇²
/// ```
///
/// The block of the modes is diagonal, so they are eliminated without a factorization.
impl Linkage for FlexibleSliderCrank {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        let bent = match self.deflection {
            Deflection::Straight => None,
            // No solution means that the parameters are out of range, which `check` reports.
            Deflection::QuasiStatic => self.quasi_static(),
        };
        bent.unwrap_or_else(|| self.straight())
    }

    fn reduced_ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(ReducedOde(self))
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
}

impl TwoRods for FlexibleSliderCrank {
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

        let mut forces = [S::zero(); 3 + MODES];
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
        let mut couplings = [S::zero(); MODES];
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

    fn pin_distances(&self) -> [f64; 2] {
        [0.5 * self.crank_length, 0.0]
    }

    fn slider_distance(&self) -> Option<f64> {
        Some(self.rod_length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::Parameters;

    #[test]
    fn a_too_soft_rod_has_no_quasi_static_deflection() {
        // The softest rods satisfy the equations only with deflections of twice their length.
        for young_modulus in [1e3, 1e5, 1e6] {
            let soft = FlexibleSliderCrank { young_modulus, crank_rate: 30.0, crank_angle: 0.5, ..Default::default() };
            assert_eq!(soft.check().unwrap_err().field, "deflection");
            assert_eq!(FlexibleSliderCrank { deflection: Deflection::Straight, ..soft }.check(), Ok(()));
        }
    }
}
