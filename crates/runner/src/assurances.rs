//! Counts of runs by what can be said about their answers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mbsbench_problem::Assurance;

/// Largest number of reasons shown.
const MOST: usize = 4;

/// Counts runs, as `24 vouched, 1 unvouched, 0 refuted`. Reasons follow on lines of their own, the most frequent first.
/// Without runs there are no lines.
pub(crate) fn assurances<'a>(runs: impl IntoIterator<Item = &'a Assurance>) -> Vec<String> {
    let (mut vouched, mut refuted) = (0_usize, 0_usize);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        match run {
            Assurance::Vouched => vouched += 1,
            // Numbers of single runs stand in brackets.
            Assurance::Unvouched(why) => {
                *reasons.entry(why.split_once(" (").map_or(&**why, |(what, _)| what)).or_default() += 1;
            }
            Assurance::Refuted(_) => refuted += 1,
        }
    }
    let unvouched: usize = reasons.values().sum();
    if vouched + unvouched + refuted == 0 {
        return Vec::new();
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|&(_, runs)| Reverse(runs));
    let mut lines = vec![format!("{vouched} vouched, {unvouched} unvouched, {refuted} refuted")];
    lines.extend(reasons.iter().take(MOST).map(|(why, runs)| format!("  {runs} unvouched: {why}")));
    lines.extend((reasons.len() > MOST).then(|| format!("  and {} more", reasons.len() - MOST)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(texts: &[&str]) -> Vec<String> {
        let runs: Vec<Assurance> = texts.iter().map(|text| text.parse().unwrap()).collect();
        assurances(&runs)
    }

    #[test]
    fn reasons_follow_the_counts() {
        assert_eq!(counted(&[]), Vec::<String>::new());
        assert_eq!(counted(&["vouched", "refuted: a missed event"]), ["1 vouched, 0 unvouched, 1 refuted"]);
        let opens = "unvouched: the joint hinge opens by 0.1 m";
        let lines = ["1 vouched, 2 unvouched, 0 refuted", "  2 unvouched: the joint hinge opens by 0.1 m"];
        assert_eq!(counted(&["vouched", opens, opens]), lines);
    }

    #[test]
    fn several_reasons_take_at_most_five_lines() {
        let all = ["a", "b", "b", "c", "d", "e"].map(|why| format!("unvouched: {why}"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let heads = ["  2 unvouched: b", "  1 unvouched: a", "  1 unvouched: c"];
        let [four, five] = [5, 6].map(|count| counted(&all[..count]));
        assert_eq!(four, [&["0 vouched, 5 unvouched, 0 refuted"], &heads[..], &["  1 unvouched: d"]].concat());
        let others = ["  1 unvouched: d", "  and 1 more"];
        assert_eq!(five, [&["0 vouched, 6 unvouched, 0 refuted"], &heads[..], &others].concat());
    }
}
