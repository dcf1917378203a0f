//! Numbers with as many digits as their source prints.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::parameters::{Interval, Ranged};
use crate::verbatim::VERBATIM;
use crate::{DoubleDouble, OutOfRange};

/// Number of significant decimal digits that double-double precision holds.
pub const DIGITS: usize = 31;

/// A coefficient as a file writes it: a whole number, a decimal of at most [`DIGITS`] significant digits, or the
/// quotient of two of these, such as `2197/4104`. Double-double precision keeps all of its digits; it is rounded to a
/// double once.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    text: String,
    value: DoubleDouble,
}

impl Exact {
    /// Reads a number.
    ///
    /// # Errors
    /// Returns the text with a description of its fault.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let value = match text.split_once('/') {
            None => decimal(text)?,
            Some((numerator, denominator)) => {
                let below = decimal(denominator.trim())?;
                if below.parts().0 == 0.0 {
                    return Err(format!("`{}`, which divides by zero", text.escape_debug()));
                }
                decimal(numerator.trim())? / below
            }
        };
        if value.parts().0.is_finite() { Ok(Self { text: text.to_owned(), value }) } else { Err(far(text)) }
    }

    /// The number in double-double precision.
    pub fn value(&self) -> DoubleDouble {
        self.value
    }

    /// The number, rounded to a double.
    pub fn rounded(&self) -> f64 {
        self.value.parts().0
    }
}

/// Reads a decimal such as `-12.5e-3`.
fn decimal(text: &str) -> Result<DoubleDouble, String> {
    let shown = || text.escape_debug();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let digits = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().filter(|&byte| byte == b'.').count() <= 1;
    let Some(exponent) = exponent.parse::<i32>().ok().filter(|_| is_number) else {
        return Err(format!("`{}`", shown()));
    };
    let significant = digits.bytes().filter(u8::is_ascii_digit).skip_while(|&byte| byte == b'0').count();
    if significant > DIGITS {
        return Err(format!("`{}` with {significant} digits", shown()));
    }
    // beyond these powers of ten a double-double does not have its full precision
    if exponent.abs() > 200 {
        return Err(far(text));
    }
    Ok(DoubleDouble::from_decimal(&format!("{}{digits}e{exponent}", if text.starts_with('-') { "-" } else { "" })))
}

fn far(text: &str) -> String {
    format!("`{}`, which is too large or too small to be held with full precision", text.escape_debug())
}

/// A description of accepted values.
const ACCEPTED: &str = "a number of at most 31 digits, or a quotient of two such numbers, as in `2197/4104`";

impl From<i32> for Exact {
    fn from(value: i32) -> Self {
        Self { text: value.to_string(), value: DoubleDouble::from(f64::from(value)) }
    }
}

/// The default is zero.
impl Default for Exact {
    fn default() -> Self {
        Self::from(0)
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Ranged for Exact {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        self.rounded().check_in(interval)
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ExactVisitor;
        impl<'de> Visitor<'de> for ExactVisitor {
            type Value = Exact;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(ACCEPTED)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Exact, E> {
                Exact::parse(text).map_err(|found| E::invalid_value(Unexpected::Other(&found), &self))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Exact, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Exact, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Exact, E> {
                self.visit_str(&format!("{value:e}"))
            }
            // A deserialiser that does not support spellings.
            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Exact, D::Error> {
                deserializer.deserialize_any(self)
            }
            // The deserialiser over nodes, which gives first the value, then the spelling.
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Exact, A::Error> {
                let _: Option<IgnoredAny> = parts.next_element()?;
                let text: Option<String> = parts.next_element()?;
                self.visit_str(&text.unwrap_or_default())
            }
        }
        deserializer.deserialize_newtype_struct(VERBATIM, ExactVisitor)
    }
}

impl JsonSchema for Exact {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Exact".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?";
        json_schema!({ "anyOf": [
            { "type": "number" },
            { "type": "string", "pattern": format!("^\\s*{number}\\s*(/\\s*{number}\\s*)?$") },
        ] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_digits_are_held_or_refused() {
        let third = Exact::parse("1/3").unwrap();
        assert!((third.value() * 3.0 - 1.0).parts().0.abs() < 1e-31);
        let long = Exact::parse("0.3333333333333333333333333333333").unwrap();
        let off = (long.value() - third.value()).parts().0;
        assert!(off != 0.0 && off.abs() < 4e-31, "{off:e}");
        assert_eq!(Exact::parse("-2.5E2").unwrap().rounded(), -250.0);
        assert_eq!(Exact::parse(" 0.1 / 0.4 ").unwrap().rounded(), 0.25);
        assert!(Exact::parse("0.33333333333333333333333333333333").unwrap_err().contains("32 digits"));
        for text in ["", "1/0", "x", "1e", "1e999", "1..2", ".", "1/2/3", "nan", "inf", "1e-201"] {
            assert!(Exact::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_without_text_form_are_read() {
        let read = |text: &str| serde_json::from_str::<Vec<Exact>>(text).unwrap();
        assert_eq!(read(r#"[1, -0.5, "2/3"]"#).iter().map(Exact::rounded).collect::<Vec<_>>(), [1.0, -0.5, 2.0 / 3.0]);
        assert_eq!(serde_json::to_string(&read(r#"["2/3"]"#)).unwrap(), r#"["2/3"]"#);
    }
}
