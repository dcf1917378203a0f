//! Claims as they stand in a page.

use maud::{Markup, html};

use super::page::{anchor, badge};
use crate::claims::record::short;
use crate::claims::{Detail, Judged};

/// A claim that can be opened: statement and verdict, and behind them the numbers.
pub(super) fn claim(paper: &str, judged: &Judged) -> Markup {
    let Judged { claim, judgement } = judged;
    html! {
        details.claim.(judgement.verdict.name()) id=(format!("claim-{}", anchor(&claim.id))) {
            summary {
                (badge(judgement.verdict))
                span.statement { (claim.statement) }
                @if claim.calibrated { span.calibrated { "calibrated" } }
                @if judged.is_surprise() { span.surprise { "expected " (claim.expected) } }
            }
            dl {
                dt { "In the paper" } dd { (claim.place) }
                @if let Some(published) = claim.kind.published() { dt { "Published" } dd { (published) } }
                @if let Some(number) = judgement.measured { dt { "Measured" } dd { (short(number)) } }
                @if !judgement.details.is_empty() { dt { "Measured" } dd { (details(&judgement.details)) } }
                @if let Some(test) = claim.kind.test() { dt { "Tolerance" } dd { (test.to_string()) } }
                @if !claim.why.is_empty() { dt { "Why" } dd { (claim.why) } }
                @if let Some(margin) = judgement.margin.filter(|margin| margin.is_finite()) {
                    dt { "Margin" } dd { @if margin >= 0.0 { (format!("{margin:.2}")) " of the tolerance is left" } @else { "the tolerance is exceeded" } }
                }
                @if !claim.because.is_empty() { dt { "Explanation" } dd { (claim.because) } }
                @if !judgement.note.is_empty() { dt { "Note" } dd { (judgement.note) } }
                @if !judgement.evidence.is_empty() {
                    dt { "Runs" } dd { (runs(paper, &judgement.evidence)) }
                }
                dt { "Redo" } dd { code { "mbsbench explain " (paper) "/" (claim.id) } }
            }
        }
    }
}

/// The runs that a claim rests on; where they are many the first of them, and where the rest is.
fn runs(paper: &str, evidence: &[String]) -> Markup {
    const MOST: usize = 3;
    let (shown, rest) = evidence.split_at(evidence.len().min(MOST));
    html! {
        code { (shown.join(" ")) }
        @if !rest.is_empty() { " and " (rest.len()) " more: " a href=(format!("../{paper}/claims.json")) { "claims.json" } }
    }
}

fn details(details: &[Detail]) -> Markup {
    html! {
        table.landmarks {
            tbody {
                @for Detail { name, published, measured, holds } in details {
                    tr {
                        td { @if *holds { "✓" } @else { "✗" } }
                        td { (name) }
                        td.number { (measured.map_or_else(|| "–".to_owned(), short)) }
                        td { (published) }
                    }
                }
            }
        }
    }
}
