//! Explicit differential equations in implicit form.

use nalgebra::DMatrix;

use super::{Dae, Point};
use crate::acceleration::{is_finite, not_invertible};
use crate::linalg::{Singular, System, add_product};
use crate::{BranchSystem, Failure, Ode, Scalar, Tangent};

/// `y' − f(t, y) = 0`, or `M y' − f(t, y) = 0` with a constant matrix `M`, for an [`Ode`] with a Jacobian. All
/// unknowns are differential. If `M` is singular, there are no [consistent](Dae::consistent) initial rates, and a run
/// has to start from [`kinematic`](Dae::kinematic) ones.
pub struct FirstOrder<'p, S: Scalar = f64> {
    ode: &'p mut dyn Ode<S>,
    mass: Option<DMatrix<S>>,
    system: System<S>,
    /// Derivatives and system of a tree with many joints, in place of the dense system.
    tree: Option<(Tangent<S>, BranchSystem)>,
    /// Memory for right-hand sides of the tree.
    x: Vec<f64>,
}

impl<'p, S: Scalar> FirstOrder<'p, S> {
    /// Wraps equations that [have a Jacobian](crate::Properties::has_jacobian).
    pub fn new(ode: &'p mut dyn Ode<S>) -> Self {
        let tree = ode.tangent().and_then(|tangent| {
            let Tangent::Tree(tree) = &tangent else { return None };
            let system = BranchSystem::new(tree);
            Some((tangent, system))
        });
        let n = if tree.is_some() { 0 } else { ode.dimension() };
        let x = vec![0.0; ode.dimension() - n];
        Self { mass: ode.properties().mass.cloned(), system: System::new(n), tree, x, ode }
    }
}

/// Forms Newton's matrix, `M − c ∂f/∂y`.
fn form<S: Scalar>(
    ode: &mut dyn Ode<S>,
    mass: Option<&DMatrix<S>>,
    at: Point<'_, S>,
    c: S,
    matrix: &mut DMatrix<S>,
) -> Result<(), Failure> {
    ode.jacobian(at.t, at.y, matrix)?;
    matrix.apply(|entry| *entry *= -c);
    match mass {
        Some(mass) => matrix.zip_apply(mass, |entry, mass| *entry += mass),
        None => (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += S::from(1.0)),
    }
    Ok(())
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
        if let Some((tangent, system)) = &mut self.tree {
            self.ode.linearise(at.t, at.y, tangent).map_err(|_| Singular)?;
            let Tangent::Tree(tree) = tangent else { return Err(Singular) };
            return system.factorize(c.value(), tree);
        }
        form(self.ode, self.mass.as_ref(), at, c, &mut self.system.matrix).map_err(|_| Singular)?;
        self.system.factorize()
    }

    fn solve(&mut self, x: &mut [S]) {
        let Some((_, system)) = &mut self.tree else { return self.system.solve(x) };
        self.x.iter_mut().zip(&*x).for_each(|(to, from)| *to = from.value());
        system.solve(&mut self.x);
        x.iter_mut().zip(&self.x).for_each(|(to, &from)| *to = S::from(from));
    }

    fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>) {
        if form(self.ode, self.mass.as_ref(), at, c, matrix).is_err() {
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
