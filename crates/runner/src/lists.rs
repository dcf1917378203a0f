//! Lists without duplicates and groups, in the order of first occurrence.

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

/// Groups values by their text; the groups are in the order of their first values.
pub(crate) fn grouped<T>(pairs: impl IntoIterator<Item = (String, T)>) -> Vec<(String, Vec<T>)> {
    let mut groups: Vec<(String, Vec<T>)> = Vec::new();
    for (text, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, values)) => values.push(value),
            None => groups.push((text, vec![value])),
        }
    }
    groups
}
