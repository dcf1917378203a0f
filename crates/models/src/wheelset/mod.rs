//! The wheelset of the test set for IVP solvers: a rigid pair of wheels on straight rails, with creep forces.
//!
//! The state is `y = (x, y, z, θ, φ, their rates, β', ψ_R, ξ_R, ψ_L, ξ_L, λ₁, λ₂)`: displacements across the track,
//! upwards and along it, yaw, roll, the deviation of the spin from rolling, the contact position on each wheel, and
//! normal forces over 10⁴ N. The contact positions are algebraic unknowns of index 1, the normal forces of index 2,
//! because the constraints are imposed on velocities.

mod contact;

use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsDescriptor, BenchmarkModel, Class, DescriptorModel, Observable, Ode, OdeModel, Scalar, View, parameters,
};
use nalgebra::DMatrix;

use crate::drawing::{ground, view};
use contact::{Contact, Motion};

parameters! {
    /// A wheelset on straight rails with constant velocity, held by springs: conical wheels on rails with circular
    /// heads, and creep forces that saturate by a hyperbolic tangent.
    pub struct Wheelset {
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"] = 16.08,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Velocity along the track.
        pub speed: f64 [above 0.0, unit "m/s"] = 30.0,
        /// Nominal radius of a wheel.
        pub radius: f64 [above 0.0, unit "m"] = 0.1,
        /// Inertia about the axle.
        pub axial_inertia: f64 [above 0.0, unit "kg m²"] = 0.0605,
        /// Inertia about axes across the axle.
        pub transverse_inertia: f64 [above 0.0, unit "kg m²"] = 0.366,
        /// Coefficient of friction.
        pub friction: f64 [above 0.0, unit "1"] = 0.12,
        /// Half the distance between the springs along the track.
        pub spring_distance: f64 [above 0.0, unit "m"] = 0.19,
        /// Stiffness of the springs across the track.
        pub lateral_stiffness: f64 [from 0.0, unit "N/m"] = 6400.0,
        /// Stiffness of the springs along the track.
        pub longitudinal_stiffness: f64 [from 0.0, unit "N/m"] = 6400.0,
        /// Ratio of the axes of the contact ellipse.
        pub ellipse_ratio: f64 [above 0.0, unit "1"] = 1.353_795_6,
        /// Value of Hertz's function for the ratio of the axes.
        pub ellipse_factor: f64 [above 0.0, unit "1"] = 0.711_521_8,
        /// Poisson's ratio.
        pub poisson_ratio: f64 [from 0.0, unit "1"] = 0.28,
        /// Shear modulus.
        pub shear_modulus: f64 [above 0.0, unit "Pa"] = 7.92e10,
        /// Kalker's coefficient of longitudinal creep.
        pub kalker_11: f64 [unit "1"] = 4.727_721_97,
        /// Kalker's coefficient of lateral creep.
        pub kalker_22: f64 [unit "1"] = 4.275_269_87,
        /// Kalker's coefficient of spin.
        pub kalker_23: f64 [unit "1"] = 1.972_035_05,
        /// Cone angle of the wheels.
        pub cone_angle: f64 [above 0.0, unit "rad"] = 0.0262,
        /// Half the distance between the contacts of the centred wheelset.
        pub half_gauge: f64 [above 0.0, unit "m"] = 0.1506,
        /// Radius of a rail's head.
        pub rail_radius: f64 [above 0.0, unit "m"] = 0.06,
    }
}

/// Scale of normal forces, N.
const FORCE: f64 = 1e4;

/// The state at time zero as the test set prints it.
const START: [f64; 17] = [
    1.4941e-3,
    4.0089e-7,
    1.1241e-6,
    -2.8573e-4,
    2.6459e-4,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    -7.412_238_035_766_714e-6,
    -0.152_136_429_612_124_8,
    7.563_440_639_517_294e-6,
    0.149_063_571_473_381_9,
    -8.3593e-3,
    -7.4144e-3,
];

impl OdeModel for Wheelset {
    fn dimension(&self) -> usize {
        START.len()
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], f: &mut [S]) {
        let &[x, _, z, yaw, roll, vx, vy, vz, v_yaw, v_roll, beta, psi_r, xi_r, psi_l, xi_l, first, second] = y else {
            unreachable!("there are seventeen")
        };
        let ((st, ct), (sp, cp)) = (yaw.sin_cos(), roll.sin_cos());
        let velocity = [vx, vy, vz, v_yaw, v_roll];
        let spin = beta + self.speed / self.radius;
        let motion = Motion { across: x, yaw, turned: [st, ct], rolled: [sp, cp], velocity, spin };
        let left = Contact::new(self, 1.0, [psi_l, xi_l], &motion);
        let right = Contact::new(self, -1.0, [psi_r, xi_r], &motion);
        let gradients = [left.gradient(&motion), right.gradient(&motion)];
        let multipliers = [first * FORCE, second * FORCE];
        let constrained: [S; 5] =
            std::array::from_fn(|i| gradients[0][i] * multipliers[0] + gradients[1][i] * multipliers[1]);
        let normals = normal_forces(left.angle, right.angle, constrained[0], -(multipliers[0] + multipliers[1]));
        let (mut force, mut moment) = ([S::zero(); 3], [S::zero(); 3]);
        for (contact, normal) in [&left, &right].into_iter().zip(normals) {
            let creep = contact.creep_force(self, normal, &motion);
            let moments = contact.moments(creep, &motion);
            for k in 0..3 {
                force[k] += creep[k];
                moment[k] += moments[k];
            }
        }
        let (i1, i2) = (self.axial_inertia, self.transverse_inertia);
        let yaw_spring = yaw * (2.0 * self.spring_distance * self.spring_distance * self.longitudinal_stiffness);
        f[..5].copy_from_slice(&velocity);
        f[5] = (force[0] + constrained[0] - x * (2.0 * self.lateral_stiffness)) / self.mass;
        f[6] = (force[1] + constrained[1]) / self.mass - self.gravity;
        f[7] = (force[2] + constrained[2] - z * (2.0 * self.longitudinal_stiffness)) / self.mass;
        let gyroscopic = v_yaw * v_roll * sp * i2 - spin * v_roll * i1 - v_yaw * sp * v_roll * (i1 - i2);
        let yaw_acceleration = (gyroscopic + moment[0] - yaw_spring * cp + constrained[3]) / (cp * i2);
        f[8] = yaw_acceleration;
        f[9] = (spin * v_yaw * cp * i1 + v_yaw * v_yaw * sp * cp * (i1 - i2) + moment[1] + constrained[4]) / i2;
        f[10] = (-(v_yaw * v_roll * cp * i1) + moment[2] - yaw_spring * sp) / i1 - sp * yaw_acceleration;
        f[11..13].copy_from_slice(&right.touching(&motion));
        f[13..15].copy_from_slice(&left.touching(&motion));
        for (row, gradient) in f[15..].iter_mut().zip(gradients) {
            *row = gradient.iter().zip(velocity).fold(S::zero(), |sum, (&entry, v)| sum + entry * v);
        }
    }

    fn is_autonomous(&self) -> bool {
        true
    }
}

/// Normal forces on the left and right with given components across the track and along the vertical.
fn normal_forces<S: Scalar>([sl, cl]: [S; 2], [sr, cr]: [S; 2], across: S, upright: S) -> [S; 2] {
    let determinant = -(sl * cr) - sr * cl;
    [(cr * across - sr * upright) / determinant, -(cl * across + sl * upright) / determinant]
}

impl DescriptorModel for Wheelset {
    fn mass<S: Scalar>(&self, mass: &mut DMatrix<S>) {
        (0..11).for_each(|i| mass[(i, i)] = S::from(1.0));
    }

    fn indices(&self) -> Vec<u8> {
        [vec![1; 15], vec![2; 2]].concat()
    }
}

impl BenchmarkModel for Wheelset {
    const NAME: &'static str = "wheelset";
    const SUMMARY: &'static str =
        "wheelset on straight rails, with contact points and normal forces as unknowns; index 2";
    const SOURCE: &'static str =
        "Test Set for IVP Solvers (CWI, Bari), problem wheelset; B. Simeon, C. Führer, P. Rentrop (1991)";

    fn observables(&self) -> Vec<Observable> {
        let position = |name, unit, about| Observable::new(name, unit, about).of_class(Class::Position);
        let velocity = |name, unit, about| Observable::new(name, unit, about).of_class(Class::Velocity);
        let multiplier = |name, unit, about| Observable::new(name, unit, about).of_class(Class::Multiplier);
        vec![
            position("x", "m", "displacement across the track"),
            position("y", "m", "displacement upwards"),
            position("z", "m", "displacement along the track from the position of ideal rolling"),
            position("theta", "rad", "yaw"),
            position("phi", "rad", "roll"),
            velocity("vx", "m/s", "velocity across the track"),
            velocity("vy", "m/s", "velocity upwards"),
            velocity("vz", "m/s", "velocity along the track, relative to the track's frame"),
            velocity("vtheta", "rad/s", "yaw rate"),
            velocity("vphi", "rad/s", "roll rate"),
            velocity("beta", "rad/s", "spin relative to its value in rolling"),
            position("psi_r", "rad", "contact point of the right wheel, angle about the axle"),
            position("xi_r", "m", "contact point of the right wheel, position along the axle"),
            position("psi_l", "rad", "contact point of the left wheel, angle about the axle"),
            position("xi_l", "m", "contact point of the left wheel, position along the axle"),
            multiplier("lambda_1", "N", "multiplier of the left contact, over 10⁴"),
            multiplier("lambda_2", "N", "multiplier of the right contact, over 10⁴"),
        ]
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        START.map(S::from).to_vec()
    }

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsDescriptor::new(self))
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        values.copy_from_slice(y);
    }

    /// View from above, with displacement and yaw magnified thirty times, because true motions would be invisible.
    fn views(&self, y: &[f64]) -> Vec<View> {
        const LARGER: f64 = 30.0;
        let (across, (sin, cos)) = (LARGER * y[0], (LARGER * y[3]).sin_cos());
        let at = |along: f64, aside: f64| [along * cos - aside * sin, across + along * sin + aside * cos];
        let wheel = |side: f64| {
            let corners = [(-1.0, -0.1), (1.0, -0.1), (1.0, 0.1), (-1.0, 0.1)];
            let corner = |(along, aside)| at(along * self.radius, side * self.half_gauge + aside * self.radius);
            ("wheels", Shape::Outline(corners.map(corner).to_vec()))
        };
        let rail = |side: f64| ground([-3.0 * self.radius, 3.0 * self.radius], side * self.half_gauge);
        let axle = ("axle", Shape::Line(vec![at(0.0, -1.3 * self.half_gauge), at(0.0, 1.3 * self.half_gauge)]));
        let parts = vec![rail(-1.0), rail(1.0), axle, wheel(-1.0), wheel(1.0)];
        vec![view("above", ["along the track", "across, 30 times"], parts)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The accelerations that the test set prints for the initial state, which satisfies constraints and contacts.
    #[test]
    fn the_start_is_consistent_and_has_the_published_accelerations() {
        let published = [
            -1.975_258_894_011_285,
            -1.089_829_710_281_127_6e-3,
            7.885_508_362_614_259e-2,
            -5.533_362_821_731_549,
            -0.348_702_148_954_651_1,
            -2.132_968_724_380_927,
        ];
        let mut f = [0.0; 17];
        Wheelset::default().rhs(0.0, &START, &mut f);
        assert!(f[11..].iter().all(|row| row.abs() < 1e-14), "{f:?}");
        // the source uses π with seven decimals
        for (given, published) in f[5..11].iter().zip(published) {
            assert!((given - published).abs() < 3e-7 * published.abs().max(1.0), "{given} and {published}");
        }
    }
}
