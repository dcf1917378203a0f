//! One half-explicit step.

use mbsbench_problem::linalg::{Matrix, Saddle};
use mbsbench_problem::{Counted, CountedMechanics, Dimensions, Failure, Scalar, Statistics};

use super::tables::{Coefficients, Table};
use crate::Stepper;
use crate::saddle::{Memory, factors, only};

/// A stepper for the formula of a [`Table`].
#[derive(Debug, Clone)]
pub struct HalfExplicitStepper<S: Scalar> {
    table: &'static Table,
    coefficients: Coefficients<S>,
    coordinates: usize,
    /// `(q' ; v')` of each stage, one after the other.
    stages: Vec<S>,
    /// The information available at the start of the step.
    start: Known,
    /// The present point.
    point: Vec<S>,
    mass: Matrix<S>,
    /// `J` at the present point and at the next one.
    jacobians: [Matrix<S>; 2],
    /// `[M −Jᵀ; J⁺ 0]`, with `J⁺` at the next point.
    system: Saddle<S>,
    /// True for a tree of joints, whose accelerations come from the right-hand side instead of matrices.
    is_tree: bool,
    /// `(A ; Λ)`.
    x: Vec<S>,
    estimate: Vec<S>,
    costs: Statistics,
}

/// The information available at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// None.
    Nothing,
    /// The step has the same start as the last one.
    Again,
    /// The step starts at the end of the last one.
    End,
}

impl<S: Scalar> HalfExplicitStepper<S> {
    /// A stepper for a mechanical system of the given dimensions.
    pub fn new(table: &'static Table, mechanics: &mut CountedMechanics<'_, S>) -> Self {
        let Dimensions { coordinates, velocities: n, holonomic: m, .. } = mechanics.dimensions();
        let coefficients = Coefficients::of(table);
        let is_tree = mechanics.is_tree();
        let memory = if is_tree { Memory::none() } else { Memory::of(mechanics) };
        let zeros = |n| vec![S::zero(); n];
        Self {
            table,
            coordinates,
            stages: zeros((coordinates + n) * coefficients.rows.len()),
            start: Known::Nothing,
            point: zeros(coordinates + n),
            mass: memory.mass(),
            jacobians: [memory.jacobian(), memory.jacobian()],
            system: memory.saddle(),
            is_tree,
            x: zeros(n + m),
            estimate: zeros(if coefficients.difference.is_empty() { 0 } else { coordinates + n }),
            coefficients,
            costs: Statistics::default(),
        }
    }

    /// Writes `q'` at the present point into stage `i`, and evaluates mass and forces, or else the accelerations.
    fn evaluate(&mut self, problem: &mut Counted<'_, S>, t: S, i: usize) -> Result<(), Failure> {
        let Self { stages, point, coordinates, mass, x, .. } = self;
        let (q, v) = point.split_at(*coordinates);
        let stage = &mut stages[i * point.len()..][..point.len()];
        if self.is_tree {
            problem.rhs(t, point, stage)?;
            x.copy_from_slice(&stage[q.len()..]);
            return Ok(());
        }
        let mut mechanics = problem.mechanics()?;
        mechanics.position_rate(q, v, &mut stage[..q.len()]);
        mechanics.mass_in(q, mass);
        mechanics.forces(t, q, v, &mut x[..v.len()]);
        Ok(())
    }

    /// Solves for the accelerations of stage `i` and the multipliers. The lower rows of the matrix are those of the
    /// Jacobian `next`, and `x` contains the right-hand side. `time` is the time of the state, s, for failures.
    fn solve(&mut self, time: S, i: usize, next: usize) -> Result<(), Failure> {
        let Self { stages, coordinates, mass, jacobians, system, is_tree, x, costs, .. } = self;
        if *is_tree {
            return Ok(());
        }
        let n = mass.nrows();
        system.put_rows(only(mass), &jacobians[0], &jacobians[next]);
        costs.factorizations += 1;
        costs.linear_solves += 1;
        factors(system, time.value())?;
        system.solve(x);
        stages[i * (*coordinates + n) + *coordinates..][..n].copy_from_slice(&x[..n]);
        Ok(())
    }

    /// Computes stage `i` at `t_stage`; the point at `t_next`, to which it leads, becomes the present point. `t` and
    /// `h` belong to the step.
    fn stage(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, t_stage, t_next): (S, S, S),
        i: usize,
        h: S,
        start: &[S],
    ) -> Result<(), Failure> {
        let is_explicit = i == 0 && self.table.explicit_start;
        if !is_explicit {
            self.evaluate(problem, t_stage, i)?;
        }
        let dimension = start.len();
        let (nq, row) = (self.coordinates, &self.coefficients.rows[i]);
        // positions include this stage; velocities do not until its accelerations are known
        for (w, point) in self.point.iter_mut().enumerate() {
            let known = if w < nq || is_explicit { &row[..] } else { &row[..i] };
            let stages = self.stages[w..].iter().step_by(dimension);
            let sum = known.iter().zip(stages).fold(S::zero(), |sum, (&a, &rate)| sum + a * rate);
            *point = start[w] + h * sum;
        }
        let last = row[i];
        let (q, v) = self.point.split_at_mut(nq);
        let mut mechanics = problem.mechanics()?;
        if !self.is_tree {
            mechanics.constraint_jacobian_in(t_next, q, v, &mut self.jacobians[1]);
        }
        if !is_explicit {
            let n = v.len();
            let rates = &mut self.x[n..];
            mechanics.velocity_constraints(t_next, q, v, rates);
            rates.iter_mut().for_each(|rate| *rate /= -(h * last));
            self.solve(t, i, 1)?;
            let (v, a) = (&mut self.point[nq..], &self.x[..n]);
            v.iter_mut().zip(a).for_each(|(v, &a)| *v += h * last * a);
        }
        self.jacobians.swap(0, 1);
        Ok(())
    }
}

impl<S: Scalar> Stepper<S> for HalfExplicitStepper<S> {
    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure> {
        self.evaluate_start(problem, t, start)?;
        for i in 0..self.coefficients.rows.len() {
            let times = (t, t + self.coefficients.nodes[i] * h, t + self.coefficients.nodes[i + 1] * h);
            self.stage(problem, times, i, h, start)?;
            if i == self.table.end {
                end.copy_from_slice(&self.point);
            }
        }
        Ok(())
    }

    fn error(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        let rates = (0..start.len(), &self.stages[..]);
        self.coefficients.error(h, (start, end), (rel, abs), rates, &mut self.estimate)
    }

    fn error_estimate(&self) -> &[S] {
        &self.estimate
    }

    fn error_order(&self) -> Option<u32> {
        self.table.embedded.as_ref().map(|embedded| embedded.order + 1)
    }

    fn accepted(&mut self, same_end: bool) {
        self.start = if same_end { Known::End } else { Known::Nothing };
    }

    fn restart(&mut self) {
        self.start = Known::Nothing;
    }

    fn start_derivative(&self) -> &[S] {
        &self.stages[..self.point.len()]
    }

    /// Evaluates the first stage if it is not known. For an explicit first stage, its accelerations follow from the
    /// constraints at acceleration level.
    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        self.point.copy_from_slice(start);
        match (self.start, self.table.explicit_start) {
            (Known::End, true) => {
                let last = self.stages.len() - start.len();
                self.stages.copy_within(last.., 0);
            }
            (Known::End, false) | (Known::Again, true) => {}
            (Known::Again, false) | (Known::Nothing, _) => {
                let (q, v) = start.split_at(self.coordinates);
                if !self.is_tree {
                    problem.mechanics()?.constraint_jacobian_in(t, q, v, &mut self.jacobians[0]);
                }
                if self.table.explicit_start {
                    self.evaluate(problem, t, 0)?;
                    let bias = &mut self.x[v.len()..];
                    problem.mechanics()?.acceleration_bias(t, q, v, bias);
                    bias.iter_mut().for_each(|bias| *bias = -*bias);
                    self.solve(t, 0, 0)?;
                }
            }
        }
        self.start = Known::Again;
        Ok(())
    }

    fn multipliers(&self) -> &[S] {
        &self.x[self.point.len() - self.coordinates..]
    }

    fn evaluations(&self) -> u64 {
        let stages = self.coefficients.rows.len() as u64;
        if self.table.explicit_start && self.start != Known::Nothing { stages - 1 } else { stages }
    }

    fn costs(&self) -> Statistics {
        Statistics { linear_algebra_flops: Some(self.system.flops()), ..self.costs }
    }
}
