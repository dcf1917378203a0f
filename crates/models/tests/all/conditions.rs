//! Conditions between parameters. Ranges of single parameters are declared, and tested for all models and
//! methods together.

use mbsbench_models::flexible_slider_crank::Deflection;
use mbsbench_models::marble_jar::Candidates;
use mbsbench_models::*;
use mbsbench_problem::sliding_mode::RobustControl;
use mbsbench_problem::{Formulation, Parameters, SlidingModeSettings};

/// The field that is refused after a change of the defaults; empty if none is refused.
fn refused<P: Parameters>(change: impl Fn(&mut P)) -> String {
    let mut parameters = P::default();
    change(&mut parameters);
    parameters.check().map_or_else(|error| error.field, |()| String::new())
}

#[test]
fn surfaces_have_a_gain_each_or_none() {
    let with = |eta: &[f64]| {
        Formulation::SlidingMode(SlidingModeSettings { eta: eta.to_vec(), ..SlidingModeSettings::default() })
    };
    let field = "formulation.sliding-mode.eta";
    assert_eq!(refused(|p: &mut Pendulum| p.formulation = with(&[1.0])), field);
    assert_eq!(refused(|p: &mut Pendulum| p.formulation = with(&[1.0, 2.0])), "");
    assert_eq!(refused(|p: &mut RollingSpheres| p.formulation = with(&[0.1, 2.0])), field);
    assert_eq!(refused(|p: &mut RollingSpheres| p.formulation = with(&[0.1, 0.1, 2.0])), "");
    let always = |s: &mut SlidingModeSettings| s.robust_control = RobustControl::Always;
    assert_eq!(refused(always), "eta");
    assert_eq!(refused(|s: &mut SlidingModeSettings| (always(s), s.eta.push(1.0)).1), "");
}

#[test]
fn a_rod_is_longer_than_its_crank() {
    assert_eq!(refused(|p: &mut SliderCrank| p.rod_length = p.crank_length), "rod-length");
    assert_eq!(refused(|p: &mut FlexibleSliderCrank| p.rod_length = 0.1), "rod-length");
    let straight = |p: &mut FlexibleSliderCrank| (p.deflection, p.rod_length) = (Deflection::Straight, 0.31);
    assert_eq!(refused(straight), "");
}

#[test]
fn balls_fit_and_start_apart() {
    assert_eq!(refused(|p: &mut TwoBouncingBalls| p.height_1 = 0.89), "height-1");
    assert_eq!(refused(|p: &mut TwoBouncingBalls| p.height_2 = 0.1), "height-2");
    assert_eq!(refused(|p: &mut BallBearing| p.pitch_diameter = Some(0.013)), "pitch-diameter");
    assert_eq!(refused(|p: &mut BallBearing| p.clearance = 0.0013), "clearance");
    assert_eq!(refused(|p: &mut MarbleJar| p.jar_radius = 0.01), "jar-radius");
    assert_eq!(refused(|p: &mut MarbleJar| p.count = 20_001), "count");
    assert_eq!(refused(|p: &mut MarbleJar| (p.count, p.candidates) = (20_001, Candidates::Near)), "");
}

#[test]
fn thresholds_and_times_are_in_order() {
    assert_eq!(refused(|p: &mut Thermostat| p.upper = 1.0), "upper");
    assert_eq!(refused(|p: &mut DrivenRelaxation| p.threshold = 1.0), "threshold");
    assert_eq!(refused(|p: &mut DrivenRelaxation| p.slow = 4.0), "threshold");
    assert_eq!(refused(|p: &mut RotatingShaft| p.times[1] = 0.4), "times");
    assert_eq!(refused(|p: &mut RotatingShaft| p.times[2] = 0.9), "times");
    assert_eq!(refused(|p: &mut RotatingShaft| p.times = [0.5, 0.5, 0.6]), "");
}

#[test]
fn a_contact_is_damped_below_critical() {
    assert_eq!(refused(|p: &mut PenaltyBall| p.damping = 1e4), "damping");
    assert_eq!(refused(|p: &mut PenaltyBall| p.damping = 6324.0), "");
}
