//! Lists without duplicates and groups, in the order of first occurrence.

/// Removes duplicates.
pub fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    unique_by(items, T::eq)
}

/// Removes duplicates and keeps the first of the items that are the same.
pub fn unique_by<T>(items: impl IntoIterator<Item = T>, is_same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut unique: Vec<T> = Vec::new();
    for item in items {
        if !unique.iter().any(|known| is_same(known, &item)) {
            unique.push(item);
        }
    }
    unique
}

/// Groups values by their key; the groups are in the order of their first values.
pub fn grouped<K: PartialEq, T>(pairs: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}
