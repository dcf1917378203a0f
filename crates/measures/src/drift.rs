//! The drift of velocity constraints that a method does not impose (negrut2007, section 4.3).

use mbsbench_problem::{OutOfRange, parameters};

use super::simple::{not_empty, one_for_each};
use super::{Ending, Measure, MeasureContext, MeasureDefinition, Observed};

parameters! {
    /// The constant `C` of the drift law `Φq v = C h² Φq q'''` that fits a run best, by least squares over its steps,
    /// and the residual of the fit relative to the drift (root of the sums of squares).
    #[derive(Default)]
    pub struct DriftConstant in snake_case where each_has_its_own {
        /// Observables that drift: components of `Φq v`.
        of: Vec<String>,
        /// Observables to which they are proportional: the same components of `Φq q'''`.
        on: Vec<String>,
        /// Number of steps at the start that are left out, since a formula with memory has to settle.
        skip: u64 = default,
    }
}

impl DriftConstant {
    fn each_has_its_own(&self) -> Result<(), OutOfRange> {
        not_empty("of", &self.of)?;
        one_for_each("on", &self.on, &self.of)
    }
}

impl MeasureDefinition for DriftConstant {
    const NAME: &'static str = "drift_constant";
    const SUMMARY: &'static str =
        "constant C of the drift law Φq v = C h² Φq q''', fitted by least squares, and the relative residual";

    fn columns(&self) -> Vec<String> {
        ["drift_constant", "drift_fit_residual"].map(str::to_owned).to_vec()
    }
    fn observables(&self) -> Vec<String> {
        [self.of.clone(), self.on.clone()].concat()
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let pairs = self.of.iter().zip(&self.on).map(|(of, on)| Some((context.index(of)?, context.index(on)?)));
        Box::new(Fit { pairs: pairs.collect(), skip: self.skip, ..Fit::default() })
    }
}

#[derive(Default)]
struct Fit {
    /// None if the formulation lacks an observable.
    pairs: Option<Vec<(usize, usize)>>,
    skip: u64,
    steps: u64,
    /// Sums of squares of the drift and of the observables that it is fitted by, and the sum of their products.
    drift: f64,
    by: f64,
    product: f64,
}

impl Measure for Fit {
    fn step(&mut self, step: &mut Observed<'_>) {
        self.steps += 1;
        if self.steps <= self.skip {
            return;
        }
        let h = (step.t_end - step.t_start).abs();
        for &(of, on) in self.pairs.iter().flatten() {
            let (drift, by) = (step.end[of], h * h * step.end[on]);
            self.drift += drift * drift;
            self.by += by * by;
            self.product += drift * by;
        }
    }
    fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
        if ending.failure.is_some() || self.pairs.is_none() || self.by == 0.0 {
            return vec![None, None];
        }
        let constant = self.product / self.by;
        // Σ (d − C b)² = Σ d² − C Σ d b at the best C
        let left = ((self.drift - constant * self.product) / self.drift).max(0.0).sqrt();
        vec![Some(constant), (self.drift > 0.0).then_some(left)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_constant_and_the_residual() {
        let fit = |disturbance: f64| {
            let h = 0.01;
            let mut fit = Fit { pairs: Some(vec![(0, 1)]), ..Fit::default() };
            for k in 0..1000 {
                let t = 0.01 * f64::from(k);
                let (drift, by) = (-0.25 * h * h * t.sin() + disturbance * h * h * t.cos(), h * h * t.sin());
                fit.drift += drift * drift;
                fit.by += by * by;
                fit.product += drift * by;
            }
            let end = Ending {
                t_reached: 10.0,
                statistics: &mbsbench_problem::Statistics::default(),
                observables: &[],
                failure: None,
                states: 0,
                functions: 0,
            };
            Box::new(fit).finish(&end)
        };
        let [constant, left] = fit(0.0)[..] else { panic!("two numbers") };
        assert!((constant.unwrap() + 0.25).abs() < 1e-12 && left.unwrap() < 1e-7);
        let [_, left] = fit(0.25)[..] else { panic!("two numbers") };
        assert!((left.unwrap() - 0.5_f64.sqrt()).abs() < 0.05, "half of the square is not proportional");
    }
}
