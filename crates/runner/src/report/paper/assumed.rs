//! What a paper leaves out and had to be assumed, and how well each parameter of its runs is known.

use std::collections::BTreeMap;

use maud::{Markup, html};
use mbsbench_experiment::{Mark, Undetermined};
use mbsbench_judge::claims::Judged;
use mbsbench_judge::robustness::words;
use mbsbench_numbers::brief;

use crate::report::PaperReport;
use crate::report::page::badge;

/// Most parameters that are named of a mark.
const NAMED: usize = 24;

/// Whether there is anything to say.
pub(super) fn is_there(report: &PaperReport<'_>) -> bool {
    !report.judged.is_empty() || report.plans.iter().any(|plan| !plan.experiment.undetermined.is_empty())
}

/// The section; nothing where nothing is to be said.
pub(super) fn section(report: &PaperReport<'_>) -> Markup {
    html! {
        @if is_there(report) {
            section id="assumed" {
                h2 { "What had to be assumed" }
                (known(&report.judged))
                (left_out(report))
            }
        }
    }
}

/// How many statements rest on each sort of knowledge at most, with the parameters that are no better known than that.
fn known(judged: &[Judged]) -> Markup {
    let mut rows: BTreeMap<usize, (Mark, usize, Vec<&str>)> = BTreeMap::new();
    for each in judged.iter().filter(|each| !each.is_finding) {
        let Some(mark) = each.rests_on() else { continue };
        let place = Mark::ALL.iter().position(|&known| known == mark).unwrap_or(0);
        let row = rows.entry(place).or_insert((mark, 0, Vec::new()));
        row.1 += 1;
        let own = each.checks.iter().filter(|check| check.standing.rests_on == Some(mark));
        row.2.extend(own.flat_map(|check| &check.standing.weakest).map(String::as_str));
    }
    html! {
        @if !rows.is_empty() {
            p { "A statement rests on the least certain parameter of its runs:" }
            div.scroll {
                table.known {
                    thead { tr { th { "Known how" } th { "Statements" } th { "Parameters that are known no better" } } }
                    tbody {
                        @for (_, (mark, count, mut names)) in rows {
                            @let names = { names.sort_unstable(); names.dedup(); names };
                            @let (named, rest) = names.split_at(names.len().min(NAMED));
                            tr {
                                td { (mark) }
                                td.number { (count) }
                                td {
                                    @if named.is_empty() { "all are printed" }
                                    @else { code { (named.join(" ")) } }
                                    @if !rest.is_empty() { " and " (rest.len()) " more" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The parameters that the paper leaves out.
fn left_out(report: &PaperReport<'_>) -> Markup {
    let rows: Vec<(&str, &str, Vec<f64>, &Undetermined)> = report
        .plans
        .iter()
        .flat_map(|plan| {
            plan.experiment.undetermined.iter().map(|(key, undetermined)| {
                (plan.experiment.id.as_str(), key.name.as_str(), plan.numbers_at(&key.name), undetermined)
            })
        })
        .collect();
    let has_turned = report.judged.iter().filter(|each| !each.is_finding).map(|each| each.verdict);
    let has_turned = has_turned.filter(|verdict| *verdict == mbsbench_judge::claims::Verdict::Depends).count();
    html! {
        @if !rows.is_empty() {
            p {
                (rows.len()) " times a number is not printed that runs need. " (has_turned) " statements are "
                (badge(mbsbench_judge::claims::Verdict::Depends)) " since something that is left out turns them, or may."
            }
            div.scroll {
                table.assumed {
                    thead { tr { th { "Experiment" } th { "Parameter" } th { "Used" } th { "In studies" } th { "Why" } } }
                    tbody {
                        @for (experiment, name, values, undetermined) in &rows {
                            tr {
                                td { (experiment) }
                                td { code { (name) } }
                                td.number { (values.iter().map(|&v| brief(v)).collect::<Vec<_>>().join(", ")) }
                                td { (words::sampled(undetermined)) }
                                td {
                                    (undetermined.why)
                                    @if let Some(to) = &undetermined.calibrated {
                                        " " span.calibrated { "calibrated" } " to " (to) "."
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
