//! Main claims of a paper, its statements by outcome, and questions to its authors.

use maud::{Markup, html};
use mbsbench_judge::claims::{self, Judged, Verdict};

use crate::report::PaperReport;
use crate::report::page::{badge, verdict_anchor};
use crate::report::statement::{sentence, target};

/// The main claims with their outcomes, each with its statements, and the errors in print.
pub(super) fn claims(report: &PaperReport<'_>) -> Markup {
    let publication = &report.publication;
    html! {
        @if !publication.claims.is_empty() {
            p.small { "The main claims of the paper, each with the verdict on its statements." }
            ol.claims {
                @for claim in &publication.claims {
                    @let outcome = claim.outcome(&report.judged);
                    li {
                        p.says { (badge(outcome.verdict())) " " (claim.says) }
                        @if let Some(reason) = outcome.reason() { p.why { (sentence(&reason.words())) } }
                        details {
                            summary { (claim.tally(&report.judged)) }
                            ul.sentences {
                                @for each in claim.judged(&report.judged) {
                                    li { (badge(each.verdict())) " " (link(each)) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if !publication.errata.is_empty() {
            details.errata {
                summary { "Misprints that affect no verdict (" (publication.errata.len()) ")" }
                ul { @for erratum in &publication.errata { li { (erratum.place) ": " (erratum.says) } } }
            }
        }
    }
}

/// A link to a statement with its place and the reason for its outcome.
fn link(judged: &Judged) -> Markup {
    let why = judged.why();
    html! {
        a href=(format!("#{}", target(&judged.statement.id))) { (judged.statement.says) }
        " " span.place { (judged.statement.place) @if !why.is_empty() { ": " (why) "." } }
    }
}

/// The statements by outcome: first those that are not reproduced, then open ones, then the others.
pub(super) fn lists(statements: &[&Judged]) -> Markup {
    let with = |verdict| statements.iter().filter(move |each| each.verdict() == verdict);
    html! {
        @for verdict in [Verdict::NotReproduced, Verdict::Open, Verdict::Partly, Verdict::Reproduced] {
            @let count = with(verdict).count();
            @if count > 0 {
                details id=(verdict_anchor(verdict)) open[verdict == Verdict::NotReproduced] {
                    summary { strong { (count) } " " (badge(verdict)) }
                    ul.sentences { @for each in with(verdict) { li { (link(each)) } } }
                }
            }
        }
    }
}

/// The letter to the authors with questions that would settle open statements; `None` if there are none.
pub(super) fn letter(report: &PaperReport<'_>) -> Option<Markup> {
    let questions = claims::questions(&report.judged, &report.plans);
    let paragraphs = claims::letter(&report.publication, &report.judged, &questions)?;
    Some(html! {
        details {
            summary { "Draft of a letter to the authors with " (questions.len()) " questions" }
            blockquote { @for paragraph in &paragraphs { p { (paragraph) } } }
        }
        p.small { "The same as plain text: " code { "mbsbench explain " (report.paper) " --open" } "." }
    })
}
