//! The inner loop of every formula: `out = base + h Σ aⱼ kⱼ`.

use mbsbench_problem::Scalar;

/// The longest row whose loops over the stages are unrolled, for formulas of up to thirteen stages.
pub const LONGEST: usize = 13;

/// The initial value of a sum. −0 + x is x for every x, so it costs no addition; +0 + (−0) would be +0.
const NEUTRAL: f64 = -0.0;

/// One row of a formula, prepared for stages of `dimension` components stored one after the other.
#[derive(Debug, Clone)]
pub struct Row<S> {
    /// The coefficients, padded with zeros; those beyond [`LONGEST`] are left out. Each is stored twice, so that a
    /// pair is loaded at once; a single number would have to be spread over the two halves of a register.
    coefficients: [[S; 2]; LONGEST],
    /// Number of coefficients up to the last nonzero one.
    length: usize,
    terms: Vec<Term<S>>,
}

/// A nonzero coefficient, and the position at which the stage it multiplies begins.
#[derive(Debug, Clone, Copy)]
struct Term<S> {
    coefficient: S,
    offset: usize,
}

impl<S: Scalar> Row<S> {
    /// Prepares a row of coefficients.
    pub fn new(row: &[S], dimension: usize) -> Self {
        let (mut coefficients, mut terms) = ([[S::zero(); 2]; LONGEST], Vec::with_capacity(row.len()));
        let mut length = 0;
        for (j, coefficient) in row.iter().copied().enumerate().filter(|(_, a)| *a != S::zero()) {
            if let Some(both) = coefficients.get_mut(j) {
                *both = [coefficient; 2];
            }
            terms.push(Term { coefficient, offset: j * dimension });
            length = j + 1;
        }
        Self { coefficients, length, terms }
    }

    /// `base + h Σ aⱼ kⱼ` over the first `N` stages, for a state of `D` components. The compiler knows the bounds of
    /// these loops. Zeros are multiplied, because skipping them costs more.
    #[inline(always)]
    pub fn advanced<const D: usize, const N: usize>(&self, base: &[S; D], h: S, k: &[[S; D]; LONGEST]) -> [S; D] {
        let sum = self.sum_of::<D, N>(k);
        std::array::from_fn(|w| base[w] + h * sum[w])
    }

    /// `Σ aⱼ kⱼ` over all coefficients of the row, at most [`LONGEST`].
    #[inline(always)]
    pub fn sum<const D: usize>(&self, k: &[[S; D]; LONGEST]) -> [S; D] {
        macro_rules! of_length {
            ($($n:literal)*) => {
                match self.length.max(1) {
                    $($n => self.sum_of::<D, $n>(k),)*
                    _ => self.sum_of::<D, LONGEST>(k),
                }
            };
        }
        of_length!(1 2 3 4 5 6 7 8 9 10 11 12)
    }

    /// `Σ aⱼ kⱼ` over the first `N` stages.
    #[inline(always)]
    fn sum_of<const D: usize, const N: usize>(&self, k: &[[S; D]; LONGEST]) -> [S; D] {
        let mut sum = [S::from(NEUTRAL); D];
        for j in 0..N {
            for w in 0..D {
                sum[w] += self.coefficients[j][w % 2] * k[j][w];
            }
        }
        sum
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

    /// Computes `W` components from `i` on.
    #[inline(always)]
    fn block<const W: usize>(&self, out: &mut [S], base: &[S], h: S, stages: &[S], i: usize) {
        let mut sum = [S::from(NEUTRAL); W];
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum must not depend on which loop computes it, or results would change with the dimension.
    #[test]
    fn both_loops_give_the_same_bits() {
        fn check<const D: usize>() {
            let row = [0.1, 0.0, -0.7, 1.0 / 3.0, 0.0];
            let stages: Vec<f64> = (0..D * LONGEST).map(|i| (i as f64).sin()).collect();
            let base: [f64; D] = std::array::from_fn(|i| (i as f64).cos());
            let prepared = Row::new(&row, D);
            let mut out = base;
            prepared.advance(&mut out, &base, 0.01, &stages);
            let stages_of_d = stages.as_chunks().0.first_chunk().expect("as many stages");
            assert_eq!(out, prepared.advanced::<D, 4>(&base, 0.01, stages_of_d), "dimension {D}");
            let sum = prepared.sum(stages_of_d);
            assert_eq!(out, std::array::from_fn(|i| base[i] + 0.01 * sum[i]), "dimension {D}");
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
        check::<14>();
    }
}
