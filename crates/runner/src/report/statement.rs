//! Statements and their checks as they stand in a page.

use maud::{Markup, html};
use mbsbench_experiment::Mark;
use mbsbench_judge::claims::spec::BoundSet;
use mbsbench_judge::claims::{Detail, Judged, JudgedCheck, Kind, Verdict};
use mbsbench_numbers::percent;
use mbsbench_numbers::short;

use super::page::{anchor, badge};

/// A statement that can be opened: what it says and its verdict, and behind them its checks.
pub(super) fn statement(paper: &str, judged: &Judged) -> Markup {
    let Judged { statement, verdict, checks, .. } = judged;
    let tally = judged.tally();
    html! {
        details.statement.(verdict.name()) id=(target(&statement.id)) data-verdict=(verdict.name())
            data-ground=(judged.rests_on().map_or("", Mark::name)) data-place=(statement.place) {
            summary {
                (badge(*verdict))
                span.says { (statement.says) }
                span.place { (statement.place) }
                @if !tally.is_empty() { span.tally { (tally) " checks" } }
                (ground(judged.rests_on()))
                @if judged.is_surprise() { span.surprise { "expected " (statement.expected) } }
            }
            @if !statement.because.is_empty() { p.because { (statement.because) } }
            @if let Some(stand_in) = on_the_stand_in(judged) { p.stand-in { "On the stand-in: " (stand_in) "." } }
            @else { @for reason in reasons(judged) { p.reason { (reason) } } }
            @if checks.len() > 1 { p.rule { (checks.len()) " checks: " (statement.rule.describe()) "." } }
            @for each in checks { (check(each, judged.is_finding)) }
            p.links { code { "mbsbench explain " (paper) "/" (statement.id) } }
        }
    }
}

/// The target of links to a statement.
pub(super) fn target(id: &str) -> String {
    format!("statement-{}", anchor(id))
}

/// The target of links to a check.
pub(super) fn check_target(id: &str) -> String {
    format!("check-{}", anchor(id))
}

/// The weakest mark, where it is not the firmest.
pub(super) fn ground(mark: Option<Mark>) -> Markup {
    html! { @if let Some(mark) = mark.filter(|&mark| mark != Mark::Printed) { span.ground.(mark.name()) { (mark) } } }
}

/// On what the verdict hangs: the reasons of its checks that have it, each once.
pub(super) fn reasons(judged: &Judged) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for check in &judged.checks {
        let reason = &check.standing.reason;
        if check.standing.verdict == judged.verdict && !reason.is_empty() && !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    const MOST: usize = 3;
    let rest = reasons.len().saturating_sub(MOST);
    reasons.truncate(MOST);
    if rest > 0 {
        reasons.push(format!("{rest} more, at the checks"));
    }
    reasons
}

/// How the tests of a statement fare on a stand-in, where that is why nothing can be said: `3 reproduced, 1 contradicted`.
pub(super) fn on_the_stand_in(judged: &Judged) -> Option<String> {
    let is_stood_in = |check: &&JudgedCheck| check.standing.rests_on == Some(Mark::StandIn);
    let of =
        |verdict: Verdict| judged.checks.iter().filter(is_stood_in).filter(|c| c.judgement.verdict == verdict).count();
    let counts = Verdict::ALL.into_iter().map(|verdict| (verdict, of(verdict))).filter(|&(_, count)| count > 0);
    let words: Vec<String> = counts.map(|(verdict, count)| format!("{count} {verdict}")).collect();
    (judged.verdict == Verdict::Untestable && !words.is_empty()).then(|| words.join(", "))
}

/// A check; the number that it holds a measured one against is the paper's, or in a finding ours.
fn check(each: &JudgedCheck, is_finding: bool) -> Markup {
    let whose = if is_finding { "ours" } else { "published" };
    let JudgedCheck { check, judgement, standing } = each;
    let name = if check.about.is_empty() { &check.id } else { &check.about };
    html! {
        details.check.(standing.verdict.name()) id=(check_target(&check.id)) {
            summary {
                (badge(standing.verdict)) span.about { (name) }
                @if let Some(number) = judgement.measured { span.number { (short(number)) } }
                @if let Some(test) = check.kind.test() {
                    span.required { @if check.kind.published().is_some() { (whose) " " (check.kind.published().unwrap_or_default()) ", " } "required " (test) }
                }
            }
            dl {
                @if let Kind::Untestable(needs) = &check.kind { dt { "Needs" } dd { (needs) } }
                @if !judgement.details.is_empty() { dt { "Measured" } dd { (details(&judgement.details)) } }
                @if !standing.reason.is_empty() {
                    dt { @if standing.verdict == Verdict::Depends { "Hangs on" } @else { "Verdict" } } dd { (standing.reason) }
                }
                @if let Some(mark) = standing.rests_on {
                    dt { "Rests on" } dd { (mark) @if !standing.weakest.is_empty() { ": " (standing.weakest.join(", ")) } }
                }
                @if let Some(share) = standing.share.as_ref().filter(|share| share.samples > 0) {
                    dt { "Study" }
                    dd {
                        (judgement.verdict) " in " (percent(share.same as f64 / share.samples as f64)) " of " (share.samples) " samples ("
                        (percent(share.interval[0])) " to " (percent(share.interval[1])) ")"
                        @if !share.decided.is_empty() { "; " (share.decided) }
                    }
                }
                @if let Some(share) = standing.share.as_ref().filter(|share| share.readings > 0) {
                    dt { "Readings" }
                    dd {
                        (share.readings - share.turned.len()) " of " (share.readings) " leave the verdict"
                        @for (reading, verdict) in &share.turned { "; " (verdict) " where " (reading) }
                    }
                }
                @if let Some(from) = check.bound_from {
                    dt { "Bound" }
                    dd {
                        (from.name())
                        @if check.bound_set == BoundSet::After { ", set or changed when the result was known" }
                        @if !check.why.is_empty() { ": " (check.why) }
                    }
                }
                @if let Some(margin) = judgement.margin.filter(|margin| margin.is_finite()) {
                    dt { "Margin" } dd { @if margin >= 0.0 { (format!("{margin:.2}")) " of the tolerance is left" } @else { "the tolerance is exceeded" } }
                }
                @if !judgement.note.is_empty() { dt { "Note" } dd { (judgement.note) } }
                @if !check.because.is_empty() { dt { "Explanation" } dd { (check.because) } }
                @if !judgement.evidence.is_empty() { dt { "Runs" } dd { (runs(&judgement.evidence)) } }
                dt { "Name" } dd { code { (check.id) } }
            }
        }
    }
}

/// The runs that a check rests on; where they are many the first of them, and how many more.
fn runs(evidence: &[String]) -> Markup {
    const MOST: usize = 2;
    let (shown, rest) = evidence.split_at(evidence.len().min(MOST));
    html! {
        code { (shown.join(" ")) }
        @if !rest.is_empty() { " and " (rest.len()) " more" }
    }
}

fn details(details: &[Detail]) -> Markup {
    html! {
        table.landmarks {
            tbody {
                @for Detail { name, published, measured, holds } in details {
                    tr {
                        td { @if *holds { "✓" } @else { "✗" } }
                        td { (name) }
                        td.number { (measured.map_or_else(|| "–".to_owned(), short)) }
                        td { (published) }
                    }
                }
            }
        }
    }
}
