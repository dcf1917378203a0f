//! Dimensions, masses and contact laws of a bearing, as its equations need them.

use std::f64::consts::TAU;

use super::{BallBearing, hertz};

/// Position coordinates of a body: `x`, and its rotation as a unit quaternion, scalar first, from body to world.
pub(super) const COORDINATES: usize = 7;
/// Velocity coordinates of a body: velocity and angular velocity, both in the world.
pub(super) const VELOCITIES: usize = 6;
/// Number of the outer ring among the bodies.
pub const OUTER: usize = 0;
/// Number of the inner ring.
pub const INNER: usize = 1;
/// Number of the cage.
pub const CAGE: usize = 2;
/// Number of the first ball.
pub(super) const BALLS: usize = 3;

/// `f = K δ^1.5 (1 + c v)`, never below zero, with the overlap `δ` and the approaching speed `v`, and the friction
/// `μ f u/√(u² + s²)` against the sliding velocity `u`.
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
    /// Room `r − R_b` of the ball's centre about that of the profile, m; what is beyond is overlap.
    pub room: f64,
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

/// A bearing with its axis along `z` and gravity along `−y`: outer ring at rest, inner ring that turns at a constant speed
/// and moves freely, cage, and balls.
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
    /// What contact powers in W are multiplied with.
    pub power_scale: f64,
}

impl Bearing {
    /// The bearing for parameters in range.
    pub fn new(parameters: &BallBearing) -> Self {
        let of = |given, of_variants| parameters.by_variant(given, of_variants);
        let [radius, pitch_radius] = parameters.diameters().map(|diameter| 0.5 * diameter);
        let cage_mass = of(parameters.cage_mass, [0.012, 0.009]);
        let tube_radius = of(parameters.cage_tube_radius, [3.3e-3, 2.5e-3]);
        let ball_mass = parameters.density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let square = pitch_radius * pitch_radius;
        let tube_square = tube_radius * tube_radius;
        let modulus = parameters.youngs_modulus / (2.0 * (1.0 - parameters.poisson_ratio.powi(2)));
        // Radius of the race's bottom is `R_p ± (R_b + P_d/4)`; it curves away from the ball inside and towards it outside.
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
            Groove { radius: profile, centre_radius: bottom - side * profile, room: profile - radius, law }
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
