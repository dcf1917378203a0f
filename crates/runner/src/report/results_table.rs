//! Tables of experiments in pages, with measured and published values.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_judge::claims::{Judged, Verdict};
use mbsbench_numbers::short;

use super::page::sign;
use super::{FileError, Result, read};
use crate::sheet::Sheet;

/// Largest width of a table on a page, px.
const LARGEST_WIDTH: u32 = 960;
/// Width of a character, and of the padding of a cell, px.
const CHARACTER: u32 = 9;
const ABOUT: u32 = 20;
/// Smallest width of the column of row headings, px; longer headings are wrapped.
const HEADS: u32 = 150;

/// A table of an experiment, as in its CSV file.
pub(crate) struct Table {
    id: String,
    /// The quantity that varies between rows.
    pub axis: String,
    pub rows: Vec<String>,
    pub columns: Vec<Column>,
}

/// A column with a cell for each row.
pub(crate) struct Column {
    pub head: String,
    pub cells: Vec<Option<Cell>>,
}

/// A cell with a published value and ours.
pub(crate) struct Cell {
    pub published: String,
    pub measured: Option<f64>,
    /// The failure of the run, and the time that it reached, s.
    pub failure: Option<[String; 2]>,
}

impl Cell {
    /// The text of our value.
    fn text(&self) -> String {
        match (self.measured, &self.failure) {
            (Some(number), _) => short(number),
            (None, Some([name, reached])) => format!("{name} at {reached} s"),
            (None, None) => "–".to_owned(),
        }
    }
}

impl Column {
    fn is_published(&self) -> bool {
        self.cells.iter().flatten().any(|cell| !cell.published.is_empty())
    }

    /// Width of the column, px, with published values beside or above the measured ones.
    fn width(&self, is_stacked: bool) -> u32 {
        let widest = |width: fn(&Cell) -> usize| self.cells.iter().flatten().map(width).max().unwrap_or(0);
        let published = widest(|cell| cell.published.chars().count());
        let measured = widest(|cell| if cell.failure.is_some() { 0 } else { cell.text().chars().count() });
        let word = self.head.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let cell = |characters: usize| CHARACTER * u32::try_from(characters).unwrap_or(u32::MAX / 100) + ABOUT;
        match self.is_published() {
            // The measured value may be followed by the symbol of a verdict.
            true if is_stacked => cell(published.max(measured + 2).max(word)),
            true => cell(published.max("published".len())) + cell(measured + 2),
            false => cell((measured + 2).max(word)),
        }
    }
}

impl Table {
    /// Reads the table `id` from a folder.
    pub fn read(folder: &Path, id: &str) -> Result<Self> {
        let path = folder.join(format!("{id}.csv"));
        Self::parse(id, &read(&path)?).map_err(|error| FileError::of(&path)(error.into()))
    }

    /// Parses the text of a table.
    pub fn parse(id: &str, text: &str) -> Result<Self, csv::Error> {
        let sheet = Sheet::parse(text)?;
        let rows = sheet.distinct(0);
        let cell = |row: &str, head: &str| {
            let is_own = |record: &&Vec<String>| matches!(record.as_slice(), [r, h, ..] if r == row && h == head);
            let record = sheet.records.iter().find(is_own)?;
            let of = |head: &str| sheet.cell(record, head).to_owned();
            let (measured, failure) = (of("measured").parse().ok(), of("failure"));
            let failure = (measured.is_none() && !failure.is_empty()).then(|| [failure, of("t_reached")]);
            Some(Cell { published: of("published"), measured, failure })
        };
        let column =
            |head: &str| Column { head: head.to_owned(), cells: rows.iter().map(|row| cell(row, head)).collect() };
        Ok(Self {
            id: id.to_owned(),
            axis: sheet.heads.first().cloned().unwrap_or_default(),
            rows: rows.iter().map(|&row| row.to_owned()).collect(),
            columns: sheet.distinct(1).into_iter().map(column).collect(),
        })
    }

    /// The smallest width of the table, px, in its current layout.
    pub fn width(&self) -> u32 {
        self.width_of(self.is_stacked())
    }

    fn width_of(&self, is_stacked: bool) -> u32 {
        HEADS + self.columns.iter().map(|column| column.width(is_stacked)).sum::<u32>()
    }

    /// True if published values are shown above ours because the table would be too wide otherwise.
    fn is_stacked(&self) -> bool {
        self.width_of(false) > LARGEST_WIDTH
    }

    /// Formats the table; cells have the verdicts of their checks.
    pub fn shown(&self, judged: &[&Judged]) -> Markup {
        let is_published = self.columns.iter().any(Column::is_published);
        let is_stacked = is_published && self.is_stacked();
        let has_two_rows = is_published && !is_stacked;
        let beside = |column: &Column| has_two_rows && column.is_published();
        html! {
            div.scroll {
                table.results.dense[self.width() > LARGEST_WIDTH] {
                    @if is_stacked { caption.small { "Above: published. Below: measured." } }
                    thead {
                        tr {
                            th rowspan=[has_two_rows.then_some(2)] { (self.axis) }
                            @for column in &self.columns {
                                @let (across, down) = (beside(column), has_two_rows && !beside(column));
                                th colspan=[across.then_some(2)] rowspan=[down.then_some(2)] { (column.head) }
                            }
                        }
                        @if has_two_rows {
                            tr {
                                @for _ in self.columns.iter().filter(|column| beside(column)) {
                                    th { "published" } th { "measured" }
                                }
                            }
                        }
                    }
                    tbody {
                        @for (number, row) in self.rows.iter().enumerate() {
                            tr {
                                th scope="row" { (row) }
                                @for column in &self.columns {
                                    (self.cell(column, number, [is_stacked, beside(column)], judged))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Formats a cell with the published value above or beside ours.
    fn cell(&self, column: &Column, number: usize, [is_stacked, is_beside]: [bool; 2], judged: &[&Judged]) -> Markup {
        let name = format!("{}/{}/{}", self.id, self.rows[number], column.head).to_lowercase();
        let mut checks = judged.iter().flat_map(|each| &each.checks);
        let verdict = checks.find(|each| each.check.id == name).map(|each| each.verdict());
        let cell = column.cells[number].as_ref();
        let published = cell.map_or("", |cell| &cell.published);
        let measured = cell.map_or_else(|| "–".to_owned(), Cell::text);
        let failed = cell.and_then(|cell| cell.failure.as_ref()).map(|_| "failure");
        html! {
            @if is_beside { td.number.published { (published) } }
            td.number.(verdict.map_or("", Verdict::name)).(failed.unwrap_or("")) title=[verdict.map(Verdict::words)] {
                @if is_stacked && column.is_published() {
                    span.published { @if published.is_empty() { "–" } @else { (published) } } br;
                }
                (measured)
                @if let Some(verdict) = verdict { span.sign { (sign(verdict)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats a table of `columns` columns, the first of which has published values.
    fn shown(columns: usize) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let mut text = "method,quantity,published,measured,failure,t_reached\n".to_owned();
        for column in 0..columns {
            let published = if column == 0 { "25000" } else { "" };
            text += &format!(
                "rk3,evaluations {column},{published},26756,,\nrk4,evaluations {column},,,budget-exhausted,0.5\n"
            );
        }
        std::fs::write(folder.path().join("table-1.csv"), text).expect("a file");
        Table::read(folder.path(), "table-1").expect("a table").shown(&[]).into_string()
    }

    #[test]
    fn only_columns_with_published_values_have_two_parts() {
        let page = shown(2);
        assert_eq!(page.matches("<th>published</th>").count(), 1, "{page}");
        assert_eq!(page.matches(">26756<").count(), 2, "counts are whole: {page}");
        assert_eq!(page.matches("budget-exhausted at 0.5 s").count(), 2, "{page}");
        assert!(!page.contains("<caption") && !page.contains("dense"), "{page}");
    }

    #[test]
    fn a_wide_table_has_published_values_above_ours() {
        let page = shown(12);
        assert!(page.contains("Above: published") && !page.contains("<th>published</th>"), "{page}");
        assert!(page.contains("<span class=\"published\">25000</span><br>26756"), "{page}");
        assert!(page.contains("class=\"results dense\""), "{page}");
    }
}
