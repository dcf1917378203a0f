//! The page of a model: the front of all methods, the methods by family, and the cheapest for each accuracy.

use maud::{Markup, html};
use mbsbench_experiment::Plan;
use mbsbench_experiment::plan::LeftOut;
use mbsbench_judge::comparison::{Ranked, near, words};

use super::{Looks, TITLE, drawn, figures};
use crate::report::ComparisonReport;
use crate::report::appendix::experiment;
use crate::report::page::{Section, header, page_of_sections};

/// Returns the page.
pub(super) fn page_of(report: &ComparisonReport<'_>, field: &Ranked<'_>, looks: &Looks<'_>) -> String {
    let plan = field.plan;
    let id = &plan.experiment.id;
    // A kind of work is shown if some run has it.
    let is_done = |work: &usize| field.curves.iter().any(|method| !method.measured(*work).is_empty());
    let works: Vec<usize> = (0..field.spec.work.0.len()).filter(is_done).collect();
    let ranked = || report.summary.0.iter().filter(|ranked| std::ptr::eq(ranked.plan, plan));
    let above = [("comparison.html", TITLE)];
    let header = header(&above, &field.spec.title, &html! { p.lead { "Errors are " (field.spec.meaning) "." } });
    let best = html! {
        div.shown { (drawn(&figures::best_of_families(field, looks, "best-of-families", &works))) }
        p.caption {
            "Each dot is a run. Its error includes the bound on the reference's error. The dashed line joins the runs \
             that no other run beats in both work and error, and each coloured line does the same within a family. \
             Only the families with the most digits for their work have lines. Failed runs and runs with an error \
             above " (figures::MOST_ERROR) " are only in the CSV file."
        }
    };
    let families = works.first().map(|&work| drawn(&figures::by_family(field, looks, "by-family", work)));
    let families = families.map(|figure| html! { div.shown { (figure) } });
    let cheapest = html! {
        p { (words::what_it_means()) }
        p {
            "Right-hand sides include those that Jacobians by differences need; an exact Jacobian counts as many as \
             differences would need. For a constrained mechanism, a right-hand side is one solution for accelerations \
             and multipliers (index 1) or, for methods that solve the constraints (index 3), one residual. \
             Factorizations are those of the method's own matrices; methods without them are not ranked by them. Times \
             are medians on the machine that made these results."
        }
        @for ranked in ranked() { (table(ranked, looks)) }
    };
    let made_by = html! {
        p.links {
            a href=(format!("../{id}/runs.csv")) { "runs.csv" } " · "
            code { "mbsbench reproduce " (id) } " makes all figures and tables of this page"
        }
        (left_out(plan))
        (experiment(plan))
    };
    let mut sections = vec![Section::new("best", "Work and precision", best)];
    sections.extend(families.map(|body| Section::new("families", "Methods by family", body)));
    sections.push(Section::new("cheapest", "Cheapest methods", cheapest));
    sections.push(Section::new("experiment", "Experiment", made_by));
    page_of_sections(&format!("mbsbench: {}", field.spec.title), &header, &sections)
}

/// The methods whose cost does not differ significantly from the cheapest on a model.
fn table(ranked: &Ranked<'_>, looks: &Looks<'_>) -> Markup {
    let spec = ranked.spec;
    html! {
        h3 { (spec.title) }
        p.caption { (words::about(ranked)) }
        @if !ranked.unequal.is_empty() {
            details {
                summary { "Settings in which the methods differ" }
                ul { @for unequal in &ranked.unequal { li { (unequal) } } }
            }
        }
        div.scroll {
            table.ranking {
                thead {
                    tr { th { "Accuracy" } th { "Reached by" } @for (head, _) in &spec.work.0 { th.work { (head) } } }
                }
                tbody {
                    @for (level, &accuracy) in spec.accuracies.iter().enumerate() {
                        tr {
                            th scope="row" { (format!("{accuracy:e}")) }
                            td data-head="reached by" { (words::reached(ranked, level)) }
                            @for (places, (head, _)) in ranked.places[level].iter().zip(&spec.work.0) {
                                td data-head=(head) {
                                    @if places.is_empty() { "–" }
                                    @else { ol { @for place in near(places) {
                                        li {
                                            (looks.methods.link(place.method, place.is_contender)) " "
                                            (words::cost_of(&place.cost)) " " small { (words::between(place)) }
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

/// Methods that were not run, with reasons.
fn left_out(plan: &Plan) -> Markup {
    let all = plan.left_out();
    html! {
        @if !all.is_empty() {
            p.caption { "Left out: " @for (index, LeftOut { methods, cases, reason, .. }) in all.iter().enumerate() {
                @if index > 0 { "; " }
                @for (index, name) in methods.iter().enumerate() { @if index > 0 { ", " } code { (name) } }
                @if !cases.is_empty() { " in " (cases.join(", ")) }
                " (" (reason) ")"
            } "." }
        }
    }
}
