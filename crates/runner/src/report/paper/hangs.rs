//! How far each verdict depends on what a paper leaves out, in one figure.

use maud::{Markup, html};
use mbsbench_judge::claims::{Judged, JudgedCheck, Share, Verdict};
use mbsbench_numbers::percent;
use mbsbench_render::{Axis, Figure, Panel, Series, Style, lay_out, svg};

use crate::report::PaperReport;
use crate::report::page::{badge, figure_named};
use crate::report::statement::target;

/// The name of the figure.
const ID: &str = "hangs-on-figure";

/// A statement with the study of the check of it that holds least.
struct Row<'r> {
    judged: &'r Judged,
    check: &'r JudgedCheck,
    share: &'r Share,
}

impl Row<'_> {
    fn same(&self) -> f64 {
        self.share.same as f64 / self.share.samples as f64
    }
}

/// The section; none where no study was made.
pub(super) fn section(report: &PaperReport<'_>) -> Option<Markup> {
    let mut rows: Vec<Row<'_>> = report.judged.iter().filter(|each| !each.is_finding).filter_map(weakest).collect();
    if rows.is_empty() {
        return None;
    }
    rows.sort_by(|a, b| a.same().total_cmp(&b.same()).then_with(|| a.judged.statement.id.cmp(&b.judged.statement.id)));
    let text = svg::write(&lay_out(&figure(&rows)));
    Some(html! {
        section id="hangs-on" {
            h2 { "What verdicts depend on" }
            p {
                "What the paper leaves out was sampled over its plausible range, and every check judged on every sample. A row is a \
                 statement, at the check of it that holds least: the share of samples that say the same as the numbers used here, with its \
                 interval of 95 % confidence."
            }
            div.shown { (figure_named(&text, ID, ID)) }
            p.links { "Made by " code { "make study" } "." }
            details {
                summary { "The same as a table, with what decides" }
                div.scroll {
                    table {
                        thead { tr { th { "Statement" } th { "Verdict" } th { "Share" } th { "Interval" } th { "Decided by" } } }
                        tbody {
                            @for row in &rows {
                                tr {
                                    td { a href=(format!("#{}", target(&row.judged.statement.id))) { (row.judged.statement.says) } }
                                    td { (badge(row.judged.verdict)) }
                                    td.number { (row.check.judgement.verdict) " in " (percent(row.same())) " of " (row.share.samples) }
                                    td.number { (percent(row.share.interval[0])) " to " (percent(row.share.interval[1])) }
                                    td { (row.share.decided) }
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// The check of a statement whose verdict holds on the smallest share of the samples.
fn weakest(judged: &Judged) -> Option<Row<'_>> {
    let studied = judged.checks.iter().filter_map(|check| {
        let share = check.standing.share.as_ref().filter(|share| share.samples > 0)?;
        Some(Row { judged, check, share })
    });
    studied.min_by(|a, b| a.same().total_cmp(&b.same()))
}

/// Shares with their intervals, the least at the top.
fn figure(rows: &[Row<'_>]) -> Figure {
    let place = |row: usize| (rows.len() - 1 - row) as f64;
    let mut series = Vec::new();
    for (index, verdict) in Verdict::ALL.into_iter().enumerate() {
        let own = || rows.iter().enumerate().filter(move |(_, row)| row.judged.verdict == verdict);
        if own().next().is_none() {
            continue;
        }
        let style = Style::of_index(index);
        let intervals = own().map(|(k, row)| row.share.interval.map(|end| [end, place(k)]));
        series.push(Series::segments("", style, intervals));
        series.push(Series::markers(verdict.name(), style, own().map(|(k, row)| [row.same(), place(k)])));
    }
    let names = rows.iter().rev().map(|row| row.judged.statement.id.clone()).collect();
    let panel = Panel {
        title: String::new(),
        x: Axis::linear("share of the samples", "").between(0.0, 1.0),
        y: Axis::named("", "", names),
        series,
        to_scale: false,
        names: Vec::new(),
        named_at_ends: false,
    };
    Figure { id: ID.to_owned(), title: "How far verdicts hold".to_owned(), columns: 1, panels: vec![panel] }
}
