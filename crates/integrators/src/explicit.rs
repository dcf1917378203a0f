//! The engine of all explicit Runge–Kutta formulas.

use mbsbench_problem::{
    Counted, DoubleDouble, Failure, Method, MethodProperties, Observer, Ode, Scalar, Solution, Statistics, Task,
    Unsuitable, parameters,
};
use nalgebra::{Complex, DMatrix};

use crate::combine::{LONGEST, Row};
use crate::control::ControllerSettings;
use crate::dense::DenseOutput;
use crate::formula::Formula;
use crate::projection::Projection;
use crate::stepper::{Stepper, is_finite};
use crate::{Tableau, drive, suite};

parameters! {
    /// The formula of a pair that advances the solution.
    #[derive(Copy, Default, Eq)]
    pub enum Advance {
        /// The formula of higher order (local extrapolation).
        #[default]
        Higher,
        /// The formula of lower order, whose error the pair estimates.
        Lower,
    }
}

/// The norm of an error, which also determines the choice of the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Norm {
    /// Root mean square of the components.
    RootMeanSquare,
    /// Largest component, as in MATLAB's suite of methods; see [`suite`].
    Suite,
}

/// An explicit Runge–Kutta method: a formula and its step-size control.
#[derive(Debug, Clone)]
pub struct ExplicitRungeKutta {
    /// The formula in double-double precision; a solve rounds it to its scalar type.
    pub(crate) formula: Formula<DoubleDouble>,
    pub(crate) control: ControllerSettings,
    pub(crate) norm: Norm,
    pub(crate) dense_output: bool,
    /// Tolerance of the projection onto the constraints of mechanics, if the method projects.
    pub(crate) projection_tolerance: Option<f64>,
    /// Lines about the formula in `mbsbench list NAME`.
    pub(crate) details: fn(&Formula<DoubleDouble>) -> Vec<String>,
}

impl ExplicitRungeKutta {
    /// The method of `tableau`, advancing with the weights `b`.
    pub fn new(tableau: &Tableau, control: ControllerSettings) -> Self {
        Self::of(tableau.formula.clone(), control)
    }

    /// The method of a formula.
    pub fn of(formula: Formula<DoubleDouble>, control: ControllerSettings) -> Self {
        let (norm, details) = (Norm::RootMeanSquare, |_: &_| Vec::new());
        Self { formula, control, norm, dense_output: false, projection_tolerance: None, details }
    }

    /// The method with the formula that `advance` names. A tableau without a second formula stays as it is.
    #[must_use]
    pub fn advancing(mut self, advance: Advance) -> Self {
        if advance == Advance::Lower {
            self.formula = self.formula.clone().with_lower_order().unwrap_or(self.formula);
        }
        self
    }
}

impl<S: Scalar> Method<S> for ExplicitRungeKutta {
    fn order(&self) -> u32 {
        self.formula.order
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties {
            adapts: !self.formula.estimates.is_empty(),
            // Without a projection there is no linear algebra.
            counts_flops: self.projection_tolerance.is_none(),
            full_matrices: if self.projection_tolerance.is_some() { 2 } else { 0 },
            ..MethodProperties::default()
        }
    }

    fn suits(&self, problem: &mut dyn Ode<S>) -> Result<(), Unsuitable> {
        if self.projection_tolerance.is_some() {
            problem.form().mechanics()?;
            Unsuitable::unless_plain(problem)?;
        } else {
            Unsuitable::with_mass(problem)?;
        }
        Unsuitable::without_rhs(problem)
    }

    fn amplification(&self, omega_h: f64) -> Option<DMatrix<Complex<f64>>> {
        Some(DMatrix::from_element(1, 1, self.formula.stability(Complex::new(0.0, omega_h))))
    }

    fn details(&self) -> Vec<String> {
        (self.details)(&self.formula)
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        let task = if self.norm == Norm::Suite { suite::with_largest_step(task) } else { task.clone() };
        drive::solve(self, problem, &task, observer, self.control, |problem| {
            let (formula, n) = (self.formula.rounded(), problem.dimension());
            let mut stepper = ExplicitStepper::new(&formula, n, drive::is_adaptive(&task));
            stepper.norm = self.norm;
            if self.dense_output {
                stepper.dense = DenseOutput::new(&formula, n);
            }
            if let Some(tolerance) = self.projection_tolerance {
                stepper.projection = Some(Projection::new(&mut problem.mechanics()?, tolerance));
            }
            Ok(stepper)
        })
    }
}

/// One step of an explicit Runge–Kutta formula.
///
/// All memory is allocated at construction. Trailing stages are not evaluated if neither the result nor a requested
/// error estimate needs them.
#[derive(Debug, Clone)]
pub struct ExplicitStepper<S: Scalar> {
    error_order: u32,
    dimension: usize,
    /// The dimension if there are at most [`LONGEST`] stages, otherwise zero.
    unrolled: usize,
    /// Number of evaluated stages, including the first one and one at the end of the step.
    count: usize,
    /// The stages between the first one and one at the end of the step.
    inner: Vec<Stage<S>>,
    weights: Row<S>,
    estimates: Vec<Row<S>>,
    /// Derivatives at the stages, one after the other, with space for [`LONGEST`] of them.
    stages: Vec<S>,
    /// Scratch memory of the error estimate.
    state: Vec<S>,
    zeros: Vec<S>,
    /// True if the state of the last stage is the result, so that its derivative is the first one of the next step.
    last_is_end: bool,
    start: StartDerivative,
    norm: Norm,
    dense: Option<DenseOutput<S>>,
    projection: Option<Projection<S>>,
}

/// A stage: `f(t + node h, y + h Σ aⱼ kⱼ)`.
#[derive(Debug, Clone)]
struct Stage<S> {
    node: S,
    row: Row<S>,
}

/// The location of the derivative at the start of the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartDerivative {
    /// Not evaluated yet.
    Unknown,
    /// In the first stage: a step from this state has been attempted.
    FirstStage,
    /// In the last stage: the previous step ended at this state.
    LastStage,
}

/// The dimensions with unrolled loops: points and rigid bodies in the plane, and mechanisms with seven coordinates.
const UNROLLED: [usize; 5] = [1, 2, 4, 6, 14];

/// The message if a state has another dimension than the stepper.
const FITS: &str = "the stepper was made for states of this dimension";

impl<S: Scalar> ExplicitStepper<S> {
    /// A stepper for states of `dimension` components; `with_estimate` reserves the stages of the error estimate.
    pub fn new(formula: &Formula<S>, dimension: usize, with_estimate: bool) -> Self {
        let last_nonzero = |row: &[S]| row.iter().rposition(|a| *a != S::zero()).map_or(0, |last| last + 1);
        let mut count = last_nonzero(&formula.weights);
        let estimates: &[_] = if with_estimate { &formula.estimates } else { &[] };
        for estimate in estimates {
            count = count.max(last_nonzero(&estimate.difference));
        }
        let last_is_end = count == formula.weights.len() && formula.first_same_as_last();
        // if the last stage is the end of the step, its row contains the weights
        let inner = 1..count - usize::from(last_is_end);
        // Unrolled loops run over a fixed number of stages; other problems store only the stages that exist.
        let space = if UNROLLED.contains(&dimension) { count.max(LONGEST) } else { count };
        let row = |row: &[S]| Row::new(row, dimension);
        let stage = |i: usize| Stage { node: formula.nodes[i], row: row(&formula.rows[i]) };
        Self {
            error_order: formula.error_order,
            dimension,
            unrolled: if count <= LONGEST { dimension } else { 0 },
            count,
            inner: inner.map(stage).collect(),
            weights: row(&formula.weights[..count]),
            estimates: estimates.iter().map(|e| row(&e.difference[..count])).collect(),
            stages: vec![S::zero(); space * dimension],
            state: vec![S::zero(); dimension],
            zeros: vec![S::zero(); dimension],
            last_is_end,
            start: StartDerivative::Unknown,
            norm: Norm::RootMeanSquare,
            dense: None,
            projection: None,
        }
    }

    /// The dimension if the loops over it and over the stages are unrolled, otherwise zero. Only in double precision:
    /// double-double loops are long enough as they are.
    #[inline(always)]
    fn unrolled(&self) -> usize {
        if size_of::<S>() == size_of::<f64>() { self.unrolled } else { 0 }
    }

    /// [`step`](Stepper::step) for any dimension and any number of stages.
    fn step_any(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        end: &mut [S],
    ) -> Result<(), Failure> {
        let n = self.dimension;
        self.evaluate_start(problem, t, start)?;
        for (i, Stage { node, row }) in (1..).zip(&self.inner) {
            let (known, stage) = self.stages.split_at_mut(i * n);
            // The stages' states are written to `end`, which keeps one vector less in the cache.
            row.advance(end, start, h, known);
            problem.rhs(t + *node * h, end, &mut stage[..n])?;
        }
        self.weights.advance(end, start, h, &self.stages);
        if self.last_is_end {
            problem.rhs(t + h, end, &mut self.stages[(self.count - 1) * n..][..n])?;
        }
        Ok(())
    }

    /// Makes a step for states of `D` components and at most [`LONGEST`] stages. With tolerances, also returns the
    /// error; see [`Stepper::step_with_error`].
    #[inline(always)]
    fn step_unrolled<const D: usize>(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        end: &mut [S],
        tolerances: Option<&(f64, f64)>,
    ) -> Result<f64, Failure> {
        let start: &[S; D] = start.first_chunk().expect(FITS);
        let end: &mut [S; D] = end.first_chunk_mut().expect(FITS);
        let stages: &mut [[S; D]; LONGEST] = self.stages.as_chunks_mut().0.first_chunk_mut().expect(FITS);
        let mut problem = problem.evaluations();
        match self.start {
            StartDerivative::Unknown => problem.rhs(t, start, &mut stages[0])?,
            StartDerivative::FirstStage => {}
            StartDerivative::LastStage => stages[0] = stages[self.count - 1],
        }
        self.start = StartDerivative::FirstStage;
        let mut inner = self.inner.iter();
        // Unrolled stage by stage: the number of a stage is the length of its row.
        macro_rules! evaluate {
            ($($i:literal)*) => {
                'all: {
                    $(
                        let Some(Stage { node, row }) = inner.next() else {
                            *end = self.weights.advanced::<D, $i>(start, h, stages);
                            break 'all;
                        };
                        let state = row.advanced::<D, $i>(start, h, stages);
                        problem.rhs(t + *node * h, &state, &mut stages[$i])?;
                    )*
                    *end = self.weights.advanced::<D, LONGEST>(start, h, stages);
                }
            };
        }
        evaluate!(1 2 3 4 5 6 7 8 9 10 11 12);
        if self.last_is_end {
            problem.rhs(t + h, end, &mut stages[self.count - 1])?;
        }
        let Some(&(rel, abs)) = tolerances else { return Ok(f64::NAN) };
        if !is_finite(end) {
            return Ok(f64::INFINITY);
        }
        let error = match self.norm {
            Norm::RootMeanSquare => self.error_unrolled(h, start, end, rel, abs),
            Norm::Suite => self.suite_error(h, start, end, rel, abs),
        };
        Ok(error.unwrap_or(f64::NAN))
    }

    /// [`step`](Stepper::step), or [`Stepper::step_with_error`] with tolerances, compiled as one function.
    #[inline(never)]
    fn attempt(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        end: &mut [S],
        tolerances: Option<&(f64, f64)>,
    ) -> Result<f64, Failure> {
        match self.unrolled() {
            1 => self.step_unrolled::<1>(problem, (t, h), start, end, tolerances),
            2 => self.step_unrolled::<2>(problem, (t, h), start, end, tolerances),
            4 => self.step_unrolled::<4>(problem, (t, h), start, end, tolerances),
            6 => self.step_unrolled::<6>(problem, (t, h), start, end, tolerances),
            14 => self.step_unrolled::<14>(problem, (t, h), start, end, tolerances),
            _ => {
                self.step_any(problem, (t, h), start, end)?;
                let Some(&(rel, abs)) = tolerances else { return Ok(f64::NAN) };
                if !is_finite(end) {
                    return Ok(f64::INFINITY);
                }
                Ok(self.error(h, start, end, rel, abs).unwrap_or(f64::NAN))
            }
        }
    }

    /// [`error`](Stepper::error) for any dimension and any number of stages.
    fn error_any(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        let mut square = |row: &Row<S>| {
            row.advance(&mut self.state, &self.zeros, S::from(1.0), &self.stages);
            let components = self.state.iter().zip(start.iter().zip(end));
            components.map(|(&error, (&start, &end))| (error.value() / scale(start, end, rel, abs)).powi(2)).sum()
        };
        match self.estimates.as_slice() {
            [] => None,
            [only] => Some(norm(h, start.len(), square(only))),
            [fifth, third, ..] => Some(combined_norm(h, start.len(), square(fifth), square(third))),
        }
    }

    /// [`error`](Stepper::error) for states of `D` components and at most [`LONGEST`] stages.
    #[inline(always)]
    fn error_unrolled<const D: usize>(&self, h: S, start: &[S; D], end: &[S; D], rel: f64, abs: f64) -> Option<f64> {
        let stages: &[[S; D]; LONGEST] = self.stages.as_chunks().0.first_chunk().expect(FITS);
        let scales: [f64; D] = std::array::from_fn(|w| scale(start[w], end[w], rel, abs));
        match self.estimates.as_slice() {
            [] => None,
            [only] => Some(norm(h, D, weighted_square(&only.sum(stages), &scales))),
            [fifth, third, ..] => {
                let (fifth, third) = (fifth.sum(stages), third.sum(stages));
                Some(combined_norm(h, D, weighted_square(&fifth, &scales), weighted_square(&third, &scales)))
            }
        }
    }

    /// The error in the norm of MATLAB's suite.
    #[inline(never)]
    fn suite_error(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        self.estimates.first()?.advance(&mut self.state, &self.zeros, h, &self.stages);
        let sizes = start.iter().zip(end).map(|(start, end)| start.value().abs().max(end.value().abs()));
        Some(suite::largest(self.state.iter().map(|error| error.value()).zip(sizes), rel, abs))
    }

    /// Sets the derivative at the start of the next step, so that the step does not evaluate it.
    pub fn start_with(&mut self, derivative: &[S]) {
        self.stages[..self.dimension].copy_from_slice(derivative);
        self.start = StartDerivative::FirstStage;
    }

    /// The derivative at the end of the last step, if the last stage provides it.
    pub fn end_derivative(&self) -> Option<&[S]> {
        self.last_is_end.then(|| &self.stages[(self.count - 1) * self.dimension..self.count * self.dimension])
    }

    /// Derivatives at the stages of the last step, one after the other.
    pub fn stages(&self) -> &[S] {
        &self.stages[..self.count * self.dimension]
    }
}

impl<S: Scalar> Stepper<S> for ExplicitStepper<S> {
    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure> {
        self.attempt(problem, (t, h), start, end, None).map(|_| ())
    }

    fn step_with_error(
        &mut self,
        problem: &mut Counted<'_, S>,
        times: (S, S),
        start: &[S],
        end: &mut [S],
        tolerances: &(f64, f64),
    ) -> Result<f64, Failure> {
        self.attempt(problem, times, start, end, Some(tolerances))
    }

    fn state_within(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        t_within: S,
        y: &mut [S],
    ) -> Result<(), Failure> {
        self.restart();
        let Some(mut dense) = self.dense.take() else { return self.step(problem, t, t_within - t, start, y) };
        let result = self.step(problem, t, h, start, y);
        let prepared = result.and_then(|()| dense.prepare(problem, (t, h), start, y, self.stages()));
        dense.state_at((t_within - t) / h, y);
        self.dense = Some(dense);
        prepared
    }

    fn error(&mut self, h: S, start: &[S], end: &[S], rel: f64, abs: f64) -> Option<f64> {
        match self.norm {
            Norm::RootMeanSquare => self.error_any(h, start, end, rel, abs),
            Norm::Suite => self.suite_error(h, start, end, rel, abs),
        }
    }

    fn error_order(&self) -> Option<u32> {
        (!self.estimates.is_empty()).then_some(self.error_order)
    }

    fn accepted(&mut self, same_end: bool) {
        let taken_over = same_end && self.last_is_end;
        self.start = if taken_over { StartDerivative::LastStage } else { StartDerivative::Unknown };
    }

    fn projects(&self, problem: &Counted<'_, S>) -> bool {
        self.projection.is_some() || problem.properties().projects
    }

    fn project(&mut self, problem: &mut Counted<'_, S>, t: S, y: &mut [S]) -> Result<(), Failure> {
        let Some(projection) = &mut self.projection else { return problem.project(t, y) };
        problem.count_projection();
        projection.project(&mut problem.mechanics()?, t, y)
    }

    fn restart(&mut self) {
        self.start = StartDerivative::Unknown;
    }

    fn start_derivative(&self) -> &[S] {
        &self.stages[..self.dimension]
    }

    #[inline(always)]
    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        let n = self.dimension;
        match self.start {
            StartDerivative::Unknown => problem.rhs(t, start, &mut self.stages[..n])?,
            StartDerivative::FirstStage => {}
            StartDerivative::LastStage => self.stages.copy_within((self.count - 1) * n..self.count * n, 0),
        }
        self.start = StartDerivative::FirstStage;
        Ok(())
    }

    fn first_step(&self, start: &[S], tolerances: (f64, f64), max_step: f64) -> Option<f64> {
        if self.norm == Norm::RootMeanSquare {
            return None;
        }
        let rates = self.start_derivative().iter().zip(start).map(|(f, y)| (f.value(), y.value()));
        suite::first_step(rates, tolerances, self.error_order, max_step)
    }

    fn evaluations(&self) -> u64 {
        self.count as u64
    }

    fn costs(&self) -> Statistics {
        let none = Statistics { linear_algebra_flops: Some(0), ..Statistics::default() };
        self.projection.as_ref().map_or(none, |projection| projection.costs)
    }
}

/// The scale of the error in one component: `abs + rel max(|start|, |end|)`.
#[inline(always)]
fn scale<S: Scalar>(start: S, end: S, rel: f64, abs: f64) -> f64 {
    // Both are finite; `f64::max` would take seven instructions to handle NaN.
    let (start, end) = (start.value().abs(), end.value().abs());
    abs + rel * if start > end { start } else { end }
}

/// `Σ (error / scale)²`
#[inline(always)]
fn weighted_square<S: Scalar, const D: usize>(error: &[S; D], scales: &[f64; D]) -> f64 {
    let shares: [f64; D] = std::array::from_fn(|w| error[w].value() / scales[w]);
    shares.iter().map(|share| share * share).sum()
}

/// The error of a step of size `h` from the weighted square of its estimate per unit of time.
#[inline(always)]
fn norm<S: Scalar>(h: S, dimension: usize, square: f64) -> f64 {
    h.value().abs() * (square / dimension as f64).sqrt()
}

/// The error from two estimates, `err = err₅ · err₅ / √(err₅² + 0.01 err₃²)`: Hairer, Nørsett, Wanner, section II.10.
#[inline(always)]
fn combined_norm<S: Scalar>(h: S, dimension: usize, fifth: f64, third: f64) -> f64 {
    let denominator = fifth + 0.01 * third;
    let denominator = if denominator <= 0.0 { 1.0 } else { denominator };
    h.value().abs() * fifth * (1.0 / (denominator * dimension as f64)).sqrt()
}
