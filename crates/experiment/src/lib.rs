//! Experiment files: their contents, checked as far as possible without running anything, and the runs that they plan.
//!
//! ```text
//! Document ──Experiment::read──▶ Experiment { cases: axes, span, measures, … } ──plan──▶ runs
//! ```
//!
//! The [`Registry`] lists the available models, methods and measures.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod account;
mod axis;
mod case;
pub mod columns;
mod every;
mod external_reference;
mod file_names;
mod gathered;
mod identity;
mod includes;
mod keys;
pub mod lists;
mod merge;
pub mod plan;
mod problems;
pub mod provenance;
mod published;
mod ranking;
mod recording;
mod reference;
pub mod registry;
mod rules;
pub mod schema;
pub mod spec;
mod study;
mod trajectory_file;
pub mod undetermined;
pub mod units;

pub use account::Account;
pub use axis::{Axis, AxisPoint, Label, Role};
pub use case::{Case, Exclusion, read_settings};
pub use every::Every;
pub use external_reference::{Bound, ExternalReference, ExternalReferenceSpec};
pub use file_names::panel_id;
pub use gathered::Gathered;
pub use identity::{is_safe_name, read_id};
pub use includes::{ContenderEntry, included, read_contender, read_contenders, read_method, read_robot};
pub use plan::{Plan, ReferencePlan, RunKey, RunSpec};
pub use problems::Problems;
pub use provenance::{Provenance, Provenances};
pub use published::{Published, PublishedError, read_trajectory};
pub use ranking::RankingSpec;
pub use recording::Recording;
pub use reference::{Control, Origin, Precision, ReferenceSpec, SolvedSpec, SolverSpec};
pub use registry::{Choice, Contender, Registry};
pub use rules::Rule;
pub use spec::{AnimationSpec, AxisValue, DrawingSpec, Filter, Layout, PanelSpec, TableSpec};
pub use study::{Feature, StudySpec};
pub use trajectory_file::TrajectoryFile;
pub use undetermined::{Reading, Undetermined, Varies};

use mbsbench_input::{BadInput, Document, Key, Node, Problem, Value, read, refuse};
use spec::{FigureSpec, Timing};
use undetermined::{read_given, read_set, read_undetermined};

/// The version of the file format.
const SCHEMA: u32 = 2;

/// An experiment file.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// The text and its nodes.
    pub document: Document,
    /// The id, `paper/name`.
    pub id: String,
    /// The paper it belongs to.
    pub paper: String,
    /// The tables and figures of the paper that the experiment reproduces.
    pub reproduces: Vec<String>,
    /// The heading, in our words.
    pub title: Option<String>,
    /// The experiments whose runs are shown, if the experiment has none of its own.
    pub gathers: Vec<Placed<Gathered>>,
    /// The cases. There is one case without a name if the file has no `cases`, and none if the experiment gathers runs
    /// of others.
    pub cases: Vec<Case>,
    /// Tables with their nodes.
    pub tables: Vec<Placed<TableSpec>>,
    /// Figures with their nodes.
    pub plots: Vec<Placed<FigureSpec>>,
    /// Drawings of mechanisms with their nodes.
    pub drawings: Vec<Placed<DrawingSpec>>,
    /// Animations of mechanisms with their nodes.
    pub animations: Vec<Placed<AnimationSpec>>,
    /// Rankings of the cheapest methods, with their nodes.
    pub rankings: Vec<Placed<RankingSpec>>,
    /// How the runs are timed; `None` if they are not.
    pub timing: Option<Timing>,
    /// Observables to record in addition to those that plots need.
    pub trajectories: Vec<Placed<String>>,
    /// How each parameter is known; `None` if the file does not say.
    pub known: Option<Provenances>,
    /// Parameters that the paper leaves out, by path.
    pub undetermined: Vec<(Key, Undetermined)>,
    /// The statements of the paper about the set-up, one node each.
    pub given: Vec<Node>,
    /// The runs and checks of a reconstruction.
    pub study: StudySpec,
    /// Parameters, by path, that are set in every run that has them.
    pub set: Vec<(Key, Node)>,
    /// True if the axes come from `quick:`.
    pub quick: bool,
}

/// A part of the file with the node from which it was read.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// The part.
    pub value: T,
    /// The node.
    pub node: Node,
}

impl Experiment {
    /// Returns the parameters that have a range, with their ranges.
    pub fn sampled(&self) -> impl Iterator<Item = (&Key, [f64; 2])> + Clone {
        self.undetermined.iter().filter_map(|(key, undetermined)| Some((key, undetermined.range()?)))
    }

    /// Returns the alternative readings of the text, without those of the file.
    pub fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.undetermined.iter().flat_map(|(_, undetermined)| undetermined.readings())
    }

    /// Returns the names of everything that varies from set-up to set-up: parameters with a range, readings, features.
    pub fn variables(&self) -> Vec<&str> {
        let parameters = self.sampled().map(|(key, _)| key.name.as_str());
        let readings = self.readings().map(|reading| reading.name.as_str());
        parameters.chain(readings).chain(self.study.features.iter().map(|feature| feature.name.as_str())).collect()
    }

    /// True if a file of `paper` refers to this experiment by `name`: the whole id, or the part after the slash within
    /// the same paper.
    pub fn is_called(&self, name: &str, paper: &str) -> bool {
        let own = self.id.split_once('/').map(|(_, own)| own);
        self.id == name || (self.paper == paper && own == Some(name))
    }

    /// Reads an experiment; with `quick`, the overrides under `quick:` apply.
    ///
    /// # Errors
    /// Fails if the file is not valid, with every problem that can be found without the files that it names.
    pub fn read(document: &Document, registry: &Registry, quick: bool) -> Result<Self, BadInput> {
        let root = &document.root;
        if !matches!(root.value, Value::Map(_)) {
            let problem = Problem::new(root.place, format!("found {} instead of an experiment", root.describe()));
            return Err(document.bad(vec![problem.help("an experiment is a map that begins with `id: paper/name`")]));
        }
        let mut problems = Problems::default();
        problems.extend(keys::unknown(root, "key", &keys::names(&[keys::SHOWN, keys::RUN, keys::RUNS])));
        // A missing key of the runs may be one that is misspelt.
        let reads_cases = problems.is_empty() && root.get("gathers").is_none();
        problems.keep(check_schema(root));
        let id = problems.kept(read_id(root));
        let undetermined = problems.keep(read_undetermined(root));
        let study = undetermined.as_ref().and_then(|varied| problems.keep(StudySpec::read(root, varied)));
        let experiment = Self {
            document: document.clone(),
            paper: id.split('/').next().unwrap_or_default().to_owned(),
            id,
            reproduces: problems.kept(read_or_default(root, "reproduces")),
            title: problems.kept(read_or_default(root, "title")),
            timing: problems.kept(read_timing(root)),
            known: problems.kept(Provenances::read(root)),
            study: study.unwrap_or_default(),
            undetermined: undetermined.unwrap_or_default(),
            given: problems.kept(read_given(root)),
            set: problems.kept(read_set(root)),
            trajectories: problems.kept(items(root, "trajectories", read)),
            tables: problems.kept(items(root, "tables", read)),
            plots: problems.kept(items(root, "plots", spec::read_figure)),
            drawings: problems.kept(items(root, "drawings", read)),
            animations: problems.kept(items(root, "animations", read)),
            rankings: problems.kept(items(root, "rankings", ranking::read_ranking)),
            gathers: problems.kept(gathered::read_gathered(root)),
            cases: if reads_cases { case::read_cases(root, registry, quick, &mut problems) } else { Vec::new() },
            quick,
        };
        file_names::check(&experiment, &mut problems);
        problems.into_result(document)?;
        Ok(experiment)
    }
}

/// Checks the file format that a file may name.
fn check_schema(root: &Node) -> Result<(), Problem> {
    let Some(node) = root.get("schema") else { return Ok(()) };
    match read::<u32>(node)? {
        SCHEMA => Ok(()),
        other => refuse(node.place, format!("file format {other} is not supported"), format!("accepted: {SCHEMA}")),
    }
}

fn read_or_default<T: serde::de::DeserializeOwned + Default>(root: &Node, key: &str) -> Result<T, Problem> {
    root.get(key).map_or_else(|| Ok(T::default()), read)
}

/// Reads the items of a list under `key`, each with its node; empty if the key is missing.
fn items<T>(root: &Node, key: &str, read: impl Fn(&Node) -> Result<T, Problem>) -> Result<Vec<Placed<T>>, Problem> {
    list(root, key)?.iter().map(|node| Ok(Placed { value: read(node)?, node: node.clone() })).collect()
}

/// Returns the nodes of a list under `key`; empty if the key is missing.
fn list<'n>(root: &'n Node, key: &str) -> Result<&'n [Node], Problem> {
    match root.get(key) {
        None => Ok(&[]),
        Some(Node { value: Value::List(items), .. }) => Ok(items),
        Some(node) => Err(Problem::found(node).help("accepted: a list, `[ … ]`")),
    }
}

fn read_timing(root: &Node) -> Result<Option<Timing>, Problem> {
    let Some(node) = root.get("timing") else { return Ok(None) };
    let timing: Timing = read(node)?;
    let refused = |key, message, help| refuse(node.place_of(key), message, help);
    if timing.repeat == 0 {
        return refused("repeat", "`repeat` is 0", "accepted: a whole number from 1");
    }
    if timing.until.is_some_and(|until| !(until > 0.0 && until.is_finite())) {
        return refused("until", "`until` is not above zero", "accepted: a relative width above zero, such as `0.03`");
    }
    if timing.until.is_some() && timing.relative_to.is_none() {
        let message = "`until` is the relative width of a ratio, but no ratio is measured";
        return refused("until", message, "add `relative_to:` with the method in the denominator");
    }
    if timing.most.is_some_and(|most| most < timing.repeat || timing.until.is_none()) {
        let help = "accepted: with `until`, a whole number that is not below `repeat`";
        return refused("most", "`most` has no effect", help);
    }
    Ok(Some(timing))
}
