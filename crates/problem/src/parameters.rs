//! Parameters declared once: each has its name, meaning, unit, range and default in one line and its comment.
//!
//! A declaration with [`parameters!`](crate::parameters!) generates the type, its serialisation, the test in
//! [`Parameters::check`](crate::Parameters::check), the bounds in the JSON Schema that editors use, and the output of
//! `mbsbench list`.

use std::fmt;
use std::ops::Bound::{self, Excluded, Included, Unbounded};

use indexmap::IndexMap;
use schemars::{Schema, transform::Transform};

#[doc(hidden)] // for what `parameters!` derives
pub use {schemars, serde};

use crate::{OutOfRange, Verbatim};

/// An interval of finite numbers, in the unit of the parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: Bound<f64>,
    /// Its upper end.
    pub high: Bound<f64>,
}

impl Interval {
    /// All finite numbers.
    pub const ALL: Self = Self { low: Unbounded, high: Unbounded };

    /// The interval of numbers that a schema accepts.
    pub fn of(schema: &Schema) -> Self {
        let bound = |inclusive, exclusive| match (number(schema, inclusive), number(schema, exclusive)) {
            (_, Some(end)) => Excluded(end),
            (Some(end), None) => Included(end),
            (None, None) => Unbounded,
        };
        Self { low: bound("minimum", "exclusiveMinimum"), high: bound("maximum", "exclusiveMaximum") }
    }

    /// The distance by which a number may lie beyond an inclusive end. It is zero unless the end is not a short
    /// decimal, such as −1/3, for which files may use any number of digits.
    pub fn slack(end: f64) -> f64 {
        if end.to_string().len() > 12 { 1e-6 } else { 0.0 }
    }

    fn contains(&self, x: f64) -> bool {
        let moved = |bound, outwards: f64| match bound {
            Included(end) => Included(end + outwards * Self::slack(end)),
            bound => bound,
        };
        x.is_finite() && std::ops::RangeBounds::contains(&(moved(self.low, -1.0), moved(self.high, 1.0)), &x)
    }

    /// Fails unless `value` is in the interval; the error does not name a field yet.
    fn check(&self, kind: &str, value: f64) -> Result<(), OutOfRange> {
        if self.contains(value) { Ok(()) } else { Err(OutOfRange::new("", value, format!("a {kind}{self}"))) }
    }
}

fn number(schema: &Schema, key: &str) -> Option<f64> {
    schema.get(key)?.as_f64()
}

/// Writes the text that follows the kind of number: ` above zero`, `, zero or above`, ` from 2 to 1000`; nothing if
/// all numbers are accepted.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |x: f64| match 3.0 * x {
            thirds if Self::slack(x) > 0.0 && thirds.fract() == 0.0 => format!("{thirds}/3"),
            _ => x.to_string(),
        };
        let named = |x: f64| if x == 0.0 { "zero".to_owned() } else { number(x) };
        match (self.low, self.high) {
            (Unbounded, Unbounded) => Ok(()),
            (Excluded(low), Unbounded) => write!(f, " above {}", named(low)),
            (Included(low), Unbounded) => write!(f, ", {} or above", named(low)),
            (Unbounded, Excluded(high)) => write!(f, " below {}", named(high)),
            (Unbounded, Included(high)) => write!(f, ", at most {}", named(high)),
            (Excluded(low), Excluded(high)) => write!(f, " above {} and below {}", named(low), number(high)),
            (Excluded(low), Included(high)) => write!(f, " above {} and at most {}", named(low), number(high)),
            (Included(low), Excluded(high)) => write!(f, " from {} to below {}", number(low), number(high)),
            (Included(low), Included(high)) => write!(f, " from {} to {}", number(low), number(high)),
        }
    }
}

/// Adds the bounds to the schema of a number, or of the items of a list.
impl Transform for Interval {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(items) = schema.get_mut("items").and_then(|items| <&mut Schema>::try_from(items).ok()) {
            return self.transform(items);
        }
        let ends = [("minimum", "exclusiveMinimum", self.low), ("maximum", "exclusiveMaximum", self.high)];
        for (inclusive, exclusive, end) in ends {
            let (key, end) = match end {
                Included(end) => (inclusive, end),
                Excluded(end) => (exclusive, end),
                Unbounded => continue,
            };
            schema.remove(inclusive);
            schema.insert(key.to_owned(), if end.fract() == 0.0 { (end as i64).into() } else { end.into() });
        }
    }
}

/// Key in a schema for the unit of a parameter: `m/s²`, `rad`, `deg`, or `1` for a number without a unit.
pub const UNIT: &str = "unit";

/// The declarations of [`parameters!`](crate::parameters!) between type and default: the interval, and the unit if it
/// is not empty.
#[doc(hidden)]
pub struct Declared(pub Interval, pub &'static str);

impl Transform for Declared {
    fn transform(&mut self, schema: &mut Schema) {
        self.0.transform(schema);
        if !self.1.is_empty() {
            schema.insert(UNIT.to_owned(), self.1.into());
        }
    }
}

/// A value that a parameter can have: a number, a list, or a type declared with [`parameters!`](crate::parameters!).
pub trait Ranged {
    /// Fails unless all numbers in the value are in their ranges; numbers without a range of their own must be in
    /// `interval`.
    ///
    /// # Errors
    /// Returns the first number that is out of range, with its path relative to this value.
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange>;
}

impl Ranged for f64 {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        let bounded = interval.low != Unbounded && interval.high != Unbounded;
        interval.check(if bounded { "number" } else { "finite number" }, *self)
    }
}

macro_rules! whole {
    ($($type:ty)*) => {$(
        impl Ranged for $type {
            fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
                let low = if interval.low == Unbounded { Included(0.0) } else { interval.low };
                Interval { low, ..interval }.check("whole number", *self as f64)
            }
        }
    )*};
}

whole!(u32 u64 usize);

macro_rules! unranged {
    ($($type:ty)*) => {$(
        impl Ranged for $type {
            fn check_in(&self, _: Interval) -> Result<(), OutOfRange> {
                Ok(())
            }
        }
    )*};
}

unranged!(bool String);

impl<T: Ranged> Ranged for Option<T> {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        self.as_ref().map_or(Ok(()), |value| value.check_in(interval))
    }
}

impl<T: Ranged> Ranged for Verbatim<T> {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        self.value.check_in(interval)
    }
}

impl<T: Ranged> Ranged for [T] {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        let within = |index: usize| move |error: OutOfRange| error.within(&index.to_string());
        self.iter().enumerate().try_for_each(|(index, item)| item.check_in(interval).map_err(within(index)))
    }
}

impl<T: Ranged> Ranged for IndexMap<String, T> {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        self.iter().try_for_each(|(name, part)| part.check_in(interval).map_err(|error| error.within(name)))
    }
}

impl<T: Ranged> Ranged for Vec<T> {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        self.as_slice().check_in(interval)
    }
}

impl<T: Ranged, const N: usize> Ranged for [T; N] {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        self.as_slice().check_in(interval)
    }
}

/// True for a default, for parameters that files and the keys of runs omit then.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Checks a part of a value; `case` is the case in which files write its Rust name.
#[doc(hidden)] // for what `parameters!` makes
pub fn check_part(case: &str, name: &str, part: &impl Ranged, interval: Interval) -> Result<(), OutOfRange> {
    let named =
        |error: OutOfRange| error.within(&if case == "kebab-case" { kebab_case(name) } else { name.to_owned() });
    part.check_in(interval).map_err(named)
}

/// The spelling of a number or an alternative in files: `1e-6`, `second-order`. For an alternative with parameters,
/// only its name.
pub fn spelling(value: &impl fmt::Debug) -> String {
    let text = format!("{value:?}");
    kebab_case(text.split_once('(').map_or(&*text, |(name, _)| name))
}

/// A Rust name as files write it: `mass_1`, `SlidingMode` and `r#for` become `mass-1`, `sliding-mode` and `for`.
pub fn kebab_case(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut kebab = String::with_capacity(name.len() + 2);
    for (index, c) in name.char_indices() {
        match c {
            '_' => kebab.push('-'),
            c if c.is_uppercase() => {
                kebab.extend((index > 0).then_some('-'));
                kebab.extend(c.to_lowercase());
            }
            c => kebab.push(c),
        }
    }
    kebab
}

/// Declares one or more types for experiment files: the parameters of a model or method, parts of them, alternatives.
///
/// ```
/// use mbsbench_problem::{OutOfRange, Parameters, parameters};
///
/// parameters! {
///     /// A crank and a rod.
///     pub struct Cranks where rod_is_longer {
///         /// How the rod is bent.
///         pub deflection: Deflection = Deflection::Straight,
///         /// Length of the crank.
///         pub crank_length: f64 [above 0.0, unit "m"] = 0.3,
///         /// Length of the rod; longer than the crank.
///         pub rod_length: f64 [above 0.0, unit "m"] = 0.6,
///         /// Initial angle.
///         pub angle: f64 [unit "rad"] = 0.0,
///         /// Number of modes.
///         pub modes: usize [to 8] = 2,
///     }
///
///     /// How the rod is bent at the start.
///     pub enum Deflection {
///         /// Not at all.
///         Straight,
///         /// By these amplitudes.
///         Bent(Vec<f64> [from -1.0, to 1.0, unit "m"]),
///     }
/// }
///
/// impl Cranks {
///     fn rod_is_longer(&self) -> Result<(), OutOfRange> {
///         if self.rod_length > self.crank_length {
///             return Ok(());
///         }
///         Err(OutOfRange::new("rod-length", self.rod_length, "a number above `crank-length`"))
///     }
/// }
///
/// assert_eq!(Cranks::default().check(), Ok(()));
/// let error = Cranks { rod_length: -1.0, ..Cranks::default() }.check().unwrap_err();
/// assert_eq!(error.to_string(), "`rod-length` is -1; accepted: a finite number above zero");
/// let error = Cranks { deflection: Deflection::Bent(vec![0.1, 2.0]), ..Cranks::default() }.check().unwrap_err();
/// assert_eq!(error.to_string(), "`deflection.bent.1` is 2; accepted: a number from -1 to 1");
/// ```
///
/// - **Names** are kebab-case in files, or snake_case if `in snake_case` follows the name of the type, as for measures.
///   Unknown names are errors.
/// - **Ranges** are between type and default: `above`, `from` (inclusive), `below`, `to` (inclusive), or one of the
///   first two and one of the last two. The range of a list applies to its items. Numbers are always finite.
/// - **Units** follow the range: `unit "m/s²"`, or `unit "1"` for a number without a unit. Angles are `rad` or `deg`.
/// - **Defaults** come last, for all fields or for none. Without defaults, a field that is missing in a file is an
///   error, unless it is an `Option` or declared with `= default`, which is the default of its type. A type without
///   defaults needs `#[derive(Default)]`, whose value has no meaning in files.
/// - **Conditions** between fields are methods `fn(&self) -> Result<(), OutOfRange>`, named after `where`. They are
///   checked in this order once all ranges hold.
///
/// The types derive `Debug`, `Clone`, `PartialEq`, serde's traits and `JsonSchema`; `#[derive]` adds more. The comment
/// of each field, with its unit, is what `mbsbench list` prints. A crate that declares parameters depends on this crate
/// under its own name.
#[macro_export]
macro_rules! parameters {
    (@item
        $(#[$meta:meta])*
        $vis:vis struct $name:ident in snake_case $(where $($condition:ident),+)? { $($fields:tt)* }
    ) => {
        $crate::parameters!(@struct "snake_case" [$($($condition)+)?] $(#[$meta])* $vis struct $name { $($fields)* });
    };
    (@item $(#[$meta:meta])* $vis:vis struct $name:ident $(where $($condition:ident),+)? { $($fields:tt)* }) => {
        $crate::parameters!(@struct "kebab-case" [$($($condition)+)?] $(#[$meta])* $vis struct $name { $($fields)* });
    };
    (@struct $case:literal $conditions:tt
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty $([$($range:tt)+])? = $default:expr),* $(,)?
        }
    ) => {
        $crate::parameters!(@written $case $conditions
            $(#[$meta])*
            #[serde(default)]
            $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type $([$($range)+])?,)* }
        );

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }
    };
    (@struct $($rest:tt)*) => { $crate::parameters!(@written $($rest)*); };
    (@written $case:literal [$($condition:ident)*]
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[$field_meta:meta])*
                $field_vis:vis $field:ident: $type:ty $([$($range:tt)+])? $(= $default:ident)?
            ),* $(,)?
        }
    ) => {
        #[derive(Debug, Clone, PartialEq)]
        #[derive($crate::parameters::serde::Serialize, $crate::parameters::serde::Deserialize)]
        #[derive($crate::parameters::schemars::JsonSchema)]
        #[serde(rename_all = $case, deny_unknown_fields, crate = "mbsbench_problem::parameters::serde")]
        #[schemars(crate = "mbsbench_problem::parameters::schemars")]
        $(#[$meta])*
        $vis struct $name {
            $(
                $(#[$field_meta])*
                $(#[serde($default)])?
                $(#[schemars(
                    transform = $crate::parameters::Declared($crate::interval!($($range)+), $crate::unit!($($range)+))
                )])?
                $field_vis $field: $type,
            )*
        }

        impl $crate::parameters::Ranged for $name {
            fn check_in(&self, _: $crate::parameters::Interval) -> Result<(), $crate::OutOfRange> {
                $($crate::parameters::check_part(
                    $case, stringify!($field), &self.$field, $crate::interval!($($($range)+)?)
                )?;)*
                $(self.$condition()?;)*
                Ok(())
            }
        }
    };
    (@item
        $(#[$meta:meta])*
        $vis:vis enum $name:ident $(where $($condition:ident),+)? {
            $($(#[$variant_meta:meta])* $variant:ident $(($type:ty $([$($range:tt)+])?))?),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[derive($crate::parameters::serde::Serialize, $crate::parameters::serde::Deserialize)]
        #[derive($crate::parameters::schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case", crate = "mbsbench_problem::parameters::serde")]
        #[schemars(crate = "mbsbench_problem::parameters::schemars")]
        $vis enum $name {
            $(
                $(#[$variant_meta])*
                $variant $((
                    $(#[schemars(
                        transform =
                            $crate::parameters::Declared($crate::interval!($($range)+), $crate::unit!($($range)+))
                    )])?
                    $type
                ))?,
            )*
        }

        impl $crate::parameters::Ranged for $name {
            fn check_in(&self, _: $crate::parameters::Interval) -> Result<(), $crate::OutOfRange> {
                $($(if let Self::$variant(part) = self {
                    let (part, interval): (&$type, _) = (part, $crate::interval!($($($range)+)?));
                    $crate::parameters::check_part("kebab-case", stringify!($variant), part, interval)?;
                })?)*
                $($(self.$condition()?;)+)?
                Ok(())
            }
        }
    };
    ($(
        $(#[$meta:meta])*
        $vis:vis $kind:ident $name:ident $(in $case:ident)? $(where $($condition:ident),+)? { $($parts:tt)* }
    )+) => {$(
        $crate::parameters!(@item
            $(#[$meta])* $vis $kind $name $(in $case)? $(where $($condition),+)? { $($parts)* }
        );
    )+};
}

/// The range that [`parameters!`] declares between type and default.
#[doc(hidden)]
#[macro_export]
macro_rules! interval {
    () => { $crate::parameters::Interval::ALL };
    (unit $unit:literal) => { $crate::parameters::Interval::ALL };
    (above $low:expr $(, $($high:tt)+)?) => {
        $crate::parameters::Interval { low: std::ops::Bound::Excluded($low.into()), ..$crate::interval!($($($high)+)?) }
    };
    (from $low:expr $(, $($high:tt)+)?) => {
        $crate::parameters::Interval { low: std::ops::Bound::Included($low.into()), ..$crate::interval!($($($high)+)?) }
    };
    (below $high:expr $(, unit $unit:literal)?) => {
        $crate::parameters::Interval { high: std::ops::Bound::Excluded($high.into()), ..$crate::interval!() }
    };
    (to $high:expr $(, unit $unit:literal)?) => {
        $crate::parameters::Interval { high: std::ops::Bound::Included($high.into()), ..$crate::interval!() }
    };
}

/// The unit that [`parameters!`] declares between type and default, or an empty text.
#[doc(hidden)]
#[macro_export]
macro_rules! unit {
    () => { "" };
    (unit $unit:literal) => { $unit };
    ($end:ident $number:expr $(, $($rest:tt)+)?) => { $crate::unit!($($($rest)+)?) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameters;

    crate::parameters! {
        struct Whole where third_is_smallest {
            list: Vec<f64> [above 0.0] = vec![2.0, 3.0],
            pair: [f64; 2] [below 1.0] = [0.0, 0.5],
            maybe: Option<f64> [from 0.0, below 1.0] = None,
            count: u32 [from 1, to 4] = 1,
            part: Part = Part { free: 1.0 },
            third_choice: Choice = Choice::One,
            thirds: f64 [from -1.0 / 3.0, to 0.5] = 0.0,
        }

        #[derive(Default)]
        struct Given in snake_case {
            some_times: Vec<Verbatim<f64>> [above 0.0],
            how_many: u32 = default,
        }

        struct Part { free: f64 }

        enum Choice { One, TheOther(Part), Listed(Vec<f64> [above 0.0]) }
    }

    impl Whole {
        fn third_is_smallest(&self) -> Result<(), OutOfRange> {
            if self.count < 4 { Ok(()) } else { Err(OutOfRange::new("count", self.count, "less, for some reason")) }
        }
    }

    #[test]
    fn refusals_name_the_accepted_values() {
        let refused = |change: fn(&mut Whole)| {
            let mut whole = Whole::default();
            change(&mut whole);
            whole.check().map_or_else(|error| error.to_string(), |()| String::new())
        };
        assert_eq!(refused(|_| ()), "");
        assert_eq!(refused(|w| w.list[1] = 0.0), "`list.1` is 0; accepted: a finite number above zero");
        assert_eq!(refused(|w| w.pair[0] = 1.0), "`pair.0` is 1; accepted: a finite number below 1");
        assert_eq!(refused(|w| w.pair[0] = f64::NEG_INFINITY), "`pair.0` is -inf; accepted: a finite number below 1");
        assert_eq!(refused(|w| w.maybe = Some(1.0)), "`maybe` is 1; accepted: a number from 0 to below 1");
        assert_eq!(refused(|w| w.count = 0), "`count` is 0; accepted: a whole number from 1 to 4");
        assert_eq!(refused(|w| w.count = 4), "`count` is 4; accepted: less, for some reason");
        assert_eq!(refused(|w| w.part.free = f64::NAN), "`part.free` is NaN; accepted: a finite number");
        assert_eq!(refused(|w| w.thirds = -0.333334), "");
        assert_eq!(refused(|w| w.thirds = -0.33334), "`thirds` is -0.33334; accepted: a number from -1/3 to 0.5");
        assert_eq!(
            refused(|w| w.third_choice = Choice::TheOther(Part { free: f64::INFINITY })),
            "`third-choice.the-other.free` is inf; accepted: a finite number"
        );
        assert_eq!(
            refused(|w| w.third_choice = Choice::Listed(vec![1.0, -1.0])),
            "`third-choice.listed.1` is -1; accepted: a finite number above zero"
        );
    }

    #[test]
    fn parameters_without_default_use_the_field_name() {
        let given = Given { some_times: vec![Verbatim::from(0.0)], how_many: 1 };
        let refused = given.check().unwrap_err().to_string();
        assert_eq!(refused, "`some_times.0` is 0; accepted: a finite number above zero");
        let schema = schemars::schema_for!(Given);
        assert_eq!(schema.as_value()["required"].to_string(), r#"["some_times"]"#);
    }

    #[test]
    fn bounds_are_in_the_schema_and_are_read_from_it() {
        let schema = schemars::schema_for!(Whole);
        let at = |path: &str| {
            let part = schema.as_value().pointer(path).unwrap_or_else(|| panic!("{path} of {schema:?}"));
            Interval::of(part.try_into().expect("a schema")).to_string()
        };
        assert_eq!(at("/properties/list/items"), " above zero");
        assert_eq!(at("/properties/pair/items"), " below 1");
        assert_eq!(at("/properties/maybe"), " from 0 to below 1");
        assert_eq!(at("/properties/count"), " from 1 to 4");
        assert_eq!(at("/$defs/Part/properties/free"), "");
        assert_eq!(at("/$defs/Choice/oneOf/2/properties/listed/items"), " above zero");
    }
}
