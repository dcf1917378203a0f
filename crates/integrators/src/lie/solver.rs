//! Accelerations and multipliers, at the initial state and at the end of a step.

use mbsbench_problem::linalg::{Matrix, Saddle};
use mbsbench_problem::{BranchSystem, Branches, Counted, CountedMechanics, Dimensions, Failure, Motion, Run};

use crate::newton::{Outcome, Progress, iterate, largest, most_moved, place_of_largest};
use crate::saddle::{Memory, SADDLE, factorize, only};
use crate::stepper::finite;

/// Corrections that move positions by less than this many rounding units count as rounding.
const ROUNDINGS: f64 = 64.0;

/// Memory for the equations at a state.
pub struct Solver {
    tolerance: f64,
    max_iterations: u32,
    mass: Matrix<f64>,
    jacobian: Matrix<f64>,
    /// Derivatives of the equations of motion in displacement and velocity, and of the constraints in displacement.
    derivatives: [Matrix<f64>; 3],
    system: Saddle,
    /// The joints of a tree, in place of these matrices.
    joints: Option<(Branches, BranchSystem)>,
    /// The negative residual, then the correction.
    x: Vec<f64>,
}

/// A step to be solved for: displacement `δ̂ + c_q a` and velocities `v̂ + c_v a`.
pub struct Leap<'s> {
    /// End of the step, s.
    pub t: f64,
    /// Positions at the start.
    pub start: &'s [f64],
    /// `δ̂`, as long as the velocities, m or rad.
    pub displacement: &'s [f64],
    /// `v̂`.
    pub velocity: &'s [f64],
    /// `c_q`, s², and `c_v`, s.
    pub factors: (f64, f64),
    /// The displacement to the end.
    pub delta: &'s mut [f64],
    /// Positions and velocities at the end.
    pub end: (&'s mut [f64], &'s mut [f64]),
    /// Accelerations at the end; on entry, those of the start.
    pub a: &'s mut [f64],
    /// Multipliers at the end; on entry, those of the start.
    pub lambda: &'s mut [f64],
}

impl Solver {
    /// Memory for a mechanical system.
    pub fn new((tolerance, max_iterations): (f64, u32), mechanics: &mut CountedMechanics<'_>) -> Self {
        let joints = mechanics.branches().map(|branches| (branches.clone(), BranchSystem::new(&branches)));
        let memory = if joints.is_some() { Memory::none() } else { Memory::of(mechanics) };
        let Dimensions { velocities: n, holonomic: m, .. } = mechanics.dimensions();
        Self {
            tolerance,
            max_iterations,
            mass: memory.mass(),
            jacobian: memory.jacobian(),
            derivatives: [memory.mass(), memory.mass(), memory.jacobian()],
            system: memory.saddle(),
            joints,
            x: vec![0.0; n + m],
        }
    }

    /// Operations of linear algebra so far.
    pub fn flops(&self) -> u64 {
        self.joints.as_ref().map_or(self.system.flops(), |(_, system)| system.flops)
    }

    /// Factorizes the matrix, for displacements and velocities that change with accelerations by these `factors`.
    fn factorize(&mut self, run: &mut Run<'_, Counted<'_>>, (c_q, c_v): (f64, f64)) -> Result<(), Failure> {
        let Some((branches, system)) = &mut self.joints else { return factorize(&mut self.system, run) };
        run.own.factorizations += 1;
        finite(run.t, &branches.forces)?;
        let factorized = system.factorize_changes([c_q, c_v, 1.0], branches);
        factorized.map_err(|_| Failure::SingularMatrix { time: run.t, matrix: SADDLE })
    }

    fn solve(&mut self) {
        match &mut self.joints {
            Some((_, system)) => system.solve_forces(&mut self.x),
            None => self.system.solve(&mut self.x),
        }
    }

    /// Solves the equations of motion at a state, with constraints at acceleration level, for accelerations and
    /// multipliers.
    ///
    /// # Errors
    /// Fails if the budget is used up, or with [`Failure::NonFinite`] or [`Failure::SingularMatrix`]; all at the start
    /// of the step.
    pub fn motion(
        &mut self,
        run: &mut Run<'_, Counted<'_>>,
        (t, q, v): (f64, &[f64], &[f64]),
    ) -> Result<(&[f64], &[f64]), Failure> {
        run.check_budget(1)?;
        let n = v.len();
        let Self { mass, jacobian, system, joints, x, .. } = self;
        let mut mechanics = run.problem.mechanics()?;
        if let Some((branches, _)) = joints {
            mechanics.write_branches(t, [q, v], false, false, branches);
            finite(run.t, &branches.accelerations)?;
            return Ok(branches.accelerations.split_at(n));
        }
        mechanics.mass_in(q, mass);
        mechanics.forces(t, q, v, &mut x[..n]);
        mechanics.constraint_jacobian_in(t, q, v, jacobian);
        mechanics.acceleration_bias(t, q, v, &mut x[n..]);
        x[n..].iter_mut().for_each(|bias| *bias = -*bias);
        system.put(only(mass), 1.0, jacobian);
        factorize(system, run)?;
        system.solve(x);
        run.own.linear_solves += 1;
        Ok(x.split_at(n))
    }

    /// Solves for the end of a step.
    pub fn leap(&mut self, run: &mut Run<'_, Counted<'_>>, leap: Leap<'_>) -> Result<(), Failure> {
        let (time, most) = (run.t, self.max_iterations);
        let mut iteration = Leaping { solver: self, run, leap, made: 0, change: 0.0, coordinate: 0 };
        let outcome = iterate(&mut iteration, most, Leaping::iterate, Leaping::judge)?;
        outcome.converged(time, iteration.made, || Failure::AccelerationsDiverged {
            time,
            iterations: iteration.made,
            coordinate: iteration.coordinate + 1,
            correction: iteration.change,
            tolerated: iteration.tolerated(),
        })?;
        iteration.place()
    }

    /// Makes the first iteration alone, from zero accelerations and multipliers, with the constraints on velocities,
    /// then moves the positions by one linearised correction towards their constraints.
    pub fn linear_leap(&mut self, run: &mut Run<'_, Counted<'_>>, leap: Leap<'_>) -> Result<(), Failure> {
        run.check_budget(1)?;
        leap.a.fill(0.0);
        leap.lambda.fill(0.0);
        let mut iteration = Leaping { solver: self, run, leap, made: 0, change: 0.0, coordinate: 0 };
        iteration.place()?;
        iteration.linearise(true)?;
        let Leaping { solver, run, leap, .. } = &mut iteration;
        let (t, n, h) = (leap.t, leap.a.len(), leap.factors.1);
        let (q, v) = &mut leap.end;
        run.problem.mechanics()?.velocity_constraints(t, q, v, &mut solver.x[n..]);
        solver.x[n..].iter_mut().for_each(|rate| *rate /= -h);
        solver.factorize(run, leap.factors)?;
        solver.solve();
        leap.a.copy_from_slice(&solver.x[..n]);
        leap.lambda.copy_from_slice(&solver.x[n..]);
        iteration.place()?;
        let Leaping { solver, run, leap, .. } = &mut iteration;
        let (q, v) = &mut leap.end;
        solver.x[..n].fill(0.0);
        run.problem.mechanics()?.constraint_values(t, q, v, &mut solver.x[n..]);
        solver.x[n..].iter_mut().for_each(|phi| *phi = -*phi);
        solver.solve();
        run.own.linear_solves += 2;
        leap.delta.iter_mut().zip(&solver.x).for_each(|(delta, x)| *delta += x);
        run.problem.mechanics()?.retract(leap.start, leap.delta, q);
        Ok(())
    }
}

/// The iteration of [`Solver::leap`] and [`Solver::linear_leap`], on accelerations and multipliers.
struct Leaping<'s, 'r, 'p> {
    solver: &'s mut Solver,
    run: &'s mut Run<'r, Counted<'p>>,
    leap: Leap<'s>,
    /// Iterations with a finite result.
    made: u64,
    /// Largest change of an acceleration in the last iteration, and its coordinate.
    change: f64,
    coordinate: usize,
}

impl Leaping<'_, '_, '_> {
    /// The largest correction that counts as converged.
    fn tolerated(&self) -> f64 {
        let Leap { start, a, factors: (by_position, _), .. } = &self.leap;
        (self.solver.tolerance * (1.0 + largest(a))).min(most_moved(largest(start)) / by_position)
    }

    /// Computes displacement, positions and velocities from the accelerations.
    fn place(&mut self) -> Result<(), Failure> {
        let Leap { start, displacement, velocity, factors: (by_position, by_velocity), delta, end: (q, v), a, .. } =
            &mut self.leap;
        for i in 0..a.len() {
            delta[i] = displacement[i] + *by_position * a[i];
            v[i] = velocity[i] + *by_velocity * a[i];
        }
        self.run.problem.mechanics()?.retract(start, delta, q);
        Ok(())
    }

    /// Forms the matrix, for displacements divided by `c_q` and constraints on positions or `rates`, and the residual
    /// at the end.
    fn linearise(&mut self, rates: bool) -> Result<(), Failure> {
        let Solver { mass, jacobian, derivatives, system, joints, x, .. } = &mut *self.solver;
        let Leap { t, start, factors: (c_q, c_v), delta, end: (q, v), a, lambda, .. } = &mut self.leap;
        let (t, n) = (*t, v.len());
        let mut mechanics = self.run.problem.mechanics()?;
        if let Some((branches, _)) = joints {
            branches.accelerations.copy_from_slice(a);
            mechanics.write_branches(t, [q, v], true, true, branches);
            x.copy_from_slice(&branches.forces);
            return Ok(());
        }
        mechanics.mass_in(q, mass);
        mechanics.constraint_jacobian_in(t, q, v, jacobian);
        let at = Motion { t, q: start, v, a, lambda };
        mechanics.displaced_derivatives(at, delta, derivatives.each_mut());
        let [by_displacement, by_velocity, of_constraints] = &*derivatives;
        let blocks = [(1.0, &*mass), (*c_q, by_displacement), (*c_v, by_velocity)];
        system.put_rows(blocks, jacobian, if rates { jacobian } else { of_constraints });
        let (dynamics, constraints) = x.split_at_mut(n);
        mechanics.forces(t, q, v, dynamics);
        mass.add_product(-1.0, a, dynamics);
        jacobian.add_transposed_product(1.0, lambda, dynamics);
        mechanics.constraint_values(t, q, v, constraints);
        constraints.iter_mut().for_each(|phi| *phi /= -*c_q);
        Ok(())
    }

    fn iterate(&mut self, _iteration: u32) -> Result<f64, Failure> {
        self.run.check_budget(1)?;
        self.place()?;
        self.linearise(false)?;
        if let Err(failure) = self.solver.factorize(self.run, self.leap.factors) {
            return if matches!(failure, Failure::NonFinite { .. }) { Ok(f64::NAN) } else { Err(failure) };
        }
        self.solver.solve();
        self.run.own.linear_solves += 1;
        self.run.own.newton_iterations += 1;
        let (change, multipliers) = self.solver.x.split_at(self.leap.a.len());
        self.leap.a.iter_mut().zip(change).for_each(|(a, change)| *a += change);
        self.leap.lambda.iter_mut().zip(multipliers).for_each(|(lambda, change)| *lambda += change);
        (self.coordinate, self.change) = (place_of_largest(change), largest(change));
        Ok(self.change)
    }

    fn judge(&mut self, Progress { size: change, last, .. }: Progress) -> Option<Outcome> {
        self.made += 1;
        let Leap { start, delta, factors: (by_position, _), .. } = &self.leap;
        let rounding = ROUNDINGS * f64::EPSILON * (largest(start) + largest(delta));
        let stagnates = change > 0.25 * last && change * by_position <= rounding.min(most_moved(largest(start)));
        (change <= self.tolerated() || stagnates).then_some(Outcome::Converged)
    }
}
