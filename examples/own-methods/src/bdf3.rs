//! The backward differentiation formula of order three: its coefficients, and its name in experiment files.

use mbsbench_integrators::implicit::{Implicit, LinearMultistep, Multistep, Options};
use mbsbench_problem::{Method, MethodDefinition, parameters};

/// `y_k = 18/11 y_{k−1} − 9/11 y_{k−2} + 2/11 y_{k−3} + 6/11 h y'_k` (C. F. Curtiss, J. O. Hirschfelder, Proc. Natl.
/// Acad. Sci. USA 38 (1952) 235–243; Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I,
/// Eq. III.1.22').
fn formula() -> LinearMultistep {
    LinearMultistep { alpha: [18.0, -9.0, 2.0].map(|x| x / 11.0).to_vec(), beta: vec![6.0 / 11.0, 0.0, 0.0, 0.0] }
}

parameters! {
    /// BDF3: order three, A(α)-stable with α = 86°, constant step. The trapezoidal rule makes the first two steps.
    #[derive(Copy)]
    pub struct Bdf3 {
        /// Largest L2 norm of the whole residual at which Newton's iteration at a point stops.
        pub newton_tolerance: f64 [above 0.0] = Options::default().tolerance,
    }
}

impl MethodDefinition for Bdf3 {
    const NAME: &'static str = "bdf3";
    const SUMMARY: &'static str = "Backward differentiation formula of order three, constant step";
    const SOURCE: &'static str = "C. F. Curtiss, J. O. Hirschfelder, Proc. Natl. Acad. Sci. USA 38 (1952) 235–243";
    const FAMILY: &'static str = "linear-multistep";

    fn method(&self) -> Box<dyn Method> {
        let options = Options { tolerance: self.newton_tolerance, ..Options::default() };
        Box::new(Implicit { rule: Multistep::new(formula()), options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coefficients_hold_what_is_claimed() {
        let method = Bdf3::default().method();
        assert_eq!(method.order(), 3, "from the conditions on the coefficients");
        let details = method.details().join("\n");
        for line in ["zero-stable     yes", "A-stable        no", "at infinity     3 equal roots 0"] {
            assert!(details.contains(line), "{line} in\n{details}");
        }
        let misread = LinearMultistep { beta: vec![6.0 / 11.0 + 1e-6, 0.0, 0.0, 0.0], ..formula() };
        let method = Implicit { rule: Multistep::new(misread), options: Options::default() };
        assert_eq!(method.order(), 0);
    }
}
