//! The pages that compare methods across papers: one page for all models, and a page for each model.

mod figures;
mod matrix;
mod model;

use std::collections::BTreeSet;
use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::Plan;
use mbsbench_judge::comparison::{ACCURACIES, COMPARISON, Profile, Ranked, near, words};
use mbsbench_render::{lay_out, svg};
use rayon::prelude::*;

use super::appendix::experiment;
use super::artefact::Artefact;
use super::methods::Methods;
use super::page::{Section, choice, figure_named, file_of_model, header, page_of_sections};
use super::statement::Found;
use super::{ComparisonReport, Pages, Report, Result};
pub(crate) use figures::of_best;
use figures::{Looks, family_name};
use mbsbench_experiment::lists::unique;

/// The heading of the page of all models.
pub(super) const TITLE: &str = "Which method should I use?";

/// The kind of work that the matrix uses.
const WORK: &str = "right-hand sides";

/// Returns the pages with the names of their files.
pub(super) fn pages(report: &Report<'_>, compared: &ComparisonReport<'_>, methods: &Methods<'_>) -> Result<Pages> {
    let fields = compared.summary.models();
    let looks = Looks::of(&fields, report.registry, methods);
    let of_models =
        || fields.par_iter().map(|field| (file_of_model(field.plan), model::page_of(compared, field, &looks)));
    let (overview, mut pages) =
        rayon::join(|| overview(report.results, &compared.plans, &fields, &looks), || of_models().collect::<Vec<_>>());
    pages.push(("comparison.html".to_owned(), overview?));
    Ok(pages)
}

/// Draws a figure for a page, under its own id.
pub(crate) fn drawn(figure: &mbsbench_render::Figure) -> Markup {
    figure_named(&svg::write(&lay_out(figure)), &figure.id, &figure.id)
}

/// Returns the page of all models.
fn overview(results: &Path, plans: &[&Plan], fields: &[&Ranked<'_>], looks: &Looks<'_>) -> Result<String> {
    let unranked: Vec<&Plan> = plans.iter().filter(|plan| plan.experiment.rankings.is_empty()).copied().collect();
    let found = Found::new(results, &unranked, looks.methods)?;
    let others = unranked.iter().flat_map(|plan| Artefact::all(&[plan]));
    let others = others.map(|artefact| artefact.section("", [&[], &[]], &found)).collect::<Result<Vec<_>>>()?;
    let works = unique(fields.iter().flat_map(|field| &field.spec.work.0).map(|(work, _)| work));
    let lead = html! {
        p.lead {
            "Every suitable method was run on the models of the papers and benchmark sets, over a range of steps or \
             tolerances."
        }
    };
    let header = header(&[], TITLE, &lead);
    let cheapest = html! {
        p { (words::what_it_means()) }
        p.links {
            @for kind in ["csv", "md"] {
                a href=(format!("../{COMPARISON}/summary.{kind}")) { (kind.to_uppercase()) } " · "
            }
            code { "mbsbench reproduce " (COMPARISON) } " · rank your own method: "
            code { "mbsbench compare my-method.yaml" }
        }
        (cheapest(fields, looks))
    };
    let entries =
        html! { ul { @for field in fields { li { a href=(file_of_model(field.plan)) { (field.spec.title) } } } } };
    let profiles = html! {
        p {
            "A performance profile (Dolan and Moré 2002) shows the share of models that a method solves with at most a \
             given multiple of the cheapest method's work. The left end shows how often the method is the cheapest, \
             the right end how often it reaches the accuracy at all. A model on which it was not run counts as not \
             solved. A method without a kind of work, such as an explicit method without factorizations, has no \
             profile for it. The eight methods with the largest area below their curves are named."
        }
        (costs_link())
        @for (index, work) in works.iter().enumerate() {
            @let all = ACCURACIES.map(|accuracy| Profile::of(fields, accuracy, work));
            @let all: Vec<Profile<'_>> = all.into_iter().filter(|profile| profile.models > 0).collect();
            div.shown {
                h3 { "By " (work) }
                @let (id, title) = (format!("profiles-{index}"), format!("Performance profiles by {work}"));
                (drawn(&figures::profiles(&all, looks, &id, &title)))
            }
        }
    };
    let matrix = html! {
        p {
            "Digits of accuracy per decade of " (WORK) ": −log₁₀ of the error, including the bound on the reference's \
             error, divided by log₁₀ of the work, for the best run of each method. A stronger colour is closer to the \
             best method on that model. "
            "–: the method does not suit the model; ✗: no run reached its end; a red 0: no error is below one."
        }
        (costs_link())
        (filters(fields))
        (matrix::table(fields, WORK, looks))
    };
    let experiments = html! { @for plan in &unranked { (experiment(plan)) } };
    let mut sections =
        vec![Section { entries, ..Section::new("cheapest", "Cheapest methods for an accuracy", cheapest) }];
    if !works.is_empty() {
        sections.push(Section::new("profiles", "Performance profiles", profiles));
    }
    sections.push(Section::new("matrix", "All methods on all models", matrix));
    if !others.is_empty() {
        let body = html! { @for section in &others { (section) } };
        sections.push(Section::new("others", "Linear analysis and growth of cost", body));
    }
    sections.push(Section::new("experiments", "Experiments", experiments));
    Ok(page_of_sections("mbsbench: which method should I use?", &header, &sections))
}

/// A link to the numbers behind profiles and matrix.
fn costs_link() -> Markup {
    html! {
        p.links {
            a href=(format!("../{COMPARISON}/costs.csv")) { "CSV of all methods on all models" }
            " · " code { "mbsbench reproduce " (COMPARISON) }
        }
    }
}

/// The cheapest methods of each model by the first kind of work.
fn cheapest(rows: &[&Ranked<'_>], looks: &Looks<'_>) -> Markup {
    let mut accuracies: Vec<f64> = rows.iter().flat_map(|ranked| ranked.spec.accuracies.iter().copied()).collect();
    accuracies.sort_by(|a, b| b.total_cmp(a));
    accuracies.dedup();
    let cell = |ranked: &Ranked<'_>, accuracy: f64| {
        let level = ranked.spec.accuracies.iter().position(|&own| own == accuracy)?;
        let places = near(ranked.places[level].first()?);
        let listed = html! {
            @for (index, place) in places.iter().enumerate() {
                @if index > 0 { ", " }
                (looks.methods.link(place.method, place.is_contender)) " " (words::cost_of(&place.cost))
            }
        };
        (!places.is_empty()).then_some(listed)
    };
    html! {
        div.scroll {
            table.cheapest {
                thead { tr {
                    th { "Model" }
                    @for accuracy in &accuracies { th { "error ≤ " (format!("{accuracy:e}")) } }
                } }
                tbody {
                    @for ranked in rows {
                        tr {
                            th scope="row" {
                                a href=(file_of_model(ranked.plan)) { (ranked.spec.title) } " "
                                small { (ranked.spec.meaning) }
                            }
                            @for &accuracy in &accuracies {
                                td { @if let Some(cell) = cell(ranked, accuracy) { (cell) } @else { "–" } }
                            }
                        }
                    }
                }
            }
        }
        p.small {
            "Costs are evaluations of the right-hand side. The page of each model has the runs behind them, and other \
             kinds of work."
        }
    }
}

/// The form that filters the methods of the matrix; it requires the script.
fn filters(fields: &[&Ranked<'_>]) -> Markup {
    let families: BTreeSet<&str> = fields.iter().flat_map(|field| field.families()).collect();
    let families = families.into_iter().map(|family| (family.to_owned(), family_name(family)));
    html! {
        form.filter hidden {
            label { "Methods " input type="search" placeholder="radau5 dop853" autocomplete="off"; }
            (choice(None, "family", "any", families))
        }
    }
}
