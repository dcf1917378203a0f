//! Single-step formulas with auxiliary derivatives.

use mbsbench_problem::Failure;
use nalgebra::Complex;

use super::SingleStep;
use super::history::{History, add};
use super::newton::{Solver, Stage};
use super::predictor::Predictor;
use super::scheme::Scheme;
use super::settings::{Charts, Prediction};

/// `y_k = y_{k−1} + h (b₀ y'_k + b₋₁ y'_{k−1} + Σ_p Re(b_{I,p} p^p_{k−1}))`; zhang2022, Eqs. 9 to 11 and 18 to 20.
///
/// The auxiliary derivatives start as `y'(0)`. The prediction is a constant `y'` (Eq. 15). On a manifold the
/// auxiliaries are rates at the present configuration, as `y'` is: an approximation of the paper's.
pub struct Auxiliaries {
    formula: SingleStep,
    /// Real and imaginary parts alternately, level by level, each of length `n`.
    parts: Vec<Vec<f64>>,
    /// `y'` at the start of the step.
    before: Vec<f64>,
    prediction: Prediction,
    /// Size of the previous step, s; 0 before the first.
    last_step: f64,
}

impl Auxiliaries {
    /// The scheme before the first step.
    pub fn new(formula: SingleStep, prediction: Prediction) -> Self {
        Self { formula, parts: Vec::new(), before: Vec::new(), prediction, last_step: 0.0 }
    }

    /// Advances the auxiliaries from the derivatives `before` to the derivatives `now`.
    fn advance(&mut self, now: &[f64]) {
        for (i, (&before, &now)) in self.before.iter().zip(now).enumerate() {
            let (mut lower_before, mut lower) = (Complex::from(before), Complex::from(now));
            for (level, parts) in self.formula.levels.iter().zip(self.parts.chunks_exact_mut(2)) {
                let same = Complex::new(parts[0][i], parts[1][i]);
                let new = level.same * same + level.lower * lower + level.lower_before * lower_before;
                (parts[0][i], parts[1][i]) = (new.re, new.im);
                (lower_before, lower) = (same, new);
            }
        }
    }
}

impl Scheme for Auxiliaries {
    fn depth(&self) -> usize {
        2
    }

    fn points(&self) -> usize {
        1
    }

    fn begin(&mut self, history: &History) {
        let initial = history.newest();
        let rates = &initial.rates[..initial.y.len()];
        let level = |_: &_| [rates.to_vec(), vec![0.0; rates.len()]];
        self.parts = self.formula.levels.iter().flat_map(level).collect();
        self.before = vec![0.0; rates.len()];
    }

    fn step(&mut self, solver: &mut Solver<'_, '_>, history: &mut History, h: f64) -> Result<(), Failure> {
        // Everything that the formula stores besides the last point is either re-expressed with that point or left
        // unchanged.
        let follows = solver.options.charts != Charts::Moving;
        let two_points = self.prediction == Prediction::SecondOrder && self.last_step > 0.0;
        let live = if two_points { 2 } else { 1 };
        solver.recentre(history, live, if follows { &mut self.parts } else { &mut [] });
        let n = self.before.len();
        self.before.copy_from_slice(&history.newest().rates[..n]);
        let start = history.newest();
        let unknowns = &mut *solver.unknowns;
        unknowns.base.copy_from_slice(&start.y);
        add(self.formula.b_minus_1 * h, &start.rates, &mut unknowns.base);
        for (weight, parts) in self.formula.b_auxiliary.iter().zip(self.parts.chunks_exact(2)) {
            add(weight.re * h, &parts[0], &mut unknowns.base);
            add(-weight.im * h, &parts[1], &mut unknowns.base);
        }
        let predictor =
            if two_points { Predictor::hermite(1.0, [0.0, -self.last_step / h]) } else { Predictor::CONSTANT };
        predictor.predict(h, history, &mut unknowns.rates);
        let c = self.formula.b_0 * h;
        solver.recentre_at_prediction(history, live, if follows { &mut self.parts } else { &mut [] }, c);
        if follows {
            self.before.copy_from_slice(&history.newest().rates[..n]);
        }
        solver.solve(Stage { number: 1, t: solver.t_end, c })?;
        self.advance(&solver.unknowns.rates[..n]);
        history.push(&solver.unknowns.y, &solver.unknowns.rates);
        self.last_step = h;
        Ok(())
    }
}
