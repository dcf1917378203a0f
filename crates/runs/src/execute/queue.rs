//! Distributes tasks so that all cores finish at about the same time.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Returns the indices of tasks sorted by their duration, longest first.
pub fn order(takes: &[Duration]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..takes.len()).collect();
    order.sort_by_key(|&task| Reverse(takes[task]));
    order
}

/// Executes tasks on the threads of the pool, the longest first and tasks of equal length in order, and returns their
/// results in the original order.
pub fn longest_first<T: Sync, R: Send>(
    tasks: &[T],
    takes: impl Fn(&T) -> Duration,
    make: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let order = order(&tasks.iter().map(takes).collect::<Vec<_>>());
    let next = AtomicUsize::new(0);
    let made = rayon::broadcast(|_| {
        let mut made = Vec::new();
        while let Some(&task) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            made.push((task, make(&tasks[task])));
        }
        made
    });
    let mut made: Vec<(usize, R)> = made.into_iter().flatten().collect();
    made.sort_by_key(|&(task, _)| task);
    made.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_longest_tasks_run_first_and_results_keep_order() {
        let begun = Mutex::new(Vec::new());
        let seconds = [1, 3, 2, 3, 0];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let made = pool.install(|| {
            longest_first(
                &seconds,
                |&seconds| Duration::from_secs(seconds),
                |&seconds| {
                    begun.lock().unwrap().push(seconds);
                    10 * seconds
                },
            )
        });
        assert_eq!(made, [10, 30, 20, 30, 0]);
        assert_eq!(begun.into_inner().unwrap(), [3, 3, 2, 1, 0]);
    }

    #[test]
    fn all_threads_take_from_the_same_queue() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let tasks: Vec<u64> = (0..1000).collect();
        let made = pool.install(|| longest_first(&tasks, |_| Duration::ZERO, |&task| task * task));
        assert_eq!(made, tasks.iter().map(|task| task * task).collect::<Vec<_>>());
    }
}
