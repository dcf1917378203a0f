//! All about a model, method or measure: parameters from their JSON Schema, observables from the model itself.

use std::collections::HashSet;

use mbsbench_experiment::registry::{Entry, Kind, Registry};
use mbsbench_problem::parameters::{Interval, UNIT};
use schemars::Schema;
use serde_json::Value;

use super::Listed;
use crate::cli::method::properties;

/// Describes what a registry has under a name; nothing if it has no such thing.
pub(super) fn lines(registry: &Registry, name: &str, kind: Listed) -> Vec<String> {
    match kind {
        Listed::Models => about(registry.models(), name, |entry| {
            let observables = entry.default_choice().object().model().observables();
            let width = observables.iter().map(|observable| observable.name.len()).max().unwrap_or(0);
            let line = |observable: &mbsbench_problem::Observable| {
                format!("  {:width$}  {}, {}", observable.name, observable.unit, observable.about)
            };
            let head = "observables (with default parameters)".to_owned();
            std::iter::once(head).chain(observables.iter().map(line)).collect()
        }),
        Listed::Methods => about(registry.methods(), name, |entry| properties(&entry.default_choice())),
        Listed::Measures => about(registry.measures(), name, |entry| {
            let measure = entry.default_choice();
            vec![
                format!("columns         {}", measure.object().columns().join(", ")),
                format!("observables     {}", measure.object().observables().join(", ")),
            ]
        }),
        _ => Vec::new(),
    }
}

/// What is known of every entry, and what `more` says of one of its kind.
fn about<K: Kind>(entries: &[Entry<K>], name: &str, more: impl Fn(&Entry<K>) -> Vec<String>) -> Vec<String> {
    let Some(entry) = entries.iter().find(|entry| entry.name() == name) else { return Vec::new() };
    let mut lines = vec![format!("{name}: {}", entry.summary())];
    if !entry.source().is_empty() {
        lines.push(format!("source: {}", entry.source()));
    }
    let schema = entry.schema();
    let root = schema.as_value();
    let mut own = Vec::new();
    parameters(root, root, entry.default_choice().parameters(), 1, &mut HashSet::new(), &mut own);
    lines.push(String::new());
    lines.push(if own.is_empty() { "no parameters" } else { "parameters" }.to_owned());
    lines.extend(own);
    lines.push(String::new());
    lines.extend(more(entry));
    lines
}

/// One line for each parameter, the alternatives of a parameter and their parameters below it.
/// Of things by name, and of lists of maps, what each of them is; what has been described is not described again.
fn parameters<'s>(
    root: &'s Value,
    schema: &'s Value,
    defaults: &Value,
    depth: usize,
    known: &mut HashSet<&'s str>,
    lines: &mut Vec<String>,
) {
    let indent = "  ".repeat(depth);
    let Some(properties) = resolved(root, schema).get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let default = defaults.get(name).or(property.get("default"));
        let unit = property.get(UNIT).and_then(Value::as_str).filter(|unit| *unit != "1");
        let shown = match (default.filter(|value| !value.is_null()), unit) {
            (Some(value), Some(unit)) => format!(" = {} {unit}", compact(value)),
            (Some(value), None) => format!(" = {}", compact(value)),
            (None, Some(unit)) => format!(", in {unit}"),
            (None, None) => String::new(),
        };
        let target = resolved(root, property);
        lines.push(format!("{indent}{name}: {}{shown}", type_name(root, property)));
        if let Some(text) = documentation(property).or_else(|| documentation(target)) {
            lines.push(format!("{indent}    {text}"));
        }
        let inner = default.unwrap_or(&Value::Null);
        content(root, target, inner, depth + 1, known, lines);
        let Some(each) = ["additionalProperties", "items"].iter().find_map(|key| target.get(key)) else { continue };
        let described = resolved(root, each);
        let has_parts = described.get("properties").is_some() || alternatives(described).next().is_some();
        match each.get("$ref").and_then(Value::as_str).filter(|_| has_parts) {
            Some(reference) if known.insert(reference) => {
                lines.push(format!("{indent}    each: {}", documentation(described).unwrap_or_default()));
                content(root, described, &Value::Null, depth + 3, known, lines);
            }
            Some(_) => lines.push(format!("{indent}    each as above")),
            None => {}
        }
    }
}

/// The parameters of a map, or alternatives.
fn content<'s>(
    root: &'s Value,
    schema: &'s Value,
    defaults: &Value,
    depth: usize,
    known: &mut HashSet<&'s str>,
    lines: &mut Vec<String>,
) {
    if schema.get("properties").is_some() {
        parameters(root, schema, defaults, depth, known, lines);
    }
    for alternative in alternatives(schema) {
        let target = resolved(root, alternative);
        if std::ptr::eq(target, alternative) {
            described_alternative(root, alternative, defaults, depth, known, lines);
        } else {
            content(root, target, defaults, depth, known, lines);
        }
    }
}

fn described_alternative<'s>(
    root: &'s Value,
    alternative: &'s Value,
    defaults: &Value,
    depth: usize,
    known: &mut HashSet<&'s str>,
    lines: &mut Vec<String>,
) {
    let indent = "  ".repeat(depth);
    let text = documentation(alternative).map_or(String::new(), |text| format!(": {text}"));
    if let Some(name) = alternative.get("const").and_then(Value::as_str) {
        lines.push(format!("{indent}- {name}{text}"));
        return;
    }
    for name in alternative.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        lines.push(format!("{indent}- {name}"));
    }
    for (name, content) in alternative.get("properties").and_then(Value::as_object).into_iter().flatten() {
        lines.push(format!("{indent}- {name}{text}"));
        parameters(root, content, defaults.get(name).unwrap_or(&Value::Null), depth + 2, known, lines);
    }
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let listed = ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    let named = schema.get("enum").is_some().then_some(schema);
    listed.filter(|schema| schema.get("type").and_then(Value::as_str) != Some("null")).chain(named)
}

/// The schema that a reference stands for.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

fn type_name(root: &Value, schema: &Value) -> String {
    let schema = resolved(root, schema);
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => format!("array of {}", type_name(root, &schema["items"])),
        Some(Value::String(_)) if schema.get("additionalProperties").is_some_and(|each| !each.is_boolean()) => {
            format!("map of {} by name", type_name(root, &schema["additionalProperties"]))
        }
        Some(Value::String(name)) if alternatives(schema).next().is_none() => format!("{name}{}", range(schema)),
        Some(Value::Array(names)) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).filter(|&name| name != "null").collect();
            format!("{}{}", names.join(" or "), range(schema))
        }
        _ => "one of".to_owned(),
    }
}

/// What a number may be, as messages have it.
fn range(schema: &Value) -> String {
    <&Schema>::try_from(schema).map_or(String::new(), |schema| Interval::of(schema).to_string())
}

fn documentation(schema: &Value) -> Option<String> {
    let text = schema.get("description")?.as_str()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A value in one line, an alternative without parameters as its name.
fn compact(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) if fields.len() == 1 => fields.keys().next().cloned().unwrap_or_default(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use mbsbench_problem::{Counted, Method, MethodDefinition, Observer, Parameters, Solution, Task};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
    struct Written {}

    impl Parameters for Written {}

    impl MethodDefinition for Written {
        const NAME: &'static str = "listed";
        const SUMMARY: &'static str = "a method with coefficients to list";
        const SOURCE: &'static str = "";
        const FAMILY: &'static str = "none";

        fn method(&self) -> Box<dyn Method> {
            Box::new(self.clone())
        }
    }

    impl Method for Written {
        fn order(&self) -> u32 {
            1
        }
        fn adapts(&self) -> bool {
            false
        }
        fn details(&self) -> Vec<String> {
            vec!["coefficients".to_owned(), "  a = 0.25".to_owned()]
        }
        fn solve(&self, _: Counted<'_>, _: &Task<'_>, _: &mut dyn Observer) -> Solution {
            unreachable!("it is only described")
        }
    }

    #[test]
    fn details_of_a_method_come_last() {
        let registry = Registry::empty().method::<Written>();
        let text = lines(&registry, "listed", Listed::Methods).join("\n");
        assert!(text.ends_with("double-double   no\ncoefficients\n  a = 0.25"), "{text}");
    }
}
