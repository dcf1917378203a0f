//! A linear equation with constant coefficients and a ramp, which exponential methods solve exactly.

use mbsbench_problem::{AsOde, BenchmarkModel, Class, Observable, Ode, OdeModel, Scalar, parameters};
use nalgebra::Complex;

parameters! {
    /// The equation `y' = A y + b t + c`, `y(0) = y₀`, with two components and
    ///
    /// ```text
    /// A = [ a −w ]   a = rate         b = (ramp-1, ramp-2)
    ///     [ w  a ]   w = frequency    c = (constant-1, constant-2)
    /// ```
    ///
    /// With `z = y₁ + i y₂` this is Dahlquist's equation `z' = μ z + β t + γ`, `μ = a + i w`, eigenvalues `a ± i w`,
    /// and `z(t) = e^{μt} z₀ + t φ₁(μt) γ + t² φ₂(μt) β`, `φ₁(x) = (eˣ − 1)/x`, `φ₂(x) = (eˣ − 1 − x)/x²`. The local
    /// linearisation method solves it (gil2013, Eqs. 1–6) up to roundoff. The closed form starts at `t = 0`, so a
    /// span has to begin there.
    ///
    /// The default is a decaying oscillation without ramp and constant. With frequency zero the components are two
    /// independent scalar equations.
    pub struct LinearTest {
        /// Real part `a` of the eigenvalues: decay if negative, growth if positive.
        pub rate: f64 [unit "1/s"] = -1.0,
        /// Imaginary part `w` of the eigenvalues.
        pub frequency: f64 [unit "rad/s"] = 10.0,
        /// First component of the ramp `b`.
        pub ramp_1: f64 [unit "1/s²"] = 0.0,
        /// Second component of the ramp `b`.
        pub ramp_2: f64 [unit "1/s²"] = 0.0,
        /// First component of the constant `c`.
        pub constant_1: f64 [unit "1/s"] = 0.0,
        /// Second component of the constant `c`.
        pub constant_2: f64 [unit "1/s"] = 0.0,
        /// First component at time zero.
        pub initial_1: f64 [unit "1"] = 1.0,
        /// Second component at time zero.
        pub initial_2: f64 [unit "1"] = 0.0,
    }
}

impl LinearTest {
    /// The solution at time `t`, s.
    pub fn exact(&self, t: f64) -> [f64; 2] {
        let x = Complex::new(self.rate, self.frequency) * t;
        let [phi_1, phi_2] = phi(x);
        let z = x.exp() * Complex::new(self.initial_1, self.initial_2)
            + phi_1 * t * Complex::new(self.constant_1, self.constant_2)
            + phi_2 * (t * t) * Complex::new(self.ramp_1, self.ramp_2);
        [z.re, z.im]
    }
}

/// Returns `φ₁(x) = (eˣ − 1)/x` and `φ₂(x) = (eˣ − 1 − x)/x²`; by their series if the differences cancel.
fn phi(x: Complex<f64>) -> [Complex<f64>; 2] {
    let one = Complex::new(1.0, 0.0);
    if x.norm() >= 1.0 {
        let rest = x.exp() - one;
        return [rest / x, (rest - x) / (x * x)];
    }
    // φ₂ = 1/2 (1 + x/3 (1 + x/4 (…))), to x¹⁸/20!
    let nested = (3..=20).rev().fold(one, |sum, k| one + sum * x / f64::from(k));
    let phi_2 = nested * 0.5;
    [one + x * phi_2, phi_2]
}

impl BenchmarkModel for LinearTest {
    const NAME: &'static str = "linear-test";
    const SUMMARY: &'static str =
        "two linear equations with ramp and constant terms, solved exactly by exponential methods";
    const SOURCE: &'static str = "for gil2013, Eqs. 1–6; our own parameter values";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsOde(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.initial_1), S::from(self.initial_2)]
    }

    fn observables(&self) -> Vec<Observable> {
        let of_relative = "distance from the closed form relative to its length; not a number if the length is zero";
        vec![
            Observable::new("y1", "1", "the first component").of_class(Class::Position),
            Observable::new("y2", "1", "the second component").of_class(Class::Position),
            Observable::new("exact_1", "1", "the first component in closed form"),
            Observable::new("exact_2", "1", "the second component in closed form"),
            Observable::new("error", "1", "Euclidean distance from the closed form"),
            Observable::new("relative_error", "1", of_relative),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let exact = self.exact(t);
        let error = (y[0] - exact[0]).hypot(y[1] - exact[1]);
        values.copy_from_slice(&[y[0], y[1], exact[0], exact[1], error, error / exact[0].hypot(exact[1])]);
    }
}

impl OdeModel for LinearTest {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[0] * self.rate - y[1] * self.frequency + t * self.ramp_1 + self.constant_1;
        dydt[1] = y[0] * self.frequency + y[1] * self.rate + t * self.ramp_2 + self.constant_2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_quotients_agree() {
        for k in 0..12 {
            let direction = Complex::new(0.0, f64::from(k) * 0.5).exp();
            for (inside, outside) in phi(direction * (1.0 - 1e-15)).into_iter().zip(phi(direction * (1.0 + 1e-15))) {
                assert!((inside - outside).norm() < 4e-15 * inside.norm(), "{inside} and {outside}");
            }
        }
        let [phi_1, phi_2] = phi(Complex::new(0.0, 0.0));
        assert_eq!((phi_1.re, phi_2.re), (1.0, 0.5));
    }
}
