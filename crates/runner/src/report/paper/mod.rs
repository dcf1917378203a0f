//! The page of a paper: results, main claims, figures and tables with their statements, all other statements,
//! assumptions, sensitivity, sources, our findings, and questions to the authors.

mod assumptions;
mod outcomes;
mod sources;

use std::collections::BTreeSet;

use maud::{Markup, html};
use mbsbench_judge::claims::Judged;
use mbsbench_judge::claims::record::{GROUNDS, Scores};
use mbsbench_judge::publication::Publication;

use super::artefact::{Artefact, entry};
use super::page::{Section, choice, file_of_appendix, header, of, page, scorecard, search, with_contents};
use super::places::{in_order, places};
use super::sensitivity::{self, Study};
use super::statement::{Found, slug, statement};
use super::{PaperReport, Result};

/// Returns the page of a paper.
pub(super) fn page_of(report: &PaperReport<'_>, studies: &[Study<'_>], found: &Found<'_>) -> Result<String> {
    let (own, further): (Vec<_>, Vec<_>) = Artefact::all(&report.plans).into_iter().partition(Artefact::is_published);
    let mut artefacts: Vec<_> = own.into_iter().map(|artefact| (artefact, [Vec::new(), Vec::new()])).collect();
    let mut elsewhere: Vec<&Judged> = Vec::new();
    let (findings, statements): (Vec<&Judged>, Vec<&Judged>) = report.judged.iter().partition(|each| each.is_finding);
    // A statement appears in full at the first figure to which it refers, and as a link at the others.
    for &judged in &statements {
        let mut meant = artefacts.iter_mut().filter(|(artefact, _)| artefact.is_place_of(&judged.statement.place));
        match meant.next() {
            Some((_, [placed, _])) => placed.push(judged),
            None => elsewhere.push(judged),
        }
        meant.for_each(|(_, [_, linked])| linked.push(judged));
    }
    let appendix = file_of_appendix(&report.paper);
    let section = |(artefact, [placed, linked]): &(Artefact<'_>, [Vec<_>; 2])| {
        artefact.section(&appendix, [placed, linked], found)
    };
    let gallery: Vec<Markup> = artefacts.iter().map(section).collect::<Result<_>>()?;
    let publication = &report.publication;
    let title = publication.title.as_str();
    let about = html! {
        p.lead { (of(&report.paper, publication)) }
        (published(publication))
    };
    let header = header(&[], title, &about);
    let in_full = |all: &[&Judged]| {
        html! { @for judged in all { (statement(&report.paper, judged, found)) } }
    };
    let mut sections = Vec::new();
    if !report.judged.is_empty() {
        let results = html! { div.first { (scorecard(&report.scores())) div { (outcomes::lists(&statements)) } } };
        sections.push(Section::new("results", "Results", results));
        sections.push(Section::new("highlights", "Highlights", outcomes::claims(report)));
    }
    if !gallery.is_empty() {
        let entries = html! {
            ul.artefacts { @for (artefact, [placed, linked]) in &artefacts { (entry(artefact, [placed, linked])) } }
        };
        let body = html! { @for section in &gallery { (section) } };
        sections.push(Section { entries, ..Section::new("artefacts", "Figures and tables", body) });
    }
    if !elsewhere.is_empty() {
        sections.push(Section::new("statements", "Statements in the text", in_full(&elsewhere)));
    }
    sections.extend(assumptions::table(report).map(|body| Section::new("assumptions", "Assumptions", body)));
    let sensitivity = sensitivity::summary(studies, &appendix);
    sections.extend(sensitivity.map(|body| Section::new("sensitivity", "Sensitivity", body)));
    let sources = sources::body(found.results, report, &statements, !further.is_empty());
    sections.push(Section::new("sources", "Sources", sources));
    if !findings.is_empty() {
        let scores = Scores::of(&report.judged, true);
        let body = html! {
            p {
                (scores.total()) " findings about matters that the paper does not mention, with " (scores.checks)
                " checks. The results above do not include them."
            }
            (in_full(&findings))
        };
        sections.push(Section::new("findings", "Our findings", body));
    }
    sections.extend(outcomes::letter(report).map(|body| Section::new("letter", "Questions to the authors", body)));
    let main = html! {
        @if report.judged.is_empty() { p.pending { "This paper has experiments, but no ledger of statements yet." } }
        @else { (search_of(&report.judged, found)) }
        @for section in &sections { (section) }
    };
    Ok(page(&format!("mbsbench: {title}"), &with_contents(&header, &sections, &main)))
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

/// The search for statements by words, outcome, place, method and set-up.
fn search_of(judged: &[Judged], found: &Found<'_>) -> Markup {
    let all_places = in_order(judged.iter().flat_map(|each| places(&each.statement.place)).collect());
    let all_methods: BTreeSet<&str> = judged.iter().flat_map(|each| found.methods(each)).collect();
    let slugged = |name| (slug(name), name);
    let further = html! {
        (choice(Some("place"), "place", "anywhere", all_places.iter().map(String::as_str).map(slugged)))
        (choice(Some("method"), "method", "any", all_methods.into_iter().map(slugged)))
        (choice(Some("ground"), "set-up", "any", GROUNDS.map(|(name, _)| slugged(name))))
    };
    search("statements", &further)
}
