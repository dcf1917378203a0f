//! What a paper leaves out and had to be assumed.

use maud::{Markup, html};
use mbsbench_experiment::Undetermined;
use mbsbench_judge::reconstruction::words;
use mbsbench_numbers::brief;

use crate::report::PaperReport;

/// Whether there is anything to say.
pub(super) fn is_there(report: &PaperReport<'_>) -> bool {
    report.plans.iter().any(|plan| !plan.experiment.undetermined.is_empty())
}

/// The section; nothing where nothing is to be said.
pub(super) fn section(report: &PaperReport<'_>) -> Markup {
    html! {
        @if is_there(report) {
            section id="assumed" {
                h2 { "What had to be assumed" }
                (left_out(report))
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
    html! {
        @if !rows.is_empty() {
            p { (rows.len()) " times a number is not printed that runs need." }
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
