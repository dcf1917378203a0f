//! The library's steps: events, counters, observation.

use std::ops::ControlFlow;

use mbsbench_integrators::events::{Chattering, Sampler};
use mbsbench_integrators::stepper::finite;
use mbsbench_problem::{
    AcceptedStep, Counted, Counts, Failure, Further, Observer, Run, Solution, Statistics, StepControl, Stepping, Task,
};

use crate::constrained::Constrained;
use crate::equations::{Equations, Taken, sizes};
use crate::settings::{Form, Jacobian, LinearSolver, Sundials};
use crate::solver::{Options, Solver};
use crate::systems::Systems;

/// Absolute tolerance of multipliers. Newton's method converges on their effect on positions and velocities, and
/// rounding makes index-3 multipliers scatter as the square of the step goes to zero.
const UNTESTED: f64 = 1e20;
/// The order for which event functions state their tolerances: the largest of BDF.
const ORDER: u32 = 5;

/// A solver working on one of our problems.
struct Library<'p, 'm> {
    solver: Solver<Equations<'p>>,
    method: &'m Sundials,
}

impl Library<'_, '_> {
    /// Adds a possible remedy to the failure.
    fn advised(&self, failure: Failure) -> Failure {
        let Failure::SolverFailed { time, flag, reason } = failure else { return failure };
        let remedy = self.method.remedy(&flag);
        let reason = remedy.map_or_else(|| reason.clone(), |remedy| format!("{reason} {remedy}"));
        Failure::SolverFailed { time, flag, reason }
    }

    /// Starts again from `y` at `t`, s.
    fn restart(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        if !self.method.kind.is_ida() {
            return self.solver.restart(t, (y, &[]));
        }
        let (y, rate) = self.solver.with_equations(|equations| equations.start(t, y, f64::INFINITY))?;
        self.solver.restart(t, (&y, &rate))
    }
}

impl Counts for Library<'_, '_> {
    fn statistics(&self) -> Statistics {
        let counters = self.solver.counters();
        let statistics = self.solver.with_equations(|equations| equations.statistics());
        let newton_iterations = if self.method.kind.has_newton() { counters.newton_iterations } else { 0 };
        Statistics {
            convergence_failures: counters.convergence_failures,
            // The library's own difference quotients call the same function as every other evaluation. It also counts
            // the evaluation that is refused because the budget is used up.
            rhs_evaluations: statistics.rhs_evaluations.saturating_sub(counters.jacobian_rhs_evaluations),
            jacobian_rhs_evaluations: statistics.jacobian_rhs_evaluations + counters.jacobian_rhs_evaluations,
            jacobian_evaluations: counters.jacobian_evaluations,
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
    let prepared =
        check(method, &mut problem, task).and_then(|tolerances| Ok((tolerances, taken(method, &mut problem)?)));
    let (tolerances, taken) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => return Solution::refused(&problem, task, failure),
    };
    let differences = (method.increment, tolerances.typical.clone());
    let equations = Equations::new(problem, (taken, method.kind.is_ida()), differences, task.settings, task.t_start);
    let mut run = Run::new(equations, task, observer);
    if task.t_end <= task.t_start {
        return run.stop(None);
    }
    let start = if method.kind.is_ida() {
        run.problem.start(task.t_start, task.initial, 10.0 * tolerances.largest(task.initial))
    } else {
        Ok((task.initial.to_vec(), Vec::new()))
    };
    let (y, rate) = match start {
        Ok(start) => start,
        Err(failure) => return run.stop(Some(failure)),
    };
    run.solve_as(|mut equations| {
        let (multipliers, problem) = (equations.multipliers(), equations.problem());
        let functions = if problem.properties().has_rhs { problem.functions_to_locate() } else { 0 };
        let solver = tolerances.solver(method, equations, task, (&y, &rate))?;
        Ok((Library { solver, method }, Steps::new(task, multipliers, functions)))
    })
}

/// Selects the form in which the library receives the problem.
fn taken(method: &Sundials, problem: &mut Counted<'_>) -> Result<Taken, Failure> {
    let (jacobian, solver) = (method.jacobian, method.linear_solver);
    if let (Some(form), true) = (method.form(), problem.has_index3()) {
        let systems = match (jacobian.resolved(true), solver) {
            (Jacobian::Exact, LinearSolver::Dense) => Systems::Dense,
            (Jacobian::Exact, _) => Systems::Own,
            _ => Systems::Differences,
        };
        let constrained = Constrained::new(problem, form, systems == Systems::Own)?;
        return Ok(Taken::Constrained(Box::new(constrained), systems));
    }
    let jacobian = jacobian.resolved(method.kind.has_newton() && problem.properties().has_jacobian);
    let has_structure = method.kind.has_newton() && jacobian == Jacobian::Exact && solver != LinearSolver::Dense;
    Ok(match problem.tangent().filter(|_| has_structure) {
        Some(tangent) => Taken::structured(tangent),
        None => Taken::Ordinary(jacobian),
    })
}

/// The tolerances of a task for each component.
struct Tolerances {
    rel: f64,
    abs: Vec<f64>,
    initial_step: Option<f64>,
    max_step: Option<f64>,
    /// Minimum component sizes for the increments of difference quotients.
    typical: Vec<f64>,
}

/// Checks that the task is possible, and returns its tolerances.
fn check(method: &Sundials, problem: &mut Counted<'_>, task: &Task<'_>) -> Result<Tolerances, Failure> {
    task.check_for(method, problem)?;
    let StepControl::Tolerance { rel, abs, initial_step, max_step } = task.settings.control else {
        let reason = "the methods of SUNDIALS choose their own steps; give tolerances instead of a constant step";
        return Err(Failure::NotApplicable { reason: reason.to_owned() });
    };
    let dimension = problem.dimension();
    let scales = sizes(&method.absolute_scale, dimension, |scales| problem.tolerance_scales(scales))?;
    let typical = sizes(&method.typical, dimension, |sizes| problem.typical_sizes(sizes))?;
    let abs = scales.into_iter().map(|scale| abs * scale).collect();
    Ok(Tolerances { rel, abs, initial_step, max_step, typical })
}

impl Tolerances {
    /// The largest tolerance of any component at a state.
    fn largest(&self, state: &[f64]) -> f64 {
        state.iter().zip(&self.abs).fold(0.0, |most, (y, abs)| f64::max(most, self.rel * y.abs() + abs))
    }

    /// A first step (s) for index 3 in which the change of velocities moves positions by their tolerance: the method of
    /// order one takes this change as its error estimate. The library's own first step is shorter by the square root of
    /// the tolerance. Rounding errors of positions, divided by that step, then exceed the tolerance of Newton's method
    /// for velocities. None if there are no accelerations.
    fn first_step(&self, task: &Task<'_>, rate: &[f64]) -> Option<f64> {
        let n = task.initial.len() / 2;
        let moved = (0..n).map(|i| rate[n + i] / (self.rel * task.initial[i].abs() + self.abs[i]));
        let norm = (moved.map(|x| x * x).sum::<f64>() / n as f64).sqrt();
        let step = (2.0 / norm).sqrt().min(1e-3 * (task.t_end - task.t_start));
        (norm > 0.0 && step > 0.0).then_some(step.min(self.max_step.unwrap_or(step)))
    }

    /// Creates the library's solver, starting from `y` and, for IDA, its `rate`.
    fn solver<'p>(
        &self,
        method: &Sundials,
        equations: Equations<'p>,
        task: &Task<'_>,
        (y, rate): (&[f64], &[f64]),
    ) -> Result<Solver<Equations<'p>>, Failure> {
        let of_index_3 = method.form() == Some(Form::Index3) && y.len() > task.initial.len();
        // A change of step size leaves an error of its own order in index-3 velocities, which shorter steps do not
        // reduce.
        let leading = if of_index_3 { task.initial.len() / 2 } else { task.initial.len() };
        let indices = equations.indices();
        let of_index_1 = |i: usize| indices.as_ref().is_none_or(|indices| indices[i] == 1);
        let tested: Vec<bool> = (0..y.len()).map(|i| i < leading && of_index_1(i)).collect();
        let mut abs = self.abs.clone();
        abs.resize(y.len(), UNTESTED);
        for (abs, &index) in abs.iter_mut().zip(indices.iter().flatten()) {
            *abs = if index == 3 { UNTESTED } else { *abs };
        }
        let initial_step = self.initial_step.or_else(|| of_index_3.then(|| self.first_step(task, rate)).flatten());
        let options = Options {
            kind: method.kind,
            max_order: method.max_order,
            systems: equations.systems(),
            tested: &tested,
            rel: self.rel,
            abs: &abs,
            initial_step,
            max_step: self.max_step,
            t_stop: task.t_end,
        };
        Solver::new(equations, task.t_start, (y, rate), &options)
    }
}

/// Steps made by the library.
struct Steps {
    y: Vec<f64>,
    /// The state at the end of the current step.
    end: Vec<f64>,
    /// The state at the end of the current step, before any jump.
    before: Vec<f64>,
    roots: Vec<usize>,
    /// Multipliers of the constraints at the end of the step.
    multipliers: Vec<f64>,
    /// True if contacts or event functions limited the last step.
    is_limited: bool,
    sampler: Sampler<f64>,
    chattering: Chattering,
    /// Largest next step that the event functions allow, s.
    allowed: f64,
}

impl Steps {
    fn new(task: &Task<'_>, multipliers: usize, functions: usize) -> Self {
        let state = || task.initial.to_vec();
        Self {
            y: state(),
            end: state(),
            before: state(),
            roots: Vec::new(),
            multipliers: vec![0.0; multipliers],
            is_limited: false,
            sampler: Sampler::new(functions, task.initial, ORDER),
            chattering: Chattering::new(task),
            allowed: f64::INFINITY,
        }
    }
}

impl<'p, 'm> Stepping<Library<'p, 'm>> for Steps {
    /// Makes a step and handles an event at its end. The equations watch the budget of evaluations.
    fn attempt(&mut self, run: &mut Run<'_, Library<'p, 'm>>) -> Result<Option<f64>, Failure> {
        let t_end = run.task.t_end;
        let solver = &mut run.problem.solver;
        let limit = solver.with_equations(|equations| equations.problem().step_limit(run.t, &self.y));
        let limit = limit.min(self.allowed);
        if limit < f64::INFINITY || self.is_limited {
            self.is_limited = limit < f64::INFINITY;
            solver.stop_at(t_end.min(run.t + limit))?;
        }
        let Self { end, before, roots, multipliers, .. } = self;
        let reached = run.problem.solver.step();
        run.own.steps_rejected = run.problem.solver.counters().steps_rejected;
        let reached = reached.map_err(|failure| run.problem.advised(failure))?;
        let solver = &run.problem.solver;
        let (state, further) = solver.state().split_at(end.len());
        end.copy_from_slice(state);
        multipliers.iter_mut().zip(further).for_each(|(to, &from)| *to = from);
        finite(run.t, end)?;
        let states = [(run.t, &self.y[..]), (reached.t, &end[..])];
        let share =
            solver.with_equations(|equations| self.sampler.share(equations.problem(), states, |_, _| Ok(())))?;
        self.allowed = share * (reached.t - run.t);
        // The library cannot repeat a step, but start again.
        if share < 1.0 && 0.1 * self.allowed > f64::EPSILON * run.t.abs() {
            solver.with_equations(|equations| equations.begin_at_roots(run.t, roots));
            run.problem.restart(run.t, &self.y)?;
            return Ok(run.reject());
        }
        roots.clear();
        if reached.is_root {
            roots.extend(solver.found_roots());
            before.copy_from_slice(end);
        }
        solver.with_equations(|equations| match equations.problem().events() {
            Ok(mut functions) => roots.iter().try_for_each(|&index| {
                functions.jump(index, reached.t, end)?;
                self.chattering.jump(reached.t, index, functions.count())
            }),
            Err(_) => Ok(()),
        })?;
        Ok(Some(reached.t))
    }

    fn observe(&mut self, library: &mut Library<'p, 'm>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        let roots = &self.roots;
        let before_projection = (!roots.is_empty()).then_some(&self.before[..]);
        let multipliers = &self.multipliers;
        let further = Further { before_projection, events: roots, multipliers, ..Further::default() };
        step.observe(&self.y, &self.end, further, |t, y| library.solver.state_within(t, y))
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.y, &mut self.end]
    }

    fn after_step(&mut self, run: &mut Run<'_, Library<'p, 'm>>) -> Result<(), Failure> {
        let (t, solver, roots) = (run.t, &mut run.problem.solver, &self.roots);
        solver.with_equations(|equations| equations.accept(t));
        if roots.is_empty() || t >= run.task.t_end {
            return Ok(());
        }
        solver.with_equations(|equations| equations.begin_at_roots(t, roots));
        run.problem.restart(t, &self.y)
    }
}
