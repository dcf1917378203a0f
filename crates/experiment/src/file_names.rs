//! Names of the files of tables, figures and drawings.

use std::collections::HashMap;

use mbsbench_input::{Document, Node, Place, Problem};

use super::identity::is_safe_name;
use super::spec::MOST_PANELS;
use super::{Experiment, Placed, Problems};

/// Names of files that the program writes besides tables and figures.
const RESERVED: [&str; 6] = ["ranking", "reconstruction", "references", "runs", "set-ups", "timings"];

/// Returns the name of a panel's own file, with panels counted from zero: `figure-3a`, `figure-3b`, … `None` beyond
/// `z`.
pub fn panel_id(figure: &str, panel: usize) -> Option<String> {
    ('a'..='z').nth(panel).map(|letter| format!("{figure}{letter}"))
}

/// Checks that ids, with and without the letters of panels, are valid file names and unique.
pub(super) fn check(experiment: &Experiment, problems: &mut Problems) {
    let Experiment { document, tables, plots, drawings, animations, .. } = experiment;
    let mut names = Names { document, seen: HashMap::new(), problems };
    tables.iter().for_each(|Placed { value, node }| names.id("table", &value.id, node));
    plots.iter().for_each(|Placed { value, node }| names.id("figure", &value.id, node));
    drawings.iter().for_each(|Placed { value, node }| names.id("drawing", &value.id, node));
    animations.iter().for_each(|Placed { value, node }| names.id("animation", &value.id, node));
    for Placed { value, node } in plots.iter().filter(|figure| figure.value.separate) {
        names.panels(&value.id, value.panels.len(), node);
    }
    for Placed { value, node } in drawings {
        let panels = value.views.len().saturating_mul(value.at.as_ref().map_or(1, Vec::len));
        if panels > MOST_PANELS {
            let problem = Problem::new(node.place_of("views"), format!("the drawing has {panels} panels"));
            names.problems.add(
                problem.help(format!("accepted: at most {MOST_PANELS}, the number of views times the number of times")),
            );
        }
        names.panels(&value.id, panels, node);
    }
}

struct Names<'d> {
    document: &'d Document,
    /// The kind and place of the output that uses each name.
    seen: HashMap<String, (&'static str, Place)>,
    problems: &'d mut Problems,
}

impl Names<'_> {
    /// Registers the id of a table or figure.
    fn id(&mut self, what: &'static str, id: &str, node: &Node) {
        let place = node.place_of("id");
        if !is_safe_name(id) {
            let help = "accepted: lower-case letters, digits, `.` and `-`, such as `table-3.2`, but not the name of a \
                        device such as `con`";
            let message = format!("`{}` is not a file name", id.escape_debug());
            self.problems.refuse(place, message, help);
        } else if RESERVED.contains(&id) {
            let message = format!("`{id}.csv` is the name of a file that every experiment has");
            self.problems.refuse(place, message, "accepted: any other id");
        } else if let Some((_, first)) = self.seen.get(id) {
            let first = self.place(*first);
            self.problems.refuse(place, format!("the id `{id}` is already used at {first}"), "ids must differ");
        } else {
            self.seen.insert(id.to_owned(), (what, place));
        }
    }

    /// Describes a place in the same file.
    fn place(&self, place: Place) -> String {
        let (line, column) = self.document.source.line_and_column(place);
        format!("line {line}, column {column}")
    }

    /// Registers the names of the panels of a figure with several panels.
    fn panels(&mut self, id: &str, panels: usize, node: &Node) {
        let place = node.place_of("id");
        for name in (0..panels).filter(|_| panels > 1).map_while(|panel| panel_id(id, panel)) {
            let help = "accepted: an id that, followed by a letter, is not the name of another file";
            if RESERVED.contains(&name.as_str()) {
                let message = format!("a panel of `{id}` would be the file `{name}.csv`, which every experiment has");
                self.problems.refuse(place, message, help);
            } else if let Some((what, first)) = self.seen.get(&name).copied() {
                let first = self.place(first);
                let message = format!("a panel of `{id}` would be the file `{name}.csv`, like the {what} at {first}");
                self.problems.refuse(place, message, help);
            } else {
                self.seen.insert(name, ("panel", place));
            }
        }
    }
}
