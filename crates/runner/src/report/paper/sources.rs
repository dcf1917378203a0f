//! The sources of a paper's results: experiments, bounds, files and commands.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_judge::claims::{BoundFrom, BoundSet, Judged};

use crate::report::PaperReport;
use crate::report::page::file_of_appendix;

/// Returns the body of the section, with links to the appendix.
pub(super) fn body(results: &Path, report: &PaperReport<'_>, statements: &[&Judged], has_further: bool) -> Markup {
    let (paper, appendix) = (&report.paper, file_of_appendix(&report.paper));
    let decisions = format!("docs/papers/{paper}.md");
    html! {
        ul {
            li {
                a href=(format!("{appendix}#experiments")) { (report.plans.len()) " experiment files" }
                ", which define all runs"
            }
            @if has_further {
                li {
                    a href=(format!("{appendix}#further")) { "Further figures and tables" }
                    ", which the paper does not have"
                }
            }
            li { a href=(format!("../{paper}/claims.json")) { "claims.json" } ": all checks and verdicts for programs" }
            @if results.join("manifest.json").exists() {
                li { a href="../manifest.json" { "manifest.json" } ": program, inputs and machine behind the results" }
            }
            @if results.with_file_name(&decisions).exists() {
                li { code { (decisions) } ": decisions on the text of the paper, with reasons" }
            }
            li {
                code { "mbsbench reproduce " (paper) } " repeats everything on this page; "
                code { "mbsbench explain " (paper) "/NAME" } " explains one statement"
            }
        }
        (bounds(statements))
    }
}

/// The origins of the bounds of the checks, and the number of bounds set after their results were known.
fn bounds(statements: &[&Judged]) -> Markup {
    let bounds = || {
        let checks = statements.iter().flat_map(|each| &each.checks);
        checks.filter_map(|each| Some((each.check.bound_from?, each.check.bound_set)))
    };
    let from = |wanted: BoundFrom| bounds().filter(|(from, _)| *from == wanted).count();
    let set = |wanted: BoundSet| bounds().filter(|(_, set)| *set == wanted).count();
    let (all, stated, late) = (bounds().count(), set(BoundSet::Stated), set(BoundSet::After));
    let words = |from: BoundFrom| match from {
        BoundFrom::Printed => "printed in the paper",
        BoundFrom::Wording => "implied by its wording",
        BoundFrom::Figure => "read from its figures",
        BoundFrom::AuthorsCode => "set after seeing output of the authors' program",
        BoundFrom::IndependentProgram => "set after seeing output of an independent program",
        BoundFrom::Ours => "our interpretation",
    };
    let parts = BoundFrom::ALL.into_iter().filter(|&wanted| from(wanted) > 0);
    let parts: Vec<String> = parts.map(|wanted| format!("{} {}", from(wanted), words(wanted))).collect();
    html! {
        @if all > 0 {
            p {
                "The " (all) " checks with a bound take it from these sources: " (parts.join(", ")) ". " (late)
                " bounds were set or changed after the result was known"
                @if stated > 0 { "; " (stated) " are reported as set before it, which no lock verifies" }
                "."
            }
        }
    }
}
