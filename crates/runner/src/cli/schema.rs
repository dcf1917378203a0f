//! `mbsbench schema`: the JSON Schema of experiment files, with all that the registry has, and of ledgers.

use mbsbench_experiment::known::{Mark, Marked};
use mbsbench_experiment::registry::{Entry, Kind, Registry};
use mbsbench_experiment::spec::{DrawingSpec, PanelSpec, Settings, TableSpec, Timing, Tolerance};
use mbsbench_experiment::undetermined::UndeterminedSpec;
use mbsbench_experiment::{Every, Gathered, Precision, RankingSpec, Rule, StudySpec};
use mbsbench_judge::claims::spec::{CheckSpec, KindSpec, StatementSpec};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::CommandError;
use super::args::Schemas;
use crate::output::Output;

pub(super) fn schema(registry: &Registry, what: Schemas, output: &mut Output<'_>) -> Result<(), CommandError> {
    let schema = match what {
        Schemas::Experiment => experiment(registry),
        Schemas::Claims => claims(),
    };
    Ok(output.line(format!("{schema:#}"))?)
}

/// The schema of a ledger: `statements:` with `findings:`, or `anchors:`.
fn claims() -> Value {
    let mut generator = SchemaGenerator::default();
    let mut part = |schema: fn(&mut SchemaGenerator) -> schemars::Schema| schema(&mut generator).to_value();
    let mut check = part(CheckSpec::json_schema);
    let mut kinds = part(KindSpec::json_schema);
    let mut statement = part(StatementSpec::json_schema);
    let mut definitions = json!(generator.take_definitions(true));
    for kind in kinds["oneOf"].as_array_mut().into_iter().flatten() {
        let description = kind["description"].take();
        for (name, tested) in kind["properties"].as_object().into_iter().flatten() {
            let optional = json!([tested, { "type": "null" }]);
            check["properties"][name] = json!({ "anyOf": optional, "description": description });
        }
    }
    // A template of `each` has names of axes where values are, and operands take over from `on`.
    for schema in [&mut check, &mut definitions] {
        templates(schema);
    }
    bare_names(&mut definitions);
    let anything = json!({ "type": "object" });
    let values = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "minItems": 1 }] });
    let each = json!({ "type": "object", "minProperties": 1, "additionalProperties": values });
    let making = [
        ("each", each, "Axes that are written into the check: one for each combination."),
        ("except", json!({ "type": "array", "items": anything }), "Combinations of `each` that need something else."),
        ("on", anything.clone(), "What its operands have in common."),
    ];
    for (key, mut schema, about) in making {
        schema["description"] = json!(about);
        check["properties"][key] = schema;
    }
    if let Some(fields) = check.as_object_mut() {
        fields.remove("required");
    }
    let own = check["properties"].as_object().cloned().unwrap_or_default();
    if let Some(properties) = statement["properties"].as_object_mut() {
        for (key, schema) in own {
            properties.entry(key).or_insert(schema);
        }
        properties.insert(
            "check".to_owned(),
            json!({ "type": "string", "description": "Id of its only check, where that is another." }),
        );
        properties.insert("checks".to_owned(), json!({ "type": "array", "minItems": 1, "items": reference("check") }));
    }
    definitions["check"] = check;
    definitions["statement"] = statement;
    let list = json!({ "type": "array", "items": reference("statement") });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Ledger of a paper",
        "type": "object",
        "properties": {
            "schema": { "const": 2, "description": "Version of the file format." },
            "paper": { "type": "string", "description": "Id of the paper." },
            "sets": { "type": "object", "additionalProperties": { "type": "array", "minItems": 1 }, "description": "Lists of values for `each`." },
            "statements": list,
            "findings": list,
            "anchors": list,
        },
        "required": ["schema", "paper"],
        "oneOf": [{ "required": ["statements"] }, { "required": ["anchors"] }],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// Lets every value be a template, `{axis}`, and every key of an operand be missing.
fn templates(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(templates);
            if let Some(Value::Array(required)) = fields.get_mut("required") {
                required.retain(|key| !["experiment", "of"].iter().any(|open| key == open));
            }
            let is_value = fields.get("type").is_some_and(|of| {
                let named = |name: &Value| ["number", "integer", "boolean", "array"].iter().any(|known| name == known);
                named(of) || of.as_array().is_some_and(|all| all.iter().any(named))
            });
            let is_map = fields.get("type").is_some_and(|of| of == "object") && !fields.contains_key("properties");
            if is_value || is_map || fields.contains_key("enum") {
                let plain = Value::Object(std::mem::take(fields));
                fields.insert("anyOf".to_owned(), json!([plain, { "type": "string", "pattern": "\\{.*\\}" }]));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(templates),
        _ => {}
    }
}

/// The schema of an experiment file.
pub(super) fn experiment(registry: &Registry) -> Value {
    let mut generator = SchemaGenerator::default();
    let mut part = |schema: fn(&mut SchemaGenerator) -> schemars::Schema| schema(&mut generator).to_value();
    let settings = part(SchemaGenerator::subschema_for::<Settings>);
    let tolerance = part(SchemaGenerator::subschema_for::<Tolerance>);
    let table = part(SchemaGenerator::subschema_for::<TableSpec>);
    let panel = part(SchemaGenerator::subschema_for::<PanelSpec>);
    let drawing = part(SchemaGenerator::subschema_for::<DrawingSpec>);
    let timing = part(SchemaGenerator::subschema_for::<Timing>);
    let undetermined = part(SchemaGenerator::subschema_for::<UndeterminedSpec>);
    let mark = part(SchemaGenerator::subschema_for::<Mark>);
    let marked = part(SchemaGenerator::subschema_for::<Marked>);
    let study = part(SchemaGenerator::subschema_for::<StudySpec>);
    let ranking = part(SchemaGenerator::subschema_for::<RankingSpec>);
    let gathered = part(SchemaGenerator::subschema_for::<Gathered>);
    let every = part(SchemaGenerator::subschema_for::<Every>);
    let rule = part(SchemaGenerator::subschema_for::<Rule>);
    let precision = part(SchemaGenerator::subschema_for::<Precision>);
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
    definitions.insert("panel-or-panels".to_owned(), figure(&panel));
    definitions.insert("solver".to_owned(), solver(&precision));
    let axis = |name: &str| json!({ "anyOf": [reference(name), { "type": "array", "minItems": 1, "items": reference(name) }] });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let anything = || json!({ "type": "array", "minItems": 1 });
    let case = json!({
        "model": axis("model"),
        "method": axis("methods"),
        "step": axis("number"),
        "step_per_stage": axis("number"),
        "tolerance": axis("tolerance"),
        "span": { "type": "array", "items": reference("number"), "minItems": 2, "maxItems": 2, "description": "Start and end, s." },
        "matrix": {
            "type": "object",
            "description": "Axes: every combination is one run.",
            "properties": {
                "model": axis("model"), "method": axis("methods"), "step": axis("number"),
                "step_per_stage": axis("number"), "tolerance": axis("tolerance"),
            },
            "patternProperties": { "^(model|method|settings)\\.": anything() },
            "additionalProperties": false,
        },
        "settings": settings,
        "measures": list(reference("measure")),
        "exclude": list(json!({ "type": "object", "minProperties": 1 })),
        "reference": reference("solver"),
        "fails_when": list(rule),
    });
    let mut properties = case.as_object().cloned().unwrap_or_default();
    let mut one_case = properties.clone();
    one_case.insert("case".to_owned(), json!({ "type": "string" }));
    let frame = json!({
        "schema": { "const": 1, "description": "Version of the file format." },
        "id": { "type": "string", "pattern": "^[a-z0-9][a-z0-9.-]*/[a-z0-9][a-z0-9.-]*$", "description": "`paper/name`." },
        "paper": { "type": "string" },
        "reproduces": list(json!({ "type": "string" })),
        "title": { "type": "string" },
        "gathers": list(gathered),
        "trajectories": list(json!({ "type": "string" })),
        "cases": list(json!({ "type": "object", "properties": one_case, "required": ["case"], "additionalProperties": false })),
        "tables": list(table),
        "plots": list(reference("panel-or-panels")),
        "drawings": list(drawing),
        "rankings": list(ranking),
        "timing": timing,
        "known": {
            "type": "object",
            "description": "How each parameter is known, by path; `defaults` for all others.",
            "additionalProperties": { "anyOf": [mark, marked, { "type": "array", "minItems": 1, "items": marked }] },
        },
        "undetermined": { "type": "object", "additionalProperties": undetermined },
        "study": study,
        "quick": { "type": "object", "properties": properties.clone(), "additionalProperties": false },
    });
    properties.extend(frame.as_object().cloned().unwrap_or_default());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment",
        "type": "object",
        "properties": properties,
        "required": ["id"],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// A method, or what stands for all that suit.
fn methods(every: &Value) -> Value {
    json!({ "anyOf": [
        reference("method"),
        { "const": "every", "description": "Every method that suits the model." },
        { "type": "object", "properties": { "every": every }, "required": ["every"], "additionalProperties": false },
    ] })
}

fn number() -> Value {
    json!({ "anyOf": [
        { "type": "number" },
        { "type": "string", "pattern": "^-?[0-9.]+\\^-?[0-9]+$", "description": "A power, `2^-10`." },
    ] })
}

/// A name, or `{ name: parameters }`. Definitions that parameters refer to go to `hoisted`, under names of
/// their own.
fn choice<K: Kind>(entries: &[Entry<K>], labelled: bool, hoisted: &mut Map<String, Value>) -> Value {
    let names: Vec<&str> = entries.iter().map(Entry::name).collect();
    let mut alternatives = vec![json!({ "type": "string", "enum": names })];
    for entry in entries {
        let mut parameters = entry.schema().to_value();
        bare_names(&mut parameters);
        if let Some(fields) = parameters.as_object_mut() {
            fields.remove("$schema");
            let prefix = format!("{}-{}-", K::NAME, entry.name());
            if let Some(Value::Object(definitions)) = fields.remove("$defs") {
                for (name, mut definition) in definitions {
                    rename(&mut definition, &prefix);
                    hoisted.insert(format!("{prefix}{name}"), definition);
                }
            }
            if labelled && let Some(properties) = fields.entry("properties").or_insert(json!({})).as_object_mut() {
                properties.insert(
                    "label".to_owned(),
                    json!({ "type": "string", "description": "Name in tables and plots." }),
                );
            }
            rename(&mut parameters, &prefix);
            if let Some(properties) = parameters.get_mut("properties").and_then(Value::as_object_mut) {
                for &key in K::OWN_KEYS {
                    let mut own = reference(if key == "tolerance" { key } else { "number" });
                    own["description"] = json!("In place of the step of the file.");
                    properties.insert(key.to_owned(), own);
                }
            }
        }
        alternatives.push(json!({
            "type": "object",
            "description": entry.summary(),
            "properties": { entry.name(): parameters },
            "required": [entry.name()],
            "additionalProperties": false,
        }));
    }
    json!({ "anyOf": alternatives })
}

/// Lets every alternative `{ name: parameters }` also be the bare name: all its parameters have defaults.
fn bare_names(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(alternatives)) = fields.get_mut("oneOf") {
                let names: Vec<Value> = alternatives
                    .iter()
                    .filter_map(|alternative| match alternative["required"].as_array()?.as_slice() {
                        [name] => Some(json!({ "const": name })),
                        _ => None,
                    })
                    .collect();
                alternatives.extend(names);
            }
            fields.values_mut().for_each(bare_names);
        }
        Value::Array(items) => items.iter_mut().for_each(bare_names),
        _ => {}
    }
}

/// Points all references of a schema to definitions with a prefix.
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

fn figure(panel: &Value) -> Value {
    let id = json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9.-]*$" });
    let several = json!({
        "type": "object",
        "properties": {
            "id": id,
            "title": { "type": "string" },
            "caption": { "type": "string" },
            "columns": { "type": "integer", "minimum": 1 },
            "separate": { "type": "boolean", "description": "Whether panels are also written by themselves: their data, and pictures of those that a paper numbers." },
            "panels": { "type": "array", "minItems": 1, "maxItems": 26, "items": panel },
        },
        "required": ["id", "panels"],
        "additionalProperties": false,
    });
    // The keys of the only panel stand beside `id`.
    let mut generator = SchemaGenerator::default();
    let mut one = PanelSpec::json_schema(&mut generator).to_value();
    if let Some(properties) = one.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("id".to_owned(), id);
        properties.insert("caption".to_owned(), json!({ "type": "string" }));
    }
    if let Some(required) = one.get_mut("required").and_then(Value::as_array_mut) {
        required.push(json!("id"));
    }
    json!({ "anyOf": [one, several] })
}

fn solver(precision: &Value) -> Value {
    let solver = json!({
        "method": reference("method"),
        "step": reference("number"),
        "step_per_stage": reference("number"),
        "tolerance": reference("tolerance"),
    });
    let mut properties = solver.as_object().cloned().unwrap_or_default();
    let check =
        json!({ "type": "object", "properties": solver, "required": ["method"], "additionalProperties": false });
    properties.insert("check".to_owned(), check);
    properties.insert("precision".to_owned(), precision.clone());
    properties.insert("digits".to_owned(), json!({ "type": "integer", "minimum": 0 }));
    properties.insert("model".to_owned(), json!({ "type": "object" }));
    let stored = "File beside the experiment that keeps the reference; `mbsbench reference ID` makes it.";
    properties.insert("stored".to_owned(), json!({ "type": "string", "pattern": "\\.csv$", "description": stored }));
    json!({ "type": "object", "properties": properties, "required": ["method"], "additionalProperties": false })
}
