//! The front page: all papers and how their statements fare.

use maud::html;
use mbsbench_judge::claims::Verdict;

use super::PaperReport;
use super::page::{badge, page, scorecard};
use super::published::PAPERS;

/// The front page.
pub(super) fn page_of(reports: &[PaperReport<'_>], is_compared: bool) -> String {
    let total = reports.iter().map(|report| report.scores().total()).sum::<usize>();
    let report_of = |id: &str| reports.iter().find(|report| report.paper == id);
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
            @for (paper, report) in PAPERS.iter().filter_map(|paper| Some((paper, report_of(paper.id)?))) {
                section.paper {
                    h2 { a href=(format!("{}.html", paper.id)) { (paper.title) } }
                    p { (paper.authors) " (" code { (paper.id) } "): " (paper.about) "." }
                    @if report.judged.is_empty() { p.pending { "Experiments are there; no ledger yet." } }
                    @else { (scorecard(&report.scores(), &format!("{}.html", paper.id))) }
                }
            }
            @if PAPERS.iter().any(|paper| report_of(paper.id).is_none()) {
                section {
                    h2 { "Not reproduced yet" }
                    ul {
                        @for paper in PAPERS.iter().filter(|paper| report_of(paper.id).is_none()) {
                            li { (paper.authors) ": " em { (paper.title) } " (" code { (paper.id) } "): " (paper.about) "." }
                        }
                    }
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
