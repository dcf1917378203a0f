//! Runs of the implicit formulas: start, steps, failures.

use std::ops::ControlFlow;

use mbsbench_problem::{
    AcceptedStep, Counted, CountedDae, Failure, Further, Method, Observer, Run, Solution, Stepping, Task,
};

use super::history::{History, Solved};
use super::newton::{Solver, Unknowns};
use super::scheme::Scheme;
use super::settings::{InitialDerivatives, Options};
use crate::hermite::Slopes;
use crate::newton::Keeper;
use crate::stepper::finite;

/// Solves `task` with `scheme`.
pub fn solve(
    method: &dyn Method,
    options: &Options,
    scheme: impl Scheme,
    mut problem: Counted<'_>,
    task: &Task<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    if let Err(failure) = task.check_for(method, &mut problem) {
        return Solution::refused(&problem, task, failure);
    }
    let solved = problem.with_dae(|dae| {
        let run = Run::new(dae, task, observer);
        let steps = Steps::new(*options, scheme, &run);
        run.solve(steps)
    });
    solved.unwrap_or_else(|unsuitable| Solution::refused(&problem, task, unsuitable.into()))
}

/// Steps of a scheme.
struct Steps<C> {
    scheme: C,
    options: Options,
    keeper: Keeper,
    history: History,
    unknowns: Unknowns,
    chart: Vec<f64>,
    next_chart: Vec<f64>,
    state: Vec<f64>,
    end: Vec<f64>,
}

impl<C: Scheme> Steps<C> {
    fn new(options: Options, scheme: C, run: &Run<'_, &mut CountedDae<'_>>) -> Self {
        let (n, m) = (run.problem.differential(), run.problem.algebraic());
        Self {
            history: History::new(scheme.depth(), n, m),
            unknowns: Unknowns::new(n, m, run.observer.watches_newton_matrices()),
            chart: vec![0.0; run.problem.chart_length()],
            next_chart: vec![0.0; run.problem.chart_length()],
            state: run.task.initial.to_vec(),
            end: run.task.initial.to_vec(),
            keeper: Keeper::new(options.jacobian),
            scheme,
            options,
        }
    }
}

impl<'d, 'c, C: Scheme> Stepping<&'d mut CountedDae<'c>> for Steps<C> {
    /// Initialises the chart, local coordinates and derivatives.
    fn begin(&mut self, run: &mut Run<'_, &'d mut CountedDae<'c>>) -> Result<(), Failure> {
        let Self { chart, history, .. } = self;
        let Solved { y, rates } = history.newest_mut();
        run.problem.locate(run.task.initial, chart, y);
        match self.options.initial {
            InitialDerivatives::Zero => run.problem.kinematic(chart, y, rates),
            InitialDerivatives::Consistent => {
                run.check_budget(1)?;
                run.problem.consistent(run.t, chart, y, rates)?;
            }
        }
        finite(run.t, rates)?;
        self.scheme.begin(history);
        Ok(())
    }

    fn attempt(&mut self, run: &mut Run<'_, &'d mut CountedDae<'c>>) -> Result<Option<f64>, Failure> {
        let Self { scheme, options, keeper, history, unknowns, chart, next_chart, end, .. } = self;
        let (t_end, h) = run.constant_step();
        let mut solver = Solver {
            dae: &mut *run.problem,
            options: *options,
            settings: run.task.settings,
            chart,
            next_chart,
            unknowns,
            keeper,
            t: run.t,
            t_end,
            observer: &mut *run.observer,
        };
        scheme.step(&mut solver, history, h)?;
        run.problem.state(chart, &history.newest().y, end);
        finite(run.t, end)?;
        Ok(Some(t_end))
    }

    /// Shows a step. States inside it are given by the cubic through `y` and `y'` at both ends, whose error is O(h⁴)
    /// if `y'` is of order three or more, and smaller than the error of the formulas of order two. No evaluation is
    /// needed.
    #[inline(always)]
    fn observe(&mut self, problem: &mut &'d mut CountedDae<'c>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        let Self { history, scheme, chart, state, end, .. } = self;
        let (first, last) = (history.point(scheme.points()), history.newest());
        // The memory is free: Newton's method initialises it in the next step.
        let scratch = &mut self.unknowns.y;
        let further = Further { multipliers: &last.rates[scratch.len()..], ..Further::default() };
        let (t_start, h) = (step.t_start, step.t_end - step.t_start);
        step.observe(state, end, further, |t, state| {
            let s = (t - t_start) / h;
            for (i, y) in scratch.iter_mut().enumerate() {
                *y = Slopes::new(h, (first.y[i], first.rates[i]), (last.y[i], last.rates[i])).value(s);
            }
            problem.state(chart, scratch, state);
            Ok(())
        })
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.state, &mut self.end]
    }
}
