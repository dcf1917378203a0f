//! A type-erased registry entry.

use std::any::type_name;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use mbsbench_input::{Key, Node, Problem, did_you_mean, one_of, read, read_as, refuse, unknown};
use mbsbench_measures::MeasureDefinition;
use mbsbench_problem::{Fault, MethodDefinition, ModelDefinition, OutOfRange, Parameters};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::kinds::Shared;
use super::{Choice, Kind, MeasureKind, MethodKind, ModelKind};

/// The key, among parameters, of the label in tables and plots.
pub const LABEL: &str = "label";

/// The object that an entry builds from its parameters.
pub(super) type Object<K> = Arc<<K as Kind>::Object>;

/// Parameters after reading and checking: their normalised value and the object built from them.
type Parsed<K> = (Value, Object<K>);

/// A name with its definition.
#[derive(Clone)]
pub struct Entry<K: Kind> {
    /// The name in experiment files.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The source, paper and equation; empty for measures.
    pub source: &'static str,
    /// The family of a method; empty for models and measures.
    pub family: &'static str,
    /// True if the parameters define the entry completely; see [`ModelDefinition::IS_WRITTEN_OUT`].
    /// True if the parameters may be in a separate file.
    pub is_written_out: bool,
    pub(super) backing: Backing<K>,
}

/// The implementation of an entry.
#[derive(Clone)]
pub(super) enum Backing<K: Kind> {
    /// A Rust type.
    Definition {
        /// The name of the type, which distinguishes definitions with the same name.
        definition: &'static str,
        schema: fn() -> Schema,
        make: fn(&Node, &str) -> Result<Parsed<K>, Problem>,
        default: fn() -> Parsed<K>,
    },
    /// A definition without parameters that was added while the program ran.
    Dynamic {
        /// Distinguishes it from others of the same name.
        identity: Option<Map<String, Value>>,
        object: Object<K>,
    },
}

/// Returns the JSON Schema of a definition's parameters, with definitions of its parts.
fn schema_of(title: &str, write: fn(&mut SchemaGenerator) -> Schema) -> Schema {
    let mut generator = SchemaGenerator::default();
    let mut schema = write(&mut generator);
    schema.insert("title".to_owned(), title.into());
    let parts = generator.take_definitions(true);
    if !parts.is_empty() {
        schema.insert("$defs".to_owned(), parts.into());
    }
    schema
}

/// A kind with the definition `D`.
pub(super) trait Defines<D>: Kind {
    /// Name, summary, source and family.
    const HEAD: [&'static str; 4];
    /// True if the parameters may be in a separate file.
    const IS_WRITTEN_OUT: bool = false;

    /// Returns the shared object of a definition.
    fn object(definition: D) -> Object<Self>;
}

impl<D: ModelDefinition> Defines<D> for ModelKind {
    const HEAD: [&'static str; 4] = [D::NAME, D::SUMMARY, D::SOURCE, ""];
    const IS_WRITTEN_OUT: bool = D::IS_WRITTEN_OUT;

    fn object(definition: D) -> Object<Self> {
        Arc::new(Shared::new(definition))
    }
}

impl<D: MethodDefinition> Defines<D> for MethodKind {
    const HEAD: [&'static str; 4] = [D::NAME, D::SUMMARY, D::SOURCE, D::FAMILY];
    const IS_WRITTEN_OUT: bool = D::IS_WRITTEN_OUT;

    fn object(definition: D) -> Object<Self> {
        Arc::new(definition)
    }
}

impl<D: MeasureDefinition> Defines<D> for MeasureKind {
    const HEAD: [&'static str; 4] = [D::NAME, D::SUMMARY, "", ""];

    fn object(definition: D) -> Object<Self> {
        Arc::new(definition)
    }
}

impl<K: Kind> fmt::Debug for Entry<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<K: Kind> Entry<K> {
    pub(super) fn of<D: Parameters>() -> Self
    where
        K: Defines<D>,
    {
        let [name, summary, source, family] = K::HEAD;
        let backing = Backing::Definition {
            definition: type_name::<D>(),
            schema: || schema_of(&D::schema_name(), D::json_schema),
            make: |node, what| made::<D>(node, what).map(|(values, definition)| (values, K::object(definition))),
            default: || (normalised(&D::default()), K::object(D::default())),
        };
        Self { name, summary, source, family, is_written_out: K::IS_WRITTEN_OUT, backing }
    }

    /// True if the entry was added while the program ran.
    pub fn is_late(&self) -> bool {
        matches!(self.backing, Backing::Dynamic { .. })
    }

    /// Returns the name of the type; `None` for an entry added while the program ran.
    pub(super) fn definition(&self) -> Option<&'static str> {
        match self.backing {
            Backing::Definition { definition, .. } => Some(definition),
            Backing::Dynamic { .. } => None,
        }
    }

    /// Returns the JSON Schema of the parameters.
    pub fn schema(&self) -> Schema {
        match &self.backing {
            Backing::Definition { schema, .. } => schema(),
            Backing::Dynamic { .. } => json_schema!({ "type": "object", "additionalProperties": false }),
        }
    }

    /// Returns a choice with all parameters at their defaults.
    pub fn default_choice(&self) -> Choice<K> {
        self.choice(self.default(), None)
    }

    pub(super) fn default(&self) -> Parsed<K> {
        match &self.backing {
            Backing::Definition { default, .. } => default(),
            Backing::Dynamic { identity, object } => {
                (Value::Object(identity.clone().unwrap_or_default()), Arc::clone(object))
            }
        }
    }

    /// Returns a choice with the parameters of a node.
    ///
    /// # Errors
    /// Fails if a parameter is unknown, of the wrong type or out of range; the problem has its place.
    pub fn choose(&self, parameters: &Node, label: Option<String>) -> Result<Choice<K>, Problem> {
        let what = format!("parameter of `{}`", self.name);
        let made = match &self.backing {
            Backing::Definition { make, .. } => make(parameters, &what)?,
            Backing::Dynamic { .. } => match parameters.entries().first() {
                None => self.default(),
                Some(entry) => {
                    let message = unknown(&what, &format!("`{}`", entry.key.name));
                    return refuse(entry.key.place, message, format!("`{}` has no parameters", self.name));
                }
            },
        };
        Ok(self.choice(made, label))
    }

    fn choice(&self, (parameters, object): Parsed<K>, label: Option<String>) -> Choice<K> {
        let silent = match &self.backing {
            Backing::Definition { definition, schema, .. } => silent(definition, *schema, &parameters),
            Backing::Dynamic { .. } => Vec::new(),
        };
        Choice { entry: self.clone(), parameters, silent, label, own: None, object, place: None }
    }
}

/// Reads `name` or `{ name: { parameter: value, label: … } }`.
///
/// # Errors
/// Fails if the name is unknown or a parameter is not valid.
pub fn choose<K: Kind>(entries: &[Entry<K>], node: &Node) -> Result<Choice<K>, Problem> {
    let names = || entries.iter().map(|entry| entry.name);
    let Some(named) = node.named() else {
        let [_, second, ..] = node.entries() else { return Err(not_a_choice::<K>(node, &one_of(names()))) };
        let message = format!("two {} in one map, the second one is `{}`", K::PLURAL, second.key.name);
        let help = "accepted: one name per map, `{ name: { parameter: value } }`; write several";
        return refuse(second.key.place, message, format!("{help} {} as a list", K::PLURAL));
    };
    let (Key { name, place }, mut parameters) = (named.key, named.value);
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else {
        let problem = Problem::unknown(place, K::NAME, &name, names());
        return Err(match as_parameter(&name, names()) {
            Some(written) => problem.help(format!("did you mean `{written}`?")),
            None => problem,
        });
    };
    let label = parameters.get(LABEL).map(read::<String>).transpose()?;
    if label.is_some() {
        parameters = parameters.without(LABEL);
    }
    let mut own = None;
    for &key in K::OWN_KEYS {
        let Some(value) = parameters.get(key).cloned() else { continue };
        if let Some((first, _)) = &own {
            let message = format!("both `{first}` and `{key}` are given");
            return refuse(value.place, message, format!("accepted: one of {}", one_of(K::OWN_KEYS)));
        }
        own = Some((key.to_owned(), value));
        parameters = parameters.without(key);
    }
    Ok(Choice { place: Some(place), own, ..entry.choose(&parameters, label)? })
}

/// Returns `{ final: { of: theta } }` for the column `final(theta)`.
fn as_parameter<'n>(name: &str, mut names: impl Iterator<Item = &'n str>) -> Option<String> {
    let (known, of) = name.strip_suffix(')')?.split_once('(')?;
    names.any(|name| name == known).then(|| format!("{{ {known}: {{ of: {of} }} }}"))
}

fn not_a_choice<K: Kind>(node: &Node, names: &str) -> Problem {
    Problem::new(node.place, format!("found {} instead of a {}", node.describe(), K::NAME))
        .help(format!("accepted: a name, or `{{ name: {{ parameter: value }} }}`, with one of {names}"))
}

/// Reads parameters and checks their ranges.
pub fn read_parameters<P: Parameters>(node: &Node, what: &str) -> Result<P, Problem> {
    let parameters: P = read_as(node, what)?;
    parameters.check().map_err(|refused| out_of_range(node, refused))?;
    Ok(parameters)
}

fn made<P: Parameters>(node: &Node, what: &str) -> Result<(Value, P), Problem> {
    let parameters: P = read_parameters(node, what)?;
    Ok((normalised(&parameters), parameters))
}

fn out_of_range(node: &Node, refused: OutOfRange) -> Problem {
    let OutOfRange { field, fault, accepted } = &refused;
    let place = if matches!(fault, Fault::Name(_)) { node.key_of(field) } else { node.place_of(field) };
    let meant = match fault {
        Fault::Unknown { name, known, .. } => did_you_mean(name, known),
        _ => String::new(),
    };
    Problem::new(place, refused.message()).help(format!("{meant}accepted: {accepted}"))
}

/// Returns the names of parameters that are not written while they have their defaults. Runs therefore keep their keys
/// when a parameter is added.
fn silent(definition: &'static str, schema: fn() -> Schema, parameters: &Value) -> Vec<String> {
    static NAMES: LazyLock<Mutex<HashMap<&'static str, Vec<String>>>> = LazyLock::new(Mutex::default);
    let names_of = || {
        let schema = schema().to_value();
        schema["properties"].as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
    };
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.entry(definition).or_insert_with(names_of);
    names.iter().filter(|name| parameters.get(name.as_str()).is_none()).cloned().collect()
}

fn normalised<P: Serialize>(parameters: &P) -> Value {
    serde_json::to_value(parameters).expect("parameters are numbers, texts, lists and maps with text keys")
}
