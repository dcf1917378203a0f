//! The inner loop of every formula: `out = base + h Σ aⱼ kⱼ`.

use mbsbench_problem::Scalar;

/// A nonzero coefficient, and where the stage it multiplies begins in the stage memory.
#[derive(Debug, Clone, Copy)]
pub struct Term<S> {
    pub coefficient: S,
    pub offset: usize,
}

/// The nonzero coefficients of a row, for stages of `dimension` components stored one after the other.
pub fn terms<S: Scalar>(row: &[S], dimension: usize) -> Vec<Term<S>> {
    let nonzero = row.iter().enumerate().filter(|(_, a)| **a != S::nought());
    nonzero.map(|(j, &coefficient)| Term { coefficient, offset: j * dimension }).collect()
}

/// `out = base + h Σ aⱼ kⱼ`. The sum runs in the order of the stages, whatever the dimension.
#[inline]
pub fn advance<S: Scalar>(out: &mut [S], base: &[S], h: S, terms: &[Term<S>], stages: &[S]) {
    let n = out.len();
    let mut i = 0;
    while i + 4 <= n {
        let sum = sum::<S, 4>(terms, stages, i);
        for w in 0..4 {
            out[i + w] = base[i + w] + h * sum[w];
        }
        i += 4;
    }
    while i + 2 <= n {
        let sum = sum::<S, 2>(terms, stages, i);
        for w in 0..2 {
            out[i + w] = base[i + w] + h * sum[w];
        }
        i += 2;
    }
    if i < n {
        out[i] = base[i] + h * sum::<S, 1>(terms, stages, i)[0];
    }
}

/// `Σ aⱼ kⱼ` for the `W` components from `i` on.
#[inline(always)]
pub fn sum<S: Scalar, const W: usize>(terms: &[Term<S>], stages: &[S], i: usize) -> [S; W] {
    let mut sum = [S::nought(); W];
    for term in terms {
        let k = &stages[term.offset + i..][..W];
        for w in 0..W {
            sum[w] += term.coefficient * k[w];
        }
    }
    sum
}
