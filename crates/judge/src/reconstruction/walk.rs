//! Metropolis chains over the accepted set-ups, for a search.

use super::random::reflected;
use super::search::{CHAINS, Search, Trial};
use super::space::SetUp;

/// Accepted moves of a chain, on average, between two draws from all chains.
const THIN: usize = 2;
/// Number of generations before the first draw, if the chains do not start from the sample.
const BURN_IN: usize = 8;
/// Number of accepted set-ups of the sample from which chains may start without burn-in.
const STARTS: usize = 8;

impl<T: Trial> Search<'_, T> {
    /// Starts the chains from the sample if it has enough accepted set-ups, else from all accepted set-ups.
    pub(super) fn begin_walk(&mut self) {
        if self.drawn.len() < STARTS {
            self.drawn.clear();
            self.is_even = false;
        }
        let starts: Vec<usize> = if self.is_even { self.drawn.clone() } else { self.accepted().collect() };
        // Spread the chains over all starts.
        self.chains = (0..CHAINS.min(starts.len() * CHAINS)).map(|k| starts[k * starts.len() / CHAINS]).collect();
        self.generation = 0;
    }

    pub(super) fn walk(&mut self, wanted: usize) -> Result<(), T::Error> {
        let burn_in = if self.is_even { 0 } else { BURN_IN };
        while self.drawn.len() < wanted && !self.chains.is_empty() && self.tried.len() + CHAINS <= self.budget {
            let half = CHAINS / 2;
            for first in [0, half] {
                let moves = (first..first + half).map(|chain| (self.moved(chain, half - first), 0.0)).collect();
                let places = self.evaluate(moves)?;
                for (chain, place) in (first..).zip(places) {
                    if self.tried[place].is_accepted() {
                        self.chains[chain] = place;
                        self.moves += 1;
                    }
                }
            }
            self.generation += 1;
            let has_moved = self.moves >= THIN * CHAINS;
            if self.generation > burn_in && has_moved {
                self.moves = 0;
                self.drawn.extend(&self.chains);
                // Everything drawn so far comes from chains in equilibrium.
                self.is_even = true;
            }
        }
        if self.drawn.is_empty() {
            self.drawn = self.accepted().collect();
        }
        Ok(())
    }

    /// Proposes a move of a chain by a difference of two chains of the half that begins at `others`.
    fn moved(&mut self, chain: usize, others: usize) -> SetUp {
        let random = &mut self.random;
        let own = &self.tried[self.chains[chain]].set_up;
        let [one, other] = random.pair(CHAINS / 2).map(|place| &self.tried[self.chains[others + place]].set_up);
        let dimensions = own.units.len();
        let part = [1.0 / 3.0, 2.0 / 3.0, 1.0][random.below(3)];
        let kept = random.below(dimensions);
        let is_moved: Vec<bool> = (0..dimensions).map(|d| d == kept || random.unit() < part).collect();
        let count = is_moved.iter().filter(|&&is_moved| is_moved).count();
        // One move in ten takes the whole difference, which leads from one island to another.
        let scale = if random.unit() < 0.1 { 1.0 } else { 2.38 / (2.0 * count as f64).sqrt() };
        let noise = [0.1, 0.01, 1e-3, 1e-4][random.below(4)];
        let units = (0..dimensions).map(|d| {
            let jump = scale * (one.units[d] - other.units[d]) + noise * (2.0 * random.unit() - 1.0);
            if is_moved[d] { reflected(own.units[d] + jump) } else { own.units[d] }
        });
        let units = units.collect();
        let choices = self.space.choices();
        let mut readings = own.readings.clone();
        if !choices.is_empty() && random.unit() < 0.3 {
            let place = random.below(choices.len());
            readings[place] = random.below(choices[place]);
        }
        SetUp { units, readings }
    }
}
