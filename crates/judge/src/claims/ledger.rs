//! Reading a ledger and checking it against the experiments that it refers to.

use std::collections::{BTreeSet, HashMap};

use mbsbench_experiment::{Plan, Problems};
use mbsbench_input::{BadInput, Document, Each, Node, Problem, Value, keys_of, read, refuse};
use rayon::prelude::*;

use super::{Book, Check, Definitions, FRAME, Reader, SCHEMA, Statement, expand, lock};

/// The statements of a paper, and our own findings.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// The paper.
    pub paper: String,
    /// The statements of the paper; for a book of anchors, the anchors.
    pub statements: Vec<Statement>,
    /// Our findings, which no paper states.
    pub findings: Vec<Statement>,
}

impl Ledger {
    /// All checks, first of statements, then of findings.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.statements.iter().chain(&self.findings).flat_map(|statement| &statement.checks)
    }

    /// The experiments to which its checks refer, by the names that they use.
    pub fn experiments(&self) -> BTreeSet<&str> {
        self.checks().flat_map(|check| check.kind.experiments()).collect()
    }

    /// The ledger reduced to the statement or finding with this id, if there is one.
    pub fn only(&self, id: &str) -> Self {
        let of = |all: &[Statement]| all.iter().filter(|statement| statement.id == id).cloned().collect();
        Self { paper: self.paper.clone(), statements: of(&self.statements), findings: of(&self.findings) }
    }

    /// Reads a ledger and checks it against the plans of the paper's experiments, and against the lock beside it if
    /// there is one.
    ///
    /// # Errors
    /// Fails with all problems found in the file.
    pub fn read(document: &Document, book: Book, plans: &[Plan]) -> Result<Self, BadInput> {
        let mut ledger = Self::read_unlocked(document, book, plans)?;
        let mut problems = Problems::default();
        if book == Book::Claims {
            for all in [&mut ledger.statements, &mut ledger.findings] {
                lock::compare(document, &ledger.paper, all, &mut problems);
            }
        }
        problems.into_value(document, Some(ledger))
    }

    /// Reads a ledger without comparing it with its lock, so that the lock can be rewritten.
    ///
    /// # Errors
    /// Fails with all other problems found in the file.
    pub fn read_unlocked(document: &Document, book: Book, plans: &[Plan]) -> Result<Self, BadInput> {
        let root = &document.root;
        let mut problems = Problems::default();
        let known: Vec<&str> = FRAME.iter().map(|(key, _)| *key).chain(book.lists().iter().copied()).collect();
        for entry in root.entries() {
            if !known.contains(&entry.key.name.as_str()) {
                problems.add(Problem::unknown(entry.key.place, "key", &entry.key.name, known.clone()));
            }
        }
        problems.keep(check_schema(root));
        let paper: String = problems.keep(root.required("paper").and_then(read)).unwrap_or_default();
        if book == Book::Claims {
            check_marks(root, &paper, plans, &mut problems);
        }
        let each = problems.keep(Each::read(root, expand::OF_CELLS));
        let each = problems.into_value(document, each)?;
        let mut problems = Problems::default();
        let definitions = Definitions::new(plans);
        let reader = Reader { node: root, plans, definitions: &definitions, paper: &paper, book };
        let [statements, findings] = [0, 1].map(|index| match book.lists().get(index) {
            Some(key) => read_statements(reader, &each, key, &mut problems),
            None => Vec::new(),
        });
        unique(document, statements.iter().chain(&findings), &mut problems);
        problems.into_value(document, Some(Self { paper: paper.clone(), statements, findings }))
    }
}

fn check_schema(root: &Node) -> Result<(), Problem> {
    let node = root.required("schema")?;
    let found: u32 = read(node)?;
    if found == SCHEMA {
        return Ok(());
    }
    let message = format!("ledger format {found} is not supported");
    refuse(node.place, message, format!("accepted: {SCHEMA}"))
}

/// Reports experiments of the paper that do not say how their parameters are known.
fn check_marks(root: &Node, paper: &str, plans: &[Plan], problems: &mut Problems) {
    let is_silent = |plan: &&Plan| plan.experiment.known.is_none() && plan.experiment.gathers.is_empty();
    for plan in plans.iter().filter(|plan| plan.experiment.paper == paper).filter(is_silent) {
        let message = format!("`{}` does not state the origin of its parameters", plan.experiment.id);
        problems.refuse(root.place_of("paper"), message, "add `known: { defaults: …, … }` to the experiment file");
    }
}

/// Reports ids that occur twice among the statements or among the checks, once for each place.
fn unique<'s>(document: &Document, statements: impl Iterator<Item = &'s Statement>, problems: &mut Problems) {
    let ids = statements.flat_map(|statement| {
        let checks = statement.checks.iter().map(|check| ("check", &check.id, check.place_of_id));
        std::iter::once(("statement", &statement.id, statement.place_of_id)).chain(checks)
    });
    let (mut seen, mut reported) = (HashMap::new(), None);
    for (what, id, place) in ids {
        let Some(first) = seen.insert((what, id), place) else { continue };
        if reported.replace(place) != Some(place) {
            let message = format!("duplicate {what} `{id}`; first used at {}", document.source.position(first));
            let help = "give each an id of its own; with `each`, put the axes into it: `ID-{axis}`";
            problems.refuse(place, message, help);
        }
    }
}

/// Reads the list of statements under a key.
fn read_statements(reader: Reader<'_>, each: &Each<'_>, key: &str, problems: &mut Problems) -> Vec<Statement> {
    let nodes = match reader.node.get(key) {
        Some(Node { value: Value::List(items), .. }) => items.as_slice(),
        Some(node) => {
            problems.add(Problem::found(node).help("accepted: a list of statements"));
            &[]
        }
        None if key == "findings" => &[],
        None => {
            problems.keep(reader.node.required(key));
            &[]
        }
    };
    let read = nodes.par_iter().map(|node| {
        let mut problems = Problems::default();
        (read_statement(reader, each, node, &mut problems), problems)
    });
    let mut statements = Vec::with_capacity(nodes.len());
    for (statement, found) in read.collect::<Vec<_>>() {
        statements.extend(statement);
        problems.append(found);
    }
    statements
}

fn read_statement(reader: Reader<'_>, each: &Each<'_>, node: &Node, problems: &mut Problems) -> Option<Statement> {
    // A missing key may be one that is misspelt.
    problems.keep(expand::check_keys(node))?;
    let keys = keys_of::<Statement>();
    let mut statement: Statement = problems.keep(read(&node.with_keys(|key| keys.contains(&key))))?;
    statement.place_of_id = node.place_of("id");
    for check in &problems.keep(expand::checks(node, each))? {
        let checks = problems.keep(Reader { node: check, ..reader }.checks());
        statement.checks.extend(checks.into_iter().flatten());
    }
    if problems.is_empty() {
        problems.keep(statement.check(node))?;
    }
    Some(statement)
}
