//! Statements and their checks as they stand in a page.

use std::collections::HashMap;

use maud::{Markup, html};
use mbsbench_experiment::Mark;
use mbsbench_experiment::plan::Plan;
use mbsbench_judge::claims::spec::BoundSet;
use mbsbench_judge::claims::{Check, Detail, Judged, JudgedCheck, Kind, Verdict};
use mbsbench_numbers::percent;
use mbsbench_numbers::short;

use super::page::{anchor, badge, sign};

/// Most parameters that are named of what a verdict rests on.
const NAMED: usize = 4;

/// What the statements of a paper can be found by beside their words: the methods and places that they speak of.
pub(super) struct Found {
    /// Methods, by the keys of their runs.
    methods: HashMap<String, String>,
}

impl Found {
    /// By the runs of a paper.
    pub fn new(plans: &[&Plan]) -> Self {
        let runs = plans.iter().flat_map(|plan| &plan.runs);
        Self { methods: runs.map(|run| (run.key().to_string(), run.method_label.clone())).collect() }
    }

    /// The methods whose runs a statement rests on.
    pub fn methods(&self, judged: &Judged) -> Vec<&str> {
        let runs = judged.checks.iter().flat_map(|check| &check.judgement.evidence);
        sorted(runs.filter_map(|key| self.methods.get(key)).map(String::as_str).collect())
    }
}

/// The places that a statement names: `Figure 2`, `Section 4`.
pub(super) fn places(judged: &Judged) -> Vec<&str> {
    sorted(judged.statement.place.split(", ").flat_map(|part| part.split(" and ")).map(str::trim).collect())
}

/// Each once, in order.
pub(super) fn sorted(mut all: Vec<&str>) -> Vec<&str> {
    all.sort_unstable();
    all.dedup();
    all
}

/// A name without spaces.
pub(super) fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect()
}

fn slugs(names: &[&str]) -> String {
    names.iter().map(|name| slug(name)).collect::<Vec<_>>().join(" ")
}

/// A statement that can be opened: what it says and its verdict, and behind them its checks.
pub(super) fn statement(paper: &str, judged: &Judged, found: &Found) -> Markup {
    let Judged { statement, verdict, checks, .. } = judged;
    let tally = judged.tally();
    let shared = Shared::of(judged);
    html! {
        details.statement.(verdict.name()) id=(target(&statement.id)) data-verdict=(verdict.name())
            data-ground=(judged.rests_on().map_or("", Mark::name)) data-place=(slugs(&places(judged)))
            data-method=(slugs(&found.methods(judged))) {
            summary {
                (badge(*verdict))
                span.says { (statement.says) }
                span.place { (statement.place) }
                @if !tally.is_empty() { span.tally { (tally) " checks" } }
                (ground(judged.rests_on()))
                @if judged.differs() { span.surprise { "expected " (statement.expected) } }
            }
            @if !statement.because.is_empty() { p.because { (statement.because) } }
            @if let Some(stand_in) = on_the_stand_in(judged) { p.stand-in { "On the stand-in: " (stand_in) "." } }
            @else if let Some(reason) = &shared.reason {
                p.reason { @if *verdict == Verdict::Depends { "Depends: " } (reason) }
            }
            @if checks.len() > 1 { p.rule { (checks.len()) " checks: " (statement.rule.describe()) "." } }
            @if let Some(bound) = shared.bound { p.rule { "Bound of each: " (words_of_bound(bound)) "." } }
            @if let Some(check) = shared.ground { p.rule { "Each rests on what is " (rests_on(check)) "." } }
            ul.checks { @for each in checks { (check(each, &shared, judged.is_finding)) } }
            p.links {
                a href=(format!("#{}", target(&statement.id))) { "Link to this" } " · "
                code { "mbsbench explain " (paper) "/" (statement.id) } " · "
                a href=(format!("../{paper}/claims.json")) { "checks and runs" }
            }
        }
    }
}

/// What all checks of a statement have in common, which is said once.
struct Shared<'c> {
    /// What the verdict depends on.
    reason: Option<String>,
    bound: Option<&'c Check>,
    ground: Option<&'c JudgedCheck>,
}

impl<'c> Shared<'c> {
    fn of(judged: &'c Judged) -> Self {
        let (checks, reason) = (&judged.checks, common_reason(judged));
        let Some(first) = checks.first().filter(|_| checks.len() > 1) else {
            return Self { reason, bound: None, ground: None };
        };
        let bound = |each: &JudgedCheck| (each.check.bound_from, each.check.bound_set, each.check.why.clone());
        let ground = |each: &JudgedCheck| (each.standing.rests_on, each.standing.weakest.clone());
        let all_have_its_bound = checks.iter().all(|each| bound(each) == bound(first));
        let all_have_its_ground = checks.iter().all(|each| ground(each) == ground(first));
        Self {
            reason,
            bound: Some(&first.check).filter(|check| all_have_its_bound && check.bound_from.is_some()),
            ground: Some(first).filter(|check| all_have_its_ground && check.standing.rests_on.is_some()),
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

/// What the verdict depends on, if all its checks that have it say the same.
fn common_reason(judged: &Judged) -> Option<String> {
    let own = judged.checks.iter().filter(|check| check.standing.verdict == judged.verdict);
    let mut reasons = own.map(|check| &check.standing.reason).filter(|reason| !reason.is_empty());
    let first = reasons.next()?;
    reasons.all(|reason| reason == first).then(|| first.clone())
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

/// The mark of a check with some of the parameters that have it.
fn rests_on(each: &JudgedCheck) -> String {
    let weakest = &each.standing.weakest;
    let mark = each.standing.rests_on.map_or("", Mark::name);
    let (named, rest) = weakest.split_at(weakest.len().min(NAMED));
    match (named.is_empty(), rest.len()) {
        (true, _) => mark.to_owned(),
        (_, 0) => format!("{mark}: {}", named.join(", ")),
        (_, more) => format!("{mark}: {} and {more} more", named.join(", ")),
    }
}

/// Where a bound comes from, when it was set, and why.
fn words_of_bound(check: &Check) -> String {
    let from = check.bound_from.map_or("", |from| from.name());
    let late = match check.bound_set {
        BoundSet::Before => "",
        BoundSet::Stated => ", stated to be set before the result was known, which no lock verifies",
        BoundSet::After => ", set or changed when the result was known",
    };
    let why = if check.why.is_empty() { String::new() } else { format!(": {}", check.why.trim_end_matches('.')) };
    format!("{from}{late}{why}")
}

/// A check; the number that it holds a measured one against is the paper's, or in a finding ours.
fn check(each: &JudgedCheck, shared: &Shared<'_>, is_finding: bool) -> Markup {
    let whose = if is_finding { "ours" } else { "published" };
    let JudgedCheck { check, judgement, standing } = each;
    let name = if check.about.is_empty() { &check.id } else { &check.about };
    html! {
        li.(standing.verdict.name()) id=(check_target(&check.id)) {
            b { (sign(standing.verdict)) " " (standing.verdict) } " " (name)
            @if let Some(number) = judgement.measured { " " span.number { (short(number)) } }
            @if let Some(test) = check.kind.test() {
                " " span.required { @if check.kind.published().is_some() { (whose) " " (check.kind.published().unwrap_or_default()) ", " } "required " (test) }
            }
            @let notes = notes(each, shared);
            @if !notes.is_empty() { small { (notes.join(". ")) "." } }
        }
    }
}

/// What else there is to say of a check, in sentences without a stop.
fn notes(each: &JudgedCheck, shared: &Shared<'_>) -> Vec<String> {
    let JudgedCheck { check, judgement, standing } = each;
    let mut notes = Vec::new();
    if let Kind::Untestable(needs) = &check.kind {
        notes.push(format!("Needs {needs}"));
    }
    notes.extend(judgement.details.iter().map(detail));
    // What stands above the checks is not said again.
    if !standing.reason.is_empty() && shared.reason.as_ref() != Some(&standing.reason) {
        let head = if standing.verdict == Verdict::Depends { "Depends: " } else { "" };
        notes.push(format!("{head}{}", standing.reason));
    }
    if standing.rests_on.is_some() && shared.ground.is_none() {
        notes.push(format!("Rests on what is {}", rests_on(each)));
    }
    if let Some(share) = standing.share.as_ref().filter(|share| share.samples > 0) {
        let same = percent(share.same as f64 / share.samples as f64);
        let [low, high] = share.interval.map(percent);
        let decided = if share.decided.is_empty() { String::new() } else { format!("; {}", share.decided) };
        let (verdict, samples) = (judgement.verdict, share.samples);
        let text = format!("{verdict} in {same} of {samples} samples ({low} to {high}){decided}");
        if text != standing.reason {
            notes.push(format!("Study: {text}"));
        }
    }
    // That no reading turns a verdict is the rule.
    if let Some(share) = standing.share.as_ref().filter(|share| !share.turned.is_empty()) {
        let turned: String =
            share.turned.iter().map(|(reading, verdict)| format!("; {verdict} where {reading}")).collect();
        notes.push(format!(
            "Readings: {} of {} leave the verdict{turned}",
            share.readings - share.turned.len(),
            share.readings
        ));
    }
    if check.bound_from.is_some() && shared.bound.is_none() {
        notes.push(format!("Bound: {}", words_of_bound(check)));
    }
    notes.extend([&judgement.note, &check.because].into_iter().filter(|text| !text.is_empty()).cloned());
    notes.iter().map(|note| note.trim_end_matches('.').to_owned()).collect()
}

/// One of several numbers of a check.
fn detail(detail: &Detail) -> String {
    let Detail { name, published, measured, holds } = detail;
    let measured = measured.map_or_else(|| "–".to_owned(), short);
    let required = if published.is_empty() { String::new() } else { format!(", {published}") };
    format!("{} {name}: {measured}{required}", if *holds { "✓" } else { "✗" })
}
