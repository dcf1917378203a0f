//! Elimination of the velocity pair (e, ν) from Newton's system of a formula with constraints on both levels.

use mbsbench_problem::linalg::{Lu, Singular, add_product, add_transposed_product, flops};
use nalgebra::DMatrix;

use super::blocks::{self, put_transposed};
use super::formula::Trial;
use super::metric::Metric;
use super::predictor::Predictor;

/// For given positions, `metric e = Jᵀ ν` and the velocity constraints alone determine `e` and ν. In Newton's system
///
/// ```text
/// δe = ê + T δa,   T = Z − W R,   δν = ν̂ − R δa,   R = S⁻¹ (J Z + c_q/c_v G)
/// W = metric⁻¹ Jᵀ,   S = J W,   Z = metric⁻¹ c_q ∂(Jᵀ ν)/∂q,   G = ∂(J v + Φ_t)/∂q
/// ```
///
/// Only the columns of curved coordinates in R and T are non-zero. The blocks change only with the positions, by
/// `c_q δa`: those of the first iteration of a step are kept for the rest of the step, unless corrections decrease
/// slowly.
pub struct VelocityPair {
    weights: DMatrix<f64>,
    grammian: DMatrix<f64>,
    factors: Lu<f64>,
    /// G, then R.
    pub rates: DMatrix<f64>,
    /// `c_q ∂(Jᵀ ν)/∂q`, then T.
    pub turning: DMatrix<f64>,
    /// ê, then δe.
    pub e_change: Vec<f64>,
    /// ν̂, then δν.
    pub nu_change: Vec<f64>,
    /// Operations of the elimination so far.
    pub flops: u64,
}

impl VelocityPair {
    /// Allocates memory for `n` coordinates and `m` constraints.
    pub fn new(n: usize, m: usize) -> Self {
        Self {
            weights: DMatrix::zeros(n, m),
            grammian: DMatrix::zeros(m, m),
            factors: Lu::new(m),
            rates: DMatrix::zeros(m, n),
            turning: DMatrix::zeros(n, n),
            e_change: vec![0.0; n],
            nu_change: vec![0.0; m],
            flops: 0,
        }
    }

    /// Computes `G` and `c_q ∂(Jᵀ ν)/∂q` at the iterate.
    pub fn differentiate(&mut self, trial: &Trial, nu: &[f64], predictor: &Predictor) {
        trial.derivatives.constraint_rates(&trial.v, &mut self.rates);
        self.turning.fill(0.0);
        trial.derivatives.add_curvature(predictor.by_position, nu, &mut self.turning);
    }

    /// Forms all blocks at the iterate.
    ///
    /// # Errors
    /// Returns [`Singular`] if constraints are redundant.
    pub fn form(&mut self, trial: &Trial, nu: &[f64], metric: &Metric, predictor: &Predictor) -> Result<(), Singular> {
        self.differentiate(trial, nu, predictor);
        let (n, m) = (self.e_change.len(), self.nu_change.len());
        let jacobian = trial.terms.jacobian.all();
        let Self { weights, grammian, factors, rates, turning, .. } = self;
        put_transposed(weights, (0, 0), 1.0, jacobian);
        metric.solve_columns(weights);
        grammian.fill(0.0);
        blocks::add_product(grammian, (0, 0), 1.0, jacobian, weights);
        factors.factorize(grammian)?;
        self.flops += m as u64 * metric.solve_flops() + flops::product(m, n, m) + factors.factorization_flops();
        let of_column = metric.solve_flops() + 2 * flops::product(m, n, 1) + factors.solve_flops();
        let ratio = predictor.by_position / predictor.by_velocity;
        for &j in trial.derivatives.curved() {
            self.flops += of_column;
            let (rate, turning) = (&mut rates.as_mut_slice()[j * m..][..m], &mut turning.as_mut_slice()[j * n..][..n]);
            metric.solve(turning);
            rate.iter_mut().for_each(|rate| *rate *= ratio);
            add_product(1.0, jacobian, turning, rate);
            factors.solve_by_columns(rate);
            add_product(-1.0, weights, rate, turning);
        }
        Ok(())
    }

    /// Computes ê and ν̂, the changes of `e` and ν if the positions change only to satisfy their constraints.
    pub fn begin(&mut self, trial: &Trial, (e, nu): (&[f64], &[f64]), metric: &Metric, predictor: &Predictor) {
        let terms = &trial.terms;
        let Self { e_change, nu_change, .. } = self;
        e_change.fill(0.0);
        add_transposed_product(1.0, terms.jacobian.all(), nu, e_change);
        metric.add_product(-1.0, e, e_change);
        metric.solve(e_change);
        let constraints = terms.constraints.iter().zip(&terms.constraint_rates);
        for (change, (&phi, &rate)) in nu_change.iter_mut().zip(constraints) {
            *change = phi / predictor.by_position - rate / predictor.by_velocity;
        }
        add_product(-1.0, terms.jacobian.all(), e_change, nu_change);
        self.factors.solve_by_columns(nu_change);
        add_product(1.0, &self.weights, nu_change, e_change);
        let (n, m) = (e_change.len(), nu_change.len());
        self.flops += metric.solve_flops() + self.factors.solve_flops() + 2 * flops::product(m, n, 1);
    }

    /// Computes δe and δν from `δa`.
    pub fn end(&mut self, trial: &Trial, change: &[f64]) {
        let (n, m) = (self.e_change.len(), self.nu_change.len());
        for &j in trial.derivatives.curved() {
            let rate = &self.rates.as_slice()[j * m..][..m];
            self.nu_change.iter_mut().zip(rate).for_each(|(nu, &rate)| *nu -= rate * change[j]);
            let turning = &self.turning.as_slice()[j * n..][..n];
            self.e_change.iter_mut().zip(turning).for_each(|(e, &turning)| *e += turning * change[j]);
            self.flops += flops::product(n + m, 1, 1);
        }
    }
}
