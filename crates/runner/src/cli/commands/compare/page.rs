//! The page that `mbsbench compare --examine` creates, for a terminal, a browser and other programs.

use std::fmt::Write;

use maud::html;
use mbsbench_numbers::markdown;
use serde_json::{Value, json};
use tabled::builder::Builder;
use tabled::settings::Style;

use crate::report::{figure_named, page};

/// The results of an examination.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    pub(super) title: String,
    /// The properties that the method reports.
    pub(super) about: Vec<String>,
    pub(super) sections: Vec<Section>,
}

/// One question with its answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Section {
    pub(super) title: &'static str,
    /// The experiment, described for readers.
    pub(super) text: String,
    pub(super) heads: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
    /// The cases that do not apply, with reasons.
    pub(super) notes: Vec<String>,
    /// A figure, as SVG.
    pub(super) figure: Option<String>,
}

impl Page {
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", markdown(&self.title));
        for line in &self.about {
            let _ = writeln!(text, "    {line}");
        }
        for section in &self.sections {
            let _ = writeln!(text, "\n## {}\n\n{}", section.title, section.text);
            if !section.rows.is_empty() {
                let _ = writeln!(text, "\n{}", section.table());
            }
            if !section.notes.is_empty() {
                text.push('\n');
            }
            for note in &section.notes {
                let _ = writeln!(text, "- {}", markdown(note));
            }
        }
        text.trim_end().to_owned()
    }

    pub(super) fn html(&self) -> String {
        let body = html! {
            h1 { (self.title) }
            pre { @for line in &self.about { (line) "\n" } }
            @for section in &self.sections {
                h2 { (section.title) }
                p { (section.text) }
                @if !section.rows.is_empty() {
                    div.scroll {
                        table {
                            tr { @for head in &section.heads { th { (head) } } }
                            @for row in &section.rows { tr { @for cell in row { td { (cell) } } } }
                        }
                    }
                }
                @if !section.notes.is_empty() { ul { @for note in &section.notes { li { (note) } } } }
                @if let Some(figure) = &section.figure { (figure_named(figure, "", "")) }
            }
        };
        page(&self.title, &body)
    }

    pub(super) fn to_json(&self) -> Value {
        let section = |section: &Section| {
            let row = |row: &Vec<String>| -> Value {
                section.heads.iter().zip(row).map(|(head, cell)| ((*head).to_owned(), json!(cell))).collect()
            };
            let rows: Vec<Value> = section.rows.iter().map(row).collect();
            json!({ "title": section.title, "text": section.text, "rows": rows, "notes": section.notes })
        };
        let sections: Vec<Value> = self.sections.iter().map(section).collect();
        json!({ "title": self.title, "about": self.about, "sections": sections })
    }
}

impl Section {
    pub(super) fn new(title: &'static str, text: &str, heads: &[&'static str]) -> Self {
        Self { title, text: text.to_owned(), heads: heads.to_vec(), ..Self::default() }
    }

    fn table(&self) -> String {
        let mut table = Builder::default();
        table.push_record(self.heads.iter().map(|head| markdown(head)));
        self.rows.iter().for_each(|row| table.push_record(row.iter().map(|cell| markdown(cell))));
        table.build().with(Style::markdown()).to_string()
    }
}
