//! Continuous output: order and continuity, against the exact solution, in double-double precision.

use crate::common::{Cubic, Known};
use mbsbench_integrators::{DenseOutput, ExplicitStepper, Stepper, Tableau, tableaux};
use mbsbench_problem::{AsOde, Counted, DoubleDouble, Scalar};

/// Largest error of the continuous output over one step of size `h`, and its jumps at both ends.
fn one_step(tableau: &Tableau, h: f64) -> (f64, f64) {
    let formula = &tableau.formula;
    let mut stepper = ExplicitStepper::new(formula, 2, true);
    let mut dense = DenseOutput::new(formula, 2).expect("the pair has continuous output");
    let mut ode = AsOde(&Cubic);
    let mut problem = Counted::new(&mut ode);
    let (t, h) = (DoubleDouble::from(0.5), DoubleDouble::from(h));
    let start = Cubic.exact(t);
    let mut end = start;
    stepper.step(&mut problem, t, h, &start, &mut end).unwrap();
    dense.prepare(&mut problem, (t, h), &start, &end, stepper.stages()).unwrap();
    let mut y = start;
    let mut error = 0.0f64;
    for k in 1..20u8 {
        let theta = DoubleDouble::ratio(f64::from(k), 20.0);
        dense.state_at(theta, &mut y);
        let exact = Cubic.exact(t + theta * h);
        error = error.max((y[0] - exact[0]).value().abs()).max((y[1] - exact[1]).value().abs());
    }
    let mut jump = 0.0f64;
    for (theta, state) in [(0.0, start), (1.0, end)] {
        dense.state_at(DoubleDouble::from(theta), &mut y);
        jump = jump.max((y[0] - state[0]).value().abs()).max((y[1] - state[1]).value().abs());
    }
    (error, jump)
}

#[test]
fn continuous_output_has_its_order_and_no_jumps() {
    for (tableau, h) in [(&tableaux::BS32, 0.01), (&tableaux::DOPRI5, 0.01), (&tableaux::DOP853, 0.05)] {
        let order = tableau.formula.dense.as_ref().map_or(0, |dense| dense.order);
        let ((coarse, jump), (fine, _)) = (one_step(tableau, h), one_step(tableau, 0.5 * h));
        assert!(jump < 1e-30, "{}: jumps by {jump:e}", tableau.name);
        // The error within one step is O(h^{order+1}); the margin of 0.25 is that of the tests of convergence.
        let measured = (coarse / fine).log2() - 1.0;
        let name = &tableau.name;
        assert!((measured - f64::from(order)).abs() < 0.25, "{name}: {coarse:e}, {fine:e}: order {measured:.3}");
    }
}
