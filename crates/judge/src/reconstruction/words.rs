//! Findings in words, identical on a terminal and in the report.

use mbsbench_experiment::{Undetermined, Varies};
use mbsbench_numbers::{decimal, percent, short};

use super::explain::{LEVEL, Side, Split};
use super::{Finding, Findings, Tally, is_logarithmic};
use crate::claims::Verdict;

/// The finding of a check as table cells: its share and its interval (`18 % to 32 %`), the decisive variable, the
/// second one, and the readings.
pub fn cells(finding: &Finding, name: impl Fn(&str) -> String) -> [String; 5] {
    let [low, high] = finding.interval().map(percent);
    let (decided, then) = (decided(finding, &name), then(finding, &name));
    [share(finding), format!("{low} to {high}"), decided, then, readings(finding)]
}

/// Formats the share: `24 % of 128`, with the number of set-ups that do not decide the check.
fn share(finding: &Finding) -> String {
    let share = format!("{} of {}", percent(finding.share()), finding.count().samples);
    let open = finding.verdicts.of(Verdict::Open);
    if open == 0 { share } else { format!("{share}, {open} open") }
}

/// Formats a split: `eta below 1.2: 97 %, else 4 %`, or `if charts = step: 97 %, else 4 %` for a reading.
pub fn step(split: &Split, name: &str) -> String {
    let Split { threshold, holds, .. } = split;
    let shares = [split.count(*holds), split.count(holds.other())].map(|count| percent(count.share()));
    let condition = match threshold {
        Some(threshold) => format!("{name} {} {}", holds.name(), short(*threshold)),
        None => format!("{} {name}", if *holds == Side::Above { "if" } else { "unless" }),
    };
    format!("{condition}: {}, else {}", shares[0], shares[1])
}

/// Describes the first split, with names from `name`.
pub fn decided(finding: &Finding, name: impl Fn(&str) -> String) -> String {
    match &finding.explanation.first {
        Some(split) => step(split, &name(&split.variable)),
        None if finding.is_divided() => format!("none at the {} level", percent(LEVEL)),
        None => String::new(),
    }
}

/// Describes the second split, among the samples on one side of the first.
fn then(finding: &Finding, name: impl Fn(&str) -> String) -> String {
    let (Some(first), Some((side, second))) = (&finding.explanation.first, &finding.explanation.second) else {
        return String::new();
    };
    let there = if *side == first.holds { "there" } else { "elsewhere" };
    format!("{there}, {}", step(second, &name(&second.variable)))
}

/// Counts the readings that leave the counted verdict, and names those that change it:
/// `3 of 4; not reproduced if method.charts = step`.
fn readings(finding: &Finding) -> String {
    let turned: Vec<String> = finding.turned().map(|(name, verdict)| format!("; {verdict} if {name}")).collect();
    match finding.readings.iter().filter(|(_, verdict)| verdict.is_some()).count() {
        0 => String::new(),
        all => format!("{} of {all}{}", all - turned.len(), turned.concat()),
    }
}

/// Describes the samples: `1 to 50, uniform in the logarithm`, or the readings.
pub fn sampled(undetermined: &Undetermined) -> String {
    match &undetermined.varies {
        Varies::Over(range) => {
            let how = if is_logarithmic(*range) { "uniform in the logarithm" } else { "uniform" };
            format!("{} to {}, {how}", decimal(range[0]), decimal(range[1]))
        }
        Varies::Readings(readings) => {
            let names: Vec<&str> = readings.iter().map(|reading| reading.name.as_str()).collect();
            format!("read as {}", names.join("; "))
        }
    }
}

/// Summarises the search in lines: set-ups tried and accepted, excluded readings, givens, conflicts.
pub fn searched(findings: &Findings) -> Vec<String> {
    let [tried, failed] = findings.tried;
    let Findings { set_ups, is_even, .. } = findings;
    if !findings.is_conditioned() {
        return vec![format!("{set_ups} samples of the ranges, {failed} with failed runs; no givens")];
    }
    let accepted = match (set_ups, is_even) {
        (0, _) => "none meets all givens".to_owned(),
        (_, true) => format!("{set_ups} drawn uniformly from those that meet all givens"),
        (_, false) => format!("{set_ups} found that meet all givens"),
    };
    let first = format!("{tried} set-ups tried, {accepted}; runs failed in {failed}");
    let of = |Tally { name, tried, met }: &Tally| format!("{name}: met in {met} of {tried}");
    // If no set-up is accepted, that says nothing about readings.
    let excluded = findings.readings.iter().filter(|reading| *set_ups > 0 && reading.met == 0);
    let excluded = excluded.map(|Tally { name, tried, .. }| format!("excluded: {name}, in all {tried} set-ups tried"));
    let givens = findings.givens.iter().map(|given| format!("given {}", of(given)));
    let conflicts = findings.conflicts.iter().map(|names| format!("never met together: {names}"));
    std::iter::once(first).chain(givens).chain(excluded).chain(conflicts).collect()
}

/// Counts the checks that are left out, for each reason: `3 checks rest on times and are not judged`.
pub fn left_out(findings: &[Finding]) -> Vec<String> {
    let mut reasons: Vec<&str> = findings.iter().filter_map(|finding| finding.left_out.as_deref()).collect();
    reasons.sort_unstable();
    let said = |same: &[&str]| match same {
        [reason] => format!("1 check rests on {reason} and is not judged"),
        _ => format!("{} checks rest on {} and are not judged", same.len(), same[0]),
    };
    reasons.chunk_by(|a, b| a == b).map(said).collect()
}

/// Shortens the name of a variable as far as it stays unique: the last part of its path, preceded by further parts if
/// it is a number or also ends another path.
pub fn short_name(name: &str, all: &[&str]) -> String {
    let is_path_of = |path: &str, end: &str| path == end || path.ends_with(&format!(".{end}"));
    let is_number = |end: &str| end.starts_with(|first: char| first.is_ascii_digit());
    let starts = name.rmatch_indices('.').map(|(dot, _)| dot + 1);
    let mut ends = starts.map(|start| &name[start..]);
    let is_clear = |end: &&str| !is_number(end) && all.iter().filter(|path| is_path_of(path, end)).count() <= 1;
    ends.find(is_clear).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::explain::{Count, Explanation, Side};
    use super::*;
    use crate::claims::Counts;

    fn plain() -> Finding {
        Finding { nominal: Verdict::Reproduced, counted: Verdict::Reproduced, ..Finding::default() }
    }

    #[test]
    fn names_are_short_but_unambiguous() {
        let all = ["model.a.sigma", "model.a.eta.2", "model.b.eta.2", "method.alpha", "alpha", "fast phase"];
        let short: Vec<String> = all.iter().map(|name| short_name(name, &all)).collect();
        assert_eq!(short, ["sigma", "a.eta.2", "b.eta.2", "method.alpha", "alpha", "fast phase"]);
    }

    #[test]
    fn incomplete_shares_are_not_rounded_to_100_percent() {
        let texts = [0.0, 0.001, 0.239, 0.997, 1.0, f64::NAN].map(percent);
        assert_eq!(texts, ["0 %", "<1 %", "24 %", ">99 %", "100 %", "–"]);
    }

    #[test]
    fn sentences_say_where_a_claim_holds() {
        let split = |variable: &str, holds, counts: [[usize; 2]; 2]| Split {
            variable: variable.to_owned(),
            distance: 0.9,
            threshold: (variable != "charts").then_some(0.5),
            holds,
            counts: counts.map(|[holds, samples]| Count { holds, samples }),
        };
        let finding = Finding {
            verdicts: Counts([60, 0, 60, 8]),
            explanation: Explanation {
                first: Some(split("preload", Side::Below, [[60, 80], [0, 40]])),
                second: Some((Side::Below, split("phase", Side::Above, [[3, 20], [57, 60]]))),
            },
            ..plain()
        };
        let name = |name: &str| name.to_owned();
        assert_eq!(share(&finding), "50 % of 120, 8 open");
        assert_eq!(decided(&finding, name), "preload below 0.5000: 75 %, else 0 %");
        assert_eq!(then(&finding, name), "there, phase above 0.5000: 95 %, else 15 %");
        let charts = |holds| step(&split("charts", holds, [[3, 20], [57, 60]]), "charts = step");
        assert_eq!(charts(Side::Above), "if charts = step: 95 %, else 15 %");
        assert_eq!(charts(Side::Below), "unless charts = step: 15 %, else 95 %");
        let undecided = Finding { explanation: Explanation::default(), ..finding };
        assert_eq!(decided(&undecided, name), "none at the 5 % level");
    }

    #[test]
    fn reasons_are_counted() {
        let left_out_for = |reason: &str| Finding { left_out: Some(reason.to_owned()), ..plain() };
        let findings = [left_out_for("times"), plain(), left_out_for("cases"), left_out_for("times")];
        assert_eq!(
            left_out(&findings),
            ["1 check rests on cases and is not judged", "2 checks rest on times and are not judged"]
        );
    }
}
