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
        let size = |column: &mut dyn Iterator<Item = f64>| h * column.map(f64::abs).sum::<f64>();
        let largest = jacobian.column_iter().map(|column| size(&mut column.iter().copied())).fold(1.0, f64::max);
        let widest = (1..=self.columns).map(|k| size(&mut (0..n).map(|i| column(i, k)))).fold(0.0, f64::max);
        let unit = if widest > largest { (widest / largest).log2().ceil().exp2() } else { 1.0 };
        for (j, from) in jacobian.column_iter().enumerate() {
            for (entry, &from) in self.matrix.column_mut(j).iter_mut().zip(&from) {
                *entry = h * from;
            }
        }
        for k in 1..=self.columns {
            let j = n + self.columns - k;
            for i in 0..n {
                self.matrix[(i, j)] = h * (column(i, k) / unit);
            }
            if k > 1 {
                self.matrix[(j, j + 1)] = h;
            }
        }
        self.workspace.evaluate(&self.matrix, &mut self.result)?;
        let last = n + self.columns - 1;
        let integral = &mut self.result.as_mut_slice()[last * (n + self.columns)..][..n];
        integral.iter_mut().for_each(|x| *x *= unit);
        Ok(integral)
    }

    pub(super) fn costs(&self) -> ExponentialCosts {
        self.workspace.costs()
    }
}
