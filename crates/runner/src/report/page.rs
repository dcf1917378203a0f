//! What all pages have in common.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use mbsbench_judge::claims::Verdict;
use mbsbench_judge::claims::record::{GROUNDS, Scores};
use mbsbench_judge::publication::Publication;
use mbsbench_render::svg;

use super::policy::policy;

/// Background of figures on a light and on a dark page.
const BACKGROUNDS: [&str; 2] = ["#ffffff", "#16181d"];

/// The only script of a page.
const SCRIPT: &str = include_str!("assets/report.js");

/// A page with its title and body.
pub(super) fn page(title: &str, body: &Markup) -> String {
    let [light, dark] = [svg::theme(false, BACKGROUNDS[0]), svg::theme(true, BACKGROUNDS[1])];
    let themes = format!(
        ":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}@media print{{:root{{{light}}}}}{}",
        svg::rules()
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(Some(SCRIPT)));
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(include_str!("assets/report.css"))) (PreEscaped(themes)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// The sign of a verdict, readable without colour.
pub(super) fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "✓",
        Verdict::Partly => "≈",
        Verdict::Depends => "±",
        Verdict::Contradicted => "✗",
        Verdict::Inconclusive => "?",
        Verdict::Untestable => "–",
    }
}

/// A verdict as a badge.
pub(super) fn badge(verdict: Verdict) -> Markup {
    html! { span.badge.(verdict.name()) { (sign(verdict)) " " (verdict) } }
}

/// How many statements have each verdict, as a bar, and by what they rest on. Each count leads to its statements on the page of the
/// paper, `""` on that page itself.
pub(super) fn scorecard(scores: &Scores, page: &str) -> Markup {
    let verdicts: Vec<Verdict> = Verdict::ALL.into_iter().filter(|&verdict| scores.with(verdict) > 0).collect();
    let count = |count: usize| if count == 0 { "–".to_owned() } else { count.to_string() };
    html! {
        div.scorecard {
            div.bar aria-hidden="true" {
                @for &verdict in &verdicts { span.(verdict.name()) style=(format!("flex:{}", scores.with(verdict))) { (scores.with(verdict)) } }
            }
            div.scroll {
                table.scores {
                    thead { tr {
                        th { "Statements that rest on what is" }
                        @for &verdict in &verdicts { th { a href=(format!("{page}#{}", verdict_anchor(verdict))) { (badge(verdict)) } } }
                        th { "all" }
                    } }
                    tbody {
                        @for (name, marks) in GROUNDS {
                            @let all: usize = verdicts.iter().map(|&verdict| scores.on(verdict, marks)).sum();
                            @if all > 0 {
                                tr {
                                    th { (name) }
                                    @for &verdict in &verdicts { td.number { (count(scores.on(verdict, marks))) } }
                                    td.number { (all) }
                                }
                            }
                        }
                        tr.total {
                            th { "all" }
                            @for &verdict in &verdicts { td.number { (scores.with(verdict)) } }
                            td.number { (scores.total()) }
                        }
                    }
                }
            }
            p.small { (scores.total()) " statements, tested by " (scores.checks) " checks." }
        }
    }
}

/// The target of links to the statements that have a verdict.
pub(super) fn verdict_anchor(verdict: Verdict) -> String {
    format!("verdict-{}", verdict.name())
}

/// The SVG of the figure `id` with names that are unique on a page.
pub(super) fn figure_named(svg: &str, id: &str, unique: &str) -> Markup {
    let rename = |text: String, part: &str| text.replace(&format!("{id}-{part}"), &format!("{unique}-{part}"));
    let text = ["title", "desc"].into_iter().fold(svg.to_owned(), rename);
    html! { figure { (PreEscaped(text)) } }
}

/// A name as the target of a link.
pub(super) fn anchor(id: &str) -> String {
    id.replace('/', "-")
}

/// Whose it is, and what it is about.
pub(super) fn of(id: &str, publication: &Publication) -> Markup {
    html! {
        @if let Some(by) = publication.by() { (by) " (" code { (id) } "): " (publication.about) "." }
        @else { "Nobody says who wrote it: " code { "experiments/" (id) "/paper.yaml" } " would." }
    }
}
