//! The integral of a step, by the cheaper of two ways.

use mbsbench_problem::Statistics;
use mbsbench_problem::linalg::Singular;
use nalgebra::DMatrix;

use super::action::Action;
use crate::expm::MatrixExponential;

/// The smallest number of unknowns for which the action on a vector may replace the exponential. With fewer unknowns,
/// products of matrices are unrolled, and all examples of a paper are rounded in the same way.
const LEAST: usize = 16;

/// `∫₀ʰ e^{J(h−s)} (c_1 + c_2 s + … + c_k s^{k−1}/(k−1)!) ds`, from an [`Action`] if there are many unknowns and it
/// takes fewer operations, otherwise as the top right block of the exponential of
///
/// ```text
///     ⎡ J  c_k … c_2  c_1 ⎤
///     ⎢ 0   0   1  0   0  ⎥
/// h · ⎢ ⋮       ⋱   ⋱  ⋮  ⎥
///     ⎢ 0              1  ⎥
///     ⎣ 0   0   …      0  ⎦
/// ```
///
/// (C. F. Van Loan, IEEE Trans. Automat. Control 23 (1978) 395–404). The block is linear in the columns: columns
/// larger than one and `J` are divided by a power of two. Otherwise they would determine the scaling of the
/// exponential, and a scaling that is too strong loses `J`: a remainder of 1e23 would have an integral of zero (A. H.
/// Al-Mohy, N. J. Higham, SIAM J. Sci. Comput. 33 (2011) 488–511, section 2).
#[derive(Debug, Clone)]
pub(super) struct Integral {
    columns: usize,
    matrix: DMatrix<f64>,
    result: DMatrix<f64>,
    workspace: MatrixExponential,
    pub(super) action: Option<Action>,
}

impl Integral {
    /// An integral with `columns` columns beside a Jacobian of `n` rows. With `is_balanced`, the matrix of an
    /// exponential is balanced; the action on a vector does not need balancing.
    pub(super) fn new(n: usize, columns: usize, is_balanced: bool) -> Self {
        let zeros = || DMatrix::zeros(n + columns, n + columns);
        let action = (n >= LEAST).then(|| Action::new(n));
        let workspace = MatrixExponential::new(n + columns, is_balanced);
        Self { columns, matrix: zeros(), result: zeros(), workspace, action }
    }

    /// Computes the integral; `column(i, k)` is component `i` of `c_k`, counted from one.
    ///
    /// # Errors
    /// Returns [`Singular`] if `jacobian` is not finite or has no exponential in doubles.
    pub(super) fn evaluate(
        &mut self,
        h: f64,
        jacobian: &DMatrix<f64>,
        column: impl Fn(usize, usize) -> f64,
    ) -> Result<&[f64], Singular> {
        let Self { columns, matrix, result, workspace, action } = self;
        if let Some(action) = action
            && let Some(plan) = action.plan(h, jacobian, *columns)?
        {
            return Ok(action.integral(plan, h, jacobian, *columns, column));
        }
        let n = jacobian.nrows();
        let size = |sum: f64| h * sum;
        let entries = jacobian.as_slice();
        let sums = entries.chunks(n.max(1)).map(|column| column.iter().map(|entry| entry.abs()).sum());
        let largest = sums.map(size).fold(1.0, f64::max);
        let sums = (1..=*columns).map(|k| (0..n).map(|i| column(i, k).abs()).sum());
        let widest = sums.map(size).fold(0.0, f64::max);
        let unit = if widest > largest { (widest / largest).log2().ceil().exp2() } else { 1.0 };
        let rows = n + *columns;
        let block = matrix.as_mut_slice();
        for (entries, from) in block.chunks_mut(rows).zip(entries.chunks(n.max(1))) {
            for (entry, &from) in entries.iter_mut().zip(from) {
                *entry = h * from;
            }
        }
        for k in 1..=*columns {
            let j = rows - k;
            for (i, entry) in block[rows * j..][..n].iter_mut().enumerate() {
                *entry = h * (column(i, k) / unit);
            }
            if k > 1 {
                block[rows * (j + 1) + j] = h;
            }
        }
        workspace.evaluate(matrix, result)?;
        let integral = &mut result.as_mut_slice()[(rows - 1) * rows..][..n];
        integral.iter_mut().for_each(|x| *x *= unit);
        Ok(integral)
    }

    /// The costs so far.
    pub(super) fn costs(&self) -> Statistics {
        let mut costs = self.workspace.costs;
        costs.add_flops(self.action.as_ref().map_or(0, |action| action.flops));
        costs
    }
}
