//! Cubic Hermite interpolants over a step: of states for observers, and of functions whose zeros are sought.
//!
//! There are three forms of the same polynomial, because each rounds differently: [`hermite`] is exact at both ends,
//! [`Slopes`] also has the derivative, and [`Cubic`] has coefficients for finding extrema and roots.

use std::ops::ControlFlow;

use mbsbench_problem::{AcceptedStep, Failure, Further, Scalar};

/// Shows a step of mechanics with states `(q ; v)`, `q' = v`, to an observer. States inside the step are given by the
/// cubic through positions and velocities at both ends, and its derivative; no evaluation is needed.
#[inline(always)]
pub fn show_motion(step: AcceptedStep<'_>, start: &[f64], end: &[f64], multipliers: &[f64]) -> ControlFlow<Failure> {
    let (t_start, h) = (step.t_start, step.t_end - step.t_start);
    step.observe(start, end, Further { multipliers, ..Further::default() }, |t, y| {
        let (s, n) = ((t - t_start) / h, y.len() / 2);
        for i in 0..n {
            let slopes = Slopes::new(h, (start[i], start[n + i]), (end[i], end[n + i]));
            (y[i], y[n + i]) = (slopes.value(s), slopes.rate(s));
        }
        Ok(())
    })
}

/// Cubic Hermite interpolation at `theta` in [0, 1] of (value, slope · length) at both ends.
pub fn hermite<S: Scalar>(theta: S, (y0, d0): (S, S), (y1, d1): (S, S)) -> S {
    let rest = -theta + 1.0;
    let rise = y1 - y0;
    y0 + theta * (rise + rest * ((d0 - rise) * rest + (rise - d1) * theta))
}

/// `y = y₀ + h s (y'₀ + s (3 rise − 2 y'₀ − y'₁ + s (y'₀ + y'₁ − 2 rise)))` with `rise = (y₁ − y₀)/h` on `0 ≤ s ≤ 1`.
#[derive(Debug, Clone, Copy)]
pub struct Slopes {
    h: f64,
    start: f64,
    slope: f64,
    square: f64,
    cube: f64,
}

impl Slopes {
    /// The interpolant of values and rates at both ends of an interval of `h` seconds.
    #[inline]
    pub fn new(h: f64, (start, slope): (f64, f64), (end, end_slope): (f64, f64)) -> Self {
        let rise = (end - start) / h;
        let (square, cube) = (3.0 * rise - 2.0 * slope - end_slope, slope + end_slope - 2.0 * rise);
        Self { h, start, slope, square, cube }
    }

    /// The value at `s`.
    #[inline]
    pub fn value(&self, s: f64) -> f64 {
        self.start + self.h * s * (self.slope + s * (self.square + s * self.cube))
    }

    /// The rate at `s`.
    #[inline]
    pub fn rate(&self, s: f64) -> f64 {
        self.slope + s * (2.0 * self.square + 3.0 * s * self.cube)
    }
}

/// `p(s) = a₀ + a₁ s + a₂ s² + a₃ s³` on `0 ≤ s ≤ 1` (compere2001, section 5.2.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cubic([f64; 4]);

impl Cubic {
    /// The interpolant of values and rates at both ends of an interval of `length` seconds.
    pub fn new(length: f64, (start, start_rate): (f64, f64), (end, end_rate): (f64, f64)) -> Self {
        let (rise, from, to) = (end - start, length * start_rate, length * end_rate);
        Self([start, from, 3.0 * rise - 2.0 * from - to, from + to - 2.0 * rise])
    }

    /// The value at `s`.
    pub fn at(&self, s: f64) -> f64 {
        let [a0, a1, a2, a3] = self.0;
        a0 + s * (a1 + s * (a2 + s * a3))
    }

    /// The derivative by `s`.
    pub fn slope(&self, s: f64) -> f64 {
        let [_, a1, a2, a3] = self.0;
        a1 + s * (2.0 * a2 + s * 3.0 * a3)
    }

    /// Root exclusion test: true if interval arithmetic proves that the interpolant has no zero.
    pub fn excludes_zero(&self) -> bool {
        let [a0, a1, a2, a3] = self.0;
        let lowest = a0 + a1.min(0.0) + a2.min(0.0) + a3.min(0.0);
        let highest = a0 + a1.max(0.0) + a2.max(0.0) + a3.max(0.0);
        lowest > 0.0 || highest < 0.0
    }

    /// Interior zeros of the slope, in order; missing ones are 1.
    pub fn extrema(&self) -> [f64; 2] {
        let [_, a1, a2, a3] = self.0;
        let discriminant = a2 * a2 - 3.0 * a3 * a1;
        if discriminant.is_nan() || discriminant < 0.0 {
            return [1.0, 1.0];
        }
        // The root without cancellation; the other one follows from the product of both.
        let sum = -(a2 + discriminant.sqrt().copysign(a2));
        let inside = |s: f64| if s > 0.0 && s < 1.0 { s } else { 1.0 };
        let (one, other) = (inside(sum / (3.0 * a3)), inside(a1 / sum));
        [one.min(other), one.max(other)]
    }

    /// The first position at which the interpolant has left the side (`p ≥ 0` or `p < 0`) on which it starts.
    pub fn first_root(&self) -> Option<f64> {
        let side = self.0[0] >= 0.0;
        let is_before = |s| (self.at(s) >= 0.0) == side;
        let [one, other] = self.extrema();
        // The interpolant is monotonic between consecutive numbers of this list.
        let mut from = 0.0;
        for to in [one, other, 1.0] {
            if !is_before(to) {
                return Some(bisect(from, to, is_before));
            }
            from = to;
        }
        None
    }
}

/// The first number between `lower` and `upper` for which `is_before` is false.
pub fn bisect(mut lower: f64, mut upper: f64, is_before: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (lower + upper);
        if middle <= lower || middle >= upper {
            return upper;
        }
        if is_before(middle) {
            lower = middle;
        } else {
            upper = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(s − 0.2)(s − 0.7)(s + 1)`
    fn two_roots() -> Cubic {
        let p = |s: f64| (s - 0.2) * (s - 0.7) * (s + 1.0);
        let rate = |s: f64| (s - 0.7) * (s + 1.0) + (s - 0.2) * (s + 1.0) + (s - 0.2) * (s - 0.7);
        // over an interval of half a second, the rates are twice the derivatives by s
        Cubic::new(0.5, (p(0.0), 2.0 * rate(0.0)), (p(1.0), 2.0 * rate(1.0)))
    }

    #[test]
    fn the_interpolant_reproduces_cubics() {
        let cubic = two_roots();
        assert!((cubic.at(0.5) - 0.3 * -0.2 * 1.5).abs() < 1e-15);
        let root = cubic.first_root().unwrap();
        assert!((root - 0.2).abs() < 1e-14, "{root}");
        assert!(!cubic.excludes_zero());
    }

    #[test]
    fn no_root_without_a_change_of_sign() {
        let parabola = Cubic::new(1.0, (0.3, -1.0), (0.3, 1.0));
        assert_eq!(parabola.extrema(), [0.5, 1.0]);
        assert_eq!(parabola.first_root(), None);
        assert!(!parabola.excludes_zero(), "the test by intervals does not see it");
        assert!(Cubic::new(1.0, (1.1, -1.0), (0.1, -1.0)).excludes_zero());
    }

    #[test]
    fn a_function_starting_at_zero_leaves_at_once_or_never() {
        assert!(Cubic::new(1.0, (0.0, -1.0), (-1.0, -1.0)).first_root().unwrap() < 1e-300);
        assert_eq!(Cubic::new(1.0, (0.0, 1.0), (1.0, 1.0)).first_root(), None);
    }
}
