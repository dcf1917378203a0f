//! The places that a statement names: `Figures 3 to 5 and 15a, Section 4` are four figures and a section.

/// Numbered parts of a paper. A plural may be followed by several numbers.
const NUMBERED: [&str; 10] =
    ["Figure", "Table", "Section", "Chapter", "Equation", "Theorem", "Definition", "Algorithm", "Example", "Appendix"];
/// Parts of a paper without numbers.
const NAMED: [&str; 4] = ["Abstract", "Introduction", "Conclusion", "Conclusions"];
/// Largest number of elements in a range.
const LONGEST: u64 = 60;

/// Returns the places in the order of the text, each once: `Figure 3`, `Section 4`, `Abstract`. Letters of panels are
/// dropped. If there is none, as in a set of problems, the text up to the first comma is the place.
pub(super) fn places(text: &str) -> Vec<String> {
    let (mut found, mut kind, mut last, mut is_range) = (Vec::new(), None, "", false);
    let mut add = |place: String| {
        if !found.contains(&place) {
            found.push(place);
        }
    };
    for word in text.split(|c: char| c.is_whitespace() || ",;()".contains(c)).filter(|word| !word.is_empty()) {
        let is_number = word.contains(|c: char| c.is_ascii_digit()) || (kind == Some("Appendix") && word.len() == 1);
        match kind {
            Some(kind) if is_number => {
                let (from, to) = word.split_once(['-', '–']).unwrap_or((word, word));
                range(if is_range { last } else { from }, to).for_each(|number| add(format!("{kind} {number}")));
                (last, is_range) = (to, false);
            }
            _ if word == "to" => is_range = !last.is_empty(),
            _ if NAMED.contains(&word) => add(word.to_owned()),
            _ if word.starts_with(char::is_uppercase) => {
                let singular = NUMBERED.into_iter().find(|one| word.strip_suffix('s').unwrap_or(word) == *one);
                (kind, last, is_range) = (singular, "", false);
            }
            _ => {}
        }
    }
    if found.is_empty() {
        found.extend(text.split(',').next().map(|first| first.trim().to_owned()));
    }
    found
}

/// Sorts places and removes duplicates: figures and tables before all others, each kind by its numbers.
pub(super) fn in_order(mut places: Vec<String>) -> Vec<String> {
    places.sort_by_cached_key(|place| {
        let (kind, number) = place.split_once(' ').unwrap_or((place, ""));
        let numbers: Vec<u64> = number.split('.').filter_map(|part| part.parse().ok()).collect();
        (!["Figure", "Table"].contains(&kind), kind.to_owned(), numbers, place.clone())
    });
    places.dedup();
    places
}

/// The numbers from the first to the last, `3.10` to `3.12`. If they do not form a range, only the first.
fn range(first: &str, last: &str) -> impl Iterator<Item = String> {
    let plain = |number: &str| match number.trim_end_matches(|c: char| c.is_ascii_lowercase()) {
        "" => number.to_owned(),
        plain => plain.to_owned(),
    };
    let (first, last) = (plain(first), plain(last));
    let ends = |number: &str| -> (String, Option<u64>) {
        let (before, end) = number.rsplit_once('.').map_or(("", number), |(before, end)| (before, end));
        (before.to_owned(), end.parse().ok())
    };
    let numbers = match (ends(&first), ends(&last)) {
        ((before, Some(low)), (same, Some(high))) if before == same && low < high && high - low < LONGEST => {
            let dot = if before.is_empty() { "" } else { "." };
            (low..=high).map(|number| format!("{before}{dot}{number}")).collect()
        }
        _ => vec![first],
    };
    numbers.into_iter()
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn places_are_named_one_by_one_and_in_ranges() {
        for (text, named) in [
            ("Figures 15 and 16", &["Figure 15", "Figure 16"][..]),
            ("Figures 2 to 4, Section 5", &["Figure 2", "Figure 3", "Figure 4", "Section 5"]),
            ("Tables 5.3-5.6", &["Table 5.3", "Table 5.4", "Table 5.5", "Table 5.6"]),
            ("Abstract and Sections 2, 4.1 and Figure 5.12a", &["Abstract", "Section 2", "Section 4.1", "Figure 5.12"]),
            ("Section 5.3, Equation (15)", &["Section 5.3", "Equation 15"]),
            ("Appendix A, Figure 15a-c", &["Appendix A", "Figure 15"]),
            ("Four-bar linkage with a spring, solution 120", &["Four-bar linkage with a spring"]),
        ] {
            assert_eq!(places(text), named, "{text}");
        }
    }
}
