//! The exponential of a matrix.

mod balance;
mod pade;

use mbsbench_problem::Statistics;
use mbsbench_problem::linalg::{Lu, Singular, flops, product};
use nalgebra::DMatrix;

use pade::{Approximant, DEGREE_13, LOW_DEGREES};

/// Scaling and squaring: `e^A = (r(A/2ˢ))^(2ˢ)` with the diagonal Padé approximant `r` of degree 3, 5, 7, 9 or 13.
///
/// The method chooses the smallest degree whose backward error without scaling is below the unit roundoff of doubles,
/// by the bounds θ on `‖A‖₁` of N. J. Higham, SIAM J. Matrix Anal. Appl. 26 (2005) 1179–1193, table 2.3; beyond θ₁₃
/// the matrix is scaled down to that bound. The forward error is the backward error times the condition of the
/// exponential, plus the rounding of the squarings. There is no shifting, and balancing is optional.
///
/// All memory is allocated at construction.
#[derive(Debug, Clone)]
pub struct MatrixExponential {
    /// `A/2ˢ`.
    scaled: DMatrix<f64>,
    /// `A², A⁴, A⁶, A⁸` of the scaled matrix.
    powers: [DMatrix<f64>; 4],
    odd: DMatrix<f64>,
    even: DMatrix<f64>,
    product: DMatrix<f64>,
    factors: Lu<f64>,
    /// The diagonal of D, if matrices are balanced.
    balance: Option<Vec<f64>>,
    /// Counted so far: exponentials, products other than squarings, the squarings that undo the scaling,
    /// factorizations, columns solved for, and the floating-point operations of all these.
    pub costs: Statistics,
}

impl MatrixExponential {
    /// Memory for `n × n` matrices. With `is_balanced`, they are balanced first: `e^A = D e^(D⁻¹ A D) D⁻¹`. This
    /// saves squarings and rounding if components differ in scale, as positions and velocities of fast oscillations
    /// do.
    pub fn new(n: usize, is_balanced: bool) -> Self {
        let zeros = || DMatrix::zeros(n, n);
        Self {
            scaled: zeros(),
            powers: std::array::from_fn(|_| zeros()),
            odd: zeros(),
            even: zeros(),
            product: zeros(),
            factors: Lu::new(n),
            balance: is_balanced.then(|| vec![1.0; n]),
            costs: Statistics { linear_algebra_flops: Some(0), ..Statistics::default() },
        }
    }

    /// Writes the exponential of `matrix` into `exponential`, both of the size given at construction.
    ///
    /// # Errors
    /// Returns [`Singular`] if `matrix` is not finite, or so large that the scaled approximant cannot be formed. A
    /// result that overflows is returned without an error.
    pub fn evaluate(&mut self, matrix: &DMatrix<f64>, exponential: &mut DMatrix<f64>) -> Result<(), Singular> {
        self.costs.matrix_exponentials += 1;
        self.scaled.copy_from(matrix);
        if let Some(diagonal) = &mut self.balance {
            balance::balance(&mut self.scaled, diagonal);
        }
        let columns = self.scaled.as_slice().chunks_exact(self.scaled.nrows().max(1));
        let norm = columns.map(|column| column.iter().map(|x| x.abs()).sum()).fold(0.0, larger);
        if !f64::is_finite(norm) {
            return Err(Singular);
        }
        let low = LOW_DEGREES.iter().find(|approximant| norm <= approximant.bound);
        let squarings = match low {
            Some(_) => 0,
            None => (norm / DEGREE_13.bound).log2().ceil().max(0.0) as i32,
        };
        if squarings > 0 {
            // In two factors, because 2⁻ˢ alone may underflow.
            let half = squarings / 2;
            self.scaled
                .as_mut_slice()
                .iter_mut()
                .for_each(|x| *x = *x * 2f64.powi(-half) * 2f64.powi(half - squarings));
        }
        match low {
            Some(approximant) => self.low_degree(approximant),
            None => self.degree_13(),
        }
        self.quotient(exponential)?;
        for _ in 0..squarings {
            multiply(exponential, exponential, &mut self.product);
            std::mem::swap(exponential, &mut self.product);
        }
        if let Some(diagonal) = &self.balance {
            balance::undo(exponential, diagonal);
        }
        self.costs.matrix_squarings += squarings.unsigned_abs() as u64;
        self.costs.add_flops(squarings.unsigned_abs() as u64 * self.product_flops());
        Ok(())
    }

    /// Forms `even` and `odd` (numerator and denominator are `even ± odd`) for degrees 3 to 9, with all even powers.
    fn low_degree(&mut self, approximant: &Approximant) {
        let terms = approximant.coefficients.len() / 2;
        multiply(&self.scaled, &self.scaled, &mut self.powers[0]);
        for k in 1..terms - 1 {
            let (known, next) = self.powers.split_at_mut(k);
            multiply(&known[k - 1], &known[0], &mut next[0]);
        }
        self.product.fill(0.0);
        self.even.fill(0.0);
        for k in (1..terms).rev() {
            add(approximant.coefficients[2 * k + 1], &self.powers[k - 1], &mut self.product);
            add(approximant.coefficients[2 * k], &self.powers[k - 1], &mut self.even);
        }
        add_to_diagonal(approximant.coefficients[1], &mut self.product);
        add_to_diagonal(approximant.coefficients[0], &mut self.even);
        multiply(&self.scaled, &self.product, &mut self.odd);
        self.costs.matrix_products += terms as u64;
        self.costs.add_flops(terms as u64 * self.product_flops());
    }

    /// Forms `even` and `odd` for degree 13, with six products.
    fn degree_13(&mut self) {
        let b = DEGREE_13.coefficients;
        let Self { scaled, powers: [square, fourth, sixth, inner], odd, even, product, .. } = self;
        multiply(scaled, scaled, square);
        multiply(square, square, fourth);
        multiply(fourth, square, sixth);
        for (first, sum) in [(1, &mut *product), (0, &mut *even)] {
            let powers = || square.as_slice().iter().zip(fourth.as_slice()).zip(sixth.as_slice());
            for (inner, ((&square, &fourth), &sixth)) in inner.as_mut_slice().iter_mut().zip(powers()) {
                *inner = b[8 + first] * square + b[10 + first] * fourth + b[12 + first] * sixth;
            }
            multiply(sixth, inner, sum);
            for (sum, ((&square, &fourth), &sixth)) in sum.as_mut_slice().iter_mut().zip(powers()) {
                *sum = *sum + b[6 + first] * sixth + b[4 + first] * fourth + b[2 + first] * square;
            }
            add_to_diagonal(b[first], sum);
        }
        multiply(scaled, product, odd);
        self.costs.matrix_products += 6;
        self.costs.add_flops(6 * self.product_flops());
    }

    fn product_flops(&self) -> u64 {
        let n = self.scaled.nrows();
        flops::product(n, n, n)
    }

    /// Writes `(even − odd)⁻¹ (even + odd)`.
    fn quotient(&mut self, exponential: &mut DMatrix<f64>) -> Result<(), Singular> {
        let results = exponential.as_mut_slice().iter_mut().zip(self.product.as_mut_slice());
        for ((entry, denominator), (&even, &odd)) in results.zip(self.even.as_slice().iter().zip(self.odd.as_slice())) {
            *entry = even + odd;
            *denominator = even - odd;
        }
        self.factors.factorize(&self.product)?;
        let n = exponential.nrows();
        for column in exponential.as_mut_slice().chunks_mut(n.max(1)) {
            self.factors.solve_by_columns(column);
        }
        self.costs.factorizations += 1;
        self.costs.linear_solves += n as u64;
        self.costs.add_flops(self.factors.factorization_flops() + n as u64 * self.factors.solve_flops());
        Ok(())
    }
}

/// The larger of two numbers, or NaN if one of them is NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// `sum += factor · a`.
fn add(factor: f64, a: &DMatrix<f64>, sum: &mut DMatrix<f64>) {
    for (sum, &a) in sum.as_mut_slice().iter_mut().zip(a.as_slice()) {
        *sum += factor * a;
    }
}

fn add_to_diagonal(number: f64, sum: &mut DMatrix<f64>) {
    for i in 0..sum.nrows() {
        sum[(i, i)] += number;
    }
}

/// `c = a b`. With up to sixteen rows, each column of the result is accumulated in registers, in loops whose bounds
/// the compiler knows.
fn multiply(a: &DMatrix<f64>, b: &DMatrix<f64>, c: &mut DMatrix<f64>) {
    macro_rules! unrolled {
        ($($rows:literal)*) => {
            match a.nrows() {
                $($rows => multiply_small::<$rows>(a.as_slice(), b.as_slice(), c.as_mut_slice()),)*
                _ => product(a, b, c),
            }
        };
    }
    unrolled!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
}

/// `c = a b` for matrices of `N` rows, stored by columns.
fn multiply_small<const N: usize>(a: &[f64], b: &[f64], c: &mut [f64]) {
    let columns = a.as_chunks::<N>().0;
    for (result, factors) in c.as_chunks_mut::<N>().0.iter_mut().zip(b.as_chunks::<N>().0) {
        let mut sum = [0.0; N];
        for (&factor, column) in factors.iter().zip(columns) {
            for row in 0..N {
                sum[row] += column[row] * factor;
            }
        }
        *result = sum;
    }
}

#[cfg(test)]
mod tests;
