//! An integral over a rectified sine: a stand-in for Carver's first problem.

use mbsbench_problem::{AsEventOde, BenchmarkModel, Class, EventModel, Observable, Ode, Scalar, parameters};

parameters! {
    /// The equation `x' = ω |sin ωt|`, `x(0) = 0`, with `g = sin ωt`, `ω = 2πf`; a stand-in for Carver's first
    /// problem, whose definition was not found.
    ///
    /// Like the original, it has one state, one bilateral function, and events that long steps miss, three of them in
    /// [0, 0.9] s at the printed `f = 2`. Its function, a sine, is a guess; the original right-hand side is unknown.
    pub struct RectifiedSine {
        /// Frequency `f`; two events per period.
        pub frequency: f64 [above 0.0, unit "Hz"] = 2.0,
    }
}

impl RectifiedSine {
    /// The solution: 2 for each completed half period, plus `1 − cos` of the phase in the current one.
    pub fn exact(&self, t: f64) -> f64 {
        let halves = (2.0 * self.frequency * t).floor();
        2.0 * halves + 1.0 - (std::f64::consts::PI * (2.0 * self.frequency * t - halves)).cos()
    }

    fn angular_frequency<S: Scalar>(&self) -> S {
        S::pi() * 2.0 * self.frequency
    }
}

impl BenchmarkModel for RectifiedSine {
    const NAME: &'static str = "rectified-sine";
    const SUMMARY: &'static str = "integral of a rectified sine; stand-in for Carver's first problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.2; our own definition";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::zero()]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "1", "the integral"),
            Observable::new("error", "1", "difference of the integral from the closed form"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[y[0], y[0] - self.exact(t)]);
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position]
    }
}

impl EventModel for RectifiedSine {
    fn sizes(&self) -> [usize; 2] {
        [1, 1]
    }

    fn rhs<S: Scalar>(&self, t: S, _y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let omega = self.angular_frequency::<S>();
        let rate = omega * (omega * t).sin();
        dydt[0] = if configuration[0] { rate } else { -rate };
    }

    fn values<S: Scalar>(&self, t: S, _y: &[S], g: &mut [S]) {
        g[0] = (self.angular_frequency::<S>() * t).sin();
    }
}
