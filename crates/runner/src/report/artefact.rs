//! Tables and figures with the statements about them, their experiment and the command that reproduces them.

use std::collections::BTreeSet;
use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::{Filter, PanelSpec, Placed, Plan, panel_id};
use mbsbench_judge::claims::Judged;

use super::methods::file_of;
use super::page::{anchor, animation, badge, experiment_anchor, figure_named, sign, size_of};
use super::places::places;
use super::results_table::Table;
use super::statement::{Found, statement, target};
use super::{Result, read};

/// Largest width of a figure or table that has statements beside it, px.
const WIDEST_BESIDE: u32 = 640;

/// A table or figure of an experiment.
pub(crate) struct Artefact<'r> {
    /// The id: `table-3.1`, `figure-3.8`.
    pub id: &'r str,
    /// The heading.
    pub title: &'r str,
    /// An explanation of the contents; may be empty.
    pub caption: &'r str,
    /// The experiment.
    pub plan: &'r Plan,
    /// The kind of artefact.
    pub kind: Kind,
    /// The filters of the runs that it shows, and the largest number of runs.
    shown: Vec<(&'r Filter, usize)>,
}

/// The kinds of artefacts in the results of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A table of numbers.
    Table,
    /// A plot or a drawing.
    Figure,
    /// An animated mechanism.
    Animation,
}

impl<'r> Artefact<'r> {
    /// Returns the artefacts of some plans, the paper's own first: by chapter if their numbers have two parts, and
    /// within a chapter tables before figures.
    pub fn all(plans: &[&'r Plan]) -> Vec<Self> {
        let mut artefacts = Vec::new();
        for &plan in plans {
            let experiment = &plan.experiment;
            let mut add = |kind, id, title: &'r Option<String>, caption: &'r Option<String>, shown| {
                let (title, caption) = (title.as_deref().unwrap_or(id), caption.as_deref().unwrap_or_default());
                artefacts.push(Self { id, title, caption, plan, kind, shown });
            };
            for Placed { value, .. } in &experiment.tables {
                add(Kind::Table, &value.id, &value.title, &value.caption, vec![(&value.filter, usize::MAX)]);
            }
            for Placed { value, .. } in &experiment.plots {
                // Without series, a panel over time shows one run.
                let most = |panel: &PanelSpec| if panel.series.is_none() && panel.x == "t" { 1 } else { usize::MAX };
                let shown = value.panels.iter().map(|panel| (&panel.filter, most(panel))).collect();
                add(Kind::Figure, &value.id, &value.title, &value.caption, shown);
            }
            for Placed { value, .. } in &experiment.drawings {
                add(Kind::Figure, &value.id, &value.title, &value.caption, vec![(&value.filter, 1)]);
            }
            for Placed { value, .. } in &experiment.animations {
                add(Kind::Animation, &value.id, &value.title, &value.caption, vec![(&value.filter, usize::MAX)]);
            }
        }
        artefacts.sort_by_cached_key(|artefact| {
            (!artefact.is_published(), chapter(artefact.id), artefact.kind != Kind::Table, numbers(artefact.id))
        });
        artefacts
    }

    /// True if the paper has this table or figure, according to its experiment.
    pub fn is_published(&self) -> bool {
        let name = self.name();
        self.plan.experiment.reproduces.contains(&name)
    }

    /// The names of the methods that it shows.
    pub fn methods(&self) -> BTreeSet<&'r str> {
        let runs = self.shown.iter().flat_map(|(filter, most)| self.plan.meant(filter).take(*most));
        runs.map(|(_, run)| run.method.name()).collect()
    }

    /// The name: `Table 3.1`.
    pub fn name(&self) -> String {
        let (kind, number) = self.id.split_once('-').unwrap_or((self.id, ""));
        let mut letters = kind.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        format!("{}{} {number}", first.map(String::from).unwrap_or_default(), letters.as_str()).trim_end().to_owned()
    }

    /// True if a place of a statement refers to it: `Figure 3.1`, `Figures 2 to 4`, `Tables 5.3-5.6`.
    pub fn is_place_of(&self, place: &str) -> bool {
        places(&self.name()).iter().any(|own| places(place).contains(own))
    }

    /// Returns its section of a page, with the statements about it, and links to the statements that are placed
    /// elsewhere. The page `experiments` has its experiment file.
    pub fn section(&self, experiments: &str, [judged, linked]: [&[&Judged]; 2], found: &Found<'_>) -> Result<Markup> {
        let folder = found.results.join(&self.plan.experiment.id);
        let id = &self.plan.experiment.id;
        let link = |kind: &str| format!("../{id}/{}.{kind}", self.id);
        let (shown, [width, _]) = match self.kind {
            Kind::Table => {
                let table = Table::read(&folder, self.id)?;
                (table.shown(judged), [table.width(), 0])
            }
            Kind::Figure => {
                let svg = self.svg(found.results)?;
                (figure_named(&svg, self.id, &self.anchor()), size_of(&svg))
            }
            Kind::Animation => {
                let size = size_of(&self.svg(found.results)?);
                (animation(&link("svg"), size, self.title), size)
            }
        };
        let kinds: &[&str] = if self.kind == Kind::Table { &["csv", "md"] } else { &["svg", "csv"] };
        let kinds = kinds.iter().filter(|kind| folder.join(format!("{}.{kind}", self.id)).exists());
        // A figure of several panels may have its data in one file for each panel.
        let of_panels = (0..).map_while(|panel| panel_id(self.id, panel)).map(|panel| format!("{panel}.csv"));
        let of_panels: Vec<String> = of_panels.take_while(|name| folder.join(name).exists()).collect();
        let assured = found.assured(self.plan);
        let is_alone = judged.is_empty() && linked.is_empty();
        let width = if is_alone || width > WIDEST_BESIDE { "wide" } else { "" };
        let (shows, more) = first_sentence(self.caption);
        // A figure without a caption shows what the first statement about it says.
        let first = judged.iter().chain(linked).next().map(|each| each.statement.says.as_str());
        let shows = if shows.is_empty() { first.unwrap_or_default() } else { shows };
        Ok(html! {
            section.artefact.(width) id=(self.anchor()) {
                h3 {
                    @let own = format!("#{}", self.anchor());
                    @if self.is_published() { a.self href=(own) { (self.name()) } ": " (self.title) }
                    @else { a.self href=(own) { (self.title) } }
                }
                @if !shows.is_empty() { p.shows { (shows) } }
                div.shown {
                    (shown)
                    @if !more.is_empty() { p.caption { (more) } }
                    p.links {
                        @for kind in kinds { a href=(link(kind)) { (kind.to_uppercase()) } " · " }
                        @if !of_panels.is_empty() {
                            "CSV by panel"
                            @for (number, name) in of_panels.iter().enumerate() {
                                " " a href=(format!("../{id}/{name}")) { (number + 1) }
                            }
                            " · "
                        }
                        a href=(format!("../{id}/runs.csv")) { "runs.csv" } " · "
                        a href=(format!("{experiments}#{}", experiment_anchor(id))) { "YAML" } " · "
                        code { "mbsbench reproduce " (id) }
                        @if !assured.is_empty() { br; "Runs: " (assured.join("; ")) }
                        @let methods = found.pages.among(self.methods());
                        @if !methods.is_empty() { br; "Methods: " @for (index, name) in methods.iter().enumerate() {
                            @if index > 0 { ", " } a href=(file_of(name)) { (name) }
                        } }
                    }
                }
                @if !is_alone {
                    div.said {
                        @for each in judged { (statement(&self.plan.experiment.paper, each, found)) }
                        @for each in linked {
                            p.elsewhere {
                                (badge(each.verdict())) " "
                                a href=(format!("#{}", target(&each.statement.id))) { (each.statement.says) }
                            }
                        }
                    }
                }
            }
        })
    }

    /// The SVG of its first panel if that is a separate file, else of all of it.
    pub fn first_panel(&self, results: &Path) -> Result<(String, String)> {
        let panel = panel_id(self.id, 0).unwrap_or_default();
        let path = results.join(&self.plan.experiment.id).join(format!("{panel}.svg"));
        if path.exists() { Ok((panel, read(&path)?)) } else { Ok((self.id.to_owned(), self.svg(results)?)) }
    }

    /// The target of links to it, unique on the page. If the paper has it, this is its id.
    pub fn anchor(&self) -> String {
        if self.is_published() {
            self.id.to_owned()
        } else {
            format!("{}-{}", anchor(&self.plan.experiment.id), self.id)
        }
    }

    /// The SVG of a figure.
    pub fn svg(&self, results: &Path) -> Result<String> {
        read(&results.join(&self.plan.experiment.id).join(format!("{}.svg", self.id)))
    }
}

/// Splits a caption after its first sentence.
fn first_sentence(caption: &str) -> (&str, &str) {
    let mut ends = caption.match_indices(". ").map(|(dot, _)| caption.split_at(dot + 1));
    let first = ends.find(|(_, rest)| rest.trim_start().starts_with(char::is_uppercase));
    first.map_or((caption.trim(), ""), |(first, rest)| (first, rest.trim()))
}

/// The numbers in an id, followed by the id, so that `figure-3.10` comes after `figure-3.5`.
fn numbers(id: &str) -> (Vec<u64>, String) {
    let digits = id.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    (digits.collect(), id.to_owned())
}

/// The first of two numbers in an id: `3` of `figure-3.10`; 0 if there is only one.
fn chapter(id: &str) -> u64 {
    let number = id.split_once('-').and_then(|(_, number)| number.split_once('.')).map(|(chapter, _)| chapter.parse());
    number.and_then(Result::ok).unwrap_or(0)
}

/// A link to an artefact with the verdicts of its statements as signs.
pub(super) fn entry(artefact: &Artefact<'_>, judged: [&[&Judged]; 2]) -> Markup {
    let verdicts: BTreeSet<_> = judged.into_iter().flatten().map(|each| each.verdict()).collect();
    html! {
        li {
            a href=(format!("#{}", artefact.anchor())) { (artefact.name()) }
            @for verdict in verdicts { " " span.(verdict.name()) title=(verdict) { (sign(verdict)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, numbers};

    #[test]
    fn a_caption_is_split_after_its_first_sentence() {
        for (caption, parts) in [
            (
                "Steps of 0.02 s, Eq. 3. The others adapt. Twice.",
                ("Steps of 0.02 s, Eq. 3.", "The others adapt. Twice."),
            ),
            ("See Eq. 30; one sentence.\n", ("See Eq. 30; one sentence.", "")),
            ("", ("", "")),
        ] {
            assert_eq!(first_sentence(caption), parts);
        }
    }

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let mut ids = ["figure-3.10", "figure-3.5", "figure-12", "figure-3.5a"];
        ids.sort_by_key(|id| numbers(id));
        assert_eq!(ids, ["figure-3.5", "figure-3.5a", "figure-3.10", "figure-12"]);
    }
}
