//! Where bounds come from, and when they were set.

use mbsbench_input::keys_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a bound comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundFrom {
    /// The paper prints the number.
    Printed,
    /// The words say it: less, first, none, about twice.
    Wording,
    /// Read off a figure.
    Figure,
    /// Set with the output of the authors' program in view.
    AuthorsCode,
    /// Set with the output of an independent program of ours in view.
    IndependentProgram,
    /// Our idea of what the words mean.
    Ours,
}

impl BoundFrom {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Printed, Self::Wording, Self::Figure, Self::AuthorsCode, Self::IndependentProgram, Self::Ours];

    /// As in files: `authors-code`.
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
    /// When its result was known.
    After,
}

impl BoundSet {
    /// All values, the best first.
    pub const ALL: [Self; 3] = [Self::Before, Self::Stated, Self::After];

    /// As in files.
    pub fn name(self) -> &'static str {
        keys_of::<Self>()[self as usize]
    }
}
