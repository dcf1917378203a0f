//! Parts common to all pages.

use std::sync::LazyLock;

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use mbsbench_experiment::Plan;
use mbsbench_judge::claims::Verdict;
use mbsbench_judge::claims::record::{GROUNDS, Scores};
use mbsbench_judge::publication::Publication;
use mbsbench_render::svg;

use super::policy::policy;

/// The only script of a page.
static SCRIPT: LazyLock<String> = LazyLock::new(|| without_margins(include_str!("assets/report.js"), "//"));

/// The style of a page.
static STYLE: LazyLock<String> = LazyLock::new(|| without_margins(include_str!("assets/report.css"), "/*"));

/// Removes indentation and comment lines, because every page contains the text.
fn without_margins(text: &str, comment: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with(comment)).collect::<Vec<_>>().join("\n")
}

/// Returns a page with its title and body.
pub(crate) fn page(title: &str, body: &Markup) -> String {
    let [light, dark] = [false, true].map(svg::theme);
    let themes = format!(
        ":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}@media print{{:root{{{light}}}}}{}",
        svg::rules()
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                // Animations are files beside the page.
                meta http-equiv="Content-Security-Policy"
                    content=(format!("{}; frame-src 'self'; img-src data:", policy(&SCRIPT)));
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(&*STYLE)) (PreEscaped(themes)) }
            }
            body {
                (body)
                script { (PreEscaped(&*SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// The symbol of an outcome, readable without colour.
pub(super) fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "✓",
        Verdict::Partly => "≈",
        Verdict::NotReproduced => "✗",
        Verdict::Open => "?",
    }
}

/// An outcome as a badge.
pub(super) fn badge(verdict: Verdict) -> Markup {
    html! { span.badge.(verdict.name()) { (sign(verdict)) " " (verdict) } }
}

/// The number of statements with each outcome, and with each kind of input.
pub(super) fn scorecard(scores: &Scores) -> Markup {
    let grounds = GROUNDS
        .map(|(name, marks)| (name, Verdict::ALL.into_iter().map(|verdict| scores.on(verdict, marks)).sum::<usize>()));
    html! {
        div {
            (strip(scores))
            (tally(scores, ""))
            p.small {
                "Their inputs: "
                @for (index, (name, count)) in grounds.iter().filter(|(_, count)| *count > 0).enumerate() {
                    @if index > 0 { ", " } (count) " " (name)
                }
                "."
            }
        }
    }
}

/// A cell for each statement, in the colour of its outcome.
pub(super) fn strip(scores: &Scores) -> Markup {
    html! {
        div.bar aria-hidden="true" {
            @for (verdict, count) in scores.verdicts().each() { @for _ in 0..count { i.(verdict.name()) {} } }
        }
    }
}

/// The number of statements with each outcome, in a line. Each count links to its statements on the page of the paper.
pub(super) fn tally(scores: &Scores, page: &str) -> Markup {
    html! {
        p.tally {
            @for (verdict, count) in scores.verdicts().each() {
                a href=(format!("{page}#{}", verdict_anchor(verdict))) { strong { (count) } " " (badge(verdict)) } " "
            }
            span.small { (scores.total()) " statements, tested by " (scores.checks) " checks" }
        }
    }
}

/// The target of links to the statements with an outcome.
pub(super) fn verdict_anchor(verdict: Verdict) -> String {
    format!("outcome-{}", verdict.name())
}

/// The SVG of the figure `id` with identifiers that are unique on a page. The drawing gets an identifier, by which it
/// can be shown a second time.
pub(crate) fn figure_named(svg: &str, id: &str, unique: &str) -> Markup {
    let rename = |text: String, part: &str| text.replace(&format!("{id}-{part}"), &format!("{unique}-{part}"));
    let text = ["title", "desc"].into_iter().fold(svg.to_owned(), rename);
    let text = text.replacen("<svg ", &format!("<svg id=\"drawing-{unique}\" "), 1);
    html! { figure { (PreEscaped(in_page(&text))) } }
}

/// An animation in a separate file beside the page. It is loaded when it is about to become visible. Without its
/// script, and in print, it is a drawing.
pub(super) fn animation(file: &str, [width, height]: [u32; 2], about: &str) -> Markup {
    html! {
        figure {
            iframe src=(file) width=(width) height=(height) loading="lazy" scrolling="no"
            title=(format!("Animation: {about}")) {}
        }
    }
}

/// Removes attributes of a figure that the style of the page defines: the colours of a white page, and their use by
/// lines and texts.
fn in_page(svg: &str) -> String {
    let mut pieces = svg.split(" color=\"#");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(piece.split_once('"').map_or(piece, |(_, rest)| rest));
    }
    text.replace(" stroke=\"currentColor\">", ">")
        .replace("<g fill=\"currentColor\" stroke=\"none\"", "<g")
        .replace(">\n<", "><")
}

/// Reads width and height of an SVG, px, from its attributes.
pub(super) fn size_of(svg: &str) -> [u32; 2] {
    let number = |key: &str| {
        let (_, rest) = svg.split_once(&format!(" {key}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    ["width", "height"].map(|key| number(key).unwrap_or(0))
}

/// A section of a page, which is listed in the contents.
pub(super) struct Section {
    pub id: &'static str,
    pub heading: &'static str,
    /// The entries below it in the contents; may be empty.
    pub entries: Markup,
    pub body: Markup,
}

impl Section {
    pub fn new(id: &'static str, heading: &'static str, body: Markup) -> Self {
        Self { id, heading, entries: html! {}, body }
    }
}

impl Render for Section {
    fn render(&self) -> Markup {
        html! { section id=(self.id) { h2 { (self.heading) } (self.body) } }
    }
}

/// A header with links to the pages above this one.
pub(super) fn header(above: &[(&str, &str)], heading: &str, about: &Markup) -> Markup {
    html! {
        header {
            p.crumbs {
                a href="index.html" { "Overview" }
                @for (page, name) in above { " › " a href=(page) { (name) } }
            }
            h1 { (heading) }
            (about)
        }
    }
}

/// Returns a page with its contents and some sections.
pub(super) fn page_of_sections(title: &str, header: &Markup, sections: &[Section]) -> String {
    let main = html! { @for section in sections { (section) } };
    page(title, &with_contents(header, sections, &main))
}

/// Lays out a page with its contents, which stay visible on wide screens.
pub(super) fn with_contents(header: &Markup, sections: &[Section], main: &Markup) -> Markup {
    html! {
        a.skip href="#main" { "Skip to content" }
        (header)
        div.beside-contents {
            nav.contents aria-label="Contents" {
                ul {
                    @for section in sections {
                        li { a href=(format!("#{}", section.id)) { (section.heading) } (section.entries) }
                    }
                }
            }
            main id="main" { (main) }
        }
    }
}

/// The form that filters statements by words, by outcome, or by `further` choices; it requires the script.
pub(super) fn search(what: &str, further: &Markup) -> Markup {
    let outcomes = Verdict::ALL.map(|one| (one.name().to_owned(), one.words()));
    html! {
        form.search hidden role="search" {
            label { "Search " input type="search" placeholder=(what) autocomplete="off"; }
            (choice(Some("verdict"), "outcome", "any", outcomes))
            (further)
            output {}
        }
    }
}

/// A choice in a form: values with their names, and for a search what they filter by.
pub(super) fn choice<N: Render>(
    what: Option<&str>,
    label: &str,
    any: &str,
    options: impl IntoIterator<Item = (String, N)>,
) -> Markup {
    html! {
        label {
            (label) " "
            select data-by=[what] {
                option value="" { (any) }
                @for (value, name) in options { option value=(value) { (name) } }
            }
        }
    }
}

/// The name of the appendix of a paper.
pub(super) fn file_of_appendix(paper: &str) -> String {
    format!("{paper}-appendix.html")
}

/// The name of the page that compares methods on the model of an experiment.
pub(super) fn file_of_model(plan: &Plan) -> String {
    format!("{}.html", anchor(&plan.experiment.id))
}

/// The target of links to the file of an experiment.
pub(super) fn experiment_anchor(id: &str) -> String {
    format!("experiment-{}", anchor(id))
}

/// A name as the target of a link.
pub(super) fn anchor(id: &str) -> String {
    id.replace('/', "-")
}

/// The authors and the subject.
pub(super) fn of(id: &str, publication: &Publication) -> Markup {
    html! {
        @if let Some(by) = publication.by() { (by) " (" code { (id) } "): " (publication.about) "." }
        @else { "Its authors are not given; " code { "experiments/" (id) "/paper.yaml" } " can name them." }
    }
}
