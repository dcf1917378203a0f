//! The front page: the purpose in one picture, all papers with the outcomes of their statements, and links to all
//! pages.

use std::path::Path;

use maud::{Markup, PreEscaped, html};
use mbsbench_judge::claims::{Judged, JudgedCheck, Verdict};
use mbsbench_judge::publication::{MainClaim, Publication, PublicationKind};

use super::artefact::{Artefact, Kind};
use super::page::{badge, figure_named, of, page, search, strip, tally};
use super::statement::target;
use super::{FileError, PaperReport};

/// Number of measured values that are shown as examples for a statement.
const TOLD: usize = 3;

/// Returns the front page.
pub(super) fn page_of(
    results: &Path,
    reports: &[PaperReport<'_>],
    lacking: &[(String, Publication)],
    is_compared: bool,
) -> Result<String, FileError> {
    let total = reports.iter().map(|report| report.scores().total()).sum::<usize>();
    let of_kind = |kind| reports.iter().filter(move |report| report.publication.kind == kind);
    let (papers, sets) = (of_kind(PublicationKind::Paper), of_kind(PublicationKind::Set));
    let entries = |reports: Vec<&PaperReport<'_>>| -> Result<Vec<Markup>, FileError> {
        reports.into_iter().map(|report| entry(results, report)).collect()
    };
    let (papers, sets) = (entries(papers.collect())?, entries(sets.collect())?);
    let body = html! {
        a.skip href="#main" { "To the text" }
        header {
            h1 { "Does what these papers say hold?" }
            p.lead {
                "mbsbench runs the numerical experiments of papers on time integration in multibody dynamics and tests what \
                 they state, sentence by sentence: " (total) " statements so far, each with its outcome and the numbers behind it."
            }
        }
        main id="main" {
            (way(results, reports)?)
            nav.questions aria-label="Three questions" {
                ul {
                    li { a href="#find" { "Does this sentence hold?" } }
                    @if is_compared {
                        li { a href="comparison.html" { "Which method for a model like mine?" } }
                        li { a href="comparison.html#matrix" { "How do all methods do on all models?" } }
                    }
                }
            }
            @if !papers.is_empty() { section { h2 { "Papers" } @for paper in &papers { (paper) } } }
            @if !sets.is_empty() { section { h2 { "Sets of benchmark problems" } @for set in &sets { (set) } } }
            @if is_compared {
                section {
                    h2 { a href="comparison.html" { "Which method for which model?" } }
                    p { "All methods on the models of the papers and of the benchmark sets: the cheapest for an accuracy, work over precision, performance profiles." }
                }
            }
            @if !lacking.is_empty() {
                section {
                    h2 { "Not reproduced yet" }
                    ul { @for (id, publication) in lacking { li { em { (publication.title) } ". " (of(id, publication)) } } }
                }
            }
            (find(reports))
            (how_to_verify())
            (how_to_add())
            (how_to_read())
        }
    };
    Ok(page("mbsbench: does what these papers say hold?", &body))
}

/// Shows the way from a statement to its outcome, using the first suitable example.
fn way(results: &Path, reports: &[PaperReport<'_>]) -> Result<Markup, FileError> {
    for report in reports {
        for claim in &report.publication.claims {
            // The example should be clear without explanation: our numbers beside printed ones.
            let is_plain = |each: &&Judged| each.verdict() == Verdict::Reproduced && compared(each).count() > 1;
            let judged = claim.judged(&report.judged).find(is_plain);
            let Some((judged, picture)) = judged.zip(thumbnail(results, report, Some(claim), "way")?) else { continue };
            let experiments: Vec<&str> =
                judged.checks.iter().flat_map(|check| check.check.kind.experiments()).take(1).collect();
            let (id, place) = (&judged.statement.id, &judged.statement.place);
            return Ok(html! {
                ol.way aria-label="From a sentence to its outcome" {
                    li { h2 { "A paper says" } blockquote { p { (judged.statement.says) } } p.small { (report.publication.authors.join(", ")) " " (report.publication.year) ", " (place) } }
                    li { h2 { "we run it" } (picture) p.small { code { (report.paper) "/" (experiments.concat()) ".yaml" } } }
                    li { h2 { "we measure" } (measured(judged)) }
                    li {
                        h2 { "and say what holds" }
                        p { (badge(judged.verdict())) }
                        p.small { (judged.verdict().meaning()) }
                        p.small { a href=(format!("{}.html#{}", report.paper, target(id))) { "the numbers behind it" } }
                    }
                }
            });
        }
    }
    Ok(html! {})
}

/// The first measured values of a statement, and how many there are.
fn measured(judged: &Judged) -> Markup {
    let shown = || compared(judged).take(TOLD);
    html! {
        ul {
            @for check in shown() {
                li {
                    (check.check.about) ": " strong { (check.measured()) } " "
                    span.small { "(printed: " (check.check.kind.published().unwrap_or_default()) ")" }
                }
            }
        }
        p.small { (shown().count()) " of " (judged.checks.len()) " checks" }
    }
}

/// The checks of a statement that compare a number with a printed one.
fn compared(judged: &Judged) -> impl Iterator<Item = &JudgedCheck> {
    let is_compared =
        |check: &&JudgedCheck| check.judgement.measured.is_some() && check.check.kind.published().is_some();
    judged.checks.iter().filter(is_compared)
}

/// A paper or set with the outcomes of its statements.
fn entry(results: &Path, report: &PaperReport<'_>) -> Result<Markup, FileError> {
    let page = format!("{}.html", report.paper);
    let claims = &report.publication.claims;
    let picture = thumbnail(results, report, claims.first(), &report.paper)?;
    Ok(html! {
        article.paper {
            @if let Some(picture) = picture { (picture) } @else { div {} }
            div {
                h3 { a href=(&page) { (report.publication.title) } }
                p.small { (of(&report.paper, &report.publication)) }
                ul.verdicts { @for claim in claims { li { (badge(claim.outcome(&report.judged).verdict())) " " (claim.says) } } }
                @if report.judged.is_empty() { p.pending { "Experiments are there; no ledger yet." } }
                @else { (strip(&report.scores())) (tally(&report.scores(), &page)) }
            }
        }
    })
}

/// A figure of a paper without its text: the first one to which a main claim refers, or the first one.
fn thumbnail(
    results: &Path,
    report: &PaperReport<'_>,
    claim: Option<&MainClaim>,
    unique: &str,
) -> Result<Option<Markup>, FileError> {
    let artefacts = Artefact::all(&report.plans);
    let figures = || artefacts.iter().filter(|artefact| artefact.kind == Kind::Figure);
    let places: Vec<&str> =
        claim.iter().flat_map(|claim| claim.judged(&report.judged)).map(|each| each.statement.place.as_str()).collect();
    let is_meant = |artefact: &&Artefact<'_>| places.iter().any(|place| artefact.is_place_of(place));
    let Some(figure) = figures().find(is_meant).or_else(|| figures().next()) else { return Ok(None) };
    let (id, svg) = figure.first_panel(results)?;
    Ok(Some(html! {
        div.thumbnail {
            (figure_named(&svg, &id, unique))
            @if let Some(axes) = axes_of(&svg) { p.small { (PreEscaped(axes)) } }
        }
    }))
}

/// Describes the first panel of an SVG by the names of its axes: `angle (deg) over time (s)`.
fn axes_of(svg: &str) -> Option<String> {
    // In the SVG, the ends and the kind of an axis precede its name.
    let name = |key: &str| svg.split_once(&format!(" data-{key}=\""))?.1.split_once('"')?.0.splitn(4, ' ').nth(3);
    let [x, y] = ["x", "y"].map(name);
    Some(format!("{} over {}", y?, x?)).filter(|text| !text.starts_with(" over") && !text.ends_with("over "))
}

/// All statements of all papers, with a form to filter them.
fn find(reports: &[PaperReport<'_>]) -> Markup {
    let line = |paper: &str, judged: &Judged| {
        html! {
            li.statement data-verdict=(judged.verdict().name()) {
                (badge(judged.verdict())) " "
                a href=(format!("{paper}.html#{}", target(&judged.statement.id))) { (judged.statement.says) }
                " " span.place { (paper) ", " (judged.statement.place) }
            }
        }
    };
    html! {
        section id="find" {
            h2 { "Does this sentence hold?" }
            (search("sentence", &html! {}))
            details.all {
                summary { "All statements" }
                ul.sentences {
                    @for report in reports {
                        @for judged in report.judged.iter().filter(|each| !each.is_finding) { (line(&report.paper, judged)) }
                    }
                }
            }
        }
    }
}

/// Instructions for verifying an outcome.
fn how_to_verify() -> Markup {
    html! {
        section id="verify" {
            h2 { "Verify a statement yourself" }
            pre { code {
                "mbsbench explain gil2013/linear/exact           # what it says, what is measured, what decides\n"
                "mbsbench reproduce gil2013/linear-exactness     # the runs behind it, made here and now\n"
                "mbsbench verify gil2013                         # all outcomes from these runs\n"
                "mbsbench render gil2013/linear/exact --to tex   # to cite it"
            } }
            p {
                "Papers are made again by " code { "make reproduce" } ", with times as they were recorded; sets of benchmark problems by "
                code { "make sets" }
                ", studies of what papers leave out and the comparison of all methods by " code { "make study" }
                "; every figure and table names its own command. Bounds that were moved show in "
                code { "bounds.lock" } "."
            }
        }
    }
}

/// Instructions for adding a method.
fn how_to_add() -> Markup {
    html! {
        section id="add" {
            h2 { "Add a method" }
            ul {
                li { "A tableau, multistep coefficients or weights are a file: " code { "docs/methods.md" } ". " code { "mbsbench list my-method.yaml" } " shows order and stability, " code { "mbsbench compare my-method.yaml" } " where it stands among all others." }
                li { "A class of Python with a step is a method: " code { "mbsbench.compare(MyMethod)" } " runs it beside all others, " code { "docs/python.md" } " says what it may ask of its problem. The package reads results into frames, too." }
                li { "Anything else is a struct and a line in the registry, in Rust, here or in a crate of your own: " code { "docs/extending.md" } "." }
            }
        }
    }
}

/// Instructions for reading outcomes.
fn how_to_read() -> Markup {
    html! {
        section id="verdicts" {
            h2 { "How to read it" }
            dl.verdicts { @for verdict in Verdict::ALL { dt { (badge(verdict)) } dd { (verdict.meaning()) } } }
            p {
                "A statement is a sentence, a table, or what a figure shows. An open one gives its reason: the paper leaves out what \
                 decides it, or keeps it private; the times do not decide it; there is nothing to test; our own runs fail their checks; or a \
                 solver is not installed here. "
                em { "As printed" } " means that the paper or its authors give every parameter behind a statement. Otherwise the set-up is \
                 partly ours, and the card lists what is ours. Each check says where its bound comes from, and whether it was set \
                 before its result was known."
            }
        }
    }
}
