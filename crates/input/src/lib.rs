//! From bytes to typed data; every part keeps its place in the file.
//!
//! ```text
//! bytes ──source──▶ text ──parse──▶ Node ──deserialize──▶ any `DeserializeOwned`
//!                                    │
//!                                    └─ every key and value knows its place in the file
//! ```
//!
//! A [`Problem`] describes one mistake in a file; a [`BadInput`] is a file with all of its problems.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod accepted;
mod deserialize;
mod diagnostic;
mod each;
mod files;
mod keys;
mod node;
mod parse;
mod source;

pub use accepted::{accepted, did_you_mean, nearest, one_of};
pub use deserialize::{read, read_as};
pub use diagnostic::{BadInput, Problem, refuse, unknown};
pub use each::Each;
pub use files::{
    LARGEST_DATA, LARGEST_TEXT, read_file, read_text, remove_leftovers, stop_writing, write_atomically,
    write_replaceable,
};
pub use keys::keys_of;
pub use node::{Entry, Key, Node, Number, Value};
pub use parse::{Document, source};
pub use source::{Place, Source};

pub use mbsbench_numbers::printable;
