//! The implicit formulas: orders on ordinary differential equations, on index-3 mechanics by class of component, and on
//! a manifold.

mod common;

use common::constrained::{Manufactured, record};
use common::{Cubic, Known, solve};
use mbsbench_integrators::implicit::{InitialDerivatives, Start};
use mbsbench_integrators::{
    Bathe, Esdirk324l2sa, Esdirk325l2sa, Esdirk436l2sa2, Lms2, Lms3, Lms4, Msstc3, Msstc4, Msstc5, Mssth3, Mssth4,
    Mssth5, Ss2, Ss3, Ss4, Trapezoidal,
};
use mbsbench_problem::{Method, MethodDefinition, Settings};

const TOLERANCE: f64 = 1e-10;

macro_rules! methods {
    ($($name:literal: $type:ident { $($field:ident: $value:expr),* }),* $(,)?) => {
        vec![$(($name, $type { $($field: $value,)* newton_tolerance: TOLERANCE, ..$type::default() }.method())),*]
    };
}

fn all() -> Vec<(&'static str, Box<dyn Method>)> {
    methods![
        "trapezoidal": Trapezoidal {},
        "lms2, 0": Lms2 { rho: 0.0 },
        "lms2, 0.6": Lms2 { rho: 0.6 },
        "lms3, 0": Lms3 { rho: 0.0 },
        "lms3, 0.6": Lms3 { rho: 0.6 },
        "lms4, 0": Lms4 { rho: 0.0 },
        "lms4, 0.6": Lms4 { rho: 0.6 },
        "lms4, 0.6, ladder": Lms4 { rho: 0.6, start: Start::Ladder },
        "ss2, 0": Ss2 { rho: 0.0 },
        "ss2, 0.6": Ss2 { rho: 0.6 },
        "ss3, 0": Ss3 { rho: 0.0 },
        "ss3, 0.6": Ss3 { rho: 0.6 },
        "ss4, 0": Ss4 { rho: 0.0 },
        "ss4, 0.6": Ss4 { rho: 0.6 },
        "bathe, 0": Bathe { rho: 0.0 },
        "bathe, 0.6": Bathe { rho: 0.6 },
        "bathe, 1": Bathe { rho: 1.0 },
        "msstc3, 0": Msstc3 { rho: 0.0 },
        "msstc3, 0.6": Msstc3 { rho: 0.6 },
        "msstc4, 0": Msstc4 { rho: 0.0 },
        "msstc4, 0.6": Msstc4 { rho: 0.6 },
        "msstc5, 0": Msstc5 { rho: 0.0 },
        "msstc5, 0.6": Msstc5 { rho: 0.6 },
        "mssth3, 0": Mssth3 { rho: 0.0 },
        "mssth3, 0.6": Mssth3 { rho: 0.6 },
        "mssth4, 0": Mssth4 { rho: 0.0 },
        "mssth4, 0.6": Mssth4 { rho: 0.6 },
        "mssth5, 0": Mssth5 { rho: 0.0 },
        "mssth5, 0.6": Mssth5 { rho: 0.6 },
        "esdirk324l2sa": Esdirk324l2sa {},
        "esdirk325l2sa": Esdirk325l2sa {},
        "esdirk436l2sa2": Esdirk436l2sa2 {},
    ]
}

/// Largest error at `t = 2` with `steps` steps.
fn ode_error(model: &impl Known, method: &dyn Method, steps: u32) -> f64 {
    let solution = solve(model, method, 2.0, Settings::fixed(2.0 / f64::from(steps)));
    assert_eq!(solution.failure, None);
    largest_difference(&solution.state, &model.exact(2.0))
}

/// Largest errors of positions, velocities and multipliers over the second half of the run.
fn errors(method: &dyn Method, steps: u32) -> [f64; 3] {
    let model = Manufactured { constrained: true };
    let (_, record) = record(&model, method, &Manufactured::exact(0.0), 2.0, steps);
    let mut errors = [0.0f64; 3];
    for (i, &t) in record.times.iter().enumerate().filter(|&(_, &t)| t > 1.0) {
        let (exact, state) = (Manufactured::exact(t), &record.states[i]);
        errors[0] = errors[0].max(largest_difference(&state[..3], &exact[..3]));
        errors[1] = errors[1].max(largest_difference(&state[3..], &exact[3..]));
        errors[2] = errors[2].max(largest_difference(&record.multipliers[i], &model.multipliers(t)));
    }
    errors
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn survey() {
    for (name, method) in all() {
        let e: Vec<[f64; 3]> = [1024, 2048, 4096, 8192].map(|n| errors(&*method, n)).to_vec();
        for i in 0..3 {
            let orders: Vec<String> = e.windows(2).map(|e| format!("{:.2}", (e[0][i] / e[1][i]).log2())).collect();
            println!("{name:20} {} {:?} {:.1e}", ["q", "v", "l"][i], orders, e[3][i]);
        }
    }
}
