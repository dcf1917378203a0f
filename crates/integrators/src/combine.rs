//! The inner loop of every formula: `out = base + h Σ aⱼ kⱼ`.

use mbsbench_problem::Scalar;

/// One row of a formula, prepared for stages of `dimension` components stored one after the other.
#[derive(Debug, Clone)]
pub struct Row<S> {
    /// All coefficients up to the last nonzero one.
    coefficients: Vec<S>,
    terms: Vec<Term<S>>,
}

/// A nonzero coefficient, and where the stage it multiplies begins.
#[derive(Debug, Clone, Copy)]
struct Term<S> {
    coefficient: S,
    offset: usize,
}

impl<S: Scalar> Row<S> {
    /// Prepares a row of coefficients.
    #[must_use]
    pub fn new(row: &[S], dimension: usize) -> Self {
        let nonzero = row.iter().enumerate().filter(|(_, a)| **a != S::nought());
        let terms: Vec<_> = nonzero.map(|(j, &coefficient)| Term { coefficient, offset: j * dimension }).collect();
        let used = row.iter().rposition(|a| *a != S::nought()).map_or(0, |last| last + 1);
        Self { coefficients: row[..used].to_vec(), terms }
    }

    /// `base + h Σ aⱼ kⱼ` for a state of `D` components: loops whose bounds the compiler knows. Zero
    /// coefficients are multiplied, which is cheaper here than to skip them.
    #[inline(always)]
    pub fn advanced<const D: usize>(&self, base: &[S; D], h: S, stages: &[[S; D]]) -> [S; D] {
        let sum = self.sum(stages);
        std::array::from_fn(|w| base[w] + h * sum[w])
    }

    /// `Σ aⱼ kⱼ` for a state of `D` components.
    #[inline(always)]
    pub fn sum<const D: usize>(&self, k: &[[S; D]]) -> [S; D] {
        let a = self.coefficients.as_slice();
        match a.len() {
            1 => unrolled::<S, D, 1>(a, k),
            2 => unrolled::<S, D, 2>(a, k),
            3 => unrolled::<S, D, 3>(a, k),
            4 => unrolled::<S, D, 4>(a, k),
            5 => unrolled::<S, D, 5>(a, k),
            6 => unrolled::<S, D, 6>(a, k),
            7 => unrolled::<S, D, 7>(a, k),
            8 => unrolled::<S, D, 8>(a, k),
            9 => unrolled::<S, D, 9>(a, k),
            10 => unrolled::<S, D, 10>(a, k),
            11 => unrolled::<S, D, 11>(a, k),
            12 => unrolled::<S, D, 12>(a, k),
            13 => unrolled::<S, D, 13>(a, k),
            _ => rolled(a, k),
        }
    }

    /// `out = base + h Σ aⱼ kⱼ`.
    #[inline]
    pub fn advance(&self, out: &mut [S], base: &[S], h: S, stages: &[S]) {
        let n = out.len();
        let mut i = 0;
        while i + 4 <= n {
            self.block::<4>(out, base, h, stages, i);
            i += 4;
        }
        while i < n {
            self.block::<1>(out, base, h, stages, i);
            i += 1;
        }
    }

    /// The `W` components from `i` on.
    #[inline(always)]
    fn block<const W: usize>(&self, out: &mut [S], base: &[S], h: S, stages: &[S], i: usize) {
        let mut sum = [S::nought(); W];
        for term in &self.terms {
            let k = &stages[term.offset + i..][..W];
            for w in 0..W {
                sum[w] += term.coefficient * k[w];
            }
        }
        for w in 0..W {
            out[i + w] = base[i + w] + h * sum[w];
        }
    }
}

/// `Σ aⱼ kⱼ` over `N` stages.
#[inline(always)]
fn unrolled<S: Scalar, const D: usize, const N: usize>(a: &[S], k: &[[S; D]]) -> [S; D] {
    match (a.first_chunk::<N>(), k.first_chunk::<N>()) {
        (Some(a), Some(k)) => sum(a, k),
        _ => rolled(a, k),
    }
}

/// The same for rows that are longer than any that is unrolled; kept apart, so that the short ones stay short.
#[cold]
#[inline(never)]
fn rolled<S: Scalar, const D: usize>(a: &[S], k: &[[S; D]]) -> [S; D] {
    sum(a, k)
}

#[inline(always)]
fn sum<S: Scalar, const D: usize>(a: &[S], k: &[[S; D]]) -> [S; D] {
    let mut sum = [S::nought(); D];
    for (&a, k) in a.iter().zip(k) {
        for w in 0..D {
            sum[w] += a * k[w];
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum must not depend on which loop makes it, or results would change with the dimension.
    #[test]
    fn both_loops_give_the_same_bits() {
        fn check<const D: usize>() {
            let row = [0.1, 0.0, -0.7, 1.0 / 3.0, 0.0];
            let stages: Vec<f64> = (0..D * row.len()).map(|i| (i as f64).sin()).collect();
            let base: [f64; D] = std::array::from_fn(|i| (i as f64).cos());
            let prepared = Row::new(&row, D);
            let mut out = base;
            prepared.advance(&mut out, &base, 0.01, &stages);
            assert_eq!(out, prepared.advanced(&base, 0.01, stages.as_chunks().0), "dimension {D}");
            let expected = |i: usize| {
                let sum = row.iter().enumerate().map(|(j, a)| a * stages[j * D + i]).sum::<f64>();
                base[i] + 0.01 * sum
            };
            assert_eq!(out, std::array::from_fn(expected));
        }
        check::<1>();
        check::<2>();
        check::<4>();
        check::<6>();
        check::<9>();
    }
}
