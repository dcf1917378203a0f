//! The steps of a run by any of the methods.

use std::ops::ControlFlow;

use mbsbench_problem::{AcceptedStep, Counted, CountedMechanics, Dimensions, Failure, Further, Run, Stepping};

use super::Rule;
use super::solver::{Leap, Solver};
use crate::hermite::hermite;
use crate::low_order::GeneralizedAlphaWeights;
use crate::stepper::finite;

/// Steps of a method.
pub struct Steps {
    rule: Rule,
    /// Weights of the generalized-α formulas, of the first step in BDF.
    weights: GeneralizedAlphaWeights,
    solver: Solver,
    coordinates: usize,
    /// `δ̂` and `v̂` of the step.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    /// The displacement from its start to its end.
    delta: Vec<f64>,
    /// Accelerations at the start, at the end, and algorithmic ones at the start.
    before: Vec<f64>,
    a: Vec<f64>,
    algorithmic: Vec<f64>,
    lambda: Vec<f64>,
    /// Velocities at the start of the previous step, for BDF.
    earlier: Vec<f64>,
    state: Vec<f64>,
    end: Vec<f64>,
    /// Memory for the states inside a step that an observer requests.
    inside: Vec<f64>,
}

impl Steps {
    /// Creates the steps of a run that starts at `initial`; `newton` is the tolerance and the maximum number of
    /// iterations.
    pub fn new(rule: Rule, newton: (f64, u32), mechanics: &mut CountedMechanics<'_>, initial: &[f64]) -> Self {
        let Dimensions { coordinates, velocities, holonomic, .. } = mechanics.dimensions();
        let zeros = || vec![0.0; velocities];
        Self {
            rule,
            weights: rule.weights(),
            solver: Solver::new(newton, mechanics),
            coordinates,
            displacement: zeros(),
            velocity: zeros(),
            delta: zeros(),
            before: zeros(),
            a: zeros(),
            algorithmic: zeros(),
            lambda: vec![0.0; holonomic],
            earlier: zeros(),
            state: initial.to_vec(),
            end: initial.to_vec(),
            inside: zeros(),
        }
    }

    /// Computes the algorithmic accelerations at the start. They belong to a time before the start and are extrapolated
    /// linearly from the accelerations at the start and equally long after it, so that nothing before the start is
    /// evaluated. The state at the later time is accurate to O(h³).
    fn begin_algorithmic(&mut self, run: &mut Run<'_, Counted<'_>>) -> Result<(), Failure> {
        self.algorithmic.copy_from_slice(&self.a);
        let shift = self.weights.shift() * run.constant_step().1;
        if shift == 0.0 {
            return Ok(());
        }
        let Self { solver, coordinates, delta, velocity, a, algorithmic, state, end, .. } = self;
        let (q, v) = state.split_at(*coordinates);
        let later = shift.abs();
        for i in 0..v.len() {
            delta[i] = later * (v[i] + 0.5 * later * a[i]);
            velocity[i] = v[i] + later * a[i];
        }
        let there = &mut end[..*coordinates];
        run.problem.mechanics()?.retract(q, delta, there);
        let (next, _) = solver.motion(run, (run.t + later, there, velocity))?;
        for (algorithmic, next) in algorithmic.iter_mut().zip(next) {
            *algorithmic += shift / later * (next - *algorithmic);
        }
        Ok(())
    }

    /// Predicts for a step of size `h`, s. Returns the factors of the accelerations at its end.
    fn predict(&mut self, h: f64, is_first: bool) -> (f64, f64) {
        self.before.copy_from_slice(&self.a);
        let v = &self.state[self.coordinates..];
        match self.rule {
            Rule::Bdf if !is_first => {
                for i in 0..v.len() {
                    self.velocity[i] = (4.0 * v[i] - self.earlier[i]) / 3.0;
                    self.displacement[i] = (self.delta[i] + 2.0 * h * self.velocity[i]) / 3.0;
                }
                self.earlier.copy_from_slice(v);
                let by_velocity = h * 2.0 / 3.0;
                (by_velocity * by_velocity, by_velocity)
            }
            Rule::LinearlyImplicit => {
                self.velocity.copy_from_slice(v);
                self.displacement.iter_mut().zip(v).for_each(|(displacement, v)| *displacement = h * v);
                (h * h, h)
            }
            Rule::GeneralizedAlpha(_) | Rule::Bdf => {
                self.earlier.copy_from_slice(v);
                self.predict_generalized(h)
            }
        }
    }

    /// Predicts by the generalized-α formulas.
    fn predict_generalized(&mut self, h: f64) -> (f64, f64) {
        let Self { weights, coordinates, displacement, velocity, a, algorithmic, state, .. } = self;
        let GeneralizedAlphaWeights { beta, gamma, .. } = *weights;
        let v = &state[*coordinates..];
        for i in 0..v.len() {
            let (start, rest) = (algorithmic[i], weights.rest(a[i], algorithmic[i]));
            displacement[i] = h * v[i] + h * h * ((0.5 - beta) * start + beta * rest);
            velocity[i] = v[i] + h * ((1.0 - gamma) * start + gamma * rest);
        }
        let share = weights.share();
        (beta * share * h * h, gamma * share * h)
    }
}

impl<'p> Stepping<Counted<'p>> for Steps {
    fn begin(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        if let Rule::LinearlyImplicit = self.rule {
            return Ok(());
        }
        let Self { solver, coordinates, a, lambda, state, .. } = self;
        let (q, v) = state.split_at(*coordinates);
        let (accelerations, multipliers) = solver.motion(run, (run.t, q, v))?;
        a.copy_from_slice(accelerations);
        lambda.copy_from_slice(multipliers);
        self.begin_algorithmic(run)
    }

    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let (t, h) = run.constant_step();
        let factors = self.predict(h, run.own.steps_accepted == 0);
        let Self { rule, solver, coordinates, displacement, velocity, delta, before, a, lambda, state, end, .. } = self;
        let end = end.split_at_mut(*coordinates);
        let start = &state[..*coordinates];
        let leap = Leap { t, start, displacement, velocity, factors, delta, end, a, lambda };
        if let Rule::LinearlyImplicit = rule {
            solver.linear_leap(run, leap)?;
            before.copy_from_slice(a);
        } else {
            solver.leap(run, leap)?;
        }
        finite(run.t, &self.end)?;
        Ok(Some(t))
    }

    /// Inside a step, the displacement is a cubic that starts and ends with the velocities of both ends, without the
    /// tangent operator. The velocities are a cubic from the velocities and accelerations of both ends. Both are more
    /// accurate than the formulas.
    fn observe(&mut self, problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> ControlFlow<Failure> {
        let Self { coordinates, delta, before, a, lambda, state, end, inside, .. } = self;
        let (t_start, h) = (step.t_start, step.t_end - step.t_start);
        let (q, v) = state.split_at(*coordinates);
        let v_end = &end[*coordinates..];
        let further = Further { multipliers: &lambda[..], ..Further::default() };
        step.observe(state, end, further, |t, y| {
            let s = (t - t_start) / h;
            let (position, velocity) = y.split_at_mut(*coordinates);
            for i in 0..v.len() {
                inside[i] = hermite(s, (0.0, h * v[i]), (delta[i], h * v_end[i]));
                velocity[i] = hermite(s, (v[i], h * before[i]), (v_end[i], h * a[i]));
            }
            problem.mechanics()?.retract(q, inside, position);
            Ok(())
        })
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.state, &mut self.end]
    }

    fn after_step(&mut self, _run: &mut Run<'_, Counted<'p>>) -> Result<(), Failure> {
        let Self { weights, before, a, algorithmic, .. } = self;
        for (algorithmic, (&before, &end)) in algorithmic.iter_mut().zip(before.iter().zip(&*a)) {
            *algorithmic = weights.share() * end + weights.rest(before, *algorithmic);
        }
        Ok(())
    }

    fn finish(&mut self, run: &mut Run<'_, Counted<'p>>) {
        run.own.add_flops(self.solver.flops());
    }
}
