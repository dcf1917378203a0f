//! Two rods on pins with torsional springs and dampers, the second joint very stiff (negrut2007, section 3a).

use std::f64::consts::{PI, TAU};

use mbsbench_problem::{Dimensions, Entries, MechanicalModel, Model, ModelDefinition, Ode, Scalar, parameters};

use crate::linkage::{Linkage, LinkageFormulation, ReducedOde, TwoRods, TwoRodsModel, rods_energy, write_rod};

parameters! {
    /// Two slender rods, the first on a pin at the origin, with torsional springs and dampers in both pins.
    ///
    /// The damper of the second pin causes a mode that decays within 2.4e-5 s. The paper prints θ₂(0) = 0 and
    /// no free angles. Here θ₂(0) is taken relative to the first rod, and the springs are unstrained when the
    /// rods hang straight.
    pub struct DoublePendulum {
        /// The equations: six coordinates with four constraints, or the two angles.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the first rod.
        pub mass_1: f64 [above 0.0, unit "kg"] = 3.0,
        /// Length of the first rod.
        pub length_1: f64 [above 0.0, unit "m"] = 1.0,
        /// Stiffness of the spring between ground and first rod.
        pub stiffness_1: f64 [from 0.0, unit "N m/rad"] = 400.0,
        /// Damping between ground and first rod.
        pub damping_1: f64 [from 0.0, unit "N m s/rad"] = 15.0,
        /// Mass of the second rod.
        pub mass_2: f64 [above 0.0, unit "kg"] = 0.3,
        /// Length of the second rod.
        pub length_2: f64 [above 0.0, unit "m"] = 1.5,
        /// Stiffness of the spring between the rods.
        pub stiffness_2: f64 [from 0.0, unit "N m/rad"] = 3e5,
        /// Damping between the rods.
        pub damping_2: f64 [from 0.0, unit "N m s/rad"] = 5e3,
        /// Angle of the first rod, from `+x`, at which its spring is unstrained.
        pub free_angle_1: f64 [unit "rad"] = 1.5 * PI,
        /// Angle between the rods at which their spring is unstrained.
        pub free_angle_2: f64 [unit "rad"] = 0.0,
        /// Initial angle of the first rod from `+x`.
        pub angle_1: f64 [unit "rad"] = TAU,
        /// Initial angle of the second rod relative to the first.
        pub angle_2: f64 [unit "rad"] = 0.0,
        /// Initial angular velocity of the first rod.
        pub rate_1: f64 [unit "rad/s"] = 0.0,
        /// Initial angular velocity of the second rod against the ground.
        pub rate_2: f64 [unit "rad/s"] = 10.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
    }
}

impl ModelDefinition for DoublePendulum {
    const NAME: &'static str = "double-pendulum";
    const SUMMARY: &'static str = "double pendulum with torsional springs and dampers, four constraints; very stiff";
    const SOURCE: &'static str = "negrut2007, section 3a";

    fn model(&self) -> Box<dyn Model> {
        Box::new(TwoRodsModel { linkage: self.clone(), spring_frequency: None })
    }
}

/// The coordinates are `q = (x₁, y₁, θ₁, x₂, y₂, θ₂)`. `M = diag(m₁, m₁, m₁ L₁²/12, m₂, m₂, m₂ L₂²/12)` and, with
/// `lᵢ = Lᵢ/2`,
///
/// ```text
/// Φ = ( x₁ − l₁ cos θ₁, y₁ − l₁ sin θ₁, x₁ + l₁ cos θ₁ − x₂ + l₂ cos θ₂, y₁ + l₁ sin θ₁ − y₂ + l₂ sin θ₂ )
/// T₁ = −k₁ (θ₁ − r₁) − c₁ ω₁,   T₂ = −k₂ (θ₂ − θ₁ − r₂) − c₂ (ω₂ − ω₁)
/// D = ( 0, −m₁ g, T₁ − T₂, 0, −m₂ g, T₂ )
/// ```
impl MechanicalModel for DoublePendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(6, 4)
    }

    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        write_rod(mass, 0, self.mass_1, self.length_1);
        write_rod(mass, 3, self.mass_2, self.length_2);
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let (torque_1, torque_2) = self.torques([q[2], q[5]], [v[2], v[5]]);
        forces[0] = S::zero();
        forces[1] = -(S::from(self.mass_1) * self.gravity);
        forces[2] = torque_1 - torque_2;
        forces[3] = S::zero();
        forces[4] = -(S::from(self.mass_2) * self.gravity);
        forces[5] = torque_2;
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let [(s1, c1), (s2, c2)] = [q[2].sin_cos(), q[5].sin_cos()];
        let (half_1, half_2) = (0.5 * self.length_1, 0.5 * self.length_2);
        phi[0] = q[0] - c1 * half_1;
        phi[1] = q[1] - s1 * half_1;
        phi[2] = q[0] + c1 * half_1 - q[3] + c2 * half_2;
        phi[3] = q[1] + s1 * half_1 - q[4] + s2 * half_2;
    }

    /// Kinetic energy, gravity and both springs, J; gravity's potential is zero at the height of the origin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let rods = [(self.mass_1, self.length_1), (self.mass_2, self.length_2)];
        let energy = rods_energy(rods, self.gravity, q, v);
        let (twist_1, twist_2) = (q[2] - self.free_angle_1, q[5] - q[2] - self.free_angle_2);
        energy + twist_1 * twist_1 * self.stiffness_1 * 0.5 + twist_2 * twist_2 * self.stiffness_2 * 0.5
    }
}

impl DoublePendulum {
    /// Torques (N m) of the ground on the first rod and of the first rod on the second.
    fn torques<S: Scalar>(&self, theta: [S; 2], omega: [S; 2]) -> (S, S) {
        let first = (theta[0] - self.free_angle_1) * self.stiffness_1 + omega[0] * self.damping_1;
        let second =
            (theta[1] - theta[0] - self.free_angle_2) * self.stiffness_2 + (omega[1] - omega[0]) * self.damping_2;
        (-first, -second)
    }
}

/// With `u = (θ₁, θ₂)`, `B = m₂ L₁ L₂/2` and `d = θ₁ − θ₂`
///
/// ```text
/// [ m₁ L₁²/3 + m₂ L₁²   B cos d  ] [θ₁'']   [ T₁ − T₂ − B sin d ω₂² − (m₁/2 + m₂) g L₁ cos θ₁ ]
/// [ B cos d             m₂ L₂²/3 ] [θ₂''] = [ T₂ + B sin d ω₁² − m₂ g L₂ cos θ₂/2             ]
/// ```
impl Linkage for DoublePendulum {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        let first = S::from(self.angle_1);
        vec![first, first + self.angle_2, S::from(self.rate_1), S::from(self.rate_2)]
    }

    fn reduced_ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(ReducedOde(self))
    }

    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let (theta, omega) = ([y[0], y[1]], [y[2], y[3]]);
        let [(s1, c1), (s2, c2)] = theta.map(|theta| theta.sin_cos());
        let (half_1, half_2) = (0.5 * self.length_1, 0.5 * self.length_2);
        full[0] = c1 * half_1;
        full[1] = s1 * half_1;
        full[2] = theta[0];
        full[3] = c1 * self.length_1 + c2 * half_2;
        full[4] = s1 * self.length_1 + s2 * half_2;
        full[5] = theta[1];
        full[6] = -(s1 * omega[0] * half_1);
        full[7] = c1 * omega[0] * half_1;
        full[8] = omega[0];
        full[9] = -(s1 * omega[0] * self.length_1) - s2 * omega[1] * half_2;
        full[10] = c1 * omega[0] * self.length_1 + c2 * omega[1] * half_2;
        full[11] = omega[1];
    }
}

impl TwoRods for DoublePendulum {
    fn reduced_rhs<S: Scalar>(&self, y: &[S], dydt: &mut [S]) {
        let (theta, omega) = ([y[0], y[1]], [y[2], y[3]]);
        let Self { mass_1, length_1, mass_2, length_2, gravity, .. } = *self;
        let (torque_1, torque_2) = self.torques(theta, omega);
        let (sin, cos) = (theta[0] - theta[1]).sin_cos();
        let coupling = S::from(mass_2) * length_1 * length_2 * 0.5;
        let m11 = (S::from(mass_1) / 3.0 + mass_2) * length_1 * length_1;
        let m12 = coupling * cos;
        let m22 = S::from(mass_2) * length_2 * length_2 / 3.0;
        let weight_1 = (S::from(0.5 * mass_1) + mass_2) * gravity * length_1 * theta[0].cos();
        let weight_2 = S::from(0.5 * mass_2) * gravity * length_2 * theta[1].cos();
        let f1 = torque_1 - torque_2 - coupling * sin * omega[1] * omega[1] - weight_1;
        let f2 = torque_2 + coupling * sin * omega[0] * omega[0] - weight_2;
        let determinant = m11 * m22 - m12 * m12;
        dydt[0] = omega[0];
        dydt[1] = omega[1];
        dydt[2] = (m22 * f1 - m12 * f2) / determinant;
        dydt[3] = (m11 * f2 - m12 * f1) / determinant;
    }

    fn pin_distances(&self) -> [f64; 2] {
        [0.5 * self.length_1, 0.5 * self.length_2]
    }
}
