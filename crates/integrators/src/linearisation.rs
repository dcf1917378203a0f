//! Linearisation of a problem for implicit methods: derivatives of its right-hand side, and the matrix `M − c J` with
//! its factors.

use mbsbench_problem::linalg::{Singular, System, multiply};
use mbsbench_problem::{Counted, Failure, Statistics, Tangent, TangentSystem};
use nalgebra::DMatrix;

/// `J = ∂f/∂y` and `f_t = ∂f/∂t` at one point.
///
/// They are exact if the problem [provides](mbsbench_problem::Properties::has_jacobian) them. Otherwise they are
/// forward differences, which take `n` further evaluations of the right-hand side, and one more if it depends on time.
/// The increments are `√(ε max(1e-5, |y_j|))` with `ε = 2⁻⁵²` (E. Hairer, G. Wanner, Solving Ordinary Differential
/// Equations II, section IV.8).
#[derive(Debug, Clone)]
pub(crate) struct Linearisation {
    /// `J`; empty if there is a tangent.
    pub jacobian: DMatrix<f64>,
    /// The sparse equations from which `J` follows, if `J` itself is dense.
    pub tangent: Option<Tangent>,
    /// `f_t`; zero for an autonomous problem.
    pub by_time: Vec<f64>,
    is_exact: bool,
    is_autonomous: bool,
    /// Memory for the differences.
    state: Vec<f64>,
    rate: Vec<f64>,
}

impl Linearisation {
    /// Uses the tangent of the problem, if it has one, instead of `J`.
    pub(crate) fn new(problem: &mut Counted<'_>) -> Self {
        let (tangent, n) = (problem.tangent(), problem.dimension());
        let rows = if tangent.is_some() { 0 } else { n };
        Self {
            jacobian: DMatrix::zeros(rows, rows),
            tangent,
            by_time: vec![0.0; n],
            is_exact: problem.properties().has_jacobian,
            is_autonomous: problem.properties().is_autonomous,
            state: vec![0.0; n],
            rate: vec![0.0; n],
        }
    }

    /// Writes `product = J x`. May allocate; meant for the start of a run.
    ///
    /// # Errors
    /// Returns [`Singular`] if masses and constraints form a singular matrix.
    pub(crate) fn multiply(&self, x: &[f64], product: &mut [f64]) -> Result<(), Singular> {
        match &self.tangent {
            Some(tangent) => TangentSystem::new(tangent).multiply(tangent, x, product)?,
            None => multiply(&self.jacobian, x, product),
        }
        Ok(())
    }

    /// Number of evaluations of the right-hand side for both derivatives.
    pub(crate) fn evaluations(&self) -> u64 {
        if self.is_exact { 0 } else { self.by_time.len() as u64 + u64::from(!self.is_autonomous) }
    }

    /// Computes `J` at `(t, y)`; `derivative` is `f(t, y)`.
    pub(crate) fn take_jacobian(
        &mut self,
        problem: &mut Counted<'_>,
        t: f64,
        y: &[f64],
        derivative: &[f64],
    ) -> Result<(), Failure> {
        if let Some(tangent) = &mut self.tangent {
            return problem.linearise(t, y, tangent);
        }
        if self.is_exact {
            return problem.jacobian(t, y, &mut self.jacobian);
        }
        problem.count_jacobian();
        self.state.copy_from_slice(y);
        for (j, mut column) in self.jacobian.column_iter_mut().enumerate() {
            self.state[j] = y[j] + increment(y[j]);
            let h = self.state[j] - y[j];
            problem.rhs(t, &self.state, &mut self.rate)?;
            self.state[j] = y[j];
            for (entry, (&moved, &here)) in column.iter_mut().zip(self.rate.iter().zip(derivative)) {
                *entry = (moved - here) / h;
            }
        }
        Ok(())
    }

    /// Computes `f_t` at `(t, y)`; `derivative` is `f(t, y)`.
    pub(crate) fn take_time_derivative(
        &mut self,
        problem: &mut Counted<'_>,
        t: f64,
        y: &[f64],
        derivative: &[f64],
    ) -> Result<(), Failure> {
        if self.is_autonomous {
            return Ok(());
        }
        if self.is_exact {
            return problem.time_derivative(t, y, &mut self.by_time);
        }
        let later = t + increment(t);
        problem.rhs(later, y, &mut self.rate)?;
        for (entry, (&moved, &here)) in self.by_time.iter_mut().zip(self.rate.iter().zip(derivative)) {
            *entry = (moved - here) / (later - t);
        }
        Ok(())
    }
}

fn increment(y: f64) -> f64 {
    (f64::EPSILON * y.abs().max(1e-5)).sqrt()
}

/// `M − c J` with its factors and costs. `M` is the identity if the problem has no mass matrix.
#[derive(Debug, Clone)]
pub(crate) struct IterationMatrix {
    /// `M`; none for the identity.
    pub mass: Option<DMatrix<f64>>,
    system: System,
    /// The system used instead if there is a tangent.
    structured: Option<TangentSystem>,
    /// Factorizations and solves.
    pub costs: Statistics,
}

impl IterationMatrix {
    pub(crate) fn new(problem: &Counted<'_>, linearisation: &Linearisation) -> Self {
        let structured = linearisation.tangent.as_ref().map(TangentSystem::new);
        let n = if structured.is_some() { 0 } else { problem.dimension() };
        let mass = problem.properties().mass.cloned();
        let costs = Statistics { linear_algebra_flops: Some(0), ..Statistics::default() };
        Self { mass, system: System::new(n), structured, costs }
    }

    /// Factorizes `M − c J`.
    ///
    /// # Errors
    /// Returns [`Singular`] if the matrix is singular.
    pub(crate) fn factorize(&mut self, c: f64, linearisation: &Linearisation) -> Result<(), Singular> {
        let Linearisation { jacobian, tangent, .. } = linearisation;
        if let (Some(system), Some(tangent)) = (&mut self.structured, tangent) {
            let before = system.flops();
            self.costs.factorizations += 1;
            let factorized = system.factorize(c, tangent);
            self.costs.add_flops(system.flops() - before);
            return factorized;
        }
        let rows = self.system.matrix.nrows();
        let entries = self.system.matrix.as_mut_slice();
        match &self.mass {
            Some(mass) => {
                for ((entry, &mass), &derivative) in entries.iter_mut().zip(mass.as_slice()).zip(jacobian.as_slice()) {
                    *entry = mass - c * derivative;
                }
            }
            None => {
                for (entry, &derivative) in entries.iter_mut().zip(jacobian.as_slice()) {
                    *entry = -c * derivative;
                }
                entries.iter_mut().step_by(rows + 1).for_each(|diagonal| *diagonal += 1.0);
            }
        }
        self.costs.factorizations += 1;
        let factorized = self.system.factorize();
        self.costs.add_flops(self.system.factors.factorization_flops());
        factorized
    }

    /// Solves with the factors; `x` holds the right-hand side on entry and the solution on return.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        self.costs.linear_solves += 1;
        if let Some(system) = &mut self.structured {
            let before = system.flops();
            system.solve(x);
            self.costs.add_flops(system.flops() - before);
            return;
        }
        self.costs.add_flops(self.system.factors.solve_flops());
        self.system.factors.solve_fast(x);
    }

    /// `product = M x`.
    pub(crate) fn multiply_mass(&self, x: &[f64], product: &mut [f64]) {
        match &self.mass {
            Some(mass) => multiply(mass, x, product),
            None => product.copy_from_slice(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::{AsOde, Ode, OdeModel, Scalar};

    /// `f = (t² y₀ y₁, sin y₀ + t)`.
    struct Curved;
    impl OdeModel for Curved {
        fn dimension(&self) -> usize {
            2
        }
        fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
            dydt[0] = t * t * y[0] * y[1];
            dydt[1] = y[0].sin() + t;
        }
    }

    /// [`Curved`] without its derivatives.
    struct Values;
    impl Ode for Values {
        fn dimension(&self) -> usize {
            2
        }
        fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
            AsOde(&Curved).rhs(t, y, dydt)
        }
    }

    #[test]
    fn finite_differences_replace_derivatives_and_are_counted() {
        let (t, y) = (1.5, [0.4, -0.7]);
        let take = |ode: &mut dyn Ode| {
            let mut problem = Counted::new(ode);
            let mut linearisation = Linearisation::new(&mut problem);
            let mut derivative = [0.0; 2];
            problem.rhs(t, &y, &mut derivative).unwrap();
            linearisation.take_jacobian(&mut problem, t, &y, &derivative).unwrap();
            linearisation.take_time_derivative(&mut problem, t, &y, &derivative).unwrap();
            let counted = problem.statistics();
            assert_eq!(counted.rhs_evaluations, 1 + linearisation.evaluations());
            (linearisation, counted.rhs_evaluations, counted.jacobian_evaluations)
        };
        let (exact, evaluations, jacobians) = take(&mut AsOde(&Curved));
        assert_eq!((evaluations, jacobians), (1, 1));
        let (differences, evaluations, jacobians) = take(&mut Values);
        assert_eq!((evaluations, jacobians), (4, 1));
        // half the second derivative (below two) times the increment, and rounding divided by the increment: both 1e-8
        assert!((exact.jacobian - differences.jacobian).amax() < 1e-7);
        for (exact, difference) in exact.by_time.iter().zip(&differences.by_time) {
            assert!((exact - difference).abs() < 1e-7, "{exact} {difference}");
        }
    }
}
