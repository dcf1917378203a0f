//! `mbsbench describe`: parameters from their JSON Schema, observables from the model itself.

use std::collections::HashSet;
use std::path::Path;

use clap::ValueEnum;
use mbsbench_experiment::read_method;
use mbsbench_experiment::registry::{Choice, Entry, Kind, MethodKind, Registry};
use mbsbench_problem::parameters::{Interval, UNIT};
use schemars::Schema;
use serde_json::Value;

use super::CommandError;
use super::args;
use super::check::other_kind;
use super::files::is_yaml;
use super::recognition::{FileKind, file_kind};
use crate::output::Output;

/// Describes what is called so: a name, or a kind and a name.
pub(super) fn describe(registry: &Registry, what: &[String], output: &mut Output<'_>) -> Result<(), CommandError> {
    let (kind, name) = match what {
        [.., file] if is_yaml(Path::new(file)) || file_kind(Path::new(file)).is_some() => {
            return describe_file(registry, Path::new(file), output);
        }
        [kind, name] => (kind_of(kind)?, name),
        _ => {
            let name = what.first().map_or("", String::as_str);
            let kind = the_kind(registry, name)?;
            return describe(registry, &[kind.to_owned(), name.to_owned()], output);
        }
    };
    match kind {
        args::Kind::Model => {
            let entry = find(registry.models(), name)?;
            about(entry, output)?;
            output.line("\nobservables (with default parameters)")?;
            let observables = entry.default_choice().object().model().observables();
            let width = observables.iter().map(|observable| observable.name.len()).max().unwrap_or(0);
            for observable in observables {
                output.line(format!("  {:width$}  {}, {}", observable.name, observable.unit, observable.about))?;
            }
        }
        args::Kind::Method => {
            let entry = find(registry.methods(), name)?;
            about(entry, output)?;
            output.line("")?;
            said(&entry.default_choice()).into_iter().try_for_each(|line| output.line(line))?;
        }
        args::Kind::Measure => {
            let entry = find(registry.measures(), name)?;
            about(entry, output)?;
            let measure = entry.default_choice();
            output.line(format!("\ncolumns         {}", measure.object().columns().join(", ")))?;
            output.line(format!("observables     {}", measure.object().observables().join(", ")))?;
        }
    }
    Ok(())
}

/// What a method says of itself.
pub(super) fn said(choice: &Choice<MethodKind>) -> Vec<String> {
    let method = choice.object().method();
    let yes = |holds: bool| if holds { "yes" } else { "no" };
    let mut lines = vec![
        format!("family          {}", choice.family()),
        format!("order           {}", method.order()),
        format!("error control   {}", yes(method.adapts())),
        format!("double-double   {}", yes(choice.object().precise().is_some())),
    ];
    lines.extend(method.details());
    lines
}

/// Where a method that is written out in a file is from, if it says so.
pub(super) fn about_file(choice: &Choice<MethodKind>) -> Option<String> {
    let source = choice.parameter("source").and_then(Value::as_str);
    source.map(|source| format!("source: {source}"))
}

/// Describes the method that a file writes out.
fn describe_file(registry: &Registry, path: &Path, output: &mut Output<'_>) -> Result<(), CommandError> {
    let bytes = mbsbench_input::read_file(path, mbsbench_input::LARGEST_TEXT)
        .map_err(|error| CommandError::Unreadable { path: path.to_owned(), error })?;
    let wrong = |wrong| other_kind(path, FileKind::Method).unwrap_or_else(|| CommandError::BadInput(vec![wrong]));
    let choice = read_method(path, &bytes, registry).map_err(wrong)?;
    output.line(format!("{}: {} of {}", choice.label(), choice.name(), path.display()))?;
    if let Some(source) = about_file(&choice) {
        output.line(source)?;
    }
    output.line("")?;
    Ok(said(&choice).into_iter().try_for_each(|line| output.line(line))?)
}

fn kind_of(name: &str) -> Result<args::Kind, CommandError> {
    args::Kind::from_str(name, false).map_err(|_| CommandError::UnknownName {
        kind: "kind",
        found: name.to_owned(),
        known: args::Kind::value_variants()
            .iter()
            .filter_map(|kind| Some(kind.to_possible_value()?.get_name().to_owned()))
            .collect(),
    })
}

/// The kind of what is called so.
fn the_kind(registry: &Registry, name: &str) -> Result<&'static str, CommandError> {
    let models = registry.models().iter().map(|entry| ("model", entry.name()));
    let methods = registry.methods().iter().map(|entry| ("method", entry.name()));
    let measures = registry.measures().iter().map(|entry| ("measure", entry.name()));
    let mut all = models.chain(methods).chain(measures);
    all.clone().find(|(_, known)| *known == name).map(|(kind, _)| kind).ok_or_else(|| CommandError::UnknownName {
        kind: "model, method or measure",
        found: name.to_owned(),
        known: all.by_ref().map(|(_, known)| known.to_owned()).collect(),
    })
}

fn find<'r, K: Kind>(entries: &'r [Entry<K>], name: &str) -> Result<&'r Entry<K>, CommandError> {
    entries.iter().find(|entry| entry.name() == name).ok_or_else(|| CommandError::UnknownName {
        kind: K::NAME,
        found: name.to_owned(),
        known: entries.iter().map(|entry| entry.name().to_owned()).collect(),
    })
}

fn about<K: Kind>(entry: &Entry<K>, output: &mut Output<'_>) -> Result<(), CommandError> {
    output.line(format!("{}: {}", entry.name(), entry.summary()))?;
    if !entry.source().is_empty() {
        output.line(format!("source: {}", entry.source()))?;
    }
    let schema = entry.schema();
    let root = schema.as_value();
    let mut lines = Vec::new();
    let mut known = HashSet::new();
    parameters(root, root, entry.default_choice().parameters(), 1, &mut known, &mut lines);
    output.line(if lines.is_empty() { "\nno parameters" } else { "\nparameters" })?;
    for line in lines {
        output.line(line)?;
    }
    Ok(())
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
    struct Listed {}

    impl Parameters for Listed {}

    impl MethodDefinition for Listed {
        const NAME: &'static str = "listed";
        const SUMMARY: &'static str = "a method with coefficients to list";
        const SOURCE: &'static str = "";
        const FAMILY: &'static str = "none";

        fn method(&self) -> Box<dyn Method> {
            Box::new(self.clone())
        }
    }

    impl Method for Listed {
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
        let registry = Registry::empty().method::<Listed>();
        let mut text = Vec::new();
        describe(&registry, &["listed".to_owned()], &mut Output::new(&mut text, &mut Vec::new())).expect("it is known");
        let text = String::from_utf8(text).expect("UTF-8");
        assert!(text.ends_with("double-double   no\ncoefficients\n  a = 0.25\n"), "{text}");
    }
}
