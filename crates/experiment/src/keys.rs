//! The keys of experiment files, each defined once. The readers use their names, and the JSON Schema describes their
//! values.

use mbsbench_input::{Node, Problem};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::known::{Mark, Marked};
use super::spec::{AnimationSpec, DrawingSpec, Settings, TableSpec, Timing};
use super::undetermined::UndeterminedSpec;
use super::{Gathered, Precision, RankingSpec, Rule, StudySpec};

/// A key with the schema of its value.
pub(crate) type FileKey = (&'static str, fn(&mut SchemaGenerator) -> Value);

/// Keys for the description and the outputs of a file, also allowed without runs of its own.
pub(crate) static SHOWN: &[FileKey] = &[
    ("schema", |_| json!({ "const": super::SCHEMA, "description": "Version of the file format." })),
    ("id", |_| {
        let pattern = "^[a-z0-9][a-z0-9.-]*/[a-z0-9][a-z0-9.-]*$";
        json!({ "type": "string", "pattern": pattern, "description": "`paper/name`." })
    }),
    ("paper", text),
    ("reproduces", texts),
    ("title", text),
    ("sets", |_| {
        let set = json!({ "type": "array", "minItems": 1 });
        json!({ "type": "object", "additionalProperties": set, "description": "Lists of values for `each`." })
    }),
    ("gathers", list_of::<Gathered>),
    ("tables", list_of::<TableSpec>),
    ("plots", |_| list(&reference("panel-or-panels"))),
];

/// Keys that define runs: on the top level of a file, in a case, under `quick`.
pub(crate) static RUN: &[FileKey] = &[
    ("model", |_| axis("model")),
    ("span", |_| {
        let number = reference("number");
        json!({ "type": "array", "items": number, "minItems": 2, "maxItems": 2, "description": "Start and end, s." })
    }),
    ("matrix", |_| {
        let [model, methods, number, tolerance] = ["model", "methods", "number", "tolerance"].map(axis);
        let axes = json!({
            "model": model, "method": methods, "step": number, "step_per_stage": number, "tolerance": tolerance,
        });
        json!({
            "type": "object",
            "description": "Axes: every combination is one run.",
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
];

/// Additional keys of a case.
pub(crate) static CASE: &[FileKey] = &[("case", text)];

/// Keys that apply to all runs of a file.
pub(crate) static RUNS: &[FileKey] = &[
    ("cases", |generator| list(&object(generator, &[CASE, RUN], &["case"]))),
    ("trajectories", texts),
    ("drawings", list_of::<DrawingSpec>),
    ("animations", list_of::<AnimationSpec>),
    ("rankings", list_of::<RankingSpec>),
    ("timing", of::<Timing>),
    ("known", |generator| {
        let (mark, marked) = (of::<Mark>(generator), of::<Marked>(generator));
        let several = json!({ "type": "array", "minItems": 1, "items": marked });
        json!({
            "type": "object",
            "description": "Origin of each parameter, by path; `defaults` applies to all others.",
            "additionalProperties": { "anyOf": [mark, marked, several] },
        })
    }),
    (
        "undetermined",
        |generator| json!({ "type": "object", "additionalProperties": of::<UndeterminedSpec>(generator) }),
    ),
    ("given", |_| {
        let about = "Numbers that the paper prints about the set-up, written like checks: \
                     `{ id, place, of, published, tolerance, why }`.";
        let given = json!({ "type": "object", "required": ["id", "place", "of"] });
        json!({ "type": "array", "items": given, "description": about })
    }),
    ("study", of::<StudySpec>),
    ("set", |_| json!({ "type": "object", "description": "Parameters, by path, to set in every run that has them." })),
    ("quick", |generator| object(generator, &[RUN], &[])),
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
    ("check", |generator| object(generator, &[SOLVER], &["method"])),
    ("digits", |_| json!({ "type": "integer", "minimum": 0 })),
    ("model", |_| json!({ "type": "object" })),
    ("stored", |_| {
        let about = "File beside the experiment with the stored reference; `mbsbench ledger reference ID` writes it.";
        json!({ "type": "string", "pattern": "\\.csv$", "description": about })
    }),
];

/// Keys of a reference from a file.
pub(crate) static GIVEN: &[FileKey] = &[
    ("file", |_| {
        let about =
            "CSV file beside the experiment with a computed or measured trajectory: columns `t [s]`, `x [m]`, ….";
        json!({ "type": "string", "pattern": "\\.csv$", "description": about })
    }),
    ("by", |_| json!({ "type": "string", "description": "Author of the file and how it was made." })),
    ("bound", |_| {
        let number = json!({ "type": "number", "exclusiveMinimum": 0 });
        let each = json!({ "type": "object", "additionalProperties": number });
        let about = "Largest error of the values in the model's units: one number for all columns, or a map by column.";
        json!({ "anyOf": [number, each], "description": about })
    }),
];

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

/// Returns the schema of a map with these keys and no others.
pub(crate) fn object(generator: &mut SchemaGenerator, keys: &[&[FileKey]], required: &[&str]) -> Value {
    let keys = keys.iter().copied().flatten();
    let properties: Map<String, Value> = keys.map(|&(name, schema)| (name.to_owned(), schema(generator))).collect();
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
