//! Problems with exact solutions.
#![allow(dead_code, reason = "each test file uses its share")]

pub mod ball;
pub mod conditions;
pub mod conformance;
pub mod constrained;
pub mod contacts;
pub mod discontinuous;
pub mod higher_index;

use mbsbench_problem::{AsOde, Counted, DoubleDouble, Method, OdeModel, Scalar, Settings, Silent, Solution, Task};

/// The harmonic oscillator `q'' = −q`, solved by `q = cos t`.
pub struct Circle;

impl OdeModel for Circle {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = -y[0];
    }
}

/// `q'' = −6 q³ + 6 q² − q`, solved by `q = 1/(2 + cos t)` (from `q'² = −3 q⁴ + 4 q³ − q²`).
#[derive(Debug, Clone, Copy)]
pub struct Cubic;

impl OdeModel for Cubic {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = ((-y[0] * 6.0 + 6.0) * y[0] - 1.0) * y[0];
    }
}

/// A problem with a known solution.
pub trait Known: OdeModel {
    /// Position and velocity at `t`.
    fn exact<S: Scalar>(&self, t: S) -> [S; 2];
}

impl Known for Circle {
    fn exact<S: Scalar>(&self, t: S) -> [S; 2] {
        let (sine, cosine) = sine_cosine(t);
        [cosine, -sine]
    }
}

impl Known for Cubic {
    fn exact<S: Scalar>(&self, t: S) -> [S; 2] {
        let (sine, cosine) = sine_cosine(t);
        let q = (cosine + 2.0).recip();
        [q, sine * q * q]
    }
}

/// Sine and cosine by their power series, to the precision of the scalar type for small `t`. The functions of
/// double-double numbers are only accurate to 1e-21.
fn sine_cosine<S: Scalar>(t: S) -> (S, S) {
    let (mut sine, mut cosine, mut term) = (S::zero(), S::zero(), S::from(1.0));
    for k in 0..60u8 {
        match k % 4 {
            0 => cosine += term,
            1 => sine += term,
            2 => cosine -= term,
            _ => sine -= term,
        }
        term *= t / f64::from(k + 1);
    }
    (sine, cosine)
}

/// Solves from 0 to `t_end` without an observer.
pub fn solve<S: Scalar>(model: &impl Known, method: &dyn Method<S>, t_end: f64, settings: Settings) -> Solution<S> {
    let initial = model.exact(S::zero());
    let task = Task { t_start: S::zero(), t_end: S::from(t_end), initial: &initial, settings };
    method.solve(Counted::new(&mut AsOde(model)), &task, &mut Silent)
}

/// Errors of position and velocity at `t = 2` with `steps` constant steps.
pub fn errors(model: &impl Known, method: &dyn Method<DoubleDouble>, steps: u32) -> [f64; 2] {
    let solution = solve(model, method, 2.0, Settings::fixed(2.0 / f64::from(steps)));
    assert_eq!(solution.failure, None);
    assert_eq!(solution.statistics.steps_accepted, u64::from(steps));
    let exact = model.exact(DoubleDouble::from(2.0));
    [0, 1].map(|i| (solution.state[i] - exact[i]).value().abs())
}
