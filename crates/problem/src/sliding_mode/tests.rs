//! Tests of the sliding-mode form on a small system in which every term is non-zero.

use approx::assert_relative_eq;

use super::*;
use crate::linalg::Entries;
use crate::{AccelerationLevel, Dimensions, MechanicalModel, MechanicsOf};

/// A particle in space, heavier in `y` and `z`, in a force field, with `Φ = x² + 2 y − t` and `Γ = z' − x y'`.
struct Particle;

impl MechanicalModel for Particle {
    fn dimensions(&self) -> Dimensions {
        Dimensions { nonholonomic: 1, ..Dimensions::vectors(3, 1) }
    }
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        mass[(0, 0)] = S::from(1.0);
        mass[(1, 1)] = S::from(2.0);
        mass[(2, 2)] = q[0] * q[0] + 3.0;
    }
    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        forces[0] = -q[0] * 4.0;
        forces[1] = t.sin();
        forces[2] = -q[0] * v[0] * v[2] * 2.0;
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        phi[0] = q[0] * q[0] + q[1] * 2.0 - t;
    }
    fn nonholonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], v: &[S], gamma: &mut [S]) {
        gamma[0] = v[2] - q[0] * v[1];
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// A state off both surfaces: Φ = 0.09 + 0.8 − 0.5, Φ̇ = 0.12 + 0.6 − 1, Γ = −0.49.
const TIME: f64 = 0.5;
const STATE: [f64; 6] = [0.3, 0.4, -0.2, 0.2, 0.3, -0.4];

fn form(change: impl FnOnce(&mut SlidingModeSettings)) -> SlidingMode<'static> {
    let mut settings = SlidingModeSettings::default();
    change(&mut settings);
    SlidingMode::new(MechanicsOf::new(&Particle), settings, TIME, &STATE)
}

fn accelerations(form: &mut impl Ode, y: &[f64]) -> [f64; 3] {
    let mut rate = [0.0; 6];
    form.begin_step(TIME, y).unwrap();
    form.rhs(TIME, y, &mut rate).unwrap();
    assert_eq!(rate[..3], y[3..]);
    [rate[3], rate[4], rate[5]]
}

#[test]
fn surfaces_match_hand_calculations() {
    let mut s = [0.0; 2];
    form(|s| s.sigma = 7.0).surfaces(TIME, &STATE[..3], &STATE[3..], &mut s);
    assert_relative_eq!(s[0], -0.4 - 0.3 * 0.3, max_relative = 1e-15);
    assert_relative_eq!(s[1], (0.12 + 0.6 - 1.0) + 7.0 * (0.09 + 0.8 - 0.5), max_relative = 1e-14);
}

#[test]
fn accelerations_keep_the_surfaces_constant() {
    let h = 1e-6;
    let mut form = form(|_| ());
    let acceleration = accelerations(&mut form, &STATE);
    let mut at = |sign: f64| {
        let t = TIME + sign * h;
        let q: Vec<f64> = (0..3).map(|i| STATE[i] + sign * h * STATE[3 + i] + 0.5 * h * h * acceleration[i]).collect();
        let v: Vec<f64> = (0..3).map(|i| STATE[3 + i] + sign * h * acceleration[i]).collect();
        let mut s = [0.0; 2];
        form.surfaces(t, &q, &v, &mut s);
        s
    };
    let (before, after) = (at(-1.0), at(1.0));
    for i in 0..2 {
        // central difference: rounding 1e-16/h, truncation h²
        assert!(((after[i] - before[i]) / (2.0 * h)).abs() < 1e-8, "surface {i} moves");
    }
}

#[test]
fn acceleration_correction_repeats_the_equivalent_control() {
    let literal = accelerations(&mut form(|_| ()), &STATE);
    let uncorrected = accelerations(&mut form(|s| s.acceleration_stabilization = false), &STATE);
    // a control frozen at another state, corrected at the stage
    let mut frozen = form(|s| s.equivalent_control = EquivalentControl::Frozen);
    frozen.begin_step(0.0, &[1.0, -0.4, 0.1, 0.2, 0.6, 0.1]).unwrap();
    let mut rate = [0.0; 6];
    frozen.rhs(TIME, &STATE, &mut rate).unwrap();
    for i in 0..3 {
        assert_relative_eq!(literal[i], uncorrected[i], max_relative = 1e-13);
        assert_relative_eq!(literal[i], rate[3 + i], max_relative = 1e-13);
    }
}

#[test]
fn a_frozen_control_keeps_its_value_at_the_step_start() {
    let settings = |s: &mut SlidingModeSettings| {
        s.equivalent_control = EquivalentControl::Frozen;
        s.acceleration_stabilization = false;
    };
    let every_stage = accelerations(&mut form(|_| ()), &STATE);
    let at_start = accelerations(&mut form(settings), &STATE);
    let mut frozen = form(settings);
    let mut rate = [0.0; 6];
    frozen.begin_step(TIME, &STATE).unwrap();
    let elsewhere = [0.5, 0.4, -0.2, 0.2, 0.3, -0.4];
    frozen.rhs(TIME, &elsewhere, &mut rate).unwrap();
    let held = rate[3];
    let own = accelerations(&mut form(|_| ()), &elsewhere)[0];
    for i in 0..3 {
        assert_relative_eq!(every_stage[i], at_start[i], max_relative = 1e-13);
    }
    assert!((held - own).abs() > 1e-2, "the control is not held");
}

#[test]
fn without_position_drift_it_is_the_acceleration_level_form() {
    let mut plain = AccelerationLevel::new(MechanicsOf::new(&Particle));
    let expected = accelerations(&mut plain, &STATE);
    let found = accelerations(&mut form(|s| s.sigma = 0.0), &STATE);
    for i in 0..3 {
        assert_relative_eq!(expected[i], found[i], max_relative = 1e-13);
    }
}

/// One pass by hand: `q ← q − F (Γ ; Φ)`, `v ← v − F S(q, v)`, with F by Cramer's rule for 2 × 2 matrices.
fn pass_by_hand(metric: Metric, correction: PositionCorrection) -> [f64; 6] {
    let [x, y, _, u, v, w] = STATE;
    let rows = [[0.0, -x, 1.0], [2.0 * x, 2.0, 0.0]];
    let inverse_mass = match metric {
        Metric::Identity => [1.0; 3],
        Metric::Mass => [1.0, 0.5, 1.0 / (x * x + 3.0)],
    };
    let g = |a: usize, b: usize| (0..3).map(|i| rows[a][i] * rows[b][i] * inverse_mass[i]).sum::<f64>();
    let determinant = g(0, 0) * g(1, 1) - g(0, 1) * g(1, 0);
    let weighted = |r: [f64; 2]| {
        let mu = [(r[0] * g(1, 1) - r[1] * g(0, 1)) / determinant, (r[1] * g(0, 0) - r[0] * g(1, 0)) / determinant];
        [0, 1, 2].map(|i| inverse_mass[i] * (rows[0][i] * mu[0] + rows[1][i] * mu[1]))
    };
    let gamma = if correction == PositionCorrection::All { w - x * v } else { 0.0 };
    let dq = weighted([gamma, x * x + 2.0 * y - TIME]);
    let (x, y, z) = (x - dq[0], y - dq[1], STATE[2] - dq[2]);
    let s = [w - x * v, 2.0 * x * u + 2.0 * v - 1.0 + 10.0 * (x * x + 2.0 * y - TIME)];
    let dv = weighted(s);
    [x, y, z, u - dv[0], v - dv[1], w - dv[2]]
}

#[test]
fn post_stabilisation_is_the_printed_formula() {
    for metric in [Metric::Identity, Metric::Mass] {
        for correction in [PositionCorrection::All, PositionCorrection::Holonomic] {
            let mut form = form(|s| {
                s.metric = metric;
                s.position_correction = correction;
                s.post_stabilization_passes = 1;
            });
            assert!(form.properties().projects);
            let mut found = STATE;
            form.project(TIME, &mut found).unwrap();
            for (found, expected) in found.iter().zip(pass_by_hand(metric, correction)) {
                assert_relative_eq!(*found, expected, max_relative = 1e-13);
            }
        }
    }
    let mut twice = STATE;
    form(|_| ()).project(TIME, &mut twice).unwrap();
    let mut once_and_once = STATE;
    let mut single = form(|s| s.post_stabilization_passes = 1);
    single.project(TIME, &mut once_and_once).unwrap();
    single.project(TIME, &mut once_and_once).unwrap();
    assert_eq!(twice, once_and_once);
    assert!(!form(|s| s.post_stabilization_passes = 0).properties().projects);
}

#[test]
fn reaching_surfaces_move_at_their_gain_and_held_ones_stay() {
    // without the correction: Ṡ = GB u_rob
    let mut form = form(|s| {
        s.eta = vec![0.5, 0.25];
        s.acceleration_stabilization = false;
    });
    assert!(!form.is_held(0) && !form.is_held(1));
    let rates = surface_rates(&mut form, &STATE);
    let g = form.multipliers.grammian.clone();
    // s₁ < 0 < s₂
    let robust = [0.5, -0.25];
    for i in 0..2 {
        assert_relative_eq!(rates[i], g[(i, 0)] * robust[0] + g[(i, 1)] * robust[1], max_relative = 1e-12);
    }
    form.jump(0, TIME, &mut STATE.clone()).unwrap();
    assert!(form.is_held(0) && form.is_watched(1));
    let rates = surface_rates(&mut form, &STATE);
    assert_relative_eq!(rates[1], g[(1, 1)] * robust[1], max_relative = 1e-12);
}

#[test]
fn a_correction_leaves_reaching_surfaces_alone() {
    let mut form = form(|s| s.eta = vec![0.5, 0.25]);
    let mut y = STATE;
    form.project(TIME, &mut y).unwrap();
    assert_eq!(y, STATE, "nothing is held");
    // Only Φ is held, so every displacement is along its gradient.
    form.jump(1, TIME, &mut y).unwrap();
    assert_eq!(y[2], STATE[2]);
    assert_eq!(y[5], STATE[5]);
    let mut s = [0.0; 2];
    form.surfaces(TIME, &y[..3], &y[3..], &mut s);
    assert!(s[1].abs() < 1e-3 && s[0].abs() > 0.1, "{s:?}");
    let rates = surface_rates(&mut form, &STATE);
    assert!(rates[1].abs() < 1e-13, "the held surface is corrected to rest");
    assert!(rates[0] > 0.1, "the other one moves towards zero");
}

#[test]
fn surfaces_zero_at_roundoff_are_held_from_the_start() {
    let mut consistent = STATE;
    consistent[5] = consistent[0] * consistent[4] * (1.0 + 4.0 * f64::EPSILON);
    let settings = SlidingModeSettings { eta: vec![1.0, 1.0], ..SlidingModeSettings::default() };
    let form = SlidingMode::<f64>::new(MechanicsOf::new(&Particle), settings, TIME, &consistent);
    assert!(form.is_held(0) && !form.is_held(1));
}

#[test]
fn failures_name_the_singular_matrix() {
    struct Redundant;
    impl MechanicalModel for Redundant {
        fn dimensions(&self) -> Dimensions {
            Dimensions::vectors(1, 2)
        }
        fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
            mass[(0, 0)] = S::from(1.0);
        }
        fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
            forces[0] = S::zero();
        }
        fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
            phi.fill(q[0]);
        }
        fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
            S::zero()
        }
    }
    let settings = SlidingModeSettings::default();
    let mut form = SlidingMode::<f64>::new(MechanicsOf::new(&Redundant), settings, 0.0, &[0.0, 0.0]);
    let mut rate = [0.0; 2];
    let singular = |matrix| Err(Failure::SingularMatrix { time: 1.5, matrix });
    assert_eq!(form.rhs(1.5, &[0.0, 0.0], &mut rate), singular("G B"));
    assert_eq!(form.project(1.5, &mut [0.0, 0.0]), singular("J Jᵀ"));
    let mut particle = self::form(|_| ());
    let mut runaway = STATE;
    runaway[0] = f64::NAN;
    assert_eq!(particle.rhs(1.5, &runaway, &mut [0.0; 6]), Err(Failure::NonFinite { time: 1.5 }));
}

fn surface_rates(form: &mut SlidingMode<'static>, y: &[f64]) -> [f64; 2] {
    let (mut dydt, mut rates) = ([0.0; 6], [0.0; 2]);
    form.rhs(TIME, y, &mut dydt).unwrap();
    form.rates(TIME, y, &dydt, &mut rates).unwrap();
    rates
}

#[test]
fn gains_of_the_rate_are_the_rates_of_the_surfaces() {
    let eta = || vec![0.3, 0.7];
    let signs = [-1.0, 1.0];
    let mut multiplier = form(|s| s.eta = eta());
    let mut rate = form(|s| (s.eta, s.gain) = (eta(), Gain::Rate));
    let (as_printed, as_asked) = (surface_rates(&mut multiplier, &STATE), surface_rates(&mut rate, &STATE));
    for i in 0..2 {
        assert_relative_eq!(as_asked[i], -eta()[i] * signs[i], max_relative = 1e-12);
        assert!((as_printed[i] - as_asked[i]).abs() > 0.01, "surface {i}: G B is not the unit matrix");
    }
}

#[test]
fn a_permanent_control_follows_the_signs_without_correction() {
    let mut always = form(|s| (s.eta, s.robust_control, s.gain) = (vec![0.3, 0.7], RobustControl::Always, Gain::Rate));
    assert!(!always.properties().projects);
    assert!(always.form().events().is_err());
    assert_relative_eq!(surface_rates(&mut always, &STATE)[1], -0.7, max_relative = 1e-12);
    // a state whose position is on the other side of the second surface
    let mut beyond = STATE;
    beyond[1] -= 1.0;
    assert_relative_eq!(surface_rates(&mut always, &beyond)[1], 0.7, max_relative = 1e-12);
}
