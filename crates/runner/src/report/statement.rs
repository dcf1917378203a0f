//! Statements and their checks on a page.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::{Plan, Provenance};
use mbsbench_judge::claims::BoundSet;
use mbsbench_judge::claims::record::ground_of;
use mbsbench_judge::claims::{Check, Detail, Judged, JudgedCheck, Reason};
use mbsbench_numbers::short;
use rayon::prelude::*;

use super::methods::Methods;
use super::page::{anchor, badge, sign};
use super::places::places;
use super::{FileError, Result, read};
use crate::assurances::assurances;
use crate::sheet::Sheet;

/// Largest number of named parameters that we chose.
const NAMED: usize = 8;

/// Methods and assurances of the runs of several experiments. A statement's methods are among the words by which the
/// page finds it.
pub(crate) struct Found<'r> {
    /// Folder with the results.
    pub results: &'r Path,
    /// Labels and names of methods, by the keys of their runs.
    methods: HashMap<String, (&'r str, &'static str)>,
    /// Counts of runs by assurance, by the id of their experiment.
    assured: HashMap<&'r str, Vec<String>>,
    /// Methods with a page.
    pub pages: &'r Methods<'r>,
}

impl<'r> Found<'r> {
    /// Collects the methods from the runs of some plans, and the assurances of these runs from the results.
    pub fn new(results: &'r Path, plans: &[&'r Plan], pages: &'r Methods<'r>) -> Result<Self> {
        let runs = plans.iter().flat_map(|plan| &plan.runs);
        let assured = |plan: &&'r Plan| {
            let id = plan.experiment.id.as_str();
            Ok((id, assured(&results.join(id).join("runs.csv"))?))
        };
        Ok(Self {
            results,
            methods: runs.map(|run| (run.key().to_string(), (run.method_label.as_str(), run.method.name()))).collect(),
            assured: plans.par_iter().map(assured).collect::<Result<_, _>>()?,
            pages,
        })
    }

    /// Counts the runs of an experiment by what can be said about their answers; empty if an earlier program wrote its
    /// results.
    pub fn assured(&self, plan: &Plan) -> &[String] {
        self.assured.get(plan.experiment.id.as_str()).map_or(&[], Vec::as_slice)
    }

    /// The labels and names of the methods whose runs a statement uses.
    fn used(&self, judged: &Judged) -> impl Iterator<Item = &(&'r str, &'static str)> {
        let runs = judged.checks.iter().flat_map(|check| &check.judgement.evidence);
        runs.filter_map(|key| self.methods.get(key))
    }

    /// The labels of the methods whose runs a statement uses.
    pub fn methods(&self, judged: &Judged) -> BTreeSet<&str> {
        self.used(judged).map(|(label, _)| *label).collect()
    }

    /// The names of the methods whose runs a statement uses.
    pub fn names(&self, judged: &Judged) -> BTreeSet<&str> {
        self.used(judged).map(|(_, name)| *name).collect()
    }
}

/// Counts the runs in a `runs.csv` by their assurances.
fn assured(path: &Path) -> Result<Vec<String>> {
    let sheet = Sheet::parse(&read(path)?).map_err(|error| FileError::of(path)(error.into()))?;
    let runs = sheet.records.iter().filter_map(|record| sheet.cell(record, "assurance").parse().ok());
    Ok(assurances(&runs.collect::<Vec<_>>()))
}

/// A name in lower case without spaces.
pub(super) fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect()
}

fn slugs<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(slug).collect::<Vec<_>>().join(" ")
}

/// A statement that can be expanded: its text and outcome with the reason, followed by its checks.
pub(super) fn statement(paper: &str, judged: &Judged, found: &Found<'_>) -> Markup {
    let Judged { statement, checks, .. } = judged;
    let verdict = judged.verdict();
    let shared = shared_bound(judged);
    let places = places(&statement.place);
    let why = judged.why();
    let is_printed = checks.iter().any(|each| each.check.kind.published().is_some());
    let also = || checks.iter().filter(|each| !each.check.is_carrying());
    html! {
        details.statement.(verdict.name()) id=(target(&statement.id)) data-verdict=(verdict.name())
            data-ground=(slug(ground_of(judged.rests_on()))) data-place=(slugs(places.iter().map(String::as_str)))
            data-method=(slugs(found.methods(judged))) {
            summary {
                (badge(verdict))
                span.says { (statement.says) }
                span.place { (statement.place) }
                (ground(judged.rests_on()))
                @if !why.is_empty() { span.why { (sentence(&why)) } }
                @if judged.differs() { span.surprise { "expected " (statement.expected()) } }
            }
            @if !statement.because.is_empty() { p.because { (statement.because) } }
            div.scroll {
                table.checks {
                    thead { tr {
                        th {} th { "Check" }
                        @if is_printed { th { @if judged.is_finding { "Expected" } @else { "Published" } } }
                        th { "Measured" } th { "Required" }
                    } }
                    tbody { @for each in judged.carrying() { (check(each, judged, shared.is_some(), is_printed)) } }
                    @if also().next().is_some() {
                        tbody {
                            tr { th colspan="5" { "Measured for information only" } }
                            @for each in also() { (check(each, judged, shared.is_some(), is_printed)) }
                        }
                    }
                }
            }
            @let rule = statement.holds.describe();
            @if checks.len() > 1 && !rule.is_empty() { p.rule { "Rule: of the checks above, " (rule) "." } }
            @if let Some(bound) = shared { p.rule { "Bound of all checks: " (words_of_bound(bound)) "." } }
            @let ours = judged.ours(NAMED);
            @if !ours.is_empty() { p.rule { "Parameters that we chose: " (ours) "." } }
            p.links {
                a href=(format!("#{}", target(&statement.id))) { "Link to this statement" } " · "
                code { "mbsbench explain " (paper) "/" (statement.id) } " · "
                a href=(format!("../{paper}/claims.json")) { "claims.json" }
            }
        }
    }
}

/// Returns a representative check if all checks of a statement share their bound, so that the bound is described only
/// once.
fn shared_bound(judged: &Judged) -> Option<&Check> {
    let bound = |each: &JudgedCheck| (each.check.bound_from, each.check.bound_set, each.check.why.clone());
    let first = judged.checks.first().filter(|first| judged.checks.iter().all(|each| bound(each) == bound(first)))?;
    first.check.bound_from.map(|_| &first.check)
}

/// A statement in a line, with its verdict, a link and its place.
pub(super) fn linked(paper: &str, judged: &Judged) -> Markup {
    html! {
        (badge(judged.verdict())) " "
        a href=(format!("{paper}.html#{}", target(&judged.statement.id))) { (judged.statement.says) }
        " " span.place { (paper) ", " (judged.statement.place) }
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

/// The mark of a statement.
pub(super) fn ground(mark: Option<Provenance>) -> Markup {
    let name = ground_of(mark);
    html! { @if !name.is_empty() { span.ground.(slug(name)) { (name) } } }
}

/// Formats a text as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// The origin of a bound, the time at which it was set, and the reason.
fn words_of_bound(check: &Check) -> String {
    let from = check.bound_from.map_or("", |from| from.name());
    let late = match check.bound_set {
        BoundSet::Before => "",
        BoundSet::Stated => ", reported as set before the result was known, which no lock verifies",
        BoundSet::After => ", set or changed after the result was known",
    };
    let why = if check.why.is_empty() { String::new() } else { format!(": {}", check.why.trim_end_matches('.')) };
    format!("{from}{late}{why}")
}

/// A check as a row of a table: the printed value and ours.
fn check(each: &JudgedCheck, of: &Judged, shares_bound: bool, is_printed: bool) -> Markup {
    let JudgedCheck { check, judgement, .. } = each;
    let name = if check.about.is_empty() { &check.id } else { &check.about };
    let notes = notes(each, of, shares_bound);
    html! {
        tr.(each.verdict().name()) id=(check_target(&check.id)) {
            td.sign title=(each.verdict()) { (sign(each.verdict())) }
            td { (name) @if !notes.is_empty() { small { (notes.join(" ")) } } }
            @if is_printed { td.number.published { (check.kind.published().unwrap_or_default()) } }
            td.number { @if let Some(number) = judgement.measured { (short(number)) } }
            td.required { @if let Some(test) = check.kind.test() { (test) } }
        }
    }
}

/// Further remarks on a check, in sentences.
fn notes(each: &JudgedCheck, of: &Judged, shares_bound: bool) -> Vec<String> {
    let JudgedCheck { check, judgement, .. } = each;
    let mut notes: Vec<String> = judgement.details.iter().map(detail).collect();
    // The reason of the statement is not repeated.
    notes.extend(each.outcome.reason().filter(|_| each.outcome != of.outcome).map(Reason::words));
    if let Some(share) = each.share.as_ref() {
        notes.extend((share.samples() > 0).then(|| share.words()));
        notes.extend(share.turned().map(|(reading, verdict)| format!("{verdict} with the reading {reading}")));
        notes.extend(share.excluded().map(|reading| format!("the published numbers rule out the reading {reading}")));
    }
    if check.bound_from.is_some() && !shares_bound {
        notes.push(format!("bound: {}", words_of_bound(check)));
    }
    notes.extend([&judgement.note, &check.because].into_iter().filter(|text| !text.is_empty()).cloned());
    notes.iter().map(|note| sentence(note)).collect()
}

/// One of several numbers of a check.
fn detail(detail: &Detail) -> String {
    let Detail { name, published, measured, holds } = detail;
    let measured = measured.map_or_else(|| "–".to_owned(), short);
    let required = if published.is_empty() { String::new() } else { format!(", {published}") };
    format!("{} {name}: {measured}{required}", if *holds { "✓" } else { "✗" })
}
