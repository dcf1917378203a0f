//! A half-explicit Runge–Kutta method for constrained mechanics.

use mbsbench_integrators::{drive, hermite::show_motion, low_order};
use mbsbench_problem::linalg::{Lu, Singular};
use mbsbench_problem::{AcceptedStep, Counted, Failure, Method, MethodDefinition, Observer, Ode, Run, Solution};
use mbsbench_problem::{Stepping, Task, Terms, Unsuitable, parameters};
use nalgebra::DMatrix;

/// The weights that lead from the stages so far to the next one, or to the end of the step, and the node of that point.
const ROWS: [(&[f64], f64); 3] = [(&[1.0 / 3.0], 1.0 / 3.0), (&[-1.0, 2.0], 1.0), (&[0.0, 0.75, 0.25], 1.0)];

parameters! {
    /// The multipliers of a stage make the velocities at the next stage satisfy their constraints: one linear system
    /// per stage, without iteration. Order three; positions drift off their constraints.
    #[derive(Copy)]
    pub struct HalfExplicit {}
}

impl MethodDefinition for HalfExplicit {
    const NAME: &'static str = "half-explicit";
    const SUMMARY: &'static str = "Half-explicit Runge–Kutta method of order 3 for constrained mechanics";
    const SOURCE: &'static str = "V. Brasey, E. Hairer, SIAM J. Numer. Anal. 30 (1993) 538–552";
    const FAMILY: &'static str = "half-explicit";

    fn method(&self) -> Box<dyn Method> {
        Box::new(*self)
    }
}

impl Method for HalfExplicit {
    fn order(&self) -> u32 {
        3
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        low_order::suits(problem)
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::run(self, problem, task, observer, |problem| {
            let (n, m) = (task.initial.len() / 2, problem.mechanics()?.dimensions().holonomic);
            Ok(Steps {
                start: task.initial.to_vec(),
                end: task.initial.to_vec(),
                stages: std::array::from_fn(|_| [vec![0.0; n], vec![0.0; n]]),
                terms: Terms::new(n, m),
                matrix: DMatrix::zeros(n + m, n + m),
                factors: Lu::new(n + m),
                x: vec![0.0; n + m],
            })
        })
    }
}

struct Steps {
    start: Vec<f64>,
    end: Vec<f64>,
    /// Velocities and accelerations.
    stages: [[Vec<f64>; 2]; 3],
    terms: Terms<f64>,
    /// `[M −Jᵀ; J⁺ 0]`, with `J⁺` at the next stage; `(a ; λ)`.
    matrix: DMatrix<f64>,
    factors: Lu<f64>,
    x: Vec<f64>,
}

impl<'p> Stepping<Counted<'p>> for Steps {
    fn attempt(&mut self, run: &mut Run<'_, Counted<'p>>) -> Result<Option<f64>, Failure> {
        let Self { start, end, stages, terms, matrix, factors, x } = self;
        let ((t_end, h), time, n) = (run.constant_step(), run.t, start.len() / 2);
        run.check_budget(ROWS.len() as u64)?;
        end.copy_from_slice(start);
        let mut t = time;
        for (i, (row, node)) in ROWS.into_iter().enumerate() {
            let (q, v) = end.split_at_mut(n);
            let mut mechanics = run.problem.mechanics()?;
            mechanics.terms(t, q, v, terms);
            stages[i][0].copy_from_slice(v);
            t = if node == 1.0 { t_end } else { time + node * h };
            let sum = |part: usize, j: usize| -> f64 { row.iter().zip(&*stages).map(|(a, k)| a * k[part][j]).sum() };
            for j in 0..n {
                q[j] = start[j] + h * sum(0, j);
                v[j] = start[n + j] + h * (sum(1, j) - row[i] * stages[i][1][j]);
            }
            matrix.view_mut((0, 0), (n, n)).copy_from(terms.mass.all());
            matrix.view_mut((0, n), (n, x.len() - n)).tr_copy_from(terms.jacobian.all());
            matrix.view_mut((0, n), (n, x.len() - n)).neg_mut();
            mechanics.constraint_jacobian(t, q, v, terms.jacobian.all_mut());
            matrix.view_mut((n, 0), (x.len() - n, n)).copy_from(terms.jacobian.all());
            mechanics.velocity_constraints(t, q, v, &mut x[n..]);
            x[..n].copy_from_slice(&terms.forces);
            x[n..].iter_mut().for_each(|rate| *rate /= -h * row[i]);
            run.own.factorizations += 1;
            run.own.linear_solves += 1;
            factors.factorize(matrix).map_err(|Singular| Failure::SingularMatrix { time, matrix: "[M -J'; J 0]" })?;
            factors.solve(x);
            stages[i][1].copy_from_slice(&x[..n]);
            v.iter_mut().zip(&x[..n]).for_each(|(v, a)| *v += h * row[i] * a);
        }
        if end.iter().all(|x| x.is_finite()) { Ok(Some(t_end)) } else { Err(Failure::NonFinite { time }) }
    }

    fn observe(&mut self, _problem: &mut Counted<'p>, step: AcceptedStep<'_>) -> std::ops::ControlFlow<Failure> {
        show_motion(step, &self.start, &self.end, &self.x[self.start.len() / 2..])
    }

    fn states(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.start, &mut self.end]
    }
}
