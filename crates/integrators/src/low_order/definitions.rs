//! The formulas as experiment files name them.

use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{Counted, Method, Observer, Ode, OutOfRange, Parameters, Solution, Task, Unsuitable};
use nalgebra::{Complex, DMatrix};

use super::drive::{self, Plan};
use super::formula::{Formula, Start};
use super::predictor::Discretisation;
use super::settings::NewtonSettings;

pub use both_levels::{HhtAdd, HhtSi2, NstiffSi2};
pub use positions::{GeneralizedAlpha, HhtI3, Newmark, Nstiff};

/// Name, summary and source of a definition, and its method.
macro_rules! definition {
    ($type:ident, $name:literal, $summary:literal, $source:literal) => {
        impl MethodDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const SOURCE: &'static str = $source;
            const FAMILY: &'static str = "low-order";

            fn method(&self) -> Box<dyn Method> {
                Box::new(Solver(*self))
            }
        }
    };
}

mod both_levels;
mod positions;

/// What a definition says of its formula.
trait Rule: Copy + Send + Sync + 'static {
    type Formula: Formula;
    /// Order of positions and velocities.
    fn order(&self) -> u32;
    fn plan(&self) -> Plan;
    fn discretisation(&self) -> Discretisation;
    /// α of Hilber, Hughes and Taylor.
    fn alpha(&self) -> f64 {
        0.0
    }
    /// See [`Method::details`].
    fn details(&self) -> Vec<String> {
        Vec::new()
    }
    fn start(&self, start: &Start<'_>) -> Result<Self::Formula, Singular>;
}

/// A definition as a method.
struct Solver<R>(R);

impl<R: Rule> Method for Solver<R> {
    fn order(&self) -> u32 {
        self.0.order()
    }

    fn counts_flops(&self) -> bool {
        true
    }

    fn adapts(&self) -> bool {
        false
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        drive::suits(problem)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(self.0.discretisation().amplification(self.0.alpha(), omega_h))
    }

    fn details(&self) -> Vec<String> {
        self.0.details()
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::solve(self, &self.0.plan(), |start| self.0.start(start), problem, task, observer)
    }
}

fn check_alpha(alpha: f64) -> Result<(), OutOfRange> {
    // −1/3 as a decimal of any length is meant to be allowed
    if (-1.0 / 3.0 - 1e-6..=0.0).contains(&alpha) {
        return Ok(());
    }
    Err(OutOfRange::new("alpha", alpha, "a number from -1/3 to 0"))
}

fn check_newton(newton: &NewtonSettings) -> Result<(), OutOfRange> {
    newton.check().map_err(|error| error.within("newton"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The field that is out of range, if one is.
    fn field<P: Parameters>(parameters: &P) -> Option<String> {
        parameters.check().err().map(|error| error.field)
    }

    #[test]
    fn ranges_are_checked() {
        let out = |name: &str| Some(name.to_owned());
        for (gamma, beta, expected) in [
            (0.7, None, None),
            (0.5, Some(0.4), None),
            (0.49, None, out("gamma")),
            (f64::NAN, None, out("gamma")),
            (0.7, Some(0.0), out("beta")),
        ] {
            assert_eq!(field(&Newmark { gamma, beta, ..Newmark::default() }), expected);
        }
        for (alpha, expected) in [(-1.0 / 3.0, None), (0.0, None), (-0.34, out("alpha")), (0.1, out("alpha"))] {
            assert_eq!(field(&HhtI3 { alpha, ..HhtI3::default() }), expected);
            assert_eq!(field(&HhtSi2 { alpha, ..HhtSi2::default() }), expected);
            assert_eq!(field(&HhtAdd { alpha, ..HhtAdd::default() }), expected);
        }
        for (rho_inf, expected) in [(0.0, None), (1.0, None), (-0.1, out("rho-inf")), (f64::NAN, out("rho-inf"))] {
            assert_eq!(field(&GeneralizedAlpha { rho_inf, ..GeneralizedAlpha::default() }), expected);
        }
        for (b, expected) in [(0.0, None), (1.0, None), (0.5, out("b")), (f64::INFINITY, out("b"))] {
            assert_eq!(field(&HhtAdd { b, ..HhtAdd::default() }), expected);
        }
        let never = NewtonSettings { max_iterations: 0, ..NewtonSettings::default() };
        assert_eq!(field(&Nstiff { newton: never }), out("newton.max-iterations"));
        let exact = NewtonSettings { tolerance: 0.0, ..NewtonSettings::default() };
        assert_eq!(field(&NstiffSi2 { newton: exact, ..NstiffSi2::default() }), out("newton.tolerance"));
    }
}
