//! The page of a paper: how its claims fare, what does not hold and why, what had to be assumed, then artefact by
//! artefact.

use std::path::Path;

use maud::{Markup, html};

use super::artefact::{Artefact, entry, experiment_anchor};
use super::page::{anchor, badge, page, scorecard, verdict_anchor};
use super::{PaperReport, ReportError, claims, published, robustness};
use crate::claims::{Judged, Verdict};
use crate::experiment::spec::Undetermined;
use crate::results::decimal;

/// The page of a paper.
pub(super) fn page_of(results: &Path, report: &PaperReport<'_>) -> Result<String, ReportError> {
    let artefacts = Artefact::all(&report.plans);
    let mut placed: Vec<Vec<&Judged>> = vec![Vec::new(); artefacts.len()];
    let mut elsewhere: Vec<&Judged> = Vec::new();
    for judged in &report.judged {
        match artefacts.iter().position(|artefact| artefact.is_published() && artefact.is_place_of(&judged.claim.place))
        {
            Some(index) => placed[index].push(judged),
            None => elsewhere.push(judged),
        }
    }
    let mut sections = Vec::with_capacity(artefacts.len());
    for (artefact, judged) in artefacts.iter().zip(&placed) {
        sections.push(artefact.section(results, report.paper, judged)?);
    }
    let about = published::paper(report.paper);
    let title = about.map_or(report.paper, |about| about.title);
    let body = html! {
        header {
            p.crumbs { a href="index.html" { "All papers" } }
            h1 { (title) }
            @if let Some(about) = about { p.lead { (about.authors) " (" code { (about.id) } "): " (about.about) "." } }
        }
        main {
            section id="scorecard" {
                h2 { "Scorecard" }
                @if report.judged.is_empty() { p.pending { "No ledger of claims yet." } }
                @else { (scorecard(&report.judged, "")) }
                nav aria-label="Tables and figures" {
                    ul.contents {
                        @for (artefact, judged) in artefacts.iter().zip(&placed).filter(|(a, _)| a.is_published()) {
                            (entry(artefact, judged))
                        }
                    }
                }
            }
            (not_holding(&report.judged))
            (holding(&report.judged))
            (assumed(report))
            (robustness::section(results, &report.plans, &report.judged)?)
            section id="artefacts" {
                h2 { "Tables and figures" }
                @for section in &sections { (section) }
            }
            @if !elsewhere.is_empty() {
                section id="statements" {
                    h2 { "Statements of the text" }
                    @for judged in &elsewhere { (claims::claim(report.paper, judged)) }
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

/// What is anything but reproduced, with the explanation.
fn not_holding(judged: &[Judged]) -> Markup {
    let of = |verdict: Verdict| judged.iter().filter(move |each| each.judgement.verdict == verdict);
    let open = [Verdict::Contradicted, Verdict::Partly, Verdict::Inconclusive, Verdict::Untestable];
    html! {
        @if judged.iter().any(|each| each.judgement.verdict != Verdict::Reproduced) {
            section id="not-holding" {
                h2 { "What does not hold, or cannot be said" }
                @for verdict in open.into_iter().filter(|&verdict| of(verdict).next().is_some()) {
                    ul.findings id=(verdict_anchor(verdict)) { @for each in of(verdict) { (not_held(each)) } }
                }
            }
        }
    }
}

/// A claim that is anything but reproduced.
fn not_held(each: &Judged) -> Markup {
    let (published, measured) = (each.published(), each.measured());
    html! {
        li {
            (badge(each.judgement.verdict)) " "
            a href=(format!("#claim-{}", anchor(&each.claim.id))) { (each.claim.statement) }
            @if !measured.is_empty() && !published.is_empty() {
                " Published: " (published) "; measured: " (measured) "."
            } @else if !measured.is_empty() {
                " Of its landmarks " (measured) "."
            }
            @if !each.claim.because.is_empty() { " " (each.claim.because) }
            @else if !each.judgement.note.is_empty() { " (" (each.judgement.note) ")" }
        }
    }
}

/// What is reproduced, to be opened: links to the claims, whose numbers stand with their tables and figures.
fn holding(judged: &[Judged]) -> Markup {
    let held: Vec<&Judged> = judged.iter().filter(|each| each.judgement.verdict == Verdict::Reproduced).collect();
    html! {
        @if !held.is_empty() {
            section id="holding" {
                h2 { "What holds" }
                details id=(verdict_anchor(Verdict::Reproduced)) {
                    summary { (held.len()) " claims are " (badge(Verdict::Reproduced)) }
                    ul {
                        @for each in held {
                            li { a href=(format!("#claim-{}", anchor(&each.claim.id))) { (each.claim.statement) } }
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
                        thead { tr { th { "Experiment" } th { "Parameter" } th { "Used" } th { "Plausible" } th { "Why" } } }
                        tbody {
                            @for (experiment, name, values, undetermined) in &rows {
                                tr {
                                    td { (experiment) }
                                    td { code { (name) } }
                                    td.number { (values.iter().map(|&v| rounded(v)).collect::<Vec<_>>().join(", ")) }
                                    td.number { (rounded(undetermined.range[0])) " to " (rounded(undetermined.range[1])) }
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

/// A number to five digits, for a reader; the files have them all.
fn rounded(number: f64) -> String {
    let five = format!("{number:.4e}").parse().unwrap_or(number);
    if (1e-4..1e6).contains(&five.abs()) || five == 0.0 { decimal(five) } else { format!("{five:e}") }
}
