//! Tables and figures with the statements about them, the experiment behind them and the command that redoes them.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_experiment::plan::Plan;
use mbsbench_judge::claims::Judged;
use mbsbench_judge::comparison::COMPARISON;
use mbsbench_numbers::{short, unguarded};

use super::page::{anchor, badge, figure_named, sign};
use super::{ReportError, read, statement};

/// A table or figure of an experiment.
pub(super) struct Artefact<'r> {
    /// `table-3.1`, `figure-3.8`.
    pub id: &'r str,
    /// Its heading.
    pub title: &'r str,
    /// What there is to see in it; empty where nothing is said.
    pub caption: &'r str,
    /// The experiment.
    pub plan: &'r Plan,
    /// Whether it is a table.
    pub is_table: bool,
}

impl<'r> Artefact<'r> {
    /// Those of some plans: in the order of their numbers, the paper's own first.
    pub fn all(plans: &[&'r Plan]) -> Vec<Self> {
        let mut artefacts = Vec::new();
        for &plan in plans {
            let experiment = &plan.experiment;
            let tables = experiment.tables.iter().map(|table| {
                let spec = &table.value;
                (spec.id.as_str(), spec.title.as_deref(), spec.caption.as_deref(), true)
            });
            let figures = experiment.plots.iter().map(|plot| {
                let spec = &plot.value;
                (spec.id.as_str(), spec.title.as_deref(), spec.caption.as_deref(), false)
            });
            let drawings = experiment.drawings.iter().map(|drawing| {
                let spec = &drawing.value;
                (spec.id.as_str(), spec.title.as_deref(), spec.caption.as_deref(), false)
            });
            artefacts.extend(tables.chain(figures).chain(drawings).map(|(id, title, caption, is_table)| Self {
                id,
                title: title.unwrap_or(id),
                caption: caption.unwrap_or_default(),
                plan,
                is_table,
            }));
        }
        artefacts.sort_by_cached_key(|artefact| (!artefact.is_published(), !artefact.is_table, numbers(artefact.id)));
        artefacts
    }

    /// Whether the paper has it: its experiment says so.
    pub fn is_published(&self) -> bool {
        let name = self.name();
        self.plan.experiment.reproduces.contains(&name)
    }

    /// `Table 3.1`.
    pub fn name(&self) -> String {
        let (kind, number) = self.id.split_once('-').unwrap_or((self.id, ""));
        let mut letters = kind.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        format!("{}{} {number}", first.map(String::from).unwrap_or_default(), letters.as_str()).trim_end().to_owned()
    }

    /// Whether a statement speaks of it.
    pub fn is_place_of(&self, place: &str) -> bool {
        let name = self.name();
        place.match_indices(&name).any(|(start, _)| {
            // `Table 3.1` is no part of `Table 3.12`, `Figure 3.1` none of `Figure 3.1.2`.
            let rest = &place[start + name.len()..];
            let goes_on = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
            !goes_on(rest) && !rest.strip_prefix('.').is_some_and(goes_on)
        })
    }

    /// The section of a page, with the statements that speak of it.
    pub fn section(&self, results: &Path, paper: &str, judged: &[&Judged]) -> Result<Markup, ReportError> {
        let folder = results.join(&self.plan.experiment.id);
        let shown = if self.is_table { self.table(&folder, judged)? } else { self.figure(&folder)? };
        let id = &self.plan.experiment.id;
        let link = |kind: &str| format!("../{id}/{}.{kind}", self.id);
        let kinds: &[&str] = if self.is_table { &["csv", "md"] } else { &["svg", "csv"] };
        // The data of a figure of several panels lie beside its panels.
        let kinds = kinds.iter().filter(|kind| folder.join(format!("{}.{kind}", self.id)).exists());
        let name = if self.is_published() { self.name() } else { beyond(paper).to_owned() };
        Ok(html! {
            section.artefact id=(self.anchor()) {
                div.shown {
                    h3 { (name) ": " (self.title) }
                    (shown)
                }
                @if !self.caption.is_empty() { p.caption { (self.caption) } }
                p.links {
                    @for kind in kinds { a href=(link(kind)) { (kind.to_uppercase()) } " " }
                    a href=(format!("../{id}/runs.csv")) { "runs.csv" } " "
                    code { "mbsbench reproduce " (id) }
                }
                @for each in judged { (statement::statement(paper, each)) }
                p.links { "The experiment: " a href=(format!("#{}", experiment_anchor(id))) { code { "experiments/" (id) ".yaml" } } }
            }
        })
    }

    /// The target of links to it, unique on the page.
    pub fn anchor(&self) -> String {
        format!("{}-{}", anchor(&self.plan.experiment.id), self.id)
    }

    /// The SVG of a figure, with names that are unique on a page.
    fn figure(&self, folder: &Path) -> Result<Markup, ReportError> {
        let text = read(&folder.join(format!("{}.svg", self.id)))?;
        Ok(figure_named(&text, self.id, &self.anchor()))
    }

    /// A table from its CSV file, cells with the verdicts of their checks.
    fn table(&self, folder: &Path, judged: &[&Judged]) -> Result<Markup, ReportError> {
        let path = folder.join(format!("{}.csv", self.id));
        let text = read(&path)?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let damaged = |error: csv::Error| ReportError { path: path.clone(), error: error.into() };
        let heads = reader.headers().map_err(damaged)?.clone();
        let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().map_err(damaged)?;
        let column = |name: &str| heads.iter().position(|head| head == name);
        let field = |record: &csv::StringRecord, index: Option<usize>| {
            index.and_then(|index| record.get(index)).map_or_else(String::new, |cell| unguarded(cell).to_owned())
        };
        let distinct = |index: usize| {
            let mut labels: Vec<String> = Vec::new();
            for label in records.iter().map(|record| field(record, Some(index))) {
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
            labels
        };
        let (rows, columns) = (distinct(0), distinct(1));
        let has_published = records.iter().any(|record| !field(record, column("published")).is_empty());
        let cell = |row: &str, head: &str| {
            let record = records.iter().find(|record| unguarded(&record[0]) == row && unguarded(&record[1]) == head);
            let text = |name: &str| record.map(|record| field(record, column(name))).unwrap_or_default();
            let measured = match text("measured").parse::<f64>() {
                Ok(number) => short(number),
                Err(_) if !text("failure").is_empty() => format!("{} at {} s", text("failure"), text("t_reached")),
                Err(_) => "–".to_owned(),
            };
            let cell = format!("{}/{row}/{head}", self.id).to_lowercase();
            let mut checks = judged.iter().flat_map(|each| &each.checks);
            let verdict = checks.find(|each| each.check.id == cell).map(|each| each.standing.verdict);
            html! {
                @if has_published { td.number.published { (text("published")) } }
                td.number.(verdict.map_or("", |verdict| verdict.name())) title=[verdict.map(|verdict| verdict.name())] {
                    (measured)
                    @if let Some(verdict) = verdict { span.sign { (sign(verdict)) } }
                }
            }
        };
        Ok(html! {
            div.scroll {
                table.results {
                    thead {
                        tr {
                            th rowspan=[has_published.then_some(2)] { (unguarded(&heads[0])) }
                            @for head in &columns { th colspan=[has_published.then_some(2)] { (head) } }
                        }
                        @if has_published {
                            tr { @for _ in &columns { th { "published" } th { "here" } } }
                        }
                    }
                    tbody {
                        @for row in &rows {
                            tr { th { (row) } @for head in &columns { (cell(row, head)) } }
                        }
                    }
                }
            }
        })
    }
}

/// What artefacts are called that are no paper's.
fn beyond(paper: &str) -> &'static str {
    if paper == COMPARISON { "All methods" } else { "Beyond the paper" }
}

/// The numbers in a name, so that `figure-3.10` comes after `figure-3.5`; then the name.
fn numbers(id: &str) -> (Vec<u64>, String) {
    let digits = id.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    (digits.collect(), id.to_owned())
}

/// The target of links to the file of an experiment.
pub(super) fn experiment_anchor(id: &str) -> String {
    format!("experiment-{}", anchor(id))
}

/// A link to an artefact with the verdicts of its statements in short.
pub(super) fn entry(artefact: &Artefact<'_>, judged: &[&Judged]) -> Markup {
    let mut verdicts: Vec<_> = judged.iter().map(|each| each.verdict).collect();
    verdicts.sort_unstable();
    verdicts.dedup();
    html! {
        li {
            a href=(format!("#{}", artefact.anchor())) { (artefact.name()) }
            " " @for verdict in verdicts { (badge(verdict)) " " }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let mut ids = ["figure-3.10", "figure-3.5", "figure-12", "figure-3.5a"];
        ids.sort_by_key(|id| numbers(id));
        assert_eq!(ids, ["figure-3.5", "figure-3.5a", "figure-3.10", "figure-12"]);
    }
}
