//! Instructions per step, to be counted by an instrumenting tool:
//!
//! ```text
//! cargo build --release --example instructions -p mbsbench-integrators
//! for who in dopri5 dopri5-theirs dop853 dop853-theirs; do
//!   valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/instructions $who 10
//!   valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/instructions $who 1010
//! done
//! ```
//!
//! The difference between two spans, divided by the difference of the steps printed, is free of start-up cost.
//! Both codes run the pendulum at tolerances of 1e-8 and make the same steps.
#![expect(clippy::print_stdout, reason = "the numbers are what the example is for")]

use mbsbench_integrators::{Dop853, Dopri5};
use mbsbench_problem::{AsOde, Counted, Method, MethodDefinition, OdeModel, Scalar, Settings, Silent, Task};
use ode_solvers::{OutputType, System, Vector2};

/// θ'' = −(3 g / 2 l) sin θ with l = 1 m.
struct Pendulum;

impl OdeModel for Pendulum {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        dydt[0] = y[1];
        dydt[1] = y[0].sin() * (-1.5 * 9.81);
    }
}

impl System<f64, Vector2<f64>> for Pendulum {
    fn system(&self, t: f64, y: &Vector2<f64>, dydt: &mut Vector2<f64>) {
        self.rhs(t, y.as_slice(), dydt.as_mut_slice());
    }
}

const TOLERANCE: f64 = 1e-8;

fn ours(method: &dyn Method, t_end: f64) -> (u64, u64) {
    let initial = [20f64.to_radians(), 1.0];
    let settings = Settings::tolerance(TOLERANCE, TOLERANCE);
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    let statistics = method.solve(Counted::new(&mut AsOde(&Pendulum)), &task, &mut Silent).statistics;
    (statistics.steps_accepted, statistics.rhs_evaluations)
}

macro_rules! theirs {
    ($solver:ident, $t_end:expr) => {{
        let initial = Vector2::new(20f64.to_radians(), 1.0);
        let mut solver = ode_solvers::$solver::new(Pendulum, 0.0, $t_end, 0.0, initial, TOLERANCE, TOLERANCE);
        solver.set_output(OutputType::Sparse);
        let statistics = solver.integrate().expect("the pendulum is not stiff");
        (u64::from(statistics.accepted_steps), u64::from(statistics.num_eval))
    }};
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let who = arguments.next().unwrap_or_else(|| "dopri5".to_owned());
    let t_end: f64 = arguments.next().and_then(|t| t.parse().ok()).unwrap_or(10.0);
    let (steps, evaluations) = match who.as_str() {
        "dopri5" => ours(&*Dopri5::default().method(), t_end),
        "dop853" => ours(&*Dop853::default().method(), t_end),
        "dopri5-theirs" => theirs!(Dopri5, t_end),
        "dop853-theirs" => theirs!(Dop853, t_end),
        other => {
            println!("unknown: {other}; there are dopri5, dop853, dopri5-theirs, dop853-theirs");
            return;
        }
    };
    println!("{who} to t = {t_end}: {steps} steps, {evaluations} evaluations");
}
