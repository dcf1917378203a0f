//! An oscillation that slows down with time (gil2013, Eq. 35).

use mbsbench_problem::{AsOde, BenchmarkModel, Class, Observable, Ode, OdeModel, Scalar, parameters};

parameters! {
    /// The equations `x₁' = −x₂/x₃²`, `x₂' = x₁/x₃²`, `x₃' = 1` with the solution `x = (sin 1/t, cos 1/t, t)`, whose
    /// third component is the time (gil2013, Eqs. 35 and 36).
    ///
    /// The initial time is `t₀ = 1/(n π)`, with `n = 1` in the paper: `x(1/π) = (0, −1, 1/π)`. The equations
    /// themselves do not contain `t`, so a span may also begin at zero; the closed form is evaluated at the time
    /// `x₃`, which every consistent method computes without error.
    pub struct OscillationInTime {
        /// Number `n` of half turns at which the oscillation starts, at the time `1/(n π)`; at least one.
        pub half_turns: u32 [from 1] = 1,
    }
}

impl OscillationInTime {
    /// Returns `(sin 1/t, cos 1/t)` for a time `t > 0`, s.
    pub fn exact(t: f64) -> [f64; 2] {
        let (sin, cos) = t.recip().sin_cos();
        [sin, cos]
    }
}

impl BenchmarkModel for OscillationInTime {
    const NAME: &'static str = "oscillation-in-time";
    const SUMMARY: &'static str =
        "three equations with the solution sin 1/t, cos 1/t and t, to test local error estimates";
    const SOURCE: &'static str = "gil2013, Eqs. 35 and 36";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsOde(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        let cosine = if self.half_turns.is_multiple_of(2) { 1.0 } else { -1.0 };
        vec![S::zero(), S::from(cosine), (S::pi() * f64::from(self.half_turns)).recip()]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x1", "1", "the first component, sin 1/t").of_class(Class::Position),
            Observable::new("x2", "1", "the second component, cos 1/t").of_class(Class::Position),
            Observable::new("x3", "s", "the third component, the time").of_class(Class::Position),
            Observable::new("exact_1", "1", "sin 1/x₃"),
            Observable::new("exact_2", "1", "cos 1/x₃"),
            Observable::new("error", "1", "Euclidean distance of x₁ and x₂ from the closed form"),
        ]
    }

    fn observe(&self, _t: f64, y: &[f64], values: &mut [f64]) {
        let [sine, cosine] = Self::exact(y[2]);
        values.copy_from_slice(&[y[0], y[1], y[2], sine, cosine, (y[0] - sine).hypot(y[1] - cosine)]);
    }
}

impl OdeModel for OscillationInTime {
    fn dimension(&self) -> usize {
        3
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let square = y[2] * y[2];
        dydt[0] = -(y[1] / square);
        dydt[1] = y[0] / square;
        dydt[2] = S::from(1.0);
    }
}
