//! Tests every parameter of every model, method and measure against its schema: bounds hold, defaults are accepted, and
//! reading preserves the written values. New definitions are covered without being named here.

use std::ops::Bound::{Excluded, Included, Unbounded};
use std::ops::RangeBounds;

use mbsbench_experiment::registry::{Entry, Kind, Registry};
use mbsbench_input::{Node, Place, Problem};
use mbsbench_problem::parameters::Interval;
use serde_json::{Map, Value, json};

/// Returns the parameters with the given number in one place and defaults elsewhere.
type With<'w> = &'w dyn Fn(Value) -> Value;

/// A numeric parameter.
struct Number<'w> {
    path: String,
    is_whole: bool,
    interval: Interval,
    with: With<'w>,
}

impl Number<'_> {
    /// Returns the values next to each bound: inside the range and outside it.
    fn inside_and_outside(&self) -> [Vec<f64>; 2] {
        let next = |x: f64, up: bool| match (self.is_whole, up) {
            (true, true) => x + 1.0,
            (true, false) => x - 1.0,
            (false, true) => x.next_up(),
            (false, false) => x.next_down(),
        };
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for (bound, inwards_is_up) in [(self.interval.low, true), (self.interval.high, false)] {
            let (accepted, refused) = match bound {
                Included(end) => {
                    let slack = if inwards_is_up { -Interval::slack(end) } else { Interval::slack(end) };
                    (end + slack, next(end + slack, !inwards_is_up))
                }
                Excluded(end) => (next(end, inwards_is_up), end),
                Unbounded => continue,
            };
            inside.push(accepted);
            outside.push(refused);
        }
        if self.is_whole {
            outside.retain(|&x| x >= 0.0); // the type refuses these
        }
        [inside, outside]
    }

    fn value(&self, x: f64) -> Value {
        if self.is_whole { json!(x as u64) } else { json!(x) }
    }
}

/// Returns a number in the range of a numeric schema.
fn accepted_number(schema: &Value) -> f64 {
    let Interval { low, high } = Interval::of(schema.try_into().expect("a schema"));
    match (low, high) {
        (Unbounded, Unbounded) => 0.0,
        (Included(low) | Excluded(low), Unbounded) => low + 1.0,
        (Unbounded, Included(high) | Excluded(high)) => high - 1.0,
        (Included(low) | Excluded(low), Included(high) | Excluded(high)) => 0.5 * (low + high),
    }
}

/// Visits all numbers below a schema.
fn numbers(
    root: &Value,
    schema: &Value,
    default: &Value,
    path: &str,
    with: With<'_>,
    show: &mut dyn FnMut(&Number<'_>),
) {
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|target| root.pointer(&target[1..]));
    let schema = reference.unwrap_or(schema);
    let is = |name: &str| match &schema["type"] {
        Value::String(only) => only == name,
        types => types.as_array().is_some_and(|types| types.iter().any(|one| one == name)),
    };
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for alternative in ["oneOf", "anyOf"].iter().filter_map(|key| schema[*key].as_array()).flatten() {
        numbers(root, alternative, &Value::Null, path, with, show);
    }
    if let Some(properties) = schema["properties"].as_object() {
        // Parameters without defaults are given, with numbers within their ranges.
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let given = |name: &Value| {
            let name = name.as_str().expect("a name").to_owned();
            let Interval { low, high } = Interval::of((&properties[&name]).try_into().expect("a schema"));
            let is_accepted = |value: &Value| value.as_f64().is_none_or(|x| (low, high).contains(&x));
            let own = default.get(&name).filter(|value| is_accepted(value)).cloned();
            let value = own.unwrap_or_else(|| match properties[&name]["type"].as_str() {
                Some("string") => json!("text"),
                Some("array") => json!([]),
                _ => json!(accepted_number(&properties[&name])),
            });
            (name, value)
        };
        let base: Map<String, Value> = required.iter().map(given).collect();
        for (name, property) in properties {
            let with_field = |value| {
                let mut fields = base.clone();
                fields.insert(name.clone(), value);
                with(Value::Object(fields))
            };
            numbers(root, property, &default[name], &below(name), &with_field, show);
        }
    } else if is("array") {
        let length = schema["minItems"].as_u64().map_or(1, |least| least as usize);
        let given = default.as_array().filter(|items| !items.is_empty());
        let with_item = |value: Value| {
            let mut items = given.cloned().unwrap_or_else(|| vec![value.clone(); length]);
            items[0] = value;
            with(Value::Array(items))
        };
        let first = given.map_or(&Value::Null, |items| &items[0]);
        numbers(root, &schema["items"], first, &below("0"), &with_item, show);
    } else if is("number") || is("integer") {
        let interval = Interval::of(schema.try_into().expect("a schema"));
        show(&Number { path: path.to_owned(), is_whole: is("integer"), interval, with });
    }
}

/// Returns the accepted range if the problem is that of the parameter at `path`.
fn accepted<'p>(problem: &'p Problem, path: &str) -> Option<&'p str> {
    problem.help.as_deref().filter(|_| problem.message.starts_with(&format!("`{path}` is ")))
}

/// Checks the entries of one kind, and returns the number of bounds found.
fn check<K: Kind>(entries: &[Entry<K>]) -> usize {
    let node = |value: &Value| Node::from_json(value, Place::default());
    let mut bounds = 0;
    for entry in entries {
        let name = entry.name;
        let default = entry.default_choice();
        let written = &default.parameters;
        let schema = entry.schema().to_value();
        // Required parameters have no default that a file could contain.
        if schema.get("required").is_none() {
            let read = entry.choose(&node(written), None).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
            assert_eq!(&read.parameters, written, "{name}");
        }
        let unknown = entry.choose(&node(&json!({ "no-such-parameter": 1 })), None).unwrap_err();
        assert!(unknown.message.contains("`no-such-parameter`"), "{name}: {unknown:?}");

        numbers(&schema, &schema, written, "", &|value| value, &mut |number| {
            let path = &number.path;
            let choose = |x| entry.choose(&node(&(number.with)(number.value(x))), None);
            let [inside, outside] = number.inside_and_outside();
            bounds += outside.len();
            let mut range = String::new();
            for x in outside {
                let problem = choose(x).expect_err(path);
                range = accepted(&problem, path).unwrap_or_else(|| panic!("{name}: {problem:?}")).to_owned();
            }
            for x in inside {
                match choose(x) {
                    Ok(choice) => assert_eq!(choice.parameter(path), Some(&number.value(x)), "{name}: {path}"),
                    // A condition between this parameter and others may be stricter.
                    Err(problem) => assert_ne!(accepted(&problem, path), Some(&*range), "{name}: {path} = {x:e}"),
                }
            }
        });
    }
    bounds
}

#[test]
fn declared_ranges_hold_and_parameters_round_trip() {
    let registry = Registry::builtin();
    let bounds = [check(registry.models()), check(registry.methods()), check(registry.measures())];
    // Fewer bounds would mean that the walk misses parameters.
    assert!(bounds[0] > 200 && bounds[1] > 50 && bounds[2] > 5, "{bounds:?}");
}
