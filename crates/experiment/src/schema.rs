//! The JSON Schema of experiment files, with everything in the registry.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::Every;
use crate::includes::FILE;
use crate::keys::{self, GIVEN, REFERENCE, RUN, RUNS, SHOWN, SOLVER};

pub use crate::keys::reference;
use crate::registry::{Entry, Kind, LABEL, Registry};
use crate::spec::{FILE_NAME, FigureSpec, PanelSpec, Tolerance};

/// Returns the schema of an experiment file.
pub fn schema(registry: &Registry) -> Value {
    let mut generator = SchemaGenerator::default();
    let file = keys::object(&mut generator, "file", &[SHOWN, RUN, RUNS], &["id"]);
    let solver = keys::object(&mut generator, "solution", &[SOLVER, REFERENCE], &["method"]);
    let given = keys::object(&mut generator, "from-file", &[GIVEN], &["file", "by", "bound"]);
    let (tolerance, every) = (keys::of::<Tolerance>(&mut generator), keys::of::<Every>(&mut generator));
    let figure = figure(&mut generator);
    let mut definitions: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    let mut hoisted = Map::new();
    for (name, schema) in [
        ("model", choice(registry.models(), true, &mut hoisted)),
        ("method", choice(registry.methods(), true, &mut hoisted)),
        ("measure", choice(registry.measures(), false, &mut hoisted)),
    ] {
        definitions.insert(name.to_owned(), schema);
    }
    definitions.extend(hoisted);
    definitions.insert("number".to_owned(), number());
    definitions.insert("methods".to_owned(), methods(&every));
    definitions.insert("tolerance".to_owned(), json!({ "anyOf": [reference("number"), tolerance] }));
    definitions.insert("panel-or-panels".to_owned(), figure);
    definitions.insert("each".to_owned(), json!({ "type": "object", "properties": each(), "required": ["each"] }));
    definitions.insert("reference".to_owned(), json!({ "anyOf": [solver, given] }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment",
        "type": "object",
        "properties": file["properties"],
        "required": ["id"],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// Returns the keys of a template for the items of a list.
pub fn each() -> Map<String, Value> {
    let values = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "minItems": 1 }] });
    let each = json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": values,
        "description": "Axes: the item is repeated for each combination of their values.",
    });
    let about = "Combinations of `each` that are changed or dropped.";
    let except = json!({ "type": "array", "items": { "type": "object" }, "description": about });
    Map::from_iter([("each".to_owned(), each), ("except".to_owned(), except)])
}

/// Returns the schema of a method, or of `every` for all suitable methods.
fn methods(every: &Value) -> Value {
    json!({ "anyOf": [
        reference("method"),
        { "const": "every", "description": "Every method that suits the model." },
        { "type": "object", "properties": { "every": every }, "required": ["every"], "additionalProperties": false },
    ] })
}

/// Returns the schema of a number, or of a power as text.
fn number() -> Value {
    json!({ "anyOf": [
        { "type": "number" },
        { "type": "string", "pattern": "^-?[0-9.]+\\^-?[0-9]+$", "description": "A power, `2^-10`." },
    ] })
}

/// Returns the schema of a name, or of `{ name: parameters }`. Definitions to which parameters refer are moved to
/// `hoisted` under unique names.
fn choice<K: Kind>(entries: &[Entry<K>], labelled: bool, hoisted: &mut Map<String, Value>) -> Value {
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    let mut alternatives = vec![json!({ "type": "string", "enum": names })];
    for entry in entries {
        let mut parameters = entry.schema().to_value();
        bare_names(&mut parameters);
        if let Some(fields) = parameters.as_object_mut() {
            fields.remove("$schema");
            let prefix = format!("{}-{}-", K::NAME, entry.name);
            if let Some(Value::Object(definitions)) = fields.remove("$defs") {
                for (name, mut definition) in definitions {
                    rename(&mut definition, &prefix);
                    hoisted.insert(format!("{prefix}{name}"), definition);
                }
            }
            if labelled && let Some(properties) = fields.entry("properties").or_insert(json!({})).as_object_mut() {
                properties
                    .insert(LABEL.to_owned(), json!({ "type": "string", "description": "Name in tables and plots." }));
            }
            rename(&mut parameters, &prefix);
            if let Some(properties) = parameters.get_mut("properties").and_then(Value::as_object_mut) {
                for &key in K::OWN_KEYS {
                    let mut own = reference(if key == "tolerance" { key } else { "number" });
                    own["description"] = json!("Replaces the step of the file.");
                    properties.insert(key.to_owned(), own);
                }
            }
        }
        if entry.is_written_out {
            let file =
                json!({ "type": "string", "description": "File with the parameters, relative to this file's folder." });
            // The keys beside a file override its parameters, so that the file may provide those that are required.
            let changed = json!({ "type": "object", "properties": { FILE: file }, "required": [FILE] });
            parameters = json!({ "anyOf": [file, changed, parameters] });
        }
        alternatives.push(json!({
            "type": "object",
            "description": entry.summary,
            "properties": { entry.name: parameters },
            "required": [entry.name],
            "additionalProperties": false,
        }));
    }
    json!({ "anyOf": alternatives })
}

/// Lets every alternative `{ name: parameters }` also be the bare name, since all its parameters have defaults.
pub fn bare_names(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(alternatives)) = fields.get_mut("oneOf") {
                let name = |alternative: &Value| match alternative["required"].as_array()?.as_slice() {
                    [name] => Some(json!({ "const": name })),
                    _ => None,
                };
                let names: Vec<Value> = alternatives.iter().filter_map(name).collect();
                alternatives.extend(names);
            }
            fields.values_mut().for_each(bare_names);
        }
        Value::Array(items) => items.iter_mut().for_each(bare_names),
        _ => {}
    }
}

/// Adds a prefix to all references of a schema to definitions.
fn rename(schema: &mut Value, prefix: &str) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(target) if key == "$ref" => {
                        *target = target.replacen("#/$defs/", &format!("#/$defs/{prefix}"), 1);
                    }
                    _ => rename(value, prefix),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, prefix)),
        _ => {}
    }
}

/// Returns the schema of a figure: several panels, or the keys of its only panel beside `id`.
fn figure(generator: &mut SchemaGenerator) -> Value {
    let mut several = FigureSpec::json_schema(generator).to_value();
    several["properties"]["panels"]["items"] = keys::item(&several["properties"]["panels"]["items"]);
    let mut one = PanelSpec::json_schema(generator).to_value();
    one["properties"]["id"] = json!({ "type": "string", "pattern": FILE_NAME });
    one["properties"]["caption"] = json!({ "type": "string" });
    if let Some(required) = one["required"].as_array_mut() {
        required.push(json!("id"));
    }
    json!({ "anyOf": [one, several] })
}
