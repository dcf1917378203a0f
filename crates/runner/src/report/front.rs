//! The front page: all papers and how their claims fare.

use std::path::Path;

use maud::html;

use super::page::{page, scorecard};
use super::published::PAPERS;
use super::{PaperReport, ReportError, fragility};

/// The front page.
pub(super) fn page_of(results: &Path, reports: &[PaperReport<'_>], is_compared: bool) -> Result<String, ReportError> {
    let total = reports.iter().map(|report| report.judged.len()).sum::<usize>();
    let report_of = |id: &str| reports.iter().find(|report| report.paper == id);
    let known: Vec<&PaperReport<'_>> = PAPERS.iter().filter_map(|paper| report_of(paper.id)).collect();
    let fragility = fragility::section(results, &known)?;
    let body = html! {
        header {
            h1 { "Does what these papers say hold?" }
            p.lead {
                "mbsbench runs the numerical experiments of papers on time integration in multibody dynamics and tests what \
                 they state, claim by claim: " (total) " claims so far, each with the number that supports or refutes it."
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
                    @if report.judged.is_empty() { p.pending { "Experiments are there; no ledger of claims yet." } }
                    @else { (scorecard(&report.judged, &format!("{}.html", paper.id))) }
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
            (fragility)
            section {
                h2 { "How to read it" }
                dl.verdicts {
                    dt { span.badge.reproduced { "✓ reproduced" } } dd { "The claim holds within its tolerance." }
                    dt { span.badge.partly { "≈ partly" } } dd { "Its direction holds, its size does not." }
                    dt { span.badge.contradicted { "✗ contradicted" } }
                    dd { "It does not hold, or a run it rests on failed." }
                    dt { span.badge.inconclusive { "? inconclusive" } }
                    dd { "The bound on the reference's error, or the spread of a timing, could turn the verdict." }
                    dt { span.badge.untestable { "– untestable" } } dd { "It needs something that nobody outside has." }
                }
                p {
                    "Claims and tolerances are written from the paper before our numbers are looked at. A claim whose \
                     parameters were tuned to reach the published number is marked calibrated and counted apart. "
                    code { "make reproduce" } " makes everything here again."
                }
            }
        }
    };
    Ok(page("mbsbench: does what these papers say hold?", &body))
}
