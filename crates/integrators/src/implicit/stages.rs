//! Diagonally implicit Runge–Kutta formulas, stage by stage.

use mbsbench_problem::Failure;

use super::history::{History, add};
use super::newton::{Solver, Stage};
use super::predictor::Predictor;
use super::scheme::Scheme;
use super::settings::{Charts, Prediction};
use crate::{Formula, Tableau};

/// `y_i = y_{k−1} + h Σ_{j<i} a_ij y'_j + a_ii h y'_i`; zhang2022, Eqs. 5 and 6.
///
/// The first implicit stage is predicted from the start of the step alone, the others from the last two points, and
/// the last stage of a formula of order four or more from three (section 3.1); from fewer if two of these have the
/// same node.
pub struct Stages {
    /// The formula, whose first stage is the start of the step.
    formula: Formula<f64>,
    /// The predictors, one for each implicit stage.
    predictors: Vec<Predictor>,
}

impl Stages {
    /// The scheme of a formula, with the predictors of its stages.
    pub fn new(tableau: &Tableau, prediction: Prediction) -> Self {
        let mut formula: Formula<f64> = tableau.formula.rounded();
        if !tableau.starts_explicitly() {
            // Only predictions use the start of the step.
            formula.rows.iter_mut().for_each(|row| row.insert(0, 0.0));
            formula.rows.insert(0, vec![0.0]);
            formula.nodes.insert(0, 0.0);
        }
        let c = &formula.nodes;
        let last = c.len() - 1;
        let points = |i: usize| match prediction {
            Prediction::Constant => 1,
            Prediction::Paper if i == last && formula.order >= 4 => 3,
            Prediction::Paper | Prediction::SecondOrder => 2,
        };
        let is_apart =
            |i: usize, points: usize| i >= points && (i - points..i).all(|j| (j + 1..i).all(|k| c[j] != c[k]));
        let predictor = |i: usize| match points(i) {
            3 if is_apart(i, 3) => Predictor::hermite(c[i], [c[i - 1], c[i - 2], c[i - 3]]),
            2 | 3 if is_apart(i, 2) => Predictor::hermite(c[i], [c[i - 1], c[i - 2]]),
            _ => Predictor::CONSTANT,
        };
        Self { predictors: (1..=last).map(predictor).collect(), formula }
    }
}

impl Scheme for Stages {
    fn depth(&self) -> usize {
        self.formula.nodes.len()
    }

    fn points(&self) -> usize {
        self.predictors.len()
    }

    fn step(&mut self, solver: &mut Solver<'_, '_>, history: &mut History, h: f64) -> Result<(), Failure> {
        let last = self.predictors.len();
        let t_start = solver.t;
        for (i, predictor) in (1..).zip(&self.predictors) {
            if i == 1 || solver.options.charts != Charts::Step {
                solver.recentre(history, i, &mut []);
            }
            let row = &self.formula.rows[i];
            let unknowns = &mut *solver.unknowns;
            unknowns.base.copy_from_slice(&history.point(i - 1).y);
            for (j, &weight) in row[..i].iter().enumerate() {
                add(weight * h, &history.point(i - 1 - j).rates, &mut unknowns.base);
            }
            predictor.predict(h, history, &mut unknowns.rates);
            let t = if i == last { solver.t_end } else { t_start + self.formula.nodes[i] * h };
            let c = row[i] * h;
            solver.recentre_at_prediction(history, i, &mut [], c);
            solver.solve(Stage { number: i as u32, t, c })?;
            history.push(&solver.unknowns.y, &solver.unknowns.rates);
        }
        Ok(())
    }
}
