//! Measured orders of convergence, separately for position and velocity, in double-double precision.

use crate::common::{Circle, Cubic, Known, errors};
use mbsbench_integrators::{Advance, Bs32, Dop853, Dopri5, Gbs, Rk3, Rk4, Rk5, Rk8};
use mbsbench_problem::{DoubleDouble, Method, MethodDefinition};

/// Methods, and the number of steps to begin with: small enough that the error of the finer of two runs stays
/// far above the rounding of double-double numbers.
fn methods() -> Vec<(&'static str, Box<dyn Method<DoubleDouble>>, u32)> {
    fn precise(definition: &impl MethodDefinition) -> Box<dyn Method<DoubleDouble>> {
        definition.precise().expect("explicit methods are generic over the scalar")
    }
    let lower = Advance::Lower;
    vec![
        ("rk3", precise(&Rk3::default()), 256),
        ("bs32", precise(&Bs32::default()), 256),
        ("bs32, lower", precise(&Bs32 { advance: lower }), 256),
        ("rk4", precise(&Rk4::default()), 256),
        ("rk5", precise(&Rk5::default()), 128),
        ("rk5, lower", precise(&Rk5 { advance: lower }), 128),
        ("dopri5", precise(&Dopri5::default()), 128),
        ("rk8", precise(&Rk8::default()), 48),
        ("rk8, lower", precise(&Rk8 { advance: lower }), 48),
        ("dop853", precise(&Dop853::default()), 96),
        ("gbs of order 8", precise(&Gbs { order: 8 }), 48),
        ("gbs of order 10", precise(&Gbs { order: 10 }), 40),
    ]
}

/// The measured order must lie within 0.25 of the claimed one: nearer to it than to any other whole number by a
/// factor of three, and wide enough for the next term of the error's expansion at these steps.
fn check(problem: &str, model: &impl Known) {
    for (name, method, steps) in methods() {
        let order = f64::from(method.order());
        let (coarse, fine) = (errors(model, &*method, steps), errors(model, &*method, 2 * steps));
        for (i, class) in ["position", "velocity"].into_iter().enumerate() {
            let measured = (coarse[i] / fine[i]).log2();
            assert!(
                (measured - order).abs() < 0.25,
                "{name} on the {problem}: {class} errors {:e} and {:e} give order {measured:.3}, not {order}",
                coarse[i],
                fine[i],
            );
        }
    }
}

#[test]
fn harmonic_oscillator() {
    check("harmonic oscillator", &Circle);
}

#[test]
fn nonlinear_oscillator() {
    check("nonlinear oscillator", &Cubic);
}
