//! Straight lines, confidence intervals of shares, rank correlation, and the threshold that best separates two sets.

use std::f64::consts::SQRT_2;

/// The normal quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % confidence interval of the share `count / samples` (E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209–212).
pub fn wilson(count: usize, samples: usize) -> [f64; 2] {
    if samples == 0 {
        return [0.0, 1.0];
    }
    let (n, p) = (samples as f64, count as f64 / samples as f64);
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    [((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0)]
}

/// Ranks from 1; equal values share the mean of their ranks. No value may be NaN.
fn midranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = before as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&index| ranks[index] = rank);
        before += equal.len();
    }
    ranks
}

/// Spearman's rank correlation of pairs: the correlation of their midranks. Returns `None` if one side does not vary.
pub fn rank_correlation(pairs: &[[f64; 2]]) -> Option<f64> {
    let [a, b] = [0, 1].map(|side| midranks(&pairs.iter().map(|pair| pair[side]).collect::<Vec<_>>()));
    let mean = (pairs.len() + 1) as f64 / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let scale = (sum(&a, &a) * sum(&b, &b)).sqrt();
    (scale > 0.0).then(|| (sum(&a, &b) / scale).clamp(-1.0, 1.0))
}

/// Probability of a rank correlation of at least this magnitude by chance. Over all permutations, the correlation has
/// the variance 1/(n − 1), with or without ties; its distribution is approximated as normal.
pub fn chance_of_correlation(correlation: f64, samples: usize) -> f64 {
    libm::erfc(correlation.abs() * (samples.saturating_sub(1) as f64).sqrt() / SQRT_2)
}

/// The separation between the values of samples that hold and of samples that do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Largest distance of the two distributions (Kolmogorov and Smirnov): 1 if a threshold separates them completely.
    pub distance: f64,
    /// The threshold with that distance, midway between two neighbouring values.
    pub threshold: f64,
    /// True if samples below the threshold hold more often than those above.
    pub holds_below: bool,
    /// Probability of such a distance by chance (Smirnov's limit for large samples).
    pub chance: f64,
}

/// Separates the values marked `true` from those marked `false`; `None` if all marks or all values are equal.
pub fn separation(values: &[(f64, bool)]) -> Option<Separation> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let holding = values.iter().filter(|(_, holds)| *holds).count();
    let failing = values.len() - holding;
    if holding == 0 || failing == 0 {
        return None;
    }
    let (mut seen, mut best): ([usize; 2], Option<Separation>) = ([0; 2], None);
    let groups: Vec<&[(f64, bool)]> = sorted.chunk_by(|a, b| a.0 == b.0).collect();
    // A threshold must lie between different values.
    for pair in groups.windows(2) {
        pair[0].iter().for_each(|&(_, holds)| seen[usize::from(holds)] += 1);
        let difference = seen[1] as f64 / holding as f64 - seen[0] as f64 / failing as f64;
        if best.is_none_or(|best| difference.abs() > best.distance) {
            best = Some(Separation {
                distance: difference.abs(),
                threshold: 0.5 * (pair[0][0].0 + pair[1][0].0),
                holds_below: difference > 0.0,
                chance: smirnov(difference.abs(), holding, failing),
            });
        }
    }
    best
}

/// Probability that two samples of one distribution are at least `distance` apart (N. V. Smirnov, Ann. Math. Stat. 19
/// (1948) 279–281).
fn smirnov(distance: f64, first: usize, second: usize) -> f64 {
    let (first, second) = (first as f64, second as f64);
    let lambda = distance * (first * second / (first + second)).sqrt();
    if lambda < 0.2 {
        // The series does not converge at zero, but here the probability is one to within 1e-12.
        return 1.0;
    }
    let term = |k: i32| (-2.0 * f64::from(k * k) * lambda * lambda).exp() * if k % 2 == 1 { 2.0 } else { -2.0 };
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}

/// The exponent `p` of `y = c xᵖ` that best fits the points `[x, y]`: the least-squares slope of log y over log x.
/// Returns `None` if a point has no logarithm or all x are equal.
pub fn exponent(points: &[[f64; 2]]) -> Option<f64> {
    let logarithms: Vec<[f64; 2]> = points.iter().map(|point| point.map(f64::ln)).collect();
    let mean = |axis: usize| logarithms.iter().map(|point| point[axis]).sum::<f64>() / logarithms.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let (products, squares) = logarithms.iter().fold((0.0, 0.0), |(products, squares), point| {
        (products + (point[0] - x) * (point[1] - y), squares + (point[0] - x) * (point[0] - x))
    });
    Some(products / squares).filter(|slope| slope.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn intervals_match_wilsons_formula() {
        // Newcombe, Stat. Med. 17 (1998) 857, table I
        for (count, samples, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let found = wilson(count, samples);
            assert!((found[0] - low).abs() < 5e-5 && (found[1] - high).abs() < 5e-5, "{count}/{samples}: {found:?}");
        }
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(midranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert_eq!(midranks(&[-0.0, 0.0]), [1.5, 1.5]);
        assert_eq!(midranks(&[]), [0.0; 0]);
    }

    #[test]
    fn rank_correlation_matches_a_hand_calculation() {
        // Ranks 1 2.5 2.5 4 5 and 2 1 3 4.5 4.5: about their mean, Σ xy = 2 + 1 + 0 + 1.5 + 3, Σ x² = Σ y² = 9.5.
        let pairs = [[1.0, 20.0], [2.0, 10.0], [2.0, 30.0], [3.0, 40.0], [4.0, 40.0]];
        assert_relative_eq!(rank_correlation(&pairs).unwrap(), 7.5 / 9.5, max_relative = 1e-15);
        // The first two of four hold: ranks 1 2 3 4 and 3.5 3.5 1.5 1.5: −4 / √(5·4).
        let verdict = [[0.1, 1.0], [0.2, 1.0], [0.3, 0.0], [0.4, 0.0]];
        assert_relative_eq!(rank_correlation(&verdict).unwrap(), -4.0 / 20_f64.sqrt(), max_relative = 1e-15);
        // The correlation is one for any increasing function.
        let rising: Vec<[f64; 2]> = (0..9).map(f64::from).map(|x| [x, x.exp()]).collect();
        assert_relative_eq!(rank_correlation(&rising).unwrap(), 1.0);
        assert_eq!(rank_correlation(&[[1.0, 2.0], [1.0, 3.0]]), None);
        assert_eq!(rank_correlation(&[]), None);
    }

    #[test]
    fn probabilities_match_tables() {
        // ρ √(n − 1) = 1.96; critical distances of Smirnov's test: λ = 1.358 at 5 %, 1.628 at 1 %.
        assert_relative_eq!(chance_of_correlation(-Z / 10.0, 101), 0.05, max_relative = 1e-12);
        for (lambda, chance) in [(1.358, 0.05), (1.628, 0.01), (1.224, 0.1)] {
            assert_relative_eq!(smirnov(lambda / 50_f64.sqrt(), 100, 100), chance, max_relative = 0.01);
        }
        assert_eq!(smirnov(0.0, 5, 5), 1.0);
        assert_relative_eq!(smirnov(0.2, 50, 50), 0.2700, max_relative = 1e-3);
    }

    #[test]
    fn a_threshold_lies_between_different_values() {
        let found = separation(&[(1.0, true), (2.0, true), (2.0, false), (3.0, false)]).unwrap();
        assert_eq!((found.distance, found.threshold, found.holds_below), (0.5, 1.5, true));
        assert_eq!(separation(&[(1.0, true), (1.0, false)]), None);
        assert_eq!(separation(&[(1.0, true), (2.0, true)]), None);
        let divided = separation(&[(4.0, true), (1.0, false), (3.0, true), (0.0, false)]).unwrap();
        assert_eq!((divided.distance, divided.threshold, divided.holds_below), (1.0, 2.0, false));
    }

    #[test]
    fn powers_have_their_exponents() {
        let points: Vec<[f64; 2]> = [0.1, 0.05, 0.02, 0.01].iter().map(|&h: &f64| [h, 3.0 * h.powi(5)]).collect();
        assert!((exponent(&points).unwrap() - 5.0).abs() < 1e-12);
        assert_eq!(exponent(&[[0.1, 0.0], [0.2, 1.0]]), None);
        assert_eq!(exponent(&[[0.1, 1.0], [0.1, 2.0]]), None);
    }
}
