//! A value together with its spelling in a file.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The name under which [`Verbatim`] requests the spelling from a deserialiser; it is then a sequence of value and
/// text.
pub(crate) const VERBATIM: &str = "mbsbench::Verbatim";

/// A value with its spelling in the file: a column is called `omega@0.01` or `omega@1e-2`, as the user wrote it.
///
/// Two of them are equal if their values are. Only the value is serialised.
#[derive(Debug, Clone)]
pub struct Verbatim<T> {
    /// The value.
    pub value: T,
    /// The spelling in the file; the value's own text if it does not come from a file.
    pub text: String,
}

impl<T: Default + fmt::Display> Default for Verbatim<T> {
    fn default() -> Self {
        Self::from(T::default())
    }
}

impl<T: fmt::Display> From<T> for Verbatim<T> {
    fn from(value: T) -> Self {
        Self { text: value.to_string(), value }
    }
}

impl<T: PartialEq> PartialEq for Verbatim<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Serialize> Serialize for Verbatim<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de> + fmt::Display> Deserialize<'de> for Verbatim<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpelledVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + fmt::Display> Visitor<'de> for SpelledVisitor<T> {
            type Value = Verbatim<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            // A deserialiser that does not support spellings.
            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                T::deserialize(deserializer).map(Verbatim::from)
            }
            // The deserialiser over nodes, which gives first the value, then the spelling.
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
                use serde::de::Error;
                let value = parts.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let text = parts.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
                Ok(Verbatim { value, text })
            }
        }
        deserializer.deserialize_newtype_struct(VERBATIM, SpelledVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Verbatim<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
