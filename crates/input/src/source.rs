//! The text of an input file and places in it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mbsbench_numbers::in_place;

/// A range of bytes in a [`Source`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte; not less than `start`.
    pub end: usize,
}

impl Place {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The place from the start of `self` to the end of `last`.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self::new(self.start, last.end.max(self.end))
    }
}

/// An input file: its path and its text.
#[derive(Debug, Clone)]
pub struct Source {
    path: PathBuf,
    text: String,
    /// Offsets of the first bytes of all lines, computed on first use.
    lines: OnceLock<Vec<usize>>,
}

/// The lines around a place, in printable form.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub text: String,
    /// Offset of the first byte of the text in the source.
    pub start: usize,
    /// Number of its first line, counted from zero.
    pub line: usize,
}

impl Source {
    /// A source with the text that was read from `path`.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// The path of the file, as the user gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that relative paths in the file start from.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text at a place; empty if the place is not a range of whole characters.
    pub fn at(&self, place: Place) -> &str {
        self.text.get(place.start..place.end).unwrap_or("")
    }

    /// Line and column of the start of a place, both counted from 1; the column counts characters. A byte order mark
    /// is not counted.
    pub fn line_and_column(&self, place: Place) -> (usize, usize) {
        let at = self.boundary(place.start);
        let line = self.line_of(at);
        let column = self.text[self.lines()[line]..at].chars().filter(|&c| c != '\u{feff}').count() + 1;
        (line + 1, column)
    }

    /// Offsets of the first bytes of all lines.
    fn lines(&self) -> &[usize] {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
        })
    }

    /// Number of the line that contains a byte, counted from zero.
    fn line_of(&self, byte: usize) -> usize {
        self.lines().partition_point(|&start| start <= byte) - 1
    }

    /// The part of a place on its first line, for a marker below the text.
    pub fn first_line_of(&self, place: Place) -> Place {
        let start = self.boundary(place.start);
        let end = self.boundary(place.end).max(start);
        let length = self.text[start..end].find(['\n', '\r']).unwrap_or(end - start);
        Place::new(start, start + self.text[start..start + length].trim_end().len())
    }

    /// The line of a place with its neighbours; none if one of them is too long to be shown.
    pub(super) fn excerpt(&self, place: Place) -> Option<Excerpt> {
        const LONGEST: usize = 240;
        let line = self.line_of(self.boundary(place.start));
        let (first, after) = (line.saturating_sub(1), line + 2);
        let start = self.lines()[first];
        let text = &self.text[start..self.lines().get(after).copied().unwrap_or(self.text.len())];
        let is_short = text.lines().all(|line| line.len() <= LONGEST);
        is_short.then(|| Excerpt { text: in_place(text).into_owned(), start, line: first })
    }

    /// `path:line:column` of the start of a place.
    pub fn position(&self, place: Place) -> String {
        let (line, column) = self.line_and_column(place);
        format!("{}:{line}:{column}", self.path.display())
    }

    /// The nearest character boundary at or before a byte.
    fn boundary(&self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        (0..=byte).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_characters() {
        let source = Source::new("a.yaml", "\u{feff}title: ψ\nθ₀: ω # end\n");
        let omega = source.text().find('ω').unwrap();
        assert_eq!(source.line_and_column(Place::new(omega, omega + 2)), (2, 5));
        assert_eq!(source.line_and_column(Place::new(0, 0)), (1, 1));
        assert_eq!(source.line_and_column(Place::new(3, 4)), (1, 1), "the byte order mark does not count as a column");
        assert_eq!(source.line_and_column(Place::new(9999, 9999)), (3, 1), "past the end");
        assert_eq!(source.position(Place::new(omega + 1, omega + 2)), "a.yaml:2:5", "inside a character");
    }

    #[test]
    fn a_marker_stays_on_its_line() {
        let source = Source::new("a.yaml", "a:\n  b: 1  \n  c: 2\n");
        let b = source.text().find('b').unwrap();
        assert_eq!(source.at(source.first_line_of(Place::new(b, source.text().len()))), "b: 1");
    }
}
