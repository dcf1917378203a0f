//! The section about the verdicts themselves.

use maud::{Markup, html};
use mbsbench_judge::claims::Judged;
use mbsbench_judge::claims::{BoundFrom, BoundSet};

use crate::report::PaperReport;

/// Returns the section.
pub(super) fn section(report: &PaperReport<'_>, statements: &[&Judged]) -> Markup {
    html! {
        (bounds(statements))
        p {
            "What was settled and why: " code { "docs/papers/" (report.paper) ".md" } ". What made these results: " a href="../manifest.json" { "manifest.json" } "; all verdicts for programs: "
            a href=(format!("../{}/claims.json", report.paper)) { "claims.json" } "."
        }
        p { "All of this again: " code { "mbsbench reproduce " (report.paper) } ". One statement: " code { "mbsbench explain " (report.paper) "/NAME" } "." }
    }
}

/// The origins of the bounds of the checks, and the number of bounds set after their results were known.
fn bounds(statements: &[&Judged]) -> Markup {
    let checks = || statements.iter().flat_map(|each| &each.checks).map(|each| &each.check);
    let from = |wanted: BoundFrom| checks().filter(|check| check.bound_from == Some(wanted)).count();
    let set = |when| checks().filter(|check| check.bound_from.is_some() && check.bound_set == when).count();
    let (stated, late) = (set(BoundSet::Stated), set(BoundSet::After));
    let all = checks().filter(|check| check.bound_from.is_some()).count();
    let words = |from: BoundFrom| match from {
        BoundFrom::Printed => "as printed",
        BoundFrom::Wording => "by the wording",
        BoundFrom::Figure => "read off figures",
        BoundFrom::AuthorsCode => "set with the authors' program in view",
        BoundFrom::IndependentProgram => "set with an independent program in view",
        BoundFrom::Ours => "ours",
    };
    let parts: Vec<String> = BoundFrom::ALL
        .into_iter()
        .filter(|&wanted| from(wanted) > 0)
        .map(|wanted| format!("{} {}", from(wanted), words(wanted)))
        .collect();
    html! {
        @if all > 0 {
            p {
                "Bounds of the checks: " (parts.join(", ")) "; " (late) " of " (all)
                " were set or changed when the result was known"
                @if stated > 0 { ", " (stated) " are stated to be set before it was known, which no lock verifies" }
                "."
            }
        }
    }
}
