//! Lists of contacts, closed or possible.

/// Contacts by kind; their order is that of the event functions.
#[derive(Debug, Clone, Default)]
pub(super) struct Contacts {
    /// Marbles at the floor.
    pub floors: Vec<u32>,
    /// Marbles at the cylinder.
    pub walls: Vec<u32>,
    /// Pairs `i < j`, by rows.
    pub pairs: Vec<[u32; 2]>,
}

/// All pairs `i < j` of `n`, by rows.
pub(super) fn pairs(n: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| [i, j]))
}

/// These as a list: millions, for which memory is asked once.
pub(super) fn all_pairs(n: usize) -> Vec<[u32; 2]> {
    let mut list = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    list.extend(pairs(n).map(|pair| pair.map(|i| i as u32)));
    list
}

impl Contacts {
    /// All that `n` marbles can have.
    pub fn all(n: usize) -> Self {
        let all = 0..n as u32;
        Self { floors: all.clone().collect(), walls: all.collect(), pairs: all_pairs(n) }
    }

    pub fn clear(&mut self) {
        self.floors.clear();
        self.walls.clear();
        self.pairs.clear();
    }

    pub fn len(&self) -> usize {
        self.floors.len() + self.walls.len() + self.pairs.len()
    }

    /// Becomes those of `others` whose entry in `open`, one for each, is not set.
    pub fn closed_of(&mut self, others: &Self, open: &[bool]) {
        self.clear();
        let (floors, rest) = open.split_at(others.floors.len());
        let (walls, pairs) = rest.split_at(others.walls.len());
        self.floors.extend(others.floors.iter().zip(floors).filter_map(|(&i, open)| (!open).then_some(i)));
        self.walls.extend(others.walls.iter().zip(walls).filter_map(|(&i, open)| (!open).then_some(i)));
        self.pairs.extend(others.pairs.iter().zip(pairs).filter_map(|(&pair, open)| (!open).then_some(pair)));
    }
}
