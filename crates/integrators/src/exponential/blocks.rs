//! Integrals of exponentials as blocks of a larger exponential (C. F. Van Loan, IEEE Trans. Automat. Control 23 (1978)
//! 395–404).

use mbsbench_problem::linalg::Singular;
use nalgebra::DMatrix;

use crate::expm::{ExponentialCosts, MatrixExponential};

/// The top right block of the exponential of
///
/// ```text
///     ⎡ J  c_k … c_2  c_1 ⎤
///     ⎢ 0   0   1  0   0  ⎥
/// h · ⎢ ⋮       ⋱   ⋱  ⋮  ⎥
///     ⎢ 0              1  ⎥
///     ⎣ 0   0   …      0  ⎦
/// ```
///
/// which is `∫₀ʰ e^{J(h−s)} (c_1 + c_2 s + … + c_k s^{k−1}/(k−1)!) ds`.
///
/// It is linear in the columns: where they are larger than `J` (and one), they are divided by a power of two. They would
/// otherwise decide on the scaling of the exponential, which loses `J` where it goes too far; a remainder of 1e23 would
/// have an integral of zero (A. H. Al-Mohy, N. J. Higham, SIAM J. Sci. Comput. 33 (2011) 488–511, section 2).
#[derive(Debug, Clone)]
pub(super) struct BlockExponential {
    columns: usize,
    matrix: DMatrix<f64>,
    result: DMatrix<f64>,
    workspace: MatrixExponential,
}

impl BlockExponential {
    /// For `k` columns beside a Jacobian of `n` rows.
    pub(super) fn new(n: usize, columns: usize) -> Self {
        let zeros = || DMatrix::zeros(n + columns, n + columns);
        Self { columns, matrix: zeros(), result: zeros(), workspace: MatrixExponential::new(n + columns) }
    }

    /// The same with balancing.
    pub(super) fn balanced(mut self) -> Self {
        self.workspace = self.workspace.balanced();
        self
    }

    /// The integral; `column(i, k)` is component `i` of `c_k`, counted from one.
    pub(super) fn integral(
        &mut self,
        h: f64,
        jacobian: &DMatrix<f64>,
        column: impl Fn(usize, usize) -> f64,
    ) -> Result<&[f64], Singular> {
        let n = jacobian.nrows();
        let size = |sum: f64| h * sum;
        let entries = jacobian.as_slice();
        let sums = entries.chunks(n.max(1)).map(|column| column.iter().map(|entry| entry.abs()).sum());
        let largest = sums.map(size).fold(1.0, f64::max);
        let sums = (1..=self.columns).map(|k| (0..n).map(|i| column(i, k).abs()).sum());
        let widest = sums.map(size).fold(0.0, f64::max);
        let unit = if widest > largest { (widest / largest).log2().ceil().exp2() } else { 1.0 };
        let rows = n + self.columns;
        let block = self.matrix.as_mut_slice();
        for (entries, from) in block.chunks_mut(rows).zip(entries.chunks(n.max(1))) {
            for (entry, &from) in entries.iter_mut().zip(from) {
                *entry = h * from;
            }
        }
        for k in 1..=self.columns {
            let j = rows - k;
            for (i, entry) in block[rows * j..][..n].iter_mut().enumerate() {
                *entry = h * (column(i, k) / unit);
            }
            if k > 1 {
                block[rows * (j + 1) + j] = h;
            }
        }
        self.workspace.evaluate(&self.matrix, &mut self.result)?;
        let integral = &mut self.result.as_mut_slice()[(rows - 1) * rows..][..n];
        integral.iter_mut().for_each(|x| *x *= unit);
        Ok(integral)
    }

    pub(super) fn costs(&self) -> ExponentialCosts {
        self.workspace.costs()
    }
}
