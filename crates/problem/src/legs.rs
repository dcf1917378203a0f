//! The legs of a span, from one break point to the next, and spans that run backwards.

use std::ops::{ControlFlow, Range};

use nalgebra::DMatrix;

use crate::backward::{Backward, negate};
use crate::scalar::is_double;
use crate::{
    Clock, Counted, Failure, Further, Method, Observer, Ode, Scalar, Settings, Solution, Statistics, Step, Task,
    pass_on,
};

/// Solves a task with break points, s, leg by leg, in reverse time if its span runs backwards.
///
/// # Errors
/// Fails before the first step if the problem or the settings do not allow this.
pub fn solve<S: Scalar>(
    task: &Task<'_, S>,
    breaks: &[f64],
    method: &dyn Method<S>,
    ode: &mut dyn Ode<S>,
    observer: &mut dyn Observer<S>,
) -> Result<Solution<S>, Failure> {
    let is_complete = task.initial.len() == ode.dimension() && task.t_end.is_finite() && task.t_start.is_finite();
    let is_backward = is_complete && task.t_end < task.t_start;
    let sign = if is_backward { -1.0 } else { 1.0 };
    let [start, end] = [task.t_start, task.t_end].map(|t| t * sign);
    let inside = |&at: &f64| start.value() < at && at < end.value();
    let mut ends: Vec<f64> = breaks.iter().map(|at| at * sign).filter(inside).collect();
    if ends.is_empty() && !is_backward {
        return Ok(method.solve(Counted::new(ode), task, observer));
    }
    let refuse = |reason: String| Err(Failure::NotApplicable { reason });
    if !ends.is_empty() && task.settings.clock == Clock::Accumulating {
        let reason = "break points need `clock: exact`, since steps of the accumulating clock end beyond them";
        return refuse(reason.to_owned());
    }
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let ends: Vec<S> = ends.into_iter().map(S::from).chain([end]).collect();
    let shown = [(); 3].map(|()| task.initial.to_vec());
    let leg = [[start; 2]; 2];
    let mut relay = Relay { observer, velocities: 0..0, sign, has_started: false, steps: 0, leg, shown };
    if !is_backward {
        return Ok(relay.solve(task, &ends, method, ode));
    }
    let suits = method.suits(ode);
    let mut backward = Backward::new(ode)?;
    if let (Ok(()), Err(lacking)) = (suits, method.suits(&mut backward)) {
        return refuse(format!("the span runs backwards: in reverse time, {lacking}"));
    }
    relay.velocities = backward.velocities();
    Ok(relay.solve(task, &ends, method, &mut backward))
}

/// Shows the steps of a leg, or of a solve in reverse time, as those of the whole solve.
struct Relay<'o, S: Scalar> {
    observer: &'o mut dyn Observer<S>,
    /// The components that change their signs, and the sign of time.
    velocities: Range<usize>,
    sign: f64,
    has_started: bool,
    /// Steps of earlier legs.
    steps: u64,
    /// Start and end of the leg as the method sees them, each with the time that is shown, s.
    leg: [[S; 2]; 2],
    /// States at the start and the end of a step, and before projection.
    shown: [Vec<S>; 3],
}

impl<S: Scalar> Relay<'_, S> {
    /// Solves the legs with these ends in the method's time.
    fn solve(mut self, task: &Task<'_, S>, ends: &[S], method: &dyn Method<S>, ode: &mut dyn Ode<S>) -> Solution<S> {
        let (start, end) = (task.t_start * self.sign, task.t_end * self.sign);
        // Legs end a few roundings before a break point and begin as much after it: no stage is evaluated there.
        let rounding = if is_double::<S>() { f64::EPSILON } else { f64::EPSILON.powi(2) };
        let gap = S::from(4.0 * rounding * start.value().abs().max(end.value().abs()));
        let (mut state, statistics) = (task.initial.to_vec(), Statistics::default());
        negate(&mut state[self.velocities.clone()]);
        let mut all = Solution { t_reached: start, state, statistics, failure: None };
        for &to in ends {
            let Statistics { steps_accepted, steps_rejected, rhs_evaluations, .. } = all.statistics;
            let mut settings = task.settings;
            settings.max_steps = settings.max_steps.saturating_sub(steps_accepted + steps_rejected);
            settings.max_rhs_evaluations = settings.max_rhs_evaluations.saturating_sub(rhs_evaluations);
            let t_start = if self.has_started { all.t_reached + gap } else { start };
            let t_end = if to == end { end } else { to - gap };
            self.leg = [[t_start, all.t_reached], [t_end, to]];
            let leg = Task { t_start, t_end, initial: &all.state, settings };
            let solution = method.solve(Counted::new(ode), &leg, &mut self);
            all = Solution { statistics: all.statistics.with(&solution.statistics), ..solution };
            if to == end || all.failure.is_some() {
                break;
            }
            all.t_reached = to;
            (self.has_started, self.steps) = (true, all.statistics.steps_accepted);
        }
        if let Some(Failure::BudgetExhausted { counter, limit, .. }) = &mut all.failure {
            let Settings { max_steps, max_rhs_evaluations, .. } = task.settings;
            *limit = if *counter == "rhs_evaluations" { max_rhs_evaluations } else { max_steps };
        }
        if let Some(time) = all.failure.as_mut().and_then(Failure::time_mut) {
            *time *= self.sign;
        }
        negate(&mut all.state[self.velocities]);
        Solution { t_reached: all.t_reached * self.sign, ..all }
    }
}

impl<S: Scalar> Observer<S> for Relay<'_, S> {
    pass_on! { self.observer =>
        fn watches(&self) -> bool;
        fn watches_newton_matrices(&self) -> bool;
    }

    fn newton_matrix(&mut self, t: S, matrix: &DMatrix<S>) {
        self.observer.newton_matrix(t * self.sign, matrix);
    }

    fn wrong_newton_matrix(&mut self, t: S, matrix: &DMatrix<S>, exact: &DMatrix<S>) {
        self.observer.wrong_newton_matrix(t * self.sign, matrix, exact);
    }

    fn start(&mut self, t: S, y: &[S]) {
        if !self.has_started {
            self.shown[0].copy_from_slice(y);
            negate(&mut self.shown[0][self.velocities.clone()]);
            self.observer.start(t * self.sign, &self.shown[0]);
        }
    }

    fn ready(&mut self) {
        if !self.has_started {
            self.observer.ready();
        }
    }

    fn step(&mut self, step: &mut Step<'_, S>) -> ControlFlow<Failure> {
        let Self { observer, velocities, sign, steps, leg, shown, .. } = self;
        let (sign, [from, to]) = (*sign, [step.t_start, step.t_end]);
        // The gaps around a break point are not shown.
        let shown_at = |t: S| leg.iter().find(|[own, _]| *own == t).map_or(t, |[_, shown]| *shown) * sign;
        for (shown, given) in shown.iter_mut().zip([step.start, step.end, step.before_projection()]) {
            shown.copy_from_slice(given);
            negate(&mut shown[velocities.clone()]);
        }
        let [start, end, before] = &*shown;
        let before_projection = step.further.before_projection.map(|_| &before[..]);
        let further = Further { before_projection, ..step.further };
        let inner = &mut *step.within;
        let within = &mut |t: S, y: &mut [S]| {
            let t = t * sign;
            inner.state_at(
                if t < from {
                    from
                } else if t > to {
                    to
                } else {
                    t
                },
                y,
            )?;
            negate(&mut y[velocities.clone()]);
            Ok(())
        };
        let (t_start, t_end) = (shown_at(from), shown_at(to));
        let seen = observer.step(&mut Step { index: step.index + *steps, t_start, start, t_end, end, further, within });
        // Times of failures change their signs together with those of the method.
        seen.map_break(|mut failure| {
            if let Some(time) = failure.time_mut() {
                *time *= sign;
            }
            failure
        })
    }
}
