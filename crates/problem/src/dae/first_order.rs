//! Explicit differential equations in implicit form.

use nalgebra::DMatrix;

use super::{Dae, Point};
use crate::acceleration::{is_finite, not_invertible};
use crate::linalg::{Singular, System, add_product};
use crate::{Failure, Ode, Scalar};

/// `y' − f(t, y) = 0`, or `M y' − f(t, y) = 0` with a constant matrix `M`, for an [`Ode`] with a Jacobian. All
/// unknowns are differential. If `M` is singular, there are no [consistent](Dae::consistent) initial rates, and a run
/// has to start from [`kinematic`](Dae::kinematic) ones.
pub struct FirstOrder<'p, S: Scalar = f64> {
    ode: &'p mut dyn Ode<S>,
    mass: Option<DMatrix<S>>,
    system: System<S>,
}

impl<'p, S: Scalar> FirstOrder<'p, S> {
    /// Wraps equations that [have a Jacobian](crate::Properties::has_jacobian).
    pub fn new(ode: &'p mut dyn Ode<S>) -> Self {
        Self { mass: ode.properties().mass.cloned(), system: System::new(ode.dimension()), ode }
    }

    /// Forms Newton's matrix, `M − c ∂f/∂y`.
    fn form(&mut self, at: Point<'_, S>, c: S) -> Result<(), Failure> {
        let matrix = &mut self.system.matrix;
        self.ode.jacobian(at.t, at.y, matrix)?;
        matrix.apply(|entry| *entry *= -c);
        match &self.mass {
            Some(mass) => matrix.zip_apply(mass, |entry, mass| *entry += mass),
            None => (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += S::from(1.0)),
        }
        Ok(())
    }
}

impl<S: Scalar> Dae<S> for FirstOrder<'_, S> {
    fn differential(&self) -> usize {
        self.ode.dimension()
    }

    fn algebraic(&self) -> usize {
        0
    }

    fn residual(&mut self, at: Point<'_, S>, _c: S, residual: &mut [S]) -> Result<(), Failure> {
        self.ode.rhs(at.t, at.y, residual)?;
        residual.iter_mut().for_each(|entry| *entry = -*entry);
        match &self.mass {
            Some(mass) => add_product(S::from(1.0), mass, at.rates, residual),
            None => residual.iter_mut().zip(at.rates).for_each(|(entry, &rate)| *entry += rate),
        }
        Ok(())
    }

    fn factorize(&mut self, at: Point<'_, S>, c: S) -> Result<(), Singular> {
        self.form(at, c).map_err(|_| Singular)?;
        self.system.factorize()
    }

    fn solve(&mut self, x: &mut [S]) {
        self.system.solve(x);
    }

    fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>) {
        if self.form(at, c).is_ok() {
            matrix.copy_from(&self.system.matrix);
        } else {
            matrix.fill(S::from(f64::NAN));
        }
    }

    fn consistent(&mut self, t: S, _chart: &[S], y: &[S], rates: &mut [S]) -> Result<(), Failure> {
        self.ode.rhs(t, y, rates)?;
        if let Some(mass) = &self.mass {
            self.system.matrix.copy_from(mass);
            self.system.factorize().map_err(|Singular| not_invertible(is_finite(mass), t, "M in M y' = f"))?;
            self.system.solve(rates);
        }
        Ok(())
    }

    fn kinematic(&self, _chart: &[S], _y: &[S], rates: &mut [S]) {
        rates.fill(S::zero());
    }
}
