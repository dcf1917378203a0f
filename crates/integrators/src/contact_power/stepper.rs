//! The formulas as steppers with constant step size.

use mbsbench_problem::{Counted, Failure};

use super::Formula;
use crate::Stepper;

/// Numbers of positions, velocities and bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) positions: usize,
    pub(super) velocities: usize,
    /// Number of bodies with a contact power.
    pub(super) bodies: usize,
    /// True if positions are vectors whose rates are the velocities. Such a problem need not have contact powers.
    pub(super) vectors: bool,
}

impl Sizes {
    /// Returns the sizes of a problem.
    ///
    /// # Errors
    /// Returns an error if the problem does not suit the method.
    pub(super) fn of(problem: &mut Counted<'_>) -> Result<Self, Failure> {
        if problem.properties().is_second_order {
            let half = problem.dimension() / 2;
            return Ok(Self { positions: half, velocities: half, bodies: 0, vectors: true });
        }
        let side = problem.contact_power()?;
        let [positions, velocities, bodies] = [side.coordinates(), side.velocities(), side.bodies()];
        Ok(Self { positions, velocities, bodies, vectors: false })
    }
}

/// One step of a [`Formula`].
#[derive(Debug, Clone)]
pub(super) struct FixedStepper {
    formula: Formula,
    /// `(q' ; v')` at the start of the present step.
    rate: Vec<f64>,
    /// `(q' ; v')` at the end of the step, if the formula evaluates it.
    end_rate: Vec<f64>,
    /// Displacement of the present step; empty if positions are vectors, which are updated directly.
    displacement: Vec<f64>,
    positions: usize,
    start_known: bool,
}

impl FixedStepper {
    /// A stepper for states of these sizes.
    pub(super) fn new(formula: Formula, sizes: Sizes) -> Self {
        let rate = vec![0.0; sizes.positions + sizes.velocities];
        let displacement = vec![0.0; if sizes.vectors { 0 } else { sizes.velocities }];
        Self { formula, end_rate: rate.clone(), rate, displacement, positions: sizes.positions, start_known: false }
    }
}

impl Stepper<f64> for FixedStepper {
    fn step(&mut self, ode: &mut Counted<'_>, t: f64, h: f64, start: &[f64], end: &mut [f64]) -> Result<(), Failure> {
        self.evaluate_start(ode, t, start)?;
        let Self { formula, rate, end_rate, displacement, positions, .. } = self;
        let accelerations = &rate[*positions..];
        if displacement.is_empty() {
            formula.predict_vectors(h, start, accelerations, end);
        } else {
            formula.predict(&mut ode.contact_power()?, h, start, accelerations, displacement, end);
        }
        if formula.corrects {
            ode.rhs(t + h, end, end_rate)?;
            formula.correct(h, accelerations, &end_rate[*positions..], &mut end[*positions..]);
        }
        Ok(())
    }

    fn accepted(&mut self, same_end: bool) {
        self.start_known = same_end && self.formula.corrects;
        if self.start_known {
            std::mem::swap(&mut self.rate, &mut self.end_rate);
        }
    }

    fn restart(&mut self) {
        self.start_known = false;
    }

    fn start_derivative(&self) -> &[f64] {
        &self.rate
    }

    fn evaluate_start(&mut self, problem: &mut Counted<'_>, t: f64, start: &[f64]) -> Result<(), Failure> {
        if !self.start_known {
            problem.rhs(t, start, &mut self.rate)?;
            self.start_known = true;
        }
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        1 + u64::from(self.formula.corrects)
    }
}
