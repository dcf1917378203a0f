//! In which share of the plausible range claims hold.

use std::path::Path;

use maud::{Markup, html};

use super::page::anchor;
use super::{ReportError, read};
use crate::claims::Judged;
use crate::claims::record::short;
use crate::plan::Plan;

/// The studies of a paper's experiments; nothing where there are none.
pub(super) fn section(results: &Path, plans: &[&Plan], judged: &[Judged]) -> Result<Markup, ReportError> {
    let mut tables = Vec::new();
    for plan in plans {
        let path = results.join(&plan.experiment.id).join("robustness.csv");
        // A study is made by a command of its own and may not have been.
        if path.exists() {
            let damaged = |error: csv::Error| ReportError { path: path.clone(), error: error.into() };
            let text = read(&path)?;
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let mut rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().map_err(damaged)?;
            // A study may be older than the ledger.
            rows.retain(|row| judged.iter().any(|each| row.get(0) == Some(&each.claim.id)));
            tables.push((plan.experiment.id.as_str(), rows));
        }
    }
    Ok(html! {
        @if !tables.is_empty() {
            section id="robustness" {
                h2 { "How much hangs on that" }
                p {
                    "The undetermined parameters were sampled over their plausible ranges, and each claim that rests on them \
                     judged at every sample: the share of samples in which it holds, with the interval of 95 % confidence."
                }
                @for (id, rows) in &tables {
                    h3 { code { (id) } }
                    @let (always, rest): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.get(1) == row.get(2));
                    @if !rest.is_empty() {
                        div.scroll {
                            table {
                                thead { tr { th { "Claim" } th { "Holds in" } th { "Interval" } th { "Decided by" } } }
                                tbody { @for row in rest { (line(row)) } }
                            }
                        }
                    }
                    @if !always.is_empty() {
                        details {
                            summary { (always.len()) " claims hold at every sample" }
                            p {
                                @for row in &always {
                                    a href=(format!("#claim-{}", anchor(row.get(0).unwrap_or_default()))) {
                                        (row.get(0).unwrap_or_default())
                                    } " "
                                }
                            }
                        }
                    }
                    p.links { code { "mbsbench robustness experiments/" (id) ".yaml" } }
                }
            }
        }
    })
}

/// A line of `robustness.csv`: claim, samples, holds, share, low, high, decides, distance, threshold, side.
fn line(row: &csv::StringRecord) -> Markup {
    let field = |index: usize| row.get(index).unwrap_or_default();
    let percent = |index: usize| {
        field(index).parse::<f64>().map_or_else(|_| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share))
    };
    html! {
        tr {
            td { a href=(format!("#claim-{}", anchor(field(0)))) { (field(0)) } }
            td.number { (percent(3)) " of " (field(1)) }
            td.number { (percent(4)) " to " (percent(5)) }
            td { @if !field(6).is_empty() { code { (field(6)) } " " (field(9)) " " (field(8).parse().map_or_else(|_| field(8).to_owned(), short)) } }
        }
    }
}
