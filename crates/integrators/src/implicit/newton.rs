//! Newton's method at one point of a step.

use mbsbench_problem::dae::Point;
use mbsbench_problem::linalg::Singular;
use mbsbench_problem::{CountedDae, Counts, Failure, Observer, Settings};
use nalgebra::DMatrix;

use super::history::{History, add};
use super::settings::{Charts, Options};
use crate::newton::{Keeper, Outcome, Progress, iterate};

/// The point to be solved for.
#[derive(Debug, Clone)]
pub struct Unknowns {
    /// `ŷ` in `y = ŷ + c y'`, length `n`.
    pub base: Vec<f64>,
    /// Local coordinates `y`.
    pub y: Vec<f64>,
    /// `(y' ; λ)`, length `n + m`: the first guess, then the solution.
    pub rates: Vec<f64>,
    residual: Vec<f64>,
    /// Predicted rates `y'` of the chart's centre, length `n`, if charts move.
    centre: Vec<f64>,
    /// Memory for observers that watch the matrix.
    matrix: Option<DMatrix<f64>>,
}

impl Unknowns {
    /// Memory for `n` differential and `m` algebraic unknowns.
    pub fn new(n: usize, m: usize, watched: bool) -> Self {
        let zeros = |size: usize| vec![0.0; size];
        let matrix = watched.then(|| DMatrix::zeros(n + m, n + m));
        let (base, y, centre) = (zeros(n), zeros(n), zeros(n));
        Self { base, y, rates: zeros(n + m), residual: zeros(n + m), centre, matrix }
    }
}

/// The position of a point in its step.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// Number of the implicit stage, from 1.
    pub number: u32,
    /// Its time, s.
    pub t: f64,
    /// `c` in `y = ŷ + c y'`, s.
    pub c: f64,
}

/// Solves the points of a step.
pub struct Solver<'s, 'd> {
    /// The problem.
    pub dae: &'s mut CountedDae<'d>,
    /// Options for solving the equations.
    pub options: Options,
    /// Budgets of the run.
    pub settings: Settings,
    /// The chart in which everything is expressed.
    pub chart: &'s mut Vec<f64>,
    /// Memory for the next chart.
    pub next_chart: &'s mut Vec<f64>,
    /// The point to be solved for.
    pub unknowns: &'s mut Unknowns,
    /// The policy for forming matrices.
    pub(super) keeper: &'s mut Keeper,
    /// Start of the step, s.
    pub t: f64,
    /// End of the step, s.
    pub t_end: f64,
    /// The observer, which may watch the matrices.
    pub observer: &'s mut dyn Observer,
}

impl Solver<'_, '_> {
    /// Moves the chart to the newest point. Re-expresses in it the `live` newest points and the further rates `y'`
    /// that belong to the newest one.
    pub fn recentre(&mut self, history: &mut History, live: usize, further: &mut [Vec<f64>]) {
        if !self.chart.is_empty() {
            self.dae.recentre(self.chart, &history.newest().y, self.next_chart);
            self.transport(history, live, further);
        }
    }

    /// Moves the chart to the predicted point of a stage if charts are centred there, with the same changes as
    /// [`recentre`](Self::recentre). The formula then gives the change from the prediction.
    pub fn recentre_at_prediction(&mut self, history: &mut History, live: usize, further: &mut [Vec<f64>], c: f64) {
        if !self.options.charts.are_predicted() || self.chart.is_empty() {
            return;
        }
        let Unknowns { base, y, rates, centre, .. } = &mut *self.unknowns;
        add(c, rates, base);
        self.dae.recentre(self.chart, base, self.next_chart);
        let n = y.len();
        self.dae.transport(self.chart, self.next_chart, base, &mut rates[..n]);
        centre.copy_from_slice(&rates[..n]);
        add(-c, rates, base);
        self.transport(history, live, further);
    }

    /// Re-expresses points and further rates in the next chart, and makes it the present one.
    fn transport(&mut self, history: &mut History, live: usize, further: &mut [Vec<f64>]) {
        for rates in further {
            self.unknowns.y.copy_from_slice(&history.newest().y);
            self.dae.transport(self.chart, self.next_chart, &mut self.unknowns.y, rates);
        }
        history.transport(live, self.dae, self.chart, self.next_chart);
        std::mem::swap(self.chart, self.next_chart);
    }

    /// Solves for the point of a stage, from the `base` and the first guess of `rates` in [`Unknowns`]. The residual
    /// is tested first, so that a good guess needs no iteration.
    ///
    /// # Errors
    /// Returns [`Failure::StageDiverged`], [`Failure::NonFinite`] if the first residual is not finite,
    /// [`Failure::SingularMatrix`], or [`Failure::BudgetExhausted`], all with the time at the start of the step, or
    /// an error of the problem.
    pub fn solve(&mut self, stage: Stage) -> Result<(), Failure> {
        let time = self.t;
        let most = self.options.iterations;
        let (mut norm, mut corrections) = (f64::NAN, 0);
        // Each iteration tests the residual; all but the first apply a correction before.
        let make = |solver: &mut Self, iteration: u32| -> Result<f64, Failure> {
            let Solver { dae, options, settings, chart, unknowns, keeper, t, t_end, observer, .. } = solver;
            let Unknowns { base, y, rates, residual, centre, matrix } = &mut **unknowns;
            let (time, c) = (*t, stage.c);
            if iteration > 1 {
                if keeper.forms(iteration == 2, c) {
                    let at = Point { t: stage.t, chart: &chart[..], y, rates };
                    if let Some(matrix) = matrix {
                        dae.jacobian(at, c, matrix);
                        observer.newton_matrix(*t_end, matrix);
                    }
                    let factorized = dae.factorize(at, c);
                    factorized.map_err(|Singular| Failure::SingularMatrix { time, matrix: "Newton's matrix" })?;
                }
                dae.correct(residual);
                add(-1.0, residual, rates);
                corrections += 1;
            }
            y.copy_from_slice(base);
            add(c, rates, y);
            if options.charts == Charts::Moving && !chart.is_empty() {
                dae.follow(centre, c, y);
            }
            settings.check_evaluations(time, dae.statistics().rhs_evaluations, 1)?;
            dae.residual(Point { t: stage.t, chart: &chart[..], y, rates }, c, residual)?;
            norm = residual.iter().map(|row| row * row).sum::<f64>().sqrt();
            Ok(norm)
        };
        let judge = |solver: &mut Self, progress: Progress| {
            if progress.size <= solver.options.tolerance {
                return Some(Outcome::Converged);
            }
            solver.keeper.judge(progress);
            None
        };
        let outcome = iterate(self, most.saturating_add(1), make, judge)?;
        let (residual, iterations) = (norm, corrections);
        let stage = stage.number;
        outcome.converged(time, iterations, || Failure::StageDiverged { time, stage, iterations, residual })
    }
}
