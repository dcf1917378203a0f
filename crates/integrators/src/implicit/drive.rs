//! A run: start, the grid of steps, the observer, failures.

use std::ops::ControlFlow;

use mbsbench_problem::{
    Counted, CountedDae, Failure, Interpolant, Method, Observer, Solution, Statistics, Step, StepControl, Task,
};

use super::history::{History, Solved};
use super::newton::{Limits, Solver, Unknowns};
use super::scheme::Scheme;
use super::settings::{Charts, InitialDerivatives};
use crate::grid::Grid;

/// What of a method the run itself depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Largest L2 norm of the residual.
    pub tolerance: f64,
    /// Most iterations at a point.
    pub iterations: u32,
    /// Derivatives at the start.
    pub initial: InitialDerivatives,
    /// Where local coordinates are centred.
    pub charts: Charts,
}

/// Where a run has come to.
struct Reached {
    t: f64,
    state: Vec<f64>,
    steps: u64,
}

/// Solves `task` with `scheme`.
pub fn solve(
    method: &dyn Method,
    plan: &Plan,
    mut scheme: impl Scheme,
    mut problem: Counted<'_>,
    task: &Task<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    let mut reached = Reached { t: task.t_start, state: task.initial.to_vec(), steps: 0 };
    let failure = match check(method, &mut problem, task) {
        Err(failure) => Some(failure),
        Ok(grid) => {
            observer.start(task.t_start, task.initial);
            grid.and_then(|grid| {
                let run = |dae: &mut CountedDae<'_>| run(plan, &mut scheme, dae, task, grid, observer, &mut reached);
                problem.with_dae(run).unwrap_or_else(|unsuitable| Err(not_applicable(unsuitable))).err()
            })
        }
    };
    let statistics = Statistics { steps_accepted: reached.steps, ..problem.statistics() };
    Solution { t_reached: reached.t, state: reached.state, statistics, failure }
}

/// The solution of a task that is refused before anything is evaluated.
pub fn refused(reason: String, problem: &Counted<'_>, task: &Task<'_>) -> Solution {
    let failure = Some(Failure::NotApplicable { reason });
    Solution { t_reached: task.t_start, state: task.initial.to_vec(), statistics: problem.statistics(), failure }
}

fn not_applicable(reason: impl ToString) -> Failure {
    Failure::NotApplicable { reason: reason.to_string() }
}

/// What makes the task impossible before the first step; the grid otherwise, if there are steps to be made.
fn check(method: &dyn Method, problem: &mut Counted<'_>, task: &Task<'_>) -> Result<Option<Grid<f64>>, Failure> {
    task.check(problem, false)?;
    problem.suits(method).map_err(not_applicable)?;
    let StepControl::Fixed { step } = task.settings.control else { return Ok(None) };
    let grid = || Grid::new(task.settings.clock, task.t_start, task.t_end, step);
    Ok((task.t_end > task.t_start).then(grid))
}

/// All steps of a run.
fn run(
    plan: &Plan,
    scheme: &mut impl Scheme,
    dae: &mut CountedDae<'_>,
    task: &Task<'_>,
    grid: Grid<f64>,
    observer: &mut dyn Observer,
    reached: &mut Reached,
) -> Result<(), Failure> {
    let limits = Limits {
        tolerance: plan.tolerance,
        iterations: plan.iterations,
        residual_evaluations: task.settings.max_rhs_evaluations,
    };
    let (n, m) = (dae.differential(), dae.algebraic());
    let mut history = History::new(scheme.depth(), n, m);
    let mut unknowns = Unknowns::new(n, m, observer.watches_newton_matrices());
    let mut chart = vec![0.0; dae.chart_length()];
    let mut next_chart = chart.clone();
    start(plan.initial, limits.residual_evaluations, dae, task, &mut chart, history.newest_mut())?;
    scheme.begin(&history);
    let watched = observer.watches();
    let (mut end, mut scratch) = (reached.state.clone(), vec![0.0; n]);
    for (t_end, h) in grid {
        let (time, limit) = (reached.t, task.settings.max_steps);
        if reached.steps >= limit {
            return Err(Failure::BudgetExhausted { time, counter: "steps_accepted + steps_rejected", limit });
        }
        let (chart, next_chart, unknowns) = (&mut chart, &mut next_chart, &mut unknowns);
        let observed = &mut *observer;
        let mut solver = Solver {
            dae: &mut *dae,
            charts: plan.charts,
            chart,
            next_chart,
            unknowns,
            t: time,
            t_end,
            limits,
            observer: observed,
        };
        scheme.step(&mut solver, &mut history, h)?;
        dae.state(chart, &history.newest().y, &mut end);
        if !end.iter().all(|x| x.is_finite()) {
            return Err(Failure::NonFinite { time });
        }
        reached.steps += 1;
        let seen = if watched {
            let ends = [history.point(scheme.points()), history.newest()];
            let made = Made { t_start: time, start: &reached.state, t_end, end: &end, ends };
            made.show(observer, reached.steps, dae, chart, &mut scratch)
        } else {
            ControlFlow::Continue(())
        };
        reached.t = t_end;
        std::mem::swap(&mut reached.state, &mut end);
        if let ControlFlow::Break(failure) = seen {
            return Err(failure);
        }
    }
    Ok(())
}

/// Chart, local coordinates and derivatives at the initial state.
fn start(
    initial: InitialDerivatives,
    limit: u64,
    dae: &mut CountedDae<'_>,
    task: &Task<'_>,
    chart: &mut [f64],
    Solved { y, rates }: &mut Solved,
) -> Result<(), Failure> {
    let time = task.t_start;
    dae.locate(task.initial, chart, y);
    match initial {
        InitialDerivatives::Zero => dae.kinematic(chart, y, rates),
        InitialDerivatives::Consistent if limit == 0 => {
            return Err(Failure::BudgetExhausted { time, counter: "rhs_evaluations", limit });
        }
        InitialDerivatives::Consistent => dae.consistent(time, chart, y, rates)?,
    }
    if rates.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Failure::NonFinite { time }) }
}

/// A step that has been made.
struct Made<'m> {
    t_start: f64,
    start: &'m [f64],
    t_end: f64,
    end: &'m [f64],
    /// Both ends as solved, in one chart.
    ends: [&'m Solved; 2],
}

impl Made<'_> {
    /// Shows the step.
    fn show(
        &self,
        observer: &mut dyn Observer,
        index: u64,
        dae: &CountedDae<'_>,
        chart: &[f64],
        scratch: &mut [f64],
    ) -> ControlFlow<Failure> {
        let &Self { t_start, start, t_end, end, ends } = self;
        let multipliers = &ends[1].rates[scratch.len()..];
        let mut within = Hermite { made: self, dae, chart, scratch };
        observer.step(&mut Step {
            index,
            t_start,
            start,
            t_end,
            end,
            before_projection: end,
            multipliers,
            switched: &[],
            event_residual: None,
            error_estimate: &[],
            within: &mut within,
        })
    }
}

/// The state inside a step: the cubic through `y` and `y'` at both ends. It is off by O(h⁴) where `y'` is of order three or
/// more, and by less than the formulas of order two are; no evaluation is needed.
struct Hermite<'h, 'd> {
    made: &'h Made<'h>,
    dae: &'h CountedDae<'d>,
    chart: &'h [f64],
    scratch: &'h mut [f64],
}

impl Interpolant for Hermite<'_, '_> {
    fn state_at(&mut self, t: f64, state: &mut [f64]) -> Result<(), Failure> {
        let &Made { t_start, start, t_end, end, ends: [first, last] } = self.made;
        if t == t_start {
            state.copy_from_slice(start);
            return Ok(());
        }
        if t == t_end {
            state.copy_from_slice(end);
            return Ok(());
        }
        let h = t_end - t_start;
        let s = (t - t_start) / h;
        for (i, y) in self.scratch.iter_mut().enumerate() {
            let (rise, slope, end_slope) = ((last.y[i] - first.y[i]) / h, first.rates[i], last.rates[i]);
            // y = y₀ + h s (y'₀ + s (3 rise − 2 y'₀ − y'₁ + s (y'₀ + y'₁ − 2 rise)))
            let (square, cube) = (3.0 * rise - 2.0 * slope - end_slope, slope + end_slope - 2.0 * rise);
            *y = first.y[i] + h * s * (slope + s * (square + s * cube));
        }
        self.dae.state(self.chart, self.scratch, state);
        Ok(())
    }
}
