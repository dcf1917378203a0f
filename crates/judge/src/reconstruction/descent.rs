//! Minimisation of the distance from the givens by differential evolution.

use super::random::reflected;
use super::search::{CHAINS, Search, Trial, Tried};
use super::space::SetUp;

/// Number of generations without progress after which the descent ends.
const STALLED: usize = 25;

impl<T: Trial> Search<'_, T> {
    /// Runs differential evolution from the best of the completely evaluated set-ups, optionally with one reading
    /// fixed. It ends when `enough` members of the population meet all givens, or when `most` set-ups were evaluated.
    pub fn descend(&mut self, fixed: Option<(usize, usize)>, most: usize, enough: usize) -> Result<(), T::Error> {
        let has_it = |tried: &Tried| fixed.is_none_or(|(place, choice)| tried.set_up.readings[place] == choice);
        let complete = (0..self.tried.len()).filter(|&place| has_it(&self.tried[place]));
        let mut population: Vec<(f64, usize)> =
            complete.filter_map(|place| Some((self.tried[place].distance()?, place))).collect();
        population.sort_by(|a, b| a.0.total_cmp(&b.0));
        population.truncate((4 * self.space.ranges.len()).clamp(CHAINS, 2 * CHAINS));
        if population.len() < 4 || self.space.ranges.is_empty() {
            return Ok(());
        }
        let (end, mut stalled) = ((self.tried.len() + most).min(self.budget), 0);
        while self.tried.len() < end && stalled < STALLED {
            if population.iter().filter(|(distance, _)| *distance == 0.0).count() >= enough.min(population.len()) {
                break;
            }
            population.sort_by(|a, b| a.0.total_cmp(&b.0));
            let open: Vec<usize> = (0..population.len()).filter(|&place| population[place].0 > 0.0).collect();
            let candidates =
                open.iter().map(|&place| (self.offspring(&population, place, fixed), population[place].0)).collect();
            let places = self.evaluate(candidates)?;
            stalled += 1;
            for (&parent, child) in open.iter().zip(places) {
                if let Some(distance) = self.tried[child].distance().filter(|&own| own < population[parent].0) {
                    population[parent] = (distance, child);
                    stalled = 0;
                }
            }
        }
        Ok(())
    }

    /// Creates a set-up from a member of the sorted population, one of the best members, and the difference of two
    /// others.
    fn offspring(&mut self, population: &[(f64, usize)], parent: usize, fixed: Option<(usize, usize)>) -> SetUp {
        const BEST: usize = 4;
        let random = &mut self.random;
        let best = random.below((population.len() / BEST).max(1));
        let others = random.pair(population.len());
        let [own, best, one, other] =
            [parent, best, others[0], others[1]].map(|place| &self.tried[population[place].1].set_up);
        let (scale, kept) = (0.4 + 0.5 * random.unit(), random.below(own.units.len()));
        let units = (0..own.units.len()).map(|d| {
            let moved = own.units[d] + scale * (best.units[d] - own.units[d] + one.units[d] - other.units[d]);
            if d == kept || random.unit() < 0.9 { reflected(moved) } else { own.units[d] }
        });
        let units = units.collect();
        let readings = self.space.choices().into_iter().enumerate().map(|(place, count)| match fixed {
            Some((known, choice)) if known == place => choice,
            _ => match random.unit() {
                part if part < 0.1 => random.below(count),
                part if part < 0.5 => best.readings[place],
                _ => own.readings[place],
            },
        });
        SetUp { units, readings: readings.collect() }
    }
}
