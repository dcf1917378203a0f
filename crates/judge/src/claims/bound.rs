//! Origins of bounds, and the time at which they were set.

use mbsbench_input::keys_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The origin of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundFrom {
    /// The paper prints the number.
    Printed,
    /// The wording implies it: less, first, none, about twice.
    Wording,
    /// Read off a figure.
    Figure,
    /// Set after seeing the output of the authors' program.
    AuthorsCode,
    /// Set after seeing the output of an independent program of ours.
    IndependentProgram,
    /// Our interpretation of the wording.
    Ours,
}

impl BoundFrom {
    /// All origins.
    pub const ALL: [Self; 6] =
        [Self::Printed, Self::Wording, Self::Figure, Self::AuthorsCode, Self::IndependentProgram, Self::Ours];

    /// The name in files: `authors-code`.
    pub fn name(self) -> &'static str {
        keys_of::<Self>()[self as usize]
    }
}

/// When a bound was set, from the best case to the worst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundSet {
    /// Before its result was known.
    #[default]
    Before,
    /// Before its result was known, as the author of the ledger states; no lock verifies it.
    Stated,
    /// After its result was known.
    After,
}

impl BoundSet {
    /// All values, the best first.
    pub const ALL: [Self; 3] = [Self::Before, Self::Stated, Self::After];

    /// The name in files.
    pub fn name(self) -> &'static str {
        keys_of::<Self>()[self as usize]
    }
}
