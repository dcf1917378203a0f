//! What would be accepted, in words.

/// The name among `known` that was probably meant: one of the same words in another order, or else one with nearly the same letters.
#[must_use]
pub fn nearest<'k>(found: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> Option<&'k str> {
    let (lower, own) = (found.to_lowercase(), words(found));
    if let Some(name) = known.clone().into_iter().find(|name| own.len() > 1 && words(name) == own) {
        return Some(name);
    }
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name))
        // About one slip in three letters is a misspelling; more is another word.
        .filter(|&(distance, name)| distance <= 1.max((name.chars().count().max(found.chars().count()) + 1) / 3))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The words of a name, in the order of the alphabet.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(str::to_lowercase).collect();
    words.sort();
    words
}

/// "`a`, `b` or `c`"; long lists are shown in full, since they are what the reader needs; see [`accepted`] for very long ones.
#[must_use]
pub fn one_of<'k>(known: impl IntoIterator<Item = &'k str>) -> String {
    let quoted: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Names that are still shown in full.
const MOST: usize = 64;
/// Names that are shown of more.
const SHOWN: usize = 8;

/// The help for an unknown name: the nearest one first, then all; of very many, those that are most like it.
#[must_use]
pub fn accepted<'k>(found: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    let count = known.clone().into_iter().count();
    let all = if count > MOST {
        let mut names: Vec<(f64, &str)> =
            known.clone().into_iter().map(|name| (strsim::normalized_damerau_levenshtein(found, name), name)).collect();
        names.sort_by(|a, b| b.1.contains(found).cmp(&a.1.contains(found)).then(b.0.total_cmp(&a.0)));
        let shown = names.iter().take(SHOWN).map(|&(_, name)| format!("`{name}`")).collect::<Vec<_>>();
        format!("{} and {} others", shown.join(", "), count - SHOWN)
    } else {
        one_of(known.clone())
    };
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
        assert_eq!(nearest("rejected_steps", ["unlocked_steps", "steps_rejected"]), Some("steps_rejected"));
        assert_eq!(nearest("alpha-generalized", ["generalized-alpha"]), Some("generalized-alpha"));
        assert_eq!(accepted("x", []), "accepted: nothing");
        assert_eq!(accepted("rk4", ["rk3", "bs32"]), "did you mean `rk3`? accepted: `rk3` or `bs32`");
        let many: Vec<String> = (0..500).map(|n| format!("table-3.1/{n}")).chain(["drift/law".to_owned()]).collect();
        let help = accepted("law", many.iter().map(String::as_str));
        assert!(help.starts_with("accepted: `drift/law`, `") && help.ends_with(" and 493 others"), "{help}");
    }
}
