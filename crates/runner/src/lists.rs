//! Lists without duplicates, in the order of first occurrence.

/// Removes duplicates.
pub(crate) fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    unique_by(items, T::eq)
}

/// Removes duplicates and keeps the first of the items that are the same.
pub(crate) fn unique_by<T>(items: impl IntoIterator<Item = T>, is_same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut unique: Vec<T> = Vec::new();
    for item in items {
        if !unique.iter().any(|known| is_same(known, &item)) {
            unique.push(item);
        }
    }
    unique
}
