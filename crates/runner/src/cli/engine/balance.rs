//! Which run goes where, and when all are over.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use mbsbench_runs::execute::queue::order;

/// Those of the same number of places that are the least busy first.
struct Places(BinaryHeap<Reverse<(Duration, usize)>>);

impl Places {
    fn new(places: usize) -> Self {
        Self((0..places.max(1)).map(|place| Reverse((Duration::ZERO, place))).collect())
    }

    /// Gives work to the place that is free the first; that place, and when it is free again.
    fn take(&mut self, cost: Duration) -> (usize, Duration) {
        let Some(Reverse((free, place))) = self.0.pop() else { return (0, cost) };
        let end = free.saturating_add(cost);
        self.0.push(Reverse((end, place)));
        (place, end)
    }
}

/// Splits works of such costs into so many parts at most, none of them empty: the longest first, each into the part that has the least by
/// then. The longest part takes at most a third more than what is possible (R. L. Graham, 1969).
pub(super) fn parts(costs: &[Duration], most: usize) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new(); most.min(costs.len())];
    let mut places = Places::new(parts.len());
    for index in order(costs) {
        parts[places.take(costs[index]).0].push(index);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// When the last work is over, of works that so many workers take in this order.
pub(super) fn makespan(costs: impl IntoIterator<Item = Duration>, workers: usize) -> Duration {
    let mut places = Places::new(workers);
    costs.into_iter().map(|cost| places.take(cost).1).max().unwrap_or_default()
}

/// No order is over before this: the longest work, or all of it shared evenly.
pub(super) fn bound(costs: &[Duration], workers: usize) -> Duration {
    let evenly = costs.iter().sum::<Duration>().div_f64(workers.max(1) as f64);
    costs.iter().max().copied().unwrap_or_default().max(evenly)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(costs: &[u64]) -> Vec<Duration> {
        costs.iter().map(|&cost| Duration::from_secs(cost)).collect()
    }

    #[test]
    fn parts_are_even_and_have_every_work_once() {
        let costs = seconds(&[1, 1, 1, 6, 3, 3, 3]);
        let parts = parts(&costs, 3);
        let load = |part: &Vec<usize>| part.iter().map(|&index| costs[index]).sum::<Duration>();
        assert!(parts.iter().all(|part| load(part) == Duration::from_secs(6)), "{parts:?}");
        let mut all = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..costs.len()).collect::<Vec<_>>());
    }

    #[test]
    fn there_are_no_more_parts_than_works() {
        assert_eq!(parts(&seconds(&[5, 5]), 64).len(), 2);
        assert!(parts(&[], 64).is_empty());
        assert_eq!(parts(&seconds(&[0, 0, 0]), 2).concat().len(), 3, "what costs nothing is made as well");
    }

    #[test]
    fn the_longest_first_is_grahams_worst_case_where_it_is_worst() {
        // Two workers, optimum 6: 3 + 3 beside 2 + 2 + 2; the longest first need 7 = (4/3 - 1/6) 6.
        let costs = seconds(&[2, 3, 2, 3, 2]);
        let ordered = order(&costs).into_iter().map(|index| costs[index]);
        assert_eq!(makespan(ordered, 2), Duration::from_secs(7));
        assert_eq!(bound(&costs, 2), Duration::from_secs(6));
        assert_eq!(bound(&costs, 100), Duration::from_secs(3), "the longest work");
        assert_eq!(makespan(costs.iter().copied(), 1), Duration::from_secs(12));
    }
}
