//! Half steps: the first determines the positions of its end, the second the velocities.

use mbsbench_problem::linalg::{Matrix, Saddle};
use mbsbench_problem::{Counted, Failure, Run};

use super::point::Point;
use crate::newton::{Outcome, Progress, iterate, largest, most_moved};
use crate::saddle::{Memory, factorize, only};

/// Solves for velocities and multipliers.
pub struct Solver {
    tolerance: f64,
    max_iterations: u32,
    /// `[M −J₀ᵀ; J₁ 0]`.
    system: Saddle,
    /// `M₁`, if masses vary, and its factors.
    end_mass: Matrix<f64>,
    end_factors: Saddle,
    /// Residual, then correction.
    x: Vec<f64>,
    /// Mean accelerations of the previous half step, m/s² or rad/s²: the first guess for the next one.
    accelerations: Vec<f64>,
    /// Multipliers times the duration of the half step, N s; those of positions and of velocities.
    impulses: [Vec<f64>; 2],
    /// `M₀ u`.
    momentum: Vec<f64>,
}

/// Corrections that move positions by less than this many rounding units count as rounding.
const ROUNDINGS: f64 = 16.0;

/// A half step that determines positions: velocities `u` at the positions of its start, with
/// `M (u − base) = c (F + Jᵀ λ)`, and the resulting positions.
pub struct Push<'s> {
    /// Start of the half step; forces that depend on velocities depend on `u`.
    pub from: &'s mut Point,
    /// End of the half step, whose positions are computed.
    pub to: &'s mut Point,
    /// Velocities before the half step.
    pub base: &'s [f64],
    /// Duration `c` of the forces, s.
    pub duration: f64,
    /// Time for which the positions move with these velocities, s.
    pub h: f64,
    /// `u`, and the velocities with the same momenta at the positions of the end.
    pub velocities: &'s mut [Vec<f64>; 2],
}

impl Solver {
    /// Allocates memory for `n` coordinates and `m` constraints.
    pub fn new((tolerance, max_iterations): (f64, u32), memory: &Memory, (n, m): (usize, usize)) -> Self {
        Self {
            tolerance,
            max_iterations,
            system: memory.saddle(),
            end_mass: memory.mass(),
            end_factors: memory.mass_factors(),
            x: vec![0.0; n + m],
            accelerations: vec![0.0; n],
            impulses: [vec![0.0; m], vec![0.0; m]],
            momentum: vec![0.0; n],
        }
    }

    /// Operations of linear algebra so far.
    pub fn flops(&self) -> u64 {
        self.system.flops() + self.end_factors.flops()
    }

    /// Multipliers of the constraints on positions (level 0) or velocities (level 1) for forces that act for `duration`
    /// (s).
    pub fn multipliers(&self, level: usize, duration: f64, lambda: &mut [f64]) {
        lambda.iter_mut().zip(&self.impulses[level]).for_each(|(lambda, impulse)| *lambda = impulse / duration);
    }

    /// Makes a half step to positions that satisfy their constraints.
    ///
    /// # Errors
    /// Fails if the budget is used up, or with [`Failure::NonFinite`], [`Failure::SingularMatrix`] or
    /// [`Failure::NewtonDiverged`]; all at the start of the step.
    pub fn push(&mut self, run: &mut Run<'_, Counted<'_>>, push: Push<'_>) -> Result<(), Failure> {
        let (time, most) = (run.t, self.max_iterations);
        for velocities in &mut *push.velocities {
            for ((u, base), a) in velocities.iter_mut().zip(push.base).zip(&self.accelerations) {
                *u = base + push.duration * a;
            }
        }
        let mut iteration = Pushing { solver: self, run, push, made: 0 };
        let outcome = iterate(&mut iteration, most, Pushing::iterate, Pushing::judge)?;
        let iterations = iteration.made;
        outcome.converged(time, iterations, || Failure::NewtonDiverged { time, iterations })?;
        iteration.arrive()?;
        let Pushing { solver, run, push: Push { to, base, duration, velocities: [u, _], .. }, .. } = iteration;
        for ((a, u), base) in solver.accelerations.iter_mut().zip(u).zip(base) {
            *a = (*u - base) / duration;
        }
        to.moved();
        if to.varies() {
            run.problem.mechanics()?.mass_in(&to.q, &mut to.mass);
        }
        Ok(())
    }

    /// Ends a step: computes velocities at `to` that satisfy their constraints, from the momenta of the previous half
    /// step and forces that act for another `duration` (s); `w` are the velocities with these momenta.
    ///
    /// # Errors
    /// Fails if the budget is used up, or with [`Failure::NonFinite`] or [`Failure::SingularMatrix`]; all at the start
    /// of the step.
    pub fn pull(
        &mut self,
        run: &mut Run<'_, Counted<'_>>,
        to: &mut Point,
        duration: f64,
        w: &[f64],
        v: &mut [f64],
    ) -> Result<(), Failure> {
        to.evaluate(run, w)?;
        run.problem.mechanics()?.constraint_jacobian_in(to.t, &to.q, w, &mut to.jacobian);
        self.system.put(only(&to.mass), 1.0, &to.jacobian);
        factorize(&mut self.system, run)?;
        let (dynamics, constraints) = self.x.split_at_mut(w.len());
        dynamics.fill(0.0);
        to.mass.add_product(1.0, w, dynamics);
        for (residual, (momentum, force)) in dynamics.iter_mut().zip(self.momentum.iter().zip(&to.forces)) {
            *residual = momentum - *residual + duration * force;
        }
        run.problem.mechanics()?.velocity_constraints(to.t, &to.q, w, constraints);
        constraints.iter_mut().for_each(|rate| *rate = -*rate);
        run.own.linear_solves += 1;
        self.system.solve(&mut self.x);
        let (change, impulse) = self.x.split_at(w.len());
        v.iter_mut().zip(w.iter().zip(change)).for_each(|(v, (w, change))| *v = w + change);
        self.impulses[1].copy_from_slice(impulse);
        Ok(())
    }
}

/// The iteration of [`Solver::push`], for `u` and the multipliers.
struct Pushing<'s, 'r, 'p> {
    solver: &'s mut Solver,
    run: &'s mut Run<'r, Counted<'p>>,
    push: Push<'s>,
    /// Iterations with a finite result.
    made: u64,
}

impl Pushing<'_, '_, '_> {
    /// Moves the positions of the end as far as the velocities lead; the velocities there have the same momenta.
    fn arrive(&mut self) -> Result<(), Failure> {
        self.place();
        let Self { solver, run, push: Push { from, to, velocities: [u, w], .. }, .. } = self;
        let Solver { end_mass, end_factors, momentum, .. } = &mut **solver;
        momentum.fill(0.0);
        from.mass.add_product(1.0, u, momentum);
        if from.varies() {
            run.problem.mechanics()?.mass_in(&to.q, end_mass);
            end_factors.put_mass(end_mass);
            factorize(end_factors, run)?;
            w.copy_from_slice(momentum);
            end_factors.solve(w);
            run.own.linear_solves += 1;
            self.place();
        }
        Ok(())
    }

    fn place(&mut self) {
        let Push { from, to, h, velocities: [u, w], .. } = &mut self.push;
        for ((q, q0), (u, w)) in to.q.iter_mut().zip(&from.q).zip(u.iter().zip(&*w)) {
            *q = q0 + 0.5 * *h * (u + w);
        }
    }

    fn iterate(&mut self, iteration: u32) -> Result<f64, Failure> {
        self.arrive()?;
        let Self { solver, run, push: Push { from, to, base, duration, h, velocities: [u, w] }, .. } = self;
        from.evaluate(run, u)?;
        let Solver { system, x, impulses: [impulse, _], momentum, .. } = &mut **solver;
        let mut mechanics = run.problem.mechanics()?;
        let (dynamics, constraints) = x.split_at_mut(u.len());
        mechanics.constraint_values(to.t, &to.q, u, constraints);
        if iteration == 1 {
            mechanics.constraint_jacobian_in(to.t, &to.q, u, &mut to.jacobian);
            system.put_rows(only(&from.mass), &from.jacobian, &to.jacobian);
            factorize(system, run)?;
        }
        constraints.iter_mut().for_each(|phi| *phi /= -*h);
        for ((residual, force), momentum) in dynamics.iter_mut().zip(&from.forces).zip(&*momentum) {
            *residual = *duration * force - momentum;
        }
        from.mass.add_product(1.0, base, dynamics);
        from.jacobian.add_transposed_product(1.0, impulse, dynamics);
        run.own.newton_iterations += 1;
        run.own.linear_solves += 1;
        system.solve(x);
        let (change, impulses) = x.split_at(u.len());
        for ((u, w), change) in u.iter_mut().zip(w.iter_mut()).zip(change) {
            (*u, *w) = (*u + change, *w + change);
        }
        impulse.iter_mut().zip(impulses).for_each(|(impulse, change)| *impulse += change);
        Ok(largest(change))
    }

    fn judge(&mut self, Progress { size, last, .. }: Progress) -> Option<Outcome> {
        self.made += 1;
        let Push { from, to, h, velocities: [u, _], .. } = &self.push;
        let speed = largest(u);
        let is_rounding = *h * size <= ROUNDINGS * f64::EPSILON * (largest(&to.q) + *h * speed);
        let is_small = size <= self.solver.tolerance * (1.0 + speed);
        let is_close = is_small || (is_rounding && size > 0.25 * last);
        (is_close && *h * size <= most_moved(largest(&from.q))).then_some(Outcome::Converged)
    }
}
