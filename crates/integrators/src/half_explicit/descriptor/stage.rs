//! One stage: its multipliers and the next point.

use mbsbench_problem::linalg::{System, multiply};
use mbsbench_problem::{Counted, Failure, Scalar, Statistics, Unsuitable};
use nalgebra::DMatrix;

use super::factorized;
use super::parts::{Parts, copy};
use crate::newton::{Outcome, Progress, iterate, largest};

/// The largest number of iterations of a stage; the stage has then not converged.
pub const MOST_ITERATIONS: u32 = 10;

/// The iteration ends when a correction is at most this many units of rounding of the largest component.
const ROUNDINGS: f64 = 16.0;

/// The iteration also ends when corrections stagnate below this fraction of the largest component.
const SMALL: f64 = 1e-8;

/// The matrix is formed again if a correction exceeds this fraction of the previous one.
const SLOW: f64 = 1e-2;

/// The name of the matrix in failures.
const MATRIX: &str = "matrix of the multipliers of a stage";

/// Times of a stage, s.
#[derive(Debug, Clone, Copy)]
pub struct Times<S> {
    /// Start of the step.
    pub start: S,
    /// Time of the stage.
    pub stage: S,
    /// Time of the point that the stage leads to.
    pub next: S,
}

/// The present stage and the point that it leads to.
#[derive(Debug, Clone)]
pub struct Stage<S: Scalar> {
    /// Kinds of unknowns and rows.
    pub parts: Parts,
    /// `M` of the differential unknowns with its factors; `None` for the identity.
    mass: Option<System<S>>,
    /// `y` at the stage, and `f` there.
    pub point: Vec<S>,
    f: Vec<S>,
    /// The next point, and `f` there.
    pub next: Vec<S>,
    f_next: Vec<S>,
    /// `u` at the next point without this stage.
    known: Vec<S>,
    /// `u'` at the stage.
    pub rate: Vec<S>,
    /// The last evaluated `∂f/∂y`.
    jacobian: DMatrix<S>,
    /// `M⁻¹ ∂f/∂z` and `∂k/∂z` at the stage.
    by_multipliers: DMatrix<S>,
    own: DMatrix<S>,
    /// The matrix for `(Δz ; Δw/(h a))`, and that for `w` alone.
    system: System<S>,
    system_of_index_one: System<S>,
    /// The solution of a system, and the change of `u'` that it causes.
    x: Vec<S>,
    change: Vec<S>,
    /// The unit of rounding: the spacing of numbers at one.
    unit: f64,
    /// Factorizations, solves and iterations so far.
    pub costs: Statistics,
}

impl<S: Scalar> Stage<S> {
    /// Classifies the unknowns of a problem and reserves memory.
    pub fn new(problem: &mut Counted<'_, S>, t: S, start: &[S], explicit_start: bool) -> Result<Self, Failure> {
        let mut parts = Parts::new(problem.properties().mass, problem.properties().indices)?;
        let n = start.len();
        let (matrix, zeros) = (|m, n| DMatrix::from_element(m, n, S::zero()), |n| vec![S::zero(); n]);
        let mut jacobian = matrix(n, n);
        problem.jacobian(t, start, &mut jacobian)?;
        parts.sort(&jacobian, explicit_start)?;
        let mass = problem.properties().mass.map_or(Ok(None), |mass| factorized(mass, &parts, t.value()))?;
        let (rank, multipliers) = (parts.rank(), parts.multipliers());
        Ok(Self {
            mass,
            point: zeros(n),
            f: zeros(n),
            next: zeros(n),
            f_next: zeros(n),
            known: zeros(rank),
            rate: zeros(rank),
            jacobian,
            by_multipliers: matrix(rank, multipliers),
            own: matrix(parts.own.len(), multipliers),
            system: System::new(n - rank),
            system_of_index_one: System::new(if explicit_start { parts.index_one.len() } else { 0 }),
            x: zeros(n - rank),
            change: zeros(rank),
            unit: unit::<S>(),
            parts,
            costs: Statistics::default(),
        })
    }

    /// Floating-point operations of the linear algebra so far.
    pub fn flops(&self) -> u64 {
        let of_mass = self.mass.as_ref().map_or(0, |mass| mass.flops);
        self.system.flops + self.system_of_index_one.flops + of_mass
    }

    /// Makes the start of the step the present point.
    pub fn begin(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        self.point.copy_from_slice(start);
        problem.rhs(t, start, &mut self.f)?;
        problem.jacobian(t, start, &mut self.jacobian)?;
        self.take_multipliers();
        Ok(())
    }

    /// Makes the next point the present one.
    pub fn advance(&mut self) {
        std::mem::swap(&mut self.point, &mut self.next);
        std::mem::swap(&mut self.f, &mut self.f_next);
        self.take_multipliers();
    }

    /// Extracts the derivatives by the multipliers from the Jacobian at the present point.
    fn take_multipliers(&mut self) {
        let Self { parts, mass, jacobian, by_multipliers, own, .. } = self;
        copy(jacobian, &parts.rates, &parts.index_two, by_multipliers);
        copy(jacobian, &parts.own, &parts.index_two, own);
        if let Some(mass) = mass {
            by_multipliers.as_mut_slice().chunks_mut(parts.rank()).for_each(|column| mass.solve(column));
        }
    }

    /// Computes `u'` from `f` at the present point.
    pub fn evaluate_rate(&mut self) {
        for (rate, &row) in self.rate.iter_mut().zip(&self.parts.rates) {
            *rate = self.f[row];
        }
        if let Some(mass) = &mut self.mass {
            mass.solve(&mut self.rate);
        }
    }

    /// Computes `u` at the next point without this stage: `start` plus the contributions of the stages `before`
    /// (their rates, one after the other) with the row `a` of the table. The algebraic unknowns of the next point
    /// start as those of the present one.
    pub fn lead(&mut self, start: &[S], h: S, row: &[S], before: &[S]) {
        let Self { parts, known, next, point, .. } = self;
        next.copy_from_slice(point);
        for (i, (known, &j)) in known.iter_mut().zip(&parts.differential).enumerate() {
            let rates = before.get(i..).unwrap_or_default().iter().step_by(parts.rank());
            *known = start[j] + h * row.iter().zip(rates).fold(S::zero(), |sum, (&a, &rate)| sum + a * rate);
        }
    }

    /// Solves for the next point and, unless the stage `(number, is_explicit)` is explicit, for the multipliers.
    /// `step` is `h a`.
    ///
    /// # Errors
    /// Returns an error if the problem fails, or [`Failure::SingularMatrix`], [`Failure::StageDiverged`] or
    /// [`Failure::NonFinite`].
    pub fn solve(
        &mut self,
        problem: &mut Counted<'_, S>,
        times: Times<S>,
        (number, is_explicit): (usize, bool),
        step: S,
    ) -> Result<(), Failure> {
        let time = times.start.value();
        let mut search =
            Search { stage: self, problem, times, is_explicit, step, iterations: 0, residual: 0.0, forms: true };
        let outcome = iterate(&mut search, MOST_ITERATIONS, Search::iterate, Search::judge)?;
        let Search { iterations, residual, .. } = search;
        let stage = number as u32 + 1;
        outcome.converged(time, 0, || Failure::StageDiverged { time, stage, iterations, residual })
    }
}

/// Newton's method for a stage.
struct Search<'s, 'c, 'p, S: Scalar> {
    stage: &'s mut Stage<S>,
    problem: &'c mut Counted<'p, S>,
    times: Times<S>,
    is_explicit: bool,
    /// The step size times the coefficient: `h a`.
    step: S,
    iterations: u64,
    /// Largest entry of the right-hand side of the last correction.
    residual: f64,
    /// True if the next correction has to form the matrix.
    forms: bool,
}

impl<S: Scalar> Search<'_, '_, '_, S> {
    /// Evaluates the next point with the present multipliers, and `f` there. The flag requests `f` at the stage as
    /// well.
    fn evaluate(&mut self, again: bool) -> Result<(), Failure> {
        let Self { stage, problem, times, step, .. } = self;
        if again {
            problem.rhs(times.stage, &stage.point, &mut stage.f)?;
        }
        stage.evaluate_rate();
        let Stage { parts, next, known, rate, f_next, .. } = &mut **stage;
        for (&j, (&known, &rate)) in parts.differential.iter().zip(known.iter().zip(&*rate)) {
            next[j] = known + *step * rate;
        }
        problem.rhs(times.next, next, f_next)
    }

    /// Forms the matrix, with the derivatives at the next point:
    ///
    /// ```text
    /// ( ∂k/∂z             0     )
    /// ( ∂g/∂u M⁻¹ ∂f/∂z   ∂g/∂w )
    /// ```
    fn form(&mut self) -> Result<(), Failure> {
        let Self { stage, problem, times, is_explicit, .. } = self;
        let Stage { parts, next, jacobian, by_multipliers, own, system, system_of_index_one, costs, .. } = &mut **stage;
        problem.jacobian(times.next, next, jacobian)?;
        if !parts.hold(jacobian) {
            let lacks = "has them in further rows at some states";
            return Err(Unsuitable::new("multipliers in the same rows at all states", lacks).into());
        }
        let system = if *is_explicit {
            copy(jacobian, &parts.index_one, &parts.index_one, &mut system_of_index_one.matrix);
            system_of_index_one
        } else {
            let (above, left) = (parts.own.len(), parts.multipliers());
            system.matrix.fill(S::zero());
            system.matrix.view_mut((0, 0), (above, left)).copy_from(own);
            for (i, &row) in parts.constraints.iter().enumerate() {
                for (j, column) in by_multipliers.column_iter().enumerate() {
                    let entries = parts.differential.iter().zip(column.iter());
                    system.matrix[(above + i, j)] =
                        entries.fold(S::zero(), |sum, (&k, &entry)| sum + jacobian[(row, k)] * entry);
                }
                for (j, &column) in parts.index_one.iter().enumerate() {
                    system.matrix[(above + i, left + j)] = jacobian[(row, column)];
                }
            }
            system
        };
        costs.factorizations += 1;
        let (time, matrix) = (self.times.start.value(), MATRIX);
        system.factorize().map_err(|_| {
            let is_finite = system.matrix.iter().all(|entry| entry.is_finite());
            if is_finite { Failure::SingularMatrix { time, matrix } } else { Failure::NonFinite { time } }
        })
    }

    /// Solves for a correction and returns the largest change of the next point that it causes.
    fn correction(&mut self) -> f64 {
        let Self { stage, is_explicit, step, residual, .. } = self;
        let Stage { parts, f, f_next, by_multipliers, system, system_of_index_one, x, change, costs, .. } =
            &mut **stage;
        costs.newton_iterations += 1;
        costs.linear_solves += 1;
        let left = if *is_explicit { 0 } else { parts.multipliers() };
        let x = if *is_explicit {
            let x = &mut x[..parts.index_one.len()];
            x.iter_mut().zip(&parts.index_one).for_each(|(x, &row)| *x = -f_next[row] / *step);
            *residual = largest(x);
            system_of_index_one.solve(x);
            x
        } else {
            let (own, constraints) = x.split_at_mut(parts.own.len());
            own.iter_mut().zip(&parts.own).for_each(|(x, &row)| *x = -f[row]);
            constraints.iter_mut().zip(&parts.constraints).for_each(|(x, &row)| *x = -f_next[row] / *step);
            *residual = largest(x);
            system.solve(x);
            &mut x[..]
        };
        multiply(by_multipliers, &x[..left], change);
        largest(change).max(largest(&x[left..])) * step.value().abs()
    }

    /// Applies the correction to the multipliers and the unknowns of index 1.
    fn correct(&mut self) {
        let Self { stage, is_explicit, step, .. } = self;
        let Stage { parts, point, next, x, .. } = &mut **stage;
        let (of_multipliers, of_index_one) = x.split_at(if *is_explicit { 0 } else { parts.multipliers() });
        for (&j, &x) in parts.index_two.iter().zip(of_multipliers) {
            point[j] += x;
            next[j] = point[j];
        }
        for (&j, &x) in parts.index_one.iter().zip(of_index_one) {
            next[j] += *step * x;
        }
    }

    fn iterate(&mut self, iteration: u32) -> Result<f64, Failure> {
        if iteration > 1 {
            self.correct();
        }
        self.evaluate(iteration > 1 && !self.is_explicit)?;
        if self.forms {
            if iteration > 1 && !self.is_explicit {
                let Self { stage, problem, times, .. } = self;
                problem.jacobian(times.stage, &stage.point, &mut stage.jacobian)?;
                stage.take_multipliers();
            }
            self.form()?;
        }
        self.iterations += 1;
        Ok(self.correction())
    }

    /// Judges a correction. The one that ends the iteration is not applied.
    fn judge(&mut self, Progress { size: change, last, .. }: Progress) -> Option<Outcome> {
        let size = largest(&self.stage.next);
        let stagnates = change > 0.25 * last && change <= SMALL * size;
        self.forms = change > SLOW * last;
        (change <= ROUNDINGS * self.stage.unit * size || stagnates).then_some(Outcome::Converged)
    }
}

/// Approximately the spacing of numbers at one: the rounding error of `3 (4/3 − 1) − 1`.
fn unit<S: Scalar>() -> f64 {
    let left = (S::ratio(4.0, 3.0) - 1.0) * 3.0 - 1.0;
    left.value().abs().max(2f64.powi(-104))
}
