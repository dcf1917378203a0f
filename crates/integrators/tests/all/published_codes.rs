//! Steps and evaluations equal those of the published codes DOPRI5 and DOP853, represented by the crate `ode_solvers`,
//! which follows them.

use mbsbench_integrators::{Dop853, Dopri5};
use mbsbench_problem::{Counted, Method, MethodDefinition, Ode, Settings, Silent, Solution, Task};
use ode_solvers::OutputType;
use ode_solvers::{System, Vector2, Vector4};

/// The pendulum θ'' = −(3 g / 2 l) sin θ of compere2001.
struct Pendulum;

impl Pendulum {
    fn derivative(y: &[f64], dydt: &mut [f64]) {
        dydt[0] = y[1];
        dydt[1] = -1.5 * 9.81 * y[0].sin();
    }
}

/// The restricted three-body problem (Arenstorf orbit), whose step sizes vary by orders of magnitude and which
/// makes every controller reject steps. Hairer, Nørsett, Wanner, Solving ODEs I, equation (0.1).
struct Arenstorf;

impl Arenstorf {
    const INITIAL: [f64; 4] = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    const PERIOD: f64 = 17.065_216_560_157_964;

    fn derivative(y: &[f64], dydt: &mut [f64]) {
        let mu = 0.012_277_471;
        let (moon, earth) = (y[0] + mu, y[0] - (1.0 - mu));
        let d1 = (moon * moon + y[1] * y[1]).powf(1.5);
        let d2 = (earth * earth + y[1] * y[1]).powf(1.5);
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = y[0] + 2.0 * y[3] - (1.0 - mu) * moon / d1 - mu * earth / d2;
        dydt[3] = y[1] - 2.0 * y[2] - (1.0 - mu) * y[1] / d1 - mu * y[1] / d2;
    }
}

macro_rules! problem {
    ($type:ident, $vector:ident, $dimension:literal) => {
        impl System<f64, $vector<f64>> for $type {
            fn system(&self, _t: f64, y: &$vector<f64>, dydt: &mut $vector<f64>) {
                Self::derivative(y.as_slice(), dydt.as_mut_slice());
            }
        }
        impl Ode for $type {
            fn dimension(&self) -> usize {
                $dimension
            }
            fn rhs(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), mbsbench_problem::Failure> {
                Self::derivative(y, dydt);
                Ok(())
            }
        }
    };
}
problem!(Pendulum, Vector2, 2);
problem!(Arenstorf, Vector4, 4);

fn ours(method: &dyn Method, ode: &mut dyn Ode, initial: &[f64], t_end: f64, (rel, abs): (f64, f64)) -> Solution {
    let task = Task { t_start: 0.0, t_end, initial, settings: Settings::tolerance(rel, abs) };
    let solution = method.solve(Counted::new(ode), &task, &mut Silent);
    assert_eq!(solution.failure, None);
    solution
}

/// Solves with both crates and compares steps and evaluations.
///
/// `ode_solvers` evaluates the initial derivative twice (for the first step, and again for the first stage), which the
/// Fortran codes do not; its DOP853 also evaluates the derivative at the very end. Neither is needed. It does not count
/// rejections before the first accepted step; they are derived from the evaluations.
macro_rules! compare {
    (
        $solver:ident, $method:expr, $per_attempt:expr, $unneeded:expr, $type:ident, $vector:ident, $initial:expr,
        $t_end:expr
    ) => {
        for (rel, abs) in [(1e-4, 1e-6), (1e-6, 1e-6), (1e-8, 1e-8), (1e-10, 1e-12), (1e-12, 1e-12)] {
            let initial = $initial;
            let mut theirs = ode_solvers::$solver::from_param(
                $type,
                0.0,
                $t_end,
                0.0,
                $vector::from_row_slice(&initial),
                rel,
                abs,
                0.9,
                $per_attempt.1,
                $per_attempt.2,
                $per_attempt.3,
                $t_end,
                0.0,
                100_000,
                u32::MAX,
                OutputType::Sparse,
            );
            let counts = theirs.integrate().expect("the published code solves this");
            let ours = ours(&*$method.method(), &mut $type, &initial, $t_end, (rel, abs));
            let context = format!("{} at {rel:e}", stringify!($type));
            let statistics = ours.statistics;
            assert_eq!(statistics.steps_accepted, u64::from(counts.accepted_steps), "{context}");
            assert_eq!(statistics.rhs_evaluations + $unneeded, u64::from(counts.num_eval), "{context}");
            let last = theirs.y_out().last().expect("there are steps");
            let difference = last.iter().zip(&ours.state).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            println!(
                "{context}: {} steps, {} rejected, {} evaluations, end states differ by {difference:e}",
                statistics.steps_accepted, statistics.steps_rejected, statistics.rhs_evaluations
            );
        }
    };
}

#[test]
fn dopri5_makes_the_published_steps() {
    let settings = (6, 0.04, 0.2, 10.0);
    compare!(Dopri5, Dopri5::default(), settings, 1, Pendulum, Vector2, [20f64.to_radians(), 1.0], 20.0);
    compare!(Dopri5, Dopri5::default(), settings, 1, Arenstorf, Vector4, Arenstorf::INITIAL, Arenstorf::PERIOD);
}

#[test]
fn dop853_makes_the_published_steps() {
    let settings = (11, 0.0, 0.333, 6.0);
    compare!(Dop853, Dop853::default(), settings, 2, Pendulum, Vector2, [20f64.to_radians(), 1.0], 20.0);
    compare!(Dop853, Dop853::default(), settings, 2, Arenstorf, Vector4, Arenstorf::INITIAL, Arenstorf::PERIOD);
}
