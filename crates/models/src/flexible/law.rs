//! Quantities that are given as functions of time.

use mbsbench_problem::Scalar;

/// A law of time: a straight line and smooth rises added to it.
///
/// ```text
/// f(t) = initial + slope t + Σ rise (1 − cos π s)/2,   s = (t − from)/(until − from) in [0, 1]
/// ```
///
/// It is continuously differentiable; the second derivative jumps where rises begin and end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Law {
    /// Value of the line at `t = 0`.
    pub initial: f64,
    /// Slope of the line.
    pub slope: f64,
    /// What is added to it.
    pub rises: Vec<Rise>,
}

/// Half a period of a cosine: nothing before `from`, `rise` after `until`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rise {
    /// Time at which it begins, s.
    pub from: f64,
    /// Time at which it ends, s.
    pub until: f64,
    /// What it adds up to.
    pub rise: f64,
}

impl Law {
    /// The same at all times.
    pub fn constant(value: f64) -> Self {
        Self { initial: value, ..Self::default() }
    }

    /// `slope t`.
    pub fn linear(slope: f64) -> Self {
        Self { slope, ..Self::default() }
    }

    /// The same with a further rise.
    #[must_use]
    pub fn rising(mut self, from: f64, until: f64, rise: f64) -> Self {
        self.rises.push(Rise { from, until, rise });
        self
    }

    /// The value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        let line = t * self.slope + self.initial;
        self.rises.iter().fold(line, |sum, rise| sum + rise.at(t))
    }

    /// Whether all numbers are finite and every rise ends after it begins.
    pub(super) fn is_proper(&self) -> bool {
        let rises =
            |rise: &Rise| rise.rise.is_finite() && (rise.until - rise.from).is_finite() && rise.until > rise.from;
        self.initial.is_finite() && self.slope.is_finite() && self.rises.iter().all(rises)
    }
}

impl Rise {
    fn at<S: Scalar>(&self, t: S) -> S {
        if t.value() <= self.from {
            return S::nought();
        }
        if t.value() >= self.until {
            return S::from(self.rise);
        }
        let phase = (t - self.from) / (S::from(self.until) - self.from) * S::pi();
        (-phase.cos() + 1.0) * (0.5 * self.rise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use num_dual::Dual64;

    #[test]
    fn a_law_is_a_line_with_rises() {
        let law = Law { initial: 1.0, slope: 2.0, rises: Vec::new() }.rising(1.0, 3.0, 4.0).rising(5.0, 6.0, -1.0);
        assert_eq!(law.at(0.5), 2.0);
        assert_relative_eq!(law.at(2.0), 1.0 + 4.0 + 2.0, max_relative = 1e-15);
        assert_eq!(law.at(10.0), 1.0 + 20.0 + 4.0 - 1.0);
        assert_relative_eq!(law.at(Dual64::new(2.0, 1.0)).eps, 2.0 + std::f64::consts::PI, max_relative = 1e-15);
        assert!(law.is_proper());
        assert!(!law.rising(1.0, 1.0, 2.0).is_proper());
        assert!(!Law::constant(f64::NAN).is_proper());
    }

    #[test]
    fn rises_begin_and_end_smoothly() {
        let law = Law::default().rising(1.0, 3.0, 4.0);
        for (t, value) in [(1.0, 0.0), (3.0, 4.0)] {
            let near = |t: f64| law.at(Dual64::new(t, 1.0));
            for at in [near(t - 1e-9), near(t + 1e-9)] {
                assert!((at.re - value).abs() < 1e-15 && at.eps.abs() < 1e-8, "{at}");
            }
        }
    }
}
