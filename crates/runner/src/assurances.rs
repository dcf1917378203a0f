//! Counts of runs by what can be said about their answers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mbsbench_problem::Assurance;

/// Largest number of lines.
const MOST: usize = 5;

/// Counts runs, as `24 vouched, 1 unvouched: the joint hinge opens by 0.1 m, 0 refuted`. Several reasons follow on
/// lines of their own, the most frequent first. Without runs there are no lines.
pub(crate) fn assurances<'a>(runs: impl IntoIterator<Item = &'a Assurance>) -> Vec<String> {
    let (mut vouched, mut refuted) = (0_usize, 0_usize);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        match run {
            Assurance::Vouched => vouched += 1,
            Assurance::Unvouched(why) => *reasons.entry(why).or_default() += 1,
            Assurance::Refuted(_) => refuted += 1,
        }
    }
    let unvouched: usize = reasons.values().sum();
    if vouched + unvouched + refuted == 0 {
        return Vec::new();
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|&(_, runs)| Reverse(runs));
    let only = if let [(why, _)] = reasons.as_slice() { format!(": {why}") } else { String::new() };
    let mut lines = vec![format!("{vouched} vouched, {unvouched} unvouched{only}, {refuted} refuted")];
    if only.is_empty() {
        let (shown, others) = reasons.split_at(if reasons.len() < MOST { reasons.len() } else { MOST - 2 });
        lines.extend(shown.iter().map(|(why, runs)| format!("  {runs} unvouched: {why}")));
        let runs: usize = others.iter().map(|(_, runs)| runs).sum();
        lines.extend((runs > 0).then(|| format!("  {runs} unvouched for {} other reasons", others.len())));
    }
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
    fn a_single_reason_is_in_the_line_of_counts() {
        assert_eq!(counted(&[]), Vec::<String>::new());
        assert_eq!(counted(&["vouched", "refuted: a missed event"]), ["1 vouched, 0 unvouched, 1 refuted"]);
        let opens = "unvouched: the joint hinge opens by 0.1 m";
        assert_eq!(
            counted(&["vouched", opens, opens]),
            ["1 vouched, 2 unvouched: the joint hinge opens by 0.1 m, 0 refuted"]
        );
    }

    #[test]
    fn several_reasons_take_at_most_five_lines() {
        let all = ["a", "b", "b", "c", "d", "e"].map(|why| format!("unvouched: {why}"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let heads = ["  2 unvouched: b", "  1 unvouched: a", "  1 unvouched: c"];
        let [four, five] = [5, 6].map(|count| counted(&all[..count]));
        assert_eq!(four, [&["0 vouched, 5 unvouched, 0 refuted"], &heads[..], &["  1 unvouched: d"]].concat());
        let others = "  2 unvouched for 2 other reasons";
        assert_eq!(five, [&["0 vouched, 6 unvouched, 0 refuted"], &heads[..], &[others]].concat());
    }
}
