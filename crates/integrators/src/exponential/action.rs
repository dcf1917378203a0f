//! The action of an exponential on a vector, without forming the exponential.

use mbsbench_problem::linalg::{Singular, add_columns, flops};
use nalgebra::DMatrix;

/// θ_m, m = 1 … 30: the Taylor polynomial of degree m of `e^A` is the exponential of `A + ΔA` with `‖ΔA‖ ≤ 2⁻⁵³ ‖A‖`
/// for `‖A‖ ≤ θ_m` (A. H. Al-Mohy, N. J. Higham, SIAM J. Sci. Comput. 33 (2011) 488–511, section 3). The table ends
/// where terms of opposite signs may cost a digit and a half.
const BOUNDS: [f64; 30] = [
    2.220446049250313e-16,
    2.580956802971767e-8,
    1.386347866119121e-5,
    3.397168839976962e-4,
    2.400876357887274e-3,
    9.065656407595101e-3,
    2.384455532500274e-2,
    4.991228871115323e-2,
    8.957760203223343e-2,
    0.1441829761614378,
    0.2142358068451711,
    0.2996158913811581,
    0.3997775336316795,
    0.5139146936124294,
    0.6410835233041199,
    0.7802874256626574,
    0.9305328460786568,
    1.090863719290036,
    1.260381060642639,
    1.438252596804337,
    1.623715950235821,
    1.816077816215086,
    2.014710780944616,
    2.21904886936509,
    2.428582524442827,
    2.642853457459435,
    2.861449633934264,
    3.084000544989162,
    3.310172839890271,
    3.539666348743689,
];

/// Number of sweeps in which [`Action::norm`] improves its weights.
const SWEEPS: usize = 4;

/// The largest number of products with the matrix, per unknown, that is faster than the exponential. The exponential
/// for a norm of 100 takes as long as 4.0 products per unknown with 64 unknowns, 3.9 with 100 and 4.1 with 157.
const PRODUCTS_PER_UNKNOWN: usize = 3;

/// Computes integrals `∫₀ʰ e^{J(h−s)} c(s) ds` for polynomials `c` of low degree, as solutions at `h` of
///
/// ```text
/// x' = J x + c(s),   x(0) = 0,   c(s) = c_1 + c_2 s + … + c_k s^{k−1}/(k−1)!
/// ```
///
/// by Taylor series over equal parts of `h`, as many as the norm of `h J` requires (Al-Mohy and Higham 2011,
/// algorithm 3.2 on the matrix of their theorem 2.1, whose rows of zeros and ones are not stored). The numbers of
/// parts and terms, and hence the cost, are fixed before the first product and do not depend on intermediate results.
#[derive(Debug, Clone)]
pub(super) struct Action {
    /// Positive weights `w` of the components, and `|J| w`.
    weights: Vec<f64>,
    sums: Vec<f64>,
    /// `x`, a term of its series, and `J` times the previous term.
    solution: Vec<f64>,
    term: Vec<f64>,
    product: Vec<f64>,
    /// Number of floating-point operations so far.
    pub(super) flops: u64,
}

/// Number of equal parts of a step, and of terms of the series in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    parts: usize,
    terms: usize,
}

impl Action {
    /// Memory for `n` unknowns.
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self { weights: zeros(), sums: zeros(), solution: zeros(), term: zeros(), product: zeros(), flops: 0 }
    }

    /// Chooses parts and terms of the integral for `columns` columns; `None` if the exponential is cheaper.
    ///
    /// # Errors
    /// Returns [`Singular`] if the matrix is not finite.
    pub(super) fn plan(&mut self, h: f64, jacobian: &DMatrix<f64>, columns: usize) -> Result<Option<Plan>, Singular> {
        let norm = h.abs() * self.norm(jacobian);
        if !norm.is_finite() {
            return Err(Singular);
        }
        let most = (PRODUCTS_PER_UNKNOWN * jacobian.nrows()) as f64;
        let parts = |bound: f64| (norm / bound).ceil().max(1.0);
        let costs = BOUNDS.iter().zip(1..).map(|(&bound, degree)| (parts(bound), degree));
        let affordable = costs.filter(|&(parts, degree)| parts * f64::from(degree) <= most);
        let cheapest = affordable.min_by(|a, b| (a.0 * f64::from(a.1)).total_cmp(&(b.0 * f64::from(b.1))));
        // The series of φ_k begins k − 1 terms later than that of φ_1 and is as accurate with the same number of
        // terms.
        Ok(cheapest.map(|(parts, degree)| Plan { parts: parts as usize, terms: degree as usize + columns - 1 }))
    }

    /// A bound on `‖D⁻¹ J D‖∞` with positive diagonal `D`: the largest of `(|J| w)_i / w_i`. Each sweep moves the
    /// weights halfway, in the logarithm, towards `|J| w`, which evens out the rows as
    /// [balancing](crate::expm::MatrixExponential) does; for positions and velocities of an oscillator, one sweep
    /// finds its frequency. Not finite if `J` is not.
    fn norm(&mut self, jacobian: &DMatrix<f64>) -> f64 {
        let Self { weights, sums, .. } = self;
        weights.fill(1.0);
        let mut least = f64::INFINITY;
        for _ in 0..SWEEPS {
            sums.fill(0.0);
            for (column, &weight) in jacobian.as_slice().chunks(weights.len().max(1)).zip(&*weights) {
                for (sum, &entry) in sums.iter_mut().zip(column) {
                    *sum += entry.abs() * weight;
                }
            }
            let ratios = || sums.iter().zip(&*weights).map(|(sum, weight)| sum / weight);
            // A sum also detects a single NaN, which a maximum would ignore.
            if !ratios().sum::<f64>().is_finite() {
                return f64::NAN;
            }
            let largest = ratios().fold(0.0, f64::max);
            least = largest.min(least);
            if largest == 0.0 {
                return 0.0;
            }
            for (weight, &sum) in weights.iter_mut().zip(&*sums) {
                *weight *= (sum / *weight / largest).max(1e-6).sqrt();
            }
        }
        least
    }

    /// Computes the integral; `column(i, k)` is component `i` of `c_k`, counted from one.
    pub(super) fn integral(
        &mut self,
        plan: Plan,
        h: f64,
        jacobian: &DMatrix<f64>,
        columns: usize,
        column: impl Fn(usize, usize) -> f64,
    ) -> &[f64] {
        let Self { solution, term, product, flops, .. } = self;
        let n = solution.len();
        let part = h / plan.parts as f64;
        solution.fill(0.0);
        for i in 0..plan.parts {
            let start = part * i as f64;
            term.copy_from_slice(solution);
            // part^r / r!
            let mut weight = 1.0;
            for r in 1..=plan.terms {
                let ratio = part / r as f64;
                weight *= ratio;
                product.fill(0.0);
                // the first terms are zero if the first columns are
                if term.iter().any(|&term| term != 0.0) {
                    add_columns(jacobian, term, product);
                    *flops += flops::product(n, n, 1);
                }
                term.iter_mut().zip(&*product).for_each(|(term, &product)| *term = ratio * product);
                // c^(r−1) at the start of the part
                let mut taylor = weight;
                for k in r..=columns {
                    term.iter_mut().enumerate().for_each(|(i, term)| *term += taylor * column(i, k));
                    taylor *= start / (k + 1 - r) as f64;
                }
                solution.iter_mut().zip(&*term).for_each(|(sum, &term)| *sum += term);
            }
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::{DoubleDouble, Scalar};

    use super::*;
    use crate::exponential::integral::Integral;

    /// `log(e⁻ˣ T_m(x)) = −∫ x^m / (m! T_m(x))`: the sum of `|c_k| θ^(k−1)` over its coefficients is 2⁻⁵³.
    #[test]
    fn bounds_match_the_series() {
        const TERMS: usize = 60;
        for (&bound, m) in BOUNDS.iter().zip(1..) {
            let mut factorials = vec![DoubleDouble::from(1.0)];
            (1..=m).for_each(|j| factorials.push(factorials[j - 1] * DoubleDouble::from(j as f64)));
            // coefficients of 1/T_m
            let mut coefficients = vec![DoubleDouble::from(1.0)];
            for k in 1..TERMS {
                let sum =
                    (1..=k.min(m)).fold(DoubleDouble::from(0.0), |sum, j| sum + coefficients[k - j] / factorials[j]);
                coefficients.push(-sum);
            }
            let term = |(k, c): (usize, &DoubleDouble)| {
                c.value().abs() / factorials[m].value() / (m + 1 + k) as f64 * bound.powi((m + k) as i32)
            };
            let error: f64 = coefficients.iter().enumerate().map(term).sum();
            assert!((error / 2f64.powi(-53) - 1.0).abs() < 1e-11, "degree {m}: {error:e}");
        }
    }

    /// Pseudo-random numbers in [−1, 1].
    fn noise(n: usize, mut seed: f64) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |_, _| {
            seed = (seed * 997.13 + 0.1234).fract();
            2.0 * seed - 1.0
        })
    }

    fn integral(h: f64, jacobian: &DMatrix<f64>, columns: &[Vec<f64>]) -> Option<Vec<f64>> {
        let mut action = Action::new(jacobian.nrows());
        let plan = action.plan(h, jacobian, columns.len()).unwrap()?;
        Some(action.integral(plan, h, jacobian, columns.len(), |i, k| columns[k - 1][i]).to_vec())
    }

    /// `x = Σ_r h^r x^(r)/r!` in double-double precision, over parts so short that the remainder after 40 terms is
    /// 1e-30.
    fn reference(h: f64, jacobian: &DMatrix<f64>, columns: &[Vec<f64>]) -> Vec<f64> {
        let n = jacobian.nrows();
        let norm = h * jacobian.row_iter().map(|row| row.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max);
        let parts = norm.ceil().max(1.0);
        let part = DoubleDouble::from(h) / DoubleDouble::from(parts);
        let zero = DoubleDouble::from(0.0);
        let mut x = vec![zero; n];
        for start in 0..parts as usize {
            let start = part * DoubleDouble::from(start as f64);
            let mut derivative = x.clone();
            let mut weight = DoubleDouble::from(1.0);
            for r in 1..=40 {
                let polynomial = |i: usize| {
                    let (mut sum, mut power) = (zero, DoubleDouble::from(1.0));
                    for (k, column) in columns.iter().skip(r - 1).enumerate() {
                        sum += power * DoubleDouble::from(column[i]);
                        power = power * start / DoubleDouble::from((k + 1) as f64);
                    }
                    sum
                };
                let row = |i: usize| {
                    derivative.iter().enumerate().fold(polynomial(i), |sum, (j, &y)| sum + y * jacobian[(i, j)])
                };
                derivative = (0..n).map(row).collect();
                weight = weight * part / DoubleDouble::from(f64::from(r as u32));
                x.iter_mut().zip(&derivative).for_each(|(x, &derivative)| *x += weight * derivative);
            }
        }
        x.iter().map(|x| x.value()).collect()
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        let size = b.iter().fold(0.0f64, |size, b| size.max(b.abs()));
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
    }

    #[test]
    fn integrals_match_double_double_results() {
        let n = 24;
        let mut planned = Vec::new();
        for (size, seed) in [(1e-9, 0.1), (1e-4, 0.2), (0.02, 0.3), (0.1, 0.4), (0.4, 0.5)] {
            let jacobian = noise(n, seed);
            for count in 1..=3 {
                let from = noise(n, seed + 0.05);
                let columns: Vec<_> = (0..count).map(|k| from.column(k).iter().copied().collect()).collect();
                let result = integral(size, &jacobian, &columns);
                let Some(result) = result else { continue };
                planned.push(size);
                let expected = reference(size, &jacobian, &columns);
                // rounding of terms as large as e^θ, in a few parts
                assert!(distance(&result, &expected) < 2e-14, "{size}, {count}: {:e}", distance(&result, &expected));
                // one by one, so that small columns are checked beside large ones
                for k in 0..count {
                    let alone: Vec<_> =
                        (0..count).map(|j| if j == k { columns[k].clone() } else { vec![0.0; n] }).collect();
                    let result = integral(size, &jacobian, &alone).unwrap();
                    assert!(distance(&result, &reference(size, &jacobian, &alone)) < 2e-14, "{size}, only {k}");
                }
            }
        }
        assert!(planned.contains(&1e-9) && planned.contains(&0.4), "{planned:?}");
    }

    /// Positions and velocities of a fast oscillator differ in size by its frequency. The plan depends only on the
    /// frequency, and both are accurate relative to their own size.
    #[test]
    fn the_scale_of_a_component_does_not_change_the_cost() {
        for omega in [1.0, 1e4, 1e8] {
            let jacobian = DMatrix::from_fn(6, 6, |i, j| match (i, j) {
                (i, j) if j == i + 3 => 1.0,
                (i, j) if i == j + 3 => -omega * omega,
                _ => 0.0,
            });
            let h = 0.9 / omega;
            let mut action = Action::new(6);
            let plan = action.plan(h, &jacobian, 1).unwrap().unwrap();
            assert_eq!(plan, Plan { parts: 1, terms: 17 }, "{omega:e}");
            // from rest, x' = J x + (0, ω²): x = (1 − cos ωt, ω sin ωt)
            let force = |i: usize, _: usize| if i < 3 { 0.0 } else { omega * omega };
            let x = action.integral(plan, h, &jacobian, 1, force);
            let (sin, cos) = (omega * h).sin_cos();
            assert!((x[0] - (1.0 - cos)).abs() < 1e-15 && (x[3] / omega - sin).abs() < 1e-15, "{omega:e}: {x:?}");
        }
    }

    #[test]
    fn large_matrices_use_the_full_exponential() {
        let mut action = Action::new(20);
        let jacobian = DMatrix::from_diagonal_element(20, 20, -1.0);
        assert!(action.plan(1.0, &jacobian, 2).unwrap().is_some());
        assert_eq!(action.plan(1e3, &jacobian, 2), Ok(None));
        assert_eq!(action.plan(1e300, &jacobian, 2), Ok(None));
        assert_eq!(action.plan(1.0, &DMatrix::zeros(20, 20), 1), Ok(Some(Plan { parts: 1, terms: 1 })));
        for entry in [f64::NAN, f64::INFINITY] {
            let mut spoilt = jacobian.clone();
            spoilt[(3, 17)] = entry;
            assert_eq!(action.plan(1.0, &spoilt, 2), Err(Singular));
        }
    }

    /// Both ways give the same integral with 40 unknowns, for which the norm decides between them.
    #[test]
    fn both_algorithms_agree() {
        let n = 40;
        let jacobian = noise(n, 0.7);
        let columns = noise(n, 0.8);
        let mut block = Integral::new(n, 3, false);
        block.action = None;
        for h in [1e-8, 1e-4, 0.02, 0.1, 0.4] {
            let own: Vec<_> = (0..3).map(|k| columns.column(k).iter().copied().collect()).collect();
            let action = integral(h, &jacobian, &own).unwrap();
            let exponential = block.evaluate(h, &jacobian, |i, k| own[k - 1][i]).unwrap();
            assert!(distance(&action, exponential) < 1e-13, "{h}: {:e}", distance(&action, exponential));
        }
    }
}
