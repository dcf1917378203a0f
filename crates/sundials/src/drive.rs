//! The library's steps: events, counters, observation.

use std::ops::ControlFlow;

use mbsbench_problem::{
    Counted, Counts, EventFunctions, Failure, Further, Made, Observer, Run, Solution, Statistics, StepControl,
    Stepping, Task,
};

use crate::callbacks::Counters;
use crate::cvode::{self, Formula};
use crate::definitions::{Kind, Sundials};
use crate::equations::{Equations, sizes};
use crate::ida;
use crate::objects::Reached;
use crate::settings::{Iteration, Jacobian};

/// What CVODE and IDA have in common, on a problem of ours.
trait Engine<'p> {
    /// See [`cvode::Solver::step`].
    fn step(&mut self) -> Result<Reached, Failure>;
    /// See [`cvode::Solver::state`].
    fn state(&self) -> &[f64];
    /// See [`cvode::Solver::found_roots`].
    fn collect_roots(&self, roots: &mut Vec<usize>);
    /// See [`cvode::Solver::state_within`].
    fn state_within(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure>;
    /// See [`cvode::Solver::restart`].
    fn restart(&mut self, t: f64, y: &[f64]) -> Result<(), Failure>;
    /// See [`cvode::Solver::counters`].
    fn counters(&self) -> Counters;
    /// See [`cvode::Solver::with_equations`].
    fn equations(&self, work: &mut dyn FnMut(&mut Equations<'p>));
}

impl<'p> Engine<'p> for cvode::Solver<Equations<'p>> {
    fn step(&mut self) -> Result<Reached, Failure> {
        self.step()
    }
    fn state(&self) -> &[f64] {
        self.state()
    }
    fn collect_roots(&self, roots: &mut Vec<usize>) {
        roots.extend(self.found_roots());
    }
    fn state_within(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        self.state_within(t, y)
    }
    fn restart(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.restart(t, y)
    }
    fn counters(&self) -> Counters {
        self.counters()
    }
    fn equations(&self, work: &mut dyn FnMut(&mut Equations<'p>)) {
        self.with_equations(work);
    }
}

impl<'p> Engine<'p> for ida::Solver<Equations<'p>> {
    fn step(&mut self) -> Result<Reached, Failure> {
        self.step()
    }
    fn state(&self) -> &[f64] {
        self.state()
    }
    fn collect_roots(&self, roots: &mut Vec<usize>) {
        roots.extend(self.found_roots());
    }
    fn state_within(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        self.state_within(t, y)
    }
    fn restart(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let mut rate = vec![0.0; y.len()];
        self.with_equations(|equations| equations.evaluate(t, y, &mut rate))?;
        self.restart(t, y, &rate)
    }
    fn counters(&self) -> Counters {
        self.counters()
    }
    fn equations(&self, work: &mut dyn FnMut(&mut Equations<'p>)) {
        self.with_equations(work);
    }
}

/// A solver at work on a problem of ours.
struct Library<'p> {
    engine: Box<dyn Engine<'p> + 'p>,
    has_newton: bool,
}

impl Counts for Library<'_> {
    fn statistics(&self) -> Statistics {
        let counters = self.engine.counters();
        let mut statistics = Statistics::default();
        self.engine.equations(&mut |equations| statistics = equations.statistics());
        let newton_iterations = if self.has_newton { counters.iterations } else { 0 };
        Statistics {
            convergence_failures: counters.convergence_failures,
            // The library's own difference quotients go through the same function as everything else. It counts the
            // one, too, that is refused since the budget is used up.
            rhs_evaluations: statistics.rhs_evaluations.saturating_sub(counters.calls_for_jacobians),
            jacobian_rhs_evaluations: statistics.jacobian_rhs_evaluations + counters.calls_for_jacobians,
            jacobian_evaluations: counters.jacobians,
            factorizations: counters.factorizations,
            newton_iterations,
            // Each iteration solves once.
            linear_solves: newton_iterations,
            ..statistics
        }
    }
}

/// Solves `task`; see [`Method::solve`](mbsbench_problem::Method::solve).
pub fn solve(method: &Sundials, mut problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
    let tolerances = match check(method, &mut problem, task) {
        Ok(tolerances) => tolerances,
        Err(failure) => return Solution::refused(&problem, task, failure),
    };
    let differences = (method.increment, tolerances.typical.clone());
    let equations = Equations::new(problem, method.jacobian, differences, task.settings, task.t_start);
    let mut run = Run::new(equations, task, observer);
    if task.t_end <= task.t_start {
        return run.stop(None);
    }
    let mut rate = vec![0.0; task.initial.len()];
    if method.kind == Kind::Ida
        && let Err(failure) = run.problem.evaluate(task.t_start, task.initial, &mut rate)
    {
        return run.stop(Some(failure));
    }
    run.solve_as(|equations| {
        let engine = match method.kind {
            Kind::Ida => tolerances.ida(method, equations, task, &rate),
            Kind::CvodeBdf | Kind::CvodeAdams(_) => tolerances.cvode(method, equations, task),
        };
        Ok((Library { engine: engine?, has_newton: method.kind.has_newton() }, Steps::new(task)))
    })
}

/// The tolerances of a task for each component.
struct Tolerances {
    rel: f64,
    abs: Vec<f64>,
    initial_step: Option<f64>,
    max_step: Option<f64>,
    /// Least sizes for the increments of difference quotients.
    typical: Vec<f64>,
}

/// What makes the task impossible before the first step; its tolerances otherwise.
fn check(method: &Sundials, problem: &mut Counted<'_>, task: &Task<'_>) -> Result<Tolerances, Failure> {
    task.check_for(method, problem)?;
    let StepControl::Tolerance { rel, abs, initial_step, max_step } = task.settings.control else {
        let reason = "the methods of SUNDIALS choose their steps themselves; give them tolerances".to_owned();
        return Err(Failure::NotApplicable { reason });
    };
    let dimension = problem.dimension();
    let scales = sizes(&method.absolute_scale, dimension, |scales| problem.tolerance_scales(scales))?;
    let typical = sizes(&method.typical, dimension, |sizes| problem.typical_sizes(sizes))?;
    let abs = scales.into_iter().map(|scale| abs * scale).collect();
    Ok(Tolerances { rel, abs, initial_step, max_step, typical })
}

impl Tolerances {
    fn cvode<'p>(
        &self,
        method: &Sundials,
        equations: Equations<'p>,
        task: &Task<'_>,
    ) -> Result<Box<dyn Engine<'p> + 'p>, Failure> {
        let (formula, iteration) = match method.kind {
            Kind::CvodeAdams(iteration) => (Formula::Adams, iteration),
            Kind::CvodeBdf | Kind::Ida => (Formula::BackwardDifferentiation, Iteration::Newton),
        };
        let options = cvode::Options {
            formula,
            iteration,
            max_order: method.max_order,
            own_jacobian: method.jacobian != Jacobian::Internal,
            rel: self.rel,
            abs: &self.abs,
            initial_step: self.initial_step,
            max_step: self.max_step,
            t_stop: task.t_end,
        };
        Ok(Box::new(cvode::Solver::new(equations, task.t_start, task.initial, &options)?))
    }

    fn ida<'p>(
        &self,
        method: &Sundials,
        equations: Equations<'p>,
        task: &Task<'_>,
        rate: &[f64],
    ) -> Result<Box<dyn Engine<'p> + 'p>, Failure> {
        let options = ida::Options {
            max_order: method.max_order,
            own_jacobian: method.jacobian != Jacobian::Internal,
            rel: self.rel,
            abs: &self.abs,
            initial_step: self.initial_step,
            max_step: self.max_step,
            t_stop: task.t_end,
        };
        Ok(Box::new(ida::Solver::new(equations, task.t_start, task.initial, rate, &options)?))
    }
}

/// Steps that the library makes.
struct Steps {
    y: Vec<f64>,
    /// The state that the step under way ends with.
    end: Vec<f64>,
    /// The same before the jumps at it.
    before: Vec<f64>,
    roots: Vec<usize>,
}

impl Steps {
    fn new(task: &Task<'_>) -> Self {
        let state = || task.initial.to_vec();
        Self { y: state(), end: state(), before: state(), roots: Vec::new() }
    }
}

impl<'p> Stepping<Library<'p>> for Steps {
    /// Makes a step, and handles an event at its end. The budget of evaluations is watched by the equations.
    fn attempt(&mut self, run: &mut Run<'_, Library<'p>>) -> Result<Option<f64>, Failure> {
        let Self { end, before, roots, .. } = self;
        let engine = &mut run.problem.engine;
        let reached = engine.step();
        let Counters { error_test_failures, convergence_failures, .. } = engine.counters();
        run.own.steps_rejected = error_test_failures + convergence_failures;
        let reached = reached?;
        end.copy_from_slice(engine.state());
        if !end.iter().all(|x| x.is_finite()) {
            return Err(Failure::NonFinite { time: run.t });
        }
        roots.clear();
        if reached.is_root {
            engine.collect_roots(roots);
            before.copy_from_slice(end);
        }
        let mut jumped = Ok(());
        engine.equations(&mut |equations| {
            if let Ok(mut functions) = equations.problem().events() {
                jumped = roots.iter().try_for_each(|&index| functions.jump(index, reached.t, end));
            }
        });
        jumped.map(|()| Some(reached.t))
    }

    fn show(&mut self, library: &mut Library<'p>, made: Made<'_>) -> ControlFlow<Failure> {
        let roots = &self.roots;
        let before_projection = (!roots.is_empty()).then_some(&self.before[..]);
        let further = Further { before_projection, events: roots, ..Further::default() };
        made.show(&self.y, &self.end, further, |t, y| library.engine.state_within(t, y))
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.y, &mut self.end);
    }

    fn follow(&mut self, run: &mut Run<'_, Library<'p>>) -> Result<(), Failure> {
        let (t, engine, roots) = (run.t, &mut run.problem.engine, &self.roots);
        engine.equations(&mut |equations| equations.accept(t));
        if roots.is_empty() || t >= run.task.t_end {
            return Ok(());
        }
        engine.equations(&mut |equations| equations.begin_at_roots(t, roots));
        engine.restart(t, &self.y)
    }

    fn state(&self) -> &[f64] {
        &self.y
    }
}
