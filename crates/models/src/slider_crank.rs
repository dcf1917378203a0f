//! A rigid slider crank with a spring and damper on the slider (negrut2007, section 3b).

use std::f64::consts::PI;

use mbsbench_problem::{
    Dimensions, Entries, MechanicalModel, Model, ModelDefinition, Ode, OutOfRange, Scalar, parameters,
};

use crate::linkage::{
    FollowingRod, Linkage, LinkageFormulation, ReducedOde, TwoRods, TwoRodsModel, rods_energy, slender, write_rod,
};
use crate::plane::dot;

parameters! {
    /// A crank on a pin at the origin and a rod whose far end slides along the `x` axis, with a spring and a damper
    /// between that end and the ground.
    ///
    /// The slider starts on the side of `+x`, with the rod's angle between −π/2 and π/2. It has no mass unless a
    /// point mass is given, because the paper lists only two masses.
    pub struct SliderCrank where rod_is_longer {
        /// The equations: six coordinates with five constraints, or the crank's angle.
        pub formulation: LinkageFormulation = LinkageFormulation::Cartesian,
        /// Mass of the crank.
        pub crank_mass: f64 [above 0.0, unit "kg"] = 3.0,
        /// Length of the crank.
        pub crank_length: f64 [above 0.0, unit "m"] = 0.3,
        /// Mass of the rod.
        pub rod_mass: f64 [above 0.0, unit "kg"] = 0.9,
        /// Length of the rod; longer than the crank.
        pub rod_length: f64 [above 0.0, unit "m"] = 0.6,
        /// Stiffness of the spring between slider and ground.
        pub stiffness: f64 [from 0.0, unit "N/m"] = 100.0,
        /// Damping between slider and ground.
        pub damping: f64 [from 0.0, unit "N s/m"] = 5.0,
        /// Position of the slider at which the spring is unstrained.
        pub free_position: f64 [unit "m"] = 0.9,
        /// Initial angle of the crank from `+x`.
        pub crank_angle: f64 [unit "rad"] = 1.5 * PI,
        /// Initial angular velocity of the crank.
        pub crank_rate: f64 [unit "rad/s"] = 0.0,
        /// Acceleration of gravity.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Point mass at the far end of the rod, the mass of the slider. Because the coordinates are those of the
        /// rod's centre, it makes the mass matrix depend on the rod's angle.
        pub point_mass: f64 [from 0.0, unit "kg"] = 0.0,
    }
}

impl SliderCrank {
    fn rod_is_longer(&self) -> Result<(), OutOfRange> {
        longer_than_crank(self.rod_length, self.crank_length)
    }
}

/// Fails unless the rod is longer than the crank: a shorter rod would reach a configuration from which it can
/// move in two ways.
pub(crate) fn longer_than_crank(rod_length: f64, crank_length: f64) -> Result<(), OutOfRange> {
    OutOfRange::unless(rod_length > crank_length, "rod-length", rod_length, "a finite number above `crank-length`")
}

impl ModelDefinition for SliderCrank {
    const NAME: &'static str = "slider-crank";
    const SUMMARY: &'static str = "rigid slider crank with spring and damper, five constraints";
    const SOURCE: &'static str = "negrut2007, section 3b";

    fn model(&self) -> Box<dyn Model> {
        Box::new(TwoRodsModel { linkage: self.clone(), spring_frequency: None })
    }
}

/// The coordinates are `q = (x₁, y₁, θ₁, x₂, y₂, θ₂)`. With `lᵢ = Lᵢ/2`, `x_s = x₂ + l₂ cos θ₂`,
/// `F = −k (x_s − x_f) − c ẋ_s`,
///
/// ```text
/// M = diag(m₁, m₁, m₁ L₁²/12, m₂, m₂, m₂ L₂²/12)
/// Φ = ( x₁ − l₁ cos θ₁, y₁ − l₁ sin θ₁, x₁ + l₁ cos θ₁ − x₂ + l₂ cos θ₂, y₁ + l₁ sin θ₁ − y₂ + l₂ sin θ₂,
///       y₂ + l₂ sin θ₂ )
/// D = ( 0, −m₁ g, 0, F, −m₂ g, −l₂ sin θ₂ F )
/// ```
///
/// A point mass `m_p` at the far end of the rod has the velocity `(ẋ₂ − l₂ sin θ₂ ω₂, ẏ₂ + l₂ cos θ₂ ω₂)`. In the
/// rows and columns of `(x₂, y₂, θ₂)` it adds
///
/// ```text
///      [ 1            0          −l₂ sin θ₂ ]                 [ l₂ cos θ₂ ω₂²     ]
/// m_p  [ 0            1           l₂ cos θ₂ ]  to M,   m_p    [ l₂ sin θ₂ ω₂² − g ]  to D
///      [ −l₂ sin θ₂   l₂ cos θ₂   l₂²       ]                 [ −g l₂ cos θ₂      ]
/// ```
impl MechanicalModel for SliderCrank {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(6, 5)
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        write_rod(mass, 0, self.crank_mass, self.crank_length);
        write_rod(mass, 3, self.rod_mass, self.rod_length);
        let [arm_x, arm_y] = self.arm(q);
        for i in 3..5 {
            mass[(i, i)] += S::from(self.point_mass);
        }
        mass[(3, 5)] = -(arm_y * self.point_mass);
        mass[(5, 3)] = mass[(3, 5)];
        mass[(4, 5)] = arm_x * self.point_mass;
        mass[(5, 4)] = mass[(4, 5)];
        mass[(5, 5)] += S::from(self.rod_length) * self.rod_length * 0.25 * self.point_mass;
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let [arm_x, arm_y] = self.arm(q);
        let spring = self.slider_force(q[3] + arm_x, v[3] - arm_y * v[5]);
        let point_weight = S::from(self.point_mass) * self.gravity;
        let square = v[5] * v[5] * self.point_mass;
        forces[0] = S::zero();
        forces[1] = -(S::from(self.crank_mass) * self.gravity);
        forces[2] = S::zero();
        forces[3] = spring + arm_x * square;
        forces[4] = arm_y * square - S::from(self.rod_mass) * self.gravity - point_weight;
        forces[5] = -(arm_y * spring) - arm_x * point_weight;
    }

    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let (sin, cos) = q[2].sin_cos();
        let half = 0.5 * self.crank_length;
        let [arm_x, arm_y] = self.arm(q);
        phi[0] = q[0] - cos * half;
        phi[1] = q[1] - sin * half;
        phi[2] = q[0] + cos * half - q[3] + arm_x;
        phi[3] = q[1] + sin * half - q[4] + arm_y;
        phi[4] = q[4] + arm_y;
    }

    /// Kinetic energy, gravity and spring, J; gravity's potential is zero at the height of the origin.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let [arm_x, arm_y] = self.arm(q);
        let rods = [(self.crank_mass, self.crank_length), (self.rod_mass, self.rod_length)];
        let mut energy = rods_energy(rods, self.gravity, q, v);
        let (x, y) = (v[3] - arm_y * v[5], v[4] + arm_x * v[5]);
        energy += (x * x + y * y) * self.point_mass * 0.5 + (q[4] + arm_y) * self.point_mass * self.gravity;
        let stretch = q[3] + arm_x - self.free_position;
        energy + stretch * stretch * self.stiffness * 0.5
    }
}

impl SliderCrank {
    /// Vector from the rod's centre to its far end, m.
    fn arm<S: Scalar>(&self, q: &[S]) -> [S; 2] {
        let (sin, cos) = q[5].sin_cos();
        let half = 0.5 * self.rod_length;
        [cos * half, sin * half]
    }

    /// Force (N) of spring and damper on the slider.
    fn slider_force<S: Scalar>(&self, position: S, velocity: S) -> S {
        -((position - self.free_position) * self.stiffness + velocity * self.damping)
    }
}

/// The coordinate is `u = θ`. With primes for derivatives by `θ`, `r = θ₂'`, `p` the rod's centre, `x_s` the
/// slider's position,
///
/// ```text
/// J  = m₁ L₁²/3 + m₂ p'·p' + m₂ L₂²/12 r² + m_p x_s'²
/// J'/2 = m₂ p'·p'' + m₂ L₂²/12 r r' + m_p x_s' x_s''
/// J θ̈ + J' θ̇²/2 = F x_s' − m₁ g L₁ cos θ/2 − m₂ g p_y'
/// ```
impl Linkage for SliderCrank {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.crank_angle), S::from(self.crank_rate)]
    }

    fn reduced_ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(ReducedOde(self))
    }

    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let rod = FollowingRod::new(y[0], self.crank_length, self.rod_length);
        let [sin, cos] = rod.crank;
        let half = 0.5 * self.crank_length;
        let [centre, centre_rate, _] = rod.point(self.crank_length, 0.5 * self.rod_length);
        full[0] = cos * half;
        full[1] = sin * half;
        full[2] = y[0];
        full[3..5].copy_from_slice(&centre);
        full[5] = rod.angle();
        full[6] = -(sin * half * y[1]);
        full[7] = cos * half * y[1];
        full[8] = y[1];
        full[9] = centre_rate[0] * y[1];
        full[10] = centre_rate[1] * y[1];
        full[11] = rod.ratio * y[1];
    }
}

impl TwoRods for SliderCrank {
    fn reduced_rhs<S: Scalar>(&self, y: &[S], dydt: &mut [S]) {
        let Self { crank_mass, crank_length, rod_mass, rod_length, gravity, point_mass, .. } = *self;
        let rod = FollowingRod::new(y[0], crank_length, rod_length);
        let [_, centre, centre_rate] = rod.point(crank_length, 0.5 * rod_length);
        let [slider, slider_rate, slider_second] = rod.point(crank_length, rod_length).map(|[x, _]| x);
        let about_pin = S::from(crank_mass) * crank_length * crank_length / 3.0;
        let about_centre = slender::<S>(rod_mass, rod_length);
        let inertia = about_pin
            + dot(centre, centre) * rod_mass
            + about_centre * rod.ratio * rod.ratio
            + slider_rate * slider_rate * point_mass;
        let half_rate = dot(centre, centre_rate) * rod_mass
            + about_centre * rod.ratio * rod.ratio_rate
            + slider_rate * slider_second * point_mass;
        let weights = (rod.crank[1] * crank_length * (0.5 * crank_mass) + centre[1] * rod_mass) * gravity;
        let spring = self.slider_force(slider, slider_rate * y[1]);
        dydt[0] = y[1];
        dydt[1] = (spring * slider_rate - half_rate * y[1] * y[1] - weights) / inertia;
    }

    fn pin_distances(&self) -> [f64; 2] {
        [0.5 * self.crank_length, 0.5 * self.rod_length]
    }

    fn slider_distance(&self) -> Option<f64> {
        Some(0.5 * self.rod_length)
    }
}
