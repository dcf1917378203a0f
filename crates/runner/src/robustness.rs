//! How far claims depend on what a paper leaves out: the undetermined parameters of an experiment are sampled over their
//! ranges, and each claim is judged at every sample.

use std::io;

use crate::claims::{Claim, Evidence, Ledger, Verdict, judge};
use crate::input::Problem;
use crate::pipeline::results_of;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::registry::Registry;
use crate::results::decimal;
use crate::store::Store;

/// Seed of the scrambled sequence, so that every study of a file takes the same samples.
const SEED: u32 = 2001;

/// Ranges whose ends differ by this factor are sampled in the logarithm.
const DECADE: f64 = 10.0;

/// A study of one experiment.
#[derive(Debug)]
pub struct Study {
    /// Paths of the undetermined parameters.
    pub parameters: Vec<String>,
    /// Their values at each sample.
    pub samples: Vec<Vec<f64>>,
    /// The claims that rest on the experiment and no other.
    pub claims: Vec<Claim>,
    /// Verdict of each claim at each sample.
    pub verdicts: Vec<Vec<Verdict>>,
}

/// How a claim fares over the range.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Samples at which it is reproduced.
    pub holds: usize,
    /// All samples.
    pub samples: usize,
    /// Interval of 95 % confidence for the share (Wilson).
    pub interval: [f64; 2],
    /// The parameter that decides, where one does.
    pub decides: Option<Decision>,
}

/// The parameter on which a verdict depends most.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Its path.
    pub parameter: String,
    /// Largest distance between its distributions where the claim holds and where it does not (Kolmogorov–Smirnov).
    pub distance: f64,
    /// Its value where that distance is.
    pub threshold: f64,
    /// Whether the claim holds below that value rather than above.
    pub holds_below: bool,
}

/// Points of a scrambled Sobol sequence in the unit cube.
fn unit(index: u32, dimension: u32) -> f64 {
    f64::from(sobol_burley::sample(index, dimension, SEED))
}

/// A point of a range for a point of the unit interval.
fn within([low, high]: [f64; 2], unit: f64) -> f64 {
    if low > 0.0 && high / low >= DECADE { low * (high / low).powf(unit) } else { low + unit * (high - low) }
}

/// Why there is no study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The store failed.
    #[error("the store: {0}")]
    Store(#[from] io::Error),
    /// A model or method refuses a sample.
    #[error("at {0}: {1}")]
    Refused(String, Problem),
}

impl Study {
    /// Samples the undetermined parameters of `plan` and judges the claims that rest on it alone.
    ///
    /// # Errors
    /// A sample that a model does not accept, though it lies in the range; what the store says.
    pub fn new(
        plan: &Plan,
        ledger: &Ledger,
        samples: u32,
        registry: &Registry,
        store: &Store,
        progress: &Progress,
    ) -> Result<Self, StudyError> {
        let undetermined = &plan.experiment.undetermined;
        let rests_on_it = |claim: &&Claim| {
            let experiments = claim.kind.experiments();
            !experiments.is_empty() && experiments.iter().all(|name| plan.experiment.is_called(name, &ledger.paper))
        };
        let claims: Vec<Claim> = ledger.claims.iter().filter(rests_on_it).cloned().collect();
        let parameters: Vec<String> = undetermined.iter().map(|(key, _)| key.name.clone()).collect();
        let points: Vec<Vec<f64>> = (0..samples)
            .map(|index| (0..).zip(undetermined).map(|(d, (_, u))| within(u.range, unit(index, d))).collect())
            .collect();
        let mut plans = Vec::with_capacity(points.len());
        for point in &points {
            let numbers: Vec<(&str, f64)> = parameters.iter().map(String::as_str).zip(point.iter().copied()).collect();
            let varied = plan.with_numbers(&numbers, registry);
            plans.push(varied.map_err(|problem| StudyError::Refused(at(&numbers), problem))?);
        }
        let outcomes = results_of(&plans, store, false, progress)?;
        let mut verdicts = vec![Vec::with_capacity(points.len()); claims.len()];
        for (plan, outcome) in plans.iter().zip(&outcomes) {
            let evidence = Evidence::of(std::slice::from_ref(plan), std::slice::from_ref(outcome));
            for (claim, verdicts) in claims.iter().zip(&mut verdicts) {
                verdicts.push(judge(&ledger.paper, claim, &evidence).verdict);
            }
        }
        Ok(Self { parameters, samples: points, claims, verdicts })
    }

    /// How the claim at `index` fares.
    #[must_use]
    pub fn share(&self, index: usize) -> Share {
        let holds: Vec<bool> = self.verdicts[index].iter().map(|&verdict| verdict == Verdict::Reproduced).collect();
        let count = holds.iter().filter(|&&holds| holds).count();
        let decisions = self.parameters.iter().enumerate().filter_map(|(parameter, name)| {
            let values: Vec<f64> = self.samples.iter().map(|point| point[parameter]).collect();
            decision(name, &values, &holds)
        });
        let decides = decisions.max_by(|a, b| a.distance.total_cmp(&b.distance));
        Share { holds: count, samples: holds.len(), interval: wilson(count, holds.len()), decides }
    }

    /// The text of `robustness.csv`: one line a claim.
    ///
    /// # Errors
    /// None in practice: the text is made in memory.
    pub fn to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "claim",
            "samples",
            "holds",
            "share",
            "low",
            "high",
            "decides",
            "distance",
            "threshold",
            "holds_where",
        ])?;
        for (index, claim) in self.claims.iter().enumerate() {
            let Share { holds, samples, interval: [low, high], decides } = self.share(index);
            let share = holds as f64 / samples.max(1) as f64;
            let rounded = |number: f64| format!("{number:.4}");
            let decision = decides.map_or_else(Default::default, |decision| {
                let side = if decision.holds_below { "below" } else { "above" };
                let threshold = format!("{:.4e}", decision.threshold);
                [decision.parameter, rounded(decision.distance), threshold, side.to_owned()]
            });
            let counts = [samples.to_string(), holds.to_string(), rounded(share), rounded(low), rounded(high)];
            writer.write_record([claim.id.clone()].into_iter().chain(counts).chain(decision))?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    /// The text of `robustness-samples.csv`: one line a sample with the verdict of every claim.
    ///
    /// # Errors
    /// None in practice: the text is made in memory.
    pub fn samples_to_csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.parameters.iter().chain(self.claims.iter().map(|claim| &claim.id)))?;
        for (sample, point) in self.samples.iter().enumerate() {
            let verdicts = self.verdicts.iter().map(|verdicts| verdicts[sample].to_string());
            writer.write_record(point.iter().copied().map(decimal).chain(verdicts))?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

fn at(numbers: &[(&str, f64)]) -> String {
    let texts: Vec<String> = numbers.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    texts.join(", ")
}

/// Interval of 95 % confidence for a share (E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209–212).
fn wilson(count: usize, samples: usize) -> [f64; 2] {
    /// The normal quantile of 97.5 %.
    const Z: f64 = 1.959_963_984_540_054;
    if samples == 0 {
        return [0.0, 1.0];
    }
    let (n, p) = (samples as f64, count as f64 / samples as f64);
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    [((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0)]
}

/// How much a verdict depends on one parameter; none where it does not, to 95 % confidence.
fn decision(name: &str, values: &[f64], holds: &[bool]) -> Option<Decision> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let holding = holds.iter().filter(|&&holds| holds).count();
    let failing = holds.len() - holding;
    if holding == 0 || failing == 0 {
        return None;
    }
    let (mut seen, mut best) =
        ([0usize; 2], Decision { parameter: name.to_owned(), distance: 0.0, threshold: f64::NAN, holds_below: false });
    for (place, &index) in order.iter().enumerate() {
        seen[usize::from(holds[index])] += 1;
        let difference = seen[1] as f64 / holding as f64 - seen[0] as f64 / failing as f64;
        if difference.abs() > best.distance {
            let next = order.get(place + 1).map_or(values[index], |&next| values[next]);
            best.threshold = 0.5 * (values[index] + next);
            best.distance = difference.abs();
            best.holds_below = difference > 0.0;
        }
    }
    // Critical distance of the two-sample test of Kolmogorov and Smirnov at 5 %.
    let critical = 1.358 * ((holding + failing) as f64 / (holding as f64 * failing as f64)).sqrt();
    (best.distance > critical).then_some(best)
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
    }

    #[test]
    fn intervals_are_wilsons() {
        // Newcombe, Stat. Med. 17 (1998) 857, table I: 81 of 263 and 0 of 20
        let [low, high] = wilson(81, 263);
        assert!((low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5, "{low} {high}");
        let [low, high] = wilson(0, 20);
        assert!(low == 0.0 && (high - 0.1611).abs() < 5e-5, "{high}");
    }

    #[test]
    fn the_deciding_parameter_is_found_with_its_threshold() {
        let values: Vec<f64> = (0..100).map(|k| f64::from(k) / 100.0).collect();
        let holds: Vec<bool> = values.iter().map(|&value| value < 0.3).collect();
        let found = decision("a", &values, &holds).unwrap();
        assert!(found.holds_below && found.distance == 1.0);
        assert_relative_eq!(found.threshold, 0.295, epsilon = 1e-12);
        let unrelated: Vec<bool> = (0..100).map(|k| k % 2 == 0).collect();
        assert_eq!(decision("a", &values, &unrelated), None);
        assert_eq!(decision("a", &values, &[true; 100]), None);
    }
}
