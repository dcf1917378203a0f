//! What is wrong with an input file, and how it is shown.

use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};

use super::{Place, Source, accepted};

/// One thing that is wrong, at its place: what was found, and what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What was found.
    pub message: String,
    /// Words under the marker.
    pub label: Option<String>,
    /// What would be accepted.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a place.
    #[must_use]
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), label: None, help: None }
    }

    /// Adds what would be accepted.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds words under the marker.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// `kind` has no member called `found`: "unknown method `rk33`".
    #[must_use]
    pub fn unknown<'k>(
        place: Place,
        kind: &str,
        found: &str,
        known: impl IntoIterator<Item = &'k str> + Clone,
    ) -> Self {
        Self::new(place, format!("unknown {kind} `{found}`")).help(accepted(found, known))
    }
}

/// An input file that cannot be used, with all that was found to be wrong. Exit code 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput {
    source: Arc<Source>,
    problems: Vec<Problem>,
}

impl BadInput {
    /// The problems of a file, which are sorted by place. There has to be at least one.
    #[must_use]
    pub fn new(source: Arc<Source>, mut problems: Vec<Problem>) -> Self {
        debug_assert!(!problems.is_empty(), "bad input without a problem");
        problems.sort_by_key(|problem| problem.place);
        problems.dedup();
        Self { source, problems }
    }

    /// The file.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// What is wrong, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// All problems with `file:line:column`, the lines concerned and a marker, for a terminal.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        // Wrapped messages could not be searched for.
        let handler = GraphicalReportHandler::new_themed(theme).with_wrap_lines(false).with_context_lines(1);
        let mut text = String::new();
        for problem in &self.problems {
            let shown = Shown { source: &self.source, problem };
            if handler.render_report(&mut text, &shown).is_err() {
                text.push_str(&shown.to_string());
            }
        }
        text
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", Shown { source: &self.source, problem })?;
        }
        Ok(())
    }
}

impl std::error::Error for BadInput {}

/// A problem together with its file, as miette wants it.
#[derive(Debug)]
struct Shown<'s> {
    source: &'s Source,
    problem: &'s Problem,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source.position(self.problem.place), self.problem.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(miette::Severity::Error)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.problem.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        // A line of some thousand characters explains nothing.
        self.source.is_readable_at(self.problem.place).then_some(&self.source.text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.source.first_line_of(self.problem.place);
        let label = self.problem.label.clone().unwrap_or_else(|| "here".to_owned());
        Some(Box::new(std::iter::once(LabeledSpan::new(Some(label), place.start, place.end - place.start))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_the_place_shows_the_line_and_survives_any_text() {
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
}
