//! The text of an input file and places in it.

use std::path::{Path, PathBuf};

/// A range of bytes in a [`Source`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// First byte.
    pub start: usize,
    /// One past the last byte; not before `start`.
    pub end: usize,
}

impl Place {
    /// The bytes `start..end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// From the start of `self` to the end of `last`.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self::new(self.start, last.end.max(self.end))
    }
}

/// An input file: where it came from and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    path: PathBuf,
    pub(super) text: String,
}

impl Source {
    /// The text that was read from `path`.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Where it came from, as the user named it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that relative names in the file start from.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text at a place; empty where the place is not a range of whole characters.
    #[must_use]
    pub fn at(&self, place: Place) -> &str {
        self.text.get(place.start..place.end).unwrap_or("")
    }

    /// Line and column of the start of a place, both counted from 1, the column in characters. A byte order
    /// mark is no character.
    #[must_use]
    pub fn line_and_column(&self, place: Place) -> (usize, usize) {
        let before = &self.text[..self.boundary(place.start)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().filter(|&c| c != '\u{feff}').count() + 1;
        (line, column)
    }

    /// The part of a place that lies on its first line, for a marker under the text.
    #[must_use]
    pub fn first_line_of(&self, place: Place) -> Place {
        let start = self.boundary(place.start);
        let end = self.boundary(place.end).max(start);
        let length = self.text[start..end].find(['\n', '\r']).unwrap_or(end - start);
        Place::new(start, start + self.text[start..start + length].trim_end().len())
    }

    /// Whether the line of a place and its neighbours are short enough to be shown.
    #[must_use]
    pub fn is_readable_at(&self, place: Place) -> bool {
        const LONGEST: usize = 240;
        let (line, _) = self.line_and_column(place);
        self.text.lines().skip(line.saturating_sub(2)).take(3).all(|line| line.len() <= LONGEST)
    }

    /// `path:line:column` of the start of a place.
    #[must_use]
    pub fn position(&self, place: Place) -> String {
        let (line, column) = self.line_and_column(place);
        format!("{}:{line}:{column}", self.path.display())
    }

    /// The nearest start of a character at or before a byte.
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
        assert_eq!(source.line_and_column(Place::new(3, 4)), (1, 1), "the byte order mark takes no column");
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
