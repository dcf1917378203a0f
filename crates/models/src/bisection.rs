//! Places where a condition changes.

/// The two neighbouring numbers between which `is_low` changes, sought from `low`, where it holds, and `high`, where it does not.
pub(crate) fn bisect(mut low: f64, mut high: f64, is_low: impl Fn(f64) -> bool) -> [f64; 2] {
    let mut middle = 0.5 * (low + high);
    while low < middle && middle < high {
        if is_low(middle) {
            low = middle
        } else {
            high = middle
        }
        middle = 0.5 * (low + high);
    }
    [low, high]
}
