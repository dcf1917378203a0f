//! An entry of the cache: a line that identifies it, and a line with the record.
//!
//! ```text
//! {"name":"run …","code":"…","sum":"…"}
//! {"status":"ok",…}
//! ```
//!
//! The entry contains everything that is needed to check it on another machine.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::consistency::{self, Consistency};

/// The line before a record.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    /// The name of the record: `run KEY …`, `reference KEY …`.
    name: String,
    /// The fingerprint of the code that computed it.
    code: String,
    /// The BLAKE3 hash of the record, hexadecimal.
    sum: String,
}

/// An entry whose record has the right checksum.
#[derive(Debug, Clone)]
pub(super) struct Entry<'e> {
    head: Head,
    /// The record as JSON.
    record: &'e [u8],
}

/// The reason for refusing a file as an entry.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It does not begin like an entry.
    #[error("it is not an entry of a run cache")]
    NoEntry,
    /// The record does not have the right checksum.
    #[error("it is damaged: its checksum does not match its content")]
    Damaged,
    /// The path is not that of an entry of this name.
    #[error("it was moved or renamed: it is the entry `{0}`")]
    Misplaced(String),
    /// It was computed by other code, whose numbers may differ from those of this program.
    #[error(
        "it was computed by other code, {found}; this program is {own}: build both from the same sources with the same \
         compiler"
    )]
    OtherCode {
        /// The fingerprint of the code that computed it.
        found: String,
        /// The fingerprint of this program.
        own: String,
    },
    /// This program does not write such records.
    #[error("its record was not written by this program: {0}")]
    OtherRecord(String),
}

/// Returns the path, within a cache, of the entry of that name.
pub(super) fn place(name: &str, code: &str) -> PathBuf {
    let key = blake3::hash(format!("{name}\n{code}").as_bytes()).to_hex();
    Path::new(&key[..2]).join(format!("{}.json", &key[2..34]))
}

/// Returns the content of an entry's file.
pub(super) fn bytes<T: Serialize>(name: &str, code: &str, record: &T) -> io::Result<Vec<u8>> {
    let record = serde_json::to_vec(record).map_err(io::Error::from)?;
    let head = Head { name: name.to_owned(), code: code.to_owned(), sum: blake3::hash(&record).to_hex().to_string() };
    let head = serde_json::to_vec(&head).map_err(io::Error::from)?;
    Ok([head, record].join(&b'\n'))
}

impl<'e> Entry<'e> {
    /// Reads the content of a file and checks the record against its checksum.
    pub fn parse(bytes: &'e [u8]) -> Result<Self, Refusal> {
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(Refusal::NoEntry)?;
        let head: Head = serde_json::from_slice(&bytes[..end]).map_err(|_| Refusal::NoEntry)?;
        let record = &bytes[end + 1..];
        if *blake3::hash(record).to_hex() != *head.sum {
            return Err(Refusal::Damaged);
        }
        Ok(Self { head, record })
    }

    /// True if the entry has that name and was computed by that code.
    pub fn is_of(&self, name: &str, code: &str) -> bool {
        self.head.name == name && self.head.code == code
    }

    /// Returns the title in messages: `run` and the digits of the key that are shown everywhere.
    pub fn title(&self) -> String {
        let first = self.head.name.lines().next().unwrap_or_default();
        first.split_once(' ').map_or_else(|| first.to_owned(), |(kind, key)| format!("{kind} {:.20}", key))
    }

    /// Checks that this code may import the entry from a cache in which it lies at `place`.
    pub fn check(&self, place: &Path, code: &str) -> Result<(), Refusal> {
        if place != self::place(&self.head.name, &self.head.code) {
            return Err(Refusal::Misplaced(self.title()));
        }
        if self.head.code != code {
            return Err(Refusal::OtherCode { found: short(&self.head.code), own: short(code) });
        }
        match self.head.name.split(' ').next() {
            Some("run") => self.record(consistency::of_record).map(drop),
            Some("reference") => self.record(consistency::of_reference).map(drop),
            _ => Err(Refusal::OtherRecord(self.title())),
        }
    }

    /// Returns the record, if `fits` finds no error in it.
    pub fn record<T: DeserializeOwned>(&self, fits: impl FnOnce(&T) -> Consistency) -> Result<T, Refusal> {
        let record = serde_json::from_slice(self.record)
            .map_err(|error| Refusal::OtherRecord(format!("{}: {error}", self.title())))?;
        fits(&record).map_err(|what| Refusal::OtherRecord(what.to_owned()))?;
        Ok(record)
    }
}

/// Returns enough of a fingerprint to distinguish two, including the part that foreign entries of a registry add.
fn short(code: &str) -> String {
    let parts: Vec<String> = code.split(' ').map(|part| format!("{part:.12}")).collect();
    parts.join(" ")
}
