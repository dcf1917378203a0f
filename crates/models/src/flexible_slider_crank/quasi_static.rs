//! The initial state from which the rod does not vibrate.

use mbsbench_problem::Scalar;
use mbsbench_problem::linalg::Lu;
use nalgebra::DMatrix;
use num_dual::Dual;

use super::FlexibleSliderCrank;
use crate::linkage::{Linkage, TwoRods};

/// Limit of Newton iterations. They converge quadratically from a nearly straight rod, so this is more than
/// enough for 32 digits.
const ITERATIONS: usize = 30;

impl FlexibleSliderCrank {
    /// Returns minimal coordinates and rates with the rod straight and its modes at rest.
    pub(super) fn straight<S: Scalar>(&self) -> Vec<S> {
        let mut y = vec![S::zero(); 2 * self.freedoms()];
        y[0] = S::from(self.crank_angle);
        y[self.freedoms()] = S::from(self.crank_rate);
        y
    }

    /// Returns minimal coordinates and rates with `ë = 0` and `d³e/dt³ = 0`: the first condition determines `e`, the
    /// second makes `ė` the rate of this deflection along the motion. Returns `None` if Newton's iteration from the
    /// straight rod does not converge to a deflection within the rod's length.
    pub(super) fn quasi_static<S: Scalar>(&self) -> Option<Vec<S>> {
        let n = self.modes;
        let mut y = self.straight::<S>();
        let mut jacobian = DMatrix::from_element(2 * n, 2 * n, S::zero());
        let mut residual = vec![S::zero(); 2 * n];
        let mut factors = Lu::new(2 * n);
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            for column in 0..2 * n {
                let derivative = self.vibration(&y, column);
                for (row, entry) in derivative.into_iter().enumerate() {
                    residual[row] = entry.re;
                    jacobian[(row, column)] = entry.eps;
                }
            }
            factors.factorize(&jacobian).ok()?;
            factors.solve(&mut residual);
            for (k, &correction) in residual.iter().enumerate() {
                y[self.unknown(k)] -= correction;
            }
            // Corrections at roundoff level stop shrinking.
            let largest = |entries: &mut dyn Iterator<Item = S>| entries.map(|x| x.value().abs()).fold(0.0, f64::max);
            let correction = largest(&mut residual.iter().copied());
            let size = largest(&mut (0..2 * n).map(|k| y[self.unknown(k)]));
            if !correction.is_finite() {
                return None;
            }
            if correction == 0.0 || (correction <= 1e-10 * size && correction >= 0.5 * last) {
                // A deflection larger than the length is another root of these equations, not a beam.
                let bent = largest(&mut y[1..=n].iter().copied());
                return (bent < self.rod_length).then_some(y);
            }
            last = correction;
        }
        None
    }

    /// Index in `y` of unknown `k`: the modal coordinates, then their rates.
    fn unknown(&self, k: usize) -> usize {
        if k < self.modes { 1 + k } else { self.freedoms() + 1 + k - self.modes }
    }

    /// `ë` and `d³e/dt³` along the motion through `y`, with their derivatives by one of the unknowns.
    fn vibration<S: Scalar>(&self, y: &[S], unknown: usize) -> Vec<Dual<S>> {
        let f = self.freedoms();
        let varied = self.unknown(unknown);
        let zero = Dual::new(S::zero(), S::zero());
        let seed = |k| S::from(f64::from(u8::from(k == varied)));
        let lifted: Vec<_> = y.iter().enumerate().map(|(k, &y)| Dual::new(y, seed(k))).collect();
        let mut rate = vec![zero; 2 * f];
        self.reduced_rhs(&lifted, &mut rate);
        // The outer dual number is the derivative along the motion.
        let along: Vec<_> = lifted.iter().zip(&rate).map(|(&y, &rate)| Dual::new(y, rate)).collect();
        let mut second = vec![Dual::new(zero, zero); 2 * f];
        self.reduced_rhs(&along, &mut second);
        let modal = &second[f + 1..];
        modal.iter().map(|x| x.re).chain(modal.iter().map(|x| x.eps)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::DoubleDouble;

    /// Largest magnitudes of `ë` (m/s²) and `d³e/dt³` (m/s³).
    fn residuals<S: Scalar>(model: &FlexibleSliderCrank, y: &[S]) -> (f64, f64) {
        let residual = model.vibration(y, 0);
        let largest = |part: &[Dual<S>]| part.iter().map(|x| x.re.value().abs()).fold(0.0, f64::max);
        (largest(&residual[..model.modes]), largest(&residual[model.modes..]))
    }

    #[test]
    fn the_start_has_the_precision_of_the_scalar() {
        for (crank_angle, modes) in [(1.5 * std::f64::consts::PI, 2), (3.0, 4), (0.4, 1)] {
            let model = FlexibleSliderCrank { crank_angle, modes, crank_rate: 5.0, ..FlexibleSliderCrank::default() };
            let rounded = model.quasi_static::<f64>().expect("a stiff rod has one");
            let precise = model.quasi_static::<DoubleDouble>().expect("a stiff rod has one");
            for (rounded, precise) in rounded.iter().zip(&precise) {
                // Second differences of ω² e lose some digits of ė.
                assert!((*precise - *rounded).value().abs() <= 1e-12 * rounded.abs(), "{rounded} against {precise:?}");
            }
            // Roundoff of sines (1e-21 in double-double) times accelerations of some 100 m/s²; a straight
            // rod has 10 m/s².
            let (second, third) = residuals(&model, &precise);
            assert!(second < 1e-17 && third < 1e-15, "{second:e} m/s², {third:e} m/s³");
        }
    }

    #[test]
    fn a_rod_without_modes_needs_no_deflection() {
        let model = FlexibleSliderCrank { modes: 0, ..FlexibleSliderCrank::default() };
        assert_eq!(model.quasi_static::<f64>(), Some(vec![1.5 * std::f64::consts::PI, 1.0]));
    }
}
