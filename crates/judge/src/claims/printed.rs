//! A number as printed in a paper.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// A printed number, whose digits indicate its accuracy.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Printed {
    /// As printed: `2.0e-1`, `159.93`.
    pub text: String,
    /// Its value.
    #[serde(skip)]
    pub value: f64,
    /// One unit of its last digit.
    #[serde(skip)]
    pub last_place: f64,
}

impl Printed {
    /// Parses a printed number; `None` if it is not a finite number.
    pub fn parse(text: &str) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let exponent: i32 = exponent.parse().ok()?;
        // Parsed instead of computed, so that it is the nearest double.
        let last_place = format!("1e{}", exponent - i32::try_from(decimals).ok()?).parse().ok()?;
        Some(Self { text: text.to_owned(), value, last_place })
    }

    /// The distance of `number` in units of half the last place.
    pub fn part_of_half_place(&self, number: f64) -> f64 {
        /// Exact halves may be rounded either way. This allows for the rounding error of the division.
        const ROUNDOFF: f64 = 1e-12;
        let part = (number - self.value).abs() / (0.5 * self.last_place);
        if (part - 1.0).abs() < ROUNDOFF { 1.0 } else { part }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl<'de> Deserialize<'de> for Printed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PrintedVisitor;
        impl Visitor<'_> for PrintedVisitor {
            type Value = Printed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number in quotes, so that its digits stay as printed: `\"1.40\"`")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Printed, E> {
                Printed::parse(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }
        // A number without quotes gets the help of the visitor.
        deserializer.deserialize_any(PrintedVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_digits_set_the_tolerance() {
        for (text, value, last_place) in [
            ("2.0e-1", 0.2, 0.01),
            ("159.93", 159.93, 0.01),
            ("-50", -50.0, 1.0),
            ("4.4E-8", 4.4e-8, 1e-9),
            ("1e-12", 1e-12, 1e-12),
        ] {
            let printed = Printed::parse(text).unwrap();
            assert_eq!((printed.value, printed.last_place), (value, last_place), "{text}");
        }
        for text in ["", "O(1e-12)", "inf", "nan", "1.2.3"] {
            assert_eq!(Printed::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_rounds_to_the_printed_one() {
        let printed = Printed::parse("1.4e-3").unwrap();
        for (number, is_within) in [
            (1.3501e-3, true),
            (1.4499e-3, true),
            (1.45e-3, true),
            (1.3499e-3, false),
            (1.4501e-3, false),
            (-1.4e-3, false),
        ] {
            assert_eq!(printed.part_of_half_place(number) <= 1.0, is_within, "{number}");
        }
    }
}
