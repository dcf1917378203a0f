//! Set-ups: points in the undetermined ranges, each with a choice of every reading.

use mbsbench_experiment::undetermined::{Reading, Varies, number};
use mbsbench_experiment::{Experiment, Undetermined};
use mbsbench_input::{Key, Node};
use serde_json::{Value, json};

/// Seed of the scrambled sequence: every search of a file uses the same points.
const SEED: u32 = 2001;

/// A range whose ends differ by at least this factor is sampled in the logarithm.
const DECADE: f64 = 10.0;

/// Largest number of combinations of readings that are all tried at every point. If there are more, the choice of each
/// reading becomes another coordinate.
const MOST_COMBINATIONS: usize = 36;

/// True if a range is sampled uniformly in the logarithm: it is positive and spans a decade.
pub fn is_logarithmic([low, high]: [f64; 2]) -> bool {
    low > 0.0 && high / low >= DECADE
}

/// A set-up.
#[derive(Debug, Clone, PartialEq)]
pub struct SetUp {
    /// Its coordinate in each range, mapped to the unit interval.
    pub units: Vec<f64>,
    /// Its choice for each ambiguity of the text: zero for the reading of the file, else the number of another reading.
    pub readings: Vec<usize>,
}

/// All set-ups that a file allows.
#[derive(Debug)]
pub struct Space<'e> {
    /// The parameters with a range.
    pub ranges: Vec<(&'e Key, [f64; 2])>,
    /// The ambiguities of the text, each with its readings other than that of the file.
    pub ambiguities: Vec<(&'e Key, &'e [Reading])>,
}

impl<'e> Space<'e> {
    /// Returns the set-ups of an experiment.
    pub fn new(experiment: &'e Experiment) -> Self {
        let readings = |(key, undetermined): &'e (Key, Undetermined)| match &undetermined.varies {
            Varies::Readings(readings) => Some((key, readings.as_slice())),
            Varies::Over(_) => None,
        };
        Self {
            ranges: experiment.sampled().collect(),
            ambiguities: experiment.undetermined.iter().filter_map(readings).collect(),
        }
    }

    /// The number of readings of each ambiguity, including that of the file.
    pub fn choices(&self) -> Vec<usize> {
        self.ambiguities.iter().map(|(_, others)| others.len() + 1).collect()
    }

    /// All readings as ambiguities with the numbers of their readings, zero for that of the file.
    pub(super) fn readings(&self) -> impl Iterator<Item = (usize, usize)> {
        self.choices().into_iter().enumerate().flat_map(|(place, count)| (0..count).map(move |choice| (place, choice)))
    }

    /// The name of a reading.
    pub fn reading(&self, ambiguity: usize, choice: usize) -> String {
        let (key, others) = self.ambiguities[ambiguity];
        match choice.checked_sub(1) {
            Some(other) => others[other].name.clone(),
            None => format!("{} as in the file", key.name),
        }
    }

    /// The values of a set-up in its ranges.
    pub fn numbers(&self, set_up: &SetUp) -> Vec<f64> {
        self.ranges.iter().zip(&set_up.units).map(|((_, range), &unit)| within(*range, unit)).collect()
    }

    /// The parameters that a set-up sets, by path. A reading overrides the range of the same parameter.
    pub fn values(&self, set_up: &SetUp) -> Vec<(Key, Node)> {
        let numbers = self.ranges.iter().zip(self.numbers(set_up));
        let numbers = numbers.map(|((key, _), value)| ((*key).clone(), number(value, key)));
        let chosen = self.ambiguities.iter().zip(&set_up.readings);
        let chosen = chosen.filter_map(|((_, others), &choice)| others.get(choice.checked_sub(1)?));
        numbers.chain(chosen.flat_map(|reading| reading.sets.iter().cloned())).collect()
    }

    /// Ranges and readings, for a hash.
    pub fn definition(&self) -> Value {
        let ranges: Vec<Value> = self.ranges.iter().map(|(key, range)| json!([key.name, range])).collect();
        let reading = |reading: &Reading| {
            let sets = reading.sets.iter().map(|(key, node)| json!([key.name, node.to_json()]));
            json!([reading.name, sets.collect::<Vec<_>>()])
        };
        let readings: Vec<Value> = self.ambiguities.iter().flat_map(|(_, others)| others.iter()).map(reading).collect();
        json!([ranges, readings])
    }

    /// Returns the set-ups at a point of a scrambled Sobol sequence: one for each combination of readings, or, if there
    /// are too many combinations, a single one whose readings are drawn like its numbers.
    pub fn at(&self, point: u32) -> Vec<SetUp> {
        let choices = self.choices();
        let units: Vec<f64> = (0..).take(self.ranges.len()).map(|dimension| unit(point, dimension)).collect();
        let combinations = choices.iter().fold(1_usize, |product, &count| product.saturating_mul(count));
        if combinations > MOST_COMBINATIONS {
            let first = self.ranges.len() as u32;
            let readings = choices.iter().zip(first..).map(|(&count, d)| (unit(point, d) * count as f64) as usize);
            return vec![SetUp { units, readings: readings.collect() }];
        }
        let readings = (0..combinations).map(|mut rest| {
            let digit = |&count: &usize| {
                let choice = rest % count;
                rest /= count;
                choice
            };
            choices.iter().map(digit).collect()
        });
        readings.map(|readings| SetUp { units: units.clone(), readings }).collect()
    }

    /// Returns the set-up at a point with the readings of the file.
    pub fn as_in_file(&self, point: u32) -> SetUp {
        let units = (0..).take(self.ranges.len()).map(|dimension| unit(point, dimension)).collect();
        SetUp { units, readings: vec![0; self.ambiguities.len()] }
    }

    /// The number of points: one for a space without ranges, else `wanted`.
    pub fn points(&self, wanted: u32) -> u32 {
        if self.ranges.is_empty() { wanted.min(1) } else { wanted }
    }
}

/// Returns a coordinate of a point of the sequence, in the unit interval.
fn unit(index: u32, dimension: u32) -> f64 {
    f64::from(sobol_burley::sample(index, dimension, SEED))
}

/// Maps a point of the unit interval to the range.
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
    fn every_point_has_all_combinations_of_readings() {
        let (key, place) = (|name: &str| Key { name: name.to_owned(), place: Default::default() }, Default::default());
        let keys = [key("a"), key("b"), key("length")];
        let reading = |name: &str| Reading {
            name: name.to_owned(),
            sets: vec![(key("length"), Node::from_json(&json!(7), place))],
        };
        let (one, two) = ([reading("x")], [reading("y"), reading("z")]);
        let space = Space {
            ranges: vec![(&keys[2], [1.0, 3.0])],
            ambiguities: vec![(&keys[0], one.as_slice()), (&keys[1], two.as_slice())],
        };
        let all = space.at(5);
        let readings: Vec<&[usize]> = all.iter().map(|set_up| set_up.readings.as_slice()).collect();
        assert_eq!(readings, [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]]);
        assert_eq!(all[0], space.as_in_file(5));
        assert_eq!([space.reading(1, 0), space.reading(1, 2)], ["b as in the file", "z"]);
        let last = |set_up: &SetUp| space.values(set_up).last().unwrap().1.to_json().as_f64().unwrap();
        assert_eq!(last(&all[0]), space.numbers(&all[0])[0]);
        assert_eq!(last(&all[1]), 7.0, "a reading overrides the range");
    }
}
