//! The keys of ledgers, and their JSON Schema.

use mbsbench_experiment::schema::{bare_names, each, reference};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{Check, Kind, Statement};

/// The kind of a ledger: the statements of a paper, or values of our own that guard against regressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Book {
    /// `statements:` and `findings:`.
    Claims,
    /// `anchors:`.
    Anchors,
}

/// Version of the file format.
pub(super) const SCHEMA: u32 = 2;

impl Book {
    /// The keys that hold its statements.
    pub(super) fn lists(self) -> &'static [&'static str] {
        match self {
            Self::Claims => &["statements", "findings"],
            Self::Anchors => &["anchors"],
        }
    }
}

/// A key with the schema of its value.
type FileKey = (&'static str, fn() -> Value);

/// Keys of a ledger besides those of its statements.
pub(super) const FRAME: [FileKey; 3] = [
    ("schema", || json!({ "const": SCHEMA, "description": "Version of the file format." })),
    ("paper", || json!({ "type": "string", "description": "Id of the paper." })),
    ("sets", || {
        let set = json!({ "type": "array", "minItems": 1 });
        json!({ "type": "object", "additionalProperties": set, "description": "Lists of values for `each`." })
    }),
];

/// The schema of a ledger: `statements:` with `findings:`, or `anchors:`.
pub fn schema() -> Value {
    let mut generator = SchemaGenerator::default();
    let mut part = |schema: fn(&mut SchemaGenerator) -> schemars::Schema| schema(&mut generator).to_value();
    let mut check = part(Check::json_schema);
    let mut kinds = part(Kind::json_schema);
    let mut statement = part(Statement::json_schema);
    let mut definitions = json!(generator.take_definitions(true));
    for kind in kinds["oneOf"].as_array_mut().into_iter().flatten() {
        let description = kind["description"].take();
        for (name, tested) in kind["properties"].as_object().into_iter().flatten() {
            let optional = json!([tested, { "type": "null" }]);
            check["properties"][name] = json!({ "anyOf": optional, "description": description });
        }
    }
    // A template of `each` may have names of axes in place of values, and operands inherit from `on`.
    for schema in [&mut check, &mut definitions] {
        templates(schema);
    }
    bare_names(&mut definitions);
    check["properties"]["on"] =
        json!({ "type": "object", "description": "Keys that all operands of the check share." });
    for (key, schema) in each() {
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
            json!({ "type": "string", "description": "Id of its only check, if it is not the statement's id." }),
        );
        properties.insert("checks".to_owned(), json!({ "type": "array", "minItems": 1, "items": reference("check") }));
    }
    definitions["check"] = check;
    definitions["statement"] = statement;
    let list = json!({ "type": "array", "items": reference("statement") });
    let books = [Book::Claims, Book::Anchors].map(Book::lists);
    let frame = FRAME.iter().map(|(key, schema)| ((*key).to_owned(), schema()));
    let lists = books.into_iter().flatten().map(|&key| (key.to_owned(), list.clone()));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Ledger of a paper",
        "type": "object",
        "properties": frame.chain(lists).collect::<Map<String, Value>>(),
        "required": ["schema", "paper"],
        "oneOf": books.map(|lists| json!({ "required": [lists[0]] })),
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// Allows a template, `{axis}`, in place of every value, and makes the keys of operands optional.
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
