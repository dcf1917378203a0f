//! The output of `run` and `reproduce` at the end: at most [`MOST_LINES`] lines, unless tables are requested.

/// Number of lines that fit on a screen.
pub(super) const MOST_LINES: usize = 40;

/// Number of characters in a line of wrapped text.
const WIDTH: usize = 116;

/// The final output, in this order.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Tables of the experiments; left out if they do not fit.
    pub tables: Vec<String>,
    /// The computed runs and judged statements, one line each, with texts below that are omitted unless all of them
    /// fit.
    pub done: Vec<(String, Option<String>)>,
    /// The differences from the expected results, one line each; the last ones are omitted if they do not fit.
    pub differences: Vec<String>,
    /// The locations of files, and the number of runs, one line each.
    pub end: Vec<String>,
}

impl Summary {
    /// Its lines; with `show`, they include all tables regardless of their length.
    pub(super) fn lines(&self, show: bool) -> Vec<String> {
        let mut done: Vec<String> = self.done.iter().map(|(line, _)| line.clone()).collect();
        let tables: Vec<&str> = self.tables.iter().flat_map(|table| table.split('\n')).collect();
        // One line is reserved for a note that tables were left out.
        let mut free = MOST_LINES - usize::from(!tables.is_empty() && !show);
        free = free.saturating_sub(self.end.len());
        done = first(done, free);
        free -= done.len();
        let differences = first(self.differences.clone(), free);
        free -= differences.len();
        let mut with_texts = Vec::new();
        for (line, text) in &self.done {
            with_texts.push(line.clone());
            with_texts.extend(text.iter().flat_map(|text| paragraph(text)));
        }
        if with_texts.len() <= done.len() + free {
            free -= with_texts.len() - self.done.len();
            done = with_texts;
        }
        let mut lines: Vec<String> = if show || tables.len() <= free + 1 {
            tables.iter().map(|&line| line.to_owned()).collect()
        } else {
            vec![format!("tables: {} lines; `--show` prints them", tables.len())]
        };
        lines.extend(done.into_iter().chain(differences).chain(self.end.iter().cloned()));
        lines
    }
}

/// Returns the first lines, at most `free`; the last one gives the number of omitted lines.
fn first(mut lines: Vec<String>, free: usize) -> Vec<String> {
    if lines.len() > free {
        let left_out = lines.len() - free.saturating_sub(1);
        lines.truncate(free.saturating_sub(1));
        lines.extend((free > 0).then(|| format!("and {left_out} more lines")));
    }
    lines
}

/// Wraps and indents a text.
fn paragraph(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_experiment::Registry;

    use super::super::judging::Verdicts;
    use super::super::library::Library;
    use super::*;

    fn lines(count: usize) -> Vec<String> {
        (0..count).map(|line| format!("line {line}")).collect()
    }

    #[test]
    fn a_summary_always_fits_on_a_screen() {
        let text = || Some("word ".repeat(100));
        for (tables, done, differences) in [(500, 5, 3), (0, 80, 3), (5, 5, 90), (90, 90, 90), (0, 0, 0)] {
            let summary = Summary {
                tables: vec![lines(tables).join("\n")],
                done: lines(done).into_iter().map(|line| (line, text())).collect(),
                differences: lines(differences),
                end: lines(4),
            };
            let said = summary.lines(false);
            assert!(said.len() <= MOST_LINES, "{tables} {done} {differences}: {}", said.len());
            assert_eq!(said[said.len() - 4..], lines(4));
            assert!(tables < 90 || said[0] == format!("tables: {tables} lines; `--show` prints them"));
            assert!(summary.lines(true).len() >= tables);
        }
    }

    #[test]
    fn a_table_is_shown_if_it_fits() {
        let summary = |count| Summary { tables: lines(count), end: lines(3), ..Summary::default() };
        assert_eq!(summary(37).lines(false).len(), 40);
        assert_eq!(summary(38).lines(false).len(), 4);
        assert_eq!(summary(38).lines(true).len(), 41);
    }

    #[test]
    fn texts_are_shown_if_all_of_them_fit() {
        let said = |count| {
            let done = lines(count).into_iter().map(|line| (line, Some("a text".to_owned()))).collect();
            Summary { done, ..Summary::default() }.lines(false).join("\n")
        };
        assert!(said(20).contains("line 3\n  a text\nline 4") && !said(21).contains("a text"));
    }

    #[test]
    fn outcomes_of_all_papers_fit_on_a_screen() {
        let registry = Registry::builtin();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let library = Library::only(&registry, root.join("experiments"));
        let plans = library.named(&[], false).unwrap();
        let papers = library.papers_alone().unwrap();
        let mut summary = Summary { tables: lines(1000), end: lines(5), ..Summary::default() };
        for ledger in library.ledgers(&papers, &plans).unwrap() {
            let verdicts = Verdicts::of(&library, &ledger, &plans, &root.join("results")).unwrap();
            assert!(verdicts.claims.is_some(), "{}", verdicts.paper);
            summary.done.push((verdicts.summary(), verdicts.claims.clone()));
            summary.differences.extend(verdicts.differences());
        }
        let said = summary.lines(false);
        assert!(said.len() <= MOST_LINES, "{said:#?}");
        for paper in papers {
            let place = said.iter().position(|line| line.starts_with(&format!("{paper}: "))).unwrap();
            assert!(said[place].contains("statements: ") && said[place + 1].starts_with("  "), "{said:#?}");
        }
    }
}
