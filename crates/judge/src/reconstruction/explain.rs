//! Explanation of verdicts by the parameters they depend on: a decision list of at most two steps.

use mbsbench_input::keys_of;
use serde::{Deserialize, Serialize};

use crate::statistics::{chance_of_correlation, rank_correlation, separation};

/// Significance level, over all variables together: the share of studies in which a decisive variable would be found by
/// chance.
pub const LEVEL: f64 = 0.05;

/// Weight of a second threshold on the same variable, compared with one on another variable. If the first threshold is
/// not sharp, a second one on the same variable always explains a little more, but tells readers little.
const SAME: f64 = 0.5;

/// Threshold for readings: set-ups with the reading have the value 1, all others 0.
const MIDWAY: f64 = 0.5;

/// A quantity that differs between set-ups: an undetermined parameter, a reading of the text, or a feature of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Path of the parameter, or name of the reading or feature.
    pub name: String,
    /// True for a reading: its value is 1 in set-ups that use it, else 0.
    pub is_reading: bool,
    /// Its value in each set-up; NaN if a run has none.
    pub values: Vec<f64>,
}

/// A side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Below the threshold.
    Below,
    /// At or above the threshold.
    Above,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self::Below, Self::Above];

    /// The name in files and sentences.
    pub fn name(self) -> &'static str {
        keys_of::<Self>()[self as usize]
    }

    /// The other side.
    #[must_use]
    pub fn other(self) -> Self {
        Self::BOTH[1 - self as usize]
    }
}

/// The number of samples in which a claim holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Count {
    /// The number of samples in which it holds.
    pub holds: usize,
    /// The number of samples that decide it.
    pub samples: usize,
}

impl Count {
    /// The share of samples in which it holds; NaN if there are none.
    pub fn share(self) -> f64 {
        self.holds as f64 / self.samples as f64
    }

    /// Gini's impurity: the probability that two samples drawn with replacement differ, times the number of samples.
    fn impurity(self) -> f64 {
        if self.samples == 0 { 0.0 } else { 2.0 * self.holds as f64 * (1.0 - self.share()) }
    }
}

/// A variable with the threshold that best separates the samples in which a claim holds from the others.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Split {
    /// Name of the variable.
    pub variable: String,
    /// The largest distance between its distributions with and without the claim (Kolmogorov and Smirnov).
    pub distance: f64,
    /// The value of the variable at the largest distance; `None` for a reading.
    pub threshold: Option<f64>,
    /// The side on which the claim holds more often.
    pub holds: Side,
    /// The numbers of samples below and above the threshold.
    pub counts: [Count; 2],
}

impl Split {
    /// The numbers of samples on a side.
    pub fn count(&self, side: Side) -> Count {
        self.counts[side as usize]
    }
}

/// The decisive split, and a second split of the samples on one of its sides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Explanation {
    /// The decisive split.
    pub first: Option<Split>,
    /// A further split, and the side of the first split on which it decides.
    pub second: Option<(Side, Split)>,
}

/// Explains when a claim holds: by the variable with the largest distance (Kolmogorov and Smirnov), and within one of
/// its sides by the split that leaves least to explain (Gini; the same variable counts half).
///
/// A variable is considered if its distance or its rank correlation is significant at [`LEVEL`] divided by the number
/// of tests (Bonferroni).
pub fn explain(variables: &[Variable], holds: &[Option<bool>]) -> Explanation {
    let all: Vec<usize> = (0..holds.len()).filter(|&sample| holds[sample].is_some()).collect();
    let tests = 2 * variables.len();
    let Some((first, place)) = best(variables, holds, &all, tests, |split| split.distance) else {
        return Explanation::default();
    };
    let values = &variables[place].values;
    let merit = |split: &Split| if split.variable == first.variable { SAME * gain(split) } else { gain(split) };
    let second = Side::BOTH.into_iter().filter_map(|side| {
        let is_below = |sample: usize| values[sample] < first.threshold.unwrap_or(MIDWAY);
        let is_there = |&sample: &usize| !values[sample].is_nan() && is_below(sample) == (side == Side::Below);
        let there: Vec<usize> = all.iter().copied().filter(is_there).collect();
        best(variables, holds, &there, 2 * tests, merit).map(|(split, _)| (side, split))
    });
    let second = second.reduce(|a, b| if merit(&b.1) > merit(&a.1) { b } else { a });
    Explanation { first: Some(first), second }
}

/// The reduction of impurity by a split.
fn gain(split: &Split) -> f64 {
    let [below, above] = split.counts;
    let both = Count { holds: below.holds + above.holds, samples: below.samples + above.samples };
    both.impurity() - below.impurity() - above.impurity()
}

/// Returns the best significant split of some samples with the index of its variable; the first one among equals.
fn best(
    variables: &[Variable],
    holds: &[Option<bool>],
    among: &[usize],
    tests: usize,
    merit: impl Fn(&Split) -> f64,
) -> Option<(Split, usize)> {
    let splits = variables.iter().enumerate().filter_map(|(place, variable)| {
        let (split, chance) = split(variable, holds, among)?;
        (chance * tests as f64 <= LEVEL).then_some((split, place))
    });
    splits.reduce(|a, b| if merit(&b.0) > merit(&a.0) { b } else { a })
}

/// Returns the best threshold of a variable for some samples, with the smaller of the p-values of its distance and its
/// rank correlation.
fn split(variable: &Variable, holds: &[Option<bool>], among: &[usize]) -> Option<(Split, f64)> {
    let decided = among.iter().filter_map(|&sample| Some((variable.values[sample], holds[sample]?)));
    let values: Vec<(f64, bool)> = decided.filter(|(value, _)| value.is_finite()).collect();
    let separation = separation(&values)?;
    let pairs: Vec<[f64; 2]> = values.iter().map(|&(value, holds)| [value, f64::from(holds)]).collect();
    let correlation = rank_correlation(&pairs).unwrap_or(0.0);
    let mut counts = [Count::default(); 2];
    for &(value, holds) in &values {
        let count = &mut counts[usize::from(value >= separation.threshold)];
        count.samples += 1;
        count.holds += usize::from(holds);
    }
    let threshold = (!variable.is_reading).then_some(separation.threshold);
    let holds = if separation.holds_below { Side::Below } else { Side::Above };
    let split = Split { variable: variable.name.clone(), distance: separation.distance, threshold, holds, counts };
    Some((split, separation.chance.min(chance_of_correlation(correlation, values.len()))))
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    fn variables(names: &[&str], samples: usize, random: &mut Random) -> Vec<Variable> {
        names
            .iter()
            .map(|&name| Variable {
                name: name.to_owned(),
                is_reading: false,
                values: (0..samples).map(|_| random.unit()).collect(),
            })
            .collect()
    }

    fn outcomes(variables: &[Variable], holds: impl Fn(&[f64]) -> bool) -> Vec<Option<bool>> {
        let samples = variables[0].values.len();
        let at = |sample: usize| variables.iter().map(|variable| variable.values[sample]).collect::<Vec<f64>>();
        (0..samples).map(|k| Some(holds(&at(k)))).collect()
    }

    #[test]
    fn a_single_threshold_is_found_and_nothing_else() {
        let variables = variables(&["a", "b", "c"], 256, &mut Random(1));
        let found = explain(&variables, &outcomes(&variables, |v| v[1] < 0.3));
        let first = found.first.unwrap();
        assert_eq!((first.variable.as_str(), first.distance, first.holds), ("b", 1.0, Side::Below));
        assert!((first.threshold.unwrap() - 0.3).abs() < 0.02, "{first:?}");
        assert_eq!(first.count(Side::Below).share(), 1.0);
        assert_eq!(first.count(Side::Above).share(), 0.0);
        assert_eq!(found.second, None);
    }

    #[test]
    fn an_interval_takes_two_splits_or_one_of_a_feature() {
        let mut given = variables(&["a", "b"], 512, &mut Random(2));
        // The distance to the nearest multiple of a quarter, which no single threshold of `a` can separate.
        let fold = |a: f64| (a / 0.25 - (a / 0.25).round()).abs();
        let holds = outcomes(&given, |v| fold(v[0]) > 0.2);
        let without = explain(&given, &holds);
        assert!(without.first.as_ref().is_none_or(|first| first.distance < 0.5), "{without:?}");
        let folded = given[0].values.iter().map(|&a| fold(a)).collect();
        given.push(Variable { name: "fold".into(), is_reading: false, values: folded });
        let first = explain(&given, &holds).first.unwrap();
        assert_eq!((first.variable.as_str(), first.distance, first.holds), ("fold", 1.0, Side::Above));

        let middle = explain(&given[..2], &outcomes(&given[..2], |v| (0.3..0.8).contains(&v[0])));
        let (side, second) = middle.second.unwrap();
        let first = middle.first.unwrap();
        assert_eq!((first.variable.as_str(), second.variable.as_str()), ("a", "a"));
        assert_eq!(second.count(Side::Below).share() + second.count(Side::Above).share(), 1.0, "{side:?} {second:?}");
    }

    #[test]
    fn two_conditions_are_found_one_after_the_other() {
        let variables = variables(&["a", "preload", "c", "distance"], 512, &mut Random(3));
        let found = explain(&variables, &outcomes(&variables, |v| v[1] < 0.5 && v[3] > 0.2));
        let first = found.first.unwrap();
        let (side, second) = found.second.unwrap();
        assert_eq!((first.variable.as_str(), first.holds), ("preload", Side::Below));
        assert_eq!((side, second.variable.as_str(), second.holds), (Side::Below, "distance", Side::Above));
        assert!((second.threshold.unwrap() - 0.2).abs() < 0.02 && (first.threshold.unwrap() - 0.5).abs() < 0.02);
        assert_eq!(second.count(Side::Above).share(), 1.0);
        assert_eq!(second.count(Side::Below).share(), 0.0);
        assert_eq!(first.count(Side::Above).share(), 0.0);
    }

    #[test]
    fn noise_is_explained_no_more_often_than_the_level() {
        let mut random = Random(4);
        let (studies, mut false_deciders) = (1000, 0);
        for _ in 0..studies {
            let variables = variables(&["a", "b", "c", "d"], 128, &mut random);
            let noise: Vec<Option<bool>> = (0..128).map(|_| Some(random.unit() < 0.7)).collect();
            false_deciders += usize::from(explain(&variables, &noise).first.is_some());
        }
        // Three standard deviations above the mean of a binomial distribution.
        let most = LEVEL * f64::from(studies) + 3.0 * (LEVEL * (1.0 - LEVEL) * f64::from(studies)).sqrt();
        assert!((false_deciders as f64) < most, "{false_deciders}");
    }

    #[test]
    fn samples_without_verdict_or_value_are_skipped() {
        let mut variables = variables(&["a", "b"], 200, &mut Random(5));
        let mut holds = outcomes(&variables, |v| v[0] > 0.6);
        for sample in 0..50 {
            holds[sample] = None;
            variables[0].values[60 + sample / 5] = f64::NAN;
        }
        let first = explain(&variables, &holds).first.unwrap();
        assert_eq!((first.variable.as_str(), first.distance), ("a", 1.0));
        assert_eq!(first.count(Side::Below).samples + first.count(Side::Above).samples, 140);
    }

    #[test]
    fn a_reading_decides_without_a_threshold() {
        let mut variables = variables(&["a"], 128, &mut Random(6));
        let values = (0..128).map(|k| f64::from(k % 3 == 0)).collect();
        variables.push(Variable { name: "charts = step".into(), is_reading: true, values });
        let first = explain(&variables, &outcomes(&variables, |v| v[1] == 1.0)).first.unwrap();
        assert_eq!((first.variable.as_str(), first.threshold, first.holds), ("charts = step", None, Side::Above));
    }
}
