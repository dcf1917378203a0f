//! Properties of a method that follow from its characteristic roots.

use mbsbench_problem::linear::characteristics;
use mbsbench_problem::parameters;

use super::simple::at_end;
use super::{Measure, MeasureContext, MeasureDefinition};

parameters! {
    /// The spectral radius, and the amplitude decay and period elongation of the principal root, for the undamped
    /// oscillator (zhang2022, Eq. 22). Nothing is solved: the roots are those of the method's formula at the run's
    /// constant step, whatever the model. Cells are empty for a method that does not provide its roots.
    ///
    /// With a period of one second, the step per stage is the abscissa `Δt/(nT)` of the paper's figures.
    pub struct LinearAnalysis {
        /// Period `T` of the oscillator, s.
        period: f64 [above 0.0] = 1.0,
    }
}

impl MeasureDefinition for LinearAnalysis {
    const NAME: &'static str = "linear_analysis";
    const SUMMARY: &'static str =
        "spectral radius, amplitude decay and period elongation, from the method's characteristic roots";

    fn columns(&self) -> Vec<String> {
        ["spectral_radius", "amplitude_decay", "period_elongation"].map(str::to_owned).to_vec()
    }
    fn is_of_method(&self) -> bool {
        true
    }
    fn start(&self, context: &MeasureContext<'_>) -> Box<dyn Measure> {
        let stages = f64::from(context.method.implicit_stages());
        let at = |step: f64| characteristics(context.method, &[step / (stages * self.period)]);
        let roots = context.step.and_then(at).and_then(|mut all| all.pop());
        at_end(move |_| {
            let principal = roots.as_ref().and_then(|roots| roots.principal.as_ref());
            vec![
                roots.as_ref().map(|roots| roots.spectral_radius),
                principal.map(|root| root.amplitude_decay),
                principal.map(|root| root.period_elongation),
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use mbsbench_integrators::{Ode15s, Trapezoidal};
    use mbsbench_problem::{Method, MethodDefinition};

    use super::super::tests::{context, ended};
    use super::*;

    fn measured(method: &dyn Method, step: Option<f64>) -> Vec<Option<f64>> {
        let context = MeasureContext { method, step, ..context(&[], [0.0, 1.0], None) };
        ended(LinearAnalysis { period: 2.0 }.start(&context), false)
    }

    #[test]
    fn the_trapezoidal_rule_lengthens_the_period_and_damps_nothing() {
        let trapezoidal = Trapezoidal::default().method();
        let values = measured(&*trapezoidal, Some(0.2));
        let omega_h = TAU * 0.1;
        let exact = [1.0, 0.0, 0.5 * omega_h / (0.5 * omega_h).atan() - 1.0];
        for (value, exact) in values.iter().zip(exact) {
            assert!((value.unwrap() - exact).abs() < 1e-14, "{values:?}");
        }
    }

    #[test]
    fn cells_are_empty_without_roots_or_step() {
        assert_eq!(measured(&*Ode15s::default().method(), Some(0.1)), [None; 3]);
        assert_eq!(measured(&*Trapezoidal::default().method(), None), [None; 3]);
    }
}
