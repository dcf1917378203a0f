//! Extrapolation of Gragg's explicit midpoint rule (Gragg–Bulirsch–Stoer).

use mbsbench_problem::{Counted, Failure, Method, Observer, OutOfRange, Scalar, Solution, Task};

use crate::control::ControllerSettings;
use crate::{Stepper, drive};

method! {
    /// Gragg–Bulirsch–Stoer: extrapolation of the explicit midpoint rule to a fixed even order, with constant steps.
    ///
    /// Over a step `h`, the rule with `n` substeps `η = h/n`, `n` even,
    ///
    /// ```text
    /// z₁ = y₀ + η f(t₀, y₀),   zᵢ₊₁ = zᵢ₋₁ + 2η f(tᵢ, zᵢ),   T₁ = zₙ
    /// ```
    ///
    /// has an error expansion in η² (even without a smoothing step). The results for `n = 2, 4, …, order` are
    /// extrapolated to η = 0 by the Aitken–Neville scheme. Hairer, Nørsett, Wanner, Solving Ordinary Differential
    /// Equations I, section II.9, equations (9.10) and (9.13). The method has nothing in common with a Runge–Kutta
    /// tableau, which makes it suitable as the second method of a certified reference.
    pub struct Gbs where order_is_even {
        /// Order of the method, even, from 2 to 40. The midpoint rule is used with 2, 4, …, `order` substeps.
        pub order: u32 [from 2, to 40] = 16,
    }
    "gbs", "extrapolation",
    "Extrapolated explicit midpoint rule (Gragg–Bulirsch–Stoer) of fixed even order",
    "Hairer, Nørsett, Wanner, Solving ODEs I, section II.9",
    |settings| *settings, precise
}

impl Gbs {
    fn order_is_even(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless(self.order.is_multiple_of(2), "order", self.order, "an even number from 2 to 40")
    }
}

impl<S: Scalar> Method<S> for Gbs {
    fn order(&self) -> u32 {
        self.order
    }

    fn solve(&self, problem: Counted<'_, S>, task: &Task<'_, S>, observer: &mut dyn Observer<S>) -> Solution<S> {
        drive::solve(self, problem, task, observer, ControllerSettings::elementary(), |problem| {
            Ok(ExtrapolationStepper::new(self.order, problem.dimension()))
        })
    }
}

/// One step of [`Gbs`].
#[derive(Debug, Clone)]
pub struct ExtrapolationStepper<S> {
    /// Number of extrapolated results.
    columns: usize,
    /// `f(t₀, y₀)`, shared by all substep counts.
    start_derivative: Vec<S>,
    start_known: bool,
    derivative: Vec<S>,
    before: Vec<S>,
    present: Vec<S>,
    /// The last row of the extrapolation table: `columns` states one after the other.
    table: Vec<S>,
}

impl<S: Scalar> ExtrapolationStepper<S> {
    /// A stepper of the given even order for states of `dimension` components.
    pub fn new(order: u32, dimension: usize) -> Self {
        let columns = (order / 2) as usize;
        let zeros = |count| vec![S::zero(); count];
        Self {
            columns,
            start_derivative: zeros(dimension),
            start_known: false,
            derivative: zeros(dimension),
            before: zeros(dimension),
            present: zeros(dimension),
            table: zeros(columns * dimension),
        }
    }

    /// Applies the midpoint rule with `substeps` substeps; the result is in `self.present`.
    fn midpoint(
        &mut self,
        problem: &mut Counted<'_, S>,
        (t, h): (S, S),
        start: &[S],
        substeps: u32,
    ) -> Result<(), Failure> {
        let size = h / f64::from(substeps);
        let twice = size * 2.0;
        self.before.copy_from_slice(start);
        for (i, z) in self.present.iter_mut().enumerate() {
            *z = start[i] + size * self.start_derivative[i];
        }
        for substep in 1..substeps {
            problem.rhs(t + size * f64::from(substep), &self.present, &mut self.derivative)?;
            for (z, &f) in self.before.iter_mut().zip(&self.derivative) {
                *z += twice * f;
            }
            std::mem::swap(&mut self.before, &mut self.present);
        }
        Ok(())
    }
}

impl<S: Scalar> Stepper<S> for ExtrapolationStepper<S> {
    fn step(&mut self, problem: &mut Counted<'_, S>, t: S, h: S, start: &[S], end: &mut [S]) -> Result<(), Failure> {
        let n = start.len();
        self.evaluate_start(problem, t, start)?;
        for j in 0..self.columns {
            self.midpoint(problem, (t, h), start, 2 * (j as u32 + 1))?;
            // The row T_{j,·} replaces T_{j−1,·} from left to right; `present` holds T_{j,k}.
            for k in 0..j {
                let quotient = S::ratio((j + 1) as f64, (j - k) as f64);
                let factor = (quotient * quotient - 1.0).recip();
                for (value, above) in self.present.iter_mut().zip(&mut self.table[k * n..(k + 1) * n]) {
                    let next = *value + (*value - *above) * factor;
                    *above = *value;
                    *value = next;
                }
            }
            self.table[j * n..(j + 1) * n].copy_from_slice(&self.present);
        }
        end.copy_from_slice(&self.present);
        Ok(())
    }

    fn restart(&mut self) {
        self.start_known = false;
    }

    fn start_derivative(&self) -> &[S] {
        &self.start_derivative
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_, S>, t: S, start: &[S]) -> Result<(), Failure> {
        if !self.start_known {
            problem.rhs(t, start, &mut self.start_derivative)?;
            self.start_known = true;
        }
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        // 2 + 4 + … + 2m evaluations, of which the m results share the first one
        let m = self.columns as u64;
        m * (m + 1) - (m - 1)
    }
}
