//! The motion of the pendulum in Jacobi's elliptic functions.
//!
//! With `ω₀² = 3 g / (2 l)` the swinging pendulum moves as `sin(θ/2) = k sn(ω₀ t + u₀, k)`,
//! `ω = 2 k ω₀ cn(ω₀ t + u₀, k)` (NIST Digital Library of Mathematical Functions, 22.19). The functions come from the
//! descending Landen transformation (22.7.2–22.7.4 there), the period from the arithmetic–geometric mean (19.8.5), so
//! that the scalar only has to provide `+ − × ÷ √ sin cos`.

use approx::assert_relative_eq;
use mbsbench_problem::{DoubleDouble, Scalar};

/// A swinging pendulum `θ'' = −ω₀² sin θ` that does not turn over.
#[derive(Debug, Clone, Copy)]
pub struct Swing<S> {
    frequency: S,
    /// `k²`, the square of the modulus.
    parameter: S,
    /// `k sn u₀ = sin(θ(0)/2)`.
    sine: S,
    /// `k cn u₀ = θ'(0)/(2 ω₀)`.
    rate: S,
    /// `dn u₀ = cos(θ(0)/2)`.
    cosine: S,
}

impl<S: Scalar> Swing<S> {
    /// Returns the motion with small-angle frequency `ω₀` (rad/s) from angle `theta` (rad, within ±π) and angular
    /// velocity `omega` (rad/s), or `None` if the energy suffices to turn over.
    pub fn new(frequency: S, theta: S, omega: S) -> Option<Self> {
        let (sine, cosine) = (theta * 0.5).sin_cos();
        let rate = omega / (frequency * 2.0);
        let parameter = sine * sine + rate * rate;
        (parameter.value() < 1.0).then_some(Self { frequency, parameter, sine, rate, cosine })
    }

    /// Period, s.
    pub fn period(&self) -> S {
        let (mut a, mut b) = (S::from(1.0), (-self.parameter + 1.0).sqrt());
        // The mean converges quadratically; eight steps give 32 digits for any modulus that is not within
        // rounding of one.
        for _ in 0..8 {
            (a, b) = ((a + b) * 0.5, (a * b).sqrt());
        }
        S::pi() * 2.0 / (self.frequency * a)
    }

    /// Largest angle, rad.
    pub fn amplitude(&self) -> S {
        angle(self.parameter.sqrt(), (-self.parameter + 1.0).sqrt()) * 2.0
    }

    /// Angle (rad) and angular velocity (rad/s) at time `t` (s).
    pub fn at(&self, t: S) -> (S, S) {
        let Self { frequency, sine, rate, cosine, parameter } = *self;
        let (sn, cn, dn) = jacobi(frequency * t, parameter);
        // Addition theorem, each function multiplied by k, so that nothing is divided by a small modulus.
        let denominator = -(sn * sn * sine * sine) + 1.0;
        let half_sine = (sine * cn * dn + sn * rate * cosine) / denominator;
        let half_cosine = (dn * cosine - sn * cn * sine * rate) / denominator;
        let half_rate = (cn * rate - sn * sine * dn * cosine) / denominator;
        (angle(half_sine, half_cosine) * 2.0, half_rate * frequency * 2.0)
    }
}

/// `(sn, cn, dn)` at `u` for parameter `k²` below one.
fn jacobi<S: Scalar>(u: S, parameter: S) -> (S, S, S) {
    // So small a modulus changes the functions by its square, which is beyond 32 digits.
    if parameter.value() < 1e-34 {
        let (sin, cos) = u.sin_cos();
        return (sin, cos, S::from(1.0));
    }
    let complement = (-parameter + 1.0).sqrt();
    let root = complement + 1.0;
    let smaller = parameter / (root * root);
    let (sn, cn, dn) = jacobi(u / (smaller + 1.0), smaller * smaller);
    let square = smaller * sn * sn;
    let denominator = square + 1.0;
    (sn * (smaller + 1.0) / denominator, cn * dn / denominator, (-square + 1.0) / denominator)
}

/// The angle within ±π with this sine and cosine: the nearest double, and one Newton step in the scalar's precision.
fn angle<S: Scalar>(sine: S, cosine: S) -> S {
    let near = S::from(sine.value().atan2(cosine.value()));
    let (sin, cos) = near.sin_cos();
    near + (sine * cos - cosine * sin)
}

fn published<S: Scalar>() -> Swing<S> {
    let frequency = (S::from(9.81) * 3.0 / 2.0).sqrt();
    Swing::new(frequency, S::pi() * 20.0 / 180.0, S::from(1.0)).expect("it swings")
}

#[test]
fn period_and_amplitude_of_figure_3_5() {
    // Values of an independent computation, to their printed digits.
    let swing = published::<f64>();
    assert_relative_eq!(swing.period(), 1.65778, epsilon = 5e-6);
    assert_relative_eq!(swing.amplitude().to_degrees(), 25.0804, epsilon = 5e-5);
    let (theta, omega) = swing.at(5.0);
    assert_relative_eq!(theta, 0.373_894, epsilon = 5e-7);
    assert_relative_eq!(omega, 0.861_155, epsilon = 5e-7);
}

#[test]
fn functions_satisfy_their_identities_and_the_complete_integral() {
    // K(k) for k² = 1/2 is Γ(1/4)²/(4 √π) = 1.854 074 677 301 371 9; sn K = 1, cn K = 0, dn K = k'.
    let (sn, cn, dn) = jacobi::<f64>(1.854_074_677_301_371_9, 0.5);
    assert_relative_eq!(sn, 1.0, epsilon = 1e-15);
    assert_relative_eq!(cn, 0.0, epsilon = 1e-15);
    assert_relative_eq!(dn, 0.5f64.sqrt(), epsilon = 1e-15);
    for (u, parameter) in [(0.3, 0.9), (2.0, 0.5), (-7.0, 0.05), (1.0, 0.0)] {
        let (sn, cn, dn) = jacobi::<f64>(u, parameter);
        assert_relative_eq!(sn * sn + cn * cn, 1.0, epsilon = 1e-14);
        assert_relative_eq!(dn * dn + parameter * sn * sn, 1.0, epsilon = 1e-14);
    }
}

#[test]
fn the_motion_has_its_start_and_period() {
    let swing = published::<DoubleDouble>();
    let (theta, omega) = swing.at(DoubleDouble::from(0.0));
    let tiny = |x: DoubleDouble| x.value().abs() < 1e-20; // sines of double-doubles are good to 1e-21
    assert!(tiny(theta - DoubleDouble::pi() / 9.0) && tiny(omega - 1.0));
    let (theta, omega) = swing.at(swing.period());
    assert!(tiny(theta - DoubleDouble::pi() / 9.0), "{theta:?}");
    assert!(tiny((omega - 1.0) * 0.1), "{omega:?}");
}

#[test]
fn small_swings_have_the_small_angle_frequency() {
    // T = 2π/ω₀ (1 + θ_max²/16 + …)
    let swing = Swing::new(3.0f64, 1e-3, 0.0).unwrap();
    assert_relative_eq!(swing.period(), std::f64::consts::TAU / 3.0 * (1.0 + 1e-6 / 16.0), max_relative = 1e-13);
    let (theta, omega) = Swing::new(3.0f64, 0.0, 0.0).unwrap().at(1.0);
    assert_eq!((theta, omega), (0.0, 0.0));
}

#[test]
fn a_pendulum_that_turns_over_does_not_swing() {
    assert!(Swing::new(1.0f64, 0.0, 2.01).is_none());
    assert!(Swing::new(1.0f64, 0.0, 1.99).is_some());
}
