//! Tables of experiments in pages: what was measured beside what is published.

use std::path::Path;

use maud::{Markup, html};
use mbsbench_judge::claims::{Judged, Verdict};
use mbsbench_numbers::{short, unguarded};

use super::page::sign;
use super::{FileError, read};

/// Widest table that a page has room for, px.
const ROOM: u32 = 960;
/// Width of a character and of what is about those of a cell, px.
const CHARACTER: u32 = 9;
const ABOUT: u32 = 20;
/// Least width of the heads of rows, px; the words of longer ones go on in the next line.
const HEADS: u32 = 150;

/// A table of an experiment, as it stands in its CSV file.
pub(super) struct Table {
    id: String,
    /// What the rows are.
    axis: String,
    rows: Vec<String>,
    columns: Vec<Column>,
}

/// A column with a cell for each row.
struct Column {
    head: String,
    cells: Vec<Option<Cell>>,
}

/// A cell as it is shown.
struct Cell {
    published: String,
    measured: String,
    has_failed: bool,
}

impl Column {
    fn is_published(&self) -> bool {
        self.cells.iter().flatten().any(|cell| !cell.published.is_empty())
    }

    /// Widths of the published and of the measured values, in characters.
    fn widths(&self) -> [usize; 2] {
        let widest = |text: fn(&Cell) -> &str| {
            self.cells.iter().flatten().map(|cell| text(cell).chars().count()).max().unwrap_or(0)
        };
        [widest(|cell| &cell.published), widest(|cell| if cell.has_failed { "" } else { &cell.measured })]
    }

    /// Width of the column, px, with published values beside or above the measured ones.
    fn width(&self, is_stacked: bool) -> u32 {
        let [published, measured] = self.widths();
        let word = self.head.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let cell = |characters: usize| CHARACTER * u32::try_from(characters).unwrap_or(u32::MAX / 100) + ABOUT;
        match self.is_published() {
            // A sign of a verdict may follow what is measured.
            true if is_stacked => cell(published.max(measured + 2).max(word)),
            true => cell(published.max("published".len())) + cell(measured + 2),
            false => cell((measured + 2).max(word)),
        }
    }
}

impl Table {
    /// Reads the table `id` of a folder.
    pub fn read(folder: &Path, id: &str) -> Result<Self, FileError> {
        let path = folder.join(format!("{id}.csv"));
        let text = read(&path)?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let damaged = |error: csv::Error| FileError::of(&path)(error.into());
        let heads = reader.headers().map_err(damaged)?.clone();
        let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().map_err(damaged)?;
        let place = |name: &str| heads.iter().position(|head| head == name);
        let [published, measured, failure, reached] = ["published", "measured", "failure", "t_reached"].map(place);
        let field = |record: &csv::StringRecord, index: Option<usize>| {
            index.and_then(|index| record.get(index)).map_or_else(String::new, |cell| unguarded(cell).to_owned())
        };
        let distinct = |index: usize| {
            let mut labels: Vec<String> = Vec::new();
            for label in records.iter().map(|record| field(record, Some(index))) {
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
            labels
        };
        let rows = distinct(0);
        let cell = |row: &str, head: &str| {
            let is_own = |record: &&csv::StringRecord| field(record, Some(0)) == row && field(record, Some(1)) == head;
            let record = records.iter().find(is_own)?;
            let number = field(record, measured).parse::<f64>().ok();
            let failed = Some(field(record, failure)).filter(|name| number.is_none() && !name.is_empty());
            let measured = match (number, &failed) {
                (Some(number), _) => short(number),
                (None, Some(name)) => format!("{name} at {} s", field(record, reached)),
                (None, None) => "–".to_owned(),
            };
            Some(Cell { published: field(record, published), measured, has_failed: failed.is_some() })
        };
        let columns = distinct(1)
            .into_iter()
            .map(|head| Column { cells: rows.iter().map(|row| cell(row, &head)).collect(), head });
        let columns = columns.collect();
        Ok(Self { id: id.to_owned(), axis: field(&heads, Some(0)), rows, columns })
    }

    /// Least width, px, as it is shown.
    pub fn width(&self) -> u32 {
        self.width_of(self.is_stacked())
    }

    fn width_of(&self, is_stacked: bool) -> u32 {
        HEADS + self.columns.iter().map(|column| column.width(is_stacked)).sum::<u32>()
    }

    /// Whether published values stand above those of here, since beside them they have no room.
    fn is_stacked(&self) -> bool {
        self.width_of(false) > ROOM
    }

    /// The table, cells with the verdicts of their checks.
    pub fn shown(&self, judged: &[&Judged]) -> Markup {
        let is_published = self.columns.iter().any(Column::is_published);
        let is_stacked = is_published && self.is_stacked();
        let has_two_rows = is_published && !is_stacked;
        let beside = |column: &Column| has_two_rows && column.is_published();
        html! {
            div.scroll {
                table.results.dense[self.width() > ROOM] {
                    @if is_stacked { caption.small { "Above: published. Below: here." } }
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
                                    th { "published" } th { "here" }
                                }
                            }
                        }
                    }
                    tbody {
                        @for (number, row) in self.rows.iter().enumerate() {
                            tr {
                                th scope="row" { (row) }
                                @for column in &self.columns {
                                    (self.cell(row, column, number, [is_stacked, beside(column)], judged))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The published value above or beside ours.
    fn cell(
        &self,
        row: &str,
        column: &Column,
        number: usize,
        [is_stacked, is_beside]: [bool; 2],
        judged: &[&Judged],
    ) -> Markup {
        let name = format!("{}/{row}/{}", self.id, column.head).to_lowercase();
        let mut checks = judged.iter().flat_map(|each| &each.checks);
        let verdict = checks.find(|each| each.check.id == name).map(|each| each.verdict());
        let cell = column.cells[number].as_ref();
        let published = cell.map_or("", |cell| &cell.published);
        let measured = cell.map_or("–", |cell| &cell.measured);
        let failed = cell.filter(|cell| cell.has_failed).map(|_| "failure");
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

    /// A table of `columns` columns of which the first has published values.
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
    fn a_table_without_room_has_published_values_above_ours() {
        let page = shown(12);
        assert!(page.contains("Above: published") && !page.contains("<th>published</th>"), "{page}");
        assert!(page.contains("<span class=\"published\">25000</span><br>26756"), "{page}");
        assert!(page.contains("class=\"results dense\""), "{page}");
    }
}
