//! Parts that occur repeatedly.

use std::borrow::Cow;

use mbsbench_problem::parameters::{Interval, Ranged};
use mbsbench_problem::{OutOfRange, parameters};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Body, Force, Joint, Named};

parameters! {
    /// Parts that occur once for each value of an index, or of each pair of values of two indices. In names and
    /// references, `{i}`, `{i+1}` and `{i-1}` are replaced by numbers; in formulas, an index is a constant.
    #[derive(Default)]
    pub struct Repeat {
        /// Indices and their values: a count such as `10`, for 1 to 10, or the first and the last value, `[2, 10]`.
        pub r#for: Named<Range>,
        /// Markers on the ground by name.
        pub ground: Named<super::Point> = default,
        /// Bodies by name.
        pub bodies: Named<Body> = default,
        /// Joints by name.
        pub joints: Named<Joint> = default,
        /// Forces by name.
        pub forces: Named<Force> = default,
    }
}

/// Values of an index: from one to a count, or from a first to a last value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// First value.
    pub first: u32,
    /// Last value.
    pub last: u32,
}

impl Serialize for Range {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.first == 1 { self.last.serialize(serializer) } else { [self.first, self.last].serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::{Error, SeqAccess, Visitor, value::SeqAccessDeserializer};
        struct RangeVisitor;
        impl<'de> Visitor<'de> for RangeVisitor {
            type Value = Range;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a count, or the first and the last value such as `[2, 10]`")
            }
            fn visit_u64<E: Error>(self, last: u64) -> Result<Range, E> {
                let last = last.try_into().map_err(|_| E::custom("the count has to be below 4294967296"))?;
                Ok(Range { first: 1, last })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Range, A::Error> {
                let [first, last] = <[u32; 2]>::deserialize(SeqAccessDeserializer::new(items))?;
                Ok(Range { first, last })
            }
        }
        deserializer.deserialize_any(RangeVisitor)
    }
}

impl JsonSchema for Range {
    fn schema_name() -> Cow<'static, str> {
        "Range".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = serde_json_number();
        json_schema!({ "anyOf": [number, { "type": "array", "items": number, "minItems": 2, "maxItems": 2 }] })
    }
}

fn serde_json_number() -> Schema {
    json_schema!({ "type": "integer", "minimum": 0, "maximum": 100_000 })
}

impl Ranged for Range {
    fn check_in(&self, _: Interval) -> Result<(), OutOfRange> {
        let accepted = "a count up to 100000, or two numbers up to 100000 with the larger one last";
        let Self { first, last } = self;
        OutOfRange::unless(first <= last && *last <= 100_000, "", format!("[{first}, {last}]"), accepted)
    }
}
