//! The front page: all papers and how their statements fare.

use maud::{Markup, html};
use mbsbench_judge::claims::Verdict;
use mbsbench_judge::publication::{Publication, PublicationKind};

use super::PaperReport;
use super::page::{badge, of, page, scorecard};

/// The front page.
pub(super) fn page_of(reports: &[PaperReport<'_>], lacking: &[(String, Publication)], is_compared: bool) -> String {
    let total = reports.iter().map(|report| report.scores().total()).sum::<usize>();
    let of_kind = |kind| reports.iter().filter(move |report| report.publication.kind == kind);
    let (papers, sets) = (|| of_kind(PublicationKind::Paper), || of_kind(PublicationKind::Set));
    let body = html! {
        header {
            h1 { "Does what these papers say hold?" }
            p.lead {
                "mbsbench runs the numerical experiments of papers on time integration in multibody dynamics and tests what \
                 they state, sentence by sentence: " (total) " statements so far, each with its verdict, what that rests on, and the numbers \
                 behind it."
            }
        }
        main {
            @if is_compared {
                section {
                    h2 { a href="comparison.html" { "Which method for which model?" } }
                    p { "The methods of all papers on the models of all papers: the cheapest for an accuracy, and work over precision." }
                }
            }
            @for report in papers() { (entry(report)) }
            @if sets().next().is_some() {
                h2 { "Sets of benchmark problems" }
                @for report in sets() { (entry(report)) }
            }
            @if !lacking.is_empty() {
                section {
                    h2 { "Not reproduced yet" }
                    ul { @for (id, publication) in lacking { li { em { (publication.title) } ". " (of(id, publication)) } } }
                }
            }
            section {
                h2 { "How to read it" }
                dl.verdicts {
                    dt { (badge(Verdict::Reproduced)) } dd { "It holds within its tolerance." }
                    dt { (badge(Verdict::Partly)) } dd { "Its direction holds, its size does not." }
                    dt { (badge(Verdict::Depends)) }
                    dd { "The paper leaves something out, and over its plausible range the verdict turns, or nobody has shown that it does not." }
                    dt { (badge(Verdict::Contradicted)) } dd { "It does not hold, or a run it rests on failed." }
                    dt { (badge(Verdict::Inconclusive)) }
                    dd { "The bound on the reference's error, or the interval of a time, could turn the verdict." }
                    dt { (badge(Verdict::Untestable)) }
                    dd { "It needs something that nobody outside has, or speaks of a problem whose definition is not public." }
                }
                p {
                    "A statement is a sentence, a table, or what a figure shows. Its verdict follows from its checks, and rests on the least \
                     certain of the parameters behind them: printed in the paper or in an input file of its authors; chosen by us; calibrated, \
                     that is chosen so that a published number comes out; or a stand-in for a problem that is not public. Each check says where \
                     its bound comes from, and whether it was set before its result was known. " code { "make reproduce" } " makes everything here again."
                }
            }
        }
    };
    page("mbsbench: does what these papers say hold?", &body)
}

/// A paper or set with how its statements fare.
fn entry(report: &PaperReport<'_>) -> Markup {
    let page = format!("{}.html", report.paper);
    html! {
        section.paper {
            h2 { a href=(page) { (report.publication.title) } }
            p { (of(&report.paper, &report.publication)) }
            @if report.judged.is_empty() { p.pending { "Experiments are there; no ledger yet." } }
            @else { (scorecard(&report.scores(), &page)) }
        }
    }
}
