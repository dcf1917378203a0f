//! The page of a paper: its main claims, what is not reproduced or open, its figures and tables with what they say,
//! what else it says, what had to be assumed, and what its authors could settle.

mod assumed;
mod first;
mod review;

use std::path::Path;

use maud::{Markup, html};
use mbsbench_judge::claims::record::{GROUNDS, Scores};
use mbsbench_judge::claims::{Judged, Verdict};
use mbsbench_judge::publication::Publication;

use super::artefact::{Artefact, entry};
use super::page::{of, page, scorecard, with_contents};
use super::place::{in_order, places};
use super::statement::{Found, slug, sorted, statement};
use super::{PaperReport, ReportError, behind};

/// The page of a paper.
pub(super) fn page_of(results: &Path, report: &PaperReport<'_>) -> Result<String, ReportError> {
    let artefacts = Artefact::all(&report.plans);
    let found = Found::new(&report.plans);
    let mut placed: Vec<Vec<&Judged>> = vec![Vec::new(); artefacts.len()];
    let mut elsewhere: Vec<&Judged> = Vec::new();
    let (findings, statements): (Vec<&Judged>, Vec<&Judged>) = report.judged.iter().partition(|each| each.is_finding);
    // A statement stands in full with the first figure that it speaks of, and as a link with the others.
    let mut linked: Vec<Vec<&Judged>> = vec![Vec::new(); artefacts.len()];
    for &judged in &statements {
        let place = &judged.statement.place;
        let of = |artefact: &Artefact<'_>| artefact.is_published() && artefact.is_place_of(place);
        let mut indices = artefacts.iter().enumerate().filter(|(_, artefact)| of(artefact)).map(|(index, _)| index);
        match indices.next() {
            Some(index) => placed[index].push(judged),
            None => elsewhere.push(judged),
        }
        indices.for_each(|index| linked[index].push(judged));
    }
    let mut gallery = Vec::new();
    for ((artefact, judged), linked) in artefacts.iter().zip(&placed).zip(&linked) {
        if artefact.is_published() {
            gallery.push(artefact.section(results, &report.paper, [judged, linked], &found)?);
        }
    }
    let behind = behind::file_of(&report.paper);
    let publication = &report.publication;
    let title = publication.title.as_str();
    let header = html! {
        header {
            p.crumbs { a href="index.html" { "All papers" } }
            h1 { (title) }
            p.lead { (of(&report.paper, publication)) }
            (published(publication))
        }
    };
    let letter = first::letter(report);
    let contents = html! {
        ul {
            li { a href="#result" { "Main claims" } }
            li { a href="#outcomes" { "Not reproduced, or open" } }
            @if !gallery.is_empty() {
                li {
                    a href="#artefacts" { "Figures and tables" }
                    ul.artefacts {
                        @for ((artefact, judged), linked) in artefacts.iter().zip(&placed).zip(&linked).filter(|((a, _), _)| a.is_published()) {
                            (entry(artefact, [judged, linked]))
                        }
                    }
                }
            }
            @if !elsewhere.is_empty() { li { a href="#statements" { "Statements of the text" } } }
            @if !findings.is_empty() { li { a href="#findings" { "Findings of ours" } } }
            @if letter.is_some() { li { a href="#letter" { "Questions to the authors" } } }
            @if assumed::is_there(report) { li { a href="#assumed" { "What had to be assumed" } } }
            li { a href="#review" { "Review" } }
            @if gallery.len() < artefacts.len() { li { a href=(format!("{behind}#beyond")) { "Beyond the paper" } } }
            li { a href=(behind) { "What is behind it" } }
        }
    };
    let main = html! {
        @if report.judged.is_empty() { p.pending { "No ledger yet." } }
        @else {
            (search(&report.judged, &found))
            div.first { (first::claims(report)) (first::outcomes(&statements)) }
            (scorecard(&report.scores(), ""))
        }
        @if !gallery.is_empty() {
            section id="artefacts" { h2 { "Figures and tables" } @for section in &gallery { (section) } }
        }
        @if !elsewhere.is_empty() {
            section id="statements" {
                h2 { "Statements of the text" }
                @for judged in &elsewhere { (statement(&report.paper, judged, &found)) }
            }
        }
        @if !findings.is_empty() {
            section id="findings" {
                h2 { "Findings of ours" }
                @let scores = Scores::of(&report.judged, true);
                p { "What the paper does not say: " (scores.total()) " findings with " (scores.checks) " checks, which are counted apart." }
                @for judged in &findings { (statement(&report.paper, judged, &found)) }
            }
        }
        @if let Some(letter) = &letter { (letter) }
        (assumed::section(report))
        (review::section(report, &statements))
    };
    Ok(page(&format!("mbsbench: {title}"), &with_contents(&header, &contents, &main)))
}

/// Where it was published, and on what terms its numbers stand here.
fn published(publication: &Publication) -> Markup {
    html! {
        @if publication.by().is_some() {
            p.small {
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

/// The field that leaves only statements with some words, an outcome, a place, a method or a mark; the script makes it
/// work.
fn search(judged: &[Judged], found: &Found) -> Markup {
    let all_places = in_order(judged.iter().flat_map(|each| places(&each.statement.place)).collect());
    let all_methods = sorted(judged.iter().flat_map(|each| found.methods(each)).collect());
    let by = |what: &str, label: &str, any: &str, options: Vec<(String, &str)>| {
        html! {
            label {
                (label) " "
                select data-by=(what) {
                    option value="" { (any) }
                    @for (value, name) in options { option value=(value) { (name) } }
                }
            }
        }
    };
    let slugged = |names| -> Vec<(String, &str)> {
        let names: Vec<&str> = names;
        names.into_iter().map(|name| (slug(name), name)).collect()
    };
    html! {
        form.search hidden role="search" {
            label { "Find " input type="search" placeholder="words of a statement" autocomplete="off"; }
            (by("verdict", "outcome", "any", Verdict::ALL.map(|one| (one.name().to_owned(), one.words())).to_vec()))
            (by("place", "place", "anywhere", slugged(all_places.iter().map(String::as_str).collect())))
            (by("method", "method", "any", slugged(all_methods)))
            (by("ground", "mark", "any", slugged(GROUNDS.map(|(name, _)| name).to_vec())))
            output {}
        }
    }
}
