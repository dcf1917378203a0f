//! Angles in radians that exceed a full turn, probably because they are meant in degrees.

use std::f64::consts::TAU;

use mbsbench_problem::parameters::UNIT;
use serde_json::Value;

/// A parameter in radians: its path and value.
pub type Angle = (String, f64);

/// Returns the numbers of `values` that have the unit `rad` in `schema`, exceed a full turn and differ from their
/// defaults.
pub(super) fn wide(values: &Value, defaults: &Value, schema: &Value) -> Vec<Angle> {
    let mut found = Vec::new();
    Walk { root: schema, found: &mut found }.visit(String::new(), values, Some(defaults), schema, None);
    found
}

struct Walk<'s> {
    root: &'s Value,
    found: &'s mut Vec<Angle>,
}

impl Walk<'_> {
    /// Visits a value with the unit of its parameter, or that of the list which contains it.
    fn visit(&mut self, path: String, value: &Value, default: Option<&Value>, schema: &Value, unit: Option<&str>) {
        let unit = schema.get(UNIT).and_then(Value::as_str).or(unit);
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        let schema = target.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema);
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match value {
            Value::Number(number) => {
                let angle = number.as_f64().unwrap_or_default();
                if unit == Some("rad") && angle.abs() > TAU && default != Some(value) {
                    self.found.push((path, angle));
                }
            }
            Value::Array(items) => {
                for (k, item) in items.iter().enumerate() {
                    let default = default.and_then(|list| list.get(k));
                    self.visit(below(&k.to_string()), item, default, &schema["items"], unit);
                }
            }
            Value::Object(fields) => {
                let alternatives = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
                let own = || std::iter::once(schema).chain(alternatives.clone());
                for (name, field) in fields {
                    let property = own().find_map(|own| own.get("properties")?.get(name));
                    let property = property.or_else(|| schema.get("additionalProperties"));
                    let default = default.and_then(|map| map.get(name));
                    self.visit(below(name), field, default, property.unwrap_or(&Value::Null), None);
                }
            }
            _ => {}
        }
    }
}
