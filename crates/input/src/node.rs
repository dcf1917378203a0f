//! A YAML document as a tree in which every part has its position in the file.

use super::{Place, Problem};

/// A value at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its place in the file.
    pub place: Place,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value: nothing, `null` or `~`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; infinite values and NaN are refused only when a finite number is required.
    Number(Number),
    /// Text, quoted or not.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file; keys are unique.
    Map(Vec<Entry>),
}

/// A number with its spelling.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// The value in double precision.
    pub value: f64,
    /// The exact value, if it was written as a whole number.
    pub whole: Option<i128>,
    /// The number as written in the file.
    pub text: String,
}

/// A key at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub name: String,
    /// Its place in the file.
    pub place: Place,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// A node.
    pub fn new(value: Value, place: Place) -> Self {
        Self { value, place }
    }

    /// A map without entries.
    pub fn empty(place: Place) -> Self {
        Self::new(Value::Map(Vec::new()), place)
    }

    /// A copy in which every part has the place `place`, for content of another file that is named there.
    pub fn placed(&self, place: Place) -> Self {
        let value = match &self.value {
            Value::List(items) => Value::List(items.iter().map(|item| item.placed(place)).collect()),
            Value::Map(entries) => {
                let moved = |entry: &Entry| Entry {
                    key: Key { name: entry.key.name.clone(), place },
                    value: entry.value.placed(place),
                };
                Value::Map(entries.iter().map(moved).collect())
            }
            other => other.clone(),
        };
        Self::new(value, place)
    }

    /// Converts a JSON value that was not written in the file; every part gets the place `place`.
    pub fn from_json(value: &serde_json::Value, place: Place) -> Self {
        use serde_json::Value as Json;
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => Value::Number(Number {
                value: number.as_f64().unwrap_or(f64::NAN),
                whole: number.as_i64().map(i128::from).or(number.as_u64().map(i128::from)),
                text: number.to_string(),
            }),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(|item| Self::from_json(item, place)).collect()),
            Json::Object(fields) => {
                let key = |name: &String| Key { name: name.clone(), place };
                let entry = |(name, value)| Entry { key: key(name), value: Self::from_json(value, place) };
                Value::Map(fields.iter().map(entry).collect())
            }
        };
        Self::new(value, place)
    }

    /// The value as YAML on one line, with `text` to write texts and keys.
    pub fn flow(&self, text: fn(&str) -> String) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(number) => number.text.clone(),
            Value::Text(value) => text(value),
            Value::List(items) => {
                format!("[{}]", items.iter().map(|item| item.flow(text)).collect::<Vec<_>>().join(", "))
            }
            Value::Map(entries) => {
                let entry = |entry: &Entry| format!("{}: {}", text(&entry.key.name), entry.value.flow(text));
                format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The value without places, as JSON. A number that JSON cannot express becomes its spelling.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => serde_json::Number::from_f64(number.value)
                .map_or_else(|| Json::String(number.text.clone()), Json::Number),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => {
                Json::Object(entries.iter().map(|entry| (entry.key.name.clone(), entry.value.to_json())).collect())
            }
        }
    }

    /// Describes the node in words: "the number `0.1`", "a list".
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Number(number) => format!("the number `{}`", number.text),
            Value::Text(text) => format!("the text `{}`", shortened(text)),
            Value::List(items) if items.is_empty() => "an empty list".to_owned(),
            Value::List(_) => "a list".to_owned(),
            Value::Map(entries) if entries.is_empty() => "an empty map".to_owned(),
            Value::Map(_) => "a map".to_owned(),
        }
    }

    /// The entries of a map; none for other values.
    pub fn entries(&self) -> &[Entry] {
        if let Value::Map(entries) = &self.value { entries } else { &[] }
    }

    /// The entry of a map under `name`.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key.name == name)
    }

    /// The value of a map under `name`.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.entry(name).map(|entry| &entry.value)
    }

    /// The value of a map under a required key.
    pub fn required(&self, name: &str) -> Result<&Self, Problem> {
        let missing =
            || Problem::new(self.place, format!("the key `{name}` is missing")).help(format!("add `{name}:`"));
        self.get(name).ok_or_else(missing)
    }

    /// The items of a list; any other value is returned as the only item.
    pub fn one_or_many(&self) -> &[Self] {
        if let Value::List(items) = &self.value { items } else { std::slice::from_ref(self) }
    }

    /// Reads `name` or `{ name: … }` as an entry of a map; none for other values.
    pub fn named(&self) -> Option<Entry> {
        match (&self.value, self.entries()) {
            (Value::Text(name), _) => {
                Some(Entry { key: Key { name: name.clone(), place: self.place }, value: Self::empty(self.place) })
            }
            (_, [entry]) => Some(entry.clone()),
            _ => None,
        }
    }

    /// The text, if the node is a text.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The spelling of a number, text or boolean, as used to name a value on an axis.
    pub fn spelling(&self) -> Option<String> {
        match &self.value {
            Value::Bool(value) => Some(value.to_string()),
            Value::Number(number) => Some(number.text.clone()),
            Value::Text(text) => Some(text.clone()),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The place of the field `path` (`formulation.sliding-mode.sigma`), or of the innermost part of the path that is
    /// in the file.
    pub fn place_of(&self, path: &str) -> Place {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        self.part(first).map_or(self.place, |inner| inner.place_of(rest))
    }

    /// The value of a map under `name`, or the item of a list with this index: `values.2` is an item of a list.
    fn part(&self, name: &str) -> Option<&Self> {
        match &self.value {
            Value::List(items) => items.get(name.parse::<usize>().ok()?),
            _ => self.get(name),
        }
    }

    /// The place of the key of the field `path`, or of the innermost part of the path that is in the file.
    pub fn key_of(&self, path: &str) -> Place {
        if let Some(entry) = self.entry(path) {
            return entry.key.place;
        }
        let Some((first, rest)) = path.split_once('.') else { return self.place };
        self.part(first).map_or(self.place, |inner| inner.key_of(rest))
    }

    /// A copy with `value` at `path`. Missing maps are created, and a bare name on the way becomes a map of that name
    /// (`sliding-mode` is `{ sliding-mode: {} }`).
    pub fn with(&self, path: &[Key], value: &Self) -> Self {
        let Some((key, rest)) = path.split_first() else { return value.clone() };
        if let (Value::List(items), Ok(index)) = (&self.value, key.name.parse::<usize>())
            && index < items.len()
        {
            let mut items = items.clone();
            items[index] = items[index].with(rest, value);
            return Self::new(Value::List(items), self.place);
        }
        let mut entries = match &self.value {
            Value::Map(entries) => entries.clone(),
            Value::Text(_) => self.named().into_iter().collect(),
            _ => Vec::new(),
        };
        match entries.iter_mut().find(|entry| entry.key.name == key.name) {
            Some(entry) => entry.value = entry.value.with(rest, value),
            None => entries.push(Entry { key: key.clone(), value: Self::empty(key.place).with(rest, value) }),
        }
        Self::new(Value::Map(entries), self.place)
    }

    /// A copy of a map with the keys that are meant.
    pub fn with_keys(&self, is_meant: impl Fn(&str) -> bool) -> Self {
        let entries = self.entries().iter().filter(|entry| is_meant(&entry.key.name)).cloned().collect();
        Self::new(Value::Map(entries), self.place)
    }

    /// A copy of a map without the key `name`.
    pub fn without(&self, name: &str) -> Self {
        self.with_keys(|own| own != name)
    }

    /// Merges `other` over this node: maps are merged key by key, other values are replaced.
    pub fn merged(&self, other: &Self) -> Self {
        let (Value::Map(base), Value::Map(over)) = (&self.value, &other.value) else { return other.clone() };
        let mut entries = base.clone();
        for entry in over {
            match entries.iter_mut().find(|present| present.key.name == entry.key.name) {
                Some(present) => *present = Entry { key: entry.key.clone(), value: present.value.merged(&entry.value) },
                None => entries.push(entry.clone()),
            }
        }
        Self::new(Value::Map(entries), other.place)
    }
}

/// A text in the form in which messages quote it.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST {
        shown.push('…');
    }
    shown
}
