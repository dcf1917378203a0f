//! The pages that compare methods across papers: one page for all models, and a page for each model.

mod figures;
mod matrix;
mod model;

use std::collections::BTreeSet;
use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::Registry;
use mbsbench_judge::comparison::{ACCURACIES, COMPARISON, Field, Profile, Ranked, near, words};
use mbsbench_render::{lay_out, svg};
use rayon::prelude::*;

use super::appendix::experiment;
use super::artefact::Artefact;
use super::page::{Section, figure_named, file_of_model, header, page_of_sections};
use super::statement::Found;
use super::{ComparisonReport, FileError};
use crate::lists::unique;
use figures::{Looks, family_name};

/// The heading of the page of all models.
const TITLE: &str = "Which method should I use?";

/// The kind of work that the matrix uses.
const WORK: &str = "right-hand sides";

/// Returns the pages with the names of their files.
pub(super) fn pages(
    results: &Path,
    report: &ComparisonReport<'_>,
    registry: &Registry,
) -> Result<Vec<(String, String)>, FileError> {
    let fields = Field::all(&report.plans, report.evidence, report.contending);
    let looks = Looks::of(&fields, registry);
    let of_models =
        || fields.par_iter().map(|field| (file_of_model(field.plan), model::page_of(report, field, &looks)));
    let (overview, mut pages) =
        rayon::join(|| overview(results, report, &fields, &looks), || of_models().collect::<Vec<_>>());
    pages.push(("comparison.html".to_owned(), overview?));
    Ok(pages)
}

/// The name of a method, in bold for a contender.
fn method_name(name: &str, is_contender: bool) -> Markup {
    html! { @if is_contender { strong.contender { (name) } } @else { (name) } }
}

/// Draws a figure for a page, under its own id.
fn drawn(figure: &mbsbench_render::Figure) -> Markup {
    figure_named(&svg::write(&lay_out(figure)), &figure.id, &figure.id)
}

/// Returns the page of all models.
fn overview(
    results: &Path,
    report: &ComparisonReport<'_>,
    fields: &[Field<'_>],
    looks: &Looks<'_>,
) -> Result<String, FileError> {
    let found = Found::new(&[]);
    let mut others = Vec::new();
    for plan in report.plans.iter().filter(|plan| plan.experiment.rankings.is_empty()) {
        for artefact in Artefact::all(&[plan]) {
            others.push(artefact.section(results, "", [&[], &[]], &found)?);
        }
    }
    let works = unique(fields.iter().flat_map(|field| &field.spec.work.0).map(|(work, _)| work));
    let lead = html! {
        p.lead { "Every suitable method was run on the models of the papers and benchmark sets, over a range of steps or tolerances." }
    };
    let header = header(&[], TITLE, &lead);
    let cheapest = html! {
        p { (words::what_it_means()) }
        p.links {
            @for kind in ["csv", "md"] { a href=(format!("../{COMPARISON}/summary.{kind}")) { (kind.to_uppercase()) } " · " }
            code { "mbsbench reproduce " (COMPARISON) } " · rank your own method: "
            code { "mbsbench compare my-method.yaml" }
        }
        (cheapest(report, fields))
    };
    let entries =
        html! { ul { @for field in fields { li { a href=(file_of_model(field.plan)) { (field.spec.title) } } } } };
    let models = html! {
        p { "Each page has work–precision diagrams, and the cheapest methods by every kind of work." }
        ul { @for field in fields { li { a href=(file_of_model(field.plan)) { (field.spec.title) } " " span.small { (field.methods.len()) " methods" } } } }
    };
    let profiles = html! {
        p {
            "A performance profile (Dolan and Moré 2002) shows the share of models that a method solves with at most a given multiple of \
             the cheapest method's work. The left end shows how often the method is the cheapest, the right end how often it reaches the \
             accuracy at all. A model on which it was not run counts as not solved. A method without a kind of work, such as an \
             explicit method without factorizations, has no profile for it. The eight methods with the largest area below their curves \
             are named."
        }
        (costs_link())
        @for (index, work) in works.iter().enumerate() {
            @let all: Vec<Profile<'_>> = ACCURACIES.iter().map(|&accuracy| Profile::of(fields, accuracy, work)).filter(|profile| profile.models > 0).collect();
            div.shown {
                h3 { "By " (work) }
                @let (id, title) = (format!("profiles-{index}"), format!("Performance profiles by {work}"));
                (drawn(&figures::profiles(&all, looks, &id, &title)))
            }
            (profile_table(&all))
        }
    };
    let matrix = html! {
        p {
            "Digits of accuracy per decade of " (WORK) ": −log₁₀ of the error, including the bound on the reference's error, divided by log₁₀ \
             of the work, for the best run of each method. A stronger colour is closer to the best method on that model. "
            "–: the method does not suit the model; ✗: no run reached its end; a red 0: no error is below one."
        }
        (costs_link())
        (filters(fields))
        (matrix::table(fields, WORK))
    };
    let experiments = html! {
        @for plan in report.plans.iter().filter(|plan| plan.experiment.rankings.is_empty()) { (experiment(plan)) }
    };
    let mut sections = vec![
        Section::new("cheapest", "Cheapest methods for an accuracy", cheapest),
        Section { entries, ..Section::new("models", "Models", models) },
    ];
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
fn cheapest(report: &ComparisonReport<'_>, fields: &[Field<'_>]) -> Markup {
    let ranked = |field: &Field<'_>| report.summary.0.iter().find(|ranked| std::ptr::eq(ranked.spec, field.spec));
    let rows: Vec<(&Field<'_>, &Ranked<'_>)> =
        fields.iter().filter_map(|field| Some((field, ranked(field)?))).collect();
    let mut accuracies: Vec<f64> = rows.iter().flat_map(|(_, ranked)| ranked.spec.accuracies.iter().copied()).collect();
    accuracies.sort_by(|a, b| b.total_cmp(a));
    accuracies.dedup();
    let cell = |ranked: &Ranked<'_>, accuracy: f64| {
        let level = ranked.spec.accuracies.iter().position(|&own| own == accuracy)?;
        let places = near(ranked.places[level].first()?);
        let listed = html! {
            @for (index, place) in places.iter().enumerate() {
                @if index > 0 { ", " }
                (method_name(place.method, place.is_contender)) " " (words::cost_of(&place.cost))
            }
        };
        (!places.is_empty()).then_some(listed)
    };
    html! {
        div.scroll {
            table.cheapest {
                thead { tr { th { "Model" } @for accuracy in &accuracies { th { (format!("{accuracy:e}")) } } } }
                tbody {
                    @for (field, ranked) in &rows {
                        tr {
                            th scope="row" { a href=(file_of_model(field.plan)) { (ranked.spec.title) } " " small { (ranked.spec.meaning) } }
                            @for &accuracy in &accuracies { td { @if let Some(cell) = cell(ranked, accuracy) { (cell) } @else { "–" } } }
                        }
                    }
                }
            }
        }
        p.small {
            "Costs are evaluations of the right-hand side. The page of each model has the runs behind them, and other kinds of work."
        }
    }
}

/// The profiles of the named methods as a table.
fn profile_table(profiles: &[Profile<'_>]) -> Markup {
    const RATIOS: [f64; 4] = [1.0, 2.0, 5.0, 100.0];
    let share = |profile: &Profile<'_>, ratios: &[f64], most: f64| {
        let solved = ratios.iter().filter(|&&ratio| ratio <= most * (1.0 + 1e-12)).count();
        format!("{solved} of {}", profile.models)
    };
    html! {
        details {
            summary { "Profiles as tables" }
            @for profile in profiles {
                div.scroll {
                    table {
                        caption { "Error at most " (format!("{:e}", profile.accuracy)) ", by " (profile.work) }
                        thead { tr { th { "Method" } @for ratio in RATIOS { th { "≤ " (ratio) "×" } } } }
                        tbody {
                            @for method in profile.named(figures::MOST) {
                                tr {
                                    th scope="row" { (method_name(method.name, method.is_contender)) }
                                    @for ratio in RATIOS { td.number { (share(profile, &method.ratios, ratio)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The form that filters the methods of the matrix; it requires the script.
fn filters(fields: &[Field<'_>]) -> Markup {
    let families: BTreeSet<&str> = fields.iter().flat_map(Field::families).collect();
    html! {
        form.filter hidden {
            label { "Methods " input type="search" placeholder="radau5 dop853" autocomplete="off"; }
            label {
                "family "
                select {
                    option value="" { "any" }
                    @for family in families { option value=(family) { (family_name(family)) } }
                }
            }
        }
    }
}
