//! `mbsbench list`: lists everything of a kind, or describes one item with its parameters.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use mbsbench_experiment::read_id;
use mbsbench_experiment::registry::{Entry, Kind};
use mbsbench_input::Node;
use mbsbench_judge::publication::Publication;
use serde_json::{Value, json};

use super::Command;
use crate::cli::{
    CommandError, Examined, Exit, Format, Library, Need, Result, Session, is_file, load, paper_of, papers, read_with,
};
use crate::description::{self, properties};

/// A mark for built-in items, if there are items of the user, too.
const BUILTIN: &str = "(built in)";

/// List models, methods, measures and papers; show the parameters of one, with units.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "mbsbench list [KIND] [NAME|FILE] [OPTIONS]",
    after_help = "Examples:\n  mbsbench list methods\n  mbsbench list pendulum\n  \
                  mbsbench list examples/methods/cash-karp.yaml"
)]
pub(super) struct List {
    /// `models`, `methods`, `measures`, `experiments`, `papers` or `statements`; or a name.
    #[arg(value_name = "KIND|NAME")]
    what: String,
    /// Item of this kind, or a file with the coefficients of a method.
    #[arg(value_name = "NAME|FILE")]
    name: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "text|json", default_value_t)]
    format: Format,
}

/// Kinds of things to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Listed {
    Models,
    Methods,
    Measures,
    Experiments,
    Papers,
    Statements,
}

impl Listed {
    /// Kinds in the registry; their names are sufficient to identify an item.
    const REGISTERED: [Self; 3] = [Self::Models, Self::Methods, Self::Measures];

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// An item of a list: its name, a description, and the JSON form.
struct Item {
    name: String,
    about: String,
    json: Value,
}

impl Command for List {
    fn need(&self) -> Need {
        match Listed::from_str(&self.what, false) {
            Ok(Listed::Experiments | Listed::Papers | Listed::Statements) => Need::Read,
            _ => Need::Nothing,
        }
    }

    fn run(&self, session: &mut Session<'_>) -> Result<Exit> {
        let Session { library, output } = session;
        let kinds = || Listed::value_variants().iter().map(|kind| kind.name());
        let lines = match (Listed::from_str(&self.what, false), &self.name) {
            (Ok(kind), None) => self.all(library, kind, self.items(library, kind)?),
            (_, None) if is_file(Path::new(&self.what)) => self.file(library, &self.what)?,
            (_, Some(name)) if is_file(Path::new(name)) => self.file(library, name)?,
            (Ok(kind), Some(name)) => self.one(library, kind, name)?,
            (Err(_), Some(_)) => return Err(CommandError::unknown("kind", &self.what, kinds())),
            (Err(_), None) => {
                let mut known = Vec::new();
                for kind in Listed::REGISTERED {
                    let names = self.items(library, kind)?.into_iter().map(|item| item.name);
                    known.extend(names.map(|name| (kind, name)));
                }
                match known.iter().find(|(_, name)| *name == self.what) {
                    Some((kind, name)) => self.one(library, *kind, name)?,
                    None => {
                        let names = kinds().chain(known.into_iter().map(|(_, name)| name));
                        return Err(CommandError::unknown("kind, model, method or measure", &self.what, names));
                    }
                }
            }
        };
        lines.into_iter().try_for_each(|line| output.println(line))?;
        Ok(Exit::Done)
    }
}

impl List {
    fn items(&self, library: &Library<'_>, kind: Listed) -> Result<Vec<Item>> {
        Ok(match kind {
            Listed::Models => entries(library.registry.models()),
            Listed::Methods => entries(library.registry.methods()),
            Listed::Measures => entries(library.registry.measures()),
            Listed::Experiments => experiments(&library.files(|_| true)?)?,
            Listed::Papers => publications(library)?,
            Listed::Statements => statements(library)?,
        })
    }

    /// Returns a line for each item of a kind.
    fn all(&self, library: &Library<'_>, kind: Listed, items: Vec<Item>) -> Vec<String> {
        if self.format == Format::Json {
            let items: Vec<Value> = items.into_iter().map(|item| item.json).collect();
            return vec![format!("{:#}", Value::Array(items))];
        }
        let is_own = !Listed::REGISTERED.contains(&kind);
        let width = items.iter().map(|item| item.name.chars().count()).max().unwrap_or(0);
        let line = |Item { name, about, .. }: Item| {
            let mark = if is_own && library.is_beside(paper_of(&name)) { BUILTIN } else { "" };
            format!("{name:width$}  {about} {mark}").trim_end().to_owned()
        };
        items.into_iter().map(line).collect()
    }

    /// Describes one item of a kind, or lists all that belong to a paper.
    fn one(&self, library: &Library<'_>, kind: Listed, name: &str) -> Result<Vec<String>> {
        let mut items = self.items(library, kind)?;
        let Some(index) = items.iter().position(|item| item.name == name) else {
            let is_of_paper = |item: &Item| kind == Listed::Statements && paper_of(&item.name) == name;
            if items.iter().any(is_of_paper) {
                return Ok(self.all(library, kind, items.into_iter().filter(is_of_paper).collect()));
            }
            let kind = kind.name();
            let kind = kind.strip_suffix('s').unwrap_or(&kind);
            return Err(CommandError::unknown(kind, name, items.into_iter().map(|item| item.name)));
        };
        let item = items.swap_remove(index);
        if self.format == Format::Json {
            return Ok(vec![format!("{:#}", item.json)]);
        }
        let described = match kind {
            Listed::Models => description::model(library.registry, name),
            Listed::Methods => description::method(library.registry, name),
            Listed::Measures => description::measure(library.registry, name),
            _ => Vec::new(),
        };
        Ok(if described.is_empty() { vec![format!("{name}: {}", item.about)] } else { described })
    }

    /// Describes the method that a file defines.
    fn file(&self, library: &Library<'_>, file: &str) -> Result<Vec<String>> {
        let Examined { label, about, choice, .. } = Examined::find(library.registry, file)?;
        if self.format == Format::Json {
            return Ok(vec![format!("{:#}", json!({ "name": label, "parameters": choice.parameters }))]);
        }
        let head = format!("{label}: {} of {file}", choice.name());
        Ok([vec![head], about, vec![String::new()], properties(&choice)].concat())
    }
}

fn entries<K: Kind>(entries: &[Entry<K>]) -> Vec<Item> {
    let item = |entry: &Entry<K>| {
        let mut json = json!({ "name": entry.name, "summary": entry.summary });
        for (key, text) in [("family", entry.family), ("source", entry.source)] {
            if !text.is_empty() {
                json[key] = json!(text);
            }
        }
        json["parameters"] = entry.default_choice().parameters.clone();
        Item { name: entry.name.to_owned(), about: entry.summary.to_owned(), json }
    };
    entries.iter().map(item).collect()
}

/// Reads the experiments in files, ordered by id.
fn experiments(files: &[PathBuf]) -> Result<Vec<Item>> {
    let item = |path: &PathBuf| {
        read_with(path, |document| {
            let id = read_id(&document.root).map_err(|problem| document.bad(vec![problem]))?;
            let title = document.root.get("title").and_then(Node::text).unwrap_or_default().to_owned();
            let json = json!({ "id": id, "title": title, "file": path.display().to_string() });
            Ok(Item { name: id, about: title, json })
        })
    };
    let mut items = files.iter().map(item).collect::<Result<Vec<Item>, _>>()?;
    items.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(items)
}

/// Lists the papers and sets, in the order of the report.
fn publications(library: &Library<'_>) -> Result<Vec<Item>> {
    let item = |(id, publication): (String, Publication)| Item {
        about: publication.citation(),
        json: publication.to_json(&id),
        name: id,
    };
    Ok(library.publications(library.papers()?)?.into_iter().map(item).collect())
}

/// Lists the statements of all papers and our findings, in the order of their ledgers.
fn statements(library: &Library<'_>) -> Result<Vec<Item>> {
    let plans = load(library.registry, &library.files(|_| true)?, false)?;
    let mut items = Vec::new();
    for paper in papers(&plans) {
        let Some(ledger) = library.ledger(&paper, &plans)? else { continue };
        let statements = ledger.statements.into_iter().map(|statement| (false, statement));
        for (is_finding, statement) in statements.chain(ledger.findings.into_iter().map(|finding| (true, finding))) {
            let checks: Vec<&str> = statement.checks.iter().map(|check| check.id.as_str()).collect();
            items.push(Item {
                json: json!({
                    "id": statement.id, "paper": paper, "finding": is_finding, "place": statement.place,
                    "statement": statement.says, "holds": statement.holds, "expected": statement.expected(),
                    "checks": checks,
                }),
                name: format!("{paper}/{}", statement.id),
                about: statement.says,
            });
        }
    }
    Ok(items)
}
