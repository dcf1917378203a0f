//! A rate that depends on whether a damped oscillation is above a threshold: a stand-in for the first problem of
//! Birta, Ören and Kettenis.

use mbsbench_problem::{AsEventOde, BenchmarkModel, Class, EventModel, Observable, Ode, Scalar, parameters};

use crate::iteration::bisect;

/// Angular frequency of the oscillation: one period per second.
const OMEGA: f64 = std::f64::consts::TAU;

/// Largest number of crossings that the closed form follows; each is searched for, which takes a few milliseconds in
/// all.
const MOST: usize = 10_000;

parameters! {
    /// The oscillation `x₁'' + 2 σ x₁' + (σ² + ω²) x₁ = 0`, `x₁(0) = 1` at rest, and `x₃' = −p x₃` with `p = 0.5/s`
    /// if `g = x₁ − A ≥ 0`, else 0.1/s; a stand-in for the first problem of Birta, Ören and Kettenis, whose
    /// definition was not found.
    ///
    /// Like the original, it has three states, one bilateral function and parametric events, three of them in [0, 3]
    /// s for `A` = 0.35 and 0.40 and one for 0.41 and 0.45. The second maximum, `e^{−σ}` after one period, lies
    /// between: there the function touches zero, or nearly so, without a change of sign from step to step.
    pub struct DampedCosineThreshold {
        /// Threshold `A` (the printed parameter), between 0 and 1.
        pub threshold: f64 [above 0.0, below 1.0, unit "1"] = 0.35,
        /// Decay `σ` of the oscillation.
        pub decay: f64 [above 0.0, unit "1/s"] = 0.9,
        /// Rate `p` above the threshold.
        pub rate_above: f64 [unit "1/s"] = 0.5,
        /// Rate `p` below the threshold.
        pub rate_below: f64 [unit "1/s"] = 0.1,
    }
}

impl DampedCosineThreshold {
    /// Returns `x₁` and `x₁'` of `x₁ = e^{−σt} (cos ωt + (σ/ω) sin ωt)`.
    pub fn oscillation(&self, t: f64) -> (f64, f64) {
        let (sin, cos) = (OMEGA * t).sin_cos();
        let fading = (-self.decay * t).exp();
        let ratio = self.decay / OMEGA;
        (fading * (cos + ratio * sin), -fading * OMEGA * (1.0 + ratio * ratio) * sin)
    }

    /// Times at which `x₁` crosses the threshold, s: downwards first, then alternately.
    fn crossings(&self) -> impl Iterator<Item = f64> + '_ {
        // x₁ falls and rises alternately between its extrema, which are half a second apart.
        (0_u32..).map_while(|half| {
            let above = |t| self.oscillation(t).0 >= self.threshold;
            if !above(0.5 * f64::from(half + half % 2)) {
                return None; // the maximum of this half period, and all later ones, are below
            }
            let [start, end] = [half, half + 1].map(|half| 0.5 * f64::from(half));
            let [_, high] = bisect(start, end, |t| above(t) == above(start));
            Some(high)
        })
    }

    /// Returns the times of crossings up to `t_end`, s.
    pub fn events(&self, t_end: f64) -> Vec<f64> {
        self.crossings().take_while(|&t| t <= t_end).collect()
    }

    /// Returns `x₃`, or NaN after more than `MOST` crossings, if there is hardly any decay.
    pub fn exact(&self, t: f64) -> f64 {
        let (mut from, mut exponent) = (0.0, 0.0);
        let edges = self.crossings().take_while(|&crossing| crossing <= t).chain([t]);
        for (number, to) in edges.enumerate() {
            if number > MOST {
                return f64::NAN;
            }
            // From the first edge on, alternately above and below the threshold.
            exponent += (to - from) * if number % 2 == 0 { self.rate_above } else { self.rate_below };
            from = to;
        }
        (-exponent).exp()
    }
}

impl BenchmarkModel for DampedCosineThreshold {
    const NAME: &'static str = "damped-cosine-threshold";
    const SUMMARY: &'static str =
        "rate switched by a damped oscillation; stand-in for Birta, Ören and Kettenis' first problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.1; our own definition";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(1.0), S::zero(), S::from(1.0)]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "1", "the third state, whose rate is switched"),
            Observable::new("oscillation", "1", "the damped oscillation"),
            Observable::new("error", "1", "difference of x from the closed form"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[y[2], y[0], y[2] - self.exact(t)]);
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position, Class::Velocity, Class::Position]
    }
}

impl EventModel for DampedCosineThreshold {
    fn sizes(&self) -> [usize; 2] {
        [3, 1]
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let omega = S::pi() * 2.0;
        let decay = S::from(self.decay);
        dydt[0] = y[1];
        dydt[1] = -(decay * 2.0 * y[1] + (decay * decay + omega * omega) * y[0]);
        dydt[2] = -y[2] * if configuration[0] { self.rate_above } else { self.rate_below };
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g[0] = y[0] - self.threshold;
    }
}
