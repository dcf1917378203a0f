//! Linear multistep formulas with their first steps and steps of a different size.

use mbsbench_problem::Failure;

use super::history::{History, add};
use super::multistep::{LinearMultistep, Multistep};
use super::newton::{Solver, Stage};
use super::predictor::Predictor;
use super::scheme::Scheme;
use super::settings::Prediction;

/// `y_k = Σ α_j y_{k−j} + h Σ β_j y'_{k−j}`; zhang2022, Eq. 2.
///
/// The first `r − 1` steps use the formulas of [`Multistep::first`]. Steps of the trapezoidal rule are predicted from
/// the last point, those of the other formulas from the last two. A step of a different size than the previous one
/// uses the two-step formula for variable steps, with the same `ρ_∞`.
pub struct PastSteps {
    rule: Multistep,
    /// Predictor for formulas with several past steps, for equal steps.
    predictor: Predictor,
    made: usize,
    last_step: f64,
}

impl PastSteps {
    /// The scheme at the start of a run.
    pub fn new(rule: Multistep, prediction: Prediction) -> Self {
        Self {
            rule,
            predictor: match prediction {
                Prediction::Constant => Predictor::CONSTANT,
                Prediction::Paper | Prediction::SecondOrder => Predictor::hermite(1.0, [0.0, -1.0]),
            },
            made: 0,
            last_step: 0.0,
        }
    }

    /// Writes `ŷ` and the first guess into `solver`, and returns `c`.
    fn prepare(
        formula: &LinearMultistep,
        predictor: &Predictor,
        solver: &mut Solver<'_, '_>,
        history: &History,
        h: f64,
    ) -> f64 {
        let unknowns = &mut *solver.unknowns;
        unknowns.base.fill(0.0);
        for (age, &alpha) in formula.alpha.iter().enumerate() {
            let point = history.point(age);
            add(alpha, &point.y, &mut unknowns.base);
            add(formula.beta[age + 1] * h, &point.rates, &mut unknowns.base);
        }
        predictor.predict(h, history, &mut unknowns.rates);
        formula.beta[0] * h
    }
}

impl Scheme for PastSteps {
    fn depth(&self) -> usize {
        self.rule.formula.steps().max(2)
    }

    fn points(&self) -> usize {
        1
    }

    fn step(&mut self, solver: &mut Solver<'_, '_>, history: &mut History, h: f64) -> Result<(), Failure> {
        let Multistep { formula, first, rho_inf } = &self.rule;
        let live = formula.steps().min(self.made + 1);
        let formula = first.get(self.made).unwrap_or(formula);
        solver.recentre(history, live, &mut []);
        let c = if formula.steps() == 1 {
            Self::prepare(formula, &Predictor::CONSTANT, solver, history, h)
        } else if h == self.last_step {
            Self::prepare(formula, &self.predictor, solver, history, h)
        } else {
            let kappa = h / self.last_step;
            let formula = LinearMultistep::lms2_variable(*rho_inf, kappa);
            let predictor = Predictor::hermite(1.0, [0.0, -1.0 / kappa]);
            Self::prepare(&formula, &predictor, solver, history, h)
        };
        solver.recentre_at_prediction(history, live, &mut [], c);
        solver.solve(Stage { number: 1, t: solver.t_end, c })?;
        history.push(&solver.unknowns.y, &solver.unknowns.rates);
        self.made += 1;
        self.last_step = h;
        Ok(())
    }
}
