//! Descriptions of accepted values, for the help of an error message.

use std::collections::BTreeSet;

/// Other names from mechanics, with the name that is used here.
const SYNONYMS: [(&str, &str); 11] = [
    ("hinge", "revolute"),
    ("pin", "revolute"),
    ("slider", "prismatic"),
    ("translational", "prismatic"),
    ("ball", "spherical"),
    ("cardan", "universal"),
    ("weld", "fixed"),
    ("rigid", "fixed"),
    ("damper", "spring"),
    ("a", "rows"),
    ("name", "label"),
];

/// Returns the name among `known` that was probably meant: a synonym, the same words in another order, nearly the
/// same letters, the shortest name with all words of `found`, or else the longest name with only such words. Text in
/// parentheses behind `found` is ignored.
pub fn nearest<'k>(found: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> Option<&'k str> {
    let found = found.split('(').next().unwrap_or(found);
    let (lower, own) = (found.to_lowercase(), words(found));
    let synonym = SYNONYMS.iter().find(|(word, _)| *word == lower).map(|(_, name)| *name);
    let same = |name: &&str| synonym == Some(*name) || (!own.is_empty() && words(name) == own);
    if let Some(name) = known.clone().into_iter().find(same) {
        return Some(name);
    }
    let has_all = |name: &&str| own.iter().any(|word| word.len() > 1) && shared(&own, name) == own.len();
    let longer = || known.clone().into_iter().filter(has_all).min_by_key(|name| name.len());
    let within = |name: &&str| name.len() > 1 && shared(&words(name), found) == words(name).len();
    let shorter = || known.clone().into_iter().filter(within).max_by_key(|name| name.len());
    misspelt(found, known.clone()).or_else(longer).or_else(shorter)
}

/// Returns "did you mean `a`? ", or an empty text if no name is near.
pub fn did_you_mean(found: &str, known: &[String]) -> String {
    let name = nearest(found, known.iter().map(String::as_str));
    name.map_or_else(String::new, |name| format!("did you mean `{name}`? "))
}

/// Returns the name closest to `found`, if it differs by at most one slip in about three letters.
fn misspelt<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = found.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name))
        // About one slip in three letters is a misspelling; more slips mean another word.
        .filter(|&(distance, name)| distance <= 1.max((name.chars().count().max(found.chars().count()) + 1) / 3))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Number of words of `own` that also occur in a name.
fn shared(own: &[String], name: &str) -> usize {
    let others = words(name);
    own.iter().filter(|word| others.contains(word)).count()
}

/// The words of a name, in alphabetical order.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(str::to_lowercase).collect();
    words.sort();
    words
}

/// Returns "`a`, `b` or `c`". Long lists are shown in full, since they are what the reader needs; see [`accepted`]
/// for very long ones.
pub fn one_of(known: impl IntoIterator<Item: AsRef<str>>) -> String {
    let quoted: Vec<String> = known.into_iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Largest number of names that are shown in full.
const MOST: usize = 64;
/// Number of names that are shown of a longer list.
const SHOWN: usize = 8;

/// Returns the help for an unknown name: the nearest name first, then all names. Of a very long list, only the names
/// that share most words with `found` are shown, or else those with the most similar letters.
pub fn accepted<'k>(found: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    let mut seen = BTreeSet::new();
    let unique: Vec<&str> = known.clone().into_iter().filter(|name| seen.insert(*name)).collect();
    let all = if unique.len() > MOST {
        let own = words(found);
        let alike = |name: &'k str| {
            let likeness = strsim::normalized_damerau_levenshtein(found, name);
            (name.contains(found), shared(&own, name), likeness, name)
        };
        let mut names: Vec<(bool, usize, f64, &str)> = unique.iter().map(|name| alike(name)).collect();
        names.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(b.2.total_cmp(&a.2)));
        let shown = names.iter().take(SHOWN).map(|(.., name)| format!("`{name}`")).collect::<Vec<_>>();
        format!("{} and {} others", shown.join(", "), unique.len() - SHOWN)
    } else {
        one_of(&unique)
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
        assert_eq!(accepted("x", ["0.1", "0.05", "0.1"]), "accepted: `0.1` or `0.05`");
        assert_eq!(accepted("rk4", ["rk3", "bs32"]), "did you mean `rk3`? accepted: `rk3` or `bs32`");
        let many: Vec<String> = (0..500).map(|n| format!("table-3.1/{n}")).chain(["drift/law".to_owned()]).collect();
        let help = accepted("law", many.iter().map(String::as_str));
        assert!(help.starts_with("did you mean `drift/law`? accepted: `drift/law`, `"), "{help}");
        assert!(help.ends_with(" and 493 others"), "{help}");
        let many = many.iter().map(String::as_str).chain(["ball/slow-adaptation", "ball/slow-adaptation"]);
        let help = accepted("flawless adaptation", many);
        assert!(
            help.starts_with("accepted: `ball/slow-adaptation`, `table-3.1/"),
            "words count before letters: {help}"
        );
    }

    #[test]
    fn near_misses_are_synonyms_and_shorter_names_too() {
        assert_eq!(nearest("hinge", ["spherical", "revolute"]), Some("revolute"));
        assert_eq!(nearest("hht", ["hht-add", "hht-i3"]), Some("hht-i3"));
        assert_eq!(nearest("newton-euler", ["newton-euler-group", "newton"]), Some("newton-euler-group"));
        assert_eq!(nearest("final(theta)", ["final", "energy_variation"]), Some("final"));
        assert_eq!(nearest("x", ["a-x"]), None, "a letter is not a word");
        assert_eq!(nearest("free-angle", ["stiffness", "angle"]), Some("angle"));
    }
}
