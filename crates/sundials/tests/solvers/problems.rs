//! Problems with known solutions, and functions to solve them.

use mbsbench_problem::{
    AsOde, Counted, Method, MethodDefinition, Observer, OdeModel, Scalar, Settings, Solution, StepControl, Task,
};
use mbsbench_sundials::{CvodeAdams, CvodeBdf, Ida, Iteration};

/// `q'' = −q`.
pub struct Oscillator;

impl OdeModel for Oscillator {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = -y[0];
    }
    fn tolerance_scales(&self, scales: &mut [f64]) {
        scales.copy_from_slice(&[100.0, 0.01]);
    }
}

/// Robertson's chemical kinetics (Hairer, Wanner, Solving ODEs II, (IV.1.4)).
#[cfg(sundials)]
pub struct Robertson;

#[cfg(sundials)]
impl Robertson {
    /// The state at `t = 40`, to ten digits, from the example of CVODE's user guide and Hindmarsh's original.
    pub const AT_40: [f64; 3] = [0.715_827_068_8, 0.918_553_476_5e-5, 0.284_163_745_8];
    pub const START: [f64; 3] = [1.0, 0.0, 0.0];
}

#[cfg(sundials)]
impl OdeModel for Robertson {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1] * y[2] * 1e4 - y[0] * 0.04;
        dydt[2] = y[1] * y[1] * 3e7;
        dydt[1] = -dydt[0] - dydt[2];
    }
}

/// `q'' = μ (1 − q²) q' − q`.
#[cfg(sundials)]
pub struct VanDerPol(pub f64);

#[cfg(sundials)]
impl OdeModel for VanDerPol {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = (-(y[0] * y[0]) + 1.0) * y[1] * self.0 - y[0];
    }
}

/// All methods, each with every solver of its implicit equations.
pub fn methods() -> Vec<(&'static str, Box<dyn Method>)> {
    let newton = CvodeAdams { iteration: Iteration::Newton, ..CvodeAdams::default() };
    vec![
        ("cvode-bdf", CvodeBdf::default().method()),
        ("cvode-adams", CvodeAdams::default().method()),
        ("cvode-adams with newton", newton.method()),
        ("ida", Ida::default().method()),
    ]
}

/// Equal tolerances.
pub fn tolerance(tol: f64) -> StepControl {
    StepControl::Tolerance { rel: tol, abs: tol, initial_step: None, max_step: None }
}

/// Settings with generous budgets.
pub fn settings(control: StepControl) -> Settings {
    Settings { control, ..Settings::tolerance(1.0, 1.0) }
}

/// Solves from `t = 0`.
pub fn solve(
    method: &dyn Method,
    model: &impl OdeModel,
    initial: &[f64],
    t_end: f64,
    control: StepControl,
    observer: &mut dyn Observer,
) -> Solution {
    let task = Task { t_start: 0.0, t_end, initial, settings: settings(control) };
    method.solve(Counted::new(&mut AsOde(model)), &task, observer)
}

/// The largest difference of two states.
#[cfg(sundials)]
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
