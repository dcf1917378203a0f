//! The steps of a run.

use std::ops::ControlFlow;

use mbsbench_problem::{AcceptedStep, Counted, CountedMechanics, Failure, Run, Stepping};

use super::point::Point;
use super::solver::{Push, Solver};
use crate::hermite::show_motion;
use crate::saddle::Memory;
use crate::stepper::finite;

/// The levels on which constraints hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// Positions and velocities: RATTLE.
    Both,
    /// Positions only: SHAKE.
    Positions,
}

/// Steps of RATTLE or SHAKE.
pub struct Steps {
    levels: Levels,
    solver: Solver,
    /// Start and end of the step; with SHAKE also the end of the following step.
    points: [Point; 2],
    /// Velocities of the half step, at the positions of its start and of its end.
    half: [Vec<f64>; 2],
    /// Velocities of the previous half step, with SHAKE.
    earlier: Vec<f64>,
    state: Vec<f64>,
    end: Vec<f64>,
    lambda: Vec<f64>,
}

impl Steps {
    /// Creates the steps of a run that starts at `initial`; `newton` is the tolerance and the maximum number of
    /// iterations.
    pub fn new(levels: Levels, newton: (f64, u32), mechanics: &mut CountedMechanics<'_>, initial: &[f64]) -> Self {
        let (n, m) = (initial.len() / 2, mechanics.dimensions().holonomic);
        let memory = Memory::of(mechanics);
        let mut point = Point::new(&mechanics.structure(), &memory);
        point.q.copy_from_slice(&initial[..n]);
        mechanics.mass_in(&point.q, &mut point.mass);
        Self {
            levels,
            solver: Solver::new(newton, &memory, (n, m)),
            points: [point.clone(), point],
            half: [vec![0.0; n], vec![0.0; n]],
            earlier: vec![0.0; n],
            state: initial.to_vec(),
            end: initial.to_vec(),
            lambda: vec![0.0; m],
        }
    }

    /// Makes the half step of size `h` (s) from the state to the positions of the end, at `t_end`.
    fn push(&mut self, run: &mut Run<'_, Counted<'_>>, (t_end, h): (f64, f64)) -> Result<(), Failure> {
        let Self { solver, points: [from, to], half, state, .. } = self;
        to.t = t_end;
        let base = &state[state.len() / 2..];
        solver.push(run, Push { from, to, base, duration: 0.5 * h, h, velocities: half })
    }

    /// RATTLE: computes the positions of the end, and velocities that satisfy their constraints.
    fn both(&mut self, run: &mut Run<'_, Counted<'_>>, (t_end, h): (f64, f64)) -> Result<(), Failure> {
        self.push(run, (t_end, h))?;
        let Self { solver, points: [_, to], half: [_, w], end, lambda, .. } = self;
        let (q, v) = end.split_at_mut(w.len());
        q.copy_from_slice(&to.q);
        solver.pull(run, to, 0.5 * h, w, v)?;
        solver.multipliers(1, 0.5 * h, lambda);
        Ok(())
    }

    /// SHAKE: the positions of the end are known; the half step from them to those of the next step yields its
    /// velocities.
    fn positions(&mut self, run: &mut Run<'_, Counted<'_>>, (t_end, h): (f64, f64)) -> Result<(), Failure> {
        if run.own.steps_accepted == 0 {
            self.push(run, (t_end, h))?;
        }
        let Self { solver, points: [next, to], half, earlier, end, lambda, .. } = self;
        let (q, v) = end.split_at_mut(earlier.len());
        q.copy_from_slice(&to.q);
        earlier.copy_from_slice(&half[0]);
        run.problem.mechanics()?.constraint_jacobian_in(t_end, q, earlier, &mut to.jacobian);
        next.t = t_end + h;
        solver.push(run, Push { from: to, to: next, base: earlier, duration: h, h, velocities: half })?;
        v.iter_mut().zip(earlier.iter().zip(&half[0])).for_each(|(v, (before, after))| *v = 0.5 * (before + after));
        solver.multipliers(0, h, lambda);
        Ok(())
    }
}

impl<'p> Stepping<Counted<'p>> for Steps {
    fn begin(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        let [from, _] = &mut self.points;
        from.t = run.t;
        let v = &self.state[from.q.len()..];
        run.problem.mechanics()?.constraint_jacobian_in(run.t, &from.q, v, &mut from.jacobian);
        Ok(())
    }

    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let step = run.constant_step();
        match self.levels {
            Levels::Both => self.both(run, step)?,
            Levels::Positions => self.positions(run, step)?,
        }
        finite(run.t, &self.end)?;
        Ok(Some(step.0))
    }

    /// The interpolation inside the step has errors O(h⁴) in positions and O(h³) in velocities, less than the formula.
    #[inline(always)]
    fn observe(&mut self, _problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        show_motion(step, &self.state, &self.end, &self.lambda)
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.state, &mut self.end]
    }

    fn after_step(&mut self, _run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        self.points.swap(0, 1);
        Ok(())
    }

    fn finish(&mut self, run: &mut Run<'_, Counted<'p>>) {
        run.own.add_flops(self.solver.flops());
    }
}
