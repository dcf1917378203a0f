//! Problems in input files, and how they are displayed.

use std::fmt;
use std::sync::Arc;

use mbsbench_numbers::printable;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};

use super::source::Excerpt;
use super::{Node, Place, Source, accepted};

/// A problem at its place: what was found, and what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The place of the problem.
    pub place: Place,
    /// A description of what was found.
    pub message: String,
    /// A description of accepted values.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), help: None }
    }

    /// A node that is not what was expected: "found a list".
    pub fn found(node: &Node) -> Self {
        Self::new(node.place, format!("found {}", node.describe()))
    }

    /// Adds what would be accepted.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// An unknown name: `kind` has no member called `found` ("unknown method `rk33`").
    pub fn unknown(place: Place, kind: &str, found: &str, known: impl IntoIterator<Item: AsRef<str>>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let mut help = accepted(found, known.iter().map(AsRef::as_ref));
        // Such a key is the rest of a text that a comma divides: `{ says: one, two }`.
        if kind.starts_with("key") && found.contains(' ') {
            help.insert_str(0, "inside braces, a text with a comma needs quotes; ");
        }
        Self::new(place, unknown(kind, &format!("`{found}`"))).help(help)
    }
}

/// Fails with a problem at a place and what would be accepted instead.
pub fn refuse<T>(place: Place, message: impl Into<String>, accepted: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::new(place, message).help(accepted))
}

/// Returns "unknown parameter `masss` of `pendulum`" for the kind "parameter of `pendulum`" and a quoted name.
pub fn unknown(kind: &str, quoted: &str) -> String {
    match kind.split_once(" of ") {
        Some((kind, whole)) => format!("unknown {kind} {quoted} of {whole}"),
        None => format!("unknown {kind} {quoted}"),
    }
}

/// An input file that cannot be used, with all problems found in it. Exit code 2.
#[derive(Debug, Clone)]
pub struct BadInput {
    source: Arc<Source>,
    problems: Vec<Problem>,
}

impl BadInput {
    /// Collects the problems of a file and sorts them by place. There must be at least one.
    pub fn new(source: Arc<Source>, mut problems: Vec<Problem>) -> Self {
        debug_assert!(!problems.is_empty(), "bad input has at least one problem");
        problems.sort_by_key(|problem| problem.place);
        problems.dedup();
        Self { source, problems }
    }

    /// The file.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The problems, in the order of the file.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Renders all problems for a terminal, with `file:line:column`, the lines concerned and a marker.
    pub fn render(&self, colour: bool) -> String {
        let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        // Wrapped messages could not be searched for.
        let handler = GraphicalReportHandler::new_themed(theme).with_wrap_lines(false).with_context_lines(1);
        let mut text = String::new();
        for problem in self.problems.iter().take(MOST_SHOWN) {
            let shown = Shown::new(&self.source, problem);
            if handler.render_report(&mut text, &shown).is_err() {
                text.push_str(&shown.to_string());
            }
        }
        if let Some(rest) = self.rest() {
            text.push_str(&format!("{rest}\n"));
        }
        text
    }

    /// A message that counts the problems that are not shown.
    fn rest(&self) -> Option<String> {
        let rest = self.problems.len().checked_sub(MOST_SHOWN).filter(|&rest| rest > 0)?;
        Some(format!("{}: {rest} more problems", self.source.path().display()))
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().take(MOST_SHOWN).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", Shown::new(&self.source, problem))?;
        }
        self.rest().map_or(Ok(()), |rest| write!(f, "\n{rest}"))
    }
}

impl std::error::Error for BadInput {}

/// Largest number of problems that are shown for a file; the others are counted.
const MOST_SHOWN: usize = 50;

/// A problem together with the lines around it, in the form that miette needs.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", file.position(problem.place), shown(&problem.message))]
struct Shown<'s> {
    file: &'s Source,
    problem: &'s Problem,
    help: Option<String>,
    lines: Option<Excerpt>,
}

/// Largest number of characters of a message: a name in it may be as long as a file.
const LONGEST: usize = 4000;

/// Returns a message in printable form, cut at [`LONGEST`].
fn shown(message: &str) -> String {
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => printable(&message[..end]).into_owned() + "…",
        None => printable(message).into_owned(),
    }
}

impl<'s> Shown<'s> {
    fn new(file: &'s Source, problem: &'s Problem) -> Self {
        let (help, lines) = (problem.help.as_deref().map(shown), file.excerpt(problem.place));
        Self { file, problem, help, lines }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        if span.offset() < self.start || span.offset() + span.len() > self.start + self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let (line, column) = if (before, after) == (0, 0) {
            // the span requested is the place itself
            let before = &self.text[..span.offset() - self.start];
            let line = before.rfind('\n').map_or(0, |newline| newline + 1);
            (self.line + before.matches('\n').count(), before[line..].chars().count())
        } else {
            (self.line, 0)
        };
        let whole = SourceSpan::from((self.start, self.text.len()));
        Ok(Box::new(MietteSpanContents::new(self.text.as_bytes(), whole, line, column, 3)))
    }
}

impl Diagnostic for Shown<'_> {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        // A line of several thousand characters explains nothing.
        self.lines.as_ref().map(|lines| lines as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.file.first_line_of(self.problem.place);
        let label = Some("here".to_owned());
        Some(Box::new(std::iter::once(LabeledSpan::new(label, place.start, place.end - place.start))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_shorter_than_files() {
        let source = Arc::new(Source::new("a.yaml", "x: y\n"));
        let problem = Problem::new(Place::new(0, 1), "é".repeat(100_000)).help("肩".repeat(100_000));
        let bad = BadInput::new(source, vec![problem]);
        assert!(bad.render(false).chars().count() < 10_000 && bad.to_string().chars().count() < 5000);
    }

    #[test]
    fn a_text_divided_by_a_comma_needs_quotes() {
        let help = |key: &str| Problem::unknown(Place::default(), "key", key, ["says"]).help.unwrap();
        assert_eq!(help("and grow"), "inside braces, a text with a comma needs quotes; accepted: `says`");
        assert_eq!(help("tells"), "accepted: `says`");
    }

    #[test]
    fn reports_show_position_and_line_for_any_text() {
        let source = Arc::new(Source::new("θ.yaml", "title: ψ\nmodel: pendulam 🚲\n"));
        let place = Place::new(17, 25);
        let bad = BadInput::new(
            Arc::clone(&source),
            vec![
                Problem::unknown(place, "model", "pendulam", ["pendulum"]),
                Problem::new(Place::new(7, 8), "inside ψ"),
            ],
        );
        let text = bad.render(false);
        assert!(text.contains("θ.yaml:2:8: unknown model `pendulam`"), "{text}");
        assert!(text.contains("did you mean `pendulum`?"), "{text}");
        assert!(text.contains("pendulam 🚲"), "{text}");
        assert!(text.find("θ.yaml:1:8").unwrap() < text.find("θ.yaml:2:8").unwrap(), "in the order of the file");
    }
    #[test]
    fn control_characters_are_not_printed() {
        let source = Arc::new(Source::new("a.yaml", "x\ny: \u{1b}[31m \u{202e}# red\nz\n"));
        let problem = Problem::new(Place::new(5, 6), "unknown key `\u{1b}[2J`").help("\u{9b}x\u{7}");
        let text = BadInput::new(source, vec![problem]).render(false);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\u{7}']), "{text:?}");
        assert!(
            text.contains("a.yaml:2:4: unknown key `\\u{1b}[2J`") && text.contains("2 │ y: ?[31m \u{fffd}# red"),
            "{text}"
        );
    }

    #[test]
    fn many_problems_are_counted() {
        let source = Arc::new(Source::new("a.yaml", "x\n".repeat(1000)));
        let problem = |k: usize| Problem::new(Place::new(2 * k, 2 * k + 1), "wrong");
        let bad = BadInput::new(source, (0..1000).map(problem).collect());
        for text in [bad.render(false), bad.to_string()] {
            assert_eq!(text.matches("wrong").count(), 50);
            assert!(text.contains("a.yaml:50:1") && text.trim_end().ends_with("a.yaml: 950 more problems"), "{text}");
        }
    }
}
