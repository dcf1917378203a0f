//! The pages of methods: parameters, ranks, statements about them, and figures.

use std::collections::{BTreeSet, HashMap};

use maud::{Markup, html};
use mbsbench_experiment::registry::{Entry, MethodKind};
use mbsbench_experiment::{Plan, Registry};
use mbsbench_judge::claims::Judged;
use rayon::prelude::*;

use super::artefact::Artefact;
use super::comparison::TITLE;
use super::page::{Section, file_of_model, header, page_of_sections};
use super::statement::{Found, linked};
use super::{Pages, PaperReport, Report};
use crate::description;
use crate::ranks::Ranks;

/// Statements with at most this many methods are listed first.
const FEW: usize = 3;

/// The registered methods that some run of the report uses. Each has a page.
pub(crate) struct Methods<'r> {
    pub entries: Vec<&'r Entry<MethodKind>>,
    /// Names by the labels of methods in experiments; empty if several methods have the same label.
    names: HashMap<&'r str, &'r str>,
}

impl<'r> Methods<'r> {
    /// Collects the methods of all runs.
    pub fn new(plans: impl IntoIterator<Item = &'r Plan>, registry: &'r Registry) -> Self {
        let (mut used, mut names) = (BTreeSet::new(), HashMap::new());
        for run in plans.into_iter().flat_map(|plan| &plan.runs) {
            let name = run.method.name();
            used.insert(name);
            let known = names.entry(run.method_label.as_str()).or_insert(name);
            if *known != name {
                *known = "";
            }
        }
        let has_page = |entry: &&Entry<MethodKind>| !entry.is_written_out && used.contains(entry.name);
        Self { entries: registry.methods().iter().filter(has_page).collect(), names }
    }

    /// The names that have a page.
    pub fn among<'n>(&self, names: BTreeSet<&'n str>) -> Vec<&'n str> {
        names.into_iter().filter(|name| self.entries.iter().any(|entry| entry.name == *name)).collect()
    }

    /// The label of a method, which links to its page if it has one; bold for a contender.
    pub fn link(&self, label: &str, is_contender: bool) -> Markup {
        let name = self.names.get(label).filter(|name| self.entries.iter().any(|entry| entry.name == **name));
        let text = html! { @if is_contender { strong.contender { (label) } } @else { (label) } };
        html! { @if let Some(name) = name { a href=(file_of(name)) { (text) } } @else { (text) } }
    }
}

/// The name of the page of a method.
pub(super) fn file_of(name: &str) -> String {
    format!("method-{name}.html")
}

/// Returns the pages of all methods with the names of their files.
pub(super) fn pages(Report { papers, compared, .. }: &Report<'_>, methods: &Methods<'_>, found: &[Found<'_>]) -> Pages {
    let mut statements: Vec<(BTreeSet<&str>, &PaperReport<'_>, &Judged)> = Vec::new();
    let mut artefacts: Vec<(BTreeSet<&str>, &PaperReport<'_>, Artefact<'_>)> = Vec::new();
    for (report, found) in papers.iter().zip(found) {
        statements.extend(report.judged.iter().map(|judged| (found.names(judged), report, judged)));
        let published = Artefact::all(&report.plans).into_iter().filter(Artefact::is_published);
        artefacts.extend(published.map(|artefact| (artefact.methods(), report, artefact)));
    }
    statements.sort_by_key(|(names, ..)| names.len());
    let page = |entry: &&Entry<MethodKind>| {
        let name = entry.name;
        let choice = entry.default_choice();
        let source = html! {
            @if !entry.source.is_empty() {
                p.small {
                    "Source: " (entry.source) "."
                    @for report in papers.iter().filter(|report| entry.source.contains(&report.paper)) {
                        " " a href=(format!("{}.html", report.paper)) { (report.publication.title) }
                    }
                }
            }
        };
        let about = html! { p.lead { (entry.summary) "." } (source) };
        let properties = html! { pre { code { @for line in description::properties(&choice) { (line) "\n" } } } };
        let mut sections = vec![Section::new("properties", "Properties", properties)];
        if let Some(compared) = compared {
            let standings = compared.summary.0.iter().map(|ranked| ranked.standing(name)).collect();
            let body = ranks(&Ranks { label: name, choice: &choice, standings });
            sections.push(Section::new("ranks", "Rank among all methods", body));
        }
        let parameters = description::parameters(entry);
        if !parameters.is_empty() {
            sections.push(Section::new("parameters", "Parameters", indented(&parameters)));
        }
        let own: Vec<_> = statements.iter().filter(|(names, ..)| names.contains(name)).collect();
        if !own.is_empty() {
            let few = own.partition_point(|(names, ..)| names.len() <= FEW);
            let list = |some: &[&(BTreeSet<&str>, &PaperReport<'_>, &Judged)]| {
                html! { ul.sentences { @for (_, report, judged) in some { li { (linked(&report.paper, judged)) } } } }
            };
            let body = html! {
                (list(&own[..few]))
                @if few < own.len() {
                    details open[few == 0] { summary { "Comparisons of many methods" } (list(&own[few..])) }
                }
            };
            sections.push(Section::new("statements", "Statements of papers", body));
        }
        let own: Vec<_> = artefacts.iter().filter(|(names, ..)| names.contains(name)).collect();
        if !own.is_empty() {
            let body = html! {
                ul { @for (_, report, artefact) in own {
                    li {
                        (report.paper) ", "
                        a href=(format!("{}.html#{}", report.paper, artefact.anchor())) { (artefact.name()) } ": "
                        (artefact.title)
                    }
                } }
            };
            sections.push(Section::new("figures", "Figures and tables", body));
        }
        let above = compared.as_ref().map(|_| ("comparison.html", TITLE));
        let header = header(above.as_slice(), name, &about);
        (file_of(name), page_of_sections(&format!("mbsbench: {name}"), &header, &sections))
    };
    methods.entries.par_iter().map(page).collect()
}

/// The ranks of a method: a summary, a table for each kind of work, and the models on which it was not run.
fn ranks(ranks: &Ranks<'_>) -> Markup {
    let page = |title: &str| {
        let standing = ranks.standings.iter().find(|standing| standing.spec.title == title)?;
        Some(file_of_model(standing.plan))
    };
    html! {
        p { (ranks.summary()) "." }
        p.small {
            "Each cell has the rank among the methods that reach an accuracy, the cost, and its ratio to the cost of \
             the best method. "
            code { "mbsbench compare " (ranks.label) } " prints the same."
        }
        @for (index, (work, lines)) in ranks.tables().iter().enumerate() {
            @match lines {
                Err(reason) => p { "By " (work) ": " (reason) "." },
                Ok(lines) => details open[index == 0] {
                    summary { "By " (work) }
                    div.scroll { table {
                        thead { tr { @for head in &lines[0] { th { (head) } } } }
                        tbody { @for line in &lines[1..] {
                            tr {
                                th scope="row" {
                                    @if let Some(page) = page(&line[0]) { a href=(page) { (line[0]) } }
                                    @else { (line[0]) }
                                }
                                @for cell in &line[1..] { td { (cell) } }
                            }
                        } }
                    } }
                },
            }
        }
        @for (why, titles) in ranks.absent() { p.small { "Not run on " (titles.join("; ")) ": " (why) "." } }
    }
}

/// Lines that are indented by two spaces a level.
fn indented(lines: &[String]) -> Markup {
    html! {
        @for line in lines {
            @let text = line.trim_start();
            p.(format!("in-{}", (line.len() - text.len()) / 2)) {
                // A line is `name: description`, or a description.
                @match text.split_once(": ").filter(|(name, _)| !name.trim_start_matches("- ").contains(' ')) {
                    Some((name, rest)) => { code { (name) } ": " (rest) },
                    None => (text),
                }
            }
        }
    }
}
