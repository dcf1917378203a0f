//! Points of the undetermined parameters.

/// Seed of the scrambled sequence, so that every study of a file takes the same samples.
const SEED: u32 = 2001;

/// Ranges whose ends differ by this factor are sampled in the logarithm.
const DECADE: f64 = 10.0;

/// Whether a range is sampled evenly in the logarithm: it is positive and spans a decade.
#[must_use]
pub fn is_logarithmic([low, high]: [f64; 2]) -> bool {
    low > 0.0 && high / low >= DECADE
}

/// The first `samples` points of a scrambled Sobol sequence in the ranges, a coordinate for each.
///
/// The first points of a longer sequence are those of a shorter one, so that a study can be enlarged.
pub(super) fn points(ranges: impl Iterator<Item = [f64; 2]> + Clone, samples: u32) -> impl Iterator<Item = Vec<f64>> {
    (0..samples).map(move |index| (0..).zip(ranges.clone()).map(|(d, range)| within(range, unit(index, d))).collect())
}

/// A coordinate of a point of the sequence, in the unit interval.
fn unit(index: u32, dimension: u32) -> f64 {
    f64::from(sobol_burley::sample(index, dimension, SEED))
}

/// A point of a range for a point of the unit interval.
fn within(range: [f64; 2], unit: f64) -> f64 {
    let [low, high] = range;
    if is_logarithmic(range) { low * (high / low).powf(unit) } else { low + unit * (high - low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn samples_fill_their_range_evenly() {
        let ranges = [[0.5, 2.2], [1.0, 50.0]];
        for (dimension, range) in (0..).zip(ranges) {
            let mut counts = [0; 8];
            for index in 0..64 {
                let unit = unit(index, dimension);
                counts[(unit * 8.0) as usize] += 1;
                assert!((range[0]..=range[1]).contains(&within(range, unit)));
            }
            assert_eq!(counts, [8; 8], "a Sobol sequence has as many points in each eighth");
        }
        assert_relative_eq!(within([1.0, 100.0], 0.5), 10.0, max_relative = 1e-14);
        assert_relative_eq!(within([1.0, 3.0], 0.5), 2.0);
        assert_relative_eq!(within([-1.0, 100.0], 0.5), 49.5);
    }

    #[test]
    fn a_longer_study_begins_with_the_shorter_one() {
        let ranges = [[0.0, 1.0], [1.0, 100.0]];
        let points = |samples| points(ranges.into_iter(), samples).collect::<Vec<_>>();
        assert_eq!(points(8), points(32)[..8]);
    }
}
