//! Measured orders of convergence, separately for position and velocity, in double-double precision.

use crate::common::{Circle, Cubic, Known, errors};
use mbsbench_integrators::control::ControllerSettings;
use mbsbench_integrators::{Advance, ExplicitRungeKutta, Gbs, tableaux};
use mbsbench_problem::{DoubleDouble, Method, MethodDefinition};

/// Every formula of every tableau, and extrapolation, with an initial number of steps. It is small enough for the
/// error of the finer of two runs to stay far above the rounding of double-double numbers.
fn methods() -> Vec<(String, Box<dyn Method<DoubleDouble>>, u32)> {
    let mut all: Vec<(String, Box<dyn Method<DoubleDouble>>, u32)> = Vec::new();
    for tableau in tableaux::EXPLICIT {
        for advance in [Advance::Higher, Advance::Lower].into_iter().take(1 + tableau.formula.estimates.len().min(1)) {
            let steps = match (&*tableau.name, tableau.formula.order) {
                // With twice as many steps, leading terms of its error on the nonlinear oscillator cancel.
                ("Fehlberg 7(8)", _) => 48,
                (_, ..=4) => 256,
                (_, 5) => 128,
                _ => 96,
            };
            let method = ExplicitRungeKutta::new(tableau, ControllerSettings::elementary()).advancing(advance);
            all.push((format!("{}, {advance:?}", tableau.name), Box::new(method), steps));
        }
    }
    for (order, steps) in [(8, 48), (10, 40)] {
        let method = Gbs { order }.precise().expect("extrapolation is generic over the scalar");
        all.push((format!("gbs of order {order}"), method, steps));
    }
    all
}

/// Checks that the measured order lies within 0.25 of the declared one: three times closer than to any other integer,
/// and wide enough for the next term of the error's expansion at these steps.
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
