//! The bearing as an experiment file describes it, and its dimensions, masses and contact laws.

use std::f64::consts::{PI, TAU};

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use super::{BearingModel, hertz};

parameters! {
    /// The bearing that supplies the values of parameters that are not given.
    #[derive(Copy, Default, Eq, Hash)]
    pub enum Variant {
        /// A bearing of the size of a 6209 with a steel cage. Compliance and damping of the races, stiffness of the
        /// pockets and the scale of power were tuned to match the pattern of the paper's Table 1.
        #[default]
        Calibrated,
        /// A bearing of the size of a 6206 with Hertzian races and a polymer cage; nothing was tuned.
        PureHertz,
    }

    /// A ball bearing of rigid bodies in space under an axial load that steps up at the start: outer ring at rest,
    /// inner ring at constant speed, cage and balls, 13 states each (for modin2005, section 6.2).
    ///
    /// The bearing of the paper is not published. Parameters without a value take that of the variant, listed as
    /// calibrated / pure Hertz.
    pub struct BallBearing where balls_fit, start_exists {
        /// Bearing that supplies the parameters without a value.
        pub variant: Variant = Variant::Calibrated,
        /// Number of balls.
        pub balls: usize [from 2, to 1000] = 9,
        /// Diameter `D` of a ball; 12.7e-3 / 9.525e-3.
        pub ball_diameter: Option<f64> [above 0.0, unit "m"] = None,
        /// Diameter `d_m` of the pitch circle; 65e-3 / 46e-3.
        pub pitch_diameter: Option<f64> [above 0.0, unit "m"] = None,
        /// Radius of the inner groove's profile over the ball's diameter; above one half.
        pub inner_conformity: f64 [above 0.5, below 1.0, unit "1"] = 0.515,
        /// Radius of the outer groove's profile over the ball's diameter; above one half.
        pub outer_conformity: f64 [above 0.5, below 1.0, unit "1"] = 0.525,
        /// Diametral clearance `P_d`.
        pub clearance: f64 [from 0.0, unit "m"] = 10e-6,
        /// Young's modulus of balls and rings.
        pub youngs_modulus: f64 [above 0.0, unit "Pa"] = 206e9,
        /// Poisson's ratio of balls and rings.
        pub poisson_ratio: f64 [from -1.0, to 0.5, unit "1"] = 0.3,
        /// Density of the balls.
        pub density: f64 [above 0.0, unit "kg/m³"] = 7800.0,
        /// Stiffness of the races relative to the Hertzian stiffness, for the compliance of rings and film; 0.3 / 1.
        pub race_compliance: Option<f64> [above 0.0, unit "1"] = None,
        /// Damping of the races; 0.6 / 0.3.
        pub race_damping: Option<f64> [from 0.0, unit "s/m"] = None,
        /// Coefficient of friction on the races.
        pub race_friction: f64 [from 0.0, unit "1"] = 0.07,
        /// Sliding speed at which the friction on the races is regularised.
        pub race_slip_speed: f64 [above 0.0, unit "m/s"] = 0.5,
        /// Mass of the inner ring; 0.16 / 0.075.
        pub inner_mass: Option<f64> [above 0.0, unit "kg"] = None,
        /// Mass of the cage; 0.012 / 0.009.
        pub cage_mass: Option<f64> [above 0.0, unit "kg"] = None,
        /// Tube radius of the torus that defines the cage's moments of inertia; 3.3e-3 / 2.5e-3.
        pub cage_tube_radius: Option<f64> [above 0.0, unit "m"] = None,
        /// Clearance of a pocket about its ball; 50e-6 / 100e-6.
        pub pocket_clearance: Option<f64> [above 0.0, unit "m"] = None,
        /// Stiffness of the pockets; 1.5e10 (steel) / 5e8 (polymer).
        pub pocket_stiffness: Option<f64> [above 0.0, unit "N/m^1.5"] = None,
        /// Damping of the pockets; 0.6 / 0.5.
        pub pocket_damping: Option<f64> [from 0.0, unit "s/m"] = None,
        /// Coefficient of friction in the pockets; 0.08 / 0.05.
        pub pocket_friction: Option<f64> [from 0.0, unit "1"] = None,
        /// Sliding speed at which the friction in the pockets is regularised.
        pub pocket_slip_speed: f64 [above 0.0, unit "m/s"] = 1.0,
        /// Speed of the inner ring; 10000 rpm by default.
        pub inner_speed: f64 [unit "rad/s"] = 10_000.0 * PI / 30.0,
        /// Load on the inner ring along the axis.
        pub axial_load: f64 [unit "N"] = 1000.0,
        /// Acceleration of gravity, across the axis.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Factor `S` of the contact powers, which are in units of 1/S W; 1e7 / 1e8.
        pub power_scale: Option<f64> [above 0.0, unit "1"] = None,
        /// Axial load of the equilibrium from which the motion starts.
        pub start_load: f64 [above 0.0, unit "N"] = 500.0,
        /// Fraction by which the cage is slower than the balls at the start.
        pub cage_slip: f64 [unit "1"] = 0.03,
        /// Largest distance of a ball from its place on the pitch circle at the start.
        pub scatter: f64 [from 0.0, unit "m"] = 15e-6,
        /// Adds two states, the dissipated energy and the work of the drive, which check the energy balance; the
        /// model then has no contact powers.
        pub energy_balance: bool = false,
    }
}

impl BallBearing {
    /// The given value of a parameter, or the variant's default: for [`Variant::Calibrated`], for
    /// [`Variant::PureHertz`].
    pub(super) fn by_variant(&self, given: Option<f64>, [calibrated, pure_hertz]: [f64; 2]) -> f64 {
        given.unwrap_or(match self.variant {
            Variant::Calibrated => calibrated,
            Variant::PureHertz => pure_hertz,
        })
    }

    /// Diameters of a ball and of the pitch circle, m.
    pub(super) fn diameters(&self) -> [f64; 2] {
        let ball = self.by_variant(self.ball_diameter, [12.7e-3, 9.525e-3]);
        [ball, self.by_variant(self.pitch_diameter, [65e-3, 46e-3])]
    }

    fn balls_fit(&self) -> Result<(), OutOfRange> {
        let [ball_diameter, pitch_diameter] = self.diameters();
        let accepted = "a number above 1.5 times the diameter of a ball";
        OutOfRange::unless(pitch_diameter > 1.5 * ball_diameter, "pitch-diameter", pitch_diameter, accepted)?;
        let fits = self.clearance < 0.1 * ball_diameter;
        OutOfRange::unless(fits, "clearance", self.clearance, "less than a tenth of the diameter of a ball")
    }

    fn start_exists(&self) -> Result<(), OutOfRange> {
        let start = Bearing::new(self).start_of(self);
        OutOfRange::unless(
            start.is_some(),
            "start-load",
            self.start_load,
            "a load for which the bearing has an equilibrium",
        )
    }
}

impl ModelDefinition for BallBearing {
    const NAME: &'static str = "ball-bearing";
    const SUMMARY: &'static str = "ball bearing with rings, cage and balls, and contact powers";
    const SOURCE: &'static str = "for modin2005, section 6.2; our own bearing";

    fn model(&self) -> Box<dyn Model> {
        Box::new(BearingModel::new(self))
    }
}

/// Number of position coordinates of a body: `x`, and its rotation as a unit quaternion, scalar first,
/// from body to world.
pub(super) const COORDINATES: usize = 7;
/// Number of velocity coordinates of a body: velocity and angular velocity, both in the world frame.
pub(super) const VELOCITIES: usize = 6;
/// Number of the outer ring among the bodies.
pub const OUTER: usize = 0;
/// Number of the inner ring.
pub const INNER: usize = 1;
/// Number of the cage.
pub const CAGE: usize = 2;
/// Number of the first ball.
pub(super) const BALLS: usize = 3;

/// Contact law: the normal force `f = K δ^1.5 (1 + c v)`, never negative, with the overlap `δ` and the approach speed
/// `v`, and the friction `μ f u/√(u² + s²)` against the sliding velocity `u`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// Stiffness `K`, N/m^1.5.
    pub stiffness: f64,
    /// Damping `c`, s/m.
    pub damping: f64,
    /// Coefficient of friction `μ`.
    pub friction: f64,
    /// Speed `s` at which friction is regularised, m/s.
    pub slip_speed: f64,
}

/// The groove of a ring, a torus about the ring's axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Groove {
    /// Radius of the groove's profile, m.
    pub radius: f64,
    /// Radius of the circle of the profile's centres, m.
    pub centre_radius: f64,
    /// Clearance `r − R_b` of the ball's centre about the profile's centre, m; any distance beyond it is overlap.
    pub clearance: f64,
    /// Its contact law.
    pub law: ContactLaw,
}

/// The cage's pockets: spheres with a clearance about the balls.
#[derive(Debug, Clone, PartialEq)]
pub struct Pockets {
    /// Clearance, m.
    pub clearance: f64,
    /// Centres of the pockets in the cage's own `x` and `y`, m.
    pub centres: Vec<[f64; 2]>,
    /// Their contact law.
    pub law: ContactLaw,
}

/// A bearing with its axis along `z` and gravity along `−y`: an outer ring at rest, an inner ring that turns at
/// constant speed and translates freely, a cage, and balls.
#[derive(Debug, Clone, PartialEq)]
pub struct Bearing {
    /// Number of balls.
    pub balls: usize,
    /// Radius of a ball, m.
    pub ball_radius: f64,
    /// Radius of the pitch circle, m.
    pub pitch_radius: f64,
    /// Mass of a ball, kg.
    pub ball_mass: f64,
    /// Moment of inertia of a ball, kg m².
    pub ball_inertia: f64,
    /// Mass of the inner ring, kg.
    pub inner_mass: f64,
    /// Mass of the cage, kg.
    pub cage_mass: f64,
    /// Moments of inertia of the cage, about a diameter and about its axis, kg m².
    pub cage_inertia: [f64; 2],
    /// The outer ring's groove.
    pub outer: Groove,
    /// The inner ring's groove.
    pub inner: Groove,
    /// The cage's pockets.
    pub pockets: Pockets,
    /// Speed of the inner ring, rad/s.
    pub inner_speed: f64,
    /// Load on the inner ring along `z`, N.
    pub axial_load: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Factor by which contact powers in W are multiplied.
    pub power_scale: f64,
}

impl Bearing {
    /// Returns the bearing for parameters in range.
    pub fn new(parameters: &BallBearing) -> Self {
        let of = |given, of_variants| parameters.by_variant(given, of_variants);
        let [radius, pitch_radius] = parameters.diameters().map(|diameter| 0.5 * diameter);
        let cage_mass = of(parameters.cage_mass, [0.012, 0.009]);
        let tube_radius = of(parameters.cage_tube_radius, [3.3e-3, 2.5e-3]);
        let ball_mass = parameters.density * 4.0 / 3.0 * PI * radius.powi(3);
        let square = pitch_radius * pitch_radius;
        let tube_square = tube_radius * tube_radius;
        let modulus = parameters.youngs_modulus / (2.0 * (1.0 - parameters.poisson_ratio.powi(2)));
        // The radius of the race's bottom is `R_p ± (R_b + P_d/4)`; the inner race curves away from the ball, the
        // outer one towards it.
        let groove = |conformity: f64, side: f64| {
            let profile = 2.0 * conformity * radius;
            let bottom = pitch_radius + side * (radius + 0.25 * parameters.clearance);
            let curvatures = [0.5 * (1.0 / radius - 1.0 / profile), 0.5 * (1.0 / radius - side / bottom)];
            let law = ContactLaw {
                stiffness: of(parameters.race_compliance, [0.3, 1.0]) * hertz::stiffness(modulus, curvatures),
                damping: of(parameters.race_damping, [0.6, 0.3]),
                friction: parameters.race_friction,
                slip_speed: parameters.race_slip_speed,
            };
            Groove { radius: profile, centre_radius: bottom - side * profile, clearance: profile - radius, law }
        };
        let pockets = Pockets {
            clearance: of(parameters.pocket_clearance, [50e-6, 100e-6]),
            centres: (0..parameters.balls)
                .map(|j| (TAU * j as f64 / parameters.balls as f64).sin_cos())
                .map(|(sin, cos)| [pitch_radius * cos, pitch_radius * sin])
                .collect(),
            law: ContactLaw {
                stiffness: of(parameters.pocket_stiffness, [1.5e10, 5e8]),
                damping: of(parameters.pocket_damping, [0.6, 0.5]),
                friction: of(parameters.pocket_friction, [0.08, 0.05]),
                slip_speed: parameters.pocket_slip_speed,
            },
        };
        Self {
            balls: parameters.balls,
            ball_radius: radius,
            pitch_radius,
            ball_mass,
            ball_inertia: 0.4 * ball_mass * radius * radius,
            inner_mass: of(parameters.inner_mass, [0.16, 0.075]),
            cage_mass,
            cage_inertia: [cage_mass * (0.5 * square + 0.625 * tube_square), cage_mass * (square + 0.75 * tube_square)],
            outer: groove(parameters.outer_conformity, 1.0),
            inner: groove(parameters.inner_conformity, -1.0),
            pockets,
            inner_speed: parameters.inner_speed,
            axial_load: parameters.axial_load,
            gravity: parameters.gravity,
            power_scale: of(parameters.power_scale, [1e7, 1e8]),
        }
    }

    /// Number of bodies: outer ring, inner ring, cage, balls, in this order.
    pub fn bodies(&self) -> usize {
        BALLS + self.balls
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::Parameters;

    /// Varies each undetermined parameter over its range, one at a time.
    #[test]
    fn every_variation_has_a_start() {
        let variations: [&[fn(&mut BallBearing)]; 2] = [
            &[
                |p| p.start_load = 300.0,
                |p| p.start_load = 1000.0,
                |p| p.race_compliance = Some(0.15),
                |p| p.race_compliance = Some(1.0),
                |p| p.gravity = 0.0,
                |p| p.scatter = 40e-6,
            ],
            &[|p| p.inner_speed = 0.0, |p| p.clearance = 0.0, |p| p.balls = 8, |p| p.start_load = 5000.0],
        ];
        for variant in [Variant::Calibrated, Variant::PureHertz] {
            for (k, change) in variations.concat().iter().enumerate() {
                let mut parameters = BallBearing { variant, ..BallBearing::default() };
                change(&mut parameters);
                assert_eq!(parameters.check(), Ok(()), "variation {k} of {variant:?}");
            }
        }
    }
}
