//! The bearing as an experiment file names it.

use std::f64::consts::PI;

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bearing, BearingModel};
use crate::range::not_negative;

/// Which bearing fills in what is not given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// One of the size of a 6209 with a steel cage. Compliance and damping of the races, stiffness of the pockets and
    /// the scale of power were searched for the pattern of the paper's Table 1.
    #[default]
    Calibrated,
    /// One of the size of a 6206 with Hertzian races and a polymer cage, which nothing was tuned for.
    PureHertz,
}

/// A ball bearing of rigid bodies in space under an axial load that steps up at the start: outer ring at rest, inner ring at
/// constant speed, cage and balls, 13 states each (for modin2005, section 6.2).
///
/// The bearing of the paper is not published. Parameters without a value are those of the variant, given as calibrated /
/// pure Hertz.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BallBearing {
    /// Where parameters without a value come from.
    pub variant: Variant,
    /// Number of balls.
    pub balls: usize,
    /// Diameter `D` of a ball, m; 12.7e-3 / 9.525e-3.
    pub ball_diameter: Option<f64>,
    /// Diameter `d_m` of the pitch circle, m; 65e-3 / 46e-3.
    pub pitch_diameter: Option<f64>,
    /// Radius of the inner groove's profile over the ball's diameter; above one half.
    pub inner_conformity: f64,
    /// Radius of the outer groove's profile over the ball's diameter; above one half.
    pub outer_conformity: f64,
    /// Diametral clearance `P_d`, m.
    pub clearance: f64,
    /// Young's modulus of balls and rings, Pa.
    pub youngs_modulus: f64,
    /// Poisson's ratio of balls and rings.
    pub poisson_ratio: f64,
    /// Density of the balls, kg/m³.
    pub density: f64,
    /// Stiffness of the races as a fraction of Hertz's, for the compliance of rings and film; 0.3 / 1.
    pub race_compliance: Option<f64>,
    /// Damping of the races, s/m; 0.6 / 0.3.
    pub race_damping: Option<f64>,
    /// Coefficient of friction on the races.
    pub race_friction: f64,
    /// Sliding speed at which that friction is regularised, m/s.
    pub race_slip_speed: f64,
    /// Mass of the inner ring, kg; 0.16 / 0.075.
    pub inner_mass: Option<f64>,
    /// Mass of the cage, kg; 0.012 / 0.009.
    pub cage_mass: Option<f64>,
    /// Radius of the tube of the torus whose moments of inertia the cage has, m; 3.3e-3 / 2.5e-3.
    pub cage_tube_radius: Option<f64>,
    /// Clearance of a pocket about its ball, m; 50e-6 / 100e-6.
    pub pocket_clearance: Option<f64>,
    /// Stiffness of the pockets, N/m^1.5; 1.5e10 (steel) / 5e8 (polymer).
    pub pocket_stiffness: Option<f64>,
    /// Damping of the pockets, s/m; 0.6 / 0.5.
    pub pocket_damping: Option<f64>,
    /// Coefficient of friction in the pockets; 0.08 / 0.05.
    pub pocket_friction: Option<f64>,
    /// Sliding speed at which that friction is regularised, m/s.
    pub pocket_slip_speed: f64,
    /// Speed of the inner ring, rad/s; 10000 rpm by default.
    pub inner_speed: f64,
    /// Load on the inner ring along the axis, N.
    pub axial_load: f64,
    /// Acceleration of gravity, across the axis, m/s².
    pub gravity: f64,
    /// Factor `S` of the contact powers, which are in units of 1/S W; 1e7 / 1e8.
    pub power_scale: Option<f64>,
    /// Axial load whose equilibrium the motion starts from, N.
    pub start_load: f64,
    /// Fraction by which the cage is slower than the balls at the start.
    pub cage_slip: f64,
    /// Largest distance of a ball from its place on the pitch circle at the start, m.
    pub scatter: f64,
    /// Whether the dissipated energy and the work of the drive are two more states, which are there to check the balance of
    /// energy: without contact powers.
    pub energy_balance: bool,
}

impl Default for BallBearing {
    fn default() -> Self {
        Self {
            variant: Variant::Calibrated,
            balls: 9,
            ball_diameter: None,
            pitch_diameter: None,
            inner_conformity: 0.515,
            outer_conformity: 0.525,
            clearance: 10e-6,
            youngs_modulus: 206e9,
            poisson_ratio: 0.3,
            density: 7800.0,
            race_compliance: None,
            race_damping: None,
            race_friction: 0.07,
            race_slip_speed: 0.5,
            inner_mass: None,
            cage_mass: None,
            cage_tube_radius: None,
            pocket_clearance: None,
            pocket_stiffness: None,
            pocket_damping: None,
            pocket_friction: None,
            pocket_slip_speed: 1.0,
            inner_speed: 10_000.0 * PI / 30.0,
            axial_load: 1000.0,
            gravity: 9.81,
            power_scale: None,
            start_load: 500.0,
            cage_slip: 0.03,
            scatter: 15e-6,
            energy_balance: false,
        }
    }
}

/// The parameters that differ between the variants.
pub(super) struct Values {
    pub(super) ball_diameter: f64,
    pub(super) pitch_diameter: f64,
    pub(super) race_compliance: f64,
    pub(super) race_damping: f64,
    pub(super) inner_mass: f64,
    pub(super) cage_mass: f64,
    pub(super) cage_tube_radius: f64,
    pub(super) pocket_clearance: f64,
    pub(super) pocket_stiffness: f64,
    pub(super) pocket_damping: f64,
    pub(super) pocket_friction: f64,
    pub(super) power_scale: f64,
}

impl BallBearing {
    /// What is given, and of the variant what is not.
    pub(super) fn values(&self) -> Values {
        let of = |given: Option<f64>, calibrated: f64, pure_hertz: f64| {
            given.unwrap_or(match self.variant {
                Variant::Calibrated => calibrated,
                Variant::PureHertz => pure_hertz,
            })
        };
        Values {
            ball_diameter: of(self.ball_diameter, 12.7e-3, 9.525e-3),
            pitch_diameter: of(self.pitch_diameter, 65e-3, 46e-3),
            race_compliance: of(self.race_compliance, 0.3, 1.0),
            race_damping: of(self.race_damping, 0.6, 0.3),
            inner_mass: of(self.inner_mass, 0.16, 0.075),
            cage_mass: of(self.cage_mass, 0.012, 0.009),
            cage_tube_radius: of(self.cage_tube_radius, 3.3e-3, 2.5e-3),
            pocket_clearance: of(self.pocket_clearance, 50e-6, 100e-6),
            pocket_stiffness: of(self.pocket_stiffness, 1.5e10, 5e8),
            pocket_damping: of(self.pocket_damping, 0.6, 0.5),
            pocket_friction: of(self.pocket_friction, 0.08, 0.05),
            power_scale: of(self.power_scale, 1e7, 1e8),
        }
    }

    fn check_dimensions(&self) -> Result<(), OutOfRange> {
        let values = self.values();
        if !(2..=1000).contains(&self.balls) {
            return Err(OutOfRange::new("balls", self.balls, "a whole number from 2 to 1000"));
        }
        OutOfRange::unless_positive("ball-diameter", values.ball_diameter)?;
        OutOfRange::unless_positive("pitch-diameter", values.pitch_diameter)?;
        if values.pitch_diameter <= 1.5 * values.ball_diameter {
            let accepted = "a number above one and a half diameters of a ball";
            return Err(OutOfRange::new("pitch-diameter", values.pitch_diameter, accepted));
        }
        for (field, conformity) in
            [("inner-conformity", self.inner_conformity), ("outer-conformity", self.outer_conformity)]
        {
            if !(conformity > 0.5 && conformity < 1.0) {
                return Err(OutOfRange::new(field, conformity, "a number between 0.5 and 1"));
            }
        }
        not_negative("clearance", self.clearance)?;
        if self.clearance >= 0.1 * values.ball_diameter {
            return Err(OutOfRange::new("clearance", self.clearance, "less than a tenth of a ball's diameter"));
        }
        OutOfRange::unless_positive("cage-tube-radius", values.cage_tube_radius)?;
        OutOfRange::unless_positive("pocket-clearance", values.pocket_clearance)
    }

    fn check_materials(&self) -> Result<(), OutOfRange> {
        let values = self.values();
        OutOfRange::unless_positive("youngs-modulus", self.youngs_modulus)?;
        if !(-1.0..=0.5).contains(&self.poisson_ratio) {
            return Err(OutOfRange::new("poisson-ratio", self.poisson_ratio, "a number from -1 to 0.5"));
        }
        OutOfRange::unless_positive("density", self.density)?;
        OutOfRange::unless_positive("race-compliance", values.race_compliance)?;
        not_negative("race-damping", values.race_damping)?;
        not_negative("race-friction", self.race_friction)?;
        OutOfRange::unless_positive("race-slip-speed", self.race_slip_speed)?;
        OutOfRange::unless_positive("inner-mass", values.inner_mass)?;
        OutOfRange::unless_positive("cage-mass", values.cage_mass)?;
        OutOfRange::unless_positive("pocket-stiffness", values.pocket_stiffness)?;
        not_negative("pocket-damping", values.pocket_damping)?;
        not_negative("pocket-friction", values.pocket_friction)?;
        OutOfRange::unless_positive("pocket-slip-speed", self.pocket_slip_speed)
    }
}

impl Parameters for BallBearing {
    fn check(&self) -> Result<(), OutOfRange> {
        self.check_dimensions()?;
        self.check_materials()?;
        OutOfRange::unless_finite("inner-speed", self.inner_speed)?;
        OutOfRange::unless_finite("axial-load", self.axial_load)?;
        OutOfRange::unless_finite("gravity", self.gravity)?;
        OutOfRange::unless_positive("power-scale", self.values().power_scale)?;
        OutOfRange::unless_positive("start-load", self.start_load)?;
        OutOfRange::unless_finite("cage-slip", self.cage_slip)?;
        not_negative("scatter", self.scatter)?;
        match Bearing::new(self).start_of(self) {
            Some(_) => Ok(()),
            None => Err(OutOfRange::new("start-load", self.start_load, "a load with an equilibrium")),
        }
    }
}

impl ModelDefinition for BallBearing {
    const NAME: &'static str = "ball-bearing";
    const SUMMARY: &'static str = "rings, cage and balls of a rolling bearing, with contact powers";
    const SOURCE: &'static str = "for modin2005, section 6.2; the bearing is this project's";

    fn model(&self) -> Box<dyn Model> {
        Box::new(BearingModel::watched(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut BallBearing)| {
            let mut parameters = BallBearing::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.variant = Variant::PureHertz), Ok(()));
        assert_eq!(check(|p| p.balls = 1), Err("balls".into()));
        assert_eq!(check(|p| p.ball_diameter = Some(0.0)), Err("ball-diameter".into()));
        assert_eq!(check(|p| p.pitch_diameter = Some(0.013)), Err("pitch-diameter".into()));
        assert_eq!(check(|p| p.inner_conformity = 0.5), Err("inner-conformity".into()));
        assert_eq!(check(|p| p.outer_conformity = f64::NAN), Err("outer-conformity".into()));
        assert_eq!(check(|p| p.clearance = -1e-6), Err("clearance".into()));
        assert_eq!(check(|p| p.youngs_modulus = 0.0), Err("youngs-modulus".into()));
        assert_eq!(check(|p| p.poisson_ratio = 0.6), Err("poisson-ratio".into()));
        assert_eq!(check(|p| p.density = 0.0), Err("density".into()));
        assert_eq!(check(|p| p.race_compliance = Some(0.0)), Err("race-compliance".into()));
        assert_eq!(check(|p| p.race_damping = Some(-1.0)), Err("race-damping".into()));
        assert_eq!(check(|p| p.race_friction = -0.1), Err("race-friction".into()));
        assert_eq!(check(|p| p.race_slip_speed = 0.0), Err("race-slip-speed".into()));
        assert_eq!(check(|p| p.inner_mass = Some(0.0)), Err("inner-mass".into()));
        assert_eq!(check(|p| p.cage_mass = Some(0.0)), Err("cage-mass".into()));
        assert_eq!(check(|p| p.cage_tube_radius = Some(0.0)), Err("cage-tube-radius".into()));
        assert_eq!(check(|p| p.pocket_clearance = Some(0.0)), Err("pocket-clearance".into()));
        assert_eq!(check(|p| p.pocket_stiffness = Some(0.0)), Err("pocket-stiffness".into()));
        assert_eq!(check(|p| p.pocket_damping = Some(-1.0)), Err("pocket-damping".into()));
        assert_eq!(check(|p| p.pocket_friction = Some(-1.0)), Err("pocket-friction".into()));
        assert_eq!(check(|p| p.pocket_slip_speed = 0.0), Err("pocket-slip-speed".into()));
        assert_eq!(check(|p| p.inner_speed = f64::NAN), Err("inner-speed".into()));
        assert_eq!(check(|p| p.axial_load = f64::NAN), Err("axial-load".into()));
        assert_eq!(check(|p| p.gravity = f64::NAN), Err("gravity".into()));
        assert_eq!(check(|p| p.power_scale = Some(0.0)), Err("power-scale".into()));
        assert_eq!(check(|p| p.start_load = 0.0), Err("start-load".into()));
        assert_eq!(check(|p| p.cage_slip = f64::NAN), Err("cage-slip".into()));
        assert_eq!(check(|p| p.scatter = -1.0), Err("scatter".into()));
    }

    /// The ranges over which the undetermined parameters are moved, each by itself.
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

    #[test]
    fn parameters_survive_a_file() {
        let parameters: BallBearing =
            serde_json::from_str(r#"{ "variant": "pure-hertz", "cage-mass": 0.01, "cage-slip": 0 }"#).unwrap();
        assert_eq!((parameters.variant, parameters.cage_slip), (Variant::PureHertz, 0.0));
        let values = parameters.values();
        assert_eq!((values.cage_mass, values.inner_mass, values.power_scale), (0.01, 0.075, 1e8));
        let text = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<BallBearing>(&text).unwrap(), parameters);
        assert!(serde_json::from_str::<BallBearing>(r#"{ "rollers": 9 }"#).is_err());
    }
}
