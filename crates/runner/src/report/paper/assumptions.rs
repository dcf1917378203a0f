//! Assumptions about parameters that a paper leaves out.

use maud::{Markup, html};
use mbsbench_judge::reconstruction::words;
use mbsbench_numbers::brief;

use crate::report::PaperReport;

/// The parameters that the paper leaves out; `None` if there are none.
pub(super) fn table(report: &PaperReport<'_>) -> Option<Markup> {
    let undetermined = report.plans.iter().flat_map(|plan| plan.experiment.undetermined.iter().map(move |u| (plan, u)));
    let rows: Vec<_> = undetermined.collect();
    (!rows.is_empty()).then(|| {
        html! {
            p { "The runs need these parameters, which the paper does not give. We chose their values." }
            div.scroll {
                table.assumptions {
                    thead { tr {
                        th { "Experiment" } th { "Parameter" } th { "Value used" } th { "Range in sensitivity studies" }
                        th { "Reason" }
                    } }
                    tbody {
                        @for (plan, (key, undetermined)) in &rows {
                            tr {
                                td { (plan.experiment.id) }
                                td { code { (key.name) } }
                                td.number {
                                    (plan.numbers_at(&key.name).into_iter().map(brief).collect::<Vec<_>>().join(", "))
                                }
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
