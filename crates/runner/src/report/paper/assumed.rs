//! Assumptions about parameters that a paper leaves out.

use maud::{Markup, html};
use mbsbench_experiment::Undetermined;
use mbsbench_judge::reconstruction::words;
use mbsbench_numbers::brief;

use crate::report::PaperReport;

/// The parameters that the paper leaves out; `None` if there are none.
pub(super) fn left_out(report: &PaperReport<'_>) -> Option<Markup> {
    let rows: Vec<(&str, &str, Vec<f64>, &Undetermined)> = report
        .plans
        .iter()
        .flat_map(|plan| {
            plan.experiment.undetermined.iter().map(|(key, undetermined)| {
                (plan.experiment.id.as_str(), key.name.as_str(), plan.numbers_at(&key.name), undetermined)
            })
        })
        .collect();
    (!rows.is_empty()).then(|| {
        html! {
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
    })
}
