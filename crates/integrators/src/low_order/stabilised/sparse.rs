//! Sparse systems, for mechanisms with many bodies.

use std::sync::Arc;

use mbsbench_problem::linalg::{Blocks, Matrix, Pattern, Place, Saddle, Singular};
use nalgebra::DMatrix;

use super::Stabilised;
use crate::low_order::blocks::increase;
use crate::low_order::formula::{Start, Trial};
use crate::low_order::newton::rounding_of;
use crate::newton::largest;
use crate::saddle::only;

/// With `ρ = c_q/c_v` and `G = ∂(J v + Φ_t)/∂q`, the correction of `(e, ν)` solves
///
/// ```text
/// metric δe − Jᵀ δν = Jᵀ ν − metric e,   J δe = Φ/c_q − (J v₁ + Φ_t)/c_v − ρ G δa
/// ```
///
/// but for a term of order h². In HHT-SI2 the equations for `(a, l)` contain δe only through damping. In the other
/// formulas they have to be solved for `(s, λ)` with `s = a + e`, and then contain δe only through `c_q` and ρ G:
///
/// ```text
/// A δs − Jᵀ δλ = residual + K δe,   (J + ρ G) δs = −(J v₁ + Φ_t)/c_v + ρ G δe
/// ```
///
/// where K is the derivative of the dynamics with respect to the accelerations of the positions. The system of `(a, l)`
/// or `(s, λ)` is solved without δe, then that of `(e, ν)`. Without damping this is Newton's method for HHT-SI2.
/// Otherwise an iteration multiplies the error of e by a product of order h²: that of the terms in δe, of order h, and
/// of ρ G. Near singular positions of the constraints, or if bodies turn far in a step, it can exceed one; the rest of
/// the step then uses Newton's matrix of all unknowns, as in [`Shared`](crate::low_order::shared::Shared).
pub struct SparsePair {
    first: Saddle,
    /// The system of `(e, ν)`, kept over a step unless corrections decrease slowly.
    second: Saddle,
    /// Newton's matrix of both systems, allocated when the iteration is first slow.
    whole: Option<Box<Blocks>>,
    /// True if the matrices formed last are those of the two systems.
    split: bool,
    /// `M_s`, or the identity.
    pub metric: Matrix<f64>,
    /// K and G.
    stiffness: Matrix<f64>,
    rates: Matrix<f64>,
    /// The negative residual of the second system, then the correction of `(e, ν)`.
    x: Vec<f64>,
}

impl SparsePair {
    /// Allocates memory for the sparse terms of `start`; the metric is `M_s` if `with_mass`, otherwise the identity.
    pub fn new(start: &Start<'_>, with_mass: bool) -> Self {
        let (n, m) = (start.q.len(), start.lambda.len());
        let diagonal = Arc::new(Pattern::new((n, n), (0..n).map(|i| (i, i))));
        let pattern = if with_mass { &start.structure.dynamics } else { &diagonal };
        let mut metric = Matrix::new(pattern, true);
        metric.values_mut().fill(1.0);
        Self {
            first: start.saddle(),
            second: Saddle::new(pattern, &start.structure.jacobian, true),
            whole: None,
            split: true,
            metric,
            stiffness: start.terms.mass.clone(),
            rates: start.terms.jacobian.clone(),
            x: vec![0.0; n + m],
        }
    }

    /// A copy of the matrix of the first system, or of Newton's.
    pub fn matrix(&self) -> DMatrix<f64> {
        let whole = self.whole.as_ref().filter(|_| !self.split);
        whole.map_or_else(|| self.first.to_dense(), |whole| whole.to_dense())
    }

    /// Factorizes the matrices, that of the second system only if it is `outdated`.
    ///
    /// # Errors
    /// Returns [`Singular`] if one is singular.
    pub fn factorize(&mut self, outdated: &mut bool) -> Result<(), Singular> {
        if let Some(whole) = self.whole.as_mut().filter(|_| !self.split) {
            return whole.factorize();
        }
        if std::mem::take(outdated) {
            self.second.factorize()?;
        }
        self.first.factorize()
    }

    /// Operations so far.
    pub fn flops(&self) -> u64 {
        self.first.flops() + self.second.flops() + self.whole.as_ref().map_or(0, |whole| whole.flops)
    }
}

/// Indices of the blocks in Newton's matrix: those of a saddle-point matrix for each system, then δe in the first and
/// the rates of constraints in the other one's rows.
const FIRST: [usize; 3] = [0, 1, 2];
const SECOND: [usize; 3] = [3, 4, 5];
const COUPLING: [usize; 3] = [6, 7, 8];

/// Allocates Newton's matrix of both systems, for matrices with patterns.
fn whole(stiffness: &Matrix<f64>, metric: &Matrix<f64>, jacobian: &Matrix<f64>) -> Box<Blocks> {
    let pattern = |matrix| Matrix::pattern(matrix).expect("the terms are stored sparse");
    let [dynamics, metric, jacobian] = [stiffness, metric, jacobian].map(pattern);
    let (n, size) = (dynamics.rows(), dynamics.rows() + jacobian.rows());
    let saddle = |at: usize, block| {
        let upper = Place::at(at, at + n, jacobian).transposed();
        [Place::at(at, at, block), Place::at(at + n, at, jacobian), upper]
    };
    let rates = [Place::at(n, size, jacobian), Place::at(size + n, 0, jacobian)];
    let coupling = [Place::at(0, size, dynamics), rates[0], rates[1]];
    Box::new(Blocks::new(2 * size, &[saddle(0, dynamics), saddle(size, metric), coupling].concat()))
}

impl Stabilised {
    /// Forms the matrices at the iterate.
    pub(super) fn form_sparse(&mut self, trial: &Trial) {
        let Trial { terms, derivatives, .. } = trial;
        let (of_forces, damping) = (self.of_forces(), self.damping());
        let Self { predictor, alpha, total, lower, outdated, shared, sparse, .. } = self;
        let Some(SparsePair { first, second, whole: both, split, metric, stiffness, rates, .. }) = sparse else {
            return;
        };
        let (by_position, ratio) = (predictor.by_position, predictor.by_position / predictor.by_velocity);
        let (jacobian, by_velocity) = (&terms.jacobian, &derivatives.forces_by_velocity);
        derivatives.constraint_rates(&trial.v, rates);
        for (sum, force) in stiffness.values_mut().iter_mut().zip(derivatives.forces_by_position.values()) {
            *sum = -of_forces * by_position * force;
        }
        if alpha.is_none() {
            derivatives.add_inertia(by_position, total, stiffness);
        }
        derivatives.add_curvature(-of_forces * by_position, lower, stiffness);
        let (mass, turning) = if alpha.is_some() { (&*metric, 0.0) } else { (&terms.mass, ratio) };
        let blocks = [(1.0, mass), (1.0, &*stiffness), (damping, by_velocity)];
        *split = !shared.slow;
        if *split {
            first.put(blocks, of_forces, jacobian);
            first.add_to_last_rows(turning, rates);
            if *outdated {
                second.put(only(metric), 1.0, jacobian);
                second.add_to_last_rows(-turning, rates);
            }
            return;
        }
        let both = both.get_or_insert_with(|| whole(stiffness, metric, jacobian));
        both.clear();
        blocks.into_iter().for_each(|(factor, block)| both.add(FIRST[0], factor, block));
        both.add(SECOND[0], 1.0, metric);
        for ([_, lower, upper], of_forces, turning) in [(FIRST, of_forces, turning), (SECOND, 1.0, -turning)] {
            both.add(lower, 1.0, jacobian);
            both.add(lower, turning, rates);
            both.add(upper, -of_forces, jacobian);
        }
        let by_e = if alpha.is_some() { (damping, by_velocity) } else { (-1.0, &*stiffness) };
        both.add(COUPLING[0], by_e.0, by_e.1);
        both.add(COUPLING[1], -turning, rates);
        both.add(COUPLING[2], ratio, rates);
    }

    /// Corrects the unknowns. The residual of the dynamics is already in `x`. Returns the size of the correction.
    pub(super) fn solve_sparse(&mut self, trial: &Trial) -> f64 {
        let (n, terms) = (self.a.len(), &trial.terms);
        let Self { predictor, alpha, e, nu, sparse, x, .. } = self;
        let Some(SparsePair { metric, x: second, .. }) = sparse else { return f64::NAN };
        second.fill(0.0);
        metric.add_product(-1.0, e, &mut second[..n]);
        terms.jacobian.add_transposed_product(1.0, nu, &mut second[..n]);
        for (c, (phi, rate)) in terms.constraints.iter().zip(&terms.constraint_rates).enumerate() {
            let (position, velocity) = (-phi / predictor.by_position, -rate / predictor.by_velocity);
            x[n + c] = if alpha.is_some() { position } else { velocity };
            second[n + c] = velocity - position;
        }
        let size = self.substitute();
        let Self { a, e, lower, nu, sparse, x, .. } = self;
        let Some(SparsePair { x: second, .. }) = sparse else { return f64::NAN };
        increase(a, &x[..n]);
        increase(lower, &x[n..]);
        increase(e, &second[..n]);
        increase(nu, &second[n..]);
        size
    }

    /// Solves for the changes from the residuals. Returns the size of those of `a` and `e`.
    fn substitute(&mut self) -> f64 {
        let n = self.a.len();
        let Self { predictor, alpha, sparse: Some(sparse), x, .. } = self else { return f64::NAN };
        if let Some(whole) = sparse.whole.as_mut().filter(|_| !sparse.split) {
            let (first, second) = whole.x.split_at_mut(x.len());
            first.copy_from_slice(x);
            second.copy_from_slice(&sparse.x);
            whole.solve();
            let (first, second) = whole.x.split_at(x.len());
            x.copy_from_slice(first);
            sparse.x.copy_from_slice(second);
        } else {
            sparse.first.solve(x);
            let ratio = predictor.by_position / predictor.by_velocity;
            sparse.rates.add_product(-ratio, &x[..n], &mut sparse.x[n..]);
            sparse.second.solve(&mut sparse.x);
        }
        if alpha.is_none() {
            x.iter_mut().zip(&sparse.x[..n]).for_each(|(change, e)| *change -= e);
        }
        largest(&x[..n]).max(largest(&sparse.x[..n]))
    }

    /// See [`Formula::attainable`](crate::low_order::formula::Formula::attainable); none if the system is not sparse.
    pub(super) fn attainable_sparse(&mut self, trial: &Trial) -> Option<f64> {
        let (n, of_forces) = (self.a.len(), self.of_forces());
        let Self { predictor, alpha, a, e, lower, nu, forces, total, sparse, x, .. } = self;
        let SparsePair { metric, x: second, .. } = sparse.as_mut()?;
        let terms = &trial.terms;
        x.fill(0.0);
        second.fill(0.0);
        let (dynamics, constraints) = x.split_at_mut(n);
        terms.jacobian.add_transposed_sizes(lower, dynamics);
        let earlier = alpha.unwrap_or(0.0);
        for (size, (force, before)) in dynamics.iter_mut().zip(terms.forces.iter().zip(&*forces)) {
            *size = of_forces * (*size + force.abs()) + (earlier * before).abs();
        }
        let (accelerations, velocities) = second.split_at_mut(n);
        terms.jacobian.add_sizes(1.0 / predictor.by_velocity, &trial.v, velocities);
        if alpha.is_some() {
            metric.add_sizes(1.0, a, dynamics);
            terms.jacobian.add_sizes(1.0 / predictor.by_position, &trial.q, constraints);
        } else {
            terms.mass.add_sizes(1.0, total, dynamics);
            constraints.copy_from_slice(velocities);
        }
        terms.jacobian.add_sizes(1.0 / predictor.by_position, &trial.q, velocities);
        metric.add_sizes(1.0, e, accelerations);
        terms.jacobian.add_transposed_sizes(nu, accelerations);
        rounding_of(x);
        rounding_of(second);
        Some(self.substitute())
    }
}
