//! The page of a paper: what came out, its figures and tables with what they say, then what else it says, what had to be assumed
//! and what verdicts depend on.

mod assumed;
mod hangs;
mod review;

use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::Mark;
use mbsbench_judge::claims::record::Scores;
use mbsbench_judge::claims::{Judged, Verdict};
use mbsbench_judge::publication::{Publication, Takeaway};

use super::artefact::{Artefact, entry};
use super::page::{badge, of, page, scorecard, verdict_anchor, with_contents};
use super::statement::{Found, ground, places, slug, sorted, statement, target};
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
    let (mut gallery, mut beyond) = (Vec::new(), Vec::new());
    for ((artefact, judged), linked) in artefacts.iter().zip(&placed).zip(&linked) {
        let part = if artefact.is_published() { &mut gallery } else { &mut beyond };
        part.push(artefact.section(results, &report.paper, [judged, linked], &found)?);
    }
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
    let hangs = hangs::section(report);
    let contents = html! {
        ul {
            li { a href="#result" { "What came out" } }
            @if !publication.highlights.is_empty() { li { a href="#highlights" { "What matters most" } } }
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
            @if !beyond.is_empty() { li { a href="#beyond" { "Beyond the paper" } } }
            li { a href="#verdicts" { "All by verdict" } }
            @if assumed::is_there(report) { li { a href="#assumed" { "What had to be assumed" } } }
            @if hangs.is_some() { li { a href="#hangs-on" { "What verdicts depend on" } } }
            li { a href="#review" { "Review" } }
            li { a href=(behind::file_of(&report.paper)) { "What is behind it" } }
        }
    };
    let main = html! {
        section id="result" {
            h2 { "What came out" }
            @if let Some(result) = &publication.result { p.result { (result.says) } }
            @if report.judged.is_empty() { p.pending { "No ledger yet." } }
            @else { (scorecard(&report.scores(), "")) }
        }
        @if !publication.highlights.is_empty() {
            section id="highlights" {
                h2 { "What matters most" }
                @for (number, takeaway) in publication.highlights.iter().enumerate() {
                    @let is_shown = publication.highlights[..number].iter().any(|other| other.shows == takeaway.shows);
                    (highlight(results, takeaway, report, &artefacts, is_shown)?)
                }
            }
        }
        @if !report.judged.is_empty() { (search(&report.judged, &found)) }
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
                p { "What the paper does not say: " (scores.total()) " findings with " (scores.checks) " checks, which stand in no scorecard." }
                @for judged in &findings { (statement(&report.paper, judged, &found)) }
            }
        }
        @if !beyond.is_empty() {
            section id="beyond" { h2 { "Beyond the paper" } @for section in &beyond { (section) } }
        }
        (by_verdict(&statements))
        (assumed::section(report))
        @if let Some(hangs) = &hangs {
            (hangs)
            p.links { "The samples behind it, parameter by parameter: " a href=(format!("{}#studies", behind::file_of(&report.paper))) { "studies" } "." }
        }
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

/// Something to be taken away, with its picture, unless that `is_shown` already, and the verdicts that it rests on.
fn highlight(
    results: &Path,
    takeaway: &Takeaway,
    report: &PaperReport<'_>,
    artefacts: &[Artefact<'_>],
    is_shown: bool,
) -> Result<Markup, ReportError> {
    let artefact = takeaway
        .shows
        .as_ref()
        .filter(|_| !is_shown)
        .and_then(|shows| artefacts.iter().find(|artefact| artefact.is_called(shows)));
    let picture = artefact.map(|artefact| artefact.again(results)).transpose()?;
    let is_wide = artefact.map(|artefact| artefact.is_wide(results)).transpose()?.unwrap_or(true);
    let room = if is_wide { "wide" } else { "" };
    let judged = takeaway.verdicts.keys().filter_map(|id| report.judged.iter().find(|each| each.statement.id == *id));
    Ok(html! {
        article.highlight.(room) {
            div.shown { @if let Some(picture) = picture { (picture) } }
            div.said {
                p.says { (takeaway.says) }
                ul.verdicts {
                    @for each in judged {
                        li { (badge(each.verdict)) " " a href=(format!("#{}", target(&each.statement.id))) { (each.statement.says) } }
                    }
                }
            }
        }
    })
}

/// The field that leaves only statements with some words, a verdict, a place, a method or a ground; the script makes it work.
fn search(judged: &[Judged], found: &Found) -> Markup {
    let all_places = sorted(judged.iter().flat_map(places).collect());
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
    let named = |names: Vec<&'static str>| names.into_iter().map(|name| (name.to_owned(), name)).collect();
    let slugged = |names| -> Vec<(String, &str)> {
        let names: Vec<&str> = names;
        names.into_iter().map(|name| (slug(name), name)).collect()
    };
    html! {
        form.search hidden role="search" {
            label { "Find " input type="search" placeholder="words of a statement" autocomplete="off"; }
            (by("verdict", "verdict", "any", named(Verdict::ALL.map(Verdict::name).to_vec())))
            (by("place", "place", "anywhere", slugged(all_places)))
            (by("method", "method", "any", slugged(all_methods)))
            (by("ground", "rests on", "anything", named(Mark::ALL.map(Mark::name).to_vec())))
            output {}
        }
    }
}

/// All statements of a verdict, verdict by verdict, to be opened.
fn by_verdict(judged: &[&Judged]) -> Markup {
    let of = |verdict: Verdict| judged.iter().filter(move |each| each.verdict == verdict);
    html! {
        section id="verdicts" {
            h2 { "All statements by verdict" }
            @for verdict in Verdict::ALL.into_iter().filter(|&verdict| of(verdict).next().is_some()) {
                details id=(verdict_anchor(verdict)) {
                    summary { (badge(verdict)) " " (of(verdict).count()) }
                    ul {
                        @for each in of(verdict) {
                            li { a href=(format!("#{}", target(&each.statement.id))) { (each.statement.says) } " " (ground(each.rests_on())) }
                        }
                    }
                }
            }
        }
    }
}
