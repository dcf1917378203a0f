//! The loop around the library's steps: budgets, events, observation.

use std::ops::ControlFlow;

use mbsbench_problem::{Counted, Failure, Interpolant, Observer, Solution, Statistics, Step, StepControl, Task};

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

/// Solves `task`; see [`Method::solve`](mbsbench_problem::Method::solve).
pub fn solve(method: &Sundials, mut problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
    let ends = |t, y: &[f64], statistics, failure| Solution { t_reached: t, state: y.to_vec(), statistics, failure };
    let tolerances = match check(method, &mut problem, task) {
        Ok(tolerances) => tolerances,
        Err(failure) => return ends(task.t_start, task.initial, problem.statistics(), Some(failure)),
    };
    observer.start(task.t_start, task.initial);
    if task.t_end <= task.t_start {
        return ends(task.t_start, task.initial, problem.statistics(), None);
    }
    let differences = (method.increment, tolerances.typical.clone());
    let budget = task.settings.max_rhs_evaluations;
    let mut equations = Equations::new(problem, method.jacobian, differences, budget, task.t_start);
    let engine: Result<Box<dyn Engine<'_> + '_>, Failure> = match method.kind {
        Kind::Ida => {
            let mut rate = vec![0.0; task.initial.len()];
            match equations.evaluate(task.t_start, task.initial, &mut rate) {
                Err(failure) => {
                    return ends(task.t_start, task.initial, equations.problem().statistics(), Some(failure));
                }
                Ok(()) => tolerances.ida(method, equations, task, &rate),
            }
        }
        Kind::CvodeBdf | Kind::CvodeAdams(_) => tolerances.cvode(method, equations, task),
    };
    match engine {
        Ok(engine) => Run::new(engine, task, observer).solution(method.kind.has_newton()),
        Err(failure) => ends(task.t_start, task.initial, Statistics::default(), Some(failure)),
    }
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
    task.check(problem, true)?;
    problem.suits(method).map_err(|unsuitable| Failure::NotApplicable { reason: unsuitable.to_string() })?;
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

/// A solve under way.
struct Run<'r, 'p> {
    engine: Box<dyn Engine<'p> + 'p>,
    task: &'r Task<'r>,
    observer: &'r mut dyn Observer,
    watched: bool,
    t: f64,
    y: Vec<f64>,
    /// The state that the step under way ends with.
    end: Vec<f64>,
    switched: Vec<usize>,
    accepted: u64,
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(engine: Box<dyn Engine<'p> + 'p>, task: &'r Task<'r>, observer: &'r mut dyn Observer) -> Self {
        Self {
            watched: observer.watches(),
            t: task.t_start,
            y: task.initial.to_vec(),
            end: task.initial.to_vec(),
            switched: Vec::new(),
            accepted: 0,
            engine,
            task,
            observer,
        }
    }

    fn solution(mut self, has_newton: bool) -> Solution {
        let failure = self.all().err();
        let statistics = self.statistics(has_newton);
        Solution { t_reached: self.t, state: self.y, statistics, failure }
    }

    fn statistics(&self, has_newton: bool) -> Statistics {
        let counters = self.engine.counters();
        let mut statistics = Statistics::default();
        self.engine.equations(&mut |equations| statistics = equations.problem().statistics());
        let newton_iterations = if has_newton { counters.iterations } else { 0 };
        Statistics {
            steps_accepted: self.accepted,
            steps_rejected: counters.error_test_failures + counters.convergence_failures,
            convergence_failures: counters.convergence_failures,
            // The library's own difference quotients go through the same function as everything else. It counts the one,
            // too, that is refused since the budget is used up.
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

    /// From the start to the end.
    fn all(&mut self) -> Result<(), Failure> {
        while self.t < self.task.t_end {
            self.spend()?;
            let reached = self.engine.step()?;
            self.end.copy_from_slice(self.engine.state());
            if !self.end.iter().all(|x| x.is_finite()) {
                return Err(Failure::NonFinite { time: self.t });
            }
            self.finish(reached)?;
        }
        Ok(())
    }

    /// Fails where the next step might exceed the budget of steps. That of evaluations is watched by the equations.
    fn spend(&self) -> Result<(), Failure> {
        let Counters { error_test_failures, convergence_failures, .. } = self.engine.counters();
        let limit = self.task.settings.max_steps;
        if self.accepted + error_test_failures + convergence_failures < limit {
            return Ok(());
        }
        Err(Failure::BudgetExhausted { time: self.t, counter: "steps_accepted + steps_rejected", limit })
    }

    /// The step just made is good: handles an event at its end, shows it, and makes its end the state.
    fn finish(&mut self, reached: Reached) -> Result<(), Failure> {
        self.switched.clear();
        if reached.is_root {
            self.engine.collect_roots(&mut self.switched);
        }
        let before = if self.switched.is_empty() { None } else { Some(self.end.clone()) };
        let mut switching = Ok(());
        for &index in &self.switched {
            let (engine, end) = (&self.engine, &mut self.end);
            engine.equations(&mut |equations| {
                if switching.is_ok() {
                    switching = equations.problem().switch(index, reached.t, end);
                }
            });
        }
        switching?;
        self.accepted += 1;
        let seen = self.show(reached.t, before.as_deref());
        self.t = reached.t;
        self.y.copy_from_slice(&self.end);
        self.engine.equations(&mut |equations| equations.accept(reached.t));
        if let ControlFlow::Break(failure) = seen {
            return Err(failure);
        }
        if before.is_none() || self.t >= self.task.t_end {
            return Ok(());
        }
        let (t, switched) = (self.t, &self.switched);
        self.engine.equations(&mut |equations| equations.begin_at_roots(t, switched));
        self.engine.restart(t, &self.y)
    }

    /// Shows the observer the step that ends at `t_end`.
    fn show(&mut self, t_end: f64, before: Option<&[f64]>) -> ControlFlow<Failure> {
        if !self.watched {
            return ControlFlow::Continue(());
        }
        let mut within =
            Within { engine: self.engine.as_mut(), t_start: self.t, start: &self.y, t_end, end: &self.end };
        self.observer.step(&mut Step {
            index: self.accepted,
            t_start: self.t,
            start: &self.y,
            t_end,
            end: &self.end,
            before_projection: before.unwrap_or(&self.end),
            multipliers: &[],
            event_residual: None,
            error_estimate: &[],
            switched: &self.switched,
            within: &mut within,
        })
    }
}

/// The state inside the step just made.
struct Within<'w, 'p> {
    engine: &'w mut (dyn Engine<'p> + 'p),
    t_start: f64,
    start: &'w [f64],
    t_end: f64,
    end: &'w [f64],
}

impl Interpolant for Within<'_, '_> {
    fn state_at(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if t == self.t_start {
            y.copy_from_slice(self.start);
        } else if t == self.t_end {
            y.copy_from_slice(self.end);
        } else {
            self.engine.state_within(t, y)?;
        }
        Ok(())
    }
}
