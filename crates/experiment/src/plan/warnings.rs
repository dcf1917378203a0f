//! Warnings about parts of a file that have no effect.

use std::collections::{HashMap, HashSet};
use std::f64::consts::TAU;
use std::sync::Arc;

use mbsbench_input::{Document, LARGEST_TEXT, Node, Place, Problem, Source, Value, read_file};

use super::{Plan, RunSpec, checks::runs_of};
use crate::{Case, Role};

/// The largest number of runs of a case among which equal ones are sought; more would take too long.
const LOOKED_AT: usize = 2000;

impl Plan {
    /// Returns a warning with its position for each accepted part of the file that has less effect than its author
    /// probably expects.
    pub fn warnings(&self) -> Vec<(String, Problem)> {
        let source = &self.experiment.document.source;
        let mut wide: Vec<(String, Problem)> = Vec::new();
        let mut warnings: Vec<Problem> = Vec::new();
        let mut before = HashMap::new();
        for case in &self.experiment.cases {
            let runs: Vec<&RunSpec> = runs_of(self, case).take(LOOKED_AT).collect();
            wide.extend(in_degrees(&self.experiment.document, &runs));
            warnings.extend(unheeded(case, &runs));
            warnings.extend(twice(self, case, &runs));
            warnings.extend(repeated(case, &runs, &mut before));
        }
        for ranking in &self.experiment.rankings {
            let meant = self.runs.iter().filter(|run| self.is_meant(run, &ranking.value.filter));
            let mut labels: Vec<&str> = meant.map(|run| run.method_label.as_str()).collect();
            labels.dedup();
            if let [only] = labels[..] {
                let problem = Problem::new(ranking.node.place, format!("`{only}` is the only ranked method"));
                warnings.push(problem.help("a ranking compares methods: add others, or remove the ranking"));
            }
        }
        wide.extend(warnings.into_iter().map(|problem| (source.position(problem.place), problem)));
        wide
    }
}

/// Warns about angles of models that exceed a full turn in radians and were probably meant in degrees.
fn in_degrees(document: &Document, runs: &[&RunSpec]) -> Vec<(String, Problem)> {
    let Document { source, root } = document;
    let mut models: HashSet<_> = HashSet::new();
    let mut warned = HashSet::new();
    let mut problems = Vec::new();
    for model in runs.iter().map(|run| &run.model).filter(|model| models.insert(Arc::as_ptr(model))) {
        for (path, angle) in model.wide_angles() {
            let name = model.place.unwrap_or(root.place);
            let place = below(root, name).map_or(name, |parameters| parameters.place_of(&path));
            let message = format!("`{path}` is {angle} rad, which is {:.1} turns", angle / TAU);
            if warned.insert((place, message.clone())) {
                let help = format!("if degrees are meant, write radians: {angle}° is {:.6} rad", angle.to_radians());
                let position = in_file(source, place, &path).unwrap_or_else(|| source.position(place));
                problems.push((position, Problem::new(place, message).help(help)));
            }
        }
    }
    problems
}

/// Returns the position of a parameter in the file of a mechanism; `None` if the place does not name such a file.
fn in_file(source: &Source, place: Place, path: &str) -> Option<String> {
    let name = source.text().get(place.start..place.end)?.trim_matches(['"', '\'']);
    let file = source.folder().join(name);
    let document = Document::parse(&file, &read_file(&file, LARGEST_TEXT).ok()?).ok()?;
    Some(document.source.position(document.root.place_of(path)))
}

/// Returns the value of the key at a place.
fn below(node: &Node, key: Place) -> Option<&Node> {
    match &node.value {
        Value::Map(entries) => {
            let own = entries.iter().find(|entry| entry.key.place == key).map(|entry| &entry.value);
            own.or_else(|| entries.iter().find_map(|entry| below(&entry.value, key)))
        }
        Value::List(items) => items.iter().find_map(|item| below(item, key)),
        _ => None,
    }
}

/// Warns about several tolerances for a method that ignores them.
fn unheeded(case: &Case, runs: &[&RunSpec]) -> Option<Problem> {
    let axis = case.axes.iter().find(|axis| axis.role == Role::Control && axis.points.len() > 1)?;
    let run = runs.iter().find(|run| {
        let method = run.method.object.method();
        run.method.own_control().is_none()
            && method.properties().adapts
            && method.properties().ignores_tolerance
            && axis.name == "tolerance"
    })?;
    let message =
        format!("`{}` ignores the tolerance: its runs are the same for all of these values", run.method.name());
    let place = axis.points[0].node.place;
    Some(Problem::new(place, message).help("give it a separate case, with its own parameter"))
}

/// Warns about identical runs of a case.
fn twice(plan: &Plan, case: &Case, runs: &[&RunSpec]) -> Option<Problem> {
    let mut first: HashMap<&str, &RunSpec> = HashMap::new();
    let (one, other) = runs.iter().find_map(|run| Some((first.insert(run.key().full(), run)?, run)))?;
    let cells = plan.axes.iter().zip(one.cells.iter().zip(&other.cells));
    let axes: Vec<String> = cells.filter(|(_, (a, b))| a != b).map(|(axis, _)| format!("`{axis}`")).collect();
    let problem = Problem::new(case.place, format!("runs with different {} are identical", axes.join(" and ")));
    Some(problem.help("the axis has no effect there: remove it, or all of its values but one"))
}

/// Warns about a case whose runs all occur in earlier cases. Single runs may occur in several cases, as a basis of
/// comparison in each.
fn repeated<'p>(case: &'p Case, runs: &[&'p RunSpec], before: &mut HashMap<&'p str, &'p Case>) -> Option<Problem> {
    let first = runs.first().and_then(|run| before.get(run.key().full()).copied());
    let adds = runs.iter().any(|run| !before.contains_key(run.key().full()));
    for run in runs {
        before.entry(run.key().full()).or_insert(case);
    }
    let first = first.filter(|_| !adds)?.name.as_deref().unwrap_or_default();
    let name = case.name.as_deref().unwrap_or_default();
    let problem =
        Problem::new(case.place, format!("all runs of the case `{name}` occur in `{first}` or other cases before it"));
    Some(problem.help("its settings have no effect: remove or change them"))
}
