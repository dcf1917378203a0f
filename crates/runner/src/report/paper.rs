//! The page of a paper: how its statements fare, what does not hold and why, what had to be assumed, then artefact by
//! artefact.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::{Mark, Undetermined};
use mbsbench_judge::claims::record::Scores;
use mbsbench_judge::claims::spec::{BoundFrom, BoundSet};
use mbsbench_judge::claims::{Judged, Verdict};
use mbsbench_judge::publication::Publication;
use mbsbench_judge::robustness::words;
use mbsbench_numbers::brief;

use super::artefact::{Artefact, entry, experiment_anchor};
use super::page::{badge, of, page, scorecard, verdict_anchor};
use super::statement::{ground, on_the_stand_in, reasons, statement, target};
use super::{PaperReport, ReportError, robustness};

/// The page of a paper.
pub(super) fn page_of(results: &Path, report: &PaperReport<'_>) -> Result<String, ReportError> {
    let artefacts = Artefact::all(&report.plans);
    let mut placed: Vec<Vec<&Judged>> = vec![Vec::new(); artefacts.len()];
    let mut elsewhere: Vec<&Judged> = Vec::new();
    let (findings, statements): (Vec<&Judged>, Vec<&Judged>) = report.judged.iter().partition(|each| each.is_finding);
    for &judged in &statements {
        let place = &judged.statement.place;
        match artefacts.iter().position(|artefact| artefact.is_published() && artefact.is_place_of(place)) {
            Some(index) => placed[index].push(judged),
            None => elsewhere.push(judged),
        }
    }
    let mut sections = Vec::with_capacity(artefacts.len());
    for (artefact, judged) in artefacts.iter().zip(&placed) {
        sections.push(artefact.section(results, &report.paper, judged)?);
    }
    let publication = &report.publication;
    let title = publication.title.as_str();
    let body = html! {
        header {
            p.crumbs { a href="index.html" { "All papers" } }
            h1 { (title) }
            p.lead { (of(&report.paper, publication)) }
            (published(publication))
        }
        main {
            section id="scorecard" {
                h2 { "Scorecard" }
                @if report.judged.is_empty() { p.pending { "No ledger yet." } }
                @else { (scorecard(&report.scores(), "")) (bounds(&statements)) }
                nav aria-label="Tables and figures" {
                    ul.contents {
                        @for (artefact, judged) in artefacts.iter().zip(&placed).filter(|(a, _)| a.is_published()) {
                            (entry(artefact, judged))
                        }
                    }
                }
            }
            (search())
            (not_holding(&statements))
            (holding(&statements))
            (assumed(report))
            (robustness::section(results, &report.plans, &report.judged)?)
            section id="artefacts" {
                h2 { "Tables and figures" }
                @for section in &sections { (section) }
            }
            @if !elsewhere.is_empty() {
                section id="statements" {
                    h2 { "Statements of the text" }
                    @for judged in &elsewhere { (statement(&report.paper, judged)) }
                }
            }
            @if !findings.is_empty() {
                section id="findings" {
                    h2 { "Findings of ours" }
                    @let scores = Scores::of(&report.judged, true);
                    p { "What the paper does not say: " (scores.total()) " findings with " (scores.checks) " checks, which stand in no scorecard." }
                    @for judged in &findings { (statement(&report.paper, judged)) }
                }
            }
            section id="experiments" {
                h2 { "The experiments" }
                @for plan in &report.plans {
                    @let id = &plan.experiment.id;
                    details id=(experiment_anchor(id)) {
                        summary {
                            code { "experiments/" (id) ".yaml" }
                            @if let Some(title) = &plan.experiment.title { ": " (title) }
                        }
                        pre { code { (plan.experiment.document.source.text()) } }
                    }
                }
            }
        }
        footer {
            p { "All of this: " code { "mbsbench reproduce " (report.paper) } ". What was settled and why: "
                code { "docs/papers/" (report.paper) ".md" } ". What made these results: "
                a href="../manifest.json" { "manifest.json" } "." }
        }
    };
    Ok(page(&format!("mbsbench: {title}"), &body))
}

/// Where it was published, and on what terms its numbers stand here.
fn published(publication: &Publication) -> Markup {
    html! {
        @if publication.by().is_some() {
            p {
                @if let Some(source) = &publication.source { (source) ", " } (publication.year)
                @if let (Some(link), Some(address)) = (&publication.link, publication.address()) {
                    ", " a href=(address) rel="noreferrer" { (link) }
                }
                "."
                @if let Some(licence) = &publication.licence { " Data: " (licence.trim_end_matches('.')) "." }
                @if publication.cite.is_some() { " Cite as: " (publication.citation()) }
            }
        }
    }
}

/// The field that leaves only statements with some words, a verdict or a ground; the script makes it work.
fn search() -> Markup {
    html! {
        form.search hidden role="search" {
            label { "Find " input type="search" placeholder="words, a place, a method" autocomplete="off"; }
            label {
                "verdict "
                select data-by="verdict" {
                    option value="" { "any" }
                    @for verdict in Verdict::ALL { option value=(verdict.name()) { (verdict) } }
                }
            }
            label {
                "rests on "
                select data-by="ground" {
                    option value="" { "anything" }
                    @for mark in Mark::ALL { option value=(mark.name()) { (mark) } }
                }
            }
            output {}
        }
    }
}

/// Where the bounds of the checks come from, and how many were set when their result was known.
fn bounds(statements: &[&Judged]) -> Markup {
    let checks = || statements.iter().flat_map(|each| &each.checks).map(|each| &each.check);
    let from = |wanted: BoundFrom| checks().filter(|check| check.bound_from == Some(wanted)).count();
    let late = checks().filter(|check| check.bound_from.is_some() && check.bound_set == BoundSet::After).count();
    let all = checks().filter(|check| check.bound_from.is_some()).count();
    let words = |from: BoundFrom| match from {
        BoundFrom::Printed => "as printed",
        BoundFrom::Wording => "by the wording",
        BoundFrom::Figure => "read off figures",
        BoundFrom::AuthorsCode => "set with the authors' program in view",
        BoundFrom::IndependentProgram => "set with an independent program in view",
        BoundFrom::Ours => "ours",
    };
    let parts: Vec<String> = BoundFrom::ALL
        .into_iter()
        .filter(|&wanted| from(wanted) > 0)
        .map(|wanted| format!("{} {}", from(wanted), words(wanted)))
        .collect();
    html! {
        @if all > 0 {
            p.small { "Bounds of its checks: " (parts.join(", ")) "; " (late) " of " (all) " were set or changed when the result was known." }
        }
    }
}

/// What is anything but reproduced, with the explanation.
fn not_holding(judged: &[&Judged]) -> Markup {
    let of = |verdict: Verdict| judged.iter().filter(move |each| each.verdict == verdict);
    let open = [Verdict::Contradicted, Verdict::Depends, Verdict::Partly, Verdict::Inconclusive, Verdict::Untestable];
    html! {
        @if judged.iter().any(|each| each.verdict != Verdict::Reproduced) {
            section id="not-holding" {
                h2 { "What does not hold, or cannot be said" }
                @for verdict in open.into_iter().filter(|&verdict| of(verdict).next().is_some()) {
                    ul.findings id=(verdict_anchor(verdict)) { @for each in of(verdict) { (not_held(each)) } }
                }
            }
        }
    }
}

/// A statement that is anything but reproduced.
fn not_held(each: &Judged) -> Markup {
    let deciding = each.deciding();
    let (required, measured) = deciding.map_or_else(Default::default, |check| (check.required(), check.measured()));
    let is_number = each.checks.len() == 1 && each.verdict != Verdict::Untestable;
    html! {
        li {
            (badge(each.verdict)) " "
            a href=(format!("#{}", target(&each.statement.id))) { (each.statement.says) }
            " " (ground(each.rests_on()))
            @if !each.tally().is_empty() { " " span.tally { (each.tally()) " checks. " } }
            @if is_number && !measured.is_empty() && !required.is_empty() { " Required: " (required) "; measured: " (measured) "." }
            @if !each.statement.because.is_empty() { " " (each.statement.because) }
            @let reasons = reasons(each);
            @if let Some(stand_in) = on_the_stand_in(each) { span.reason { " On the stand-in: " (stand_in) "." } }
            @else if !reasons.is_empty() { span.reason { " Hangs on: " (reasons.join("; ")) "." } }
        }
    }
}

/// What is reproduced, to be opened: links to the statements, whose checks stand with their tables and figures.
fn holding(judged: &[&Judged]) -> Markup {
    let held: Vec<&&Judged> = judged.iter().filter(|each| each.verdict == Verdict::Reproduced).collect();
    html! {
        @if !held.is_empty() {
            section id="holding" {
                h2 { "What holds" }
                details id=(verdict_anchor(Verdict::Reproduced)) {
                    summary { (held.len()) " statements are " (badge(Verdict::Reproduced)) }
                    ul {
                        @for each in held {
                            li { a href=(format!("#{}", target(&each.statement.id))) { (each.statement.says) } " " (ground(each.rests_on())) }
                        }
                    }
                }
            }
        }
    }
}

/// The parameters that the paper leaves out.
fn assumed(report: &PaperReport<'_>) -> Markup {
    let rows: Vec<(&str, &str, Vec<f64>, &Undetermined)> = report
        .plans
        .iter()
        .flat_map(|plan| {
            plan.experiment.undetermined.iter().map(|(key, undetermined)| {
                (plan.experiment.id.as_str(), key.name.as_str(), plan.numbers_at(&key.name), undetermined)
            })
        })
        .collect();
    html! {
        @if !rows.is_empty() {
            section id="assumed" {
                h2 { "What had to be assumed" }
                div.scroll {
                    table.assumed {
                        thead { tr { th { "Experiment" } th { "Parameter" } th { "Used" } th { "In studies" } th { "Why" } } }
                        tbody {
                            @for (experiment, name, values, undetermined) in &rows {
                                tr {
                                    td { (experiment) }
                                    td { code { (name) } }
                                    td.number { (values.iter().map(|&v| brief(v)).collect::<Vec<_>>().join(", ")) }
                                    td { (words::sampled(undetermined)) }
                                    td {
                                        (undetermined.why)
                                        @if let Some(to) = &undetermined.calibrated {
                                            " " span.calibrated { "calibrated" } " to " (to) "."
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
