//! A serde deserialiser over [`Node`], whose errors carry the place of the faulty node.
//!
//! Enums are externally tagged. A bare name means the variant with all defaults: `sliding-mode` is
//! `{ sliding-mode: {} }`.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer, StringDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::{Entry, Node, Place, Problem, Value, accepted, one_of, unknown};

/// Reads a `T` from a node.
///
/// # Errors
/// Returns the first problem, with its place.
pub fn read<T: DeserializeOwned>(node: &Node) -> Result<T, Problem> {
    read_as(node, "key")
}

/// Reads a `T` from a node; messages call unknown keys `what` ("parameter of `pendulum`").
///
/// # Errors
/// Returns the first problem, with its place.
pub fn read_as<T: DeserializeOwned>(node: &Node, what: &str) -> Result<T, Problem> {
    T::deserialize(NodeDeserializer { node, what }).map_err(|error| error.of(node).placed(node.place))
}

/// A problem whose place may still be unknown: serde raises some errors where only the caller knows it.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
struct Unplaced {
    place: Option<Place>,
    problem: Box<Problem>,
}

impl Unplaced {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: None, problem: Box::new(Problem::new(Place::default(), message).help(help)) }
    }

    fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// Adds the place of a node, and what was found there to the text that an untagged enum expects, "accepted: …".
    fn of(mut self, node: &Node) -> Self {
        if self.place.is_none() && self.problem.message.starts_with("accepted: ") {
            let accepted = std::mem::replace(&mut self.problem.message, format!("found {}", node.describe()));
            self.problem.help = Some(accepted);
        }
        self.at(node.place)
    }

    /// Adds the place of an entry's key, and calls an unknown key `what`.
    fn of_key(mut self, entry: &Entry, what: &str) -> Self {
        if let Some(name) = self.problem.message.strip_prefix("unknown key ") {
            self.problem.message = unknown(what, name);
        }
        self.at(entry.key.place)
    }

    fn placed(self, place: Place) -> Problem {
        Problem { place: self.place.unwrap_or(place), ..*self.problem }
    }
}

impl de::Error for Unplaced {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { place: None, problem: Box::new(Problem::new(Place::default(), message.to_string())) }
    }
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("found {found}"), format!("accepted: {expected}"))
    }
    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("found {found}"), format!("accepted: {expected}"))
    }
    fn invalid_length(found: usize, expected: &dyn de::Expected) -> Self {
        Self::new(format!("found a list of length {found}"), format!("accepted: {expected}"))
    }
    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self::new(format!("unknown alternative `{found}`"), accepted(found, known.iter().copied()))
    }
    fn unknown_field(found: &str, known: &'static [&'static str]) -> Self {
        Self { place: None, problem: Box::new(Problem::unknown(Place::default(), "key", found, known)) }
    }
    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("the key `{field}` is missing"), format!("add `{field}:`"))
    }
    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("the key `{field}` is given twice"), "remove one of the two")
    }
}

#[derive(Clone, Copy)]
struct NodeDeserializer<'n, 'w> {
    node: &'n Node,
    what: &'w str,
}

impl<'n, 'w> NodeDeserializer<'n, 'w> {
    fn inner(self, node: &'n Node) -> Self {
        Self { node, what: self.what }
    }

    /// The entries of a map; none if there is no value, as in `pendulum:`.
    fn entries(self) -> Option<&'n [Entry]> {
        match &self.node.value {
            Value::Map(entries) => Some(entries),
            Value::Null => Some(&[]),
            _ => None,
        }
    }

    /// The name of an alternative, with its content. `known` lists all alternatives.
    fn alternative(self, known: &[&str]) -> Result<Variant<'n, 'w>, Unplaced> {
        if let [Entry { key, value }] = self.node.entries() {
            return Ok(Variant { name: &key.name, name_place: key.place, content: Some(self.inner(value)) });
        }
        let alternatives = || one_of(known.iter().copied());
        match &self.node.value {
            Value::Text(name) => Ok(Variant { name, name_place: self.node.place, content: None }),
            Value::Map(_) => Err(self.wrong(&format!("a map with one of the keys {}", alternatives()))),
            _ => Err(self.wrong(&alternatives())),
        }
    }

    fn wrong(self, accepted: &str) -> Unplaced {
        Unplaced::new(format!("found {}", self.node.describe()), format!("accepted: {accepted}")).at(self.node.place)
    }

    fn finite(self) -> Result<f64, Unplaced> {
        let accepted = match &self.node.value {
            Value::Number(number) if number.value.is_finite() => return Ok(number.value),
            Value::Number(number) => {
                let found = format!("`{}` is not a finite number", number.text);
                return Err(Unplaced::new(found, "accepted: a finite number in double precision").at(self.node.place));
            }
            Value::Text(text) if text.contains('^') => "a number; a power is written `2^-10`",
            Value::Text(text) if is_with_unit(text) => "a number without a unit; each parameter has a fixed unit",
            Value::Text(text) if text.contains(['*', '+', '/', '(']) => "a number; formulas are not evaluated here",
            _ => "a number",
        };
        Err(self.wrong(accepted))
    }

    fn whole(self, low: i128, high: i128) -> Result<i128, Unplaced> {
        let accepted = format!("a whole number from {low} to {high}");
        let Value::Number(number) = &self.node.value else { return Err(self.wrong(&accepted)) };
        // `1e6` is a convenient way to write a budget; beyond 2^53 a float no longer identifies a whole number.
        let exact = |value: f64| value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
        let whole = number.whole.or_else(|| exact(number.value).then_some(number.value as i128));
        whole.filter(|whole| (low..=high).contains(whole)).ok_or_else(|| self.wrong(&accepted))
    }

    fn map<V: Visitor<'n>>(self, entries: &'n [Entry], visitor: V) -> Result<V::Value, Unplaced> {
        visitor.visit_map(Entries { outer: self, rest: entries.iter(), value: None })
    }

    fn list<V: Visitor<'n>>(self, items: &'n [Node], visitor: V) -> Result<V::Value, Unplaced> {
        visitor.visit_seq(Items { outer: self, rest: items.iter() })
    }
}

/// True if a text is a number followed by a unit: `34deg`, `0.5 m`.
fn is_with_unit(text: &str) -> bool {
    let number = text.trim_end_matches(|c: char| c.is_alphabetic() || "°²³/ ".contains(c));
    number.len() < text.len() && number.parse::<f64>().is_ok()
}

macro_rules! whole_numbers {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
            let whole = self.whole(<$type>::MIN.into(), <$type>::MAX.into())?;
            let value = <$type>::try_from(whole).expect("the range was checked");
            visitor.$visit(value)
        }
    )*};
}

impl<'n> Deserializer<'n> for NodeDeserializer<'n, '_> {
    type Error = Unplaced;

    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match number.whole {
                Some(whole) => match (u64::try_from(whole), i64::try_from(whole)) {
                    (Ok(value), _) => visitor.visit_u64(value),
                    (_, Ok(value)) => visitor.visit_i64(value),
                    _ => visitor.visit_f64(number.value),
                },
                None => visitor.visit_f64(self.finite()?),
            },
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(items) => self.list(items, visitor),
            Value::Map(entries) => self.map(entries, visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'n>>
        i8 i16 i128 u16 u128 f32 char bytes byte_buf unit_struct tuple_struct
    }

    whole_numbers! {
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u8 u8;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
    }

    fn deserialize_f64<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        visitor.visit_f64(self.finite()?)
    }

    fn deserialize_bool<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        match self.node.value {
            Value::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.wrong("`true` or `false`")),
        }
    }

    fn deserialize_str<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        match &self.node.value {
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Number(_) | Value::Bool(_) => Err(self.wrong("text; quote it if text is meant")),
            _ => Err(self.wrong("text")),
        }
    }

    fn deserialize_string<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        match self.node.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Map(entries) if entries.is_empty() => visitor.visit_unit(),
            _ => Err(self.wrong("nothing")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(self, name: &'static str, visitor: V) -> Result<V::Value, Unplaced> {
        if name == VERBATIM {
            return visitor.visit_seq(WithSpelling { outer: self, part: 0 });
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        match &self.node.value {
            Value::List(items) => self.list(items, visitor),
            _ => Err(self.wrong(&match (&visitor as &dyn de::Expected).to_string() {
                unnamed if unnamed == "a sequence" => "a list, `[ … ]`".to_owned(),
                named => named,
            })),
        }
    }

    fn deserialize_tuple<V: Visitor<'n>>(self, length: usize, visitor: V) -> Result<V::Value, Unplaced> {
        match &self.node.value {
            Value::List(items) if items.len() == length => self.list(items, visitor),
            Value::List(items) => {
                let found = format!("found a list of length {}", items.len());
                Err(Unplaced::new(found, format!("accepted: a list of length {length}")).at(self.node.place))
            }
            _ => Err(self.wrong(&format!("a list of length {length}, `[{}]`", vec!["…"; length].join(", ")))),
        }
    }

    fn deserialize_map<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Unplaced> {
        match self.entries() {
            Some(entries) => self.map(entries, visitor),
            None => Err(self.wrong("a map")),
        }
    }

    fn deserialize_struct<V: Visitor<'n>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unplaced> {
        match self.entries() {
            Some(entries) => self.map(entries, visitor),
            None => Err(self.wrong(&match fields {
                [] => "an empty map".to_owned(),
                [only] => format!("a map, `{{ {only}: … }}`"),
                _ => format!("a map with the keys {}", one_of(fields.iter().copied())),
            })),
        }
    }

    fn deserialize_enum<V: Visitor<'n>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unplaced> {
        visitor.visit_enum(self.alternative(variants)?)
    }
}

/// The entries of a map.
struct Entries<'n, 'w> {
    outer: NodeDeserializer<'n, 'w>,
    rest: std::slice::Iter<'n, Entry>,
    value: Option<&'n Node>,
}

impl<'n> MapAccess<'n> for Entries<'n, '_> {
    type Error = Unplaced;

    fn next_key_seed<K: DeserializeSeed<'n>>(&mut self, seed: K) -> Result<Option<K::Value>, Unplaced> {
        let Some(entry) = self.rest.next() else { return Ok(None) };
        self.value = Some(&entry.value);
        let key: StrDeserializer<'n, Unplaced> = entry.key.name.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| error.of_key(entry, self.outer.what))
    }

    fn next_value_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<T::Value, Unplaced> {
        let node = self.value.take().expect("serde requests a key before its value");
        seed.deserialize(self.outer.inner(node)).map_err(|error| error.of(node))
    }
}

/// The items of a list.
struct Items<'n, 'w> {
    outer: NodeDeserializer<'n, 'w>,
    rest: std::slice::Iter<'n, Node>,
}

impl<'n> SeqAccess<'n> for Items<'n, '_> {
    type Error = Unplaced;

    fn next_element_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<Option<T::Value>, Unplaced> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        seed.deserialize(self.outer.inner(node)).map(Some).map_err(|error| error.of(node))
    }
}

/// The name under which a type requests a value with its spelling: `Verbatim` of `mbsbench-problem`.
const VERBATIM: &str = "mbsbench::Verbatim";

/// A sequence of a value and its spelling.
struct WithSpelling<'n, 'w> {
    outer: NodeDeserializer<'n, 'w>,
    part: u8,
}

impl<'n> SeqAccess<'n> for WithSpelling<'n, '_> {
    type Error = Unplaced;

    fn next_element_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<Option<T::Value>, Unplaced> {
        self.part += 1;
        match self.part {
            1 => seed.deserialize(self.outer).map(Some),
            2 => {
                let spelling = self.outer.node.spelling().unwrap_or_default();
                let text: StringDeserializer<Unplaced> = spelling.into_deserializer();
                seed.deserialize(text).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// An alternative with its content; the content is `None` if only the name is given.
struct Variant<'n, 'w> {
    name: &'n str,
    name_place: Place,
    content: Option<NodeDeserializer<'n, 'w>>,
}

impl<'n, 'w> EnumAccess<'n> for Variant<'n, 'w> {
    type Error = Unplaced;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'n>>(self, seed: V) -> Result<(V::Value, Self), Unplaced> {
        let name: StrDeserializer<'n, Unplaced> = self.name.into_deserializer();
        let value = seed.deserialize(name).map_err(|error| error.at(self.name_place))?;
        Ok((value, self))
    }
}

impl<'n> VariantAccess<'n> for Variant<'n, '_> {
    type Error = Unplaced;

    fn unit_variant(self) -> Result<(), Unplaced> {
        self.content.map_or(Ok(()), <() as de::Deserialize>::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'n>>(self, seed: T) -> Result<T::Value, Unplaced> {
        match self.content {
            Some(content) => {
                // An unknown parameter belongs to the alternative, not to what contains it.
                let kind = content.what.split(" of ").next().unwrap_or_default();
                let inner = NodeDeserializer { node: content.node, what: &format!("{kind} of `{}`", self.name) };
                seed.deserialize(inner).map_err(|error| error.at(content.node.place))
            }
            None => seed.deserialize(MapDeserializer::<_, Unplaced>::new(std::iter::empty::<(&str, &str)>())),
        }
    }

    fn tuple_variant<V: Visitor<'n>>(self, length: usize, visitor: V) -> Result<V::Value, Unplaced> {
        match self.content {
            Some(content) => content.deserialize_tuple(length, visitor).map_err(|error| error.at(content.node.place)),
            None => visitor.visit_seq(SeqDeserializer::<_, Unplaced>::new(std::iter::empty::<&str>())),
        }
    }

    fn struct_variant<V: Visitor<'n>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Unplaced> {
        match self.content {
            Some(content) => {
                content.deserialize_struct("", fields, visitor).map_err(|error| error.at(content.node.place))
            }
            None => visitor.visit_map(MapDeserializer::<_, Unplaced>::new(std::iter::empty::<(&str, &str)>())),
        }
    }
}
