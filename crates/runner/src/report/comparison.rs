//! The page that compares methods across the papers: the cheapest of each model, then the diagrams.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::plan::Plan;
use mbsbench_judge::comparison::{COMPARISON, NAMED, Ranked, Summary, words};

use super::ReportError;
use super::artefact::{Artefact, experiment_anchor};
use super::page::page;

/// The page.
pub(super) fn page_of(results: &Path, plans: &[&Plan], summary: &Summary<'_>) -> Result<String, ReportError> {
    let mut diagrams = Vec::with_capacity(plans.len());
    for plan in plans {
        let mut sections = Vec::new();
        for artefact in Artefact::all(&[plan]) {
            sections.push(artefact.section(results, COMPARISON, &[])?);
        }
        diagrams.push((plan, sections));
    }
    let body = html! {
        header {
            p.crumbs { a href="index.html" { "All papers" } }
            h1 { "Which method for which model?" }
            p.lead { "The methods of all papers on the models of all papers: every method that suits a model, over steps or tolerances." }
        }
        main {
            section id="cheapest" {
                h2 { "The " (NAMED) " cheapest methods" }
                p { (words::WHAT_IT_MEANS) }
                p {
                    "Right-hand sides include those for difference quotients. Of a constrained mechanism one is the solution for \
                     accelerations and multipliers (index 1), or one residual for methods that solve the constraints (index 3); exact \
                     Jacobians are not among them. Factorizations are those of a method's own matrices, and only methods that have some \
                     are ranked by them. Times are medians on the machine that made these results."
                }
                p.links {
                    @for kind in ["csv", "md"] { a href=(format!("../{COMPARISON}/summary.{kind}")) { (kind.to_uppercase()) } " " }
                    code { "mbsbench reproduce " (COMPARISON) }
                }
                @for ranked in &summary.0 { (table(ranked)) }
            }
            @for (plan, sections) in &diagrams {
                section id=(format!("diagrams-{}", plan.experiment.id.replace('/', "-"))) {
                    h2 { (plan.experiment.title.as_deref().unwrap_or(&plan.experiment.id)) }
                    (left_out(plan))
                    @for section in sections { (section) }
                }
            }
            section id="experiments" {
                h2 { "The experiments" }
                @for plan in plans {
                    @let id = &plan.experiment.id;
                    details id=(experiment_anchor(id)) {
                        summary { code { "experiments/" (id) ".yaml" } }
                        pre { code { (plan.experiment.document.source.text()) } }
                    }
                }
            }
        }
    };
    Ok(page("mbsbench: which method for which model?", &body))
}

/// The cheapest methods on a model.
fn table(ranked: &Ranked<'_>) -> Markup {
    let spec = ranked.spec;
    html! {
        h3 { a href=(format!("#diagrams-{}", ranked.plan.experiment.id.replace('/', "-"))) { (spec.title) } }
        p.caption { (words::about(ranked)) }
        div.scroll {
            table.ranking {
                thead { tr { th { "Accuracy" } th { "Reached by" } @for (head, _) in &spec.work.0 { th.work { (head) } } } }
                tbody {
                    @for (level, &accuracy) in spec.accuracies.iter().enumerate() {
                        tr {
                            th { (format!("{accuracy:e}")) }
                            td data-head="reached by" { (words::reached(ranked, level)) }
                            @for (places, (head, _)) in ranked.places[level].iter().zip(&spec.work.0) {
                                td data-head=(head) {
                                    @if places.is_empty() { "–" }
                                    @else { ol { @for place in places.iter().take(NAMED) {
                                        li {
                                            strong { (place.candidate.method) } " " (words::cost(place.cost)) " "
                                            small { (place.candidate.setting) }
                                        }
                                    } } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Methods that were not run, each with the reason.
fn left_out(plan: &Plan) -> Markup {
    let mut all: Vec<(&String, &String)> = plan.experiment.cases.iter().flat_map(|case| &case.left_out).collect();
    all.sort();
    all.dedup();
    html! {
        @if !all.is_empty() {
            p.caption { "Left out: " @for (index, (name, why)) in all.iter().enumerate() {
                @if index > 0 { "; " } code { (name) } " (" (why) ")"
            } "." }
        }
    }
}
