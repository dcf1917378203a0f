//! The integral of a step, by the cheaper of two ways.

use mbsbench_problem::linalg::Singular;
use nalgebra::DMatrix;

use super::action::Action;
use super::blocks::BlockExponential;
use crate::expm::ExponentialCosts;

/// Unknowns from which on the exponential is not formed where that takes longer than what it does to one vector. For less,
/// products of matrices are written out, and all examples of a paper have the rounding of one way.
const LEAST: usize = 16;

/// `∫₀ʰ e^{J(h−s)} (c_1 + c_2 s + … + c_k s^{k−1}/(k−1)!) ds` from a [`BlockExponential`], or from an [`Action`] where there are
/// many unknowns and it takes fewer operations for its length.
#[derive(Debug, Clone)]
pub(super) struct Integral {
    columns: usize,
    block: BlockExponential,
    action: Option<Action>,
}

impl Integral {
    /// For `k` columns beside a Jacobian of `n` rows.
    pub(super) fn new(n: usize, columns: usize) -> Self {
        let action = (n >= LEAST).then(|| Action::new(n));
        Self { columns, block: BlockExponential::new(n, columns), action }
    }

    /// The same with balancing where an exponential is formed; the other way is the same without.
    pub(super) fn balanced(mut self) -> Self {
        self.block = self.block.balanced();
        self
    }

    /// The integral; `column(i, k)` is component `i` of `c_k`, counted from one.
    ///
    /// # Errors
    /// [`Singular`] where `jacobian` is not finite or has no exponential in doubles.
    pub(super) fn evaluate(
        &mut self,
        h: f64,
        jacobian: &DMatrix<f64>,
        column: impl Fn(usize, usize) -> f64,
    ) -> Result<&[f64], Singular> {
        let Self { columns, block, action } = self;
        if let Some(action) = action
            && let Some(plan) = action.plan(h, jacobian, *columns)?
        {
            return Ok(action.integral(plan, h, jacobian, *columns, column));
        }
        block.integral(h, jacobian, column)
    }

    /// What was done so far.
    pub(super) fn costs(&self) -> ExponentialCosts {
        let costs = self.block.costs();
        let flops = self.action.as_ref().map_or(0, |action| action.flops);
        ExponentialCosts { flops: costs.flops + flops, ..costs }
    }
}
