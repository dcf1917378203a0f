//! The keys of experiment files, each defined once. The readers use their names, and the JSON Schema describes their
//! values.

use std::path::Path;
use std::sync::LazyLock;

use mbsbench_input::{Document, Node, Problem, read};
use mbsbench_problem::Deviation;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::provenance::{Marked, Provenance};
use super::spec::{AnimationSpec, DrawingSpec, Settings, TableSpec, Timing};
use super::undetermined::UndeterminedSpec;
use super::{Gathered, Precision, RankingSpec, Rule, StudySpec};

/// A key with the schema of its value; `keys.yaml` has its meaning and an example.
pub(crate) type FileKey = (&'static str, fn(&mut SchemaGenerator) -> Value);

/// Keys for the description and the outputs of a file, also allowed without runs of its own.
pub(crate) static SHOWN: &[FileKey] = &[
    ("schema", |_| json!({ "const": super::SCHEMA })),
    ("id", |_| json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9.-]*/[a-z0-9][a-z0-9.-]*$" })),
    ("paper", text),
    ("reproduces", texts),
    ("title", text),
    ("sets", |_| json!({ "type": "object", "additionalProperties": { "type": "array", "minItems": 1 } })),
    ("gathers", list_of::<Gathered>),
    ("tables", list_of::<TableSpec>),
    ("plots", |_| list(&reference("panel-or-panels"))),
];

/// Keys that define runs: on the top level of a file, in a case, under `quick`.
pub(crate) static RUN: &[FileKey] = &[
    ("model", |_| axis("model")),
    ("span", |_| json!({ "type": "array", "items": reference("number"), "minItems": 2, "maxItems": 2 })),
    ("breaks", |_| list(&reference("number"))),
    ("matrix", |_| {
        let [model, methods, number, tolerance] = ["model", "methods", "number", "tolerance"].map(axis);
        let axes = json!({
            "model": model, "method": methods, "step": number, "step_per_stage": number, "tolerance": tolerance,
        });
        json!({
            "type": "object",
            "properties": axes,
            "patternProperties": { "^(model|method|settings)\\.": { "type": "array", "minItems": 1 } },
            "additionalProperties": false,
        })
    }),
    ("method", |_| axis("methods")),
    ("step", |_| axis("number")),
    ("step_per_stage", |_| axis("number")),
    ("tolerance", |_| axis("tolerance")),
    ("settings", of::<Settings>),
    ("measures", |_| list(&reference("measure"))),
    ("exclude", |_| list(&json!({ "type": "object", "minProperties": 1 }))),
    ("reference", |_| reference("reference")),
    ("fails_when", list_of::<Rule>),
    ("expects", |generator| {
        let deviation = of::<Deviation>(generator);
        json!({ "anyOf": [deviation, list(&deviation)] })
    }),
];

/// Additional keys of a case.
pub(crate) static CASE: &[FileKey] = &[("case", text)];

/// Keys that apply to all runs of a file.
pub(crate) static RUNS: &[FileKey] = &[
    ("cases", |generator| list(&object(generator, "file", &[CASE, RUN], &["case"]))),
    ("trajectories", texts),
    ("drawings", list_of::<DrawingSpec>),
    ("animations", list_of::<AnimationSpec>),
    ("rankings", list_of::<RankingSpec>),
    ("timing", of::<Timing>),
    ("known", |generator| {
        let (mark, marked) = (of::<Provenance>(generator), of::<Marked>(generator));
        let several = json!({ "type": "array", "minItems": 1, "items": marked });
        json!({ "type": "object", "additionalProperties": { "anyOf": [mark, marked, several] } })
    }),
    (
        "undetermined",
        |generator| json!({ "type": "object", "additionalProperties": of::<UndeterminedSpec>(generator) }),
    ),
    ("given", |_| json!({ "type": "array", "items": { "type": "object", "required": ["id", "place", "of"] } })),
    ("study", of::<StudySpec>),
    ("set", |_| json!({ "type": "object" })),
    ("quick", |generator| object(generator, "file", &[RUN], &[])),
];

/// Keys that define a solve: of a reference, or of the solution it is checked against.
pub(crate) static SOLVER: &[FileKey] = &[
    ("method", |_| reference("method")),
    ("step", |_| reference("number")),
    ("step_per_stage", |_| reference("number")),
    ("tolerance", |_| reference("tolerance")),
];

/// Additional keys of a reference that is solved for.
pub(crate) static REFERENCE: &[FileKey] = &[
    ("precision", of::<Precision>),
    ("check", |generator| object(generator, "solution", &[SOLVER], &["method"])),
    ("digits", |_| json!({ "type": "integer", "minimum": 0 })),
    ("model", |_| json!({ "type": "object" })),
    ("stored", |_| json!({ "type": "string", "pattern": "\\.csv$" })),
];

/// Keys of a reference from a file.
pub(crate) static GIVEN: &[FileKey] = &[
    ("file", |_| json!({ "type": "string", "pattern": "\\.csv$" })),
    ("by", |_| json!({ "type": "string" })),
    ("bound", |_| {
        let number = json!({ "type": "number", "exclusiveMinimum": 0 });
        let each = json!({ "type": "object", "additionalProperties": number });
        json!({ "anyOf": [number, each] })
    }),
];

/// Meaning and example of each key.
static TEXTS: LazyLock<Value> = LazyLock::new(|| {
    let texts = Document::parse(Path::new("keys.yaml"), include_bytes!("keys.yaml")).expect("the file is valid YAML");
    read(&texts.root).expect("YAML has the values of JSON")
});

/// Returns the names of some keys.
pub(crate) fn names(keys: &[&[FileKey]]) -> Vec<&'static str> {
    keys.iter().copied().flatten().map(|&(name, _)| name).collect()
}

/// Returns a problem for each key of a map that has none of these names.
pub(crate) fn unknown<'n>(
    node: &'n Node,
    what: &'n str,
    known: &'n [&'static str],
) -> impl Iterator<Item = Problem> + 'n {
    let strange = node.entries().iter().filter(|entry| !known.contains(&entry.key.name.as_str()));
    strange.map(move |entry| Problem::unknown(entry.key.place, what, &entry.key.name, known.iter().copied()))
}

/// Returns the schema of a map with these keys and no others; `keys.yaml` describes them in `section`.
pub(crate) fn object(generator: &mut SchemaGenerator, section: &str, keys: &[&[FileKey]], required: &[&str]) -> Value {
    let keys = keys.iter().copied().flatten();
    let texts = &TEXTS[section];
    let property = |&(name, schema): &FileKey| {
        let mut value = schema(generator);
        value["description"] = texts[name]["about"].clone();
        value["examples"] = json!([texts[name]["example"]]);
        (name.to_owned(), value)
    };
    let properties: Map<String, Value> = keys.map(property).collect();
    let mut object = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

/// Returns the schema that a type derives.
pub(crate) fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

/// Refers to a definition of the whole schema.
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Returns the schema of one value, or of several, which make an axis.
fn axis(name: &str) -> Value {
    json!({ "anyOf": [reference(name), { "type": "array", "minItems": 1, "items": item(&reference(name)) }] })
}

/// Returns the schema of an item of a list, or of a template of items.
pub(crate) fn item(schema: &Value) -> Value {
    json!({ "anyOf": [schema, reference("each")] })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": item(items) })
}

fn list_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    list(&of::<T>(generator))
}

fn text(_: &mut SchemaGenerator) -> Value {
    json!({ "type": "string" })
}

fn texts(generator: &mut SchemaGenerator) -> Value {
    list(&text(generator))
}
