//! The front page: a search, one example, and all papers with their main claims.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_judge::claims::{Judged, JudgedCheck, Verdict};
use mbsbench_judge::publication::{MainClaim, Publication, PublicationKind};

use super::artefact::{Artefact, Kind};
use super::methods::{Methods, file_of};
use super::page::{
    badge, choice, experiment_anchor, figure_named, file_of_appendix, file_of_model, of, page, search, strip, tally,
};
use super::statement::{linked, target};
use super::{PaperReport, Report, Result};

/// Number of measured values that are shown as examples for a statement.
const SHOWN: usize = 3;

/// Returns the front page.
pub(super) fn page_of(report: &Report<'_>, methods: &Methods<'_>) -> Result<String> {
    let Report { results, papers: reports, lacking, compared, .. } = report;
    let total = reports.iter().map(|report| report.scores().total()).sum::<usize>();
    let entries = |kind: PublicationKind| -> Result<Vec<Markup>> {
        let reports = reports.iter().filter(|report| report.publication.kind == kind);
        reports.map(|report| entry(results, report)).collect()
    };
    let (papers, sets) = (entries(PublicationKind::Paper)?, entries(PublicationKind::Set)?);
    let body = html! {
        a.skip href="#main" { "Skip to content" }
        header {
            h1 { "Do published results hold up?" }
            p.lead {
                "mbsbench reruns the numerical experiments of papers on time integration in multibody dynamics and \
                 tests their statements: " (total) " so far, each with a verdict, its inputs and its evidence."
            }
        }
        main id="main" {
            (find(report, methods))
            nav.questions aria-label="Where to go" {
                ul {
                    li { a href="#papers" { "Does a paper's claim hold?" } }
                    @if compared.is_some() { li { a href="comparison.html" { "Which method should I use?" } } }
                }
            }
            (example(results, reports)?)
            section id="papers" {
                h2 { "Papers and their main claims" }
                @for paper in &papers { (paper) }
            }
            @if !sets.is_empty() {
                section id="sets" { h2 { "Sets of benchmark problems" } @for set in &sets { (set) } }
            }
            @if !lacking.is_empty() {
                section {
                    h2 { "Not reproduced yet" }
                    ul {
                        @for (id, publication) in lacking {
                            li { em { (publication.title) } ". " (of(id, publication)) }
                        }
                    }
                }
            }
            (how_to_read())
        }
    };
    Ok(page("mbsbench: do published results hold up?", &body))
}

/// Shows the way from a main claim to its verdict. The example is the first claim that is decided, has a figure, and
/// has numbers to compare with published ones.
fn example(results: &Path, reports: &[PaperReport<'_>]) -> Result<Markup> {
    let claims = reports.iter().flat_map(|report| report.publication.claims.iter().map(move |claim| (report, claim)));
    for (report, claim) in claims {
        let verdict = claim.outcome(&report.judged).verdict();
        let is_decided = matches!(verdict, Verdict::Reproduced | Verdict::NotReproduced);
        let is_plain = |each: &&Judged| is_decided && each.verdict() == verdict && compared_checks(each).count() > 1;
        let Some(judged) = claim.judged(&report.judged).find(is_plain) else { continue };
        let Some(picture) = thumbnail(results, report, Some(claim), "example")? else { continue };
        let experiment = judged.checks.iter().find_map(|check| check.check.kind.experiments().into_iter().next());
        return Ok(html! {
            ol.way aria-label="From a claim to its verdict" {
                li {
                    h2 { "A paper claims" } blockquote { p { (claim.says) } }
                    p.small { (report.publication.authors.join(", ")) " (" (report.publication.year) ")" }
                }
                li {
                    h2 { "We rerun its experiments" } (picture)
                    @if let Some(name) = experiment { p.small { code { (report.paper) "/" (name) ".yaml" } } }
                }
                li { h2 { "We measure" } (measured(judged)) }
                li {
                    h2 { "We give a verdict" }
                    p { (badge(verdict)) }
                    p.small { (verdict.meaning()) }
                    p.small {
                        a href=(format!("{}.html#{}", report.paper, target(&judged.statement.id))) { "All its numbers" }
                    }
                }
            }
        });
    }
    Ok(html! {})
}

/// The first measured values of a statement, and how many there are.
fn measured(judged: &Judged) -> Markup {
    let shown = || compared_checks(judged).take(SHOWN);
    html! {
        ul {
            @for check in shown() {
                li {
                    (check.check.about) ": " strong { (check.measured()) } " "
                    span.small { "(published: " (check.check.kind.published().unwrap_or_default()) ")" }
                }
            }
        }
        p.small { (shown().count()) " of " (judged.checks.len()) " checks" }
    }
}

/// The checks of a statement that compare a number with a printed one.
fn compared_checks(judged: &Judged) -> impl Iterator<Item = &JudgedCheck> {
    let is_compared =
        |check: &&JudgedCheck| check.judgement.measured.is_some() && check.check.kind.published().is_some();
    judged.checks.iter().filter(is_compared)
}

/// A paper or set with the outcomes of its statements.
fn entry(results: &Path, report: &PaperReport<'_>) -> Result<Markup> {
    let page = format!("{}.html", report.paper);
    let claims = &report.publication.claims;
    let picture = thumbnail(results, report, claims.first(), &report.paper)?;
    Ok(html! {
        article.paper {
            @if let Some(picture) = picture { (picture) } @else { div {} }
            div {
                h3 { a href=(&page) { (report.publication.title) } }
                p.small { (of(&report.paper, &report.publication)) }
                ul.verdicts {
                    @for claim in claims {
                        @let (outcome, tally) = (claim.outcome(&report.judged), claim.tally(&report.judged));
                        li { (badge(outcome.verdict())) " " (claim.says) " " span.small { "(" (tally) ")" } }
                    }
                }
                @if report.judged.is_empty() {
                    p.pending { "This paper has experiments, but no ledger of statements yet." }
                }
                @else { (strip(&report.scores())) (tally(&report.scores(), &page)) }
            }
        }
    })
}

/// A figure of a paper with its title in place of its text: the first one to which a main claim refers, or the first
/// one of all.
fn thumbnail(
    results: &Path,
    report: &PaperReport<'_>,
    claim: Option<&MainClaim>,
    unique: &str,
) -> Result<Option<Markup>> {
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
            p.small { (figure.title) }
        }
    }))
}

/// The search over all statements, methods, models and papers, with the form that filters them.
fn find(Report { papers: reports, compared, registry, .. }: &Report<'_>, methods: &Methods<'_>) -> Markup {
    let statements = reports.iter().flat_map(|report| report.judged.iter().map(move |judged| (report, judged)));
    let statements = statements.filter(|(_, judged)| !judged.is_finding);
    let ranked =
        || compared.iter().flat_map(|compared| &compared.plans).filter(|plan| !plan.experiment.rankings.is_empty());
    // A model without a page in the comparison leads to the first experiment that uses it.
    let experiments = || reports.iter().flat_map(|report| report.plans.iter().map(move |plan| (report, plan)));
    let is_used = |plan: &mbsbench_experiment::Plan, name| plan.runs.iter().any(|run| run.model.name() == name);
    let models = registry.models().iter().filter(|entry| !entry.is_written_out);
    let models = models.filter(|entry| !ranked().any(|plan| is_used(plan, entry.name))).filter_map(|entry| {
        let (report, plan) = experiments().find(|(_, plan)| is_used(plan, entry.name))?;
        let link = format!("{}#{}", file_of_appendix(&report.paper), experiment_anchor(&plan.experiment.id));
        Some((link, entry.name, entry.summary))
    });
    let item = |kind: &str, link: &str, name: &str, about: &str| {
        html! {
            li.statement data-kind=(kind) {
                span.kind { (kind) } " " a href=(link) { (name) } " " span.place { (about) }
            }
        }
    };
    let kinds = ["statement", "method", "model", "paper"].map(|kind| (kind.to_owned(), kind));
    html! {
        section id="find" {
            (search("words, method or model", &choice(Some("kind"), "kind", "any", kinds)))
            details.all {
                summary { "All statements, methods, models and papers" }
                ul.sentences {
                    @for report in reports {
                        @let Publication { title, authors, .. } = &report.publication;
                        (item("paper", &format!("{}.html", report.paper), title, &authors.join(", ")))
                    }
                    @for entry in &methods.entries {
                        (item("method", &file_of(entry.name), entry.name, entry.summary))
                    }
                    @for plan in ranked() {
                        @let spec = &plan.experiment.rankings[0].value;
                        @let model = plan.runs.first().map_or("", |run| run.model.name());
                        (item("model", &file_of_model(plan), &spec.title, model))
                    }
                    @for (link, name, about) in models { (item("model", &link, name, about)) }
                    @for (report, judged) in statements {
                        li.statement data-kind="statement" data-verdict=(judged.verdict().name()) {
                            (linked(&report.paper, judged))
                        }
                    }
                }
            }
        }
    }
}

/// The meaning of the verdicts.
fn how_to_read() -> Markup {
    html! {
        section id="verdicts" {
            h2 { "What the verdicts mean" }
            dl.verdicts { @for verdict in Verdict::ALL { dt { (badge(verdict)) } dd { (verdict.meaning()) } } }
            p {
                "A main claim has the verdict of its statements. If they differ, it is partly reproduced, or open if \
                 all but the open ones are reproduced. "
                "A statement is a sentence, a table, or the content of a figure. It stays open if the paper omits or \
                 does not publish what would decide it, if measured times are too close, if nothing can be tested, if \
                 our own runs fail their checks, or if a solver is not installed. "
                em { "As printed" } " means that the paper or its authors give every parameter; otherwise the \
                 statement lists the parameters that we chose. Each check names the source of its bound, and tells if \
                 the bound was set after the result was known."
            }
        }
    }
}
