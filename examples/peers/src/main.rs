//! One solution by one of the compared programs: `peers PROBLEM SOLVER TOLERANCE`. `scripts/peers.sh` counts the
//! instructions of the functions named `solve_counted`.

use std::error::Error;

use diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, OdeEquations, OdeSolverMethod, VectorCommon};
use mbsbench_integrators::{Dop853, Dopri5, Ode15s};
use mbsbench_models::squeezer::{SqueezerAngles, SqueezerEquations};
use mbsbench_models::{Squeezer, SqueezerStart};
use mbsbench_problem::{
    AccelerationLevel, Counted, Failure, MechanicsOf, Method, MethodDefinition, Ode, Properties, Settings, Silent,
    Solution, Task,
};
use nalgebra::DMatrix;

/// Equations with derivatives, the same for every program.
#[derive(Clone, Copy)]
enum Equations {
    /// Robertson's reaction.
    Robertson,
    /// Van der Pol's oscillator with μ = 1000.
    VanDerPol,
    /// The heat equation with a source, discretised by differences at this number of points.
    Heat(usize),
}

impl Equations {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "robertson" => Self::Robertson,
            "van-der-pol" => Self::VanDerPol,
            _ => Self::Heat(name.strip_prefix("heat-")?.parse().ok()?),
        })
    }

    fn initial(self) -> Vec<f64> {
        match self {
            Self::Robertson => vec![1.0, 0.0, 0.0],
            Self::VanDerPol => vec![2.0, 0.0],
            Self::Heat(n) => (1..=n).map(|i| (std::f64::consts::PI * i as f64 / (n + 1) as f64).sin()).collect(),
        }
    }

    fn t_end(self) -> f64 {
        match self {
            Self::Robertson => 4e10,
            Self::VanDerPol => 2000.0,
            Self::Heat(_) => 1.0,
        }
    }

    /// The absolute tolerance for a relative one.
    fn absolute(self, tolerance: f64) -> f64 {
        if matches!(self, Self::Robertson) { 1e-6 * tolerance } else { tolerance }
    }

    fn rate(self, t: f64, y: &[f64], dydt: &mut [f64]) {
        match self {
            Self::Robertson => {
                dydt[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                dydt[2] = 3e7 * y[1] * y[1];
                dydt[1] = -dydt[0] - dydt[2];
            }
            Self::VanDerPol => (dydt[0], dydt[1]) = (y[1], 1000.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]),
            Self::Heat(n) => {
                let (stiffness, source) = (((n + 1) * (n + 1)) as f64, t.sin() / (n + 1) as f64);
                for i in 0..n {
                    let left = if i > 0 { y[i - 1] } else { 0.0 };
                    let right = if i + 1 < n { y[i + 1] } else { 0.0 };
                    dydt[i] = (left - 2.0 * y[i] + right) * stiffness + source * (i + 1) as f64;
                }
            }
        }
    }

    /// `J v` at a state.
    fn along(self, y: &[f64], v: &[f64], product: &mut [f64]) {
        match self {
            Self::Robertson => {
                product[0] = -0.04 * v[0] + 1e4 * (v[1] * y[2] + y[1] * v[2]);
                product[2] = 6e7 * y[1] * v[1];
                product[1] = -product[0] - product[2];
            }
            Self::VanDerPol => {
                product[0] = v[1];
                product[1] = 1000.0 * ((1.0 - y[0] * y[0]) * v[1] - 2.0 * y[0] * y[1] * v[0]) - v[0];
            }
            Self::Heat(_) => {
                // linear: without the source, which is zero at t = 0
                self.rate(0.0, v, product);
            }
        }
    }
}

impl Ode for Equations {
    fn dimension(&self) -> usize {
        self.initial().len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        self.rate(t, y, dydt);
        Ok(())
    }

    fn properties(&self) -> Properties<'_> {
        Properties { has_jacobian: true, is_autonomous: !matches!(self, Self::Heat(_)), ..Properties::default() }
    }

    fn time_derivative(&mut self, t: f64, _y: &[f64], rate: &mut [f64]) -> Result<(), Failure> {
        rate.fill(0.0);
        if let Self::Heat(n) = self {
            rate.iter_mut().enumerate().for_each(|(i, rate)| *rate = t.cos() * (i + 1) as f64 / (*n + 1) as f64);
        }
        Ok(())
    }

    /// Computed column by column from products, like diffsol's.
    fn jacobian(&mut self, _t: f64, y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        let mut unit = vec![0.0; y.len()];
        for (j, mut column) in jacobian.column_iter_mut().enumerate() {
            unit[j] = 1.0;
            self.along(y, &unit, column.as_mut_slice());
            unit[j] = 0.0;
        }
        Ok(())
    }
}

/// A pendulum of 1 m. All programs know the function at compile time, as their users' programs would.
struct Pendulum;

fn pendulum(_t: f64, y: &[f64], dydt: &mut [f64]) {
    if let ([angle, speed], [by_angle, by_speed]) = (y, dydt) {
        (*by_angle, *by_speed) = (*speed, -9.81 * angle.sin());
    }
}

impl Ode for Pendulum {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        pendulum(t, y, dydt);
        Ok(())
    }
}

/// Solves with one of our methods.
#[inline(never)]
fn solve_counted(method: &dyn Method, equations: &mut dyn Ode, task: &Task<'_>) -> Solution {
    method.solve(Counted::new(equations), task, &mut Silent)
}

/// Returns the final state of a solution by one of our methods.
fn by_ours(method: &dyn Method, equations: &mut dyn Ode, initial: &[f64], t_end: f64, settings: Settings) -> End {
    let task = Task { t_start: 0.0, t_end, initial, settings };
    let Solution { state, failure, .. } = solve_counted(method, equations, &task);
    match failure {
        Some(failure) => Err(failure.into()),
        None => Ok(state),
    }
}

/// The final state.
type End = Result<Vec<f64>, Box<dyn Error>>;

mod diffsols {
    use super::*;

    #[inline(never)]
    fn solve_counted<'a, E, S>(solver: &mut S, t_end: f64) -> End
    where
        E: OdeEquations<T = f64, V = diffsol::NalgebraVec<f64>> + 'a,
        S: OdeSolverMethod<'a, E>,
    {
        solver.set_stop_time(t_end)?;
        while solver.state().t < t_end {
            solver.step()?;
        }
        Ok(solver.state().y.inner().as_slice().to_vec())
    }

    /// Solves with diffsol's BDF and dense matrices of nalgebra.
    pub fn solve(equations: Equations, tolerance: f64) -> End {
        let initial = equations.initial();
        let n = initial.len();
        let problem = OdeBuilder::<NalgebraMat<f64>>::new()
            .rtol(tolerance)
            .atol(vec![equations.absolute(tolerance); n])
            .rhs_implicit(
                move |y, _p, t, dydt| equations.rate(t, y, dydt),
                move |y, _p, _t, v, product| equations.along(y, v, product),
            )
            .init(move |_p, _t, y| y.copy_from_slice(&initial), n)
            .build()?;
        let mut solver = problem.bdf::<NalgebraLU<f64>>()?;
        solve_counted(&mut solver, equations.t_end())
    }
}

mod ode_solverss {
    use super::End;
    use ode_solvers::dop_shared::OutputType;
    use ode_solvers::{SVector, System};

    /// Equations of `N` unknowns in the form that ode_solvers requires.
    pub struct Right<F>(pub F);

    impl<F: Fn(f64, &[f64], &mut [f64]), const N: usize> System<f64, SVector<f64, N>> for Right<F> {
        fn system(&self, t: f64, y: &SVector<f64, N>, dydt: &mut SVector<f64, N>) {
            (self.0)(t, y.as_slice(), dydt.as_mut_slice());
        }
    }

    #[inline(never)]
    fn solve_counted(integrate: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        integrate()
    }

    /// Solves with DOPRI5 or DOP853, with the settings of the published codes, which ours use as well, and without
    /// intermediate output.
    pub fn solve<const N: usize>(
        right: impl Fn(f64, &[f64], &mut [f64]),
        initial: &[f64],
        t_end: f64,
        tolerance: f64,
        dop853: bool,
    ) -> End {
        let (y, right) = (SVector::<f64, N>::from_column_slice(initial), Right(right));
        let (beta, least, most) = if dop853 { (0.0, 0.333, 6.0) } else { (0.04, 0.2, 10.0) };
        macro_rules! by {
            ($solver:ident) => {{
                let mut solver = ode_solvers::$solver::from_param(
                    right,
                    0.0,
                    t_end,
                    t_end,
                    y,
                    tolerance,
                    tolerance,
                    0.9,
                    beta,
                    least,
                    most,
                    t_end,
                    0.0,
                    100_000,
                    1000,
                    OutputType::Sparse,
                );
                solve_counted(|| solver.integrate().map(|_| ()).map_err(|error| error.to_string()))?;
                solver.y_out().last().map(|y| y.as_slice().to_vec()).ok_or_else(|| "no end".into())
            }};
        }
        if dop853 { by!(Dop853) } else { by!(Dopri5) }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [problem, solver, tolerance] = &arguments[..] else { return Err("peers PROBLEM SOLVER TOLERANCE".into()) };
    let tolerance: f64 = tolerance.parse()?;
    let method: Option<Box<dyn Method>> = match solver.as_str() {
        "ode15s" => Some(Ode15s::default().method()),
        "dopri5" => Some(Dopri5::default().method()),
        "dop853" => Some(Dop853::default().method()),
        _ => None,
    };
    let is_dop853 = solver == "ode_solvers-dop853";
    let end = if problem == "squeezer" {
        let model = SqueezerAngles(Squeezer { start: SqueezerStart::TestSet, ..Squeezer::default() });
        let initial = model.initial::<f64>();
        let mut ode = AccelerationLevel::new(MechanicsOf::new(&model));
        match method {
            Some(method) => by_ours(&*method, &mut ode, &initial, 0.03, Settings::tolerance(tolerance, tolerance))?,
            None => {
                let ode = std::cell::RefCell::new(ode);
                let right = |t: f64, y: &[f64], dydt: &mut [f64]| ode.borrow_mut().rhs(t, y, dydt).expect("regular");
                ode_solverss::solve::<14>(right, &initial, 0.03, tolerance, is_dop853)?
            }
        }
    } else if problem == "pendulum" {
        let (initial, t_end, settings) = ([1.5, 0.0], 10.0, Settings::tolerance(tolerance, tolerance));
        match method {
            Some(method) => by_ours(&*method, &mut Pendulum, &initial, t_end, settings)?,
            None => ode_solverss::solve::<2>(pendulum, &initial, t_end, tolerance, is_dop853)?,
        }
    } else {
        let mut equations = Equations::named(problem).ok_or("no such problem")?;
        let (initial, t_end) = (equations.initial(), equations.t_end());
        match method {
            Some(method) => {
                let settings = Settings::tolerance(tolerance, equations.absolute(tolerance));
                by_ours(&*method, &mut equations, &initial, t_end, settings)?
            }
            None => diffsols::solve(equations, tolerance)?,
        }
    };
    println!("{:?}", &end[..end.len().min(3)]);
    Ok(())
}
