//! What would be accepted, in words.

/// The name among `known` that was probably meant.
#[must_use]
pub fn nearest<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = found.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name))
        // About one slip in three letters is a misspelling; more is another word.
        .filter(|&(distance, name)| distance <= 1.max((name.chars().count().max(found.chars().count()) + 1) / 3))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// "`a`, `b` or `c`"; long lists are shown in full, since they are what the reader needs.
#[must_use]
pub fn one_of<'k>(known: impl IntoIterator<Item = &'k str>) -> String {
    let quoted: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The help for an unknown name: the nearest one first, then all.
#[must_use]
pub fn accepted<'k>(found: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    let all = one_of(known.clone());
    match nearest(found, known) {
        Some(name) => format!("did you mean `{name}`? accepted: {all}"),
        None => format!("accepted: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_named_and_far_ones_are_not() {
        assert_eq!(nearest("masss", ["mass", "length"]), Some("mass"));
        assert_eq!(nearest("RK3", ["rk3", "rk5"]), Some("rk3"));
        assert_eq!(nearest("colour", ["mass", "length"]), None);
        assert_eq!(accepted("x", []), "accepted: nothing");
        assert_eq!(accepted("rk4", ["rk3", "bs32"]), "did you mean `rk3`? accepted: `rk3` or `bs32`");
    }
}
