//! The page of a paper: its main claims, statements that are not reproduced or open, its figures and tables with their
//! statements, all other statements, assumptions, and questions to the authors.

mod assumed;
mod first;
mod review;

use std::path::Path;

use maud::{Markup, html};
use mbsbench_judge::claims::Judged;
use mbsbench_judge::claims::record::{GROUNDS, Scores};
use mbsbench_judge::publication::Publication;

use super::artefact::{Artefact, entry};
use super::page::{Section, choice, file_behind, header, of, page, scorecard, search, with_contents};
use super::place::{in_order, places};
use super::statement::{Found, slug, sorted, statement};
use super::{FileError, PaperReport};

/// Returns the page of a paper.
pub(super) fn page_of(results: &Path, report: &PaperReport<'_>) -> Result<String, FileError> {
    let artefacts = Artefact::all(&report.plans);
    let found = Found::new(&report.plans);
    let mut placed: Vec<Vec<&Judged>> = vec![Vec::new(); artefacts.len()];
    let mut elsewhere: Vec<&Judged> = Vec::new();
    let (findings, statements): (Vec<&Judged>, Vec<&Judged>) = report.judged.iter().partition(|each| each.is_finding);
    // A statement appears in full at the first figure to which it refers, and as a link at the others.
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
    let behind = file_behind(&report.paper);
    let publication = &report.publication;
    let title = publication.title.as_str();
    let about = html! {
        p.lead { (of(&report.paper, publication)) }
        (published(publication))
    };
    let header = header(&[], title, &about);
    let in_full = |all: &[&Judged]| {
        html! { @for judged in all { (statement(&report.paper, judged, &found)) } }
    };
    let mut sections = Vec::new();
    if !report.judged.is_empty() {
        sections.push(Section::new("result", "Main claims", first::claims(report)));
        sections.push(Section::new("outcomes", "Not reproduced, or open", first::outcomes(&statements)));
    }
    let first = sections.len();
    if !gallery.is_empty() {
        let all = artefacts.iter().zip(&placed).zip(&linked).filter(|((artefact, _), _)| artefact.is_published());
        let entries = html! {
            ul.artefacts { @for ((artefact, judged), linked) in all { (entry(artefact, [judged, linked])) } }
        };
        let body = html! { @for section in &gallery { (section) } };
        sections.push(Section { entries, ..Section::new("artefacts", "Figures and tables", body) });
    }
    if !elsewhere.is_empty() {
        sections.push(Section::new("statements", "Statements of the text", in_full(&elsewhere)));
    }
    if !findings.is_empty() {
        let scores = Scores::of(&report.judged, true);
        let body = html! {
            p { "What the paper does not say: " (scores.total()) " findings with " (scores.checks) " checks, which are counted apart." }
            (in_full(&findings))
        };
        sections.push(Section::new("findings", "Findings of ours", body));
    }
    sections.extend(first::letter(report).map(|body| Section::new("letter", "Questions to the authors", body)));
    sections.extend(assumed::left_out(report).map(|body| Section::new("assumed", "What had to be assumed", body)));
    sections.push(Section::new("review", "Review", review::section(report, &statements)));
    let further = html! {
        @if gallery.len() < artefacts.len() { li { a href=(format!("{behind}#beyond")) { "Beyond the paper" } } }
        li { a href=(behind) { "What is behind it" } }
    };
    let main = html! {
        @if report.judged.is_empty() { p.pending { "No ledger yet." } }
        @else {
            (search_of(&report.judged, &found))
            div.first { @for section in &sections[..first] { (section) } }
            (scorecard(&report.scores(), ""))
        }
        @for section in &sections[first..] { (section) }
    };
    Ok(page(&format!("mbsbench: {title}"), &with_contents(&header, &sections, &further, &main)))
}

/// The publication data, and the licence of the numbers.
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

/// The search for statements by words, outcome, place, method and mark.
fn search_of(judged: &[Judged], found: &Found) -> Markup {
    let all_places = in_order(judged.iter().flat_map(|each| places(&each.statement.place)).collect());
    let all_methods = sorted(judged.iter().flat_map(|each| found.methods(each)).collect());
    let slugged = |name| (slug(name), name);
    let further = html! {
        (choice("place", "place", "anywhere", all_places.iter().map(String::as_str).map(slugged)))
        (choice("method", "method", "any", all_methods.into_iter().map(slugged)))
        (choice("ground", "mark", "any", GROUNDS.map(|(name, _)| slugged(name))))
    };
    search("statement", &further)
}
