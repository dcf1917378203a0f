//! Lists of named parts, points on bodies, and parameters that are one number or several.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use indexmap::IndexMap;
use mbsbench_problem::parameters::{Interval, Ranged};
use mbsbench_problem::{OutOfRange, parameters};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::formula::Formula;

/// Parts by name, in the order of the file.
pub type Named<T> = IndexMap<String, T>;

impl Ranged for Formula {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        match self {
            Self::Number(number) => number.check_in(interval),
            Self::Text(_) => Ok(()),
        }
    }
}

/// Reads the acceleration of gravity; the error for anything but a list shows the right form.
pub(super) fn gravity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    struct Components;
    impl<'de> Visitor<'de> for Components {
        type Value = Vec<f64>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a vector: `[0, 0, -9.81]` in space or `[0, -9.81]` in the plane")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Vec<f64>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(items))
        }
    }
    deserializer.deserialize_seq(Components)
}

/// One number or formula, or a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "accepted: a number, a formula, or a list of them")]
pub enum Numbers {
    /// One.
    One(Formula),
    /// A list.
    List(Vec<Formula>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Deref for Numbers {
    type Target = [Formula];
    fn deref(&self) -> &[Formula] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::List(list) => list,
        }
    }
}

impl Ranged for Numbers {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        match self {
            Self::One(one) => one.check_in(interval),
            Self::List(list) => list.check_in(interval),
        }
    }
}

parameters! {
    /// A point of a body with its own axes.
    #[derive(Default)]
    pub struct Oriented {
        /// Coordinates in the frame of the body.
        pub at: Vec<Formula> [unit "m"] = default,
        /// Angle in the plane from the axes of the body to those of the marker.
        pub angle: Option<Formula> [unit "rad"],
        /// Rotation vector in space (axis times angle) that turns the axes of the body into those of the marker.
        pub rotation: Option<Vec<Formula>> [unit "rad"],
    }
}

/// A marker: the coordinates of a point, optionally with a rotation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point(pub Oriented);

impl Serialize for Point {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Oriented { at, angle: None, rotation: None } => at.serialize(serializer),
            oriented => oriented.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PointVisitor;
        impl<'de> Visitor<'de> for PointVisitor {
            type Value = Point;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("coordinates such as `[0.5, 0]`, or a map with `at` and a rotation")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Point, A::Error> {
                let at = Vec::deserialize(SeqAccessDeserializer::new(items))?;
                Ok(Point(Oriented { at, ..Oriented::default() }))
            }
            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Point, A::Error> {
                Oriented::deserialize(MapAccessDeserializer::new(entries)).map(Point)
            }
        }
        deserializer.deserialize_any(PointVisitor)
    }
}

impl JsonSchema for Point {
    fn schema_name() -> Cow<'static, str> {
        "Point".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (list, oriented) = (generator.subschema_for::<Vec<Formula>>(), generator.subschema_for::<Oriented>());
        json_schema!({
            "description": "Coordinates such as `[0.5, 0]`, m, or a map with a rotation.",
            "anyOf": [list, oriented],
        })
    }
}

impl Ranged for Point {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        self.0.check_in(interval)
    }
}

/// A marker by its name: `crank.tip`, `crank` for the origin of the body's frame, `ground.A`, `ground`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct At(pub String);

impl Ranged for At {
    fn check_in(&self, _: Interval) -> Result<(), OutOfRange> {
        Ok(())
    }
}
