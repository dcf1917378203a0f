//! The description of a model, method or measure: parameters from their JSON Schema, observables from the model itself.

use std::collections::HashSet;

use mbsbench_experiment::registry::{Entry, Kind, MethodKind};
use mbsbench_experiment::{Choice, Registry};
use mbsbench_problem::parameters::{Interval, UNIT};
use schemars::Schema;
use serde_json::Value;

/// Describes a model with its observables.
pub(crate) fn model(registry: &Registry, name: &str) -> Vec<String> {
    described(registry.models(), name, |entry| {
        let observables = entry.default_choice().object.model().observables();
        let width = observables.iter().map(|observable| observable.name.len()).max().unwrap_or(0);
        let line = |observable: &mbsbench_problem::Observable| {
            format!("  {:width$}  {}, {}", observable.name, observable.unit, observable.about)
        };
        let head = "observables (with default parameters)".to_owned();
        std::iter::once(head).chain(observables.iter().map(line)).collect()
    })
}

/// Describes a method with its properties.
pub(crate) fn method(registry: &Registry, name: &str) -> Vec<String> {
    described(registry.methods(), name, |entry| properties(&entry.default_choice()))
}

/// Describes a measure with its columns.
pub(crate) fn measure(registry: &Registry, name: &str) -> Vec<String> {
    described(registry.measures(), name, |entry| {
        let measure = entry.default_choice();
        vec![
            format!("columns         {}", measure.object.columns().join(", ").replace("()", "(OBSERVABLE)")),
            format!("observables     {}", measure.object.observables().join(", ")),
        ]
    })
}

/// Lists the properties that a method reports.
pub(crate) fn properties(choice: &Choice<MethodKind>) -> Vec<String> {
    let method = choice.object.method();
    let yes = |holds: bool| if holds { "yes" } else { "no" };
    let mut lines = vec![
        format!("family          {}", choice.entry.family),
        format!("order           {}", method.order()),
        format!("error control   {}", yes(method.properties().adapts)),
        format!("double-double   {}", yes(choice.object.precise().is_some())),
    ];
    lines.extend(method.details());
    lines
}

/// Describes an entry, followed by the lines of `more`; empty if there is none with this name.
fn described<K: Kind>(entries: &[Entry<K>], name: &str, more: impl Fn(&Entry<K>) -> Vec<String>) -> Vec<String> {
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else { return Vec::new() };
    let mut lines = vec![format!("{name}: {}", entry.summary)];
    if !entry.source.is_empty() {
        lines.push(format!("source: {}", entry.source));
    }
    let own = parameters(entry);
    lines.push(String::new());
    lines.push(if own.is_empty() { "no parameters" } else { "parameters" }.to_owned());
    lines.extend(own);
    lines.push(String::new());
    lines.extend(more(entry));
    lines
}

/// Describes the parameters of an entry in indented lines.
pub(crate) fn parameters<K: Kind>(entry: &Entry<K>) -> Vec<String> {
    let schema = entry.schema();
    let mut own = Parameters { root: schema.as_value(), described: HashSet::new(), lines: Vec::new() };
    own.of(schema.as_value(), &entry.default_choice().parameters, 1);
    own.lines
}

/// Lines about the parameters of a schema.
struct Parameters<'s> {
    root: &'s Value,
    /// References to schemas that were described already.
    described: HashSet<&'s str>,
    lines: Vec<String>,
}

impl<'s> Parameters<'s> {
    fn push(&mut self, depth: usize, line: &str) {
        self.lines.push(format!("{}{line}", "  ".repeat(depth)));
    }

    /// Adds one line for each parameter, followed by its alternatives with their parameters. For maps by name and lists
    /// of maps, it describes an item.
    fn of(&mut self, schema: &'s Value, defaults: &Value, depth: usize) {
        for (name, property) in object(self.resolved(schema), "properties") {
            let default = defaults.get(name).or(property.get("default"));
            let unit = text(property, UNIT).filter(|unit| *unit != "1");
            let is_shown = |value: &&Value| !value.is_null() && value.as_str() != Some("");
            let shown = match (default.filter(is_shown), unit) {
                (Some(value), Some(unit)) => format!(" = {} {unit}", compact(value)),
                (Some(value), None) => format!(" = {}", compact(value)),
                (None, Some(unit)) => format!(", in {unit}"),
                (None, None) => String::new(),
            };
            let target = self.resolved(property);
            self.push(depth, &format!("{name}: {}{shown}", self.type_name(property)));
            if let Some(text) = documentation(property).or_else(|| documentation(target)) {
                self.push(depth, &format!("    {text}"));
            }
            self.content(target, default.unwrap_or(&Value::Null), depth + 1);
            let Some(each) = ["additionalProperties", "items"].iter().find_map(|key| target.get(key)) else { continue };
            let inner = self.resolved(each);
            let has_parts = inner.get("properties").is_some() || alternatives(inner).next().is_some();
            match text(each, "$ref").filter(|_| has_parts) {
                Some(reference) if self.described.insert(reference) => {
                    self.push(depth, &format!("    each: {}", documentation(inner).unwrap_or_default()));
                    self.content(inner, &Value::Null, depth + 3);
                }
                Some(_) => self.push(depth, "    each as above"),
                None => {}
            }
        }
    }

    /// Adds the parameters of a map, or alternatives.
    fn content(&mut self, schema: &'s Value, defaults: &Value, depth: usize) {
        if schema.get("properties").is_some() {
            self.of(schema, defaults, depth);
        }
        for alternative in alternatives(schema) {
            let target = self.resolved(alternative);
            if std::ptr::eq(target, alternative) {
                self.alternative(alternative, defaults, depth);
            } else {
                self.content(target, defaults, depth);
            }
        }
    }

    fn alternative(&mut self, alternative: &'s Value, defaults: &Value, depth: usize) {
        let about = documentation(alternative).map_or(String::new(), |text| format!(": {text}"));
        if let Some(name) = text(alternative, "const") {
            self.push(depth, &format!("- {name}{about}"));
            return;
        }
        for name in alternative.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            self.push(depth, &format!("- {name}"));
        }
        for (name, content) in object(alternative, "properties") {
            self.push(depth, &format!("- {name}{about}"));
            self.of(content, defaults.get(name).unwrap_or(&Value::Null), depth + 2);
        }
    }

    /// Returns the schema that a reference refers to.
    fn resolved(&self, schema: &'s Value) -> &'s Value {
        let target = text(schema, "$ref").and_then(|reference| reference.strip_prefix('#'));
        target.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema)
    }

    fn type_name(&self, schema: &'s Value) -> String {
        let schema = self.resolved(schema);
        match schema.get("type") {
            Some(Value::String(name)) if name == "array" => format!("array of {}", self.type_name(&schema["items"])),
            Some(Value::String(_)) if schema.get("additionalProperties").is_some_and(|each| !each.is_boolean()) => {
                format!("map of {} by name", self.type_name(&schema["additionalProperties"]))
            }
            Some(Value::String(name)) if alternatives(schema).next().is_none() => format!("{name}{}", range(schema)),
            Some(Value::Array(names)) => {
                let names: Vec<_> = names.iter().filter_map(Value::as_str).filter(|&name| name != "null").collect();
                format!("{}{}", names.join(" or "), range(schema))
            }
            _ => "one of".to_owned(),
        }
    }
}

fn text<'s>(schema: &'s Value, key: &str) -> Option<&'s str> {
    schema.get(key)?.as_str()
}

fn object<'s>(schema: &'s Value, key: &str) -> impl Iterator<Item = (&'s String, &'s Value)> {
    schema.get(key).and_then(Value::as_object).into_iter().flatten()
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let listed = ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    let named = schema.get("enum").is_some().then_some(schema);
    listed.filter(|schema| text(schema, "type") != Some("null")).chain(named)
}

/// The range of a number, as written in messages.
fn range(schema: &Value) -> String {
    <&Schema>::try_from(schema).map_or(String::new(), |schema| Interval::of(schema).to_string())
}

fn documentation(schema: &Value) -> Option<String> {
    Some(text(schema, "description")?.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Formats a value on one line; an alternative without parameters is its name.
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
        let text = method(&registry, "listed").join("\n");
        assert!(text.ends_with("double-double   no\ncoefficients\n  a = 0.25"), "{text}");
    }
}
